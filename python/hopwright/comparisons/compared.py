"""The numbers of a comparison, from the results of one sweep, or of one a scenario."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.errors import InputError
from hopwright._schema.written import stands_for
from hopwright.comparisons.contrast import (
    SCENARIO,
    Contrast,
    Group,
    contrast_of,
    family,
    group_of,
    judged,
)
from hopwright.comparisons.measured import DEFAULT_METRICS, Observations
from hopwright.comparisons.outcome import Compared, Comparison, Starved
from hopwright.comparisons.parts import Part
from hopwright.comparisons.question import Question
from hopwright.comparisons.treatment import Block, Treatment, blocks_of, treatment_of, values_of
from hopwright.results.chosen import check_flows, rows_where

if TYPE_CHECKING:
    from hopwright.results.metrics import Metric
    from hopwright.sweeps.points import Point


class _Scenario(NamedTuple):
    """One of the scenarios: what was measured, and what of it is compared with each other."""

    part: Part
    measured: Observations
    blocks: list[Block]

    @property
    def seeds(self) -> list[int]:
        points = {point for block in self.blocks for point in block.points.values()}
        return sorted({seed for point in points for seed in self.measured.seeds(point)})

    def not_made(self, point: str, question: Question) -> int:
        """How many runs of a point are still to be made, of those that the question is about."""
        lacks = self.part.unfinished
        seeds = [run.seed for run in lacks.missing if run.point == point] if lacks else []
        wanted = question.where.get("seed")
        return sum(
            wanted is None or any(stands_for(text, seed) for text in wanted) for seed in seeds
        )


def compared(parts: Sequence[Part], question: Question, folder: Path | None) -> Comparison:
    """Compares within each scenario, never across; p-values are corrected over all of them.

    Raises `InputError` if the question makes no sense for these runs.
    """
    parts, where = only_scenarios(parts, question)
    question = replace(question, where=where)
    plan = parts[0].plan
    treatment = treatment_of(values_of(plan.points, plan.joint_keys), question.baseline)
    scenarios = [_scenario(part, treatment, question, several=len(parts) > 1) for part in parts]
    check_flows(question.flows, max(each.measured.flows for each in scenarios))
    chosen: list[Metric] = []
    groups: list[Group] = []
    families: dict[str, list[Contrast]] = {}
    for metric, having in _metrics(scenarios, question):
        of_variants: list[Group] = []
        for scenario in having:
            for block in scenario.blocks:
                alone, against = _block(block, treatment, scenario, metric, question)
                of_variants += alone
                families.setdefault(family(metric), []).extend(against)
        chosen.append(metric.fitting(each.mean for each in of_variants))
        groups += of_variants
    found = [each for tested in families.values() for each in judged(tested, question.confidence)]
    return Comparison(
        scenarios=[_told(each) for each in scenarios],
        version=plan.version,
        key=treatment.key,
        baseline=treatment.baseline,
        confidence=question.confidence,
        chosen=question.flows,
        has_udp=any(each.measured.has_udp for each in scenarios),
        metrics=chosen,
        groups=groups,
        contrasts=[each for metric in chosen for each in found if each.metric == metric.key],
        starvation=[
            Starved(block.settings, variant, starving)
            for scenario in scenarios
            for block in scenario.blocks
            for variant, point in block.points.items()
            if (starving := scenario.measured.starvation(point))
        ],
        folder=folder,
    )


def points_where(
    points: "Sequence[Point]", keys: Sequence[str], question: Question
) -> "list[Point]":
    """The points at which the varied `keys` have the values that a question is about."""
    of_points = {key: texts for key, texts in question.where.items() if key in keys}
    cells = {key: [point.settings[key] for point in points] for key in of_points}
    points = list(points)
    return [points[row] for row in rows_where(cells, of_points)] if of_points else points


def _points_of(part: Part, question: Question) -> "list[Point]":
    return points_where(part.plan.points, part.plan.keys, question)


def only_scenarios(
    parts: Sequence[Part], question: Question
) -> tuple[Sequence[Part], dict[str, Sequence[str]]]:
    """The scenarios that `where` leaves, and what it says besides."""
    where = dict(question.where)
    if len(parts) < 2 or SCENARIO not in where:
        return parts, where
    names = where.pop(SCENARIO)
    rows = rows_where({SCENARIO: [part.name for part in parts]}, {SCENARIO: names})
    return [parts[row] for row in rows], where


def _scenario(part: Part, treatment: Treatment, question: Question, *, several: bool) -> _Scenario:
    of_rows = {key: texts for key, texts in question.where.items() if key not in part.plan.keys}
    measured = Observations(part.table, part.plan.keys, of_rows)
    blocks = blocks_of(_points_of(part, question), part.plan.joint_keys, treatment)
    if several:
        blocks = [Block({SCENARIO: part.name, **each.settings}, each.points) for each in blocks]
    found = _Scenario(part, measured, blocks)
    if not found.seeds:
        raise InputError(f"{part.folder or part.name}: has no finished runs to compare")
    return found


def _told(scenario: _Scenario) -> Compared:
    seeds = scenario.seeds
    return Compared(scenario.part.name, seeds[0], seeds[-1], len(seeds), scenario.measured.flows)


def _metrics(
    scenarios: Sequence[_Scenario], question: Question
) -> "list[tuple[Metric, list[_Scenario]]]":
    """What is compared, and in which scenarios: not each of them measures all.

    Raises `InputError` for a metric that no scenario has.
    """
    wanted = list(dict.fromkeys(question.metrics))
    found: dict[str, tuple[Metric, list[_Scenario]]] = {}
    for key in wanted or [""]:
        errors = []
        for scenario in scenarios:
            try:
                known = scenario.measured.metrics([key] if key else [], question.flows)
            except InputError as error:
                errors.append(error)
                continue
            for metric in known:
                found.setdefault(metric.key, (metric, []))[1].append(scenario)
        if len(errors) == len(scenarios):
            raise errors[0]
    order = wanted or [key for key in DEFAULT_METRICS if key in found]
    return [found[key] for key in order]


def _block(
    block: Block,
    treatment: Treatment,
    scenario: _Scenario,
    metric: "Metric",
    question: Question,
) -> tuple[list[Group], list[Contrast]]:
    """The variants of a block by one metric: each by itself, and against the baseline."""
    measured = scenario.measured
    values = {
        variant: measured.values(point, metric, question.flows)
        for variant, point in block.points.items()
    }
    seeds = {variant: measured.seeds(point) for variant, point in block.points.items()}
    groups = [
        group_of(
            values[variant],
            metric=metric.key,
            block=block.settings,
            variant=variant,
            runs=len(seeds[variant]),
            flows=measured.counted(point, metric, question.flows),
            confidence=question.confidence,
        )
        for variant, point in block.points.items()
    ]
    not_made = {
        variant: scenario.not_made(point, question) for variant, point in block.points.items()
    }
    base = treatment.baseline
    contrasts = [
        contrast_of(
            values[variant],
            values[base],
            metric=metric.key,
            block=block.settings,
            key=treatment.key,
            variant=variant,
            baseline=base,
            runs=len(seeds[variant]) + len(seeds[base]),
            not_made=not_made[variant] + not_made[base],
            share_seeds=bool(set(seeds[variant]) & set(seeds[base])),
            confidence=question.confidence,
        )
        for variant in values
        if variant != base
    ]
    return groups, contrasts
