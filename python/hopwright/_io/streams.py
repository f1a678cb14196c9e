"""Standard output and standard error where they are closed, or cannot be written to."""

import contextlib
import os
import sys
from typing import TextIO

from hopwright._io.plain_letters import json_in, toml_in


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


def print_json(text: str) -> None:
    """Writes a text in JSON to standard output, in letters that it can encode."""
    sys.stdout.write(json_in(text, sys.stdout.encoding or "utf-8"))


def print_toml(text: str) -> None:
    """The same of a text in TOML."""
    sys.stdout.write(toml_in(text, sys.stdout.encoding or "utf-8"))


def tell(line: str) -> None:
    """Says something on standard error; that nobody can hear it is no failure of what is told."""
    try:
        print(line, file=sys.stderr)
    except (OSError, ValueError):
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Nothing more goes to a standard stream, nor what is held back and could not be written."""
    with contextlib.suppress(OSError, ValueError):
        stream.flush()
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
