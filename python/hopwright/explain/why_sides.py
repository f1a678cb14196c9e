"""The sides of `explain --against` and `compare --why`: what they are, and the runs they need.

Results that tell where the time went are taken as they are. Of others the runs are made again, with
`output.flow_time`: the same seeds give the same results.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hopwright._io.data import at, items, json_of, number
from hopwright._io.errors import InputError
from hopwright._io.files import MOST_BYTES, read_bytes
from hopwright._io.paths import wrong_kind
from hopwright._io.plural import many
from hopwright._io.source import Source
from hopwright._run.execute import core_count, execute, result_of
from hopwright.explain.why import FlowRow, Side, side_of
from hopwright.results.tidy import tidy_runs
from hopwright.sweeps.folder import PLAN, SCENARIO

FLOW_TIME = ("output.flow_time", "true")
"""The key that runs need, and its value."""
SUMMARY = "summary.json"

Say = Callable[[str], object]


def of_folders(folder: Path, against: Path, seed: int | None, say: Say) -> list[Side]:
    """Two runs' folders as sides, the second as the baseline; `say` is told of runs to be made.

    Raises `InputError` if one of them is none, or has no run of the seed.
    """
    return [_of_run(place, seed, say) for place in (against, folder)]


def _of_run(folder: Path, seed: int | None, say: Say) -> Side:
    if (folder / PLAN).is_file():
        raise InputError(
            f"{folder}: is a sweep, not a run; 'hopwright explain {folder} --against VALUE' "
            "compares its variants"
        )
    file = folder / SUMMARY
    if not file.is_file():
        raise InputError(wrong_kind(folder, "name a folder that 'hopwright run' wrote"))
    try:
        summary = json_of(read_bytes(file, MOST_BYTES))
        runs = {int(number(each, "seed") or 0): each for each in items(summary, "results")}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error
    if at(summary, "emulation") is not None:
        raise InputError(f"{folder}: is an emulation, so its runs cannot be repeated")
    side = with_seeds(side_of(str(folder), tidy_runs(runs)), None if seed is None else [seed])
    if side.has_time:
        return side
    return again(side, Source.read(folder / SCENARIO), [], say)


def with_seeds(side: Side, seeds: Sequence[int] | None) -> Side:
    """The side with the runs of these seeds alone. Raises `InputError` if one is not there."""
    if seeds is None:
        return side
    for seed in seeds:
        if seed not in side.runs:
            known = ", ".join(map(str, sorted(side.runs))) or "none"
            raise InputError(
                f"seed {seed}: {side.name} has no run with this seed; it has seeds: {known}"
            )
    return Side(side.name, {seed: side.runs[seed] for seed in seeds})


def again(side: Side, source: Source, settings: Sequence[tuple[str, str]], say: Say) -> Side:
    """The side with its runs made again, so that they tell where the time went.

    Raises `InputError` if what happens then is not what had happened in them.
    """
    runs = many(len(side.runs), "run")
    say(f"{side.name}: repeating {runs}, to record how flows spent their time")
    found = Side(side.name, {})
    for first, count in _stretches(sorted(side.runs)):
        scenario = source.load([*settings, ("seed", str(first)), FLOW_TIME])
        finished = execute(scenario, range(first, first + count), jobs=core_count())
        part = side_of(side.name, tidy_runs({run.seed: result_of(run) for run in finished}))
        _check_same(side, part)
        found = Side(side.name, {**found.runs, **part.runs})
    return found


def _check_same(side: Side, repeated: Side) -> None:
    """Raises `InputError` if a repeated run differs from the recorded one."""
    for seed, flows in repeated.runs.items():
        was, now = (_fingerprint(each) for each in (side.runs[seed], flows))
        if was not in (None, now):
            raise InputError(
                f"{side.name}: the run with seed {seed} differs when it is repeated, so nothing "
                "tells how its flows spent their time; mechanisms were swapped while it ran "
                "(Simulation.swap), or another version of the program made it; record it with "
                "output.flow_time = true from the start"
            )


def _fingerprint(flows: Mapping[int, FlowRow]) -> object:
    """The hash of all frames of a run; None where it is not recorded."""
    return next(iter(flows.values())).get("fingerprint")


def _stretches(seeds: Sequence[int]) -> list[tuple[int, int]]:
    """Seeds that follow each other, as the first and how many."""
    found: list[tuple[int, int]] = []
    for seed in seeds:
        if found and seed == sum(found[-1]):
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((seed, 1))
    return found
