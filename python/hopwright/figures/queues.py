"""The queues that the figure of a flow shows: those of the nodes that its packets went through."""

from collections.abc import Mapping, Sequence

import numpy as np

from hopwright.figures.decimate import Column
from hopwright.figures.panels import MOST_QUEUES

Queues = Mapping[int, tuple[Column, Column]]
"""By node: times, and packets that waited from then on."""


def queues_on_path(
    queues: Queues, links: Sequence[tuple[int, int, int]], end_s: float
) -> dict[int, tuple[Column, Column]]:
    """The queues of the nodes of these links, each from, to, packets; the fullest of many.

    Without links the fullest of all: where there is no medium, nobody says where packets went.
    """
    path = {node for start, end, packets in links if packets for node in (start, end)}

    def fullness(node: int) -> float:
        time, packets = queues[node]
        return float(np.sum(packets * np.diff(time, append=end_s)))

    found = sorted(path & set(queues) if path else queues, key=lambda node: -fullness(node))
    return {node: queues[node] for node in sorted(found[:MOST_QUEUES])}
