"""The way of one bundle: from owner to owner, copy by copy, until its source knows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hopwright._io import markup
from hopwright._io.data import Json
from hopwright._io.plural import many
from hopwright.explain import words
from hopwright.explain.bundle_words import name
from hopwright.explain.events import Event, Lineage

REPEATED = ("bundle_link_failed", "bundle_refused", "bundle_no_room")
"""What happens many times in a row: one line says so."""
PART_OF_HOPS = ("bundle_begun", "bundle_handed_over")
"""What lines about hops say already."""


@dataclass(frozen=True)
class Hop:
    """From one owner to the next."""

    copy: int
    """Which of the source's: 1 for the first."""
    hop: int
    """Which of the copy's: 1 from the source."""
    node: int
    peer: int
    start_s: float
    """Since when `node` had it, or began again."""
    end_s: float
    """When `peer` had all of it."""
    failures: int
    """How often `node` found its next owner out of reach meanwhile, whichever that was."""
    refusals: int

    @property
    def says(self) -> str:
        """As text, without times."""
        took = f"node {self.node} to node {self.peer} in {self.end_s - self.start_s:.3f} s"
        counts = ((self.failures, "link failure"), (self.refusals, "refusal"))
        extra = [many(count, what) for count, what in counts if count]
        return f"hop {self.hop}: {took}" + (f", after {' and '.join(extra)}" if extra else "")

    def to_json(self) -> dict[str, Json]:
        """Its fields."""
        return dict(self.__dict__)


@dataclass(frozen=True, repr=False)
class Way:
    """What happened to a bundle."""

    lineage: Lineage
    flow: int
    bundle: int
    events: Sequence[Event]
    """In the order of time."""
    hops: Sequence[Hop]
    """By the time of their end."""
    needless: Mapping[int, bool]
    """Of each time that a bundle was handed over and nobody owned it for that, by the number of the
    event: whether the next owner had it already, or had not got all of it."""

    @classmethod
    def of(cls, lineage: Lineage, flow: int, bundle: int) -> "Way":
        """Follows a bundle that is told of."""
        events = lineage.of_bundle(flow, bundle)
        hops = []
        since: dict[int, float] = {}
        troubles: Counter[tuple[str, int]] = Counter()
        needless: dict[int, bool] = {}
        owners: set[int | None] = set()
        for event in events:
            if event.kind in ("bundle_cut", "bundle_owned", "bundle_resent"):
                since[event.node] = event.time_s
                owners.add(event.node)
            if event.kind in ("bundle_link_failed", "bundle_refused"):
                troubles[event.kind, event.node] += 1
            elif event.kind == "bundle_owned" and event.peer is not None:
                copy, hop = _place(lineage, event)
                start_s = since.get(event.peer, event.time_s)
                had = [troubles[kind, event.peer] for kind in REPEATED[:2]]
                hops.append(Hop(copy, hop, event.peer, event.node, start_s, event.time_s, *had))
            elif event.kind == "bundle_lost":
                owners.discard(event.node)
            elif event.kind == "bundle_handed_over":
                began_s = since.get(event.node, event.time_s)
                ends = (event.node, event.peer)
                if not any((h.node, h.peer) == ends and h.end_s >= began_s for h in hops):
                    needless[event.id] = event.peer in owners
                owners.discard(event.node)
                for kind in REPEATED[:2]:
                    troubles[kind, event.node] = 0
        return cls(lineage, flow, bundle, events, hops, needless)

    @property
    def copies(self) -> int:
        """How often the source sent it."""
        return 1 + sum(event.kind == "bundle_resent" for event in self.events)

    def time_s(self, kind: str) -> float | None:
        """When something of a kind first happened to it."""
        return next((event.time_s for event in self.events if event.kind == kind), None)

    def lines(self) -> list[str]:
        """As text: a line for each hop and for whatever else happened, then how it ended."""
        told = [f"t={time_s:.6f} s  {said}" for time_s, said in self._said()]
        return [f"history of {name(self.events[0])}", *told, *self._end()]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Way of bundle {self.bundle} of flow {self.flow}: {many(len(self.hops), 'hop')}>"

    def _repr_html_(self) -> str:
        rows = [(f"{time_s:.6f}", said) for time_s, said in self._said()]
        title = f"history of {name(self.events[0])}"
        return markup.table(["t, s", "what happened"], rows, title) + markup.bullets(self._end())

    def to_json(self) -> dict[str, Json]:
        """Its hops, why it was sent again, and all that happened to it."""
        cut = self.lineage.cut(self.flow, self.bundle)
        again: list[Json] = [
            {
                "event": event.id,
                "time_s": event.time_s,
                "copy": event.tries,
                "cause": event.cause,
                "loss": self.lineage.root(event),
                "says": words.what(self.lineage, event),
            }
            for event in self.events
            if event.kind == "bundle_resent"
        ]
        hops: list[Json] = [hop.to_json() for hop in self.hops]
        happened: list[Json] = [
            {"event": e.id, "time_s": e.time_s, "kind": e.kind, "node": e.node, "peer": e.peer}
            for e in self.events
        ]
        return {
            "flow": self.flow,
            "bundle": self.bundle,
            "bytes": None if cut is None else cut.bytes,
            "cut_s": self.time_s("bundle_cut"),
            "delivered_s": self.time_s("bundle_delivered"),
            "acknowledged_s": self.time_s("bundle_acknowledged"),
            "copies": self.copies,
            "hops": hops,
            "resent": again,
            "events": happened,
        }

    def _said(self) -> Iterator[tuple[float, str]]:
        """Times, and what happened then."""
        hops = {(hop.node, hop.peer, hop.end_s): hop for hop in self.hops}
        place = 0
        while place < len(self.events):
            event = self.events[place]
            place += 1
            if event.kind == "bundle_owned":
                hop = hops.get((event.peer or 0, event.node, event.time_s))
                if hop is not None:
                    of = f"copy {hop.copy}, " if self.copies > 1 else ""
                    yield event.time_s, of + self.lineage.told(hop.says)
                continue
            if event.id in self.needless:
                had = "already had it" if self.needless[event.id] else "had not received all of it"
                said = words.what(self.lineage, event)
                yield event.time_s, f"{said}, but node {event.peer} {had}"
            if event.kind in PART_OF_HOPS:
                continue
            first, count = place, 1
            while event.kind in REPEATED and place < len(self.events):
                other = self.events[place]
                if (other.kind, other.node, other.peer) != (event.kind, event.node, event.peer):
                    break
                place, count = place + 1, count + 1
            said = words.what(self.lineage, event)
            if count > 1:
                last_s = self.events[first + count - 2].time_s
                said += f", {count} times until t={last_s:.6f} s"
            yield event.time_s, said

    def _end(self) -> list[str]:
        """How it ended."""
        cut_s = self.time_s("bundle_cut")
        ends = []
        for kind, what in (
            ("bundle_delivered", "delivered"),
            ("bundle_acknowledged", "acknowledged"),
        ):
            time_s = self.time_s(kind)
            if time_s is None:
                ends.append(f"not {what} before the run ended")
            elif cut_s is not None:
                ends.append(f"{what} {time_s - cut_s:.3f} s after it was cut")
        ends.append("sent once" if self.copies == 1 else f"sent {self.copies} times")
        return ["; ".join(ends)]


def _place(lineage: Lineage, owned: Event) -> tuple[int, int]:
    """Of which copy it is, and after how many hops."""
    hop = 0
    for event in lineage.chain(owned):
        if event.kind == "bundle_resent":
            return event.tries or 1, hop
        hop += event.kind == "bundle_owned"
    return 1, hop
