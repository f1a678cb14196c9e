"""What an error is on the command line: an exit code, and one message."""

import errno
import os
import signal

from hopwright import _core
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.paths import closed
from hopwright._io.signals import TerminatedError

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 128 + signal.SIGINT
PIPE_CLOSED = 128 + signal.SIGPIPE


def outcome(error: BaseException) -> tuple[int, str]:
    """The exit code for an exception, and what to say; its notes say what is left."""
    notes = getattr(error, "__notes__", [])
    if isinstance(error, (KeyboardInterrupt, TerminatedError)):
        is_interrupt = isinstance(error, KeyboardInterrupt)
        what = "interrupted" if is_interrupt else "stopped"
        left = ", ".join(notes) or "no result was written"
        code = INTERRUPTED if is_interrupt else 128 + int(error.args[0])
        return code, f"hopwright: {what}, {left}"
    if isinstance(error, OSError) and (told := _unread(error)):
        return WRONG_INPUT, "\n".join([told, *notes])
    for kind, code, message in OUTCOMES:
        if isinstance(error, kind):
            text = _hinted(error) if kind is _core.ScenarioError else str(error)
            return code, "\n".join([message.format(text), *notes]) if message else ""
    hint = "set HOPWRIGHT_TRACEBACK=1 to see where"
    fault = f"hopwright: a fault of this program: {error!r} ({hint})"
    return FAILED, "\n".join([fault, *notes])


def _unread(error: OSError) -> str:
    """That something cannot be looked at; empty if the error is of something else."""
    if error.filename is None:
        return ""
    path = os.fsdecode(error.filename)
    if error.errno == errno.ENAMETOOLONG:
        return f"hopwright: {path}: {error.strerror}"
    what = closed(path) if error.errno in (errno.EACCES, errno.EPERM) else None
    return "" if what is None else f"hopwright: {what}: cannot read it: {error.strerror}"


def _hinted(error: BaseException) -> str:
    from hopwright._io.synonyms import with_hints

    return with_hints(str(error))


OUTCOMES: tuple[tuple[type[BaseException], int, str], ...] = (
    (_core.ScenarioError, WRONG_INPUT, "{}"),
    (InputError, WRONG_INPUT, "hopwright: {}"),
    (_core.RunError, FAILED, "hopwright: {}"),
    (UnfinishedError, FAILED, "hopwright: {}"),
    (BrokenPipeError, PIPE_CLOSED, ""),  # whoever read our output has seen enough
    (OSError, FAILED, "hopwright: cannot write: {}"),
    (MemoryError, FAILED, "hopwright: out of memory"),
)
