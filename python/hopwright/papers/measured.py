"""A paper's runs: sweeps over its settings, and the numbers taken from them."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright.data import Json, is_number
from hopwright.errors import InputError, near
from hopwright.metrics import is_of_run
from hopwright.papers import series
from hopwright.papers.document import Axis, Cell, Document, Measure, Setting
from hopwright.papers.fields import Fields, Value
from hopwright.statistics.means import TALLIES

if TYPE_CHECKING:
    from hopwright.source import Source
    from hopwright.sweeps import Sweep

Labels = tuple[str, ...]
"""A point: the labels of its settings, in the order of the axes."""


@dataclass(frozen=True)
class Measured:
    """What the runs of one reading gave."""

    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    values: Mapping[Labels, Mapping[str, Sequence[float]]]
    """By point and measure: one for each seed."""

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
    return overrides_of({**keys, **more})


def measure(
    document: Document,
    more: Mapping[str, Value],
    effort: Effort,
    cells: Sequence[str] | None = None,
) -> Measured:
    """Runs every point of the document with the keys `more` set.

    With `cells`, ids, points and measures of series that none of them shows are left out.

    Axes of one key are varied inside a sweep; every combination of the others has a sweep of its
    own, in a folder of its own.
    """
    from hopwright.sweeps import sweep

    for key in (key for axis in document.axes for key in axis.settings[0].keys if key in more):
        raise InputError(f"{document.path}: a reading sets {key}, which is varied")
    scenario = source_of(document)
    inside = [axis for axis in document.axes if len(axis.settings[0].keys) == 1]
    apart = [axis for axis in document.axes if axis not in inside]
    outer = list(itertools.product(*(axis.settings for axis in apart)))
    seeds = tuple(range(document.seed, document.seed + effort.runs))
    shown = {document.cells[name].measure for name in cells or document.cells}
    if cells is None:
        shown |= {each.measure for each in document.comparisons}
    curves = [each for each in document.measures.values() if each.id in shown and _of_series(each)]
    places = [document.cells[name].at for name in cells or ()]
    values: dict[Labels, dict[str, list[float]]] = {}
    for number, fixed in enumerate(outer):
        at_fixed = dict(
            zip((axis.name for axis in apart), (each.label for each in fixed), strict=True)
        )
        here = [at for at in places if at_fixed.items() <= at.items()]
        if cells is not None and not here:
            continue
        varied_here = [_shown(axis, here) for axis in inside]
        vary = {key: [value] for setting in fixed for key, value in setting.keys.items()}
        for chosen in varied_here:
            (key,) = chosen[0].keys
            vary[key] = [setting.keys[key] for setting in chosen]
        place = effort.folder / str(number + 1) if apart else effort.folder

        def watch(finished: float, of: int, number: int = number) -> None:
            effort.watch((number + finished / of) / len(outer))

        done = sweep(
            scenario,
            vary,
            overrides=more,
            seed=document.seed,
            runs=effort.runs,
            jobs=effort.jobs,
            out=place,
            resume=effort.resume and place.exists(),
            watch=watch,
        )
        rows = _rows(done)
        combinations = itertools.product(*varied_here)
        for point, varied in zip(done.points, combinations, strict=True):
            by_axis = dict(zip([*apart, *inside], [*fixed, *varied], strict=True))
            settings = [by_axis[axis] for axis in document.axes]
            flows = [rows[point.id, seed] for seed in seeds]
            labels = tuple(setting.label for setting in settings)
            values[labels] = _numbers(document, flows)
            if curves:
                scenario_here = scenario.load(overrides(settings, more))
                values[labels] |= _series_numbers(document, curves, scenario_here, seeds, effort)
    return Measured(document.axes, seeds, values)


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
        if not _of_series(each)
    }


def _number(document: Document, each: Measure, flows: Sequence[Mapping[str, Json]]) -> float:
    where = f"{document.path}: [[measures]] {each.id}"
    total = 0.0
    for sign, name in each.terms:
        if name not in flows[0]:
            if name.partition(".")[0] in TALLIES:
                continue
            raise InputError(f"{where}: no result called '{name}'{near(name, flows[0])}")
        found = [flow[name] for flow in (flows[:1] if is_of_run(name) else flows)]
        known = [value for value in found if is_number(value)]
        if len(known) < len(found):
            raise InputError(f"{where}: {name} has no value in every flow")
        total += sign * sum(known)
    return total


def _of_series(each: Measure) -> list[str]:
    return [name for _, name in each.terms if name.startswith(series.PREFIX)]


def _series_numbers(
    document: Document,
    measures: Sequence[Measure],
    scenario: _core.Scenario,
    seeds: Sequence[int],
    effort: Effort,
) -> dict[str, list[float]]:
    """Of all measures from the same runs, which are made once more to record their series."""
    for each in measures:
        if len(_of_series(each)) < len(each.terms):
            raise InputError(
                f"{document.path}: [[measures]] {each.id}: either series or the summary, not both"
            )
    names = list(dict.fromkeys(name for each in measures for name in _of_series(each)))
    numbers = series.numbers(scenario, names, seeds, jobs=effort.jobs)
    return {
        each.id: [
            math.fsum(sign * value for (sign, _), value in zip(each.terms, values, strict=True))
            for values in zip(*(numbers[name] for _, name in each.terms), strict=True)
        ]
        for each in measures
    }
