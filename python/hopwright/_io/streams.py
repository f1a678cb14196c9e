"""Standard output and standard error where they are closed, or cannot be written to."""

import contextlib
import os
import sys


def fill_closed() -> None:
    """Sees to it that no file that is opened later takes the place of a closed stream.

    What is written to a closed standard output fails, as it should; nobody reads what is said on a
    closed standard error.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    # Python has none where a stream was closed, whatever the types say.
    if getattr(sys, "stdout", None) is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    if getattr(sys, "stderr", None) is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good


def silence_output() -> None:
    """Nothing more goes to standard output, nor what is held back and could not be written."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
