"""Text as rich lays it out: on standard output, or as a string."""

import io
import os
import re
import sys
import textwrap
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast

from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from hopwright._io.plain_letters import writable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.table import Column

WIDTH = 80
"""Columns of text that is kept: a terminal's may be others."""

COLUMNS = re.compile(r"0*[1-9]\d{0,4}")
"""A width that the environment may give."""

UNIT = re.compile(
    r"(?<=\d) (?=(?:%|kb/s|Mb/s|[mµnp]?s|m|m/s|[mµnp]?J|dBm?|hops?|packets?)\b|%|±)|(?<=±) "
)
"""Between a number and its unit, or its ±: no line ends there."""

KEPT = "\N{NO-BREAK SPACE}"

BLANKS = re.compile(r"[ ]+(?=(?:\x1b\[0m)?(?:\n|$))")
"""At the end of a line, be it that a terminal's style ends there."""


def surroundings() -> dict[str, str]:
    """The environment that consoles are to see: without a `COLUMNS` that is no width.

    Of 0 columns rich would print nothing at all.
    """
    found = dict(os.environ)
    if not COLUMNS.fullmatch(found.get("COLUMNS", "")):
        found.pop("COLUMNS", None)
    return found


class _Output(Console):
    """Leaves it to the program's frame what follows when a reader is gone, as with `print`.

    Cuts nothing off: what is wider than the terminal (`Whole`) goes on in its next line.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - as of its base
        super().__init__(**settings, _environ=surroundings())

    def print(self, *objects: Any, **settings: Any) -> None:  # noqa: ANN401 - as of its base
        shown = [writable_part(each, self.encoding) for each in objects]
        super().print(*shown, **{"crop": False} | settings)

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
    """Parts with commas between: lines end after these alone, so that no part is torn.

    A part that is longer than a line is torn between words.
    """

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
            *full, line = wrapped(line, options.max_width)
            yield from (Text(each, overflow="fold") for each in full)
        yield Text(line, overflow="fold")

    def __rich_measure__(self, _: Console, options: "ConsoleOptions") -> Measurement:
        words = max(len(word) for part in self.parts for word in wrapped(f"{part},", 1))
        return Measurement(min(words, options.max_width), len(", ".join(self.parts)))


LEAST_WORDS = 16
"""Columns that a cell of words gets at least, if it has so many: where it is narrower, its words
are hard to read; and a long one, such as a key, may be torn."""


class Whole:
    """A table of which no number is torn or cut, and no column missing.

    Where a terminal is too narrow for that, the table is wider than the terminal.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: "ConsoleOptions") -> "Iterable[Segment]":
        free = options.update(width=UNLIMITED)
        spare = 0
        for column in self.table.columns:
            column.min_width, longest = _least(column, console, free)
            spare += max(0, longest - column.min_width)
        needed = Measurement.get(console, free, self.table).minimum - spare
        return console.render(self.table, options.update(width=max(needed, options.max_width)))


UNLIMITED = 10_000
"""Columns of a terminal on which everything would have room."""


def _least(column: "Column", console: Console, free: "ConsoleOptions") -> tuple[int, int]:
    """The columns that a column of a table needs, and those of its longest word."""
    sizes = [Measurement.get(console, free, cell) for cell in column.cells]
    head = Measurement.get(console, free, column.header)
    longest = max([head.minimum, *(size.minimum for size in sizes)])
    if column.no_wrap:
        return max([head.maximum, *(size.maximum for size in sizes)]), longest
    if column.justify == "right":
        return max([head.minimum, *(size.maximum for size in sizes)]), longest
    return min(max([head.minimum, *(size.maximum for size in sizes)]), LEAST_WORDS), longest


def writable_part(part: "RenderableType", encoding: str) -> "RenderableType":
    """What is printed, in letters that an encoding has: changed in place where it is no string.

    Before anything is laid out, as `->` is wider than what it stands for.
    """
    if isinstance(part, str):
        return writable(part, encoding)
    if isinstance(part, Text):
        part.plain = writable(part.plain, encoding)
    elif isinstance(part, (Prose, Hanging)):
        part.text = writable(part.text, encoding)
    elif isinstance(part, Listed):
        part.parts = [writable(each, encoding) for each in part.parts]
    elif isinstance(part, Group):
        part.renderables[:] = [writable_part(each, encoding) for each in part.renderables]
    elif isinstance(part, Whole):
        writable_part(part.table, encoding)
    elif isinstance(part, Table):
        for column in part.columns:
            column.header = writable_part(column.header, encoding)
            cells = [writable_part(each, encoding) for each in column.cells]
            column._cells = cells  # noqa: SLF001 - there is no other way to change them
    return part


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


def narrow_width() -> int | None:
    """The columns of a terminal that has fewer than text is made for; None of any other."""
    width = standard_output().width
    return width if width < WIDTH else None


def print_lines(text: str) -> None:
    """Prints lines of which each is about one thing, such as an event.

    They stay whole, so that programs can look for one; a narrow terminal alone gets several of one.
    """
    width = narrow_width()
    for line in text.splitlines():
        if width is None:
            print(line)
            continue
        told = line.lstrip()
        first = " " * (len(line) - len(told))
        rest = f"{first}{' ' * 4}"
        for place, each in enumerate(wrapped(told, max(1, width - len(rest)))):
            print(f"{rest if place else first}{each}")


def text_of(*parts: "RenderableType", width: int = WIDTH) -> str:
    """What printing these would show, in so many columns, without colours and blanks at line ends.

    Nothing is printed: left to itself, rich would put it into a notebook instead of the string.
    """
    written = io.StringIO()
    console = _Output(
        file=written, width=width, color_system=None, highlight=False, force_jupyter=False
    )
    for part in parts:
        console.print(Prose(part) if isinstance(part, str) else part)
    return "".join(f"{line.rstrip()}\n" for line in written.getvalue().splitlines())
