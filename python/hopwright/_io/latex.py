r"""Tables in LaTeX, for booktabs and siunitx (version 2 or 3), of the cells that people read.

A column of which each cell is a number, perhaps with its uncertainty, is one of siunitx's: numbers
stand under each other by their points. An interval stands in `\numrange`. All else is text,
escaped.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hopwright._io.markup import in_one_line
from hopwright._io.names import PLAIN, Names

NEEDED = "% needs \\usepackage{booktabs} and \\usepackage{siunitx}\n"
"""What stands above the tables."""

NUMBER = re.compile(r"(?P<value>[+-]?\d+(?:\.\d+)?)(?: ± (?P<half>\d+(?:\.\d+)?))?(?: %)?")
RANGE = re.compile(r"(?P<low>[+-]?\d+(?:\.\d+)?) to (?P<high>[+-]?\d+(?:\.\d+)?)(?: %)?")
BELOW = re.compile(r"<(?P<value>\d+(?:\.\d+)?)")

UNTOLD = frozenset({"", "–", "baseline"})
"""Cells that say nothing of what a column holds."""
UNITS = frozenset({"kb/s", "ms", "s", "%", "segments"})
"""What stands in a line of its own in heads."""
MOST_LETTERS = 16
"""Of a line of a head."""
BREAK = "\\\\"

LETTERS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "→": r"$\rightarrow$",
    "↔": r"$\leftrightarrow$",
    "±": r"$\pm$",
    "–": "--",
    "µ": r"$\mu$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
"""What LaTeX reads otherwise than people do, or has no letter for."""


class Sheet(NamedTuple):
    """A table: its heads, whose lines may be several, its rows, and what stands above it.

    A row of one cell is a heading of those below it.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    label: str
    """For `\\ref`."""
    block: int = 0
    """How many columns, from the left, name a block: its rows stay together in any order."""


def escaped(text: str) -> str:
    """The text as LaTeX prints it."""
    return "".join(LETTERS.get(letter, letter) for letter in text)


def document(
    sheets: Iterable[Sheet], names: Names = PLAIN, said: str = "", warned: Iterable[str] = ()
) -> str:
    """Tables, one below the other, under the packages they need.

    `warned` and `said` stand above them, in comments: what to beware of, and of what they are.
    Raises `UnknownNameError` for a label or an order of what is in none of them.
    """
    found = list(sheets)
    words = {cell for sheet in found for row in sheet.rows for cell in row}
    heads = {joined(head) for sheet in found for head in sheet.heads}
    names.check(sorted(words), sorted(heads | {sheet.caption for sheet in found}))
    names = names.checked()
    lines = [*(f"warning: {line}" for line in warned), *said.splitlines()]
    comment = "".join(f"% {line}\n" for line in lines)
    return comment + NEEDED + "".join(f"\n{_table(sheet, names)}" for sheet in found)


def joined(head: str) -> str:
    """A head in one line: `goodput (kb/s)` of `goodput` over `kb/s`; halves of a word as one."""
    text, _, last = head.rpartition("\n")
    unit = f" ({last})" if text and last in UNITS else ""
    return in_one_line(f"{text}{unit}" if unit else head)


def _table(sheet: Sheet, names: Names) -> str:
    """A table in its float; rows that the order names come first."""
    columns = [
        _Column.of([row[n] for row in sheet.rows if len(row) > 1]) for n in range(len(sheet.heads))
    ]
    heads = [column.head(names.text(joined(head))) for column, head in _pairs(columns, sheet.heads)]
    lines = [
        r"\begin{table}",
        r"  \centering",
        r"  \sisetup{separate-uncertainty, retain-explicit-plus}",
        f"  \\caption{{{escaped(names.text(sheet.caption))}}}",
        f"  \\label{{tab:{re.sub('[^a-z0-9]+', '-', sheet.label.lower()).strip('-')}}}",
        f"  \\begin{{tabular}}{{{''.join(column.kind for column in columns)}}}",
        r"    \toprule",
        _line(heads),
        r"    \midrule",
    ]
    for row in _ordered(sheet, names):
        if len(row) == 1:
            heading = f"\\multicolumn{{{len(columns)}}}{{l}}{{{escaped(names.text(row[0]))}}}"
            lines.append(_line([heading]))
        else:
            lines.append(_line(column.cell(text, names) for column, text in _pairs(columns, row)))
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


