"""Which runs are to be done, and when a point has had enough of them.

What is done depends on the results alone, never on the order in which runs end: a point's number of
runs climbs fixed steps, and whether it climbs the next is decided on exactly the runs so far. So
any number of jobs, and any interruption, leads to the same table.
"""

import json
import math
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from hopwright.sweeps.measure import run_value
from hopwright.sweeps.plan import Plan

GROWTH = 1.5
"""Factor between the numbers of runs after which an adaptive sweep looks at a point."""


class Run(NamedTuple):
    """One run of one point."""

    point: str
    seed: int


class Schedule:
    """The runs of a plan: waiting, taken, finished.

    Attributes:
        results: The finished runs' results, as JSON.
        reached_ceiling: Ids of points that were to go on but have had the most runs allowed.
    """

    def __init__(self, plan: Plan, finished: Mapping[Run, str]) -> None:
        self.results = dict(finished)
        self.reached_ceiling: list[str] = []
        self._plan = plan
        self._waiting: deque[Run] = deque()
        self._order = {point: index for index, point in enumerate(plan.ids)}
        self._needed = dict.fromkeys(plan.ids, 0)
        self._missing = dict.fromkeys(plan.ids, 0)
        self.total = 0
        for point in plan.ids:
            self._extend(point, plan.rule.runs)

    @property
    def done(self) -> int:
        """Finished runs, of `total`, which grows as points turn out to need more."""
        return self.total - sum(self._missing.values())

    def take(self) -> Run | None:
        """The next run to do; None if there is none now."""
        return self._waiting.popleft() if self._waiting else None

    def finish(self, run: Run, result: str) -> None:
        """Notes a result of a run that has none yet."""
        self.results[run] = result
        self._missing[run.point] -= 1
        if not self._missing[run.point]:
            self._decide(run.point)

    def runs_of(self, point: str) -> list[Run]:
        """The runs that the point is to have here, in the order of their seeds."""
        plan = self._plan
        return [
            Run(point, plan.seed + index)
            for index in range(self._needed[point])
            if is_mine(plan, self._order[point], index)
        ]

    def _extend(self, point: str, needed: int) -> None:
        before = len(self.runs_of(point))
        self._needed[point] = needed
        runs = self.runs_of(point)
        missing = [run for run in runs if run not in self.results]
        self.total += len(runs) - before
        self._missing[point] = len(missing)
        self._waiting.extend(missing)
        if not missing:
            self._decide(point)

    def _decide(self, point: str) -> None:
        rule, needed = self._plan.rule, self._needed[point]
        if rule.until is None or not self.runs_of(point) or self._is_narrow(point, rule.until):
            return
        if needed >= rule.most_runs:
            self.reached_ceiling.append(point)
        else:
            self._extend(point, min(math.ceil(needed * GROWTH), rule.most_runs))

    def _is_narrow(self, point: str, until: float) -> bool:
        from hopwright.statistics.means import half_width, mean

        results = [json.loads(self.results[run]) for run in self.runs_of(point)]
        values = [run_value(result, self._plan.rule.of) for result in results]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return False
        width = half_width(known)
        return width is not None and width <= until * abs(mean(known))


def is_mine(plan: Plan, point: int, run: int) -> bool:
    """Whether a run belongs to the plan's shard.

    Neighbouring runs go to different shards, and which one does not depend on the number of runs.
    Adaptive points stay whole: what is decided there needs all their runs.
    """
    if plan.shard is None:
        return True
    part, parts = plan.shard
    return (point + (run if plan.rule.until is None else 0)) % parts == part - 1
