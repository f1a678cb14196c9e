"""What a sweep brought: points, table, and a look at both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.data import Object
from hopwright._io.data_frames import to_pandas, to_polars
from hopwright._io.errors import InputError, near
from hopwright._io.in_python import in_python
from hopwright._io.plural import many
from hopwright._schema.settings import Value, settings_text, shown
from hopwright.results.chosen import (
    Flows,
    Wanted,
    apart,
    check_flows,
    flow_list,
    rows_where,
    texts_of,
)
from hopwright.results.metrics import metric
from hopwright.results.starvation import Starvation, warnings_at
from hopwright.sweeps.axes import Values
from hopwright.sweeps.features import check_names
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.points import Point
from hopwright.sweeps.readings import PointMean, Readings
from hopwright.sweeps.schedule import Run, Schedule

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from arro3.core import Table

    from hopwright.figures import Figure
    from hopwright.sweeps.best import Best

MOST_ROWS = 20
"""Points that are shown; the table has them all."""


class PointStarvation(NamedTuple):
    """A point at which a flow starves."""

    point: Point
    found: Starvation


@in_python
@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """A finished sweep.

    Attributes:
        points: The points in their order, each with its `id` and `settings`.
        vary: The varied keys, each with its values or its `Range`; keys that go together are a
            tuple.
        folder: Where the sweep is kept; None if only in memory.
        flows: The only flows of a part, see `only`; None: all.
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

        return table_of(self.plan, self.schedule, self.flows)

    def to_polars(self) -> "pl.DataFrame":
        """`table` as a data frame of polars. Raises `InputError` where polars is not installed."""
        return to_polars(self.table)

    def to_pandas(self) -> "pd.DataFrame":
        """`table` as a data frame of pandas. Raises `InputError` where pandas is not installed."""
        return to_pandas(self.table)

    def only(self, *, flow: Flows = None, where: Wanted | None = None) -> "Sweep":
        """A part of the sweep: its table, its figures, its means and all that is printed of it.

        The files in the sweep's folder stay whole.

        Args:
            flow: These flows alone, counted from 0: a number or a list.
            where: Only points with these settings; of a varied key, a value or a list of them.

        Raises `InputError` for a flow, a key or a value that is not there.
        """
        chosen, asked = apart(texts_of(where), flow)
        cells = {key: [each.settings[key] for each in self.points] for key in self.plan.keys}
        points = [self.points[row] for row in rows_where(cells, chosen)] if chosen else self.points
        part = replace(self, points=points, plan=replace(self.plan, points=tuple(points)))
        flows = flow_list(asked)
        check_flows(flows, part.readings.most_flows if self.flows is None else self.flows)
        return part if flows is None else replace(part, flows=flows)

    @property
    def reached_ceiling(self) -> list[Point]:
        """Points of an adaptive sweep whose interval is still too wide after the most runs."""
        return [point for point in self.points if point.id in self.schedule.reached_ceiling]

    @property
    def missing(self) -> list[Run]:
        """Runs that are not done: of a sweep that was put together from parts."""
        return [run for run in self.readings.planned if run not in self.schedule.results]

    @property
    def runs(self) -> int:
        """Finished runs; points that are the same scenario share theirs."""
        return sum(run in self.schedule.results for run in self.readings.planned)

    @cached_property
    def readings(self) -> Readings:
        """What is shown of the finished runs."""
        return Readings(self.plan, self.schedule, self.flows)

    @property
    def wall_s(self) -> float:
        """Wall time of all runs together."""
        return self.readings.wall_s

    @cached_property
    def starvation(self) -> list[PointStarvation]:
        """The points at which a flow starves in some run, and who does.

        `hopwright.results.starvation` says by which rule.
        """
        found = ((each, self.readings.starvation_of(each.id)) for each in self.points)
        return [PointStarvation(point, starved) for point, starved in found if starved]

    def starved(self) -> list[str]:
        """A line for each point at which a flow starves; if they are many, one for all of them."""
        found = [(settings_text(each.point.settings), each.found) for each in self.starvation]
        begun = {run.point for run in self.schedule.results}
        return warnings_at(found, sum(point.id in begun for point in self.points))

    def values(self, point: Point, key: str) -> dict[int, float]:
        """A result of each of a point's runs that has it, by seed."""
        return self.readings.values(point, key)

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
        key = key or self.plan.rule.of
        unique = {point.id: point for point in self.points}
        found = {name: self.readings.mean(point, key) for name, point in unique.items()}
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
        is_part = self.flows is not None and len(self.flows) < self.readings.most_flows
        results = Results.of(self.table, is_part=is_part).where(chosen).of_flows(flow_list(flows))
        look = Look(size=size, labels=labels or {}, order=order, colour=colour)
        options = SweepOptions(
            x=x, y=y, by=by, value=value, title=title, log_x=log_x, log_y=log_y, look=look
        )
        return sweep_figure(results, kind, options)[0]

    def __repr__(self) -> str:
        keys = ", ".join(self.plan.keys) or "nothing"
        counts = f"{many(len(self.points), 'point')}, {many(self.runs, 'run')}"
        return f"<Sweep of {self.plan.name!r} over {keys}: {counts}>"

    def summary(self) -> Object:
        """The sweep in short, for `--json`."""
        from hopwright.sweeps.report import summary

        return summary(self)

    def rows(
        self, sort: str | None = None, most: int | None = MOST_ROWS
    ) -> tuple[list[str], list[list[str]]]:
        """Column names and cells of what is shown of the sweep: a row a point, the first ones.

        `sort`: as for `order`; a result that is not shown otherwise is, then.
        """
        from hopwright.sweeps.report import rows

        return rows(self, sort, most)

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
        from hopwright.sweeps.report import html

        return html(self)


def _rank(value: Value) -> tuple[bool, float, str]:
    """Numbers rise, and come before words."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (False, float(value), "")
    return (True, 0.0, shown(value))
