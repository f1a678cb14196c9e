"""A measure of `pap-3.3-stale-route.toml`."""

from hopwright.research.papers.events import FLOW
from hopwright.research.papers.run import Run


def tries_over(run: Run, node: int, to: int, from_s: float, to_s: float) -> float:
    """How often a node tried to hand a packet of the first flow to a neighbour."""
    return float(
        sum(
            each.kind == "try"
            and each.flow == FLOW
            and (each.node, each.peer) == (node, to)
            and from_s <= each.time_s <= to_s
            for each in run.lineage()
        )
    )
