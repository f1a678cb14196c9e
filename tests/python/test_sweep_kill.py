"""A sweep that is killed at any moment, again and again, ends with the table it would have had."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
from tables import untimed

KILLS = 20
RUNS = 150
"""Runs of each of four points: enough that all kills find the sweep at work."""


def sweep_words(chain: Path, out: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, "-m", "hopwright", "sweep", str(chain), "--set", "duration_s=15"),
        *("--vary", "topology.hops=3,4", "--vary", "flows.transport.protocol=reno,vegas"),
        *("--runs", str(RUNS), "--jobs", "2", "--out", str(out), *more),
    ]


def finished(journal: Path) -> list[bytes]:
    """The whole lines of a journal."""
    return journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []


@pytest.mark.parametrize("on", ["threads", "processes:2"])
def test_killed_twenty_times_it_loses_no_run_and_repeats_none(
    chain: Path, tmp_path: Path, on: str
) -> None:
    out = tmp_path / "out"
    journal = out / "runs.jsonl"
    words = sweep_words(chain, out, "--resume")
    if on != "threads":
        words = [*words[: words.index("--jobs")], *words[words.index("--out") :], "--on", on]
    dice = random.Random(1)
    done: list[bytes] = []
    at_work = 0
    for kill in range(KILLS if on == "threads" else 3):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if kill % 4 == 0:
            time.sleep(dice.uniform(0, 0.15))  # somewhere in its beginning
        else:
            wait_for_more(journal, len(done), process)
            time.sleep(dice.uniform(0, 0.02))
        process.kill()
        _, told = process.communicate()
        # Python's own helper misses the semaphores of a pool of processes that was killed.
        assert told == b"" or (on != "threads" and b"resource_tracker" in told)
        assert process.returncode == -signal.SIGKILL, "it ended before it was killed"
        now = finished(journal)
        assert now[: len(done)] == done, "a finished run was lost"
        at_work += len(now) > len(done)
        done = now
    assert at_work >= (KILLS // 2 if on == "threads" else 1)
    last = subprocess.run(words, capture_output=True, text=True, check=True)
    assert last.stderr == ""
    lines = finished(journal)
    assert lines[: len(done)] == done
    runs = Counter((each["point"], each["seed"]) for each in map(json.loads, lines))
    assert len(runs) == 4 * RUNS
    assert set(runs.values()) == {1}
    whole = hw.sweep(
        chain,
        {"topology.hops": [3, 4], "flows.transport.protocol": ["reno", "vegas"]},
        runs=RUNS,
        overrides={"duration_s": 15},
    )
    assert untimed(out / "results.parquet").equals(untimed(whole.table))
    assert {entry.name for entry in out.iterdir() if not entry.name.startswith(".")} == {
        "given.toml",
        "results.parquet",
        "runs.jsonl",
        "scenario.toml",
        "sweep.json",
    }


def wait_for_more(journal: Path, than: int, process: "subprocess.Popen[bytes]") -> None:
    """Until the journal has more whole lines."""
    end = time.monotonic() + 60
    while len(finished(journal)) <= than and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "stopped")],
)
@pytest.mark.parametrize("on", ["threads", "processes:2"])
def test_stopped_it_keeps_what_is_finished_and_says_how_to_go_on(
    chain: Path, tmp_path: Path, number: int, code: int, word: str, on: str
) -> None:
    out = tmp_path / "out"
    words = sweep_words(chain, out, "--on", on)
    if on != "threads":
        words = [*words[: words.index("--jobs")], *words[words.index("--out") :]]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_more(out / "runs.jsonl", 5, process)  # type: ignore[arg-type]
    began = time.monotonic()
    process.send_signal(number)
    shown, told = process.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert process.returncode == code
    kept = len(finished(out / "runs.jsonl"))
    assert 5 < kept < 4 * RUNS
    assert told == (
        f"hopwright: {word}, {kept} of {4 * RUNS} runs are kept in {out}; go on with --resume, "
        "results.parquet has them so far\n"
    )
    assert shown == ""
    assert pl.read_parquet(out / "results.parquet").height == kept


def test_worker_processes_end_with_their_sweep(chain: Path, tmp_path: Path) -> None:
    words = sweep_words(chain, tmp_path / "out")
    words = [*words[: words.index("--jobs")], *words[words.index("--out") :], "--on", "processes:2"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    wait_for_more(tmp_path / "out" / "runs.jsonl", 3, process)
    task = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not task.exists():
        process.kill()
        pytest.skip("this kernel does not list a process's children")
    children = [int(pid) for pid in task.read_text().split()]
    assert len(children) >= 2
    process.kill()
    process.wait()
    end = time.monotonic() + 20
    while any(is_alive(pid) for pid in children) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in children if is_alive(pid)]


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def test_a_killed_worker_process_costs_nothing(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = sweep_words(chain, out)
    words = [*words[: words.index("--jobs")], *words[words.index("--out") :], "--on", "processes:2"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_more(out / "runs.jsonl", 3, process)
    killed = 0
    for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(int(pid), signal.SIGKILL)
            killed += 1
            break
    assert killed
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, b"")
    runs = Counter(
        (each["point"], each["seed"]) for each in map(json.loads, finished(out / "runs.jsonl"))
    )
    assert len(runs) == 4 * RUNS
    assert set(runs.values()) == {1}
