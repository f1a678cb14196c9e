"""What a sweep costs beside its simulations.

The target is a twentieth of its CPU time, which `validation/bench_sweep.py` measures. Here, what
the load of the machine changes most is left out: that threads wait for each other.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import hopwright as hw
from hopwright import _core

RUNS = 2000
MOST_SHARE = 0.05
ROUNDS = 7
SHORT = {"duration_s": 30, "topology.hops": 4, "flows.to": 4}
"""A short run: about ten thousandths of a second for each simulated second and hop."""


class Canned:
    """A result that took no time: its text is put together from two pieces around the seed."""

    def __init__(self, pieces: tuple[str, str], seed: int) -> None:
        self.pieces = pieces
        self.seed = seed

    def summary_json(self) -> str:
        before, after = self.pieces
        return f"{before}{self.seed}{after}"


def around_the_seed(text: str) -> tuple[str, str]:
    """What stands before a result's seed, and what stands after it."""
    before, after = json.dumps(json.loads(text) | {"seed": "SEED"}).split('"SEED"')
    return before, after


def cpu_s(work: Callable[[], object]) -> float:
    """The least CPU time of several goes: others on the machine only ever add to it."""
    spent = []
    for _ in range(ROUNDS):
        before = time.process_time()
        work()
        spent.append(time.process_time() - before)
    return min(spent)


def start_up_cpu_s(file: Path, out: Path) -> float:
    """CPU time of the whole command where there is next to nothing to simulate."""
    words = [
        *(sys.executable, "-m", "hopwright", "sweep", str(file), "--set", "duration_s=1.1"),
        *("--vary", "topology.hops=3,4", "--runs", "2", "--out", str(out), "--overwrite"),
    ]
    spent = []
    for _ in range(ROUNDS):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        spent.append(used.ru_utime + used.ru_stime)
    return min(spent)


def test_two_thousand_short_runs_cost_little_more_than_their_simulation(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = hw.load(chain, SHORT).check()
    simulated = cpu_s(lambda: _core.run(scenario, list(range(10)), 1, _core.Progress())) / 10
    begun = start_up_cpu_s(chain, tmp_path / "begun")

    (one,) = _core.run(scenario, [1], 1, _core.Progress())
    pieces = around_the_seed(one.summary_json())
    monkeypatch.setattr(_core, "run", lambda _s, seeds, _jobs, _p: [Canned(pieces, seeds[0])])
    runs = RUNS // 4

    def sweep() -> None:
        hw.sweep(
            chain,
            {"mac.cw_min": [15, 31, 63, 127]},
            runs=runs // 4,
            overrides=SHORT,
            out=tmp_path / "out",
            overwrite=True,
        ).means()

    each = cpu_s(sweep) / runs
    outside = begun + RUNS * each
    share = outside / (outside + RUNS * simulated)
    parts = (
        f"{share:.1%}: {begun:.2f} s, and {each * 1e3:.3f} ms of a run's {simulated * 1e3:.1f} ms"
    )
    assert share <= MOST_SHARE, parts
