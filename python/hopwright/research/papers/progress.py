"""How connections progress: bytes that have not arrived, times the hops that each has to go."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from hopwright._io.parquet import read_columns
from hopwright.research.papers.fields import Value

COLUMN = "connection_progress_byte_hops"

Progress: TypeAlias = Sequence[tuple[float, float | None]]
"""Times in seconds, and the bytes times hops then; nothing while there is no path."""


def at(progress: Progress, time_s: float) -> float:
    """The last value up to this time; not a number if there was none."""
    known = [value for when, value in progress if value is not None and when <= time_s + 1e-9]
    return known[-1] if known else math.nan


def stalled_s(progress: Progress, from_s: float, to_s: float) -> float:
    """How many of the seconds from `from_s` to `to_s` end with no less than they began with."""
    edges = [from_s + n for n in range(math.floor(to_s - from_s + 1e-9) + 1)]
    values = [at(progress, edge) for edge in edges]
    return float(sum(not after < before for before, after in itertools.pairwise(values)))


def rises(progress: Progress, from_s: float, to_s: float) -> float:
    """How often a value from `from_s` to `to_s` is above the last one before it."""
    within = [v for when, v in progress if from_s - 1e-9 <= when <= to_s + 1e-9]
    known = [v for v in within if v is not None]
    return float(sum(after > before for before, after in itertools.pairwise(known)))


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: the series of progress, and nothing else."""
    return {"output.series": ["connection-progress"], "output.figures": []}


def progress_in(path: Path, flows: int) -> Sequence[Progress]:
    """How each flow progressed, in the order of time."""
    columns = read_columns(path)
    found: list[list[tuple[float, float | None]]] = [[] for _ in range(flows)]
    rows = zip(*(columns[name] for name in ("time_s", "flow", COLUMN)), strict=True)
    for time_s, flow, value in rows:
        if flow is not None:
            found[flow].append((time_s, value))
    return found
