"""How runs are made is said once for sweeps, comparisons, judgements and papers."""

import inspect
import os
from dataclasses import fields
from pathlib import Path

import pytest

from hopwright._io.errors import InputError
from hopwright.comparisons import compare
from hopwright.research.judging import judge
from hopwright.sweeps import sweep
from hopwright.sweeps.run_plan import How, RunPlan


def test_keywords_are_the_fields_of_the_plan() -> None:
    assert set(How.__annotations__) == {each.name for each in fields(RunPlan)}
    for makes in (sweep, compare, judge):
        own = set(inspect.signature(makes).parameters)
        assert "how" in own
        assert not own & set(How.__annotations__)


def test_a_folder_is_a_path_whatever_it_is_given_as(tmp_path: Path) -> None:
    plan = RunPlan.of(out=str(tmp_path), seed=4, jobs=3)
    assert (plan.out, plan.folder, plan.cores) == (tmp_path, tmp_path, 3)
    assert plan.within("a", "b") == RunPlan(out=tmp_path / "a" / "b", seed=4, jobs=3)
    assert RunPlan.of().out is None
    assert RunPlan.of().cores == len(os.sched_getaffinity(0))


def test_the_seed_is_the_last_of_the_keys_that_are_set() -> None:
    assert RunPlan(seed=0).overrides([("seed", "9")]) == [("seed", "9"), ("seed", "0")]
    assert RunPlan().overrides([("seed", "9")]) == [("seed", "9")]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (RunPlan(jobs=0), "jobs: 0 is not between 1 and 1000000"),
        (RunPlan(resume=True), "resume and overwrite need a folder"),
        (RunPlan(overwrite=True), "resume and overwrite need a folder"),
        (RunPlan(out=Path("a"), resume=True, overwrite=True), "either go on with what is there"),
        (RunPlan(on="processes:2", jobs=2), "processes:2: has its own number of jobs"),
        (RunPlan(on="cloud"), "cloud: is not a place to run; write threads, processes:N or dask"),
    ],
)
def test_what_makes_no_sense_is_refused(plan: RunPlan, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan.check()


def test_a_keyword_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="folder"):
        sweep(tmp_path / "a.toml", {}, folder=tmp_path)  # type: ignore[call-arg]


def test_what_must_be_kept_needs_a_folder() -> None:
    with pytest.raises(InputError, match="--out is missing"):
        _ = RunPlan().folder
