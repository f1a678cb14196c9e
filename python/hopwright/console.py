"""Standard output as rich writes on it."""

import sys
from typing import NoReturn

from rich.console import Console


class _Output(Console):
    """Leaves it to the program's frame what follows when a reader is gone, as with `print`."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def standard_output(width: int | None = None) -> Console:
    """A console that prints on standard output, without colouring numbers and words by itself.

    `width`: columns; by default those of the terminal, or 80.
    """
    return _Output(file=sys.stdout, highlight=False, width=width)
