"""How connections progress: bytes that have not arrived, times the hops that each has to go."""

import itertools
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from hopwright import _core
from hopwright.errors import InputError, near
from hopwright.papers.fields import Value
from hopwright.papers.recording import recorded
from hopwright.parquet import read_columns
from hopwright.results import SERIES

PREFIX = "progress."
"""What the names of such numbers begin with."""

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


FORMS = ("at.FLOW@TIME", "stalled_s.FLOW@FROM:TO", "rises.FLOW@FROM:TO")
OF_A_PART = {"stalled_s": stalled_s, "rises": rises}


def number_called(name: str, flows: int, end_s: float) -> "tuple[int, partial[float]]":
    """The flow that a name is about, and how the number is made of its progress.

    Raises:
        InputError: There is no such number.
    """
    bare = name.removeprefix(PREFIX)
    what, _, when = bare.partition("@")
    what, _, flow = what.partition(".")
    try:
        times = [float(word) for word in when.split(":")]
    except ValueError:
        times = []
    is_right = times and all(0 <= time <= end_s for time in times) and flow.isdecimal()
    if is_right and int(flow) < flows:
        if what == "at" and len(times) == 1:
            return int(flow), partial(at, time_s=times[0])
        if what in OF_A_PART and len(times) == 2 and times[1] - times[0] >= 1:
            return int(flow), partial(OF_A_PART[what], from_s=times[0], to_s=times[1])
    raise InputError(
        f"no number of progress called '{bare}': write it as {', '.join(FORMS)}"
        f"{near(what, ('at', *OF_A_PART))}; flows are 0 to {flows - 1}, times up to {end_s:g} s"
    )


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: the series of progress, and nothing else."""
    return {"output.series": ["connection-progress"], "output.figures": []}


def numbers(
    scenario: _core.Scenario, names: Sequence[str], seeds: Sequence[int], *, jobs: int
) -> dict[str, list[float]]:
    """Numbers of every run, in the order of the seeds."""
    flows, end_s = scenario.flow_count, scenario.duration_s
    taken = {name: number_called(name, flows, end_s) for name in names}
    found = recorded(scenario, seeds, lambda folder: progress_in(folder / SERIES, flows), jobs=jobs)
    return {name: [of(progress[flow]) for progress in found] for name, (flow, of) in taken.items()}


def progress_in(path: Path, flows: int) -> Sequence[Progress]:
    """How each flow progressed, in the order of time."""
    columns = read_columns(path)
    found: list[list[tuple[float, float | None]]] = [[] for _ in range(flows)]
    rows = zip(*(columns[name] for name in ("time_s", "flow", COLUMN)), strict=True)
    for time_s, flow, value in rows:
        if flow is not None:
            found[flow].append((time_s, value))
    return found
