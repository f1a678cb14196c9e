"""Runs of a sweep through any `concurrent.futures.Executor`: threads, processes, other machines."""

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple, Protocol

from hopwright import _core
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._run.execute import PATIENCE_S, POLL_S
from hopwright.sweeps.executors import Backend
from hopwright.sweeps.points import Variant
from hopwright.sweeps.schedule import Run

MOST_ATTEMPTS = 3
"""How often a run is begun whose worker disappears: it may be the run that kills them."""

Watch = Callable[[float, int], object]
"""Is told finished runs, with parts of those under way, and how many there are to be."""


class Work(Protocol):
    """Runs that are to be done: `Schedule`, `Batch`."""

    results: dict[Run, str]

    @property
    def done(self) -> int:
        """Finished runs, of `total`."""

    @property
    def total(self) -> int:
        """How many there are to be; it may grow."""

    def take(self) -> Run | None:
        """The next run to do; None if there is none now."""

    def finish(self, run: Run, result: str) -> None:
        """Is told the result of a run that has none yet."""


class Task(NamedTuple):
    """What a worker needs to do one run."""

    sweep: str
    build: str
    variant: Variant
    seed: int


def simulate(task: Task) -> str:
    """Does one run; returns its element of a summary's `results`, as JSON.

    Raises `InputError` if this machine's program is another than the one that asks.
    """
    if task.build != _core.build():
        raise InputError(
            f"a worker has build {_core.build()} of hopwright, version {_core.version()}, and this "
            f"program is build {task.build}; install the same everywhere"
        )
    with _here.running(task.sweep) as progress:
        (result,) = _core.run(_restored(task.variant), [task.seed], 1, progress)
    return result.summary_json()


def execute(
    schedule: Work,
    variants: Mapping[str, Variant],
    backend: Backend,
    *,
    keep: Callable[[Run, str], object],
    watch: Watch,
    describe: Callable[[Run], str],
) -> None:
    """Does all runs of a schedule or batch; `keep` is handed each once, as soon as it is finished.

    Runs whose worker disappeared are done again. After a failed run no further one is begun; those
    under way are waited for, then the error is raised. An interrupt stops at once.
    """
    sweep = _Execution(schedule, variants, backend, keep, watch, describe)
    try:
        sweep.go()
    except BaseException:
        sweep.stop()
        raise


class _Execution:
    """The loop of `execute`, and what it keeps track of."""

    def __init__(
        self,
        schedule: Work,
        variants: Mapping[str, Variant],
        backend: Backend,
        keep: Callable[[Run, str], object],
        watch: Watch,
        describe: Callable[[Run], str],
    ) -> None:
        self.schedule = schedule
        self.variants = variants
        self.backend = backend
        self.keep = keep
        self.watch = watch
        self.describe = describe
        self.name = os.urandom(16).hex()
        self.flying: dict[Future[str], Run] = {}
        self.ended: queue.SimpleQueue[Future[str]] = queue.SimpleQueue()
        self.attempts: dict[Run, int] = {}
        self.failure: BaseException | None = None
        self.told_at = 0.0

    def go(self) -> None:
        """Does all runs."""
        self.tell()
        while True:
            while self.failure is None and len(self.flying) < self.backend.capacity():
                run = self.schedule.take()
                if run is None:
                    break
                self.launch(run)
            if not self.flying:
                break
            try:
                future = self.ended.get(timeout=POLL_S)
            except queue.Empty:
                self.backend.check()
            else:
                self.land(future)
            if time.monotonic() - self.told_at >= POLL_S:
                self.tell()
        if self.failure is not None:
            raise self.failure
        self.tell()

    def launch(self, run: Run) -> None:
        """Hands a run to the executor."""
        task = Task(self.name, _core.build(), self.variants[run.point], run.seed)
        try:
            future = self.backend.submit(simulate, task)
        except BrokenExecutor as error:
            self.backend.replace(error)
            future = self.backend.submit(simulate, task)
        self.flying[future] = run
        future.add_done_callback(self.ended.put)

    def land(self, future: "Future[str]") -> None:
        """Takes what became of a run."""
        run = self.flying.pop(future)
        lost: tuple[type[BaseException], ...] = (
            BrokenExecutor,
            CancelledError,
            *self.backend.lost,
        )
        try:
            result = future.result()
        except lost as error:
            if self.failure is None:
                self.again(run, error)
        except Exception as error:  # noqa: BLE001 - whatever a worker raised is told
            self.fail(_told(error, self.describe(run)))
        else:
            self.backend.works()
            self.note(run, result)

    def note(self, run: Run, result: str) -> None:
        """Keeps a result, once. What could not be kept is not finished."""
        if run not in self.schedule.results:
            self.keep(run, result)
            self.schedule.finish(run, result)

    def again(self, run: Run, error: BaseException) -> None:
        """Does a run again whose worker is gone."""
        attempts = self.attempts[run] = self.attempts.get(run, 1) + 1
        if attempts > MOST_ATTEMPTS:
            self.fail(
                UnfinishedError(
                    f"{self.describe(run)}: its worker disappeared {MOST_ATTEMPTS} times: {error!r}"
                )
            )
        else:
            self.launch(run)

    def fail(self, error: BaseException) -> None:
        """Begins nothing more."""
        self.failure = self.failure or error
        for future in list(self.flying):
            future.cancel()

    def stop(self) -> None:
        """Stops the runs under way; those that ended meanwhile are kept."""
        _here.stop(self.name)
        for future in self.flying:
            future.cancel()
        ended, _ = wait(self.flying, timeout=PATIENCE_S)
        for future in ended:
            run = self.flying[future]
            is_done = not future.cancelled() and future.exception() is None
            if is_done:
                with contextlib.suppress(OSError):  # a full disk is why it stops
                    self.note(run, future.result())

    def tell(self) -> None:
        """Tells how far it is."""
        self.told_at = time.monotonic()
        self.watch(self.schedule.done + _here.fraction(self.name), self.schedule.total)


def _told(error: Exception, run: str) -> BaseException:
    """The error of a run, saying which run."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, _core.ScenarioError):
        return _core.ScenarioError(f"{run}:\n{error}")
    if isinstance(error, _core.RunError):
        return _core.RunError(f"{run}: {error}")
    if isinstance(error, ImportError) or "deserialization" in str(error):
        return UnfinishedError(
            f"the executor cannot import hopwright; install it wherever it works ({error})"
        )
    return UnfinishedError(f"{run}: {error!r}")


class _Here:
    """The runs under way in this process, by their sweeps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, set[_core.Progress]] = {}
        self._stopped: set[str] = set()

    @contextmanager
    def running(self, sweep: str) -> Iterator[_core.Progress]:
        progress = _core.Progress()
        with self._lock:
            if sweep in self._stopped:
                raise _core.Cancelled
            self._running.setdefault(sweep, set()).add(progress)
        try:
            yield progress
        finally:
            with self._lock:
                self._running[sweep].discard(progress)
                if not self._running[sweep]:
                    del self._running[sweep]

    def fraction(self, sweep: str) -> float:
        """How many runs the parts done of those under way make together."""
        with self._lock:
            return sum(progress.fraction() for progress in self._running.get(sweep, ()))

    def stop(self, sweep: str) -> None:
        with self._lock:
            self._stopped.add(sweep)
            for progress in self._running.get(sweep, ()):
                progress.cancel()


_here = _Here()


@lru_cache(maxsize=16)
def _restored(variant: Variant) -> _core.Scenario:
    return _core.restore(*variant)
