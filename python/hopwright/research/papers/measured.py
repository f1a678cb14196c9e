"""A paper's runs: sweeps over its settings, and the numbers taken from them."""

import itertools
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright._run.workers import Workers
from hopwright.research.papers import calling
from hopwright.research.papers.answers import Answer, Answers
from hopwright.research.papers.axes import Axis, Setting
from hopwright.research.papers.document import Document
from hopwright.research.papers.emulating import Wanted
from hopwright.research.papers.fields import Value
from hopwright.research.papers.measures import Measure
from hopwright.research.papers.points import (
    outer_first,
    overrides,
    point_words,
    rows_of,
    source_of,
)
from hopwright.research.papers.run import Point
from hopwright.research.papers.tables import Cell
from hopwright.research.papers.totals import Flows, number_of
from hopwright.results.metrics import GOODPUT
from hopwright.sweeps.run_plan import RunPlan

if TYPE_CHECKING:
    from hopwright._io.source import Source

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
            raise InputError("emulations: no measure needs an emulation, so there are none to draw")
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
    """Of each point, with seeds counted from the document's."""
    how: RunPlan
    """Its folder is that of this reading's sweeps."""
    watch: Callable[[float], object]
    workers: Workers = field(default_factory=lambda: Workers(1))
    """Who asks functions about runs."""


def named(labels: Iterable[str]) -> str:
    """A point's labels as the name of a folder."""
    return re.sub(r"[^\w.-]+", "-", "-".join(labels)) or "point"


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
    has_sums = any(not each.function for each in _measures(document, cells))
    values: dict[Labels, dict[str, list[float]]] = {}
    waiting: deque[_Waiting] = deque()
    with Answers(_beside(effort, "functions"), effort.workers) as answers:
        for labels, point, shown in _points(document, more, effort, cells):
            results = point.results() if has_sums else None
            at = _Spot(document, labels)
            numbers = values[labels] = {} if results is None else _sums(at, point.seeds, results)
            if document.emulations:  # which are made of all seeds at once
                with point:
                    numbers |= _functions(at, shown, point)
                continue
            asked = answers.ask(point, shown, document.functions, results, at.run)
            waiting.append(_Waiting(at, numbers, shown, asked))
            while waiting and waiting[0].is_done():
                waiting.popleft().take()
        for each in waiting:
            each.take()
    seeds, played = _seeds(document, effort), _played(effort)
    return Measured(document.axes, seeds, values, played if played.exists() else None)


def emulations_of(document: Document, more: Mapping[str, Value], effort: Effort) -> list[Wanted]:
    """The emulations that `measure` would make, of each point that has some."""
    wanted = (point.wanted() for _, point, _ in _points(document, more, effort, None))
    return [each for each in wanted if each is not None]


def _seeds(document: Document, effort: Effort) -> tuple[int, ...]:
    return tuple(range(document.seed, document.seed + effort.runs))


def _played(effort: Effort) -> Path:
    """The folder of emulations."""
    return _beside(effort, "emulations")


def _beside(effort: Effort, what: str) -> Path:
    """A folder beside that of the sweeps."""
    folder = effort.how.folder
    return folder.with_name(f"{folder.name}-{what}")


@dataclass(frozen=True)
class _Spot:
    """A point of a document."""

    document: Document
    labels: Labels

    @contextmanager
    def run(self, seed: int) -> Iterator[None]:
        """Says of a number that is missing or wrong in which run it is."""
        try:
            yield
        except InputError as error:
            here = [*point_words(self.document.axes, self.labels), f"seed {seed}"]
            raise type(error)(f"{error} ({', '.join(here)})") from error


@dataclass(frozen=True)
class _Waiting:
    """A point whose runs functions are asked about."""

    at: _Spot
    numbers: dict[str, list[float]]
    """Gets theirs."""
    measures: Sequence[Measure]
    asked: Sequence[Answer]

    def is_done(self) -> bool:
        """Whether all answers are there."""
        return all(each.is_done() for each in self.asked)

    def take(self) -> None:
        """Waits for the answers."""
        runs = []
        for asked in self.asked:
            with self.at.run(asked.seed):
                runs.append(asked.numbers())
        for place, each in enumerate(self.measures):
            self.numbers[each.id] = [run[place] for run in runs]


