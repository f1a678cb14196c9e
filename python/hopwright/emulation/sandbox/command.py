"""A command in a network namespace, as process 1 sees it."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

GRACE_S = 2.0
"""How long a command has to end by itself, and then, asked to, once more."""

NAMESPACE = 3
"""The descriptor by which `enter` finds the namespace."""

ENTER = ("-P", "-m", "hopwright.emulation.sandbox.enter")


@dataclass(frozen=True)
class Io:
    """Descriptors for a command's standard streams; those of this process where there is none."""

    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None


class Command:
    """A command that was started, and how it ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exit_code: int | None = None
        """As a shell tells it: 128 and the signal's number if a signal ended it."""
        self._is_over = threading.Event()

    def ended(self, exit_code: int) -> None:
        """Told by whoever reaps."""
        self.exit_code = exit_code
        self._is_over.set()

    def wait(self, timeout_s: float | None = None) -> int | None:
        """The exit code; None if it takes longer."""
        self._is_over.wait(timeout_s)
        return self.exit_code

    def send(self, number: int) -> None:
        """Sends a signal, if it has not ended."""
        if self.exit_code is None:
            # Between its end and the word of whoever reaps there is no such process.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def end(self, grace_s: float = GRACE_S) -> int:
        """Waits a moment, then asks it to end, then kills it; the exit code."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.wait(grace_s) is None:
                self.send(number)
        code = self.wait()
        assert code is not None  # noqa: S101 - nothing survives SIGKILL
        return code


def spawn(
    argv: Sequence[str],
    namespace: int,
    user: tuple[int, int] | None,
    io: Io,
    environment: Mapping[str, str] | None,
) -> Command:
    """Starts it; `user` is whose numbers it has, without privileges, or None for root inside."""
    identity = "privileged" if user is None else f"{user[0]}:{user[1]}"
    streams = [(ours, theirs) for theirs, ours in enumerate((io.stdin, io.stdout, io.stderr))]
    # The namespace last: it takes a number that a stream may have here. Everything else is closed.
    actions = [
        (os.POSIX_SPAWN_DUP2, ours, theirs)
        for ours, theirs in [*streams, (namespace, NAMESPACE)]
        if ours is not None
    ]
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, *ENTER, identity, *argv],
        os.environ if environment is None else environment,
        file_actions=actions,
        setsigmask=[],
    )
    return Command(pid)
