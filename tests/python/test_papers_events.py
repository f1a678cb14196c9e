"""What became of a run's first flow, and when, as papers' files ask for it."""

import math

import pytest

from hopwright._io.errors import InputError
from hopwright.research.papers import events
from hopwright.research.papers.events import Arrival, Event, Stall
from hopwright.research.papers.functions import events as of
from made_up import MadeUp, runs


def segment(number: int, time_s: float, packet: int, first_byte: int, *path: int) -> list[Event]:
    """A segment of 100 bytes that goes over the stations of a path and arrives."""
    tries = [Event(number + at, time_s, "try", node, 0, packet) for at, node in enumerate(path)]
    end = Event(number + 9, time_s, "delivered", 9, 0, packet, first_byte, 100, "segment")
    return [*tries, end]


LINEAGE = [
    *segment(10, 1.0, 1, 1, 0, 4),
    Event(30, 2.0, "gave_up", 4, 0, 2, 101, 100, "segment", "retry_limit_rts"),
    Event(31, 2.0, "route_broke", 4, cause="in_range", because=30),
    Event(40, 2.5, "gave_up", 4, 0, 3, 201, 100, "segment", "retry_limit_rts"),
    Event(41, 2.5, "route_broke", 4, cause="out_of_range", because=40),
    Event(42, 2.6, "gave_up", 7, None, 8, carries="rerr", cause="retry_limit_rts"),
    Event(43, 2.6, "route_broke", 7, cause="out_of_range", because=42),
    Event(44, 2.7, "freeze", 0, 0),
    Event(45, 3.0, "sent", 9, 0, 90, 101, carries="ack"),
    Event(46, 3.5, "sent", 9, None, 91, carries="rrep"),
    Event(47, 4.0, "thaw", 0, 0),
    Event(48, 4.0, "resent", 0, 0, 4, 301, 100, "segment", "data_lost"),
    Event(49, 4.1, "try", 0, 0, 4, cause="collision"),
    # The first segment again: no new data.
    *segment(50, 4.5, 5, 1, 0, 4),
    *segment(60, 5.0, 4, 301, 0, 1, 2),
    *segment(80, 6.0, 6, 101, 0, 1, 2),
    Event(95, 7.0, "gave_up", 9, 0, 92, 201, None, "ack", "retry_limit_rts"),
    Event(96, 7.0, "route_broke", 9, cause="in_range", because=95),
]
"""Two failures: one whose path comes back with a hop more, one that lasts to the end at 10 s."""

RUN = MadeUp(lineage=LINEAGE)


def test_new_data_arrives_over_as_many_hops_as_stations_passed_it_on() -> None:
    assert events.arrivals(LINEAGE) == [
        Arrival(1.0, 100, 2),
        Arrival(5.0, 200, 3),
        Arrival(6.0, 300, 3),
    ]


def test_a_failure_lasts_until_new_data_arrives() -> None:
    breaks, known = events.breaks_of(LINEAGE), events.arrivals(LINEAGE)
    assert events.stalls(breaks, known, 10.0) == [Stall(2.0, 5.0), Stall(7.0, 10.0)]
    assert events.stalls(breaks, known, 10.0, "out_of_range") == [Stall(2.0, 5.0)]
    assert of.stalled_s(RUN) == 6
    assert of.path_failures(RUN) == 2
    assert of.path_failures_out_of_range(RUN) == 1
    assert of.arrivals(RUN) == 3


@pytest.mark.parametrize(("size", "rises"), [(1000, 1), (410, 1), (350, 0), (300, 0)])
def test_progress_rises_where_a_longer_path_outweighs_what_arrived(size: int, rises: int) -> None:
    # Of 1000 bytes: 900 x 2, 800 x 3, 700 x 3; of 350: 250 x 2, 150 x 3, 50 x 3.
    assert of.remaining_rises(RUN, size) == rises


@pytest.mark.parametrize(
    ("kind", "part", "node", "seconds"),
    [
        ("freeze", (2,), None, 0.7),
        ("route_broke", (2.1,), None, 0.4),
        ("route_broke", (2.1,), 7, 0.5),
        ("rrep", (3,), 9, 0.5),
        ("rrep", (3,), 4, 7.0),
        ("thaw", (5,), None, 5.0),
        ("thaw", (5, 8), None, 3.0),
        ("thaw", (2, 3), None, 1.0),
        ("thaw", (2, 4), None, 2.0),
    ],
)
def test_the_next_event_is_told_by_its_kind_and_node(
    kind: str, part: tuple[float, ...], node: int | None, seconds: float
) -> None:
    assert of.seconds_until(RUN, kind, part[0], [*part, math.inf][1], node) == pytest.approx(
        seconds
    )


