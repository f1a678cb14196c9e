"""A paper's runs: sweeps over its settings, and the numbers taken from them."""

import itertools
import math
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright.data import Json, is_number
from hopwright.errors import HopwrightWarning, InputError, near
from hopwright.metrics import is_of_run
from hopwright.papers import (
    acknowledgements,
    emulated,
    emulations,
    ends,
    events,
    progress,
    queues,
    relays,
    series,
    sharing,
    topology,
)
from hopwright.papers.document import Axis, Cell, Document, Measure, Setting
from hopwright.papers.fields import Fields, Value
from hopwright.statistics.means import TALLIES

if TYPE_CHECKING:
    from hopwright.source import Source
    from hopwright.sweeps import Sweep


class NoNumberError(InputError):
    """A measure has no number in some run, as a round-trip time where nothing arrived."""


@dataclass(frozen=True)
class Beside:
    """Where numbers come from that are no results of runs."""

    numbers: Callable[..., dict[str, list[float]]]
    """Takes a scenario, names of numbers, seeds and `jobs`; gives a number a seed by name."""
    keys: Mapping[str, Value]
    """What the scenario has to be set to for it."""
    plays: bool = False
    """Whether it makes the file's emulations, which are kept in a folder: it takes both, too."""


BESIDE: Mapping[str, Beside] = {
    series.PREFIX: Beside(series.numbers, series.recorded_keys()),
    topology.PREFIX: Beside(topology.numbers, {}),
    sharing.PREFIX: Beside(sharing.numbers, sharing.recorded_keys()),
    queues.PREFIX: Beside(queues.numbers, queues.recorded_keys()),
    acknowledgements.PREFIX: Beside(acknowledgements.numbers, acknowledgements.recorded_keys()),
    ends.PREFIX: Beside(ends.numbers, ends.recorded_keys()),
    events.PREFIX: Beside(events.numbers, events.recorded_keys()),
    progress.PREFIX: Beside(progress.numbers, progress.recorded_keys()),
    emulations.PREFIX: Beside(emulated.numbers, emulated.recorded_keys(), plays=True),
    relays.PREFIX: Beside(relays.numbers, relays.recorded_keys()),
}
"""By what their names begin with."""

Labels = tuple[str, ...]
"""A point: the labels of its settings, in the order of the axes."""


@dataclass(frozen=True)
class Measured:
    """What the runs of one reading gave."""

    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    values: Mapping[Labels, Mapping[str, Sequence[float]]]
    """By point and measure: one for each seed."""
    kept: Path | None = None
    """Where emulations are, a folder for each point."""

    def emulations_at(self, labels: Mapping[str, str]) -> Path:
        """The folder of a point's emulations."""
        if self.kept is None:
            raise InputError("emulations: no measure needs any, so that there are none to draw")
        return self.kept / named(labels[axis.name] for axis in self.axes)

    def of(self, cell: Cell) -> Sequence[float]:
        """The values of a table's cell, one for each seed."""
        return self.at(cell.at, cell.measure)

    def at(self, labels: Mapping[str, str], measure: str) -> Sequence[float]:
        """The values of a measure at a point, one for each seed; `labels` by axis."""
        return self.values[tuple(labels[axis.name] for axis in self.axes)][measure]


@dataclass(frozen=True)
class Effort:
    """How much is run, and how."""

    runs: int
    jobs: int
    folder: Path
    """Of this reading's sweeps."""
    resume: bool
    watch: Callable[[float], object]
    on: str | None = None
    """Where runs are done, see `hopwright.sweep`."""


def named(labels: Iterable[str]) -> str:
    """A point's labels as the name of a folder."""
    return re.sub(r"[^\w.-]+", "-", "-".join(labels)) or "point"


def source_of(document: Document) -> "Source":
    """The document's scenario."""
    from hopwright.source import Source

    where = f"{document.path}: [scenario]"
    if "file" in document.scenario:
        file = Fields(document.scenario, where, ("file",)).text("file")
        return Source.read(document.path.parent / file)
    import tomli_w

    return Source(tomli_w.dumps(dict(document.scenario)), where, str(document.path.parent))


