"""Numbers that papers' files take from what happened over time."""

from pathlib import Path
from typing import get_args

import pytest

from hopwright._io.errors import InputError
from hopwright.research.papers import series
from hopwright.research.papers.document import read
from hopwright.research.papers.functions import series as of
from hopwright.research.papers.points import source_of
from made_up import MadeUp, runs
from tiny_paper import write

SCENARIO = """
name = "tiny"
duration_s = 3
topology = { kind = "chain", hops = 2 }
flows = [{ from = 0, to = 2 }]
"""


def test_idle_time_before_timeouts_is_from_the_last_thing_that_happened() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 3.5, 4.0, 6.0, 7.0],
        "phase": ["slow_start", "slow_start", None, "rto", "rto", "rto", "slow_start"],
        "acked_segments": [0.0, 1.0, None, 1.0, 1.0, 1.0, 2.0],
        "sent_segments": [1.0, 3.0, None, 3.0, 3.0, 3.0, 4.0],
        "retransmitted_segments": [0.0, 0.0, None, 1.0, 1.0, 2.0, 2.0],
    }
    assert series.idle_before_timeouts(columns) == pytest.approx(2.5 + 2.5)


def test_an_acknowledgement_in_the_phase_of_a_timeout_is_none() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 2.0, 3.0, 5.0],
        "phase": ["slow_start", "rto", "rto", "rto"],
        "acked_segments": [0.0, 0.0, 1.0, 1.0],
        "sent_segments": [1.0, 1.0, 1.0, 1.0],
        "retransmitted_segments": [0.0, 1.0, 1.0, 2.0],
    }
    assert series.idle_before_timeouts(columns) == pytest.approx(2 + 2)


OUTAGE: dict[str, series.Column] = {
    # acknowledged until 3 s, two time-outs, again from 9 s on; fast recovery follows
    "time_s": [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 9.5, 9.6, 10.0],
    "phase": ["slow_start"] * 2
    + ["recovery", None, "congestion_avoidance", "rto", "rto", "slow_start", "recovery", "frozen"]
    + ["recovery"],
    "acked_segments": [0.0, 1.0, 2.0, None, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0, 4.0],
    "sent_segments": [1.0, 3.0, 4.0, None, 4.0, 4.0, 4.0, 5.0, 5.0, 5.0, 5.0],
    "retransmitted_segments": [0.0, 0.0, 1.0, None, 1.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0],
}


def test_the_longest_silence_has_its_ends_and_its_timeouts() -> None:
    found = series.longest_silence(series.silences(OUTAGE, 12.0))
    assert (found.from_s, found.to_s, found.timeouts_s) == (3.0, 9.0, (4.0, 6.0))


def test_a_silence_may_last_to_the_end_of_the_run() -> None:
    found = series.longest_silence(series.silences(OUTAGE, 16.0))
    assert (found.from_s, found.to_s, found.timeouts_s) == (9.0, 16.0, ())


def test_silence_before_the_first_acknowledgement_counts_only_if_there_is_none() -> None:
    late: dict[str, series.Column] = {
        "time_s": [5.0, 7.0, 8.0],
        "phase": ["slow_start", "rto", "slow_start"],
        "acked_segments": [0.0, 0.0, 1.0],
        "retransmitted_segments": [0.0, 1.0, 1.0],
    }
    found = series.longest_silence(series.silences(late, 10.0))
    assert (found.from_s, found.to_s, found.timeouts_s) == (8.0, 10.0, ())
    never = {name: values[:2] for name, values in late.items()}
    found = series.longest_silence(series.silences(never, 10.0))
    assert (found.from_s, found.to_s, found.timeouts_s) == (0.0, 10.0, (7.0,))


def test_the_silence_of_a_moment_is_asked_for_by_the_moment() -> None:
    run = MadeUp(columns=OUTAGE, end_s=12.0)
    assert of.silence_s(run, at_s=3) == 6
    assert of.silence_s(run, at_s=8.9) == 6
    assert of.silence_from_s(run, at_s=5) == 3
    assert of.silence_to_s(run, at_s=5) == 9
    assert of.silence_timeouts(run, at_s=5) == 2
    assert of.silence_s(run, at_s=9) == 3
    assert of.silence_to_s(run, at_s=99) == 12
    assert of.silence_s(run, at_s=1) == 1.5
    longest = (of.longest_silence_s, of.longest_silence_from_s, of.longest_silence_to_s)
    assert [each(run) for each in longest] == [6, 3, 9]
    assert of.longest_silence_timeouts(run) == 2


