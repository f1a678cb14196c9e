"""What a sweep brought: points, table, and a look at both."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from hopwright._io.data import Json, Object, items, number
from hopwright._io.data_frames import to_pandas, to_polars
from hopwright._io.errors import InputError, near
from hopwright._schema.settings import Value, settings_text, shown
from hopwright.results.chosen import (
    Flows,
    Wanted,
    apart,
    check_flows,
    flow_list,
    flows_text,
    rows_where,
    texts_of,
)
from hopwright.results.metrics import GOODPUT, SHARING, metric
from hopwright.results.starvation import Hungry, Starvation, hungry_in, starvation, warnings_at
from hopwright.sweeps.axes import Values
from hopwright.sweeps.features import check_names
from hopwright.sweeps.measure import run_value
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.points import Point
from hopwright.sweeps.schedule import Run, Schedule

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from arro3.core import Table

    from hopwright.figures import Figure
    from hopwright.sweeps.best import Best

MOST_ROWS = 20
"""Points that are shown; the table has them all."""


class PointMean(NamedTuple):
    """A point's mean over runs, and half of its 95 % interval (None with a single run)."""

    point: Point
    runs: int
    mean: float | None
    half_width: float | None


class _Look(NamedTuple):
    """What is shown of a run."""

    values: Mapping[str, float | None]
    wall_s: float
    hungry: Mapping[int, Hungry]


