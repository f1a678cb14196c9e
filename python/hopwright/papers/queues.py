"""How long the interface queues are in a part of a run, from its series."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from hopwright import _core
from hopwright.errors import InputError, near
from hopwright.papers.fields import Value
from hopwright.papers.recording import recorded
from hopwright.parquet import read_columns
from hopwright.results import SERIES

PREFIX = "queues."
"""What the names of such numbers begin with."""

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


def part_called(name: str, end_s: float) -> tuple[float, float]:
    """From when to when, in seconds, of a run that ends at `end_s`.

    Raises:
        InputError: There is no such number.
    """
    bare = name.removeprefix(PREFIX)
    what, _, when = bare.partition("@")
    try:
        from_s, to_s = (float(word) for word in when.split(":"))
    except ValueError:
        from_s = to_s = math.nan
    if what != "mean_packets" or not (0 <= from_s < to_s < math.inf):
        raise InputError(
            f"no number of queues called '{bare}': write it as mean_packets@FROM:TO, seconds"
            f"{near(what, ('mean_packets',))}"
        )
    if to_s > end_s:
        raise InputError(f"queues: '{bare}': the run ends at {end_s:g} s")
    return from_s, to_s


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: the series of queues, and nothing else."""
    return {"output.series": ["queue"]}


def numbers(
    scenario: _core.Scenario, names: Sequence[str], seeds: Sequence[int], *, jobs: int
) -> dict[str, list[float]]:
    """Numbers of every run, in the order of the seeds."""
    parts = {name: part_called(name, scenario.duration_s) for name in names}
    runs = recorded(scenario, seeds, lambda folder: rows_in(folder / SERIES), jobs=jobs)
    nodes = scenario.node_count
    return {
        name: [mean_packets(rows, nodes, *part) for rows in runs] for name, part in parts.items()
    }


def rows_in(path: Path) -> list[Row]:
    """The rows of nodes in a run's series."""
    columns = read_columns(path)
    rows = zip(columns["time_s"], columns["node"], columns["queue_packets"], strict=True)
    return [row for row in rows if row[1] is not None and row[2] is not None]
