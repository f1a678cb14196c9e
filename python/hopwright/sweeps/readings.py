"""What a sweep shows of its runs: each result is read once for all of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hopwright._io.data import items, number
from hopwright.results.metrics import GOODPUT, SHARING
from hopwright.results.starvation import Hungry, Starvation, hungry_in, starvation
from hopwright.sweeps.measure import run_value
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.points import Point
from hopwright.sweeps.schedule import Run, Schedule


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


@dataclass(frozen=True, eq=False)
class Readings:
    """What is shown of the finished runs of a plan."""

    plan: Plan
    schedule: Schedule
    flows: tuple[int, ...] | None
    """The only flows that are looked at; None: all."""

    @cached_property
    def planned(self) -> list[Run]:
        """The runs of all points, finished or not."""
        return [run for point in self.plan.ids for run in self.schedule.runs_of(point)]

    @cached_property
    def most_flows(self) -> int:
        """The most flows that a run has, of the first run of each point that has one."""
        results = self.schedule.results
        of_points = (self.schedule.runs_of(point) for point in self.plan.ids)
        found = (next((results[r] for r in runs if r in results), None) for runs in of_points)
        return max((len(items(json.loads(each), "flows")) for each in found if each), default=0)

    @property
    def has_several_flows(self) -> bool:
        """Whether more than one flow of a run is looked at."""
        return (self.most_flows if self.flows is None else len(self.flows)) > 1

    @cached_property
    def shown(self) -> list[str]:
        """The results that are shown: of several flows not the sum alone, if nobody chose."""
        of = self.plan.rule.of
        # How flows share is of all of a run's flows.
        if of != GOODPUT or not self.has_several_flows or self.flows is not None:
            return [of]
        return [of, *(key for key in SHARING if key != of)]

    @property
    def wall_s(self) -> float:
        """Wall time of all runs together."""
        return sum(look.wall_s for look in self._looks.values())

    def value(self, run: Run, key: str) -> float | None:
        """A result of a run; None if the run is not done or has no such result."""
        if key in self.shown:
            return look.values.get(key) if (look := self._looks.get(run)) else None
        text = self.schedule.results.get(run)
        return None if text is None else run_value(json.loads(text), key, self.flows)

    def values(self, point: Point, key: str) -> dict[int, float]:
        """A result of each of a point's runs that has it, by seed."""
        values = ((run.seed, self.value(run, key)) for run in self.schedule.runs_of(point.id))
        return {seed: value for seed, value in values if value is not None}

    def mean(self, point: Point, key: str) -> PointMean:
        """A result's mean over a point's runs that have it."""
        from hopwright.statistics.means import half_width, mean

        values = list(self.values(point, key).values())
        centre = mean(values) if values else None
        return PointMean(point, len(values), centre, half_width(values or [0.0]))

    def starvation_of(self, point: str) -> Starvation | None:
        """Who starves at a point."""
        looks = (self._looks.get(run) for run in self.schedule.runs_of(point))
        return starvation([look.hungry for look in looks if look])

    @cached_property
    def _looks(self) -> dict[Run, _Look]:
        found = {}
        for run in self.planned:
            text = self.schedule.results.get(run)
            if text is not None:
                result = json.loads(text)
                found[run] = _Look(
                    {key: run_value(result, key, self.flows) for key in self.shown},
                    number(result, "wall_s") or 0.0,
                    hungry_in(result),
                )
        return found