def overrides(settings: Sequence[Setting], more: Mapping[str, Value]) -> list[tuple[str, str]]:
    """The keys of a point, and those of a reading, as `Source.load` takes them."""
    from hopwright.sweeps.settings import overrides_of

    keys = {key: value for setting in settings for key, value in setting.keys.items()}
    return overrides_of(_outer_first({**keys, **more}))


def scenarios_of(document: Document) -> Iterator[dict[str, Value]]:
    """The scenario of every point, whole and written out."""
    source = source_of(document)
    for settings in document.points():
        yield tomllib.loads(source.load(overrides(settings, {})).to_toml())


def _outer_first(keys: Mapping[str, Value]) -> dict[str, Value]:
    """The keys in an order in which none takes another back: `flows` before `flows.to`."""
    return {key: keys[key] for key in sorted(keys, key=_depth)}


def _depth(key: str) -> int:
    return key.count(".")


def measure(
    document: Document,
    more: Mapping[str, Value],
    effort: Effort,
    cells: Sequence[str] | None = None,
) -> Measured:
    """Runs every point of the document with the keys `more` set.

    With `cells`, ids, points and measures that none of them shows are left out.

    Axes of one key with plain values are varied inside a sweep; every combination of the others has
    a sweep of its own, in a folder of its own.
    """
    for key in (key for axis in document.axes for key in axis.settings[0].keys if key in more):
        raise InputError(f"{document.path}: a reading sets {key}, which is varied")
    scenario = source_of(document)
    keys_of_axes = (key for axis in document.axes for each in axis.settings for key in each.keys)
    all_keys = {*more, *keys_of_axes}
    inside = [axis for axis in document.axes if _is_simple(axis, all_keys)]
    apart = [axis for axis in document.axes if axis not in inside]
    outer = list(itertools.product(*(axis.settings for axis in apart)))
    seeds = tuple(range(document.seed, document.seed + effort.runs))
    measures = _measures(document, cells)
    beside = [each for each in measures if _is_beside(document, each)]
    places = [document.cells[name].at for name in cells or ()]
    if cells is None:
        _check_beside(document, beside, scenario, effort)
    values: dict[Labels, dict[str, list[float]]] = {}
    played = effort.folder.with_name(f"{effort.folder.name}-emulations")
    for number, fixed in enumerate(outer):
        at_fixed = {axis.name: each.label for axis, each in zip(apart, fixed, strict=True)}
        here = [at for at in places if at_fixed.items() <= at.items()]
        if cells is not None and not here:
            continue
        varied_here = [_shown(axis, here) for axis in inside]
        points = list(itertools.product(*varied_here))
        found: list[dict[str, list[float]]] = [{} for _ in points]
        if len(beside) < len(measures):
            keys = {key: value for setting in fixed for key, value in setting.keys.items()}
            vary = {key: [value] for key, value in _outer_first({**more, **keys}).items()}
            for settings in varied_here:
                (key,) = settings[0].keys
                vary[key] = [setting.keys[key] for setting in settings]
            place = effort.folder / str(number + 1) if apart else effort.folder
            found = _swept(document, vary, effort, place, (number, len(outer)))
        for varied, numbers in zip(points, found, strict=True):
            by_axis = dict(zip([*apart, *inside], [*fixed, *varied], strict=True))
            at = {axis.name: each.label for axis, each in by_axis.items()}
            settings = [by_axis[axis] for axis in document.axes]

            def load(
                keys: Mapping[str, Value], settings: Sequence[Setting] = settings
            ) -> _core.Scenario:
                return scenario.load(overrides(settings, {**more, **keys}))

            shown = _measures(document, cells, at)
            needed = [each for each in shown if each in beside]
            place = played / named(setting.label for setting in settings)
            others = _numbers_beside(document, needed, load, seeds, effort, place)
            by = _divisors(document, shown)
            for name, divisors in _numbers_beside(document, by, load, seeds, effort, place).items():
                others[name] = _divided(document, name, numbers[name], divisors)
            values[tuple(setting.label for setting in settings)] = numbers | others
        effort.watch((number + 1) / len(outer))
    return Measured(document.axes, seeds, values, played if played.exists() else None)


