"""Sweeps in which something goes wrong: runs, workers, disks, places."""

import errno
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeVar

import polars as pl
import pytest

import hopwright as hw
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.source import Source
from hopwright.sweeps.schedule import Run, Schedule
from processes import Hopwright
from sweeping import SHORT, VARY, frame, lines, swept
from tables import untimed

T = TypeVar("T")


class Fragile(Executor):
    """Breaks as often as it is told to, then works."""

    def __init__(self, failures: Sequence[BaseException]) -> None:
        self.failures = list(failures)
        self.tasks = 0

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> "Future[T]":
        self.tasks += 1
        future: Future[T] = Future()
        if self.failures and self.tasks > 4:
            future.set_exception(self.failures.pop(0))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_runs_whose_worker_disappears_are_done_again(chain: Path, wanted: pl.DataFrame) -> None:
    fragile = Fragile([BrokenProcessPool("gone"), BrokenProcessPool("gone")])
    assert frame(swept(chain, on=fragile, jobs=1)).equals(wanted)
    assert fragile.tasks == 20


def test_a_run_that_kills_its_workers_is_named(chain: Path, tmp_path: Path) -> None:
    fragile = Fragile([BrokenProcessPool("gone")] * 99)
    with pytest.raises(UnfinishedError) as wrong:
        swept(chain, tmp_path / "out", on=fragile, jobs=1)
    assert "(topology.hops=3, flows.transport.protocol=vegas), seed 8" in str(wrong.value)
    assert "its worker disappeared 3 times" in str(wrong.value)
    assert "4 of 18 runs are kept" in wrong.value.__notes__[0]
    assert len(lines(tmp_path / "out")) == 4
    assert pl.read_parquet(tmp_path / "out" / "results.parquet").height == 4


def test_a_failed_run_is_named_and_the_others_are_kept(
    chain: Path, tmp_path: Path, wanted: pl.DataFrame
) -> None:
    out = tmp_path / "out"
    fragile = Fragile([hw.RunError("the run with seed 8 failed: a wheel came off")])
    with pytest.raises(hw.RunError) as wrong:
        swept(chain, out, on=fragile, jobs=1)
    assert "flows.transport.protocol=vegas), seed 8: the run with seed 8 failed" in str(wrong.value)
    done = len(lines(out))
    assert 4 <= done < 18
    left, advice = wrong.value.__notes__[0].splitlines()
    assert left == f"{done} of 18 runs are kept in {out}, results.parquet has them so far"
    assert advice == (
        "with resume=True the same run would fail again; begin anew in another folder, with "
        "another first seed (seed) or without this point (vary)"
    )
    assert frame(swept(chain, out, resume=True)).equals(wanted)


def test_a_seed_without_a_network_is_named(tmp_path: Path, hopwright: Hopwright) -> None:
    file = tmp_path / "random.toml"
    file.write_text(
        'name = "random"\nduration_s = 2\nseed = 1\n'
        '[topology]\nkind = "random"\nnodes = 6\n'
        "[area]\nwidth_m = 700\nheight_m = 300\n"
        '[routing]\nprotocol = "static"\n[[flows]]\nfrom = 0\nto = 5\n'
    )
    good = next(
        seed for seed in range(200) if _reaches(file, seed) and not _reaches(file, seed + 1)
    )
    words = ["sweep", file, "--vary", "mac.cw_min=31", "--runs", 3]
    out = ["--seed", good, "--out", tmp_path / "out"]
    for more in ([], ["--resume"]):
        told = hopwright(*words, *out, *more)
        assert told.returncode == 2
        said = told.stderr.splitlines()
        assert said[0] == f"point 1 of 1 (mac.cw_min=31), seed {good + 1}:"
        assert f"with seed {good + 1}" in said[1]
        assert "random.toml with every default:" in said[2]
        assert "of 3 runs are kept in" in said[-2]
        assert "go on with --resume" not in told.stderr
        assert said[-1].startswith("with --resume the same run would fail again; begin anew in ")
        assert "with nodes closer together or more range, with another first seed" in said[-1]
    near = ["--set", "area.width_m=200", "--out", tmp_path / "near", "--seed", good]
    assert hopwright(*words, *near).returncode == 0


def _reaches(file: Path, seed: int) -> bool:
    try:
        hw.load(file, {"seed": seed})
    except hw.ScenarioError:
        return False
    return True


def test_workers_of_another_build_are_refused(chain: Path) -> None:
    from hopwright.sweeps.execute import Task, simulate
    from hopwright.sweeps.points import Variant

    scenario = hw.load(chain)
    task = Task("x", "0" * 12, Variant(scenario.to_toml(), "x", None), 7)
    with pytest.raises(InputError, match=f"a worker has build {_core.build()}.*build 000000000000"):
        simulate(task)
    assert json.loads(simulate(task._replace(build=_core.build())))["seed"] == 7


