"""The program's frame: signals, exit codes, one message for whatever goes wrong.

Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 128 plus the signal's number if stopped.
"""

import contextlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from hopwright import _core
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.streams import fill_closed

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 128 + signal.SIGINT
PIPE_CLOSED = 128 + signal.SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code.

    Whatever goes wrong is one message on standard error, never a traceback.
    """
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
        signal.signal(signal.SIGHUP, _terminate)
    fill_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = _dispatched(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the one place where errors become exit codes
        if "HOPWRIGHT_TRACEBACK" in os.environ:
            traceback.print_exc()
        code, message = outcome(error)
        if message:
            print(message, file=sys.stderr)
        if code != WRONG_INPUT:
            _leave(code)
        return code
    return code


def _dispatched(arguments: Sequence[str]) -> int:
    """Runs a command; returns the exit code of one that leaves by itself, as --help does."""
    # Imported late, so that an interrupt meanwhile is handled like any other.
    from hopwright._cli.arguments import dispatch

    try:
        dispatch(arguments)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0
    return 0


class _TerminatedError(BaseException):
    """A signal came that ends programs: its number."""


def _terminate(number: int, _frame: object) -> None:
    raise _TerminatedError(number)


def outcome(error: BaseException) -> tuple[int, str]:
    """The exit code for an exception, and what to say; its notes say what is left."""
    notes = getattr(error, "__notes__", [])
    if isinstance(error, (KeyboardInterrupt, _TerminatedError)):
        is_interrupt = isinstance(error, KeyboardInterrupt)
        what = "interrupted" if is_interrupt else "stopped"
        left = ", ".join(notes) or "no result was written"
        code = INTERRUPTED if is_interrupt else 128 + int(error.args[0])
        return code, f"hopwright: {what}, {left}"
    for kind, code, message in OUTCOMES:
        if isinstance(error, kind):
            return code, "\n".join([message.format(error), *notes]) if message else ""
    hint = "set HOPWRIGHT_TRACEBACK=1 to see where"
    fault = f"hopwright: a fault of this program: {error!r} ({hint})"
    return FAILED, "\n".join([fault, *notes])


OUTCOMES: tuple[tuple[type[BaseException], int, str], ...] = (
    (_core.ScenarioError, WRONG_INPUT, "{}"),
    (InputError, WRONG_INPUT, "hopwright: {}"),
    (_core.RunError, FAILED, "hopwright: {}"),
    (UnfinishedError, FAILED, "hopwright: {}"),
    (BrokenPipeError, PIPE_CLOSED, ""),  # whoever read our output has seen enough
    (OSError, FAILED, "hopwright: cannot write: {}"),
    (MemoryError, FAILED, "hopwright: out of memory"),
)


def _leave(code: int) -> NoReturn:
    """Ends the process even if a run has not stopped yet or standard output cannot be written."""
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
