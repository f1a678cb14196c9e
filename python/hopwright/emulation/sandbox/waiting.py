"""A process that only waits for its child, and passes on the signals that end programs."""

import os
import signal
import time

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

PASSED = {signal.SIGRTMIN + number: number for number in ENDING}
"""What the one in the middle sends to process 1 for a signal that nobody else below has had.

A signal to the whole group reaches commands by itself; a second one they would not expect.
"""

FROM_KERNEL = 0x80
"""SI_KERNEL of siginfo: a terminal sent it, to all processes in the foreground."""

LOOK_S = 0.5
"""How often the child is looked at, were its signal lost."""

TOGETHER_S = 0.2
"""Signals of one number that come within this time are one, to the group."""


def heard() -> set[int]:
    """What is waited for: ends of children, and what may end us. `nohup` and shells ignore some."""
    ending = {number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN}
    return {signal.SIGCHLD, *ending, *PASSED}


def block() -> set[int]:
    """Keeps signals for `wait_for` from now on; what was blocked before."""
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, heard()))


def restore(mask: set[int]) -> None:
    """Undoes `block`."""
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def wait_for(child: int, *, parent: int | None = None) -> int:
    """Waits for a child with signals blocked; its exit code, as a shell would tell it.

    Signals go to the child, but those that it has itself: a terminal's. With `parent`, the child is
    process 1: it is passed signals of the parent alone, and those that the group has not had.
    """
    signals = heard()
    of_group: dict[int, float] = {}
    while True:
        info = signal.sigtimedwait(signals, LOOK_S)
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return exit_code(status)
        if info is None or info.si_signo not in ENDING or info.si_code == FROM_KERNEL:
            continue
        now = time.monotonic()
        if parent is None:
            os.kill(child, info.si_signo)
        elif info.si_pid != parent:
            of_group[info.si_signo] = now
        elif now - of_group.get(info.si_signo, -TOGETHER_S) >= TOGETHER_S:
            os.kill(child, signal.SIGRTMIN + info.si_signo)


def exit_code(status: int) -> int:
    """A status of `os.waitpid` as a shell tells it: 128 and the signal's number."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
