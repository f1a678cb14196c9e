"""A loss budget as a person reads it."""

from typing import TYPE_CHECKING

from hopwright._io import markup
from hopwright._io.console import Prose, Whole, text_of
from hopwright.explain import words
from hopwright.explain.budget import (
    MEASURES,
    MEASURES_OF_ASKED,
    MEASURES_OF_BUNDLES,
    SPURIOUS,
    Budget,
)
from hopwright.results.nodes import name_of

if TYPE_CHECKING:
    from rich.console import RenderableType


def text(budget: Budget) -> str:
    """What is printed, 80 columns wide."""
    return text_of(*parts(budget)).rstrip("\n")


def parts(budget: Budget) -> "list[RenderableType]":
    """The table, and lines below it."""
    head = _table(budget) if budget.causes else Prose(f"{_title(budget)}: nothing was lost")
    return [head, *(Prose(line, hang=2) for line in _notes(budget))]


def html(budget: Budget) -> str:
    """The same for notebooks."""
    heads, rows = _cells(budget)
    notes = markup.bullets(line for line in _notes(budget))
    return markup.table(heads, rows, _title(budget)) + notes


def _title(budget: Budget) -> str:
    return f"loss budget of flow {budget.flow}"


def _cells(budget: Budget) -> tuple[list[str], list[list[str]]]:
    measures = budget.choose(MEASURES, MEASURES_OF_BUNDLES, MEASURES_OF_ASKED)
    shown = [name for name in measures if budget.counts[name]]
    rows = []
    for cause in budget.causes:
        name = cause if cause == SPURIOUS else words.LOSSES.get(cause, cause)
        rows.append([name, *(_count(budget.counts[each][cause]) for each in shown)])
    return ["cause", *(measures[name] for name in shown)], rows


def _table(budget: Budget) -> Whole:
    from rich import box
    from rich.table import Table

    table = Table(
        title=_title(budget),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1),
    )
    heads, rows = _cells(budget)
    table.add_column(heads[0], vertical="bottom", no_wrap=True)
    for head in heads[1:]:
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return Whole(table)


def _count(count: int) -> str:
    return str(count) if count else ""


def _place(budget: Budget, node: int, peer: int | None) -> str:
    if peer is None:
        return f"in node {name_of(budget.names, node)}"
    return f"{name_of(budget.names, node)} → {name_of(budget.names, peer)}"


def _notes(budget: Budget) -> list[str]:
    lines = []
    worst = budget.where.most_common(3)
    if worst:
        links = [f"{_place(budget, node, peer)}: {count}" for (node, peer), count in worst]
        lines.append(f"most losses  {', '.join(links)}")
    if budget.own_cuts:
        cuts = [
            f"{words.cut(cause, asks=budget.asks)} {count}"
            for cause, count in budget.own_cuts.items()
        ]
        lines.append(f"window cuts without a loss  {', '.join(cuts)}")
    if budget.carried is not None:
        lines.append(str(budget.carried))
    if budget.warm_up_s and budget.causes:
        before = f"the first {budget.warm_up_s:g} s (warm_up_s)"
        lines.append(f"counted  the whole run; results leave out {before}")
    return lines
