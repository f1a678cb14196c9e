"""What a flow's series over time says: what a sender did when, and curves."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hopwright import _core
from hopwright._io.errors import InputError, near
from hopwright.research.papers.fields import Value
from hopwright.research.papers.recording import recorded
from hopwright.results.places import SERIES
from hopwright.statistics.moving_average import moving_average

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright.research.papers.run import Run

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


@dataclass(frozen=True)
class Silence:
    """A time in which nothing new was acknowledged."""

    from_s: float
    to_s: float
    timeouts_s: tuple[float, ...]
    """When a time-out sent something again in it."""


SILENCE_COLUMNS = ("time_s", "phase", "acked_segments", "retransmitted_segments")


def silences(columns: Mapping[str, Column], end_s: float) -> list[Silence]:
    """All times without new data acknowledged, one after another, from the start to the end.

    The first lasts to the first acknowledgement, the last to the end of the run.
    """
    found: list[Silence] = []
    since_s, acked, again = 0.0, 0.0, 0.0
    timeouts: list[float] = []
    rows = zip(*(columns[name] for name in SILENCE_COLUMNS), strict=True)
    for time_s, phase, now_acked, now_again in rows:
        if not (
            isinstance(time_s, float)
            and isinstance(now_acked, float)
            and isinstance(now_again, float)
        ):
            continue  # a row of a queue
        if now_acked > acked:
            found.append(Silence(since_s, time_s, tuple(timeouts)))
            since_s, acked = time_s, now_acked
            timeouts.clear()
        elif phase == "rto" and now_again > again:
            timeouts.append(time_s)
        again = now_again
    return [*found, Silence(since_s, end_s, tuple(timeouts))]


def longest_silence(found: Sequence[Silence]) -> Silence:
    """The longest of `silences` after the first; without any acknowledgement the whole run."""
    return max(found[1:] or found, key=lambda silence: silence.to_s - silence.from_s)


def silence_at(found: Sequence[Silence], at_s: float) -> Silence:
    """The one of `silences` that a moment lies in; of a moment beyond the run, the last."""
    return next((silence for silence in found if silence.to_s > at_s), found[-1])


PHASE_COLUMNS = ("time_s", "phase")


def recoveries_at(columns: Mapping[str, Column]) -> list[float]:
    """When the sender went into fast recovery. A freeze in the middle makes no new one."""
    times: list[float] = []
    former: float | str | None = None
    for time_s, phase in zip(*(columns[name] for name in PHASE_COLUMNS), strict=True):
        if phase is None or phase == "frozen" or not isinstance(time_s, float):
            continue
        if phase == "recovery" and former != "recovery":
            times.append(time_s)
        former = phase
    return times


OUTAGE_S = 1.0
"""So long without anything new sent or acknowledged is an outage; five times the least RTO."""
RESTORED_S = 1.0
"""What happens so soon after it is taken to follow from it: a few round trips."""
OUTAGE_COLUMNS = (*PHASE_COLUMNS, "acked_segments", "sent_segments")


def after_outages(columns: Mapping[str, Column]) -> int:
    """Entries into fast recovery that follow an outage: within `RESTORED_S` after it."""
    ends: list[float] = []
    progress: tuple[float | str | None, ...] = ()
    since_s = 0.0
    rows = zip(*(columns[name] for name in ("time_s", *OUTAGE_COLUMNS[2:])), strict=True)
    for time_s, *state in rows:
        if None in state or not isinstance(time_s, float) or tuple(state) == progress:
            continue
        if progress and time_s - since_s >= OUTAGE_S:
            ends.append(time_s)
        progress, since_s = tuple(state), time_s
    times = recoveries_at(columns)
    return sum(any(0 <= time - end <= RESTORED_S for end in ends) for time in times)


SENT_COLUMNS = ("phase", "sent_segments", "retransmitted_segments")


def sent_in(columns: Mapping[str, Column], phase: str) -> float:
    """Segments that the sender sent in a phase, again or for the first time."""
    found, before = 0.0, 0.0
    for here, first, again in zip(*(columns[name] for name in SENT_COLUMNS), strict=True):
        if isinstance(first, float) and isinstance(again, float):
            if here == phase:
                found += first + again - before
            before = first + again
    return found


def time_in(columns: Mapping[str, Column], phase: str, from_s: float, to_s: float) -> float:
    """How long the sender was in a phase, in a part of the run, in seconds."""
    found, here, since_s = 0.0, None, from_s
    for time_s, now in zip(*(columns[name] for name in PHASE_COLUMNS), strict=True):
        if now is None or not isinstance(time_s, float):
            continue  # a row of a queue
        if here == phase:
            found += max(0.0, min(time_s, to_s) - max(since_s, from_s))
        here, since_s = now, time_s
    return found + (max(0.0, to_s - max(since_s, from_s)) if here == phase else 0.0)


def freeze_lengths(columns: Mapping[str, Column], end_s: float) -> list[float]:
    """How long the sender stood still each time, seconds.

    A freeze that the end of the run cuts short is as long as it was seen.
    """
    lengths: list[float] = []
    since_s: float | None = None
    for time_s, phase in zip(*(columns[name] for name in PHASE_COLUMNS), strict=True):
        if phase is None or not isinstance(time_s, float):
            continue
        if phase == "frozen" and since_s is None:
            since_s = time_s
        elif phase != "frozen" and since_s is not None:
            lengths.append(time_s - since_s)
            since_s = None
    if since_s is not None:
        lengths.append(end_s - since_s)
    return lengths


STOPPED = ("frozen", "rto")
USUAL = ("slow_start", "congestion_avoidance")
"""Phases in which the sender sends new data as usual."""
SETTLING_COLUMNS = (*PHASE_COLUMNS, "srtt_s")


@dataclass(frozen=True)
class Settling:
    """How the sender went on after a moment; ends of the run stand for what never came."""

    on_s: float
    """When it first was neither frozen nor in a time-out."""
    settled_s: float
    """When it sent as usual, and neither freeze, time-out nor recovery came within two round trips,
    or `RESTORED_S` if that is longer."""
    srtt_s: float
    """The last smoothed round-trip time up to the moment. ns-2's senders forget theirs after many
    time-outs; that 0 does not count."""


def settling(columns: Mapping[str, Column], end_s: float, at_s: float) -> Settling:
    """How the sender went on after a moment that it may be frozen or in a time-out at.

    Raises:
        InputError: It had measured no round trip by then.
    """
    known = zip(columns["time_s"], columns["srtt_s"], strict=True)
    times = [s for at, s in known if isinstance(at, float) and at <= at_s and isinstance(s, float)]
    srtt_s = next((each for each in reversed(times) if each > 0), None)
    if srtt_s is None:
        raise InputError(f"series: no round trip was measured up to {at_s:g} s")
    window_s = max(RESTORED_S, 2 * srtt_s)
    spans: list[tuple[float, str]] = [(at_s, "slow_start")]
    for time_s, phase in zip(*(columns[name] for name in PHASE_COLUMNS), strict=True):
        if not (isinstance(time_s, float) and isinstance(phase, str)):
            continue  # a row of a queue
        if time_s <= at_s:
            spans = [(at_s, phase)]
        elif phase != spans[-1][1]:
            spans.append((time_s, phase))
    on_s = next((time_s for time_s, phase in spans if phase not in STOPPED), end_s)
    unusual = [time_s for time_s, phase in spans if phase not in USUAL]
    settled_s = next(
        (
            time_s
            for time_s, phase in spans
            if phase in USUAL and not any(0 < bad - time_s <= window_s for bad in unusual)
        ),
        end_s,
    )
    return Settling(on_s, settled_s, srtt_s)


def value_at(columns: Mapping[str, Column], column: str, at_s: float) -> float:
    """The last value of a column up to a time; 0 before the first."""
    found = 0.0
    for time_s, value in zip(columns["time_s"], columns[column], strict=True):
        if not isinstance(time_s, float) or time_s > at_s:
            break
        if isinstance(value, float):
            found = value
    return found


def most_between(columns: Mapping[str, Column], column: str, from_s: float, to_s: float) -> float:
    """The largest value that a column has from one time to another; 0 if it has none."""
    found = value_at(columns, column, from_s)
    for time_s, value in zip(columns["time_s"], columns[column], strict=True):
        if isinstance(time_s, float) and from_s <= time_s <= to_s and isinstance(value, float):
            found = max(found, value)
    return found


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


def curve(
    scenario: _core.Scenario,
    terms: Sequence[tuple[int, str]],
    *,
    seed: int,
    interval_s: float,
    average: int,
) -> Curve:
    """Signed columns of a run's series added up, sampled, and smoothed: `curves` of one sum."""
    (found,) = curves(scenario, [terms], seed=seed, interval_s=interval_s, average=average)
    return found


