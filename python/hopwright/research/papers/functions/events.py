"""Numbers of events, from the lineage (docs/lineage.md).

These numbers are for the first flow, unless the table says that they are for all flows.
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


def _arrivals(run: Run) -> list[events.Arrival]:
    return run.kept("arrivals of the first", lambda: events.arrivals(_of_first(run)))


def _stalls(run: Run, cause: str | None = None) -> list[events.Stall]:
    breaks = run.kept("breaks of the first", lambda: events.breaks_of(_of_first(run)))
    return events.stalls(breaks, _arrivals(run), run.duration_s, cause)


def seconds_until(
    run: Run, kind: str, from_s: float, to_s: float = math.inf, node: int | None = None
) -> float:
    """Seconds from `from_s` to the next event of a kind, at any node or at `node`.

    If no such event comes, the result is the time from `from_s` to `to_s`, or to the end of the run
    if that is earlier. `kind` is an event of the lineage, such as `freeze`, or the content of a
    sent packet, such as `rrep`.
    """
    if not 0 <= from_s < to_s:
        raise InputError(
            f"from_s = {from_s:g}, to_s = {to_s:g}: must be a part of the run, in seconds"
        )
    return events.until(_of_first(run), kind, node, from_s, min(to_s, run.duration_s))


def resumed_beyond_segments(run: Run, after_s: float) -> float:
    """How many segments the sender skips when it continues after a freeze.

    This is the distance, in segments, from the byte that the receiver last asked for to the first
    byte that the sender sends after the freeze. The freeze is the first one that ends after
    `after_s`.
    """
    return events.resumed_beyond(_of_first(run), after_s)


def arrivals(run: Run) -> float:
    """Segments with new data that arrived."""
    return float(len(_arrivals(run)))


def path_failures(run: Run) -> float:
    """Number of path failures: a node stops using a route because it gave up a packet of the flow.

    Until new data arrives again, further such events count as the same path failure.
    """
    return float(len(_stalls(run)))


def path_failures_out_of_range(run: Run) -> float:
    """Number of path failures with at least one next hop that was out of range."""
    return float(len(_stalls(run, "out_of_range")))


def stalled_s(run: Run) -> float:
    """Sum of the times from path failures to the next new data, or to the end of the run."""
    found = _stalls(run)
    return math.fsum(each.to_s - each.from_s for each in found)


def path_failures_of_links(run: Run, at_least: int) -> float:
    """Number of path failures in which at least `at_least` links of the path are out of range.

    The path is that of the last new data before the failure. A link is out of range if its two
    nodes are out of range of each other at the time when the router stops using the route.
    """
    if at_least < 1:
        raise InputError(f"at_least = {at_least}: must be a number of links, 1 or more")
    gone = run.kept("links gone", lambda: _links_gone(run))
    return float(sum(each >= at_least for each in gone))


def _links_gone(run: Run) -> list[int]:
    failures = _stalls(run, "out_of_range")
    times = sorted({each.from_s for each in failures})
    tables = dict(zip(times, run.scenario.hops(times, seed=run.seed), strict=True))

    def joined(at_s: float, one: int, other: int) -> bool:
        return tables[at_s][one * run.nodes + other] == 1

    return events.links_gone(_of_first(run), _arrivals(run), failures, joined)


def reactions_to(run: Run, losses: Sequence[Loss]) -> float:
    """How often the senders of all flows reacted to the loss of a segment.

    Only losses with a cause in the list `losses` count. A reaction is a time-out or a fast
    retransmit. For each segment, only the first reaction counts.
    """
    return float(len(_reactions(run, losses)))


def noticed_after_s(run: Run, losses: Sequence[Loss]) -> float:
    """Sum of the times from the loss of a segment to the reaction (as in `reactions_to`)."""
    return math.fsum(each.after_s for each in _reactions(run, losses))


def window_kept(run: Run, losses: Sequence[Loss]) -> float:
    """Sum of ratios, one for each reaction: window after the reaction / window before it.

    Reactions are those of `reactions_to`. If the window was not cut, the ratio is 1.
    """
    return math.fsum(each.kept for each in _reactions(run, losses))


def _reactions(run: Run, losses: Sequence[Loss]) -> list[reactions.Reaction]:
    return reactions.of_flows(run.lineage(), run.flows, losses)


def remaining_rises(run: Run, size_bytes: float) -> float:
    """How often the remaining work of a transfer increases from one arrival of data to the next.

    At an arrival, the remaining work is the number of bytes that have not arrived yet, times the
    hops of the packet that has just arrived.
    """
    if size_bytes <= 0:
        raise InputError(f"size_bytes = {size_bytes:g}: must be above 0; it is what is transferred")
    return float(events.progress_rises(_arrivals(run), size_bytes))


def contending(run: Run, from_s: float, to_s: float) -> float:
    """How many one-hop flows contend for the medium, averaged over `from_s` to `to_s`.

    A one-hop flow is a pair of a node and one of its neighbours. The one-hop flow contends while
    the node has a packet of a transport for this neighbour. The packets of all flows count.
    """
    if not 0 <= from_s < to_s:
        raise InputError(
            f"from_s = {from_s:g}, to_s = {to_s:g}: must be a part of the run, in seconds"
        )
    return events.contending(run.lineage(), from_s, to_s)
