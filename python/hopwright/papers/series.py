"""What a run's series over time says: numbers that the summary does not hold, and curves."""

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hopwright import _core
from hopwright.errors import InputError, near
from hopwright.papers.fields import Value
from hopwright.results import SERIES
from hopwright.runs import execute

PREFIX = "series."
"""What the names of such numbers begin with."""

Column: TypeAlias = Sequence[float | str | None]


IDLE_COLUMNS = (
    "time_s",
    "phase",
    "acked_segments",
    "sent_segments",
    "retransmitted_segments",
)


def idle_before_timeouts(columns: Mapping[str, Column]) -> float:
    """Silence that ended in a time-out, seconds, added up over the time-outs.

    From the last thing that was sent or acknowledged to the time-out that followed it. In the phase
    of a time-out nothing is sent again but by the timer.
    """
    states = zip(*(columns[name] for name in IDLE_COLUMNS[2:]), strict=True)
    idle = 0.0
    last_s = math.nan
    former: tuple[float | str | None, ...] | None = None
    for time_s, phase, state in zip(columns["time_s"], columns["phase"], states, strict=True):
        if None in state or not isinstance(time_s, float):
            continue  # a row of a queue
        if former is None:
            former, last_s = state, time_s
        elif state != former:
            if phase == "rto" and state[2] != former[2]:
                idle += time_s - last_s
            former, last_s = state, time_s
    return idle


NUMBERS: Mapping[str, tuple[Callable[[Mapping[str, Column]], float], tuple[str, ...]]] = {
    "idle_before_timeouts_s": (idle_before_timeouts, IDLE_COLUMNS),
}
"""Numbers of a single flow's series, by name, and the columns that they take."""


@dataclass(frozen=True)
class Curve:
    """Values at equal distances of time."""

    time_s: tuple[float, ...]
    values: tuple[float, ...]


QUANTITIES = ["cwnd", "ssthresh", "rtt", "rto", "in-flight", "in-network"]
"""What `[output] series` has to hold for any column of a flow."""


def recorded_keys() -> dict[str, Value]:
    """The keys of a scenario whose runs write all of a flow's series."""
    return {"output.series": [*QUANTITIES], "output.figures": []}


def check_number(name: str) -> str:
    """The name of a number, without its prefix. Raises `InputError` if there is none."""
    bare = name.removeprefix(PREFIX)
    if bare not in NUMBERS:
        raise InputError(f"no number of series called '{bare}'{near(bare, NUMBERS)}")
    return bare


def numbers(
    scenario: _core.Scenario, names: Sequence[str], seeds: Sequence[int], *, jobs: int
) -> dict[str, list[float]]:
    """Numbers of every run, in the order of the seeds."""
    if scenario.flow_count != 1:
        raise InputError(f"{names[0]} is of one flow; the scenario has {scenario.flow_count}")
    taken = {name: NUMBERS[check_number(name)] for name in names}
    columns = sorted({column for _, needed in taken.values() for column in needed})
    recorded = record(scenario, seeds, columns, jobs=jobs)
    return {name: [of(run) for run in recorded] for name, (of, _) in taken.items()}


def curve(
    scenario: _core.Scenario,
    terms: Sequence[tuple[int, str]],
    *,
    seed: int,
    interval_s: float,
    average: int,
) -> Curve:
    """Signed columns of a run's series added up, sampled, and smoothed.

    A value holds until the next. The moving average is centred; as in Papanastasiou 2006, section
    3.6, the first and the last half of `average` samples stay as they are.
    """
    (columns,) = record(scenario, [seed], ["time_s", *(name for _, name in terms)], jobs=1)
    rows = zip(*(columns[name] for _, name in terms), strict=True)
    known = [
        (time, math.fsum(sign * float(value) for (sign, _), value in zip(terms, row, strict=True)))
        for time, row in zip(columns["time_s"], rows, strict=True)
        if isinstance(time, float) and all(isinstance(value, float) for value in row)
    ]
    if not known:
        raise InputError(f"the series has no values of {', '.join(name for _, name in terms)}")
    times: list[float] = []
    values: list[float] = []
    position = 0
    for step in range(math.floor(scenario.duration_s / interval_s) + 1):
        now = step * interval_s
        while position + 1 < len(known) and known[position + 1][0] <= now:
            position += 1
        if known[position][0] <= now:
            times.append(now)
            values.append(known[position][1])
    return Curve(tuple(times), tuple(_smoothed(values, average)))


def _smoothed(values: Sequence[float], average: int) -> list[float]:
    before = average // 2
    after = average - before
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    return [
        (sums[i + after] - sums[i - before]) / average
        if before <= i <= len(values) - after
        else value
        for i, value in enumerate(values)
    ]


def record(
    scenario: _core.Scenario, seeds: Sequence[int], columns: Sequence[str], *, jobs: int
) -> list[dict[str, Column]]:
    """Columns of the series of every run. The files are gone afterwards."""
    from hopwright.parquet import read_table

    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place, str(seed)) for seed in seeds]
        for folder in folders:
            folder.mkdir()
        execute(scenario, seeds, jobs=jobs, folders=folders)
        recorded: list[dict[str, Column]] = []
        for folder in folders:
            table = read_table(folder / SERIES)
            for name in columns:
                if name not in table.column_names:
                    known = near(name, table.column_names)
                    raise InputError(f"no column of the series called '{name}'{known}")
            recorded.append({name: list(table[name].to_pylist()) for name in columns})
    return recorded