def curves(
    scenario: _core.Scenario,
    sums: Sequence[Sequence[tuple[int, str]]],
    *,
    seed: int,
    interval_s: float,
    average: int,
) -> list[Curve]:
    """For each of some sums of signed columns of one run's series: sampled, and smoothed.

    A value holds until the next. The moving average is centred; as in Papanastasiou 2006, section
    3.6, the first and the last half of `average` samples stay as they are.
    """
    names = dict.fromkeys(name for terms in sums for _, name in terms)
    (columns,) = record(scenario, [seed], ["time_s", *names], jobs=1)
    duration_s = scenario.duration_s
    return [_sampled(columns, terms, duration_s, interval_s, average) for terms in sums]


def _sampled(
    columns: Mapping[str, Column],
    terms: Sequence[tuple[int, str]],
    duration_s: float,
    interval_s: float,
    average: int,
) -> Curve:
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
    for step in range(math.floor(duration_s / interval_s) + 1):
        now = step * interval_s
        while position + 1 < len(known) and known[position + 1][0] <= now:
            position += 1
        if known[position][0] <= now:
            times.append(now)
            values.append(known[position][1])
    return Curve(tuple(times), tuple(_smoothed(values, average)))


def _smoothed(values: Sequence[float], average: int) -> list[float]:
    averages = moving_average(values, average)
    first = average // 2
    return [*values[:first], *averages, *values[first + len(averages) :]]


