"""The thread that keeps the clock's pace, and the scheduler that it has.

Spec      sched(7), getrlimit(2), mlockall(2)
Deviates  nothing
Holds     what is refused is told in one line, and the work is done without it; programs that are
          started afterwards are given none of it. The thread goes before ordinary ones, behind the
          kernel's own, and sleeps a tenth of the time at least
"""

import os
import resource
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from hopwright import _core
from hopwright._io.data import Json, Object, amount, items

T = TypeVar("T")

PRIORITY = 10
"""Of 1 to 99. The kernel's threads for interrupts have 50: no device waits for ours."""

LIMITS = (resource.RLIMIT_RTPRIO, resource.RLIMIT_MEMLOCK)
"""What a process without privileges is allowed by."""

OPTION = {
    "action": "store_true",
    "help": "ask for real-time scheduling (SCHED_FIFO) and locked memory, so that packets are less "
    "late on a busy machine; without permission, continue without them",
}
"""The words of `--realtime`."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What a thread asks for real-time scheduling with."""

    limits: Sequence[tuple[int, int]]
    """What `LIMITS` were, soft and hard, before they were raised for it."""
    helper: int | None = None
    """A socket to who may do more, for a thread in a sandbox."""
    proc: str = "/proc"
    """Where that one finds the thread."""

    @property
    def descriptors(self) -> list[int]:
        """What a process must have open to ask."""
        return [] if self.helper is None else [self.helper]

    def json(self) -> Json:
        """For a process that is started by a text."""
        limits: list[Json] = [[soft, hard] for soft, hard in self.limits]
        return {"limits": limits, "helper": self.helper}

    @classmethod
    def of_json(cls, value: Json, proc: str) -> "Asking | None":
        """The same, read again; None where nothing is asked for."""
        if value is None:
            return None
        limits = [(int(amount(pair, 0)), int(amount(pair, 1))) for pair in items(value, "limits")]
        os.set_inheritable(int(amount(value, "helper")), False)  # no program's business
        return cls(limits=limits, helper=int(amount(value, "helper")), proc=proc)


@contextmanager
def asking() -> Iterator[Asking]:
    """What threads of processes that are started in the block ask with.

    They lose privileges on their way, so this process raises limits, as far as it may, and does
    itself what a limit forbids.
    """
    before = [resource.getrlimit(which) for which in LIMITS]
    ours, theirs = socket.socketpair()
    # This thread takes no signals: whoever waits for them is another one.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    threading.Thread(target=_help, args=(ours,), name="helper", daemon=True).start()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for which, wanted in zip(LIMITS, (PRIORITY, resource.RLIM_INFINITY), strict=True):
        _, most = resource.getrlimit(which)
        with suppress(ValueError, OSError):
            resource.setrlimit(which, (most, most))
        with suppress(ValueError, OSError):  # only who is privileged may
            if most != resource.RLIM_INFINITY and most < wanted % 2**64:
                resource.setrlimit(which, (wanted, wanted))
    try:
        yield Asking(limits=before, helper=theirs.fileno())
    finally:
        _restore(before)
        theirs.close()


def _help(ours: socket.socket) -> None:
    """Makes one thread real-time, by its number."""
    with ours:
        if said := ours.recv(64):
            try:
                _be_realtime(int(said))
            except OSError as error:
                ours.send(str(error.strerror).encode())
            else:
                ours.send(DONE)


DONE = b"done"


@dataclass(frozen=True, kw_only=True)
class Scheduling:
    """How a thread is scheduled."""

    priority: int = 0
    """Of SCHED_FIFO; 0: it is scheduled as any other."""
    is_locked: bool = False
    """Whether its memory stays where it is."""
    refused: str | None = None
    """Why not, where it was asked for."""

    @property
    def is_realtime(self) -> bool:
        """Whether it goes before ordinary threads."""
        return self.priority > 0

    def summary(self) -> Object:
        """As results have it."""
        policy = "fifo" if self.is_realtime else "other"
        return {"policy": policy, "priority": self.priority, "memory_locked": self.is_locked}

    def words(self) -> str:
        """As people read it."""
        if not self.is_realtime:
            return "scheduling: as any other program"
        locked = "memory locked" if self.is_locked else "memory not locked"
        return f"scheduling: real-time, priority {self.priority}, {locked}"


def _be_realtime(thread: int) -> None:
    policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    os.sched_setscheduler(thread, policy, os.sched_param(PRIORITY))


def _ask(by: Asking) -> Scheduling:
    """Asks for the calling thread, and gives back what was raised for it."""
    try:
        try:
            _be_realtime(0)
        except OSError as error:
            why = error.strerror if by.helper is None else _ask_helper(by.helper, by.proc)
            if why is not None:
                return Scheduling(refused=why)
        try:
            _core.lock_memory()
        except OSError:
            return Scheduling(priority=PRIORITY)
        return Scheduling(priority=PRIORITY, is_locked=True)
    finally:
        _restore(by.limits)


def _ask_helper(descriptor: int, proc: str) -> str | None:
    """Why a process with more privileges does not do it either; None: it has."""
    os.write(descriptor, (Path(proc) / "thread-self").readlink().name.encode())
    answer = os.read(descriptor, 200)
    return None if answer == DONE else answer.decode()


def _restore(before: Sequence[tuple[int, int]]) -> None:
    for which, (soft, hard) in zip(LIMITS, before, strict=True):
        with suppress(ValueError, OSError):  # a hard one that this process may not raise again
            resource.setrlimit(which, (soft, hard))


class Loop(Generic[T]):
    """Work that lasts, in a thread of its own: this process hears signals meanwhile."""

    def __init__(
        self, work: Callable[[bool], T], asking: Asking | None, warn: Callable[[str], None]
    ) -> None:
        """`work` is told if it is real-time; `asking`: None asks for no scheduling."""
        self.scheduling = Scheduling()
        self._work = work
        self._asking = asking
        self._is_known = threading.Event()
        self._is_over = threading.Event()
        self._ended: list[T | BaseException] = []
        self._warn = warn
        self.has_begun = False
        """Whether there will be a result."""

    def start(self) -> "Loop[T]":
        """Begins, and waits until its scheduling is known; returns itself."""
        threading.Thread(target=self._do, name="pace", daemon=True).start()
        self._is_known.wait()
        if self.scheduling.refused is not None:
            self._warn(
                f"real-time scheduling is refused ({self.scheduling.refused}; RLIMIT_RTPRIO or "
                "CAP_SYS_NICE allows it): the program continues without it"
            )
        return self

    @property
    def is_over(self) -> bool:
        """Whether the work is done, or has failed."""
        return self._is_over.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Waits at most so long; whether it is over."""
        return self._is_over.wait(timeout_s)

    def result(self) -> T:
        """Waits for the end; what came of it. Raises what the work raised."""
        self._is_over.wait()
        if isinstance(ended := self._ended[0], BaseException):
            raise ended
        return ended

    def said(self) -> list[str]:
        """What there is to say of its scheduling: nothing if nothing was asked."""
        return [] if self._asking is None else [self.scheduling.words()]

    def _do(self) -> None:
        self.has_begun = True
        try:
            if self._asking is not None:
                self.scheduling = _ask(self._asking)
            self._is_known.set()
            self._ended.append(self._work(self.scheduling.is_realtime))
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            self._ended.append(error)
        finally:
            self._is_known.set()
            self._is_over.set()
