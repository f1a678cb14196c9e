"""Load a scenario, run it on all cores."""

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hopwright import _core
from hopwright.data import Json, Object
from hopwright.summary import summarise

POLL_S = 0.05
"""Wall time between two looks at the runs' progress."""

LARGEST_SEED = 2**53
"""The largest seed of a scenario: larger ones would not survive JSON readers."""

PATIENCE_S = 0.7
"""Wall time that interrupted runs get to stop."""


def load(
    path: str | os.PathLike[str], overrides: Mapping[str, str | float | bool] | None = None
) -> _core.Scenario:
    """Reads and checks a scenario file.

    `overrides` sets keys by their full name, `{"topology.hops": 4}`; a text is read as TOML, a bare
    word as a string. Raises `ScenarioError`.
    """
    pairs = [(key, _as_toml(value)) for key, value in (overrides or {}).items()]
    return _core.load(os.fspath(path), pairs)


def run(
    scenario: _core.Scenario | str | os.PathLike[str],
    *,
    runs: int = 1,
    jobs: int | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Object:
    """Runs a scenario with `runs` seeds counted from its own and returns the summary.

    `jobs` runs go at the same time: by default, one per core. With `out`, everything that
    `hopwright run --out` writes is in that folder afterwards.
    """
    if not isinstance(scenario, _core.Scenario):
        scenario = load(scenario)
    if runs < 1 or (jobs is not None and jobs < 1):
        raise ValueError("runs and jobs: at least 1")
    seeds = range(scenario.seed, scenario.seed + runs)
    if out is not None:
        from hopwright.out import check_folder
        from hopwright.recorded import run_into

        check_folder(Path(out), overwrite=overwrite)
        return run_into(Path(out), scenario, seeds, jobs=jobs or core_count(), overwrite=overwrite)
    finished = execute(scenario, seeds, jobs=jobs or core_count())
    return summarise(scenario, [result_of(each) for each in finished])


def execute(
    scenario: _core.Scenario,
    seeds: Sequence[int],
    *,
    jobs: int,
    folders: Sequence[Path] | None = None,
    figures: bool = False,
    watch: Callable[[float], object] = lambda _fraction: None,
) -> list[_core.RunResult]:
    """Runs the scenario once per seed in another thread, so that this one stays awake.

    With `folders`, one per seed, the runs write there what `[output]` asks for; with `figures`, the
    first keeps what they show.

    `watch` is told the finished part, 0 to 1, about twenty times a second. An interrupt
    (or any exception out of `watch`) stops the runs before it goes on.
    """
    progress = _core.Progress()
    finished: list[_core.RunResult] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            finished.extend(
                _core.run(scenario, list(seeds), jobs, progress, folders=folders, figures=figures)
            )
        except BaseException as error:  # noqa: BLE001 - raised again below
            failed.append(error)
        finally:
            done.set()

    # An event, because Python 3.11's `join`, once interrupted, takes a running thread for finished.
    done = threading.Event()
    threading.Thread(target=work, name="hopwright-runs", daemon=True).start()
    try:
        while not done.wait(POLL_S):
            watch(progress.fraction())
    except BaseException:
        progress.cancel()
        done.wait(PATIENCE_S)
        raise
    if failed:
        raise failed[0]
    return finished


def result_of(run: _core.RunResult) -> Json:
    """One run's element of the summary's `results`."""
    result: Json = json.loads(run.summary_json())
    return result


def core_count() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _as_toml(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
