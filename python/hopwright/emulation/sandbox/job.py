"""Process 1: it does the job, starts commands for it, and reaps whoever ends."""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hopwright import _core
from hopwright._io.data import Json
from hopwright.emulation.sandbox import names, waiting
from hopwright.emulation.sandbox.command import Command, Io, spawn


@dataclass(frozen=True)
class Order:
    """What is to be done, and for whom."""

    function: str
    data: Json
    names: Mapping[str, str]
    uid: int
    gid: int


class Job:
    """What the function of a job does its work with.

    Signals are taken by a thread of this: an interrupt raises nothing in the function, it sets
    `stopping` and calls what `on_stop` was given. Processes are started by `start` alone, for this
    reaps all that end.
    """

    def __init__(self, order: Order, proc: str) -> None:
        self.stopping = threading.Event()
        """Set when the user wants an end."""
        self.signal: int | None = None
        """The signal that asked for it."""
        self.proc = proc
        """The machine's own /proc, where `nsenter` of others finds our threads."""
        self._order = order
        self._lock = threading.Lock()
        self._commands: dict[int, Command] = {}
        self._stops: list[Callable[[], None]] = []
        threading.Thread(target=self._listen, name="signals", daemon=True).start()

    def start(
        self,
        argv: Sequence[str],
        namespace: int,
        *,
        privileged: bool = False,
        io: Io | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Command:
        """Starts a command in a network namespace, by the namespace's descriptor.

        It runs as the user, without capabilities, and cannot have any back. A privileged one may
        change its network: root inside, with the capabilities over networks alone. Standard input
        and output are this process's own unless `io` has others.
        """
        user = None if privileged else (self._order.uid, self._order.gid)
        with self._lock:  # it may end before it is known
            command = spawn(argv, namespace, user, io or Io(), environment)
            self._commands[command.pid] = command
            return command

    def run(self, argv: Sequence[str], namespace: int, *, privileged: bool = False) -> int:
        """Runs a command to its end, or until it is stopped; its exit code."""
        command = self.start(argv, namespace, privileged=privileged)
        self.wait(command)
        return command.end()

    def wait(self, *commands: Command) -> None:
        """Waits until all have ended, or the user wants an end."""
        for command in commands:
            while not (self.stopping.is_set() or command.wait(waiting.LOOK_S) is not None):
                pass

    def on_stop(self, call: Callable[[], None]) -> None:
        """Calls it, in another thread, when the user wants an end; at once if he does already."""
        self._stops.append(call)
        if self.stopping.is_set():
            call()

    def warn(self, text: str) -> None:
        """A word on standard error."""
        print(f"hopwright: {text}", file=sys.stderr, flush=True)

    def _listen(self) -> None:
        signals = waiting.heard()
        while True:
            info = signal.sigwaitinfo(signals)
            if info.si_signo == signal.SIGCHLD:
                self._reap()
                continue
            number = waiting.PASSED.get(info.si_signo)
            if number is not None:
                self._pass(number)
            if not self.stopping.is_set():
                self.signal = number or info.si_signo
                self.stopping.set()
                for call in list(self._stops):
                    call()

    def _pass(self, number: int) -> None:
        with self._lock:
            for pid, command in self._commands.items():
                if command.exit_code is None:
                    os.kill(pid, number)

    def _reap(self) -> None:
        while True:
            with self._lock:
                try:
                    pid, status = os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    return
                if pid == 0:
                    return
                command = self._commands.pop(pid, None)
                if command:
                    command.ended(waiting.exit_code(status))


def do(order: Order) -> int:
    """Does the job; its exit code."""
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    job = Job(order, f"/proc/self/fd/{proc}")
    try:
        _core.mount_new("proc", "/proc")
    except OSError as error:  # a container that hides parts of /proc
        job.warn(
            "commands see the processes of the machine, because they have no /proc of their own "
            f"({error.strerror})"
        )
    if order.names:
        try:
            names.lay(order.names)
        except OSError as error:
            why = f"cannot replace {names.HOSTS} ({error.strerror})"
            job.warn(f"commands cannot use the names {', '.join(order.names)}: {why}")
    module, _, name = order.function.partition(":")
    function = getattr(importlib.import_module(module), name)
    return int(function(job, order.data))
