"""A sweep as a person reads it: a row a point, and what to beware of."""

from typing import TYPE_CHECKING

from hopwright._io.console import Prose, text_of
from hopwright._io.errors import InputError
from hopwright._io.names import PLAIN, Names
from hopwright._schema.settings import settings_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from hopwright.sweeps.outcome import Sweep


USUAL_NUMBERS = 2
"""Columns of numbers beside which varied keys have room for their names: runs and a result."""


def text(sweep: "Sweep") -> str:
    """What is printed if nothing else is asked for, 80 columns wide."""
    return text_of(*parts(sweep)).rstrip("\n")


def parts(
    sweep: "Sweep", sort: str | None = None, *, best: str | None = None
) -> "list[RenderableType]":
    """The table, points that it leaves out, points that are not what was asked for, warnings.

    `sort`: as for `Sweep.order`; `best`: a result by which the best point is named, and how sure
    that is.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names, rows = sweep.rows(sort)
    numbers = len(names) - len(sweep.plan.keys)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    has_room = numbers <= USUAL_NUMBERS
    for index, name in enumerate(names):
        is_number = index >= len(names) - numbers
        table.add_column(
            Text(name if is_number or has_room else above(name, sweep.plan.keys)),
            justify="right" if is_number else "left",
            overflow="fold",
            vertical="bottom",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    lines = []
    if len(sweep.points) > len(rows):
        lines.append(f"... and {len(sweep.points) - len(rows)} more points")
    most = sweep.plan.rule.most_runs
    lines += [
        f"still wider than asked for after {most} runs: {settings_text(point.settings)}"
        for point in sweep.reached_ceiling
    ]
    if best is not None:
        lines += ["", *_said_of_best(sweep, best)]
    starved = [f"warning: {line}" for line in sweep.starved()]
    lines += ["", *starved] if starved else []
    runs = f"{sweep.runs:,} run{'' if sweep.runs == 1 else 's'}"
    points = f"{len(sweep.points):,} point{'' if len(sweep.points) == 1 else 's'}"
    lines += ["", f"{points}, {runs}, {sweep.simulated_s:.2f} s of computing"]
    return [table, *map(Prose, lines)]


def latex(sweep: "Sweep", sort: str | None = None, names: Names = PLAIN) -> str:
    """The table of all points in LaTeX."""
    from hopwright._io.latex import Sheet, document
    from hopwright.figures.labels import label
    from hopwright.results.metrics import metrics

    heads, rows = sweep.rows(sort, most=None)
    keys = {key: label(key, sweep.plan.keys) for key in sweep.plan.keys}
    heads = [keys.get(head, head) for head in heads]
    caption = f"{sweep.plan.name}; means over runs, ± half of the 95 % interval"
    labels = {key: each.label for key, each in metrics().items()}
    sheet = Sheet(heads, rows, caption, f"{sweep.plan.name} sweep")
    return document([sheet], names.for_texts(labels | keys))


def _said_of_best(sweep: "Sweep", key: str) -> list[str]:
    try:
        return sweep.best(key).said()
    except InputError as error:  # the runs are done: what they do show is worth printing
        return [f"no best point: {error}"]


def above(key: str, keys: "Sequence[str]") -> str:
    """What stands above the values of a varied key where columns must be narrow."""
    last = key.rpartition(".")[2]
    is_clear = not key.startswith("flows.") and all(
        other == key or other.rpartition(".")[2] != last for other in keys
    )
    return last if is_clear else key.replace(".", ".\n")
