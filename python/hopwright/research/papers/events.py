"""What became of a run's first flow, and when: from its lineage (docs/lineage.md).

How many one-hop flows contend is of all flows.
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hopwright._io.parquet import read_columns
from hopwright.research.papers.fields import Value

if TYPE_CHECKING:
    from hopwright.research.papers.run import Run

EVENTS = "events.parquet"
FLOW = 0


class Event(NamedTuple):
    """A row of the lineage."""

    id: int
    time_s: float
    kind: str
    node: int
    flow: int | None = None
    packet: int | None = None
    first_byte: int | None = None
    bytes: int | None = None
    carries: str | None = None
    cause: str | None = None
    because: int | None = None
    peer: int | None = None
    loss: str | None = None
    window_before_segments: float | None = None
    window_after_segments: float | None = None


Lineage: TypeAlias = Sequence[Event]
"""In the order of time. Of the first flow and of none, where not all flows are asked for."""


def until(events: Lineage, what: str, node: int | None, from_s: float, to_s: float) -> float:
    """Seconds from a moment to the next event of a kind; to another moment if none comes before.

    `what`: a kind of event, or what a packet carries that is sent, as `rrep`.
    """
    for each in events:
        is_it = what in (each.kind, each.carries if each.kind == "sent" else None)
        if is_it and from_s <= each.time_s <= to_s and node in (None, each.node):
            return each.time_s - from_s
    return to_s - from_s


def resumed_beyond(events: Lineage, from_s: float) -> float:
    """How many segments the sender, once it goes on after a freeze, begins beyond what it has to.

    That is the first byte that the receiver asked for last. 0 if the sender never goes on.
    """
    asked, is_on = 1, False
    for each in events:
        if each.kind == "sent" and each.carries == "ack" and not is_on:
            asked = max(asked, each.first_byte or 0)
        elif each.kind == "thaw" and each.time_s >= from_s:
            is_on = True
        elif is_on and each.kind in ("sent", "resent") and each.carries == "segment":
            return ((each.first_byte or 0) - asked) / (each.bytes or 1)
    return 0.0


Link: TypeAlias = tuple[int, int]
"""A node and the neighbour that it sends to."""
Span: TypeAlias = tuple[float, float]
Joined: TypeAlias = Callable[[float, int, int], bool]
"""Whether at a time (s) a node reaches another."""


class Arrival(NamedTuple):
    """New data that reached its receiver."""

    time_s: float
    bytes: int
    """Of different data so far, with this."""
    hops: int
    """Stations that passed on the packet, the sender among them."""


def arrivals(events: Lineage) -> list[Arrival]:
    """All of the flow."""
    stations: dict[int, set[int]] = {}
    had: set[int | None] = set()
    total = 0
    found: list[Arrival] = []
    for each in events:
        if each.flow != FLOW or each.packet is None:
            continue
        if each.kind == "try" and each.cause is None:
            stations.setdefault(each.packet, set()).add(each.node)
        elif _is_data(each) and each.first_byte not in had:
            had.add(each.first_byte)
            total += each.bytes or 0
            found.append(Arrival(each.time_s, total, len(stations.get(each.packet, ()))))
    return found


def _is_data(each: Event) -> bool:
    return each.kind == "delivered" and each.carries == "segment"


class Stall(NamedTuple):
    """A path failure, until new data reaches the receiver again."""

    from_s: float
    to_s: float


def breaks_of(events: Lineage) -> list[Event]:
    """Where a router takes a route out of use because a packet of the flow was given up.

    Data or acknowledgement.
    """
    given_up = {each.id for each in events if each.kind == "gave_up" and each.flow == FLOW}
    return [each for each in events if each.kind == "route_broke" and each.because in given_up]


def stalls(
    breaks: Sequence[Event], known: Sequence[Arrival], end_s: float, cause: str | None = None
) -> list[Stall]:
    """The flow's path failures; what fails before new data arrives again is the same failure.

    `breaks`, `known`: those of `breaks_of` and `arrivals`. `cause`: only failures with such a break
    among them, `out_of_range` or `in_range`.
    """
    found: list[Stall] = []
    since = -math.inf
    for until_s in [*(each.time_s for each in known), end_s]:
        here = breaks[
            bisect_left(breaks, since, key=_time) : bisect_left(breaks, until_s, key=_time)
        ]
        if here and (cause is None or cause in [each.cause for each in here]):
            found.append(Stall(here[0].time_s, until_s))
        since = until_s
    return found


def _time(each: Event) -> float:
    return each.time_s


def links_gone(
    events: Lineage, known: Sequence[Arrival], failures: Sequence[Stall], joined: Joined
) -> list[int]:
    """How many links of its path are out of reach at each of these failures of the flow.

    The path is that of the last new data before the failure. `known`: those of `arrivals`.
    `joined`: whether two nodes reach each other at a time.
    """
    paths: list[tuple[float, set[Link]]] = []
    links: dict[int, set[Link]] = {}
    times = {each.time_s for each in known}
    for each in events:
        if each.flow != FLOW or each.packet is None:
            continue
        if each.kind == "try" and each.cause is None and each.peer is not None:
            links.setdefault(each.packet, set()).add((each.node, each.peer))
        elif _is_data(each) and each.time_s in times:
            paths.append((each.time_s, links.get(each.packet, set())))
    found: list[int] = []
    for stall in failures:
        last = bisect_right(paths, stall.from_s, key=lambda path: path[0]) - 1
        path = paths[last][1] if last >= 0 else set()
        found.append(sum(not joined(stall.from_s, one, other) for one, other in path))
    return found


def progress_rises(known: Sequence[Arrival], size: float) -> int:
    """How often the connection progress metric rises from one arrival to the next.

    It is the bytes that a transfer of `size` bytes has not delivered yet, times the hops of the
    path (Velayutham 2005, section 5.3), here that of the packet that has just arrived.
    """
    metric = [(size - each.bytes) * each.hops for each in known if each.bytes < size]
    return sum(after > before for before, after in itertools.pairwise(metric))


@dataclass
class _Held:
    """A packet at a node."""

    node: int
    since_s: float
    peer: int | None = None
    """Whom it is for; None before the first try."""
    last_s: float = 0.0
    """When the last try began, or what came of it."""


class _Holders:
    """Who holds which packet of a transport, and for whom, while events go on."""

    def __init__(self) -> None:
        self.spans: dict[Link, list[Span]] = {}
        self._held: dict[int, _Held] = {}
        self._searches: dict[int, float] = {}

    def take(self, each: Event) -> None:
        """The next event."""
        if each.kind == "sent" and each.carries == "rreq":
            self._searches[each.node] = each.time_s
        if each.flow is None or each.packet is None:
            return
        now = self._held.get(each.packet)
        if each.kind in ("sent", "resent"):
            self._held[each.packet] = _Held(each.node, each.time_s)
        elif each.kind == "try" and each.peer is not None:
            self._try(each, each.packet, each.peer)
        elif each.kind in ("delivered", "gave_up", "dropped") and now is not None:
            now.last_s = each.time_s
            self._close(now)
            self._held[each.packet] = _Held(each.node, each.time_s)

    def _try(self, each: Event, packet: int, peer: int) -> None:
        now = self._held.get(packet)
        if now is None or now.node != each.node or now.peer not in (None, peer):
            if now is not None:
                self._close(now)
            since_s = now.last_s if now is not None and now.peer is not None else each.time_s
            now = self._held[packet] = _Held(each.node, since_s)
        if now.peer is None and self._searches.get(each.node, -math.inf) >= now.since_s:
            now.since_s = each.time_s
        now.peer, now.last_s = peer, each.time_s

    def _close(self, now: _Held) -> None:
        if now.peer is not None:
            self.spans.setdefault((now.node, now.peer), []).append((now.since_s, now.last_s))


def holdings(events: Lineage) -> dict[Link, list[Span]]:
    """When nodes had packets of transports for a neighbour: a span a packet, by both nodes.

    From the packet's coming to the node, or its making there, to its leaving; where the node has
    searched for a route in between, from the first try. A packet that goes on has left when the
    last try began, and is at the next node from then on.
    """
    holders = _Holders()
    for each in events:
        holders.take(each)
    return holders.spans


def contending(events: Lineage, from_s: float, to_s: float) -> float:
    """How many one-hop flows have a packet, averaged over a part of the run."""
    total = 0.0
    for spans in holdings(events).values():
        done_s = from_s
        for since_s, until_s in sorted(spans):
            total += max(min(until_s, to_s) - max(since_s, done_s), 0.0)
            done_s = max(done_s, until_s)
    return total / (to_s - from_s)


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: the whole lineage, and nothing else."""
    return {"output.lineage": "all", "output.series": [], "output.figures": []}


def lineage_of(run: "Run") -> list[Event]:
    """That of a run."""
    return lineage_in(run.files(recorded_keys()) / EVENTS)


def lineage_in(path: Path) -> list[Event]:
    """The rows but those of missed frames, in the order of time."""
    columns = read_columns(path)
    rows = map(Event._make, zip(*(columns[name] for name in Event._fields), strict=True))
    kept = [each for each in rows if each.kind != "missed"]
    return sorted(kept, key=lambda each: (each.time_s, each.id))
