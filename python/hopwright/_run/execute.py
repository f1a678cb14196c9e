"""Runs of a scenario in another thread, and what each says of itself."""

import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json
from hopwright._io.errors import InputError

POLL_S = 0.05
"""Wall time between two looks at the runs' progress."""

LARGEST_SEED = 2**53
"""The largest seed of a scenario: larger ones would not survive JSON readers."""

NO_FLOWS = (
    "the scenario has no flows: its results are of the network and its routing, and there is no "
    "goodput"
)
"""What is said of a scenario that is run without flows: that is allowed, but may not be meant."""

PATIENCE_S = 0.7
"""Wall time that interrupted runs get to stop."""


def execute(
    scenario: _core.Scenario,
    seeds: Sequence[int],
    *,
    jobs: int,
    folders: Sequence[Path] | None = None,
    figures: bool = False,
    per_hop: bool = False,
    watch: Callable[[float], object] = lambda _fraction: None,
    warn: Callable[[str], object] | None = None,
) -> list[_core.RunResult]:
    """Runs the scenario once per seed in another thread, so that this one stays awake.

    With `folders`, one per seed, the runs write there what `[output]` asks for; with `figures`, the
    first keeps what they show; with `per_hop`, each makes a per-hop report. `warn` is told which
    of their files are missing; without it, that raises `OSError`.

    `watch` is told the finished part, 0 to 1, about twenty times a second. An interrupt
    (or any exception out of `watch`) stops the runs before it goes on.
    """
    if per_hop and not scenario.has_medium:
        raise InputError("a per-hop report needs stations on a medium, but links join these nodes")
    progress = _core.Progress()
    finished: list[_core.RunResult] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            finished.extend(
                _core.run(
                    scenario,
                    list(seeds),
                    jobs,
                    progress,
                    folders=folders,
                    figures=figures,
                    per_hop=per_hop,
                )
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
    tell_missing(finished, warn)
    return finished


def tell_missing(finished: Sequence[_core.RunResult], warn: Callable[[str], object] | None) -> None:
    """Tells which files of runs are missing; raises `OSError` where nobody is told."""
    for line in (line for each in finished for line in each.unwritten):
        if warn is None:
            raise OSError(line)
        warn(f"{line}: it is missing")


def result_of(run: _core.RunResult) -> Json:
    """One run's element of the summary's `results`."""
    result: Json = json.loads(run.summary_json())
    return result


def core_count() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