def test_a_column_can_be_asked_for_at_the_end_of_a_silence() -> None:
    run = MadeUp(columns=OUTAGE, end_s=12.0)
    after = of.column_after_silence(run, column="acked_segments", at_s=5)
    assert after == of.column_at(run, column="acked_segments", at_s=9) == 4


def test_recoveries_are_entries_and_those_after_outages_follow_one() -> None:
    run = MadeUp(columns=OUTAGE)
    assert of.recoveries(run) == 2  # the freeze at 9.6 s makes no third
    assert of.recoveries_after_outages(run) == 1  # the one at 9.5 s
    later = {**OUTAGE, "time_s": [*OUTAGE["time_s"][:8], 10.1, 10.2, 10.3]}
    assert of.recoveries_after_outages(MadeUp(columns=later)) == 0


def settling(*rows: tuple[float, str | None, float | None]) -> dict[str, series.Column]:
    names = ("time_s", "phase", "srtt_s")
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


FROZEN = settling(
    (0.5, "slow_start", None),
    (1.0, "congestion_avoidance", 0.5),
    (2.0, "rto", 0.0),  # forgotten, as in ns-2
    (3.0, "frozen", 0.0),
    (4.0, None, None),
    (5.0, "congestion_avoidance", 0.0),
    (5.5, "recovery", 0.0),
    (6.5, "congestion_avoidance", 0.2),
    (8.0, "recovery", 0.2),
    (8.5, "slow_start", 0.2),
)


def test_a_sender_has_settled_where_nothing_follows_for_two_round_trips() -> None:
    found = series.settling(FROZEN, 20.0, 3.5)
    assert found == series.Settling(on_s=5.0, settled_s=6.5, srtt_s=0.5)
    slower = {**FROZEN, "srtt_s": [None, 0.8, *FROZEN["srtt_s"][2:]]}
    assert series.settling(slower, 20.0, 3.5).settled_s == 8.5  # 1.5 s are less than 2 x 0.8 s


def test_who_is_stopped_by_nothing_has_settled_at_once() -> None:
    assert series.settling(FROZEN, 20.0, 1.5) == series.Settling(1.5, 5.0 + 1.5, 0.5)
    assert series.settling(FROZEN, 20.0, 7.5).on_s == 7.5
    assert series.settling(FROZEN, 20.0, 9.0) == series.Settling(9.0, 9.0, 0.2)


def test_what_never_comes_is_the_end_of_the_run() -> None:
    cut = {name: values[:4] for name, values in FROZEN.items()}
    assert series.settling(cut, 20.0, 3.5) == series.Settling(20.0, 20.0, 0.5)
    with pytest.raises(InputError, match=r"no round trip was measured up to 0\.7 s"):
        series.settling(FROZEN, 20.0, 0.7)


def test_settling_is_asked_for_by_the_moment() -> None:
    run = MadeUp(columns=FROZEN, end_s=20.0)
    assert of.on_after_s(run, at_s=3.5) == pytest.approx(1.5)
    assert of.settled_after_s(run, at_s=3.5) == pytest.approx(3)
    assert of.settled_after_round_trips(run, at_s=3.5) == pytest.approx(6)
    assert of.settling_s(run, at_s=3.5) == pytest.approx(1.5)
    assert of.settling_round_trips(run, at_s=3.5) == pytest.approx(3)


def test_a_column_can_be_asked_for_at_a_time() -> None:
    run = MadeUp(columns=OUTAGE)
    asked = [of.column_at(run, column="acked_segments", at_s=at) for at in (3, 2.9, 0.1, 99)]
    assert asked == [3, 2, 0, 4]
    assert of.column_growth(run, column="acked_segments", from_s=2.9, to_s=99) == 2
    with (
        runs(SCENARIO) as (real,),
        pytest.raises(InputError, match="did you mean 'acked_segments'"),
    ):
        of.column_at(real, column="acked_segment", at_s=3)
    with (
        runs(SCENARIO) as (real,),
        pytest.raises(InputError, match="flow = 2: there are only flows 0 to 0"),
    ):
        of.column_at(real, column="acked_segments", at_s=3, flow=2)


def test_the_largest_value_of_a_part_can_be_asked_for() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 3.0, 4.0],
        "cwnd_segments": [2.0, 9.0, None, 4.0, 7.0],
    }

    def most(from_s: float, to_s: float) -> float:
        return of.column_most(MadeUp(columns=columns), "cwnd_segments", from_s, to_s)

    assert most(0, 5) == 9
    assert most(1.5, 3.5) == 9  # what it begins with
    assert most(3, 3.5) == 4
    assert most(3.5, 4) == 7


