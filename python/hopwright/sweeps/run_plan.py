"""How runs are made, and where they are kept: the same for all that make many runs."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypedDict, Unpack

from hopwright._io.errors import InputError, check_count, check_whole
from hopwright._run.execute import core_count
from hopwright.sweeps.executors import WAIT_WORKERS_S, Backend, On, backend_of, check_named


class _Runs(TypedDict, total=False):
    seed: int | None
    jobs: int | None
    on: On
    wait_workers_s: float
    resume: bool
    overwrite: bool


class How(_Runs, total=False):
    """What a `RunPlan` is made of, as keywords."""

    out: str | os.PathLike[str] | None


def how_words() -> Iterable[str]:
    """The names of these keywords."""
    return How.__optional_keys__


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """How the runs of a sweep, a comparison, a judgement or a paper are made."""

    seed: int | None = None
    """The first, instead of the scenario's."""
    jobs: int | None = None
    """Runs at the same time, here; None: one per core."""
    on: On = None
    """Where runs are done. None or `threads`: threads of this process; `processes:N`;
    `dask://host:port`; or any `concurrent.futures.Executor`."""
    wait_workers_s: float = WAIT_WORKERS_S
    """Wall time that a Dask scheduler's workers get to come."""
    out: Path | None = None
    """The folder for the runs and all that comes of them; None: nothing is kept."""
    resume: bool = False
    """Go on with what is in `out`, if there is something."""
    overwrite: bool = False
    """Replace what is in `out`, if there is something."""

    @classmethod
    def of(cls, *, out: str | os.PathLike[str] | None = None, **how: Unpack[_Runs]) -> Self:
        """The plan of these keywords. Raises `InputError` where they make no sense together."""
        plan = cls(**how, out=None if out is None else Path(out))
        plan.check()
        return plan

    def check(self) -> None:
        """Raises `InputError` where the plan makes no sense."""
        check_whole("seed", self.seed)
        if self.jobs is not None:
            check_count("jobs", self.jobs)
        if (self.resume or self.overwrite) and self.out is None:
            raise InputError("resume and overwrite need a folder")
        if self.resume and self.overwrite:
            raise InputError("either go on with what is there or replace it, not both")
        if isinstance(self.on, str):
            check_named(self.on, self.jobs)

    def overrides(self, fixed: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Keys that are set in every scenario, its seed among them."""
        return [*fixed] if self.seed is None else [*fixed, ("seed", str(self.seed))]

    def backend(self) -> Backend:
        """What does the runs. Raises `InputError` if there is no such place, or nobody answers."""
        return backend_of(self.on, self.jobs, self.wait_workers_s)

    @property
    def folder(self) -> Path:
        """The folder, where there must be one."""
        if self.out is None:
            raise InputError("--out is missing: the folder to write")
        return self.out

    @property
    def cores(self) -> int:
        """How much of this machine work takes that no executor does."""
        return self.jobs or core_count()

    def within(self, *names: str) -> "RunPlan":
        """The same in a folder inside of this one's."""
        return replace(self, out=self.folder.joinpath(*names))
