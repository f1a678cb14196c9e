"""What a sweep brought: points, table, and a look at both."""

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from hopwright.data import Json, Object, items, number
from hopwright.errors import InputError, near
from hopwright.metrics import metric
from hopwright.sweeps.axes import Values
from hopwright.sweeps.measure import check_measure, run_value
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.points import Point
from hopwright.sweeps.schedule import Run, Schedule
from hopwright.sweeps.settings import plain, shown

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright.figures import Figure

MOST_ROWS = 20
"""Points that are shown; the table has them all."""


class PointMean(NamedTuple):
    """A point's mean over runs, and half of its 95 % interval (None with a single run)."""

    point: Point
    runs: int
    mean: float | None
    half_width: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """A finished sweep.

    Attributes:
        points: The points in their order, each with its `id` and `settings`.
        vary: The varied keys, each with its values or its `Range`; keys that go together are a
            tuple.
        folder: Where the sweep is kept; None if only in memory.
    """

    points: list[Point]
    vary: Mapping[str | tuple[str, ...], Values]
    folder: Path | None
    plan: Plan = field(kw_only=True)
    schedule: Schedule = field(kw_only=True)

    @cached_property
    def table(self) -> "Table":
        """A row a flow a run, as an Arrow table; see `hopwright.sweeps.table.table_of`."""
        from hopwright.sweeps.table import table_of

        return table_of(self.plan, self.schedule)

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
        return sum(wall_s for _, wall_s in self._looked_at.values())

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
            for result in list(self.schedule.results.values())[:1]:
                check_measure(json.loads(result), key)
        return [found[point.id]._replace(point=point) for point in self.points]

    def figure(  # noqa: PLR0913 - the options of the command
        self,
        kind: str | None = None,
        *,
        x: str | None = None,
        y: str | None = None,
        by: Sequence[str] | None = None,
        value: str | None = None,
        where: Mapping[str, object] | None = None,
        title: str = "",
        log_x: bool = False,
        log_y: bool = False,
        wide: bool = False,
    ) -> "Figure":
        """What `hopwright plot` draws of the sweep; what is left out is guessed as there.

        Args:
            kind: `lines`, `bars`, `boxes`, `cdf` or `heat`.
            x: Column of the axis of x.
            y: What is measured; of a heat map, the axis of y.
            by: Columns that tell series apart.
            value: What a heat map shows.
            where: Only runs with these settings.
            title: Above the figure.
            log_x: Whether the axis of x is logarithmic.
            log_y: Whether the axis of y is.
            wide: Whether it is two columns of a paper wide, not one.

        Raises:
            InputError: A column is not there, or does not fit the kind.
        """
        from hopwright.figures.of_sweep import KINDS, SweepOptions, sweep_figure
        from hopwright.figures.results import Results

        if kind is not None and kind not in KINDS:
            raise InputError(f"no figure '{kind}' of a sweep{near(kind, KINDS)}")
        results = Results.of(self.table)
        for key, wanted in (where or {}).items():
            results = results.where(key, shown(plain(wanted)))
        options = SweepOptions(
            x=x, y=y, by=by, value=value, title=title, log_x=log_x, log_y=log_y, wide=wide
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
            "points": [
                {
                    "id": each.point.id,
                    "settings": cast("Json", dict(each.point.settings)),
                    "runs": each.runs,
                    "mean": each.mean,
                    "ci95": each.half_width,
                }
                for each in self.means()
            ],
            "reached_ceiling": [point.id for point in self.reached_ceiling],
        }

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Column names and cells of what is shown of the sweep: a row a point, the first ones."""
        from hopwright.table import show

        means = self.means()
        what = metric(self.plan.rule.of).fitting(each.mean for each in means)
        several = any(len(items(json.loads(r), "flows")) > 1 for r in self._first_results())
        label = what.label_of_flows if several else what.label
        names = [*self.plan.keys, "runs", label]
        rows = [
            [
                *(shown(each.point.settings[key]) for key in self.plan.keys),
                str(each.runs),
                show(each.mean, each.half_width, scale=what.scale, decimals=what.decimals),
            ]
            for each in means[:MOST_ROWS]
        ]
        return names, rows

    def _repr_html_(self) -> str:
        names, rows = self.rows()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        more = len(self.points) - len(rows)
        foot = f"<p>and {more} more points</p>" if more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"

    def _first_results(self) -> list[str]:
        """A result of each point that has one, as JSON."""
        results = self.schedule.results
        of_points = (self.schedule.runs_of(point) for point in self.plan.ids)
        found = (next((results[r] for r in runs if r in results), None) for runs in of_points)
        return [result for result in found if result is not None]

    @cached_property
    def _looked_at(self) -> dict[Run, tuple[float | None, float]]:
        """Of each finished run the result that `of` named and the wall time: read once for both."""
        found = {}
        for run in self._planned():
            text = self.schedule.results.get(run)
            if text is not None:
                result = json.loads(text)
                wall_s = number(result, "wall_s") or 0.0
                found[run] = run_value(result, self.plan.rule.of), wall_s
        return found

    def _value(self, run: Run, key: str) -> float | None:
        if key == self.plan.rule.of:
            return self._looked_at.get(run, (None, 0.0))[0]
        text = self.schedule.results.get(run)
        return None if text is None else run_value(json.loads(text), key)

    def _planned(self) -> list[Run]:
        return [run for point in self.plan.ids for run in self.schedule.runs_of(point)]
