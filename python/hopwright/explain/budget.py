"""The loss budget of a flow: what each cause is to blame for."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopwright._io.data import Json
from hopwright.explain import bundle_words
from hopwright.explain.events import Event, Lineage
from hopwright.results.said import SAID

Names = Mapping[str, str]
"""Of what is counted, by measure."""
SPURIOUS = "nothing was lost"
MEASURES = {
    "segments": "segments\nlost",
    "acknowledgements": "ACKs\nlost",
    "rto": "time-\nouts",
    "fast_retransmit": "fast re-\ntransmits",
    "resent": "segments\nresent",
    "cut": "window\ncuts",
}
"""What is counted for each cause, and the title of its column."""
MEASURES_OF_BUNDLES = MEASURES | {
    "segments": "packets\nlost",
    "acknowledgements": "messages\nlost",
    "resent": "bundles\nresent",
}
"""The same for a flow that bundles carry."""
MEASURES_OF_ASKED = MEASURES | {
    "acknowledgements": "requests\nlost",
    "resent": "requests\nresent",
}
"""The same for a flow whose receiver asks: it acknowledges with what it asks for."""
COUNTED = ("dropped", "rto", "fast_retransmit", "resent", "cut", "bundle_resent")
"""The events that are counted."""


@dataclass(frozen=True)
class Carried:
    """What became of a flow's bundles."""

    cut: int
    delivered: int
    acknowledged: int
    again: Counter[str]
    """How often one was sent again, by cause: see docs/lineage.md."""

    def __str__(self) -> str:
        said = f"bundles  {self.cut} cut, {self.delivered} delivered, "
        said += f"{self.acknowledged} acknowledged, {self.again.total() or 'none'} sent again"
        causes = [
            f"{SAID['resent_shortly'].get(cause, cause)} {count}"
            for cause, count in self.again.most_common()
        ]
        return said + (f": {', '.join(causes)}" if causes else "")

    def to_json(self) -> dict[str, Json]:
        """Counts."""
        again: dict[str, Json] = dict(self.again)
        counts = {"cut": self.cut, "delivered": self.delivered, "acknowledged": self.acknowledged}
        return {**counts, "resent": again}


@dataclass(frozen=True)
class Budget:
    """Of one flow, how often each cause is to blame for what."""

    flow: int
    counts: Mapping[str, Counter[str]]
    """By measure, see `MEASURES`: by cause. Reactions to nothing lost are `SPURIOUS`."""
    own_cuts: Counter[str]
    """Windows that were cut for no loss: by what the end says whose window it is."""
    where: Counter[tuple[int, int | None]]
    """Losses by the link, or the node, that lost them: node and next hop."""
    carried: Carried | None = None
    """Of a flow that bundles carry."""
    asks: bool = False
    """Whether the receiver asks for its data, and so it is its window that is cut."""
    names: Sequence[str] = ()
    """Of all nodes, if they have any."""
    warm_up_s: float = 0.0
    """How long results counted nothing: the budget is that of the whole run."""

    def choose(self, usual: Names, of_bundles: Names, of_asked: Names) -> Names:
        """Names of what is counted: of usual flows, or of such as this one."""
        if self.carried is not None:
            return of_bundles
        return of_asked if self.asks else usual

    @property
    def causes(self) -> list[str]:
        """The causes that are to blame for anything, the worst first."""
        total: Counter[str] = Counter()
        for counts in self.counts.values():
            total.update(counts)
        return sorted(total, key=lambda cause: (cause == SPURIOUS, -total[cause], cause))

    def __str__(self) -> str:
        """What `hopwright explain` prints of it."""
        from hopwright.explain.report import text

        return text(self)

    def _repr_html_(self) -> str:
        from hopwright.explain.report import html

        return html(self)

    def to_json(self) -> dict[str, Json]:
        """Counts by cause, cuts of its own, losses by link."""
        measures: dict[str, Json] = {name: dict(counts) for name, counts in self.counts.items()}
        links: list[Json] = [
            {"node": node, "next_hop": peer, "losses": count}
            for (node, peer), count in self.where.most_common()
        ]
        own: dict[str, Json] = dict(self.own_cuts)
        told: dict[str, Json] = {"flow": self.flow, **measures, "own_cuts": own, "links": links}
        return told if self.carried is None else {**told, "bundles": self.carried.to_json()}


def budget(lineage: Lineage, flow: int) -> Budget:
    """Counts what happened to a flow."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in MEASURES}
    own_cuts: Counter[str] = Counter()
    where: Counter[tuple[int, int | None]] = Counter()
    events = lineage.those(COUNTED, flow)
    ended = Counter(event.packet for event in events if event.kind == "dropped")
    copied = Counter(event.packet for event in lineage.those(("copied",), flow))
    for event, before in zip(events, lineage.before(events), strict=True):
        if event.kind == "dropped" and event.loss is not None:
            # A copy may have been sent since: then it is lost if that was dropped, too.
            if ended[event.packet] <= copied[event.packet]:
                continue
            is_of_bundle = event.carries in bundle_words.PACKETS
            is_data = event.carries == "bundle" if is_of_bundle else lineage.is_onward(event)
            measure = "segments" if is_data else "acknowledgements"
            counts[measure][lineage.root(event) or event.loss] += 1
            where[_link(event, before)] += 1
        elif event.kind in ("rto", "fast_retransmit") or _is_segment_again(event):
            counts[event.kind][_cause(lineage, event)] += 1
        elif event.kind == "bundle_resent":
            counts["resent"][_cause_of_bundle(lineage, event)] += 1
        elif event.kind == "cut":
            if event.cause in ("rto", "fast_retransmit", "recovery"):
                counts["cut"][_cause(lineage, event)] += 1
            else:
                own_cuts[event.cause or "unknown"] += 1
    carried, asks = _carried(lineage, flow), lineage.asks(flow)
    return Budget(flow, counts, own_cuts, where, carried, asks, lineage.names, lineage.warm_up_s)


def _carried(lineage: Lineage, flow: int) -> Carried | None:
    """What became of a flow's bundles, if it has any."""
    if not lineage.bundles(flow):
        return None
    kinds = ("bundle_cut", "bundle_delivered", "bundle_acknowledged", "bundle_resent")
    events = lineage.those(kinds, flow)
    count = Counter(event.kind for event in events)
    again = Counter(event.cause or "unknown" for event in events if event.kind == kinds[3])
    return Carried(count[kinds[0]], count[kinds[1]], count[kinds[2]], again)


def _cause_of_bundle(lineage: Lineage, event: Event) -> str:
    """What a bundle is sent again for: a loss, or what its owners lacked."""
    if event.loss is not None:
        return lineage.root(event) or event.loss
    if event.cause in (None, "data_late", "ack_late", "not_acknowledged"):
        return SPURIOUS
    return event.cause


def _is_segment_again(event: Event) -> bool:
    """Whether data was sent again, or asked for again: SYN and FIN alone are none."""
    return event.kind == "resent" and event.carries in ("segment", "request")


def _cause(lineage: Lineage, event: Event) -> str:
    """What the loss behind a reaction is due to: its chain leads over the packet that was lost."""
    if event.loss is None:
        return SPURIOUS
    lost = lineage.nearest(event, "dropped") or event
    return lineage.root(lost) or event.loss


def _link(lost: Event, before: Event | None) -> tuple[int, int | None]:
    """Where a packet was lost: node and next hop, if it had one. `before`: what led to that."""
    if before and before.kind in ("gave_up", "try") and before.node == lost.node:
        return before.node, before.peer
    return lost.node, None
