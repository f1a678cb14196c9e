"""Numbers that papers' files take from what happened over time."""

from pathlib import Path

import pytest

from hopwright.data import number
from hopwright.errors import InputError
from hopwright.papers import series
from hopwright.papers.document import read
from hopwright.papers.points import source_of
from hopwright.runs import execute, result_of
from tiny_paper import write


def test_idle_time_before_timeouts_is_from_the_last_thing_that_happened() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 3.5, 4.0, 6.0, 7.0],
        "phase": ["slow_start", "slow_start", None, "rto", "rto", "rto", "slow_start"],
        "acked_segments": [0.0, 1.0, None, 1.0, 1.0, 1.0, 2.0],
        "sent_segments": [1.0, 3.0, None, 3.0, 3.0, 3.0, 4.0],
        "retransmitted_segments": [0.0, 0.0, None, 1.0, 1.0, 2.0, 2.0],
    }
    assert series.idle_before_timeouts(columns, 9.0) == pytest.approx(2.5 + 2.5)


def test_an_acknowledgement_in_the_phase_of_a_timeout_is_none() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 2.0, 3.0, 5.0],
        "phase": ["slow_start", "rto", "rto", "rto"],
        "acked_segments": [0.0, 0.0, 1.0, 1.0],
        "sent_segments": [1.0, 1.0, 1.0, 1.0],
        "retransmitted_segments": [0.0, 1.0, 1.0, 2.0],
    }
    assert series.idle_before_timeouts(columns, 9.0) == pytest.approx(2 + 2)


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
    found = series.longest_silence(OUTAGE, 12.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (3.0, 9.0, (4.0, 6.0))


def test_a_silence_may_last_to_the_end_of_the_run() -> None:
    found = series.longest_silence(OUTAGE, 16.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (9.0, 16.0, ())


def test_silence_before_the_first_acknowledgement_counts_only_if_there_is_none() -> None:
    late: dict[str, series.Column] = {
        "time_s": [5.0, 7.0, 8.0],
        "phase": ["slow_start", "rto", "slow_start"],
        "acked_segments": [0.0, 0.0, 1.0],
        "retransmitted_segments": [0.0, 1.0, 1.0],
    }
    found = series.longest_silence(late, 10.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (8.0, 10.0, ())
    never = {name: values[:2] for name, values in late.items()}
    found = series.longest_silence(never, 10.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (0.0, 10.0, (7.0,))


def test_the_silence_of_a_moment_is_asked_for_by_the_moment() -> None:
    def of(name: str, end_s: float = 12.0) -> float:
        reckon, needed = series.number_called(f"series.{name}")
        assert needed == series.SILENCE_COLUMNS
        return reckon(OUTAGE, end_s)

    assert of("silence_s@3") == 6
    assert of("silence_s@8.9") == 6
    assert of("silence_from_s@5") == 3
    assert of("silence_to_s@5") == 9
    assert of("silence_timeouts@5") == 2
    assert of("silence_s@9") == 3
    assert of("silence_to_s@99") == 12
    assert of("silence_s@1") == 1.5
    assert of("longest_silence_timeouts") == 2


def test_a_column_can_be_asked_for_at_the_end_of_a_silence() -> None:
    reckon, needed = series.number_called("series.resumed.acked_segments@5")
    assert needed == (*series.SILENCE_COLUMNS, "acked_segments")
    assert reckon(OUTAGE, 12.0) == series.value_at("acked_segments", 9.0)(OUTAGE, 12.0) == 4


def test_recoveries_are_entries_and_those_after_outages_follow_one() -> None:
    assert series.recoveries(OUTAGE, 12.0) == 2  # the freeze at 9.6 s makes no third
    assert series.recoveries_after_outages(OUTAGE, 12.0) == 1  # the one at 9.5 s
    later = {**OUTAGE, "time_s": [*OUTAGE["time_s"][:8], 10.1, 10.2, 10.3]}
    assert series.recoveries_after_outages(later, 12.0) == 0


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
    with pytest.raises(InputError, match=r"no round trip is measured by 0\.7 s"):
        series.settling(FROZEN, 20.0, 0.7)


def test_settling_is_asked_for_by_the_moment() -> None:
    def of(name: str) -> float:
        reckon, needed = series.number_called(f"series.{name}@3.5")
        assert needed == series.SETTLING_COLUMNS
        return reckon(FROZEN, 20.0)

    assert of("on_after_s") == pytest.approx(1.5)
    assert of("settled_after_s") == pytest.approx(3)
    assert of("settled_after_round_trips") == pytest.approx(6)
    assert of("settling_s") == pytest.approx(1.5)
    assert of("settling_round_trips") == pytest.approx(3)


def test_a_column_can_be_asked_for_at_a_time(tmp_path: Path) -> None:
    at_3, needed = series.number_called("series.acked_segments@3")
    assert needed == ("time_s", "acked_segments")
    assert at_3(OUTAGE, 12.0) == 3
    assert series.value_at("acked_segments", 2.9)(OUTAGE, 12.0) == 2
    assert series.value_at("acked_segments", 0.1)(OUTAGE, 12.0) == 0
    assert series.value_at("acked_segments", 99.0)(OUTAGE, 12.0) == 4
    for wrong in ("acked_segments@", "acked_segments@soon", "@3", "acked_segments@-1"):
        with pytest.raises(InputError, match="write it as 'acked_segments@30'"):
            series.number_called(f"series.{wrong}")
    with pytest.raises(InputError, match="did you mean 'longest_silence_s'"):
        series.number_called("series.longest_silense_s")
    scenario = source_of(read(write(tmp_path))).load()
    with pytest.raises(InputError, match="did you mean 'acked_segments'"):
        series.numbers(scenario, ["series.acked_segment@3"], [1], jobs=1)


def test_the_largest_value_of_a_part_can_be_asked_for() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 3.0, 4.0],
        "cwnd_segments": [2.0, 9.0, None, 4.0, 7.0],
    }

    def most(part: str) -> float:
        reckon, needed = series.number_called(f"series.most.cwnd_segments@{part}")
        assert needed == ("time_s", "cwnd_segments")
        return reckon(columns, 5.0)

    assert most("0:5") == 9
    assert most("1.5:3.5") == 9  # what it begins with
    assert most("3:3.5") == 4
    assert most("3.5:4") == 7
    for wrong in (
        "most.cwnd_segments",
        "most.cwnd_segments@6",
        "most.cwnd_segments@6:2",
        "most.@1:2",
    ):
        with pytest.raises(InputError, match=r"write it as 'most\.cwnd_segments@6:15'"):
            series.number_called(f"series.{wrong}")


def test_of_several_flows_the_first_is_told_of(tmp_path: Path) -> None:
    one = "flows = [{ from = 0, to = 2 }]"
    two = "flows = [{ from = 2, to = 0 }, { from = 0, to = 2, start_s = 1 }]"
    path = write(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(one, two), encoding="utf-8")
    scenario = source_of(read(path)).load()
    found = series.numbers(scenario, ["series.acked_segments@3"], [1], jobs=1)
    result = result_of(execute(scenario, [1], jobs=1)[0])
    first, second = (number(result, "flows", flow, "goodput_segments") for flow in (0, 1))
    assert found["series.acked_segments@3"] == [first]
    assert first != second


def test_queues_that_change_often_are_not_in_the_flows_way(tmp_path: Path) -> None:
    document = read(write(tmp_path))  # the long run's file begins with rows of queues
    whole, half = (source_of(document).load([("duration_s", seconds)]) for seconds in ("120", "60"))
    found = series.numbers(whole, ["series.acked_segments@60"], [1], jobs=1)
    result = result_of(execute(half, [1], jobs=1)[0])
    assert found["series.acked_segments@60"] == [number(result, "flows", 0, "goodput_segments")]


def test_every_timeout_is_found_in_the_series(tmp_path: Path) -> None:
    document = read(write(tmp_path))
    keys = [("topology.hops", "4"), ("flows.0.to", "4"), ("duration_s", "40")]
    scenario = source_of(document).load([*keys, ("routing.protocol", "aodv")])
    found = series.numbers(scenario, ["series.idle_before_timeouts_s"], range(1, 4), jobs=2)
    results = [result_of(run) for run in execute(scenario, range(1, 4), jobs=2)]
    timeouts = [number(result, "flows", 0, "rto_count") or 0 for result in results]
    assert sum(timeouts) > 3
    for idle, count in zip(found["series.idle_before_timeouts_s"], timeouts, strict=True):
        assert idle >= 0.2 * count  # the least time-out


def test_a_moving_average_leaves_the_ends_as_they_are() -> None:
    values = [1.0, 9.0, 2.0, 8.0, 3.0, 7.0]
    assert series._smoothed(values, 1) == pytest.approx(values)
    assert series._smoothed(values, 4) == pytest.approx([1.0, 9.0, 5.0, 5.5, 5.0, 7.0])


def test_a_series_of_no_column_is_refused(tmp_path: Path) -> None:
    scenario = source_of(read(write(tmp_path))).load()
    with pytest.raises(InputError, match="did you mean 'cwnd_segments'"):
        series.curve(scenario, [(1, "cwnd_segment")], seed=1, interval_s=0.1, average=1)


def test_what_is_sent_in_a_phase_is_counted_in_it() -> None:
    def of(phase: str) -> float:
        return series.number_called(f"series.sent_in.{phase}")[0](OUTAGE, 12.0)

    assert [of(phase) for phase in ("slow_start", "recovery", "congestion_avoidance", "rto")] == [
        *(4.0, 3.0, 0.0, 2.0)
    ]


def test_over_all_phases_it_is_all_that_was_sent(tmp_path: Path) -> None:
    scenario = source_of(read(write(tmp_path))).load([])
    names = [f"series.sent_in.{phase}" for phase in series.PHASES]
    found = series.numbers(scenario, names, [1, 2], jobs=1)
    runs = [result_of(run) for run in execute(scenario, [1, 2], jobs=1)]
    sent = [number(run, "flows", 0, "segments_sent") for run in runs]
    assert [sum(each) for each in zip(*found.values(), strict=True)] == pytest.approx(sent, abs=1)


def test_freezes_are_counted_by_their_length() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 4.0, 5.0, 9.0],
        "phase": ["slow_start", "frozen", None, "rto", "frozen", "frozen"],
    }

    def of(name: str) -> float:
        return series.number_called(f"series.{name}")[0](columns, 20.0)

    assert [of(name) for name in ("freezes", "freezes_longer@3", "freezes_longer@2.9")] == [2, 1, 2]
    assert of("freezes_longer@15") == 0
