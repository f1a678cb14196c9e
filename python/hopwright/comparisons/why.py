"""`compare --why`: where the time of a sweep's variants went, beside that of the baseline."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError
from hopwright.comparisons.compared import only_scenarios, points_where
from hopwright.comparisons.contrast import SCENARIO as NAME
from hopwright.comparisons.treatment import blocks_of, treatment_of, values_of
from hopwright.explain.why import Side, Why, side_of, why
from hopwright.explain.why_sides import Say, again, with_seeds

if TYPE_CHECKING:
    from hopwright.comparisons.parts import Part
    from hopwright.comparisons.question import Question
    from hopwright.sweeps.points import Point


def of_parts(parts: "Sequence[Part]", question: "Question", say: Say) -> list[Why]:
    """The variants of sweeps against one of them, a `Why` for each block of each scenario.

    Raises `InputError` if the question makes no sense: `where` may name varied keys, the seed, and
    the scenario.
    """
    from hopwright._schema.settings import settings_text

    several = len(parts) > 1
    parts, where = only_scenarios(parts, question)
    texts = where.pop("seed", None)
    seeds = None if texts is None else _seeds(texts)
    question = replace(question, where=where)
    found = []
    for part in parts:
        plan = part.plan
        others = [key for key in where if key not in plan.keys]
        if others:
            raise InputError(
                f"--where {others[0]}: this key is not varied, so it chooses no variants"
            )
        treatment = treatment_of(values_of(plan.points, plan.joint_keys), question.baseline)
        blocks = blocks_of(
            points_where(plan.points, plan.keys, question), plan.joint_keys, treatment
        )
        by_id = {point.id: point for point in plan.points}
        base = treatment.baseline
        for block in blocks:
            names = [base, *(name for name in block.points if name != base)]
            sides = [_of_point(name, by_id[block.points[name]], part, seeds, say) for name in names]
            settings = {NAME: plan.name, **block.settings} if several else block.settings
            text = settings_text(settings) if settings else ""
            found.append(why(sides, question.flows, text, treatment.key))
    return found


def _of_point(
    name: str,
    point: "Point",
    part: "Part",
    seeds: Sequence[int] | None,
    say: Say,
) -> Side:
    from hopwright._schema.settings import overrides_of

    side = with_seeds(side_of(name, part.table, point.id), seeds)
    if side.has_time or not side.runs:
        return side
    source, fixed = part.given()
    return again(side, source, [*fixed, *overrides_of(point.settings)], say)


def _seeds(texts: Sequence[str]) -> list[int]:
    for text in texts:
        if not text.isdecimal():
            raise InputError(f"--where seed={text}: is not a seed; write a whole number")
    return [int(text) for text in texts]
