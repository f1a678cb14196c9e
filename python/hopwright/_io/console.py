"""Text as rich lays it out: on standard output, or as a string."""

import io
import re
import sys
import textwrap
from typing import IO, TYPE_CHECKING, NoReturn, cast

from rich.console import Console
from rich.measure import Measurement
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import ConsoleOptions, RenderableType

WIDTH = 80
"""Columns of text that is kept: a terminal's may be others."""

UNIT = re.compile(
    r"(?<=\d) (?=(?:%|kb/s|Mb/s|[mµnp]?s|m|m/s|[mµnp]?J|dBm?|hops?|packets?)\b|%|±)|(?<=±) "
)
"""Between a number and its unit, or its ±: no line ends there."""

KEPT = "\N{NO-BREAK SPACE}"

BLANKS = re.compile(r"[ ]+(?=(?:\x1b\[0m)?(?:\n|$))")
"""At the end of a line, be it that a terminal's style ends there."""


class _Output(Console):
    """Leaves it to the program's frame what follows when a reader is gone, as with `print`."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


class _Trimmed:
    """A stream that is given whole lines, and leaves out the blanks at their ends."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(BLANKS.sub("", text))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


class Prose:
    """A paragraph: no line of it ends between a number and its unit."""

    def __init__(self, text: str, style: str = "", *, hang: int = 0) -> None:
        """`hang`: blanks before each line."""
        self.text = text
        self.style = style
        self.hang = " " * hang

    def __rich_console__(self, _: Console, options: "ConsoleOptions") -> "Iterable[Text]":
        for line in self.text.splitlines() or [""]:
            lines = wrapped(line, options.max_width - len(self.hang))
            yield Text("\n".join(f"{self.hang}{each}" for each in lines), style=self.style)


class Hanging:
    """A paragraph in a cell: its first line stands out, the next ones further in."""

    def __init__(self, text: str, hang: int = 2) -> None:
        self.text = text
        self.hang = " " * hang

    def __rich_console__(self, _: Console, options: "ConsoleOptions") -> "Iterable[Text]":
        # All lines are as narrow as those that are further in.
        lines = wrapped(self.text, max(1, options.max_width - len(self.hang)))
        if len(self.text) <= options.max_width:
            lines = [self.text]
        yield Text(f"\n{self.hang}".join(lines), overflow="fold")

    def __rich_measure__(self, _: Console, options: "ConsoleOptions") -> Measurement:
        longest = max(map(len, self.text.split())) + len(self.hang)
        return Measurement(min(longest, options.max_width), min(len(self.text), options.max_width))


class Listed:
    """Parts with commas between: lines end after these alone, so that no part is torn."""

    def __init__(self, text: str) -> None:
        self.parts = text.split(", ")

    def __rich_console__(self, _: Console, options: "ConsoleOptions") -> "Iterable[Text]":
        line = ""
        for place, part in enumerate(self.parts):
            told = part if place == len(self.parts) - 1 else f"{part},"
            if line and len(line) + 1 + len(told) > options.max_width:
                yield Text(line, overflow="fold")
                line = ""
            line = f"{line} {told}" if line else told
        yield Text(line, overflow="fold")

    def __rich_measure__(self, _: Console, options: "ConsoleOptions") -> Measurement:
        whole = len(", ".join(self.parts))
        return Measurement(min(max(map(len, self.parts)) + 1, options.max_width), whole)


def wrapped(line: str, width: int) -> "Sequence[str]":
    """The lines of a paragraph: none ends between a number and its unit, or within a word."""
    lines = textwrap.wrap(
        UNIT.sub(KEPT, line), width, break_on_hyphens=False, break_long_words=False
    )
    return [each.replace(KEPT, " ") for each in lines] or [""]


def standard_output(width: int | None = None) -> Console:
    """A console that prints on standard output, without colouring numbers and words by itself.

    `width`: columns; by default those of the terminal, or 80.
    """
    stream = cast("IO[str]", _Trimmed(sys.stdout))
    return _Output(file=stream, highlight=False, width=width, force_jupyter=False)


def text_of(*parts: "RenderableType") -> str:
    """What printing these would show, 80 columns wide, without colours and blanks at line ends.

    Nothing is printed: left to itself, rich would put it into a notebook instead of the string.
    """
    written = io.StringIO()
    console = Console(
        file=written, width=WIDTH, color_system=None, highlight=False, force_jupyter=False
    )
    for part in parts:
        console.print(Prose(part) if isinstance(part, str) else part)
    return "".join(f"{line.rstrip()}\n" for line in written.getvalue().splitlines())
