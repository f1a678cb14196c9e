"""Numbers of a scenario's network over time that need no run: who is how many hops from whom."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import is_number

if TYPE_CHECKING:
    from hopwright.research.papers.run import Point
    from hopwright.topology.report import Report, Seen

STEP_S = 1.0
"""Seconds between the instants that are looked at: 20 m at 20 m/s, of a range of 250 m."""


def of_runs(point: "Point") -> list[dict[str, float]]:
    """Numbers of every seed, by the names of `hopwright topology`."""
    runs = seen(point.scenario, point.seeds, jobs=point.jobs)
    return [_known(_report(point.scenario, [each])) for each in runs]


def _known(report: "Report") -> dict[str, float]:
    """Of pairs that a path joins at some time, and means over time."""
    of_pairs = {name: float(v) for name, v in report.paths().items() if is_number(v)}
    over_time = {name: mean for name, (mean, _, _) in report.over_time().items()}
    return of_pairs | over_time


def histogram(
    scenario: _core.Scenario, seeds: Sequence[int], *, bins: str, jobs: int
) -> tuple[list[float], list[int]]:
    """All seeds' pairs by the mean length of their path: edges of classes, and how many in each."""
    return _report(scenario, seen(scenario, seeds, jobs=jobs), bins).histogram()


def seen(scenario: _core.Scenario, seeds: Sequence[int], *, jobs: int) -> "list[Seen]":
    """The network of every seed."""
    from hopwright.topology.report import Seen

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda seed: Seen.of(scenario, seed, STEP_S), seeds))


def _report(scenario: _core.Scenario, runs: "Sequence[Seen]", bins: str = "fd") -> "Report":
    from hopwright.topology.report import Report

    return Report(scenario=scenario.name, step_s=STEP_S, bins=bins, runs=runs)
