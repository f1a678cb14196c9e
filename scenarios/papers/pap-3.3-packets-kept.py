"""Measures of `pap-3.3-packets-kept.toml`."""

from hopwright.research.papers.events import FLOW, Event
from hopwright.research.papers.functions.series import silence_to_s
from hopwright.research.papers.run import Run

SOURCE = 0


def under_way(run: Run, broken_s: float, at_s: float) -> float:
    """How many packets with data relays had in the silence that contains `at_s`.

    A relay has a packet from the source's successful try on. A packet that had ended when the
    link broke, at `broken_s`, or that left the source after the silence, is left out.
    """
    return float(len(_under_way(run, broken_s, at_s)))


def sent_on(run: Run, broken_s: float, at_s: float) -> float:
    """How many of these packets arrived; a segment that was sent again is another packet."""
    return float(sum(map(_arrives, _under_way(run, broken_s, at_s))))


def dropped(run: Run, broken_s: float, at_s: float) -> float:
    """How many of these packets never arrived."""
    return float(sum(not _arrives(each) for each in _under_way(run, broken_s, at_s)))


def _under_way(run: Run, broken_s: float, at_s: float) -> list[list[Event]]:
    end_s = silence_to_s(run, at_s)
    return [
        events
        for events in _of_packets_with_data(run)
        if _leaves_source(events, end_s)
        and not _arrives(events, broken_s)
        and events[-1].time_s > broken_s
    ]


def _of_packets_with_data(run: Run) -> list[list[Event]]:
    packets: dict[int, list[Event]] = {}
    for each in run.lineage():
        if each.flow == FLOW and each.packet is not None:
            packets.setdefault(each.packet, []).append(each)
    return [events for events in packets.values() if any(e.carries == "segment" for e in events)]


def _leaves_source(events: list[Event], end_s: float) -> bool:
    return any(
        e.kind == "try" and e.node == SOURCE and e.cause is None and e.time_s <= end_s
        for e in events
    )


def _arrives(events: list[Event], end_s: float = float("inf")) -> bool:
    return any(e.kind == "delivered" and e.time_s <= end_s for e in events)