def _points(
    document: Document, more: Mapping[str, Value], effort: Effort, cells: Sequence[str] | None
) -> Iterator[tuple[Labels, Point, list[Measure]]]:
    """Every point, and its measures that are functions. It is run when its results are asked."""
    calling.check(document)
    scenario = source_of(document)
    keys_of_axes = (key for axis in document.axes for each in axis.settings for key in each.keys)
    all_keys = {*more, *keys_of_axes}
    inside = [axis for axis in document.axes if _is_simple(axis, all_keys)]
    apart = [axis for axis in document.axes if axis not in inside]
    outer = list(itertools.product(*(axis.settings for axis in apart)))
    places = [document.cells[name].at for name in cells or ()]
    folder, played = effort.how.folder, _played(effort)
    for number, fixed in enumerate(outer):
        at_fixed = {axis.name: each.label for axis, each in zip(apart, fixed, strict=True)}
        here = [at for at in places if at_fixed.items() <= at.items()]
        if cells is not None and not here:
            continue
        varied_here = [_shown(axis, here) for axis in inside]
        keys = {key: value for setting in fixed for key, value in setting.keys.items()}
        vary = {key: [value] for key, value in outer_first({**more, **keys}).items()}
        for settings in varied_here:
            (key,) = settings[0].keys
            vary[key] = [setting.keys[key] for setting in settings]
        place = folder / str(number + 1) if apart else folder
        swept = _Swept(document, vary, effort, place, (number, len(outer)))
        for index, varied in enumerate(itertools.product(*varied_here)):
            by_axis = dict(zip([*apart, *inside], [*fixed, *varied], strict=True))
            at = {axis.name: each.label for axis, each in by_axis.items()}
            settings = [by_axis[axis] for axis in document.axes]
            shown = [each for each in _measures(document, cells, at) if each.function]
            point = Point(
                _Load(scenario, settings, more),
                _seeds(document, effort),
                jobs=effort.how.cores,
                results=partial(swept.results, index),
                emulations=[*document.emulations.values()],
                together=[str(each.arguments.get(calling.EMULATION)) for each in shown],
                folder=played / named(setting.label for setting in settings),
            )
            yield tuple(setting.label for setting in settings), point, shown
        effort.watch((number + 1) / len(outer))


@dataclass(frozen=True)
class _Load:
    """Makes the scenario of a point; another process can, too."""

    source: "Source"
    settings: Sequence[Setting]
    more: Mapping[str, Value]

    def __call__(self, keys: Mapping[str, Value]) -> _core.Scenario:
        return self.source.load(overrides(self.settings, {**self.more, **keys}))


def _sums(at: _Spot, seeds: Sequence[int], runs: Sequence[Flows]) -> dict[str, list[float]]:
    """The measures that are made of results."""
    found: dict[str, list[float]] = {}
    sums = [each for each in at.document.measures.values() if not each.function]
    for seed, flows in zip(seeds, runs, strict=True):
        with at.run(seed):
            for each in sums:
                found.setdefault(each.id, []).append(number_of(each, flows))
    return found


def _functions(at: _Spot, measures: Sequence[Measure], point: Point) -> dict[str, list[float]]:
    """The measures that are functions: a run after the other, which is read only once."""
    found: dict[str, list[float]] = {each.id: [] for each in measures}
    for run in point.runs() if measures else ():
        for each in measures:
            with at.run(run.seed):
                found[each.id].append(calling.number(at.document.functions, each, run))
    return found


def _measures(
    document: Document, cells: Sequence[str] | None, at: Mapping[str, str] | None = None
) -> list[Measure]:
    """Those that the cells show, here or anywhere; without cells, those of the whole file."""
    named = (document.cells[name] for name in cells or document.cells)
    shown = {cell.measure for cell in named if at in (None, cell.at)}
    if cells is None:
        shown |= {each.measure for each in document.comparisons}
    return [each for each in document.measures.values() if each.id in shown]


@dataclass
class _Swept:
    """A sweep over some points, made when one of them is asked for its results."""

    document: Document
    vary: Mapping[str, list[Value]]
    effort: Effort
    folder: Path
    sweep_of: tuple[int, int]
    """Its number from 0, and of how many."""
    _found: list[list[Flows]] | None = None

    def results(self, point: int) -> list[Flows]:
        """The results of all runs of a point."""
        if self._found is None:
            self._found = self._sweep()
        return self._found[point]

    def _sweep(self) -> list[list[Flows]]:
        from hopwright.sweeps.axes import axes_of
        from hopwright.sweeps.perform import rule_of, sweep_axes

        number, count = self.sweep_of
        effort = self.effort
        done = sweep_axes(
            source_of(self.document),
            axes_of(self.vary, listed=True),
            overrides=(),
            rule=rule_of(effort.runs, None, GOODPUT, None),
            how=replace(
                effort.how,
                seed=self.document.seed,
                out=self.folder,
                resume=effort.how.resume and self.folder.exists(),
                overwrite=False,
            ),
            watch=lambda finished, of: effort.watch((number + finished / of) / count),
            # A paper's file serves several protocols: not every parameter has an effect.
            warn=lambda _line: None,
        )
        rows = rows_of(done)
        seeds = range(self.document.seed, self.document.seed + effort.runs)
        return [[rows[point.id, seed] for seed in seeds] for point in done.points]


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
