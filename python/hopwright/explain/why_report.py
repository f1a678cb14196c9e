"""Where the time of flows went, as a person reads it: a table a flow, and sentences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hopwright._io import markup
from hopwright._io.console import Hanging, Prose, Whole, text_of
from hopwright._io.latex import Sheet, document
from hopwright.explain.why import FlowWhy, Line, Why
from hopwright.explain.why_words import number
from hopwright.results.table import ABSENT, show

if TYPE_CHECKING:
    from rich.console import RenderableType

LEAST = 0.0005
"""A part of the time that is smaller on all sides has no row: it would be 0.0 %."""
LEAST_S = 0.00005
"""The same of a packet's delay, seconds: it would be 0.0 ms."""
MOST_SIDES = 4
"""Columns of values that 80 characters have room for."""


def text(of: Why) -> str:
    """What is printed, 80 columns wide."""
    return text_of(*parts(of)).rstrip("\n")


def parts(of: Why) -> "list[RenderableType]":
    """A heading, a table a flow, sentences."""
    shown: list[RenderableType] = [Prose(heading(of))]
    for flow in of.flows:
        # The baseline stands in each table.
        for first in range(1, len(of.sides), MOST_SIDES - 1):
            sides = [0, *range(first, min(first + MOST_SIDES - 1, len(of.sides)))]
            shown += ["", _table(of, flow, sides)]
    shown += ["", *(Prose(line, hang=2) for line in of.sentences)]
    return shown


def html(of: Why) -> str:
    """The same for notebooks."""
    told = [markup.paragraph(heading(of), bold=True)]
    sides = [*range(len(of.sides))]
    heads = ["", *of.sides, *(["difference"] if len(sides) == 2 else [])]
    for flow in of.flows:
        rows = [[label, *(cells or [""] * (len(heads) - 1))] for label, cells in _rows(flow, sides)]
        told.append(markup.table(heads, rows, f"flow {flow.flow} ({flow.ends})"))
    return "".join(told) + markup.bullets(of.sentences)


def heading(of: Why) -> str:
    """What is compared, and over which seeds."""
    first, last = of.seeds[0], of.seeds[-1]
    head = f"how flows spent their time, by {of.key}" if of.key else "how flows spent their time"
    head += f", with {of.block}: " if of.block else ": "
    if len(of.seeds) == 1:
        return f"{head}only seed {first}, so each difference may be chance"
    return f"{head}{len(of.seeds)} seeds from {first} to {last}; means ± half of the 95 % interval"


def sheets(of: Why) -> list[Sheet]:
    """A table a flow, for LaTeX, all sides beside each other."""
    found = []
    sides = list(range(len(of.sides)))
    for flow in of.flows:
        rows = [[label, *cells] for label, cells in _rows(flow, sides)]
        heads = ["", *of.sides, *(["difference"] if len(sides) == 2 else [])]
        caption = f"flow {flow.flow} ({flow.ends}); {heading(of)}"
        found.append(Sheet(heads, rows, caption, f"why {of.block} flow {flow.flow}"))
    return found


def latex(whys: Sequence[Why]) -> str:
    """The tables of all of them in LaTeX; the sentences in comments."""
    said = "\n".join(line for each in whys for line in each.sentences)
    return document([sheet for each in whys for sheet in sheets(each)], said=said)


def _table(of: Why, flow: FlowWhy, sides: list[int]) -> Whole:
    from rich import box
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    pair = len(sides) == 2
    table = Table(
        title=f"flow {flow.flow} ({flow.ends})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1),
    )
    table.add_column("", overflow="fold")
    for side in sides:
        table.add_column(Text(of.sides[side]), justify="right", overflow="fold", vertical="bottom")
    if pair:
        table.add_column("difference", justify="right", no_wrap=True, vertical="bottom")
    for label, cells in _rows(flow, sides):
        if cells:
            # Where the label is broken, its next lines stand further in than its first.
            table.add_row(Padding(Hanging(label), (0, 0, 0, 2)), *cells)
        else:
            table.add_row(Text(label, style="bold"))
    return Whole(table)


def _rows(flow: FlowWhy, sides: list[int]) -> Iterator[tuple[str, list[str]]]:
    """What each line is called, and its cells; the headings of groups have none."""
    groups = (
        ("time of the sender, %", flow.sender, LEAST),
        ("time of the packets, %", flow.network, LEAST),
        ("a packet's mean delay, ms", flow.packet, LEAST_S),
        ("other results", flow.told, None),
    )
    for name, lines, least in groups:
        if not lines:
            continue
        yield name, []
        for line in lines:
            if least is not None and all((each.mean or 0.0) < least for each in line.values):
                continue
            label = line.metric.label if least is None else line.metric.title
            cells = [number(line, line.values[side]) for side in sides]
            yield label, [*cells, *([_difference(line, sides[1])] if len(sides) == 2 else [])]


def _difference(line: Line, side: int) -> str:
    value, shown = line.values[side], line.metric
    if value.difference is None:
        return ABSENT
    ends = value.difference.ends
    half = None if ends is None else ends[1] - value.change
    text = show(value.change, half, scale=shown.scale, decimals=shown.decimals)
    return text if value.change < 0 else f"+{text}"
