"""`compare --why`: where the time of a sweep's variants went, beside that of the baseline."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError
from hopwright._io.source import Source
from hopwright.comparisons.treatment import blocks_of, treatment_of, values_of
from hopwright.explain.why import Side, Why, side_of, why
from hopwright.explain.why_sides import Say, again, with_seed
from hopwright.sweeps.folder import SCENARIO, TABLE, read_plan

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright.comparisons.treatment import Block
    from hopwright.sweeps.plan import Plan
    from hopwright.sweeps.points import Point


def of_comparison(
    folder: Path, against: str, flows: Sequence[int] | None, seed: int | None, say: Say
) -> list[Why]:
    """The variants of a sweep or comparison against one of them, a `Why` for each block.

    Raises `InputError` if that is none of them.
    """
    from hopwright._io.parquet import read_table

    plan = read_plan(folder)
    treatment = treatment_of(values_of(plan.points, plan.joint_keys), against)
    file = folder / TABLE
    if not file.is_file():
        raise InputError(f"{file}: is not there; finish the sweep with --resume")
    table = read_table(file)
    source = Source.read(folder / SCENARIO)
    blocks = blocks_of(plan.points, plan.joint_keys, treatment)
    return of_blocks(plan, table, blocks, treatment.baseline, flows, seed, source, say)


def of_blocks(
    plan: "Plan",
    table: "Table",
    blocks: "Sequence[Block]",
    baseline: str,
    flows: Sequence[int] | None,
    seed: int | None,
    source: Source,
    say: Say,
) -> list[Why]:
    """The same of blocks of points: of each, its variants against the baseline."""
    from hopwright._schema.settings import settings_text

    by_id = {point.id: point for point in plan.points}
    found = []
    for block in blocks:
        names = [baseline, *(name for name in block.points if name != baseline)]
        sides = [
            _of_point(name, by_id[block.points[name]], table, seed, source, say) for name in names
        ]
        found.append(why(sides, flows, settings_text(block.settings) if block.settings else ""))
    return found


def _of_point(
    name: str, point: "Point", table: "Table", seed: int | None, source: Source, say: Say
) -> Side:
    from hopwright._schema.settings import overrides_of

    side = with_seed(side_of(name, table, point.id), seed)
    if side.has_time or not side.runs:
        return side
    return again(name, source, overrides_of(point.settings), sorted(side.runs), say)