def _check_beside(
    document: Document, measures: Sequence[Measure], scenario: "Source", effort: Effort
) -> None:
    """Raises `InputError` where a name is wrong, before anything is run: no seed takes no time."""
    first = document.points()[0]

    def load(keys: Mapping[str, Value]) -> _core.Scenario:
        return scenario.load(overrides(first, keys))

    for each in (measures, _divisors(document, measures)):
        _numbers_beside(document, each, load, (), effort, effort.folder)


def _measures(
    document: Document, cells: Sequence[str] | None, at: Mapping[str, str] | None = None
) -> list[Measure]:
    """Those that the cells show, here or anywhere; without cells, those of the whole file."""
    named = (document.cells[name] for name in cells or document.cells)
    shown = {cell.measure for cell in named if at in (None, cell.at)}
    if cells is None:
        shown |= {each.measure for each in document.comparisons}
    return [each for each in document.measures.values() if each.id in shown]


def _swept(
    document: Document,
    vary: Mapping[str, list[Value]],
    effort: Effort,
    folder: Path,
    sweep_of: tuple[int, int],
) -> list[dict[str, list[float]]]:
    """The results of every point of a sweep; `sweep_of`: its number from 0, and of how many."""
    from hopwright.sweeps import sweep

    number, count = sweep_of
    with warnings.catch_warnings():
        # What a paper studies may well be who starves, and its file serves several protocols.
        warnings.simplefilter("ignore", HopwrightWarning)
        done = sweep(
            source_of(document),
            vary,
            seed=document.seed,
            runs=effort.runs,
            jobs=effort.jobs if effort.on in (None, "threads") else None,
            on=effort.on,
            out=folder,
            resume=effort.resume and folder.exists(),
            watch=lambda finished, of: effort.watch((number + finished / of) / count),
        )
    rows = _rows(done)
    seeds = range(document.seed, document.seed + effort.runs)
    return [_numbers(document, [rows[point.id, seed] for seed in seeds]) for point in done.points]


def _is_simple(axis: Axis, all_keys: Iterable[str]) -> bool:
    """Whether it is one key of plain values, which cannot take back what others set.

    As `flows.transport.protocol` would what `flows.1.transport.protocol` has set before it.
    """
    values = [setting.keys for setting in axis.settings]
    key, *more = {key for each in values for key in each}
    is_plain = not any(isinstance(value, list) for each in values for value in each.values())
    return is_plain and not more and not any(_is_within(each, key) for each in all_keys)


def _is_within(key: str, wider: str) -> bool:
    """Whether one key sets a part of what another, which is not the same, sets."""
    parts = [part for part in key.split(".") if not part.isdigit()]
    return key != wider and f"{'.'.join(parts)}.".startswith(f"{wider}.")


def _shown(axis: Axis, places: Sequence[Mapping[str, str]]) -> Sequence[Setting]:
    """The settings of an axis that some place has; all without places."""
    labels = {at[axis.name] for at in places}
    return [each for each in axis.settings if not places or each.label in labels]


def _rows(sweep: "Sweep") -> dict[tuple[Json, Json], list[dict[str, Json]]]:
    """The table's rows, a flow each, by point and seed."""
    columns = {name: sweep.table[name].to_pylist() for name in sweep.table.column_names}
    found: dict[tuple[Json, Json], list[dict[str, Json]]] = {}
    for place in range(sweep.table.num_rows):
        row = {name: values[place] for name, values in columns.items()}
        found.setdefault((row["point"], row["seed"]), []).append(row)
    return found


def _numbers(
    document: Document, runs: Sequence[Sequence[Mapping[str, Json]]]
) -> dict[str, list[float]]:
    return {
        each.id: [_number(document, each, flows) for flows in runs]
        for each in document.measures.values()
        if not _is_beside(document, each)
    }


def _number(document: Document, each: Measure, flows: Sequence[Mapping[str, Json]]) -> float:
    where = f"{document.path}: [[measures]] {each.id}"
    if each.flow is not None:
        if each.flow >= len(flows):
            raise InputError(f"{where}: flow = {each.flow}: flows are 0 to {len(flows) - 1}")
        of_all = flows
        flows = flows[each.flow : each.flow + 1]
        if each.is_share:
            has = [f for f in of_all if all(_has(f, name) for _, name in each.terms)]
            whole = _total(each.terms, has, where)
            if whole == 0:
                raise NoNumberError(f"{where}: share: all flows have nothing in a run")
            return 100 * _total(each.terms, flows, where) / whole
    total = _total(each.terms, flows, where)
    if not each.per or _divisor_of(document, each):
        return total
    divisor = _total(each.per, flows, where)
    if divisor == 0:
        divisors = " + ".join(name for _, name in each.per)
        raise NoNumberError(f"{where}: per: {divisors} is 0 in a run")
    return total / divisor


