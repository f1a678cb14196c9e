"""What a sender does about lost data: how soon, and what it leaves of its window.

From the lineage (docs/lineage.md), which knows which loss led to which reaction.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from hopwright.research.papers.events import Event, Lineage


class Reaction(NamedTuple):
    """A sender's first time-out or fast retransmit because of a segment that was lost."""

    loss: str
    """What the segment was lost to, as in `losses`."""
    after_s: float
    """The time from the loss to the reaction."""
    kept: float
    """The window after it over the window before; 1 where it was not cut."""


def reactions(events: Lineage, flow: int) -> Iterator[Reaction]:
    """Those of a flow's sender, in the order of time.

    Time-outs that follow one for the same segment are no reactions of their own: they would find
    a window that was cut before.
    """
    by_id = {each.id: each for each in events}
    cuts = {each.because: each for each in events if each.kind == "cut"}
    last_byte: int | None = None
    for each in events:
        if each.flow != flow or each.kind not in ("rto", "fast_retransmit"):
            continue
        lost = by_id.get(each.because) if each.because is not None else None
        is_first = each.first_byte != last_byte
        last_byte = each.first_byte
        if each.cause == "data_lost" and is_first and lost is not None and lost.loss is not None:
            yield Reaction(lost.loss, each.time_s - lost.time_s, _kept(cuts.get(each.id)))


def _kept(cut: Event | None) -> float:
    if cut is None or not cut.window_before_segments or cut.window_after_segments is None:
        return 1.0
    return cut.window_after_segments / cut.window_before_segments


def of_flows(events: Lineage, flows: int, losses: Collection[str]) -> list[Reaction]:
    """Reactions of all flows' senders to losses of some causes."""
    return [
        each for flow in range(flows) for each in reactions(events, flow) if each.loss in losses
    ]
