"""The queues that the figure of a flow shows: those of the nodes that its packets went through."""

from collections.abc import Mapping, Sequence

import numpy as np

from hopwright.figures.decimate import Column
from hopwright.figures.panels import MOST_QUEUES, ShownQueues

Queues = Mapping[int, tuple[Column, Column]]
"""By node: times, and packets that waited from then on."""

MOST_NAMED = 4
"""Nodes without a row that the figure names; of more it says how many there are."""


def queues_on_path(
    queues: Queues, links: Sequence[tuple[int, int, int]], end_s: float
) -> ShownQueues:
    """The queues of the nodes of these links, each from, to, packets; the fullest of many.

    Without links the fullest of all: where there is no medium, nobody says where packets went.
    `queues` has those that were not empty all the time.
    """
    path = {node for start, end, packets in links if packets for node in (start, end)}

    def fullness(node: int) -> float:
        time, packets = queues[node]
        return float(np.sum(packets * np.diff(time, append=end_s)))

    found = sorted(path & set(queues) if path else queues, key=lambda node: -fullness(node))
    shown = sorted(found[:MOST_QUEUES])
    rows = {node: queues[node] for node in shown}
    if len(found) > len(shown):
        where = f"{len(path)} on the path" if path else f"{len(found)}"
        return ShownQueues(rows, f"the fullest {len(shown)} of {where}")
    return ShownQueues(rows, _said_of_empty(sorted(path - set(shown))) if shown else "")


def _said_of_empty(nodes: Sequence[int]) -> str:
    """`nodes 3, 4: always empty`: of nodes on the path that have no row."""
    if not nodes:
        return ""
    if len(nodes) > MOST_NAMED:
        return f"{len(nodes)} others on the path: always empty"
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes))}: always empty"
