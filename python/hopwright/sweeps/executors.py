"""Where runs are done: threads here, processes here, a Dask cluster, or an executor given."""

import gc
import logging
import os
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hopwright import _core
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._run.execute import core_count

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WAIT_WORKERS_S = 30.0
"""Wall time that a worker gets to come, by default."""

AHEAD = 2
"""Runs handed over for each worker, so that none waits for the next."""

OTHERS_WORKERS = 32
"""Workers of an executor that does not say how many it has."""

LOOK_EVERY_S = 1.0
"""Wall time between two questions to a scheduler."""

BUILD = "__import__('hopwright.sweeps.execute') and __import__('hopwright._core')._core.build()"
"""What a worker is asked, in words that it understands whether it has the program or not."""

In = TypeVar("In")
Out = TypeVar("Out")

On: TypeAlias = "str | Executor | None"


class Backend:
    """An executor, how much to hand it, and what to do when it breaks."""

    lost: tuple[type[BaseException], ...] = ()
    """What else it raises for a task whose worker disappeared."""

    def __init__(self, executor: Executor, workers: int) -> None:
        self._executor = executor
        self._workers = workers

    def submit(self, work: Callable[[In], Out], task: In) -> "Future[Out]":
        """Hands a task over."""
        return self._executor.submit(work, task)

    def capacity(self) -> int:
        """How many tasks it should have at a time."""
        return AHEAD * self._workers

    def replace(self, error: BaseException) -> None:
        """Takes a new executor, since this one broke. Raises `UnfinishedError` if it cannot."""
        raise UnfinishedError(f"the executor broke: {error}") from error

    def check(self) -> None:
        """Raises `UnfinishedError` if no result can come any more."""

    def works(self) -> None:
        """Is told that a result came."""

    def close(self) -> None:
        """Lets go of it, without waiting."""


