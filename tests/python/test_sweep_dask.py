"""A sweep on a Dask cluster: real schedulers and workers, one of them killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._io.errors import InputError, UnfinishedError
from tables import untimed

pytest.importorskip("distributed")

RUNS = 60
VARY = {"topology.hops": [3, 4]}
SETTINGS = {"duration_s": 30}

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        number: int = trial.getsockname()[1]
    return number


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `dask scheduler` or `dask worker` as processes; all end with the test."""
    processes: list[subprocess.Popen[bytes]] = []
    place = tmp_path / "dask"
    place.mkdir()

    def begin(what: str, *words: object, **environment: str) -> "subprocess.Popen[bytes]":
        module = f"distributed.cli.dask_{what}"
        with (place / f"{what}-{len(processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, words), "--no-dashboard"],
                cwd=place,
                stdout=log,
                stderr=log,
                env=os.environ | environment,
            )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def scheduler(start: Start, port: int) -> "subprocess.Popen[bytes]":
    return start("scheduler", "--host", "127.0.0.1", "--port", port)


def worker(start: Start, port: int, **environment: str) -> "subprocess.Popen[bytes]":
    """One process, so that killing it is killing the worker."""
    words = (f"tcp://127.0.0.1:{port}", "--nthreads", 1, "--no-nanny")
    return start("worker", *words, **environment)


def finished(out: Path) -> list[str]:
    journal = out / "runs.jsonl"
    return journal.read_text().split("\n")[:-1] if journal.exists() else []


def test_a_cluster_of_another_build_is_refused(
    chain: Path, start: Start, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler(start, port)
    worker(start, port)
    monkeypatch.setattr("hopwright._core.build", lambda: "0" * 12)
    with pytest.raises(InputError, match=r"has build \w+ of hopwright, and this is build 0000"):
        hw.sweep(chain, VARY, on=f"dask://127.0.0.1:{port}", wait_workers_s=60)


def test_a_worker_killed_in_mid_sweep_costs_nothing(
    chain: Path, tmp_path: Path, start: Start, port: int
) -> None:
    scheduler(start, port)
    workers = [worker(start, port) for _ in range(2)]
    out = tmp_path / "out"
    killed_at: list[int] = []

    def kill_one(done: float, _total: int) -> None:
        if done >= 20 and not killed_at:
            workers[0].send_signal(signal.SIGKILL)
            killed_at.append(int(done))

    done = hw.sweep(
        chain,
        VARY,
        runs=RUNS,
        overrides=SETTINGS,
        out=out,
        on=f"dask://127.0.0.1:{port}",
        wait_workers_s=60,
        watch=kill_one,
    )
    assert workers[0].wait(10) == -signal.SIGKILL
    assert workers[1].poll() is None
    assert 20 <= killed_at[0] < 2 * RUNS
    runs = Counter((each["point"], each["seed"]) for each in map(json.loads, finished(out)))
    assert len(runs) == 2 * RUNS
    assert set(runs.values()) == {1}
    here = hw.sweep(chain, VARY, runs=RUNS, overrides=SETTINGS)
    assert untimed(out / "results.parquet").equals(untimed(here.table))
    assert untimed(done.table).equals(untimed(here.table))


def test_when_the_last_worker_is_gone_the_sweep_can_be_gone_on_with(
    chain: Path, tmp_path: Path, start: Start, port: int
) -> None:
    scheduler(start, port)
    wait_for(port)
    only = worker(start, port)
    wait_until_registered(tmp_path / "dask" / "worker-1.log")
    out = tmp_path / "out"

    def kill_it(done: float, _total: int) -> None:
        if done >= 10:
            only.send_signal(signal.SIGKILL)

    with pytest.raises(UnfinishedError, match=r"no worker was there for 3 s") as wrong:
        hw.sweep(
            chain,
            VARY,
            runs=RUNS,
            overrides=SETTINGS,
            out=out,
            on=f"dask://127.0.0.1:{port}",
            wait_workers_s=3,
            watch=kill_it,
        )
    kept = finished(out)
    assert len(kept) >= 10
    assert f"{len(kept)} of {2 * RUNS} runs are kept in {out}" in wrong.value.__notes__[0]
    done = hw.sweep(chain, VARY, runs=RUNS, overrides=SETTINGS, out=out, resume=True)
    assert finished(out)[: len(kept)] == kept
    assert done.runs == 2 * RUNS


def test_a_worker_without_the_program_is_said(
    chain: Path, tmp_path: Path, start: Start, port: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['hopwright'] = None\n")
    scheduler(start, port)
    worker(start, port, PYTHONPATH=str(tmp_path))
    with pytest.raises(InputError, match=r"tcp://.* has no hopwright of this version"):
        hw.sweep(chain, VARY, overrides=SETTINGS, on=f"dask://127.0.0.1:{port}", wait_workers_s=60)


def test_a_scheduler_for_whom_nobody_works_is_said(
    chain: Path, tmp_path: Path, start: Start, port: int
) -> None:
    scheduler(start, port)
    wait_for(port)
    with pytest.raises(
        InputError, match=r"no worker came within 1 s; start some with 'dask worker"
    ):
        hw.sweep(chain, VARY, out=tmp_path / "out", on=f"dask://127.0.0.1:{port}", wait_workers_s=1)
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_not_there_is_said(chain: Path, tmp_path: Path, port: int) -> None:
    with pytest.raises(InputError, match=f"dask://127.0.0.1:{port}: no scheduler answers there"):
        hw.sweep(chain, VARY, out=tmp_path / "out", on=f"dask://127.0.0.1:{port}", wait_workers_s=1)
    assert not (tmp_path / "out").exists()


def test_without_the_package_it_is_named(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("distributed", "distributed.comm.core", "distributed.scheduler"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"pip install 'distributed>=20\d\d.\d+'"):
        hw.sweep(chain, VARY, on="dask://127.0.0.1:1")


def wait_for(port: int) -> None:
    """Until somebody listens there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


def wait_until_registered(log: Path) -> None:
    """Until the worker of that log says that the scheduler knows it."""
    end = time.monotonic() + 60
    while b"Registered to" not in log.read_bytes() and time.monotonic() < end:
        time.sleep(0.1)
