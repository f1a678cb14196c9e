"""`[[tables]]` of a paper's file: what it prints."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright.research.papers.axes import Axis, axis_called
from hopwright.research.papers.fields import Fields, Value, is_real, spot
from hopwright.research.papers.measures import Measure
from hopwright.statistics.moments import Moments


@dataclass(frozen=True)
class Cell:
    """A number of a table."""

    id: str
    row: str
    """What the row is called."""
    measure: str
    at: Mapping[str, str]
    """Labels, by axis: all axes, that of the columns last."""
    printed: float | None
    reference: Moments | None


@dataclass(frozen=True)
class PaperTable:
    """A table: cells in rows."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def read_table(
    values: Mapping[str, Value],
    path: Path,
    axes: Sequence[Axis],
    measures: Mapping[str, Measure],
) -> PaperTable:
    """One of `[[tables]]`. Raises `InputError`."""
    where = f"{spot(values, path)}: [[tables]]"
    fields = Fields(values, where, ("id", "title", "columns", "rows"))
    name = fields.text("id")
    where = f"{where} {name}"
    across = axis_called(axes, fields.text("columns"), where)
    rows = [
        row for each in fields.tables("rows") for row in _rows(each, where, axes, across, measures)
    ]
    if not rows:
        raise InputError(f"{where}: rows is missing")
    return PaperTable(name, fields.text("title"), across.labels, tuple(rows))


EACH = "*"
"""In place of a label: a row for each of the axis' labels."""


def _rows(
    values: Mapping[str, Value],
    where: str,
    axes: Sequence[Axis],
    across: Axis,
    measures: Mapping[str, Measure],
) -> list[tuple[Cell, ...]]:
    """A row, or one for each label of the axes that have a star."""
    fields = Fields(values, f"{where}: rows", ("measure", "label", "at", "printed", "reference"))
    measure = measures[fields.word("measure", list(measures))]
    rest = [axis for axis in axes if axis.name != across.name]
    others = Fields(fields.table("at"), f"{where}: rows: at", [axis.name for axis in rest])
    labels = [
        axis.labels
        if fields.table("at").get(axis.name) == EACH
        else (others.word(axis.name, axis.labels),)
        for axis in rest
    ]
    places = [
        dict(zip((axis.name for axis in rest), each, strict=True))
        for each in itertools.product(*labels)
    ]
    if len(places) > 1:
        for key in ("label", "printed", "reference"):
            if key in fields:
                raise InputError(
                    f"{fields.at(key)}: {key}: not allowed for {len(places)} rows, only for one"
                )
    return [_row(fields, at, across, measure) for at in places]


def _row(fields: Fields, at: Mapping[str, str], across: Axis, measure: Measure) -> tuple[Cell, ...]:
    printed = _printed(fields, len(across.settings))
    samples = fields.listed("reference") or [[]] * len(printed)
    if len(samples) != len(printed):
        raise InputError(
            f"{fields.where}: {measure.id}: {many(len(samples), 'value')} in reference, not "
            f"{len(printed)}"
        )
    return tuple(
        Cell(
            id=".".join((measure.id, *at.values(), setting.label)),
            row=fields.text("label", ", ".join((measure.title, *at.values()))),
            measure=measure.id,
            at={**at, across.name: setting.label},
            printed=number,
            reference=read_sample(sample, f"{fields.where}: {measure.id}") if sample else None,
        )
        for setting, number, sample in zip(across.settings, printed, samples, strict=True)
    )


def _printed(fields: Fields, count: int) -> list[float | None]:
    """What the paper prints; `nan` where it prints nothing."""
    numbers = fields.values("printed") if "printed" in fields else [math.nan] * count
    if len(numbers) != count:
        raise InputError(
            f"{fields.where}: printed: {many(len(numbers), 'number')}, but {many(count, 'column')}"
        )
    found: list[float | None] = []
    for number in numbers:
        if isinstance(number, float) and math.isnan(number):
            found.append(None)
        elif is_real(number):
            found.append(float(number))
        else:
            raise InputError(f"{fields.where}: printed: {number!r}: write a number, or nan")
    return found


def read_sample(value: Value, where: str) -> Moments:
    """`[mean, sd, n]`. Raises `InputError`."""
    if isinstance(value, list) and len(value) == 3:
        mean, sd, n = value
        if is_real(mean) and is_real(sd) and sd >= 0 and isinstance(n, int) and n > 1:
            return Moments(float(mean), float(sd), n)
    raise InputError(f"{where}: reference: {value!r}: write [mean, standard deviation, runs]")
