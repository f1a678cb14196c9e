"""Of the first flow, from its lineage (docs/lineage.md): what became of it, and when."""

import math
from collections.abc import Sequence
from typing import Literal

from hopwright._io.errors import InputError
from hopwright.research.papers import events, reactions
from hopwright.research.papers.run import Run

Loss = Literal["queue", "contention", "link_failure", "no_route", "channel", "node_down", "other"]
"""What a segment was lost to."""


def _of_first(run: Run) -> events.Lineage:
    whole = run.lineage()
    return run.kept(
        "lineage of the first", lambda: [e for e in whole if e.flow in (None, events.FLOW)]
    )


def seconds_until(
    run: Run, kind: str, from_s: float, to_s: float = math.inf, node: int | None = None
) -> float:
    """Seconds from a moment to the next event of a kind, maybe at one node.

    Up to another moment, or the run's end, if none comes before. The kind is one of the lineage, as
    `freeze`, or what a packet carries that is sent, as `rrep`.
    """
    if not 0 <= from_s < to_s:
        raise InputError(f"from_s = {from_s:g}, to_s = {to_s:g}: a part of the run, in seconds")
    return events.until(_of_first(run), kind, node, from_s, min(to_s, run.duration_s))


def resumed_beyond_segments(run: Run, after_s: float) -> float:
    """By how many segments the sender, when it goes on after a freeze, begins too late.

    Beyond the byte that the receiver asked for last; of the first freeze that ends after a moment.
    """
    return events.resumed_beyond(_of_first(run), after_s)


def arrivals(run: Run) -> float:
    """Segments with new data that arrived."""
    return float(len(events.arrivals(_of_first(run))))


def path_failures(run: Run) -> float:
    """How often a node took a route out of use because it gave up a packet of the flow.

    What fails before new data arrives again is the same failure.
    """
    return float(len(events.stalls(_of_first(run), run.duration_s)))


def path_failures_out_of_range(run: Run) -> float:
    """Such with a node that had left another's reach."""
    return float(len(events.stalls(_of_first(run), run.duration_s, "out_of_range")))


def stalled_s(run: Run) -> float:
    """The time from path failures to the next new data, or the run's end, added up."""
    found = events.stalls(_of_first(run), run.duration_s)
    return math.fsum(each.to_s - each.from_s for each in found)


def path_failures_of_links(run: Run, at_least: int) -> float:
    """Failures of the path in which so many of its links or more are out of reach.

    The path is that of the last new data; a link is out of reach if its nodes are when the router
    takes the route out of use.
    """
    if at_least < 1:
        raise InputError(f"at_least = {at_least}: a number of links, 1 or more")
    lineage, end_s = _of_first(run), run.duration_s
    failures = events.stalls(lineage, end_s, "out_of_range")
    times = sorted({each.from_s for each in failures})
    tables = dict(zip(times, run.scenario.hops(times, seed=run.seed), strict=True))

    def joined(at_s: float, one: int, other: int) -> bool:
        return tables[at_s][one * run.nodes + other] == 1

    gone = events.links_gone(lineage, end_s, joined)
    return float(sum(each >= at_least for each in gone))


def reactions_to(run: Run, losses: Sequence[Loss]) -> float:
    """How often senders reacted to segments that were lost to these causes, of all flows.

    Reactions are time-outs and fast retransmits, of a segment only the first.
    """
    return float(len(_reactions(run, losses)))


def noticed_after_s(run: Run, losses: Sequence[Loss]) -> float:
    """The times from the loss of a segment to such a reaction, added up."""
    return math.fsum(each.after_s for each in _reactions(run, losses))


def window_kept(run: Run, losses: Sequence[Loss]) -> float:
    """The windows after such reactions over those before, added up; 1 where one was not cut."""
    return math.fsum(each.kept for each in _reactions(run, losses))


def _reactions(run: Run, losses: Sequence[Loss]) -> list[reactions.Reaction]:
    return reactions.of_flows(run.lineage(), run.flows, losses)


def remaining_rises(run: Run, size_bytes: float) -> float:
    """How often what is left of a transfer grows, from one arrival to the next.

    That is the bytes that have not arrived, times the hops of the packet that has just arrived.
    """
    if size_bytes <= 0:
        raise InputError(f"size_bytes = {size_bytes:g}: what is transferred, above 0")
    return float(events.progress_rises(_of_first(run), size_bytes))


def contending(run: Run, from_s: float, to_s: float) -> float:
    """How many one-hop flows contend, of all flows of the run, averaged over a part of it.

    At so many pairs of a node and a neighbour the node has a packet of a transport for the other.
    """
    if not 0 <= from_s < to_s:
        raise InputError(f"from_s = {from_s:g}, to_s = {to_s:g}: a part of the run, in seconds")
    return events.contending(run.lineage(), from_s, to_s)