class PointStarvation(NamedTuple):
    """A point at which a flow starves."""

    point: Point
    found: Starvation


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """A finished sweep.

    Attributes:
        points: The points in their order, each with its `id` and `settings`.
        vary: The varied keys, each with its values or its `Range`; keys that go together are a
            tuple.
        folder: Where the sweep is kept; None if only in memory.
        flows: The only flows that are looked at, see `only`; None: all.
    """

    points: list[Point]
    vary: Mapping[str | tuple[str, ...], Values]
    folder: Path | None
    plan: Plan = field(kw_only=True)
    schedule: Schedule = field(kw_only=True)
    flows: tuple[int, ...] | None = field(default=None, kw_only=True)

    @cached_property
    def table(self) -> "Table":
        """A row a flow a run, as an Arrow table; see `hopwright.sweeps.table.table_of`."""
        from hopwright.sweeps.table import table_of

        return table_of(self.plan, self.schedule)

    def to_polars(self) -> "pl.DataFrame":
        """`table` as a data frame of polars. Raises `InputError` where polars is not installed."""
        return to_polars(self.table)

    def to_pandas(self) -> "pd.DataFrame":
        """`table` as a data frame of pandas. Raises `InputError` where pandas is not installed."""
        return to_pandas(self.table)

    def only(self, *, flow: Flows = None, where: Wanted | None = None) -> "Sweep":
        """A look at a part of the sweep: its means, its best point, and what is printed are of it.

        The table and the runs stay what they are.

        Args:
            flow: These flows alone, counted from 0: a number or a list.
            where: Only points with these settings; of a varied key, a value or a list of them.

        Raises `InputError` for a flow, a key or a value that is not there.
        """
        chosen, flows = apart(texts_of(where), flow)
        found = flow_list(flows)
        counts = [len(items(json.loads(each), "flows")) for each in self._first_results()]
        check_flows(found, max(counts, default=0))
        cells = {key: [each.settings[key] for each in self.points] for key in self.plan.keys}
        points = [self.points[row] for row in rows_where(cells, chosen)] if chosen else self.points
        return replace(self, points=points, flows=found)

    @property
    def reached_ceiling(self) -> list[Point]:
        """Points of an adaptive sweep whose interval is still too wide after the most runs."""
        return [point for point in self.points if point.id in self.schedule.reached_ceiling]

    @property
    def missing(self) -> list[Run]:
        """Runs that are not done: of a sweep that was put together from parts."""
        return [run for run in self._planned() if run not in self.schedule.results]

    @property
    def runs(self) -> int:
        """Finished runs; points that are the same scenario share theirs."""
        return self.schedule.done

    @property
    def simulated_s(self) -> float:
        """Wall time of all runs together."""
        return sum(look.wall_s for look in self._looked_at.values())

    @cached_property
    def starvation(self) -> list[PointStarvation]:
        """The points at which a flow starves in some run, and who does.

        `hopwright.results.starvation` says by which rule.
        """
        found = ((each, self._starvation_of(each.id)) for each in self.points)
        return [PointStarvation(point, starved) for point, starved in found if starved]

    def starved(self) -> list[str]:
        """A line for each point at which a flow starves; if they are many, one for all of them."""
        found = [(settings_text(each.point.settings), each.found) for each in self.starvation]
        return warnings_at(found, len(self.points))

    def values(self, point: Point, key: str) -> dict[int, float]:
        """A result of each of a point's runs that has it, by seed."""
        values = ((run.seed, self._value(run, key)) for run in self.schedule.runs_of(point.id))
        return {seed: value for seed, value in values if value is not None}

    def best(self, key: str | None = None) -> "Best":
        """The best point by a result, and over which others that is sure; by default, by `of`.

        Raises `InputError` where there is no such result, or no better or worse of it.
        """
        from hopwright.sweeps.best import best_of

        return best_of(self, key)

    def order(self, key: str | None = None) -> list[int]:
        """The points' places, sorted: by a varied key, rising, or by a result, the best first.

        By default the sweep's own order. Points without a value come last. Raises `InputError` if
        there is no such key.
        """
        places = range(len(self.points))
        if key is None:
            return list(places)
        if key in self.plan.keys:
            return sorted(places, key=lambda place: _rank(self.points[place].settings[key]))
        sign = 1.0 if metric(key).better == "lower" else -1.0
        found = [each.mean for each in self.means(key)]
        return sorted(places, key=lambda n: (found[n] is None, sign * (found[n] or 0.0)))

    def means(self, key: str | None = None) -> list[PointMean]:
        """Each point's mean over runs of a result: by default, of what `of` named.

        Raises `InputError` if there is no such result.
        """
        from hopwright.statistics.means import half_width, mean

        key = key or self.plan.rule.of
        found: dict[str, PointMean] = {}
        for point in self.points:
            if point.id in found:
                continue
            values = []
            for run in self.schedule.runs_of(point.id):
                value = self._value(run, key)
                if value is not None:
                    values.append(value)
            centre = mean(values) if values else None
            found[point.id] = PointMean(point, len(values), centre, half_width(values or [0.0]))
        if not any(each.runs for each in found.values()):
            check_names([key])
        return [found[point.id]._replace(point=point) for point in self.points]

    def figure(  # noqa: PLR0913 - the options of the command
        self,
        kind: str | None = None,
        *,
        x: str | None = None,
        y: str | None = None,
        by: Sequence[str] | None = None,
        value: str | None = None,
        where: Wanted | None = None,
        flow: Flows = None,
        title: str = "",
        log_x: bool = False,
        log_y: bool = False,
        size: str = "column",
        labels: Mapping[str, str] | None = None,
        order: Sequence[str] = (),
        colour: str | Mapping[str, str] = "",
    ) -> "Figure":
        """What `hopwright plot` draws of the sweep; what is left out is guessed as there.

        Args:
            kind: `lines`, `bars`, `boxes`, `cdf` or `heat`.
            x: Column of the axis of x.
            y: What is measured; of a heat map, the axis of y.
            by: Columns that tell series apart.
            value: What a heat map shows.
            where: Only runs with these settings; of a key, a value or a list of them.
            flow: These flows alone, counted from 0: a number or a list.
            title: Above the figure.
            log_x: Whether the axis of x is logarithmic.
            log_y: Whether the axis of y is.
            size: How wide it is, such as `ieee-column`; `docs/figures.md` lists them.
            labels: What stands for a name: of a series, a setting, a column.
            order: The names of series and settings that come first.
            colour: A palette of Matplotlib's, such as `okabe-ito`, or colours by name; else grey.

        Raises:
            InputError: A column is not there, or does not fit the kind.
        """
        from hopwright.figures.look import Look
        from hopwright.figures.of_sweep import KINDS, SweepOptions, sweep_figure
        from hopwright.figures.results import Results

        if kind is not None and kind not in KINDS:
            raise InputError(f"no figure '{kind}' of a sweep{near(kind, KINDS)}")
        chosen, flows = apart(texts_of(where), flow)
        results = Results.of(self.table).where(chosen).of_flows(flow_list(flows))
        look = Look(size=size, labels=labels or {}, order=order, colour=colour)
        options = SweepOptions(
            x=x, y=y, by=by, value=value, title=title, log_x=log_x, log_y=log_y, look=look
        )
        return sweep_figure(results, kind, options)[0]

    def __repr__(self) -> str:
        keys = ", ".join(self.plan.keys) or "nothing"
        counts = f"{len(self.points)} points, {self.runs} runs"
        return f"<Sweep of {self.plan.name!r} over {keys}: {counts}>"

    def summary(self) -> Object:
        """The sweep in short, for `--json`."""
        return {
            "scenario": self.plan.name,
            "version": self.plan.version,
            "build": self.plan.build,
            "seed": self.plan.seed,
            "runs": self.runs,
            "simulated_s": self.simulated_s,
            "folder": None if self.folder is None else str(self.folder),
            "of": self.plan.rule.of,
            "chosen_flows": None if self.flows is None else list(self.flows),
            "points": [
                {
                    "id": each.point.id,
                    "settings": cast("Json", dict(each.point.settings)),
                    "runs": each.runs,
                    "mean": each.mean,
                    "ci95": each.half_width,
                    **self._sharing_json(index),
                }
                for index, each in enumerate(self.means())
            ],
            "reached_ceiling": [point.id for point in self.reached_ceiling],
        }

    def rows(
        self, sort: str | None = None, most: int | None = MOST_ROWS
    ) -> tuple[list[str], list[list[str]]]:
        """Column names and cells of what is shown of the sweep: a row a point, the first ones.

        `sort`: as for `order`; a result that is not shown otherwise is, then.
        """
        from hopwright.results.table import show

        order = self.order(sort)[:most]
        results = list(dict.fromkeys([*self._shown, *([sort] if sort else [])]))
        columns = [(key, self.means(key)) for key in results if key not in self.plan.keys]
        names = [*self.plan.keys, "runs"]
        rows = [
            [
                *(shown(self.points[place].settings[key]) for key in self.plan.keys),
                str(columns[0][1][place].runs),
            ]
            for place in order
        ]
        for key, means in columns:
            what = metric(key).fitting(each.mean for each in means)
            if self.flows is not None:
                names.append(f"{what.label}, {flows_text(self.flows)}")
            else:
                names.append(what.label_of_flows if self.has_several_flows else what.label)
            for row, place in zip(rows, order, strict=True):
                each = means[place]
                row.append(
                    show(each.mean, each.half_width, scale=what.scale, decimals=what.decimals)
                )
        return names, rows

    def __str__(self) -> str:
        """What `hopwright sweep` prints."""
        from hopwright.sweeps.report import text

        return text(self)

    def to_latex(
        self,
        sort: str | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        order: Sequence[str] = (),
    ) -> str:
        """The table of all points for a paper, in LaTeX.

        It needs the packages booktabs and siunitx.

        Args:
            sort: As for `order`.
            labels: What stands for a value, a key or a column of results.
            order: The values whose rows come first.

        Raises:
            InputError: A name is of nothing that the table has.
        """
        from hopwright._io.names import Names
        from hopwright.sweeps.report import latex

        return latex(self, sort, Names(labels=labels or {}, order=order))

    def _repr_html_(self) -> str:
        from hopwright._io import markup

        names, rows = self.rows()
        more = len(self.points) - len(rows)
        return "".join(
            [
                markup.table(names, rows),
                markup.paragraph(f"and {more} more points") if more else "",
                *(markup.paragraph(f"Warning: {line}") for line in self.starved()),
            ]
        )

    @cached_property
    def has_several_flows(self) -> bool:
        """Whether more than one flow of a run is looked at."""
        if self.flows is not None:
            return len(self.flows) > 1
        return any(len(items(json.loads(r), "flows")) > 1 for r in self._first_results())

    @cached_property
    def _shown(self) -> list[str]:
        """The results that are shown: of several flows not the sum alone, if nobody chose."""
        of = self.plan.rule.of
        # How flows share is of all of a run's flows.
        if of != GOODPUT or not self.has_several_flows or self.flows is not None:
            return [of]
        return [of, *(key for key in SHARING if key != of)]

    def _sharing_json(self, index: int) -> Object:
        """What several flows add to a point's numbers: means of how they share, and who starves."""
        if not self.has_several_flows or self.flows is not None:
            return {}
        point = self.points[index]
        found = next((each.found for each in self.starvation if each.point is point), None)
        sharing: Object = {}
        for key in self._shown[1:]:
            each = self.means(key)[index]
            sharing[key] = {"mean": each.mean, "ci95": each.half_width}
        return {"sharing": sharing, "starvation": None if found is None else found.to_dict()}

    def _first_results(self) -> list[str]:
        """A result of each point that has one, as JSON."""
        results = self.schedule.results
        of_points = (self.schedule.runs_of(point) for point in self.plan.ids)
        found = (next((results[r] for r in runs if r in results), None) for runs in of_points)
        return [result for result in found if result is not None]

    @cached_property
    def _looked_at(self) -> dict[Run, _Look]:
        """What is shown of each finished run: each is read once for all of it."""
        found = {}
        for run in self._planned():
            text = self.schedule.results.get(run)
            if text is not None:
                result = json.loads(text)
                found[run] = _Look(
                    {key: run_value(result, key, self.flows) for key in self._shown},
                    number(result, "wall_s") or 0.0,
                    hungry_in(result),
                )
        return found

    def _value(self, run: Run, key: str) -> float | None:
        if key in self._shown:
            return look.values.get(key) if (look := self._looked_at.get(run)) else None
        text = self.schedule.results.get(run)
        return None if text is None else run_value(json.loads(text), key, self.flows)

    def _starvation_of(self, point: str) -> Starvation | None:
        looks = (self._looked_at.get(run) for run in self.schedule.runs_of(point))
        return starvation([look.hungry for look in looks if look])

    def _planned(self) -> list[Run]:
        return [run for point in self.plan.ids for run in self.schedule.runs_of(point)]


def _rank(value: Value) -> tuple[bool, float, str]:
    """Numbers rise, and come before words."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (False, float(value), "")
    return (True, 0.0, shown(value))