def test_a_sender_that_goes_on_may_begin_beyond_what_is_missing() -> None:
    assert of.resumed_beyond_segments(RUN, 3) == 2
    assert of.resumed_beyond_segments(RUN, 5) == 0


def test_what_is_no_part_of_a_run_is_refused() -> None:
    for from_s, to_s in ((5, 4), (-1, 3)):
        with pytest.raises(InputError, match="a part of the run, in seconds"):
            of.seconds_until(RUN, "thaw", from_s, to_s)
        with pytest.raises(InputError, match="a part of the run, in seconds"):
            of.contending(RUN, from_s, to_s)
    with pytest.raises(InputError, match="size_bytes = 0: must be above 0"):
        of.remaining_rises(RUN, 0)


HELD = [
    Event(1, 0.0, "sent", 0, 3, 1, 1, 100, "segment"),
    Event(2, 0.5, "sent", 0, 3, 2, 101, 100, "segment"),
    Event(3, 1.0, "try", 0, 3, 1, peer=1),
    Event(4, 2.0, "try", 0, 3, 1, peer=1),
    Event(5, 2.5, "try", 1, 3, 1, peer=2),
    Event(6, 3.0, "delivered", 2, 3, 1, 1, 100, "segment"),
    Event(7, 3.0, "try", 0, 3, 2, peer=1),
    Event(8, 3.5, "gave_up", 0, 3, 2, peer=1),
    Event(9, 3.6, "sent", 0, None, 80, carries="rreq"),
    Event(10, 3.7, "try", 0, None, 80),
    Event(11, 5.0, "try", 0, 3, 2, peer=4),
    Event(12, 6.0, "delivered", 4, 3, 2, 101, 100, "segment"),
    Event(13, 6.0, "sent", 0, 3, 3, 201, 100, "segment"),
    Event(14, 7.0, "dropped", 0, 3, 3, 201, 100, "segment", "queue_full"),
]
"""Two packets of the fourth flow: one goes over node 1 to 2, one waits for another way, to 4."""


def test_a_one_hop_flow_contends_while_its_node_has_a_packet_for_the_neighbour() -> None:
    assert events.holdings(HELD) == {
        (0, 1): [(0.0, 2.0), (0.5, 3.5)],
        (1, 2): [(2.0, 3.0)],
        (0, 4): [(5.0, 6.0)],
    }
    # 3.5 s at 0 for 1, where two packets count once, 1 s at 1 for 2, 1 s at 0 for 4.
    assert of.contending(MadeUp(lineage=HELD), 0, 10) == pytest.approx(0.55)
    assert of.contending(MadeUp(lineage=HELD), 2, 3) == pytest.approx(2)


@pytest.mark.parametrize("hops", [1, 2, 4])
def test_of_one_packet_outstanding_one_one_hop_flow_contends_at_any_time(hops: int) -> None:
    text = f"""
name = "alone"
duration_s = 6
topology = {{ kind = "chain", hops = {hops} }}
flows = [{{ from = 0, to = {hops}, transport = {{ window_limit_segments = 1 }} }}]
"""
    with runs(text) as (run,):
        assert of.contending(run, 1, 5) == pytest.approx(1, abs=0.01)


BREAK = """
name = "break"
profile = "ns2"
duration_s = 12
topology = { kind = "chain", hops = 3 }
mobility = { model = "scripted" }
events = [{ do = "move", at_s = 4, node = 3, to_m = [1600, 0], speed_mps = 200 }]
routing = { protocol = "dsr" }
flows = [{ from = 0, to = 3, transport = { window_limit_segments = 1 } }]
"""


def test_of_a_chain_that_breaks_it_is_what_the_summary_and_the_movement_say() -> None:
    with runs(BREAK) as (run,):
        segments = run.result("goodput_segments")
        assert of.arrivals(run) == pytest.approx(segments, abs=2)
        assert of.path_failures(run) == 1
        # It leaves the reach of 250 m after a quarter of a second, and data is under way then.
        broke_s = of.seconds_until(run, "route_broke", 4, node=2)
        assert 0.25 < broke_s < 0.6
        assert of.stalled_s(run) == pytest.approx(8 - broke_s, abs=0.1)


