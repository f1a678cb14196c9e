"""How long the interface queues are in a part of a run, from its series."""

import math
from collections.abc import Iterable
from pathlib import Path

from hopwright._io.parquet import read_columns
from hopwright.research.papers.fields import Value

Row = tuple[float, int, float]
"""Time in seconds, node, packets in its queue from then on."""


def mean_packets(rows: Iterable[Row], nodes: int, from_s: float, to_s: float) -> float:
    """Packets in a queue from `from_s` to `to_s`, averaged over time and all `nodes`.

    Rows are in the order of time; queues are empty before the first.
    """
    since = [0.0] * nodes
    length = [0.0] * nodes
    packet_seconds: list[float] = []

    def add(node: int, until: float) -> None:
        lasted = min(until, to_s) - max(since[node], from_s)
        packet_seconds.append(length[node] * max(lasted, 0.0))

    for time_s, node, packets in rows:
        add(node, time_s)
        since[node], length[node] = time_s, packets
    for node in range(nodes):
        add(node, to_s)
    return math.fsum(packet_seconds) / nodes / (to_s - from_s)


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: the series of queues, and nothing else."""
    return {"output.series": ["queue"]}


def rows_in(path: Path) -> list[Row]:
    """The rows of nodes in a run's series."""
    columns = read_columns(path)
    rows = zip(columns["time_s"], columns["node"], columns["queue_packets"], strict=True)
    return [row for row in rows if row[1] is not None and row[2] is not None]