def record(
    scenario: _core.Scenario, seeds: Sequence[int], columns: Sequence[str], *, jobs: int
) -> list[dict[str, Column]]:
    """Columns of the first flow's series, of every run. The files are gone afterwards."""
    return recorded(scenario, seeds, lambda folder: _of_first_flow(folder, columns), jobs=jobs)


def _of_first_flow(folder: Path, columns: Sequence[str]) -> dict[str, Column]:
    from hopwright._io.parquet import read_table

    table = read_table(folder / SERIES)
    rows = _rows_of(table, 0)
    return {name: _column(table, name, rows) for name in columns}


def columns_of(run: "Run", columns: Sequence[str], flow: int) -> dict[str, Column]:
    """Columns of a run's series, the rows of one flow; all without names."""
    from hopwright._io.parquet import read_table

    table = run.kept("series", lambda: read_table(run.files(recorded_keys()) / SERIES))
    rows = run.kept(f"series of {flow}", lambda: _rows_of(table, flow))
    return {
        name: run.kept(f"series of {flow}: {name}", partial(_column, table, name, rows))
        for name in columns or table.column_names
    }


def _rows_of(table: "Table", flow: int) -> list[int]:
    flows = table["flow"].to_pylist()
    return [row for row, of in enumerate(flows) if of == flow]


def _column(table: "Table", name: str, rows: Sequence[int]) -> Column:
    if name not in table.column_names:
        known = table.column_names
        raise InputError(f"no column of the series called '{name}'{near(name, known)}")
    of = table[name].to_pylist()
    return [of[row] for row in rows]
