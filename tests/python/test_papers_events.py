"""What became of a run's first flow, and when, as papers' files ask for it."""

import json
import math

import pytest

from hopwright.errors import InputError
from hopwright.papers import events
from hopwright.papers.events import Arrival, Event, Stall
from hopwright.runs import execute
from hopwright.source import Source
from hopwright.sweeps.settings import overrides_of


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


def test_new_data_arrives_over_as_many_hops_as_stations_passed_it_on() -> None:
    assert events.arrivals(LINEAGE) == [
        Arrival(1.0, 100, 2),
        Arrival(5.0, 200, 3),
        Arrival(6.0, 300, 3),
    ]


def test_a_failure_lasts_until_new_data_arrives() -> None:
    assert events.stalls(LINEAGE, 10.0) == [Stall(2.0, 5.0), Stall(7.0, 10.0)]
    assert events.stalls(LINEAGE, 10.0, "out_of_range") == [Stall(2.0, 5.0)]
    assert events.number_called("events.stalled_s")(LINEAGE, 10.0) == 6
    assert events.number_called("events.path_failures")(LINEAGE, 10.0) == 2
    assert events.number_called("events.path_failures_out_of_range")(LINEAGE, 10.0) == 1


@pytest.mark.parametrize(("size", "rises"), [(1000, 1), (410, 1), (350, 0), (300, 0)])
def test_progress_rises_where_a_longer_path_outweighs_what_arrived(size: int, rises: int) -> None:
    # Of 1000 bytes: 900 x 2, 800 x 3, 700 x 3; of 350: 250 x 2, 150 x 3, 50 x 3.
    assert events.number_called(f"events.progress_rises@{size}")(LINEAGE, 10.0) == rises


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("until.freeze@2", 0.7),
        ("until.route_broke@2.1", 0.4),
        ("until.route_broke.7@2.1", 0.5),
        ("until.rrep.9@3", 0.5),
        ("until.rrep.4@3", 7.0),
        ("until.thaw@5", 5.0),
        ("until.thaw@5:8", 3.0),
        ("until.thaw@2:3", 1.0),
        ("until.thaw@2:4", 2.0),
    ],
)
def test_the_next_event_is_told_by_its_kind_and_node(name: str, seconds: float) -> None:
    assert events.number_called(f"events.{name}")(LINEAGE, 10.0) == pytest.approx(seconds)


def test_a_sender_that_goes_on_may_begin_beyond_what_is_missing() -> None:
    beyond = events.number_called("events.resumed_beyond_segments@3")
    assert beyond(LINEAGE, 10.0) == 2
    assert events.number_called("events.resumed_beyond_segments@5")(LINEAGE, 10.0) == 0


@pytest.mark.parametrize(
    "name",
    [
        *("arrival", "until@3", "until.freeze", "until.freeze.a@3", "until.a.1.2@3"),
        *("until.thaw@5:4", "until.thaw@1:2:3", "until.thaw@-1"),
        *("progress_rises@0", "progress_rises@1:2", "contending@3", "contending@4:3"),
    ],
)
def test_what_is_no_such_number_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no number of events called"):
        events.number_called(f"events.{name}")


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
    assert events.number_called("events.contending@0:10")(HELD, 10.0) == pytest.approx(0.55)
    assert events.number_called("events.contending@2:3")(HELD, 10.0) == pytest.approx(2)


@pytest.mark.parametrize("hops", [1, 2, 4])
def test_of_one_packet_outstanding_one_one_hop_flow_contends_at_any_time(hops: int) -> None:
    text = f"""
name = "alone"
duration_s = 6
topology = {{ kind = "chain", hops = {hops} }}
flows = [{{ from = 0, to = {hops}, transport = {{ window_limit_segments = 1 }} }}]
"""
    scenario = Source(text, "test", ".").load(overrides_of(events.recorded_keys()))
    found = events.numbers(scenario, ["events.contending@1:5"], [1], jobs=1)
    assert found["events.contending@1:5"] == [pytest.approx(1, abs=0.01)]


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
    plain = Source(BREAK, "test", ".")
    (run,) = execute(plain.load([]), [1], jobs=1)
    flow = json.loads(run.summary_json())["flows"][0]
    names = ["events.arrivals", "events.path_failures", "events.until.route_broke.2@4"]
    scenario = plain.load(overrides_of(events.recorded_keys()))
    found = events.numbers(scenario, [*names, "events.stalled_s"], [1], jobs=1)
    assert found["events.arrivals"] == [pytest.approx(flow["goodput_segments"], abs=2)]
    assert found["events.path_failures"] == [1]
    # It leaves the reach of 250 m after a quarter of a second, and data is under way then.
    assert 0.25 < found["events.until.route_broke.2@4"][0] < 0.6
    assert math.isclose(
        found["events.stalled_s"][0], 8 - found["events.until.route_broke.2@4"][0], abs_tol=0.1
    )