def test_of_several_flows_each_can_be_told_of() -> None:
    two = "flows = [{ from = 2, to = 0 }, { from = 0, to = 2, start_s = 1 }]"
    with runs(SCENARIO.replace("flows = [{ from = 0, to = 2 }]", two)) as (run,):
        both = [of.column_at(run, "acked_segments", at_s=3, flow=flow) for flow in (0, 1)]
        assert both == [run.result("goodput_segments", flow=flow) for flow in (0, 1)]
    assert both[0] != both[1]


def test_queues_that_change_often_are_not_in_the_flows_way() -> None:
    whole, half = (SCENARIO.replace("= 3\n", f"= {seconds}\n") for seconds in (120, 60))
    # The long run's file begins with rows of queues.
    with runs(whole) as (long,), runs(half) as (short,):
        assert of.column_at(long, "acked_segments", 60) == short.result("goodput_segments")


def test_every_timeout_is_found_in_the_series() -> None:
    text = SCENARIO.replace("hops = 2", "hops = 4").replace("to = 2", "to = 4")
    text = text.replace("= 3\n", '= 40\nrouting = { protocol = "aodv" }\n')
    with runs(text, (1, 2, 3)) as three:
        timeouts = [run.result("rto_count") for run in three]
        assert sum(timeouts) > 3
        for run, count in zip(three, timeouts, strict=True):
            assert of.idle_before_timeouts_s(run) >= 0.2 * count  # the least time-out


def test_a_moving_average_leaves_the_ends_as_they_are() -> None:
    values = [1.0, 9.0, 2.0, 8.0, 3.0, 7.0]
    assert series._smoothed(values, 1) == pytest.approx(values)
    assert series._smoothed(values, 4) == pytest.approx([1.0, 9.0, 5.0, 5.5, 5.0, 7.0])


def test_a_series_of_no_column_is_refused(tmp_path: Path) -> None:
    scenario = source_of(read(write(tmp_path))).load()
    with pytest.raises(InputError, match="did you mean 'cwnd_segments'"):
        series.curve(scenario, [(1, "cwnd_segment")], seed=1, interval_s=0.1, average=1)


def test_what_is_sent_in_a_phase_is_counted_in_it() -> None:
    run = MadeUp(columns=OUTAGE)
    assert of.segments_sent_in(run, "slow_start") == 4
    assert of.segments_sent_in(run, "recovery") == 3
    assert of.segments_sent_in(run, "congestion_avoidance") == 0
    assert of.segments_sent_in(run, "rto") == 2


def test_over_all_phases_it_is_all_that_was_sent() -> None:
    with runs(SCENARIO, (1, 2)) as both:
        for run in both:
            sent = sum(of.segments_sent_in(run, phase) for phase in get_args(of.Phase))
            assert sent == pytest.approx(run.result("segments_sent"), abs=1)


def test_freezes_are_counted_by_their_length() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 4.0, 5.0, 9.0],
        "phase": ["slow_start", "frozen", None, "rto", "frozen", "frozen"],
    }
    run = MadeUp(columns=columns, end_s=20.0)
    assert [of.freezes(run, longer_s=each) for each in (0, 3, 2.9, 15)] == [2, 1, 2, 0]


def test_time_in_a_phase_is_of_the_part_that_is_asked_for() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [1.0, 2.0, 2.5, 4.0, 6.0],
        "phase": ["slow_start", "recovery", None, "recovery", "slow_start"],
        "sent_segments": [2.0, 5.0, None, 6.0, 8.0],
        "retransmitted_segments": [0.0, 1.0, None, 1.0, 1.0],
    }
    run = MadeUp(columns=columns, end_s=10.0)
    assert of.share_of_time_in(run, "slow_start", 0, 10) == pytest.approx(0.5)
    assert of.share_of_time_in(run, "recovery", 3, 5) == pytest.approx(1.0)
    assert of.share_of_time_in(run, "recovery", 7, 9) == 0
    assert of.segments_sent_per_second_in(run, "recovery") == pytest.approx(5 / 4)
    with pytest.raises(InputError, match="the sender is never in the phase rto"):
        of.segments_sent_per_second_in(run, "rto")
    with pytest.raises(InputError, match="a part of the run"):
        of.share_of_time_in(run, "recovery", 5, 20)
