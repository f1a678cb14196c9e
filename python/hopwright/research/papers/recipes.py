"""`[[figures]]` of a paper's file: what is drawn."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hopwright._io.errors import InputError, near
from hopwright.research.papers.axes import Axis, axis_called, is_number
from hopwright.research.papers.claims import chosen
from hopwright.research.papers.emulations import Emulation
from hopwright.research.papers.fields import Fields, Value, spot
from hopwright.research.papers.measures import terms
from hopwright.research.papers.tables import Cell

FigureKind = Literal["bars", "lines", "series", "acknowledgements", "path lengths", "emulations"]

SHOWS = ("rtt", "throughput", "lifetimes", "distribution", "losses")
"""What a figure of emulations shows."""

FIGURE_KEYS: Mapping[FigureKind, tuple[str, ...]] = {
    "bars": ("cells",),
    "lines": ("cells", "x", "by"),
    "series": ("by", "at", "labels", "from_s", "to_s", "sum", "each", "average", "interval_s"),
    "acknowledgements": ("by", "at", "labels", "from_s", "to_s"),
    "path lengths": ("at", "bins"),
    "emulations": ("at", "shows", "emulations"),
}
"""The keys of each kind of figure beside those that all have."""


@dataclass(frozen=True)
class Drawing:
    """The recipe of a figure."""

    id: str
    kind: FigureKind
    title: str
    y_label: str
    cells: tuple[str, ...]
    """bars, lines: the cells that are drawn."""
    x: str
    """lines: the axis whose labels are numbers."""
    by: str
    """lines: the axis that tells lines apart. series, acknowledgements: that tells curves apart."""
    at: Mapping[str, str]
    """series, acknowledgements: labels of the other axes. path lengths, emulations: of all."""
    terms: tuple[tuple[int, str], ...]
    """series: signed columns of the series."""
    each: tuple[str, ...]
    """series: columns of the series that have a curve of their own each, instead of `terms`."""
    labels: tuple[str, ...]
    """series, acknowledgements: the labels of `by` that are drawn."""
    average: int
    """series: samples of the centred moving average."""
    interval_s: float
    """series: seconds between samples."""
    from_s: float
    """series, acknowledgements: where the time axis begins."""
    to_s: float
    """series, acknowledgements: where it ends; infinity: with the run."""
    shows: str
    """emulations: one of `SHOWS`."""
    emulations: tuple[str, ...]
    """emulations: those that are drawn beside the trace."""
    bins: str
    """path lengths: how the classes are chosen, `fd` or `sturges`."""


def read_drawing(
    values: Mapping[str, Value],
    path: Path,
    axes: Sequence[Axis],
    cells: Mapping[str, Cell],
    emulations: Mapping[str, Emulation],
) -> Drawing:
    """One of `[[figures]]`. Raises `InputError`."""
    where = f"{spot(values, path)}: [[figures]]"
    kind = _figure_kind(Fields(values, where, tuple(values)))
    keys = FIGURE_KEYS[kind]
    known = ("id", "kind", "title", "y_label", *keys)
    fields = Fields(values, f"{where} of kind '{kind}'", known)
    name = fields.text("id")
    where = f"{where} {name}"
    by = axis_called(axes, fields.text("by"), where) if "by" in keys else None
    x = axis_called(axes, fields.text("x"), where) if "x" in keys else None
    drawn = chosen(fields.texts("cells"), list(cells), where) if "cells" in keys else ()
    for cell in drawn:
        if x is not None and not is_number(cells[cell].at[x.name]):
            label = cells[cell].at[x.name]
            raise InputError(f"{where}: x = '{x.name}': the label '{label}' is not a number")
    labels = fields.texts("labels", by.labels if by else [])
    for label in labels:
        if by and label not in by.labels:
            raise InputError(f"{where}: no label '{label}'{near(label, by.labels)}")
    at: dict[str, str] = {}
    if "at" in keys:
        rest = [axis for axis in axes if axis is not by]
        others = Fields(fields.table("at"), f"{where}: at", [axis.name for axis in rest])
        at = {axis.name: others.word(axis.name, axis.labels) for axis in rest}
    if "sum" in keys and ("sum" in fields) == ("each" in fields):
        raise InputError(f"{where}: give either sum or each, with columns of the series")
    played = fields.texts("emulations") if "emulations" in keys else ()
    for each in played:
        if each not in emulations:
            raise InputError(f"{where}: no emulation called '{each}'{near(each, emulations)}")
    from_s = fields.not_negative("from_s", 0.0)
    to_s = fields.positive("to_s", math.inf) if "to_s" in fields else math.inf
    if from_s >= to_s:
        raise InputError(f"{where}: from_s = {from_s:g}: write a time before to_s = {to_s:g}")
    return Drawing(
        id=name,
        kind=kind,
        title=fields.text("title"),
        y_label=fields.text("y_label"),
        cells=drawn,
        x=x.name if x else "",
        by=by.name if by else "",
        at=at,
        terms=terms(fields.texts("sum", [])),
        each=fields.texts("each", []),
        labels=labels,
        average=fields.whole("average", 1, 1),
        interval_s=fields.positive("interval_s", 0.1),
        from_s=from_s,
        to_s=to_s,
        shows=fields.word("shows", SHOWS) if "shows" in keys else "",
        emulations=played,
        bins=fields.word("bins", ("fd", "sturges")) if "bins" in fields else "fd",
    )


def _figure_kind(fields: Fields) -> FigureKind:
    word = fields.word("kind", tuple(FIGURE_KEYS))
    return next(kind for kind in FIGURE_KEYS if kind == word)