def _total(
    terms: Sequence[tuple[int, str]], flows: Sequence[Mapping[str, Json]], where: str
) -> float:
    """Signed results of a run, added up; those of flows over the flows."""
    total = 0.0
    for sign, name in terms:
        names = [one for one in name.split("|") if one in flows[0]]
        if not names:
            if name.partition(".")[0] in TALLIES:
                continue
            raise InputError(f"{where}: no result called '{name}'{near(name, flows[0])}")
        counted = flows[:1] if is_of_run(names[0]) else flows
        found = [next((f[one] for one in names if is_number(f[one])), None) for f in counted]
        known = [value for value in found if is_number(value)]
        if len(known) < len(found):
            raise NoNumberError(f"{where}: {name} has no value in every flow")
        total += sign * sum(known)
    return total


def _has(flow: Mapping[str, Json], name: str) -> bool:
    """Whether a flow has such a result, or one of those between bars."""
    return any(flow.get(one, 0) is not None for one in name.split("|"))


def _is_beside(document: Document, each: Measure) -> bool:
    """Whether its numbers are no results of runs."""
    is_beside = bool(_only_prefix(document, each, each.terms))
    if is_beside and (each.per or each.flow is not None):
        raise InputError(
            f"{document.path}: [[measures]] {each.id}: per, flow: of results of runs only, "
            "as 'goodput_segments'"
        )
    return is_beside


def _divisor_of(document: Document, each: Measure) -> str:
    """What the names begin with that it is divided by, if these are no results of runs."""
    return _only_prefix(document, each, each.per) if each.per else ""


def _divisors(document: Document, measures: Sequence[Measure]) -> list[Measure]:
    """What some of them are divided by, where these are no results of runs, as measures."""
    divided = [each for each in measures if _divisor_of(document, each)]
    return [replace(each, terms=each.per, per=(), flow=None) for each in divided]


def _only_prefix(document: Document, each: Measure, terms: Sequence[tuple[int, str]]) -> str:
    prefixes = {_prefix(name) for _, name in terms}
    if len(prefixes) > 1:
        raise InputError(
            f"{document.path}: [[measures]] {each.id}: adds up numbers of different kinds: "
            f"{', '.join(sorted(prefix + '*' if prefix else 'results' for prefix in prefixes))}"
        )
    return next(iter(prefixes))


def _divided(
    document: Document, measure: str, totals: Sequence[float], divisors: Sequence[float]
) -> list[float]:
    if 0 in divisors:
        raise NoNumberError(f"{document.path}: [[measures]] {measure}: per is 0 in a run")
    return [total / divisor for total, divisor in zip(totals, divisors, strict=True)]


def _prefix(name: str) -> str:
    return next((prefix for prefix in BESIDE if name.startswith(prefix)), "")


def _numbers_beside(
    document: Document,
    measures: Sequence[Measure],
    load: Callable[[Mapping[str, Value]], _core.Scenario],
    seeds: Sequence[int],
    effort: Effort,
    place: Path,
) -> dict[str, list[float]]:
    """Of all measures of one kind from the same runs, which are made once more if it takes runs."""
    numbers: dict[str, list[float]] = {}
    for prefix, of in BESIDE.items():
        names = [name for each in measures for _, name in each.terms if name.startswith(prefix)]
        if names:
            scenario, once = load(of.keys), list(dict.fromkeys(names))
            more = {"emulations": document.emulations, "folder": place} if of.plays else {}
            try:
                numbers |= of.numbers(scenario, once, seeds, jobs=effort.jobs, **more)
            except InputError as error:
                raise NoNumberError(f"{document.path}: [[measures]]: {error}") from error
    return {
        each.id: [
            math.fsum(sign * value for (sign, _), value in zip(each.terms, values, strict=True))
            for values in zip(*(numbers[name] for _, name in each.terms), strict=True)
        ]
        for each in measures
    }