class Threads(Backend):
    """Threads of this process: the simulator runs outside the interpreter's lock."""

    def __init__(self, jobs: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        super().__init__(ThreadPoolExecutor(jobs, thread_name_prefix="hopwright-sweep"), jobs)

    def close(self) -> None:
        """Lets go of the threads."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Processes(Backend):
    """Processes of this machine, begun afresh, so that they share nothing with this one.

    They end as soon as a pipe is closed at this end, be it that this process was killed.
    """

    def __init__(self, count: int) -> None:
        self._begin(count)

    def replace(self, error: BaseException) -> None:
        """Begins new processes."""
        del error
        self.close()
        self._begin(self._workers)

    def close(self) -> None:
        """Ends the processes, even if they are in the middle of a run."""
        self._pipe.close()
        self._executor.shutdown(cancel_futures=True)
        # What is left of its queues are semaphores, which Python complains about if it has to leave
        # by `os._exit`.
        del self._executor
        gc.collect()

    def _begin(self, count: int) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        context = multiprocessing.get_context("spawn")
        far_end, self._pipe = context.Pipe(duplex=False)
        executor = ProcessPoolExecutor(
            count, mp_context=context, initializer=_begin_worker, initargs=(far_end,)
        )
        super().__init__(executor, count)


class Dask(Backend):
    """The workers of a Dask scheduler. Dask itself does a dead worker's tasks again."""

    def __init__(self, address: str, wait_s: float) -> None:
        try:
            from distributed.comm.core import CommClosedError
            from distributed.scheduler import KilledWorker
        except ImportError as error:
            raise InputError(
                f"dask://{address}: needs a package: pip install 'distributed>=2026.8'"
            ) from error
        self._address = address
        self._wait_s = wait_s
        # Its own messages would stand between ours and in the progress bar.
        for handler in logging.getLogger("distributed").handlers:
            handler.setLevel(logging.CRITICAL + 1)
        try:
            self._client = _client(address, wait_s)
        except (OSError, ValueError) as error:
            raise InputError(f"dask://{address}: no scheduler answers there ({error})") from error
        try:
            self._client.wait_for_workers(1, timeout=wait_s)
            self._check_builds()
        except TimeoutError as error:
            self._client.close()
            raise InputError(
                f"dask://{address}: no worker came within {wait_s:g} s; start some with "
                f"'dask worker {address}'"
            ) from error
        except BaseException:
            self._client.close()
            raise
        self.lost = (KilledWorker, CommClosedError)
        super().__init__(self._client.get_executor(pure=False), self._count())
        self._looked_at = self._seen_at = time.monotonic()

    def capacity(self) -> int:
        """Follows workers that come and go."""
        self._look()
        return super().capacity()

    def check(self) -> None:
        """Raises if the scheduler is gone, or all workers have been for too long."""
        self._look()
        if time.monotonic() - self._seen_at > self._wait_s:
            what = "worker" if self._client.status == "running" else "scheduler"
            raise UnfinishedError(
                f"dask://{self._address}: no {what} was there for {self._wait_s:g} s"
            )

    def close(self) -> None:
        """Leaves the cluster; tasks that are left are forgotten there."""
        self._client.close(timeout=5)

    def _check_builds(self) -> None:
        """Raises `InputError` where scheduler or workers have not the same program.

        They could not even read a run's task without it: a worker would end for that reason.
        """
        found = self._client.run(eval, BUILD, on_error="return")
        try:
            found["the scheduler"] = self._client.run_on_scheduler(eval, BUILD)
        except ImportError as error:
            found["the scheduler"] = error
        for who, build in found.items():
            if isinstance(build, Exception):
                has = f"has no hopwright of this version ({build})"
            elif build != _core.build():
                has = f"has build {build} of hopwright, and this is build {_core.build()}"
            else:
                continue
            raise InputError(f"dask://{self._address}: {who} {has}; install the same everywhere")

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        count = self._count() if self._client.status == "running" else 0
        if count:
            self._seen_at = now
            self._workers = count

    def _count(self) -> int:
        """Threads of all workers; 0 if the scheduler does not say."""
        try:
            threads = self._client.sync(self._client.scheduler.ncores, callback_timeout=10)
        except (OSError, TimeoutError):
            return 0
        return sum(threads.values())


def backend_of(on: On, jobs: int | None, wait_s: float) -> Backend:
    """The backend that `on` names. Raises `InputError` if it makes no sense or does not answer.

    Args:
        on: None or `threads`: threads here; `processes:4`; `dask://host:port`; or an executor.
        jobs: Runs at the same time; by default, one per core. Only of threads and given executors.
        wait_s: Wall time that a scheduler's workers get to come.
    """
    if isinstance(on, Executor):
        return Backend(on, jobs or OTHERS_WORKERS)
    check_named(on, jobs)
    if on is None or on == "threads":
        return Threads(jobs or core_count())
    kind, _, rest = on.partition(":")
    return Processes(int(rest)) if kind == "processes" else Dask(rest[2:], wait_s)


def check_named(on: str | None, jobs: int | None) -> None:
    """Raises `InputError` if `on` names no place to run, or one that has its own number of jobs."""
    if on is None or on == "threads":
        return
    if jobs is not None:
        raise InputError(f"{on}: has its own number of jobs; omit --jobs")
    if not re.fullmatch(r"processes:[1-9]\d{0,3}|dask://[^/]+:\d+", on):
        raise InputError(
            f"{on}: is not a place to run; write threads, processes:N or dask://HOST:PORT"
        )


def _client(address: str, timeout_s: float) -> Any:  # noqa: ANN401 - it has no types
    import distributed

    client: Any = distributed.Client
    return client(f"tcp://{address}", set_as_default=False, timeout=timeout_s)


def _begin_worker(pipe: "Connection[None, None]") -> None:
    """Prepares a worker process: an interrupt is its parent's affair, whose end is its own."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()


def _end_with(pipe: "Connection[None, None]") -> None:
    pipe.poll(None)
    os._exit(1)
