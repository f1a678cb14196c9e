"""The sides of `explain --against` and `compare --why`: what they are, and the runs they need.

Results that tell where the time went are taken as they are. Of others the runs are made again, with
`output.flow_time`: the same seeds give the same results.
"""

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.data import at, items, number
from hopwright._io.errors import HopwrightWarning, InputError
from hopwright._io.files import MOST_BYTES, read_bytes
from hopwright._io.source import Source
from hopwright.explain.why import Side, Why, side_of, why
from hopwright.sweeps.folder import PLAN, SCENARIO, TABLE

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright.comparisons.treatment import Block
    from hopwright.sweeps.plan import Plan
    from hopwright.sweeps.points import Point

FLOW_TIME = ("output.flow_time", "true")
"""The key that runs need, and its value."""
SUMMARY = "summary.json"

Say = Callable[[str], object]


def of_folders(folder: Path, against: Path, seed: int | None, say: Say) -> list[Side]:
    """Two runs' folders as sides, the second as the baseline; `say` is told of runs to be made.

    Raises `InputError` if one of them is none, or has no run of the seed.
    """
    return [_of_run(place, seed, say) for place in (against, folder)]


def of_comparison(
    folder: Path, against: str, flows: Sequence[int] | None, seed: int | None, say: Say
) -> list[Why]:
    """The variants of a sweep or comparison against one of them, a `Why` for each block.

    Raises `InputError` if that is none of them.
    """
    from hopwright._io.parquet import read_table
    from hopwright.comparisons.treatment import blocks_of, treatment_of, values_of
    from hopwright.sweeps.folder import read_plan

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

    side = _with_seed(side_of(name, table, point.id), seed)
    if side.has_time or not side.runs:
        return side
    return _again(name, source, overrides_of(point.settings), sorted(side.runs), say)


def _of_run(folder: Path, seed: int | None, say: Say) -> Side:
    if (folder / PLAN).is_file():
        raise InputError(
            f"{folder}: is a sweep, not a run; 'hopwright explain {folder} --against VALUE' "
            "compares its variants"
        )
    file = folder / SUMMARY
    if not file.is_file():
        raise InputError(f"{folder}: is no folder that 'hopwright run' wrote")
    try:
        summary = json.loads(read_bytes(file, MOST_BYTES))
        runs = {int(number(each, "seed") or 0): each for each in items(summary, "results")}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error
    if at(summary, "emulation") is not None:
        raise InputError(f"{folder}: is of an emulation, which cannot be run again")
    from hopwright.results.tidy import Row, tidy

    table = tidy(["seed"], [Row({"seed": key}, result) for key, result in runs.items()])
    side = _with_seed(side_of(str(folder), table), seed)
    if side.has_time:
        return side
    return _again(str(folder), Source.read(folder / SCENARIO), [], sorted(side.runs), say)


def _with_seed(side: Side, seed: int | None) -> Side:
    if seed is None:
        return side
    if seed not in side.runs:
        known = ", ".join(map(str, sorted(side.runs))) or "none"
        raise InputError(f"--seed {seed}: {side.name} has no such run; seeds: {known}")
    return Side(side.name, {seed: side.runs[seed]})


def _again(
    name: str,
    source: Source,
    settings: Sequence[tuple[str, str]],
    seeds: Sequence[int],
    say: Say,
) -> Side:
    from hopwright._run.runs import run

    runs = f"{len(seeds)} run{'s' * (len(seeds) != 1)}"
    say(f"{name}: {runs} again, to see where the time went")
    found = Side(name, {})
    for first, count in _stretches(seeds):
        scenario = source.load([*settings, ("seed", str(first)), FLOW_TIME])
        with warnings.catch_warnings():
            # Whoever made these runs was warned of them.
            warnings.simplefilter("ignore", HopwrightWarning)
            part = side_of(name, run(scenario, runs=count).flows)
        found = Side(name, {**found.runs, **part.runs})
    return found


def _stretches(seeds: Sequence[int]) -> list[tuple[int, int]]:
    """Seeds that follow each other, as the first and how many."""
    found: list[tuple[int, int]] = []
    for seed in seeds:
        if found and seed == sum(found[-1]):
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((seed, 1))
    return found