def test_a_full_disk_loses_nothing(
    chain: Path, tmp_path: Path, hopwright: Hopwright, wanted: pl.DataFrame
) -> None:
    import resource

    out = tmp_path / "out"
    words = [
        *("sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4"),
        *("--vary", "flows.transport.protocol=reno,vegas,sack", "--runs", 3, "--out", out),
    ]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, hard))
    try:
        full = hopwright(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert full.returncode == 1
    assert f"cannot write: [Errno 27] File too large: '{out / 'runs.jsonl'}'" in full.stderr
    kept = lines(out)
    assert f"{len(kept)} of 18 runs are kept in {out}; go on with --resume" in full.stderr
    assert 0 < len(kept) < 18
    assert (out / "runs.jsonl").read_bytes().endswith(b"\n")
    again = hopwright(*words, "--resume")
    assert again.returncode == 0, again.stderr
    assert lines(out)[: len(kept)] == kept
    assert untimed(out / "results.parquet").equals(wanted)


@pytest.mark.parametrize("command", ["sweep", "compare --baseline reno"])
def test_a_table_for_which_there_is_no_room_leaves_the_runs(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "out"
    name, *more = command.split()
    words = [name, str(chain), "--vary", "flows.transport.protocol=reno,vegas", "--runs", "2"]
    monkeypatch.setattr("hopwright.sweeps.perform.write_table", full)
    with pytest.raises(OSError, match="No space left") as stopped:
        dispatch([*words, *more, "--set", "duration_s=2", "--out", str(out)])
    assert stopped.value.__notes__ == [f"4 of 4 runs are kept in {out}; go on with --resume"]


def test_an_interrupted_sweep_says_how_to_go_on(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt comes with the fifth result: a clock would let fast machines finish first."""
    finish = Schedule.finish
    finished = 0

    def interrupted(schedule: Schedule, run: Run, result: str) -> None:
        nonlocal finished
        finish(schedule, run, result)
        finished += 1
        if finished == 5:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    monkeypatch.setattr(Schedule, "finish", interrupted)
    with pytest.raises(KeyboardInterrupt) as stopped:
        swept(chain, out, jobs=2)
    kept = len(lines(out))
    assert 5 <= kept < 18
    assert stopped.value.__notes__[0].startswith(f"{kept} of 18 runs are kept in {out}")
    assert pl.read_parquet(out / "results.parquet").height == kept
    finished = 0
    with pytest.raises(KeyboardInterrupt) as stopped:
        swept(chain)
    assert "nothing was written" in stopped.value.__notes__[0]


def test_what_is_kept_is_what_the_journal_has(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal may come between a run's line in the journal and its note in the schedule."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "out"
    with monkeypatch.context() as changed:
        changed.setattr("hopwright.sweeps.schedule.Schedule.finish", interrupted)
        with pytest.raises(KeyboardInterrupt) as stopped:
            swept(chain, out)
    kept = len(lines(out))
    assert kept >= 1
    assert stopped.value.__notes__[0].startswith(f"{kept} of 18 runs are kept in {out}")
    assert pl.read_parquet(out / "results.parquet").height == kept


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ("dask", "is not a place to run; write threads, processes:N or dask://HOST:PORT"),
        ("dask://host", "is not a place to run"),
        ("processes:0", "is not a place to run"),
        ("slurm://x", "is not a place to run"),
    ],
)
def test_wrong_places(chain: Path, tmp_path: Path, on: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        swept(chain, tmp_path / "out", on=on)
    assert not (tmp_path / "out").exists()


def test_a_checked_scenario_is_refused_with_a_reason(chain: Path) -> None:
    with pytest.raises(TypeError, match="name the scenario's file instead"):
        hw.sweep(hw.load(chain).check(), {"topology.hops": [3]})  # type: ignore[arg-type]


def test_a_scenario_made_in_python_is_swept_as_its_file(chain: Path) -> None:
    by_file = hw.sweep(chain, {"mac.queue_packets": [5, 50]})
    by_object = hw.sweep(hw.load(chain), {"mac.queue_packets": [5, 50]})
    assert [point.id for point in by_file.points] == [point.id for point in by_object.points]


def test_a_source_is_as_good_as_its_file(chain: Path, wanted: pl.DataFrame) -> None:
    class Made:
        def source(self) -> Source:
            return Source.read(chain)

    assert frame(hw.sweep(Source.read(chain), VARY, runs=3, overrides=SHORT)).equals(wanted)
    assert frame(hw.sweep(Made(), VARY, runs=3, overrides=SHORT)).equals(wanted)
    with pytest.raises(
        InputError, match=r"^nowhere\.toml: does not exist; name the file of a scenario"
    ):
        hw.sweep("nowhere.toml", VARY)
