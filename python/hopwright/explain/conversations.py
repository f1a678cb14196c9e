"""What programs said to each other: conversations, and what became of each packet."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hopwright._io.data import Json
from hopwright.explain import words
from hopwright.explain.events import Event, Lineage

HALF = 1 << 31
"""Of two numbers of a TCP stream, the later one is less than this ahead."""


class End(NamedTuple):
    """Where a program is."""

    node: int
    port: int | None

    def __str__(self) -> str:
        return f"node {self.node}" if self.port is None else f"node {self.node} port {self.port}"


@dataclass(frozen=True)
class Sent:
    """A packet of a program, and what became of it."""

    event: Event
    """How it was sent."""
    came: Event | None
    """Its arrival: of several copies, of the first."""
    lost: Event | None
    """With what it was lost, if it did not come."""
    is_again: bool = False
    """Whether all that this TCP segment carries had been sent before."""

    @property
    def delay_s(self) -> float:
        """How long it took; of one that did not come, no number."""
        return float("nan") if self.came is None else self.came.time_s - self.event.time_s


@dataclass(frozen=True)
class Direction:
    """What one end of a conversation sent to the other, in the order of sending."""

    lineage: Lineage
    source: End
    destination: End
    packets: Sequence[Sent]

    @cached_property
    def lost(self) -> Sequence[Sent]:
        """Those that were lost."""
        return [each for each in self.packets if each.lost is not None]

    @cached_property
    def causes(self) -> Counter[str]:
        """Of the lost ones, what is to blame."""
        roots = (self.lineage.root(each.lost) for each in self.lost if each.lost is not None)
        return Counter(root or "other" for root in roots)

    @property
    def arrived(self) -> int:
        """How many came."""
        return sum(each.came is not None for each in self.packets)

    @property
    def bytes(self) -> int:
        """Of data: without headers of IP, TCP and UDP."""
        return sum(each.event.bytes or 0 for each in self.packets)

    @property
    def again(self) -> int:
        """TCP segments whose data had been sent before."""
        return sum(each.is_again for each in self.packets)


@dataclass(frozen=True)
class Conversation:
    """Packets between two ends, both ways."""

    number: int
    protocol: str
    icmp_id: int | None
    directions: Sequence[Direction]
    """First that of the end that began."""

    @property
    def title(self) -> str:
        """`conversation 0: UDP, node 0 port 5004 and node 4 port 5004`."""
        first = self.directions[0]
        said = (
            f"conversation {self.number}: {self.protocol}, {first.source} and {first.destination}"
        )
        said = first.lineage.told(said)
        return said if self.icmp_id is None else f"{said}, identifier {self.icmp_id}"


def conversations(lineage: Lineage) -> list[Conversation]:
    """All of a run, in the order in which they began; none where no program was attached."""
    came: dict[int | None, Event] = {}
    for event in lineage.of_programs(("delivered",)):
        came.setdefault(event.packet, event)
    dropped = lineage.of_programs(("dropped",))
    lost = {event.packet: event for event in dropped if event.loss is not None}
    talks: dict[tuple[object, ...], dict[tuple[End, End], list[Event]]] = {}
    for event in lineage.of_programs(("sent",)):
        if event.source is None or event.destination is None:
            continue
        ends = End(event.source, event.source_port), End(event.destination, event.destination_port)
        ways = talks.setdefault((event.protocol, event.icmp_id, frozenset(ends)), {})
        ways.setdefault(ends, []).append(event)
    return [
        _conversation(lineage, number, ways, came, lost)
        for number, ways in enumerate(talks.values())
    ]


def _conversation(
    lineage: Lineage,
    number: int,
    ways: Mapping[tuple[End, End], Sequence[Event]],
    came: Mapping[int | None, Event],
    lost: Mapping[int | None, Event],
) -> Conversation:
    directions = []
    for (source, destination), events in ways.items():
        repeated = _again(events)
        packets = [
            # What was taken for lost may have come after all, as a copy.
            Sent(
                event,
                came.get(event.packet),
                None if event.packet in came else lost.get(event.packet),
                again,
            )
            for event, again in zip(events, repeated, strict=True)
        ]
        directions.append(Direction(lineage, source, destination, packets))
    first = directions[0].packets[0].event
    return Conversation(number, words.protocol_of(first), first.icmp_id, directions)


def _again(events: Sequence[Event]) -> list[bool]:
    """Of each packet whether it is a TCP segment with data that had all been sent before."""
    told: list[bool] = []
    high: int | None = None
    for event in events:
        if event.tcp_seq is None or not event.bytes:
            told.append(False)
            continue
        end = event.tcp_seq + event.bytes
        ahead = None if high is None else (end - high) % (2 * HALF)
        told.append(ahead is not None and (ahead == 0 or ahead >= HALF))
        if not told[-1]:
            high = end % (2 * HALF)
    return told


def direction_json(direction: Direction) -> dict[str, Json]:
    """Counts."""
    causes: dict[str, Json] = dict(direction.causes)
    return {
        "from": _end_json(direction.source),
        "to": _end_json(direction.destination),
        "packets": len(direction.packets),
        "bytes": direction.bytes,
        "arrived": direction.arrived,
        "lost": len(direction.lost),
        "losses": causes,
        "sent_again": direction.again,
    }


def _end_json(end: End) -> Json:
    return {"node": end.node, "port": end.port}
