"""Python processes beside this one: work in Python on all cores, each with its own lock.

Not those of `multiprocessing`: they import the script that this program was called from, and one
without a guard would begin all its work again.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import IO, TypeVar, cast

from hopwright._io.errors import UnfinishedError

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 4
"""Tasks handed over for each process, so that none waits for the next."""

BEGIN = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
BEGIN += "from hopwright._run.workers import serve; serve()"


@dataclass(frozen=True)
class _Answer:
    """What a process says of a task."""

    result: object
    error: BaseException | None = None
    traceback: str = ""
    """Where the error came from, which is not sent with it."""


class _RemoteError(Exception):
    """What led to an error in another process: shown by whoever prints tracebacks."""


class Workers(AbstractContextManager["Workers"]):
    """So many processes, begun when they are first needed. With one, the work is done here.

    When the block is left, what is under way is ended.
    """

    def __init__(self, count: int) -> None:
        self._is_here = count < 2 or not sys.executable
        self._pool = ThreadPoolExecutor(count)
        self._room = threading.BoundedSemaphore(AHEAD * count)
        self._lock = threading.Lock()
        self._all: list[_Process] = []
        self._idle: list[_Process] = []
        self._is_left = False
        self._files: tempfile.TemporaryDirectory[str] | None = None

    def submit(self, work: Callable[[In], Out], task: In) -> "Future[Out]":
        """Hands a task over; waits while too many are handed over already.

        `work` must be a function of a module; what it prints goes to standard error.
        """
        if self._is_here:
            done: Future[Out] = Future()
            done.set_result(work(task))
            return done
        self._room.acquire()
        future = self._pool.submit(self._ask, work, task)
        future.add_done_callback(lambda _: self._room.release())
        return future

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._is_left = True
            for process in self._all:
                process.kill()
        self._pool.shutdown(cancel_futures=True)
        for process in self._all:
            process.wait()
        if self._files is not None:
            self._files.cleanup()

    def _ask(self, work: Callable[[In], Out], task: In) -> Out:
        process = self._taken()
        answer = process.ask((work, task))
        with self._lock:
            self._idle.append(process)
        if answer.error is not None:
            raise answer.error from _RemoteError(f"\n{answer.traceback}")
        return cast("Out", answer.result)

    def _taken(self) -> "_Process":
        """A process that has nothing to do."""
        with self._lock:
            if self._is_left:
                raise UnfinishedError("nobody waits for it any more")
            if self._idle:
                return self._idle.pop()
            if self._files is None:
                # A process that is ended leaves its temporary files, so they have a folder of ours.
                self._files = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            process = _Process(self._files.name)
            self._all.append(process)
            return process


class _Process:
    """A process that serves this one."""

    def __init__(self, temporary: str) -> None:
        """`temporary`: the folder for temporary files."""
        command = [sys.executable, "-c", BEGIN]
        surroundings = {**os.environ, "TMPDIR": temporary}
        self._popen = subprocess.Popen(  # noqa: S603 - this program again
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings
        )
        self._to = cast("IO[bytes]", self._popen.stdin)
        self._back = cast("IO[bytes]", self._popen.stdout)
        self._begun = pickle.dumps(sys.path)

    def ask(self, task: object) -> _Answer:
        """What it says of a task. Raises `UnfinishedError` if it ends instead."""
        try:
            self._to.write(self._begun + pickle.dumps(task))
            self._to.flush()
            self._begun = b""
            return cast("_Answer", pickle.load(self._back))  # noqa: S301 - our own process
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self._popen.kill()
            code = self._popen.wait()
            raise UnfinishedError(
                f"a process that was at work for this one ended (exit code {code})"
            ) from error

    def kill(self) -> None:
        """Ends it, whatever it does."""
        self._popen.kill()

    def wait(self) -> None:
        """Until it has ended."""
        with contextlib.suppress(OSError, ValueError):
            self._popen.communicate()


def serve() -> None:
    """What such a process does: takes tasks, until there are no more.

    An interrupt is its parent's affair.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            work, task = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the parent
        except EOFError:
            return
        answer = _pickled(_answer(work, task))
        try:
            answers.write(answer)
            answers.flush()
        except BrokenPipeError:  # the parent is gone
            os._exit(1)


def _answer(work: Callable[[In], Out], task: In) -> _Answer:
    try:
        return _Answer(work(task))
    except Exception as error:  # noqa: BLE001 - the parent raises it
        return _Answer(None, error, traceback.format_exc())


def _pickled(answer: _Answer) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:  # noqa: BLE001 - what it is of may be anybody's
        told = RuntimeError(f"{error}; of:\n{answer.error or answer.result!r}")
        return pickle.dumps(_Answer(None, told))
