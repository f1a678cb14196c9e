"""The program's frame: signals, exit codes, one message for whatever goes wrong.

Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 128 plus the signal's number if stopped.
"""

# Only what loads at once: until `main` has begun, an interrupt is a traceback of Python's. All else
# is imported where it is needed, so that an interrupt meanwhile is handled like any other.
import os
import signal
import sys

from hopwright._io.signals import TerminatedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

STOPPING = (signal.SIGINT, signal.SIGTERM)


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Runs one command and returns its exit code.

    Whatever goes wrong is one message on standard error, never a traceback.
    """
    try:
        signal.signal(signal.SIGTERM, _terminate)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
            signal.signal(signal.SIGHUP, _terminate)
        code = _dispatched(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the one place where errors become exit codes
        # A second interrupt, while this one is told, would end in a traceback.
        signals = {each: signal.signal(each, signal.SIG_IGN) for each in STOPPING}
        from hopwright._io.outcome import WRONG_INPUT, outcome
        from hopwright._io.streams import tell

        if "HOPWRIGHT_TRACEBACK" in os.environ:
            import traceback

            traceback.print_exc()
        code, message = outcome(error)
        if message:
            tell(message)
        if code != WRONG_INPUT:
            _leave(code)
        for each, handler in signals.items():
            signal.signal(each, handler)
    return code


def _dispatched(arguments: "Sequence[str]") -> int:
    """Runs a command; returns the exit code of one that leaves by itself, as --help does."""
    _prepare_streams()
    # Jupyter exports a backend that may not be installed here; files need no other than this one.
    os.environ["MPLBACKEND"] = "agg"
    from hopwright._cli.arguments import dispatch
    from hopwright._io.warn import on_standard_error

    on_standard_error()
    try:
        dispatch(arguments)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0
    return 0


def _prepare_streams() -> None:
    """Sees to it that there are streams, and that they take any text."""
    import io

    from hopwright._io.plain_letters import HANDLER
    from hopwright._io.streams import fill_closed

    fill_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def _terminate(number: int, _frame: object) -> None:
    raise TerminatedError(number)


def _leave(code: int) -> "NoReturn":
    """Ends the process even if a run has not stopped yet or standard output cannot be written."""
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)