class _Column(NamedTuple):
    """How a column is set."""

    kind: str
    """As `tabular` takes it."""
    is_number: bool
    unit: str

    @classmethod
    def of(cls, cells: Sequence[str]) -> "_Column":
        """The column of these cells."""
        told = [cell for cell in cells if cell not in UNTOLD]
        numbers = [found for cell in told if (found := NUMBER.fullmatch(cell))]
        unit = "%" if told and all(cell.endswith(" %") for cell in told) else ""
        if numbers and all(NUMBER.fullmatch(cell) or BELOW.fullmatch(cell) for cell in told):
            return cls(f"S[table-format={_format(numbers)}]", is_number=True, unit=unit)
        is_range = bool(told) and all(RANGE.fullmatch(cell) for cell in told)
        return cls("r" if is_range else "l", is_number=False, unit=unit)

    def head(self, text: str) -> str:
        """What stands above the column, in braces: it is no number."""
        told = f"{text} ({self.unit})" if self.unit else text
        side = "l" if self.kind == "l" else "r" if self.kind == "r" else "c"
        lines = [
            escaped(line) for line in textwrap.wrap(told, MOST_LETTERS, break_long_words=False)
        ] or [""]
        stacked = f"\\shortstack[{side}]{{{BREAK.join(lines)}}}" if len(lines) > 1 else lines[0]
        return f"{{{stacked}}}"

    def cell(self, text: str, names: Names) -> str:
        """A cell under its label, if it has one; what is no number, in braces among numbers."""
        label = names.text(text)
        if label == text and (number := NUMBER.fullmatch(text)) and self.is_number:
            half = number["half"]
            return number["value"] + (f" \\pm {half}" if half else "")
        if label == text and (ends := RANGE.fullmatch(text)):
            return f"\\numrange{{{ends['low']}}}{{{ends['high']}}}"
        if label == text and (below := BELOW.fullmatch(text)):
            return f"{{$<$\\num{{{below['value']}}}}}"
        return f"{{{escaped(label)}}}" if self.is_number and label else escaped(label)


def _format(numbers: Sequence[re.Match[str]]) -> str:
    """Room for the widest: `+3.1(2)`: a sign, three digits, one behind the point, two of ±."""
    values = [number["value"] for number in numbers]
    whole = max(len(value.lstrip("+-").partition(".")[0]) for value in values)
    part = max(len(value.partition(".")[2]) for value in values)
    halves = [number["half"].partition(".")[0].lstrip("0") for number in numbers if number["half"]]
    sign = "+" if any(value[0] in "+-" for value in values) else ""
    room = f"({max(max(map(len, halves)) + part, 1)})" if halves else ""
    return f"{sign}{whole}{f'.{part}' if part else ''}{room}"


def _ordered(sheet: Sheet, names: Names) -> Iterator[Sequence[str]]:
    """Rows by the order of what names them, block by block; those below headings stay there."""
    if any(len(row) == 1 for row in sheet.rows):
        yield from sheet.rows
        return
    blocks: dict[str, list[Sequence[str]]] = {}
    for row in sheet.rows:
        blocks.setdefault(", ".join(row[: sheet.block]), []).append(row)
    called = [*blocks]
    for place in names.places(called):
        rows = blocks[called[place]]
        yield from (rows[n] for n in names.places([", ".join(row[sheet.block :]) for row in rows]))


def _line(cells: Iterable[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _pairs(columns: Sequence[_Column], cells: Sequence[str]) -> Iterable[tuple[_Column, str]]:
    return zip(columns, cells, strict=True)
