"""Load a scenario, run it on all cores."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.errors import InputError, StarvationWarning, check_count
from hopwright._io.in_python import in_python
from hopwright._io.keywords import hinting
from hopwright._io.source import Source
from hopwright._io.warn import doubts, to_caller
from hopwright._run.execute import LARGEST_SEED, NO_FLOWS, core_count, execute, result_of
from hopwright.results.summary import summarise

if TYPE_CHECKING:
    from hopwright.runs.results import Results
    from hopwright.scenario import Scenario


@in_python
@hinting()
def load(path: str | os.PathLike[str], settings: Mapping[str, object] | None = None) -> "Scenario":
    """Reads and checks a scenario file.

    Args:
        path: The file.
        settings: Keys to set, by their full names: `{"topology.hops": 4}`. A key of `flows` without
            a number, `flows.transport.protocol`, is set in all flows.

    Returns:
        The keys that the file states, as an object, and its name: that of the file, if the file
        states none. `Scenario.check` fills in every default.

    Raises:
        ScenarioError: Something is wrong with the scenario; it says where, and what would be right.
        InputError: The file cannot be read.
    """
    from hopwright.scenario import Scenario

    return Scenario.load(path, settings)


@in_python
@hinting()
def run(
    scenario: "Scenario | _core.Scenario | str | os.PathLike[str]",
    *,
    runs: int = 1,
    jobs: int | None = None,
    series: bool = False,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    watch: Callable[[float, int], object] | None = None,
    progress: bool = False,
) -> "Results":
    """Simulates a scenario with `runs` seeds, counted from its own.

    The same scenario and seed give the same results, whatever `jobs` is.

    Args:
        scenario: A scenario, or the path of its file.
        runs: How many runs, at least 1; with seeds `seed`, `seed` + 1, ...
        jobs: Runs at the same time; by default, one per core.
        series: Whether to keep what happened over time, for `Results.series`. Costs memory: some
            megabytes for a minute of a busy flow.
        out: A folder for everything that `hopwright run --out` writes.
        overwrite: Whether earlier results in that folder may be replaced.
        watch: Is told finished runs, with parts of those under way, and how many there are to be.
        progress: Whether to show a bar: on a terminal or in a notebook; lines elsewhere.

    Warns:
        HopwrightWarning: A parameter has no effect, or a number looks like one in another unit;
            or there are no flows.
        StarvationWarning: A flow gets next to nothing beside the others.

    Raises:
        ScenarioError: Something is wrong with the scenario.
        InputError: `runs` or `jobs` is no number from 1 to 1000000, or there are no such seeds; or
            the folder cannot be written, or has other files in it.
        RunError: A run failed, which is a fault of the program.
    """
    from hopwright._io.progress import watched

    check_count("runs", runs)
    if jobs is not None:
        check_count("jobs", jobs)
    checked = checked_scenario(scenario)
    for line in doubts(checked):
        to_caller(line)
    if not checked.flow_count:
        to_caller(NO_FLOWS)
    if checked.seed + runs - 1 > LARGEST_SEED:
        raise InputError(f"runs: of {runs}, the last seed would exceed {LARGEST_SEED}")
    seeds = range(checked.seed, checked.seed + runs)
    with watched(checked.name, watch, progress=progress) as tell:
        tell(0, runs)
        results = _results(
            checked,
            seeds,
            jobs=jobs or core_count(),
            series=series,
            out=None if out is None else Path(out),
            overwrite=overwrite,
            watch=lambda fraction: tell(fraction * runs, runs),
        )
        tell(runs, runs)
    if (starved := results.starvation) is not None:
        to_caller(starved.said(), StarvationWarning)
    return results


def _results(
    checked: _core.Scenario,
    seeds: Sequence[int],
    *,
    jobs: int,
    series: bool,
    out: Path | None,
    overwrite: bool,
    watch: Callable[[float], object],
) -> "Results":
    from hopwright._io.parquet import read_table
    from hopwright._run.recorded import run_into
    from hopwright.results.places import series_file
    from hopwright.runs.results import Results

    if out is not None:
        from hopwright._io.out import check_folder

        check_folder(out, overwrite=overwrite)
        summary = run_into(
            out, checked, seeds, jobs=jobs, overwrite=overwrite, watch=watch, warn=to_caller
        )
        return Results(checked, summary, folder=out)
    if not series:
        finished = execute(checked, seeds, jobs=jobs, watch=watch)
        return Results(checked, summarise(checked, [result_of(each) for each in finished]))
    import tempfile

    with tempfile.TemporaryDirectory(prefix="hopwright-") as name:
        folder = Path(name, "runs")
        summary = run_into(
            folder, checked, seeds, jobs=jobs, overwrite=False, figures=False, watch=watch
        )
        files = {seed: series_file(folder, seed, alone=len(seeds) == 1) for seed in seeds}
        tables = {seed: read_table(file) for seed, file in files.items() if file.exists()}
        return Results(checked, summary, series=tables)


def checked_scenario(
    scenario: "Scenario | _core.Scenario | str | os.PathLike[str]",
) -> _core.Scenario:
    """A scenario with every default filled in, whatever it is given as."""
    if isinstance(scenario, _core.Scenario):
        return scenario
    if isinstance(scenario, (str, os.PathLike)):
        return Source.read(scenario).load()
    if not hasattr(scenario, "source"):
        raise TypeError(
            f"{type(scenario).__name__}: is neither a scenario nor the path of a scenario"
        )
    return scenario.source().load()
