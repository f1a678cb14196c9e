"""Silences: times in which nothing came though something had been sent, and what filled them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopwright.explain.conversations import Direction, Sent
from hopwright.explain.events import Event, Lineage


@dataclass(frozen=True)
class Silence:
    """From an arrival, or the sending of what was due next if that is later, to the next arrival.

    So the time in which a program sent nothing, and all it had sent was there, is none.
    """

    direction: Direction
    begin_s: float
    end_s: float
    missed: Sequence[Sent]
    """What had been sent after what came before, up to what came next, and came later or never."""
    after: Sent | None
    """The packet that ended it; None if nothing came any more."""

    @property
    def length_s(self) -> float:
        """How long it was."""
        return self.end_s - self.begin_s

    @property
    def lost(self) -> Sequence[Sent]:
        """The packets that were to come in it, and were lost."""
        return [each for each in self.missed if each.lost is not None]

    def apart_s(self, at_s: float) -> float:
        """How far it is from a time; 0 if that is in it."""
        return max(self.begin_s - at_s, at_s - self.end_s, 0.0)


def silences(direction: Direction) -> Iterator[Silence]:
    """All of one direction, in the order of time."""
    packets = direction.packets
    order = sorted(
        ((each.came.time_s, place) for place, each in enumerate(packets) if each.came is not None)
    )
    high, before_s = -1, packets[0].event.time_s
    for came_s, place in order:
        # The first that was due: what was sent after the last of those that had come.
        due = min(place, high + 1)
        missed = packets[high + 1 : place]
        begin_s = max(before_s, packets[due].event.time_s)
        yield Silence(direction, begin_s, max(came_s, begin_s), missed, packets[place])
        high, before_s = max(high, place), came_s
    rest = packets[high + 1 :]
    if rest:
        begin_s = max(before_s, rest[0].event.time_s)
        ends = [each.event.time_s if each.lost is None else each.lost.time_s for each in rest]
        yield Silence(direction, begin_s, max(begin_s, *ends), rest, None)


def longest(direction: Direction) -> Silence:
    """The longest of one direction."""
    return max(silences(direction), key=lambda silence: silence.length_s)


def around(direction: Direction, at_s: float, *, within_s: float) -> Silence:
    """The longest silence that is no further than that from a time; without one, the nearest."""
    told = list(silences(direction))
    near = [silence for silence in told if silence.apart_s(at_s) <= within_s]
    if near:
        return max(near, key=lambda silence: silence.length_s)
    return min(told, key=lambda silence: silence.apart_s(at_s))


@dataclass(frozen=True)
class Wait:
    """Where a packet was for how long, and for what."""

    what: str
    """`route`, `queue`, `tries` or `link`."""
    node: int
    peer: int | None
    length_s: float


WAITS = {
    ("sent", "queued"): "route",
    ("came", "queued"): "route",
    ("gave_up", "queued"): "route",
    ("queued", "try"): "queue",
    ("try", "try"): "tries",
    ("try", "came"): "tries",
    ("try", "delivered"): "tries",
    ("try", "gave_up"): "tries",
    ("sent", "came"): "link",
    ("came", "came"): "link",
    ("sent", "delivered"): "link",
    ("came", "delivered"): "link",
}


def waits(lineage: Lineage, sent: Sent) -> list[Wait]:
    """What the delay of a packet that came is made of, the longest first."""
    if sent.came is None:
        return []
    spent: dict[tuple[str, int, int | None], float] = {}
    chain = lineage.chain(sent.came)[::-1]
    for earlier, later in pairwise(chain):
        what = WAITS.get((earlier.kind, later.kind), "link")
        where = (what, earlier.node, _towards(earlier, later))
        spent[where] = spent.get(where, 0.0) + later.time_s - earlier.time_s
    told = [Wait(*where, length_s) for where, length_s in spent.items()]
    return sorted(told, key=lambda wait: -wait.length_s)


def _towards(earlier: Event, later: Event) -> int | None:
    """The neighbour that something was done for, if it was for one."""
    if earlier.kind in ("queued", "try"):
        return earlier.peer
    return later.node if later.kind in ("came", "delivered") else None


def last_tries(lineage: Lineage, lost: Event) -> list[Event]:
    """The tries of the station that lost a packet, with that packet, the last first."""
    tries = []
    (event,) = lineage.before([lost])
    while event is not None and (event.packet, event.node) == (lost.packet, lost.node):
        if event.kind == "try":
            tries.append(event)
        elif event.kind != "gave_up":
            break
        (event,) = lineage.before([event])
    return tries
