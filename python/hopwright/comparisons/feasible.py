"""What is known of a comparison before its runs: whether there will be something to compare."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError
from hopwright._io.source import check_apart
from hopwright.comparisons.compared import points_where
from hopwright.comparisons.contrast import SCENARIO
from hopwright.comparisons.measured import NO_JAIN
from hopwright.comparisons.question import Question
from hopwright.comparisons.treatment import Treatment, blocks_of
from hopwright.results.chosen import check_flows, rows_where
from hopwright.results.metrics import JAIN
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
        if not checked.flow_count:
            _check_flows_of_points(source, fixed, points)
    if any(each.flow_count for each in loaded):
        check_flows(question.flows, max(each.flow_count for each in loaded))
    _check_jain(loaded, axes, question)
    joint_keys = [axis.keys for axis in axes]
    keys = [key for of_axis in joint_keys for key in of_axis]
    blocks_of(points_where(points, keys, question), joint_keys, treatment)
    _check_seeds(_chosen(loaded, question), question, runs)


def _check_flows_of_points(
    source: "Source", fixed: Sequence[tuple[str, str]], points: Sequence[Point]
) -> None:
    """Raises `InputError` for a scenario that gets no flow at any point."""
    _, variants = check_points(source, fixed, [point.settings for point in points])
    if not any("\n[[flows]]\n" in f"\n{each.text}" for each in variants.values()):
        raise InputError(
            f"{source.name}: has no flows, so there is nothing to compare; add a flow to it"
        )


def _check_jain(
    loaded: "Sequence[_core.Scenario]", axes: "Sequence[Axis]", question: Question
) -> None:
    """Raises `InputError` for Jain's index of runs that have one flow each."""
    varied = {key.rpartition(".")[2] for axis in axes for key in axis.keys}
    has_one = max(each.flow_count for each in loaded) == 1
    if JAIN in question.metrics and has_one and not varied & {"parallel", "count"}:
        raise InputError(NO_JAIN)


def _chosen(loaded: "Sequence[_core.Scenario]", question: Question) -> "list[_core.Scenario]":
    """The scenarios that `where` leaves."""
    if SCENARIO not in question.where:
        return list(loaded)
    names = {SCENARIO: [each.name for each in loaded]}
    return [loaded[row] for row in rows_where(names, {SCENARIO: question.where[SCENARIO]})]


def _check_seeds(loaded: "Sequence[_core.Scenario]", question: Question, runs: int) -> None:
    """Raises `InputError` for a seed with which a scenario is not run."""
    if SEED in question.where:
        for each in loaded:
            seeds = range(each.seed, each.seed + runs)
            rows_where({SEED: seeds}, {SEED: question.where[SEED]})
