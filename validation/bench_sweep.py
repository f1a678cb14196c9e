"""Measures what a sweep costs beside its simulations, and how two jobs share the runs.

    .venv/bin/python validation/bench_sweep.py

The sweep is of 2,000 short runs (chains of four hops, 30 s), journal, table and means included.
Its cost is the CPU time of its threads without the time inside the core's `run`, which simulates
in the thread that calls it. What a run costs is the difference between that sweep and one of two
runs a point; to it comes what the command needs with next to nothing to simulate, measured as
processes of their own. Cost and total are of the same process and the same minute, so a busy
machine does not favour one side.

Exit codes: 0 the targets are reached, 1 one is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import hopwright
from hopwright import _core

MOST_SHARE = 0.05
"""Of a sweep's CPU time: what may be spent outside simulation."""
MOST_MS = 0.65
"""CPU time outside simulation that a run may cost: half of what it was in November 2026."""

PROTOCOLS = ("newreno", "reno", "sack", "vegas")
CW_MIN = (15, 31, 63, 127, 255)
POINTS = len(PROTOCOLS) * len(CW_MIN)
VARY = {"flows.transport.protocol": PROTOCOLS, "mac.cw_min": CW_MIN}
RUNS = 2000
FEW = 2
"""Runs of a point where only what does not depend on their number is to be measured."""

SCENARIO = """\
name = "chain-4"
duration_s = 30
seed = 1
[topology]
kind = "chain"
hops = 4
spacing_m = 200
[routing]
protocol = "static"
[[flows]]
from = 0
to = 4
[flows.transport]
protocol = "newreno"
"""

T = TypeVar("T")


class CountingThreads(ThreadPoolExecutor):
    """Threads that count what each has done, and their CPU time inside and outside `_core.run`."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.done: Counter[str] = Counter()
        self.cpu_s = 0.0
        self.simulating_s = 0.0

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> "Future[T]":
        """Hands work over and counts it for the thread that does it."""

        def counted() -> T:
            before = time.thread_time()
            result = fn(*args, **kwargs)
            self.cpu_s += time.thread_time() - before
            self.done[threading.current_thread().name.rpartition("_")[2]] += 1
            return result

        return super().submit(counted)

    @contextmanager
    def counting_runs(self) -> Iterator[None]:
        """While this lasts, the CPU time of the core's runs is counted."""
        run = _core.run

        def counted(*args: object, **kwargs: object) -> list[_core.RunResult]:
            before = time.thread_time()
            results = run(*args, **kwargs)  # type: ignore[arg-type]
            self.simulating_s += time.thread_time() - before
            return results

        _core.run = counted
        try:
            yield
        finally:
            _core.run = run


def command_cpu_s(file: Path, out: Path) -> float:
    """CPU seconds of the command for all points, with next to nothing to simulate."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "hopwright", "sweep", str(file), "--set", "duration_s=1"),
            *("--vary", f"flows.transport.protocol={','.join(PROTOCOLS)}"),
            *("--vary", f"mac.cw_min={','.join(map(str, CW_MIN))}"),
            *("--jobs", "1", "--runs", str(FEW), "--out", str(out), "--overwrite"),
        ],
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("the sweep failed")
    return used.ru_utime + used.ru_stime


class Measured(NamedTuple):
    """A sweep's wall time, CPU time, CPU time outside simulation, and runs by thread."""

    wall_s: float
    cpu_s: float
    outside_s: float
    done: list[int]


def measure(file: Path, jobs: int, out: Path, runs: int = RUNS // POINTS) -> Measured:
    """Does the sweep with so many threads and runs a point."""
    with CountingThreads(jobs) as threads, threads.counting_runs():
        wall, cpu, here = time.perf_counter(), time.process_time(), time.thread_time()
        swept = hopwright.sweep(file, VARY, runs=runs, on=threads, jobs=jobs, out=out)
        swept.summary()
        return Measured(
            time.perf_counter() - wall,
            time.process_time() - cpu,
            time.thread_time() - here + threads.cpu_s - threads.simulating_s,
            sorted(threads.done.values()),
        )


def main() -> int:
    """Measures, prints, judges."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "chain.toml")
        file.write_text(SCENARIO)
        begun = median(command_cpu_s(file, Path(place, "begun")) for _ in range(5))
        few = measure(file, 1, Path(place, "few"), FEW)
        one = measure(file, 1, Path(place, "one"))
        two = measure(file, 2, Path(place, "two"))
    outside = begun + one.outside_s - few.outside_s
    total = begun + one.cpu_s - few.cpu_s
    share = outside / total
    each_ms = 1e3 * (one.outside_s - few.outside_s) / (RUNS - FEW * POINTS)
    found = {
        "begin and end, s": round(begun, 3),
        "CPU of the sweep, s": round(total, 2),
        "of that outside simulation, s": round(outside, 2),
        f"outside simulation, of {RUNS} runs": f"{share:.1%}",
        "outside simulation, ms a run": round(each_ms, 3),
        "speed-up of two jobs": round(one.wall_s / two.wall_s, 2),
        "runs by thread": two.done,
    }
    print(json.dumps(found, indent=2))
    return 0 if share <= MOST_SHARE and each_ms <= MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
