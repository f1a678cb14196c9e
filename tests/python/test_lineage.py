"""`events.parquet`: what its rows say agrees with each other, with places, and with counters."""

from collections import Counter
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

import pytest

from explaining import SETTINGS, recorded
from hopwright._io.data import number
from hopwright.explain.events import Event, Lineage

DAMAGE = """
[[errors]]
model = "uniform"
probability = 0.05
"""
RTS_US, ANSWER_US, SIFS_US = 192 + 20 * 8, 192 + 14 * 8, 10
WAY_US = 200 / 299.792458
"""From a node of the chain to the next."""


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Lineage:
    return Lineage.read(recorded(tmp_path_factory.mktemp("explain"), "all")[0])


@pytest.mark.parametrize(
    ("changed", "more", "errs"),
    [
        ({}, "", False),
        ({"routing.protocol": "static", "radio.interference": "sum"}, "", False),
        ({"routing.protocol": "static", "radio.fading": "rayleigh"}, "", True),
        ({"routing.protocol": "static"}, DAMAGE, True),
        ({}, DAMAGE, True),
    ],
    ids=["given", "sum", "rayleigh", "errors", "errors-aodv"],
)
def test_missed_frames_are_those_that_the_mac_counts(
    changed: Mapping[str, str], more: str, errs: bool, tmp_path: Path
) -> None:
    folder, result = recorded(tmp_path, "all", changed, more)
    events = Lineage.read(folder).those()
    counters = {"collision": "collisions", "channel": "channel_errors"}
    assert (number(result, "mac", "channel_errors", "total") is not None) == errs
    for cause, counter in counters.items() if errs else [("collision", "collisions")]:
        missed = [e for e in events if e.kind in ("try", "missed") and e.cause == cause]
        told = Counter(event.frame for event in missed)
        counted = {
            kind: number(result, "mac", counter, kind) or 0
            for kind in ("rts_cts", "data", "ack", "mac_ack", "routing", "total")
        }
        assert counted["total"] > 10
        carrying = counted["data"] + counted["ack"] + counted["routing"]
        # A try that goes on when the run ends is not told of.
        for kinds, count in (
            (("rts", "cts"), counted["rts_cts"]),
            (("data",), carrying),
            (("ack",), counted["mac_ack"]),
            (("rts", "cts", "data", "ack"), counted["total"]),
        ):
            assert 0 <= count - sum(told[kind] for kind in kinds) <= 2


def _length_us(frame: str | None, carried: Event) -> float:
    """In the air: an IP packet with TCP's header of 20 bytes, and 34 of the MAC, at 2 Mb/s."""
    assert carried.carries in ("segment", "ack")
    data_us = 192 + ((carried.bytes or 0) + 20 + 20 + 34) * 8 / 2
    return {"rts": RTS_US, "cts": ANSWER_US, "ack": ANSWER_US}.get(frame or "", data_us)


def _since_rts_us(frame: str | None, carried: Event) -> float:
    """When a frame of an exchange leaves, counted from when its RTS does."""
    before = {"rts": (), "cts": ("rts",), "data": ("rts", "cts"), "ack": ("rts", "cts", "data")}
    return sum(_length_us(each, carried) + SIFS_US + WAY_US for each in before[frame or ""])


def test_the_frame_in_the_way_is_one_that_was_sent_then(everything: Lineage) -> None:
    tries = [event for event in everything.those() if event.kind == "try"]
    starts: dict[tuple[str, int | None, int | None], list[float]] = {}
    for event in tries:
        for frame, node in (("rts", event.node), ("cts", event.peer)):
            starts.setdefault((frame, node, event.packet), []).append(event.time_s)
    seen: Counter[str | None] = Counter()
    for event in tries:
        by = everything.sending(event.by_packet) if event.by_node is not None else None
        if by is None or by.carries not in ("segment", "ack"):
            continue
        assert event.by_time_s is not None
        asks = "rts" if event.by_frame in ("rts", "data") else "cts"
        offset_s = _since_rts_us(event.by_frame, by) * 1e-6
        began = starts[asks, event.by_node, event.by_packet]
        assert any(abs(each + offset_s - event.by_time_s) < 2e-8 for each in began)
        seen[event.by_frame] += 1
    assert set(seen) == {"rts", "cts", "data", "ack"}


