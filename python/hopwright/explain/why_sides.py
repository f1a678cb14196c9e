"""The sides of `explain --against` and `compare --why`: what they are, and the runs they need.

Results that tell where the time went are taken as they are. Of others the runs are made again, with
`output.flow_time`: the same seeds give the same results.
"""

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.data import at, items, number
from hopwright._io.errors import HopwrightWarning, InputError
from hopwright._io.files import MOST_BYTES, read_bytes
from hopwright._io.source import Source
from hopwright.explain.why import Side, Why, side_of, why
from hopwright.sweeps.folder import PLAN, SCENARIO

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright.comparisons.parts import Part
    from hopwright.comparisons.question import Question
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


def of_parts(parts: "Sequence[Part]", question: "Question", say: Say) -> list[Why]:
    """The variants of sweeps against one of them, a `Why` for each block of each scenario.

    Raises `InputError` if the question makes no sense: `where` may name varied keys, the seed, and
    the scenario.
    """
    from hopwright._schema.settings import settings_text
    from hopwright.comparisons.compared import only_scenarios, points_where
    from hopwright.comparisons.contrast import SCENARIO as NAME
    from hopwright.comparisons.treatment import blocks_of, treatment_of, values_of

    several = len(parts) > 1
    parts, where = only_scenarios(parts, question)
    texts = where.pop("seed", None)
    seeds = None if texts is None else _seeds(texts)
    question = replace(question, where=where)
    found = []
    for plan, table, folder in parts:
        others = [key for key in where if key not in plan.keys]
        if others:
            raise InputError(f"--where {others[0]}: is not varied, so that no variant is chosen")
        treatment = treatment_of(values_of(plan.points, plan.joint_keys), question.baseline)
        blocks = blocks_of(points_where(plan, question), plan.joint_keys, treatment)
        source = (
            Source(plan.base, plan.name, ".") if folder is None else Source.read(folder / SCENARIO)
        )
        by_id = {point.id: point for point in plan.points}
        base = treatment.baseline
        for block in blocks:
            names = [base, *(name for name in block.points if name != base)]
            sides = [
                _of_point(name, by_id[block.points[name]], table, seeds, source, say)
                for name in names
            ]
            settings = {NAME: plan.name, **block.settings} if several else block.settings
            text = settings_text(settings) if settings else ""
            found.append(why(sides, question.flows, text, treatment.key))
    return found


def _of_point(
    name: str,
    point: "Point",
    table: "Table",
    seeds: Sequence[int] | None,
    source: Source,
    say: Say,
) -> Side:
    from hopwright._schema.settings import overrides_of

    side = _with_seeds(side_of(name, table, point.id), seeds)
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
    side = _with_seeds(side_of(str(folder), table), None if seed is None else [seed])
    if side.has_time:
        return side
    return _again(str(folder), Source.read(folder / SCENARIO), [], sorted(side.runs), say)


def _seeds(texts: Sequence[str]) -> list[int]:
    for text in texts:
        if not text.isdecimal():
            raise InputError(f"--where seed={text}: is no seed")
    return [int(text) for text in texts]


def _with_seeds(side: Side, seeds: Sequence[int] | None) -> Side:
    if seeds is None:
        return side
    for seed in seeds:
        if seed not in side.runs:
            known = ", ".join(map(str, sorted(side.runs))) or "none"
            raise InputError(f"seed {seed}: {side.name} has no such run; seeds: {known}")
    return Side(side.name, {seed: side.runs[seed] for seed in seeds})


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
