"""Numbers of events, from the lineage (docs/lineage.md).

They are of the first flow, unless the text below says that they are of all flows.
"""

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
    """Seconds from `from_s` to the next event of a kind, at any node or at `node`.

    Seconds to `to_s`, or to the end of the run, if no such event comes before. The kind is a kind
    of the lineage, such as `freeze`, or the content of a packet that is sent, such as `rrep`.
    """
    if not 0 <= from_s < to_s:
        raise InputError(
            f"from_s = {from_s:g}, to_s = {to_s:g}: must be a part of the run, in seconds"
        )
    return events.until(_of_first(run), kind, node, from_s, min(to_s, run.duration_s))


def resumed_beyond_segments(run: Run, after_s: float) -> float:
    """How many segments the sender skips when it continues after a freeze.

    This is the distance from the byte that the receiver last asked for to the first byte that the
    sender then sends, in segments. The freeze is the first that ends after `after_s`.
    """
    return events.resumed_beyond(_of_first(run), after_s)


def arrivals(run: Run) -> float:
    """Segments with new data that arrived."""
    return float(len(events.arrivals(_of_first(run))))


def path_failures(run: Run) -> float:
    """Number of path failures: a node takes a route out of use after it gave up a packet.

    Further such events count as the same failure until new data arrives again.
    """
    return float(len(events.stalls(_of_first(run), run.duration_s)))


def path_failures_out_of_range(run: Run) -> float:
    """Number of path failures with at least one next hop that was out of range."""
    return float(len(events.stalls(_of_first(run), run.duration_s, "out_of_range")))


def stalled_s(run: Run) -> float:
    """Sum of the times from path failures to the next new data, or to the end of the run."""
    found = events.stalls(_of_first(run), run.duration_s)
    return math.fsum(each.to_s - each.from_s for each in found)


def path_failures_of_links(run: Run, at_least: int) -> float:
    """Number of path failures in which `at_least` links of the path, or more, are out of range.

    The path is that of the last new data. A link is out of range if its two nodes are out of range
    of each other when the router takes the route out of use.
    """
    if at_least < 1:
        raise InputError(f"at_least = {at_least}: must be a number of links, 1 or more")
    lineage, end_s = _of_first(run), run.duration_s
    failures = events.stalls(lineage, end_s, "out_of_range")
    times = sorted({each.from_s for each in failures})
    tables = dict(zip(times, run.scenario.hops(times, seed=run.seed), strict=True))

    def joined(at_s: float, one: int, other: int) -> bool:
        return tables[at_s][one * run.nodes + other] == 1

    gone = events.links_gone(lineage, end_s, joined)
    return float(sum(each >= at_least for each in gone))


def reactions_to(run: Run, losses: Sequence[Loss]) -> float:
    """How often senders of all flows reacted to the loss of a segment. `losses` lists the causes.

    Only losses with one of these causes count. A reaction is a time-out or a fast retransmit. Only
    the first reaction to a segment counts.
    """
    return float(len(_reactions(run, losses)))


def noticed_after_s(run: Run, losses: Sequence[Loss]) -> float:
    """Sum of the times from the loss of a segment to the reaction that `reactions_to` counts."""
    return math.fsum(each.after_s for each in _reactions(run, losses))


def window_kept(run: Run, losses: Sequence[Loss]) -> float:
    """Sum of the ratios of the window after a reaction of `reactions_to` to the window before.

    The ratio of a window that was not cut is 1.
    """
    return math.fsum(each.kept for each in _reactions(run, losses))


def _reactions(run: Run, losses: Sequence[Loss]) -> list[reactions.Reaction]:
    return reactions.of_flows(run.lineage(), run.flows, losses)


def remaining_rises(run: Run, size_bytes: float) -> float:
    """How often the remaining work of a transfer grows, from one arrival to the next.

    The remaining work is the number of bytes that have not arrived, times the hops of the packet
    that has just arrived.
    """
    if size_bytes <= 0:
        raise InputError(f"size_bytes = {size_bytes:g}: must be above 0; it is what is transferred")
    return float(events.progress_rises(_of_first(run), size_bytes))


def contending(run: Run, from_s: float, to_s: float) -> float:
    """How many one-hop flows contend for the medium, averaged over `from_s` to `to_s`.

    A one-hop flow is a pair of a node and one of its neighbours. It contends while the node has a
    packet of a transport for this neighbour. The packets of all flows count.
    """
    if not 0 <= from_s < to_s:
        raise InputError(
            f"from_s = {from_s:g}, to_s = {to_s:g}: must be a part of the run, in seconds"
        )
    return events.contending(run.lineage(), from_s, to_s)