def test_links_gone_are_those_of_the_last_new_data_s_path() -> None:
    lineage = [
        *(Event(10 + at, 1.0, "try", at, 0, 1, peer=at + 1) for at in range(3)),
        Event(19, 1.0, "delivered", 3, 0, 1, 1, 100, "segment"),
        Event(30, 2.0, "gave_up", 0, 0, 2, 101, 100, "segment", "retry_limit_rts"),
        Event(31, 2.0, "route_broke", 0, cause="out_of_range", because=30),
        # Another way: 0, 4, 3.
        *(Event(40 + node, 3.0, "try", node, 0, 3, peer=peer) for node, peer in ((0, 4), (4, 3))),
        Event(49, 3.0, "delivered", 3, 0, 3, 101, 100, "segment"),
        Event(50, 4.0, "gave_up", 4, 0, 4, 201, 100, "segment", "retry_limit_rts"),
        Event(51, 4.0, "route_broke", 4, cause="out_of_range", because=50),
        # A false break: nobody is gone.
        Event(60, 5.0, "delivered", 3, 0, 3, 301, 100, "segment"),
        Event(61, 5.5, "gave_up", 0, 0, 5, 401, 100, "segment", "retry_limit_rts"),
        Event(62, 5.5, "route_broke", 0, cause="in_range", because=61),
    ]
    gone = {(2.0, 0, 1), (2.0, 2, 3), (2.0, 4, 3), (4.0, 4, 3), (4.0, 0, 1)}
    joined = lambda at_s, one, other: (at_s, one, other) not in gone  # noqa: E731
    known = events.arrivals(lineage)
    failures = events.stalls(events.breaks_of(lineage), known, 10.0, "out_of_range")
    assert events.links_gone(lineage, known, failures, joined) == [2, 1]


def reaction(
    number: int, time_s: float, kind: str, first_byte: int, because: int, cause: str = "data_lost"
) -> Event:
    return Event(number, time_s, kind, 0, 0, first_byte=first_byte, cause=cause, because=because)


def lost(number: int, time_s: float, to: str) -> Event:
    return Event(number, time_s, "dropped", 1, 0, number, loss=to)


def cut(number: int, because: int, before: float, after: float) -> Event:
    return Event(
        number,
        0.0,
        "cut",
        0,
        0,
        because=because,
        window_before_segments=before,
        window_after_segments=after,
    )


REACTIONS = [
    lost(1, 1.0, "contention"),
    reaction(2, 1.5, "fast_retransmit", 100, 1),
    cut(3, 2, 8, 4),
    lost(4, 2.0, "channel"),
    # Not cut.
    reaction(5, 2.25, "fast_retransmit", 200, 4),
    lost(6, 3.0, "queue"),
    reaction(7, 6.0, "rto", 300, 6),
    cut(8, 7, 10, 1),
    lost(9, 6.5, "contention"),
    # The time-out once more: the window was at its least before.
    reaction(10, 12.0, "rto", 300, 9),
    # Needless: nothing was lost.
    reaction(11, 14.0, "rto", 400, 9, "ack_late"),
]


def test_a_reaction_tells_how_soon_a_loss_was_noticed_and_what_the_window_kept() -> None:
    run = MadeUp(lineage=REACTIONS)
    assert of.reactions_to(run, ["contention", "channel"]) == 2
    assert of.noticed_after_s(run, ["contention", "channel"]) == 0.5 + 0.25
    assert of.window_kept(run, ["contention", "channel"]) == 0.5 + 1
    assert of.noticed_after_s(run, ["queue"]) == 3
    assert of.window_kept(run, ["queue"]) == 0.1
    assert of.window_kept(run, ["node_down"]) == of.reactions_to(run, ["node_down"]) == 0


def test_reactions_are_known_of_a_run() -> None:
    text = """
profile = "ns2"
duration_s = 20
topology = { kind = "chain", hops = 1, spacing_m = 200 }
mac = { long_retry_limit = 2 }
routing = { protocol = "static" }
errors = [{ model = "uniform", frames = ["data"], probability = 0.1 }]
flows = [{ from = 0, to = 1 }]
"""
    with runs(text) as (run, *_):
        count = of.reactions_to(run, ["channel"])
        assert count > 5
        assert 0.3 < of.window_kept(run, ["channel"]) / count < 0.6
        assert 0.01 < of.noticed_after_s(run, ["channel"]) / count < 1