def test_the_frame_in_the_way_was_in_the_air(everything: Lineage) -> None:
    seen: Counter[str | None] = Counter()
    for event in everything.those():
        if event.kind != "try" or event.by_node is None or event.by_time_s is None:
            continue
        lost, by = everything.sending(event.packet), everything.sending(event.by_packet)
        assert lost is not None
        assert by is not None
        if lost.carries not in ("segment", "ack") or by.carries not in ("segment", "ack"):
            continue
        left_us = _since_rts_us(event.frame, lost)
        begin_us = (event.by_time_s - event.time_s) * 1e6 - left_us
        end_us = begin_us + _length_us(event.by_frame, by)
        # Both are seen at the addressee: up to two hops of way. An RTS is answered after SIFS.
        slack_us = 2 * WAY_US
        if event.cause in ("reserved", "carrier"):
            assert begin_us < RTS_US + SIFS_US + slack_us
            # What the longest frame and what follows it reserve, with EIFS if it was damaged.
            assert begin_us > -8000
        else:
            assert begin_us < _length_us(event.frame, lost) + slack_us
            assert end_us > -slack_us
        seen[event.cause] += 1
    assert set(seen) == {"collision", "reserved", "carrier", "transmitting"}


def test_relations_are_those_of_the_places(everything: Lineage) -> None:
    """Nobody moves: nodes are 200 m apart, read each other up to 250 m, sense up to 550 m."""
    relations: Counter[str | None] = Counter()
    for event in everything.those():
        if event.kind != "try" or event.by_node is None or event.peer is None:
            continue
        sender, loser = event.node, event.peer
        if event.frame in ("cts", "ack"):
            sender, loser = loser, sender
        distance = abs(sender - event.by_node)
        assert (event.relation == "hidden") == (distance >= 3)
        assert event.relation != "unread" or distance == 2
        assert event.relation != "tie" or 1 <= distance <= 2
        if event.cause == "transmitting":
            assert event.by_node == loser
        else:
            assert 1 <= abs(loser - event.by_node) <= 2
        relations[event.relation] += 1
    assert {"hidden", "unread", "tie", "answer"} <= set(relations)


@pytest.mark.parametrize(
    ("protocol", "profile", "seed", "causes"),
    [
        ("newreno", "standard", 9, {"rto", "fast_retransmit", "recovery"}),
        ("vegas", "standard", 1, {"rto", "fast_retransmit", "recovery", "own_measure"}),
        ("elfn", "ns2", 1, {"rto", "fast_retransmit"}),
        ("tcp-f", "standard", 1, {"rto", "fast_retransmit"}),
        ("atcp", "standard", 9, {"rto", "thaw"}),
    ],
)
def test_cuts_follow_what_they_name(
    protocol: str, profile: str, seed: int, causes: set[str], tmp_path: Path
) -> None:
    changed = {"flows.transport.protocol": protocol, "profile": profile}
    folder, result = recorded(tmp_path, "losses", changed, seed=seed)
    lineage = Lineage.read(folder)
    cuts = [event for event in lineage.those() if event.kind == "cut"]
    for event in cuts:
        before, after = event.window_before_segments or 0, event.window_after_segments or 0
        assert 0 < after < before
        (reaction,) = lineage.before([event])
        if event.cause in ("rto", "fast_retransmit"):
            assert reaction is not None
            assert (reaction.kind, reaction.flow) == (event.cause, event.flow)
            assert reaction.time_s == event.time_s
        elif event.cause == "recovery":
            assert reaction is not None
            assert (reaction.kind, reaction.flow) == ("fast_retransmit", event.flow)
            assert reaction.time_s < event.time_s
        elif event.cause == "thaw":
            thaws = [each.time_s for each in lineage.those() if each.kind == "thaw"]
            assert event.time_s in thaws
    assert {event.cause for event in cuts} == causes
    stills = [event for event in lineage.those() if event.kind in ("freeze", "thaw")]
    frozen_s = number(result, "flows", 0, "phase_time_s", "frozen") or 0
    assert (frozen_s > 0) == (len(stills) > 0) == (protocol not in ("newreno", "vegas"))
    assert all(e.kind == kind for e, kind in zip(stills, cycle(("freeze", "thaw")), strict=False))
    times = [event.time_s for event in stills]
    if len(times) % 2:
        times.append(float(SETTINGS["duration_s"]))
    lengths = [thawed - froze for froze, thawed in zip(times[::2], times[1::2], strict=True)]
    assert sum(lengths) == pytest.approx(frozen_s)
