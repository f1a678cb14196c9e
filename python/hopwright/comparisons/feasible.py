"""What is known of a comparison before its runs: whether there will be something to compare."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError
from hopwright._io.source import check_apart
from hopwright.comparisons.compared import points_where
from hopwright.comparisons.contrast import SCENARIO
from hopwright.comparisons.question import Question
from hopwright.comparisons.treatment import Treatment, blocks_of
from hopwright.results.chosen import check_flows, rows_where
from hopwright.results.metrics import JAIN, check_jain
from hopwright.sweeps.axes import check_where
from hopwright.sweeps.design import settings_of
from hopwright.sweeps.points import Point, check_points

if TYPE_CHECKING:
    from hopwright import _core
    from hopwright._io.source import Source
    from hopwright.sweeps.axes import Axis

SEED = "seed"
NOT_VARIED = (SEED, SCENARIO)
"""Columns besides the varied keys by which `where` chooses."""


def check_before(
    scenarios: "Sequence[tuple[Source, Sequence[tuple[str, str]]]]",
    axes: "Sequence[Axis]",
    question: Question,
    treatment: Treatment,
    runs: int,
) -> None:
    """Raises `InputError` if the runs cannot answer the question, whatever comes out of them."""
    loaded = [source.load(fixed) for source, fixed in scenarios]
    check_apart([each.name for each in loaded])
    check_where({k: v for k, v in question.where.items() if k not in NOT_VARIED}, axes)
    settings = settings_of(axes, "product", None, 0)
    points = [Point(str(number), each) for number, each in enumerate(settings)]
    for (source, fixed), checked in zip(scenarios, loaded, strict=True):
        if not checked.flow_count and not _most_flows(source, fixed, points):
            raise InputError(
                f"{source.name}: has no flows, so there is nothing to compare; add a flow to it"
            )
    if JAIN in question.metrics and max(each.flow_count for each in loaded) < 2:
        check_jain([JAIN], max(_most_flows(*each, points) for each in scenarios))
    joint_keys = [axis.keys for axis in axes]
    keys = [key for of_axis in joint_keys for key in of_axis]
    points = points_where(points, keys, question)
    chosen = _chosen(loaded, question)
    if question.flows is not None:
        for place in chosen:
            for point in points:
                check_flows(question.flows, _most_flows(*scenarios[place], [point]))
    blocks_of(points, joint_keys, treatment)
    _check_seeds([loaded[place] for place in chosen], question, runs)


def _most_flows(source: "Source", fixed: Sequence[tuple[str, str]], points: Sequence[Point]) -> int:
    """The most flows that a scenario has at a point."""
    return check_points(source, fixed, [point.settings for point in points]).most_flows


def _chosen(loaded: "Sequence[_core.Scenario]", question: Question) -> list[int]:
    """The places of the scenarios that `where` leaves."""
    if SCENARIO not in question.where:
        return list(range(len(loaded)))
    names = {SCENARIO: [each.name for each in loaded]}
    return rows_where(names, {SCENARIO: question.where[SCENARIO]})


def _check_seeds(loaded: "Sequence[_core.Scenario]", question: Question, runs: int) -> None:
    """Raises `InputError` for a seed with which a scenario is not run."""
    if SEED in question.where:
        for each in loaded:
            seeds = range(each.seed, each.seed + runs)
            rows_where({SEED: seeds}, {SEED: question.where[SEED]})
