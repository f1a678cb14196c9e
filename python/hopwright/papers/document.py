"""A paper's file: what it holds, read and checked.

`docs/reproductions.md` is made from such files; CONTRIBUTING says how to write one.
"""

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from hopwright.errors import InputError, near
from hopwright.files import read_text
from hopwright.papers.claims import Claim, chosen, read_claim
from hopwright.papers.emulations import Emulation, read_emulation
from hopwright.papers.fields import Fields, Value, is_real
from hopwright.papers.hunting.gaps import Gap, read_gaps
from hopwright.papers.sample import Sample

Kind = Literal["amount", "count"]
"""What a measure's tolerance goes by: amounts (segments, seconds, means), counts of events."""

KEYS = (
    *("document", "title", "source", "about", "departs", "long"),
    *("runs", "reading_runs", "quick_runs", "training_runs", "seed"),
    *("reference", "scenario", "vary", "measures", "tables", "readings", "claims", "comparisons"),
    *("figures", "emulations", "gaps"),
)
"""Of the file's top."""

PRIMARY = "as in the file"
"""The reading that is not named."""


@dataclass(frozen=True, eq=False)
class Setting:
    """One value of an axis."""

    label: str
    keys: Mapping[str, Value]
    """Keys of the scenario and their values."""
    reference: Mapping[str, str] | None
    """Columns of the reference table and their values; None: the reference has no such setting."""


@dataclass(frozen=True, eq=False)
class Axis:
    """What is varied, in the order of the paper."""

    name: str
    title: str
    settings: tuple[Setting, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the values."""
        return tuple(setting.label for setting in self.settings)


@dataclass(frozen=True)
class Measure:
    """A number of every run: fields of the results, added up, maybe divided by others."""

    id: str
    title: str
    terms: tuple[tuple[int, str], ...]
    """Sign, +1 or -1, and column of the results; a field of flows is added up over the flows."""
    kind: Kind
    reference: str
    """The reference table's column, without `_mean`; empty if it has none."""
    per: tuple[tuple[int, str], ...] = ()
    """What the sum is divided by, likewise added up; empty: by nothing."""
    flow: int | None = None
    """The only flow that counts, from 0; None: all."""
    is_share: bool = False
    """Whether it is what the flow has of all flows' sum, in percent."""


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
    reference: Sample | None


@dataclass(frozen=True)
class PaperTable:
    """A table: cells in rows."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Reading:
    """Another way to read what the paper leaves open."""

    id: str
    why: str
    keys: Mapping[str, Value]
    reference_row: Mapping[str, str]
    references: Mapping[str, Sample]
    """By the cell's id."""
    cells: tuple[str, ...]
    """Ids of the cells that it is about."""


@dataclass(frozen=True)
class Comparison:
    """A question of this project's own, which the paper does not answer."""

    id: str
    asks: str
    measure: str
    axis: str
    these: tuple[str, ...]
    """Labels of the axis."""
    against: tuple[str, ...]
    """Labels of the axis, each of which each of `these` is compared with."""


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


@dataclass(frozen=True)
class Document:
    """A file of `scenarios/papers`."""

    id: str
    path: Path
    document: str
    title: str
    source: str
    about: str
    runs: int
    reading_runs: int
    """Of each reading but the file's own."""
    quick_runs: int
    training_runs: int
    """Of each reading that a hunt tries."""
    seed: int
    long: bool
    """Whether it is run only where it is asked for."""
    scenario: Mapping[str, Value]
    """Inline; or `{"file": path}`."""
    axes: tuple[Axis, ...]
    measures: Mapping[str, Measure]
    tables: tuple[PaperTable, ...]
    readings: tuple[Reading, ...]
    claims: tuple[Claim, ...]
    comparisons: tuple[Comparison, ...]
    drawings: tuple[Drawing, ...]
    emulations: Mapping[str, Emulation]
    """Of `emulated.` numbers and figures, by id."""
    gaps: tuple[Gap, ...]
    """What hunts choose from."""
    reference_command: str
    reference_table: str
    reference_row: Mapping[str, str]

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """Every cell of every table, by id."""
        return {cell.id: cell for table in self.tables for row in table.rows for cell in row}

    def points(self) -> list[tuple[Setting, ...]]:
        """Every combination of settings, the last axis the fastest."""
        return list(itertools.product(*(axis.settings for axis in self.axes)))


def read(path: Path) -> Document:
    """Reads a paper's file.

    Raises:
        InputError: It cannot be read, or something in it makes no sense; the text says where.
    """
    text = read_text(path)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from error
    return _document(path, values)


def _document(path: Path, values: Mapping[str, Value]) -> Document:
    fields = Fields(values, str(path), KEYS)
    reference = Fields(
        fields.table("reference"), f"{path}: [reference]", ("command", "table", "row")
    )
    axes = tuple(_axis(each, path) for each in fields.tables("vary"))
    measures = {each.id: each for each in (_measure(m, path) for m in fields.tables("measures"))}
    if not measures:
        raise InputError(f"{path}: [[measures]] is missing: what is counted")
    tables = tuple(_table(each, path, axes, measures) for each in fields.tables("tables"))
    cells: list[str] = [cell.id for table in tables for row in table.rows for cell in row]
    if not cells:
        raise InputError(f"{path}: [[tables]] is missing: what the paper prints")
    for cell in cells:
        if cells.count(cell) > 1:
            raise InputError(f"{path}: two cells are called '{cell}'")
    _names_are_unlike(path, "vary", [axis.name for axis in axes])
    readings = tuple(_reading(each, path, cells) for each in fields.tables("readings"))
    _names_are_unlike(path, "readings", [reading.id for reading in readings])
    departs = fields.text("departs", "").strip()
    by_id = {cell.id: cell for table in tables for row in table.rows for cell in row}
    printed = {name for name, cell in by_id.items() if cell.printed is not None}
    claims = tuple(
        read_claim(each, path, cells, printed, departs) for each in fields.tables("claims")
    )
    _names_are_unlike(path, "claims", [claim.id for claim in claims])
    asked = fields.tables("comparisons")
    comparisons = tuple(_comparison(each, path, axes, measures) for each in asked)
    _names_are_unlike(path, "comparisons", [each.id for each in comparisons])
    played = [read_emulation(each, path) for each in fields.tables("emulations")]
    _names_are_unlike(path, "emulations", [each.id for each in played])
    emulations = {each.id: each for each in played}
    drawings = tuple(
        _drawing(each, path, axes, by_id, emulations) for each in fields.tables("figures")
    )
    _names_are_unlike(path, "figures", [drawing.id for drawing in drawings])
    gaps = read_gaps(fields.tables("gaps"), path, axes)
    if not fields.table("scenario"):
        raise InputError(f"{path}: [scenario] is missing: what is simulated")
    return Document(
        id=path.name.removesuffix(".toml"),
        path=path,
        document=fields.text("document"),
        title=fields.text("title"),
        source=fields.text("source"),
        about=fields.text("about").strip(),
        runs=fields.whole("runs", 2),
        reading_runs=fields.whole("reading_runs", 2, fields.whole("runs", 2)),
        quick_runs=fields.whole("quick_runs", 2),
        training_runs=fields.whole("training_runs", 2, fields.whole("quick_runs", 2)),
        seed=fields.whole("seed", 0, 1),
        long=fields.flag("long"),
        scenario=fields.table("scenario"),
        axes=axes,
        measures=measures,
        tables=tables,
        readings=readings,
        claims=claims,
        comparisons=comparisons,
        drawings=drawings,
        emulations=emulations,
        gaps=gaps,
        reference_command=reference.text("command", ""),
        reference_table=reference.text("table", ""),
        reference_row=_words(reference.table("row")),
    )


def _names_are_unlike(path: Path, what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}: [[{what}]]: two are called '{name}'")


def _axis(values: Mapping[str, Value], path: Path) -> Axis:
    where = f"{path}: [[vary]]"
    known = ("name", "title", "settings", "key", "values", "labels", "reference")
    fields = Fields(values, where, known)
    name = fields.text("name")
    where = f"{where} {name}"
    if "key" in fields:
        settings = _of_one_key(fields, where)
    else:
        settings = [_setting(each, where) for each in fields.tables("settings")]
    if not settings:
        raise InputError(f"{where}: no settings: give key and values, or settings")
    for setting in settings:
        if setting.keys.keys() != settings[0].keys.keys():
            raise InputError(
                f"{where}: '{setting.label}' sets other keys than '{settings[0].label}'"
            )
    _names_are_unlike(path, f"vary]] {name} [[settings", [each.label for each in settings])
    return Axis(name, fields.text("title", name), tuple(settings))


def _of_one_key(fields: Fields, where: str) -> list[Setting]:
    if "settings" in fields:
        raise InputError(f"{where}: either key and values, or settings")
    key = fields.text("key")
    values = fields.values("values")
    labels = fields.texts("labels", [str(value) for value in values])
    if len(labels) != len(values):
        raise InputError(f"{where}: {len(values)} values, {len(labels)} labels")
    column = fields.text("reference", "")
    return [
        Setting(label, {key: value}, {column: str(value)} if column else {})
        for label, value in zip(labels, values, strict=True)
    ]


def _setting(values: Mapping[str, Value], where: str) -> Setting:
    fields = Fields(values, f"{where}: settings", ("label", "set", "reference"))
    keys = fields.table("set")
    if not keys:
        raise InputError(f"{where}: settings: set is missing: keys of the scenario")
    has_reference = values.get("reference") is not False
    reference = _words(fields.table("reference")) if has_reference else None
    return Setting(fields.text("label"), keys, reference)


def _words(values: Mapping[str, Value]) -> dict[str, str]:
    return {key: str(value) for key, value in values.items()}


def _measure(values: Mapping[str, Value], path: Path) -> Measure:
    where = f"{path}: [[measures]]"
    known = ("id", "title", "sum", "per", "flow", "share", "kind", "reference")
    fields = Fields(values, where, known)
    kind = fields.word("kind", ("amount", "count"))
    if fields.flag("share") and ("flow" not in fields or "per" in fields):
        raise InputError(f"{where} {fields.text('id')}: share: of one flow, without per: flow = 0")
    return Measure(
        id=fields.text("id"),
        title=fields.text("title"),
        terms=_terms(fields.texts("sum")),
        kind="count" if kind == "count" else "amount",
        reference=fields.text("reference", ""),
        per=_terms(fields.texts("per", [])),
        flow=fields.whole("flow", 0) if "flow" in fields else None,
        is_share=fields.flag("share"),
    )


def _terms(texts: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """`["a", "-b"]` as signs and names."""
    return tuple((-1, text[1:]) if text.startswith("-") else (1, text) for text in texts)


def _table(
    values: Mapping[str, Value],
    path: Path,
    axes: Sequence[Axis],
    measures: Mapping[str, Measure],
) -> PaperTable:
    where = f"{path}: [[tables]]"
    fields = Fields(values, where, ("id", "title", "columns", "rows"))
    name = fields.text("id")
    where = f"{where} {name}"
    across = _axis_called(axes, fields.text("columns"), where)
    rows = [_row(each, where, axes, across, measures) for each in fields.tables("rows")]
    if not rows:
        raise InputError(f"{where}: rows is missing")
    return PaperTable(name, fields.text("title"), across.labels, tuple(rows))


def _axis_called(axes: Sequence[Axis], name: str, where: str) -> Axis:
    found = next((axis for axis in axes if axis.name == name), None)
    if found is None:
        raise InputError(f"{where}: no axis called '{name}'{near(name, [a.name for a in axes])}")
    return found


def _row(
    values: Mapping[str, Value],
    where: str,
    axes: Sequence[Axis],
    across: Axis,
    measures: Mapping[str, Measure],
) -> tuple[Cell, ...]:
    fields = Fields(values, f"{where}: rows", ("measure", "label", "at", "printed", "reference"))
    measure = measures[fields.word("measure", list(measures))]
    given = fields.table("at")
    rest = [axis for axis in axes if axis.name != across.name]
    others = Fields(given, f"{where}: rows: at", [axis.name for axis in rest])
    at = {axis.name: others.word(axis.name, axis.labels) for axis in rest}
    printed = _printed(fields, len(across.settings))
    samples = fields.listed("reference") or [[]] * len(printed)
    if len(samples) != len(printed):
        raise InputError(f"{where}: {measure.id}: {len(samples)} references for {len(printed)}")
    return tuple(
        Cell(
            id=".".join((measure.id, *at.values(), setting.label)),
            row=fields.text("label", ", ".join((measure.title, *at.values()))),
            measure=measure.id,
            at=at | {across.name: setting.label},
            printed=number,
            reference=_sample(sample, f"{where}: {measure.id}") if sample else None,
        )
        for setting, number, sample in zip(across.settings, printed, samples, strict=True)
    )


def _printed(fields: Fields, count: int) -> list[float | None]:
    """What the paper prints; `nan` where it prints nothing."""
    numbers = fields.values("printed") if "printed" in fields else [math.nan] * count
    if len(numbers) != count:
        raise InputError(f"{fields.where}: printed: {len(numbers)} numbers for {count} columns")
    found: list[float | None] = []
    for number in numbers:
        if isinstance(number, float) and math.isnan(number):
            found.append(None)
        elif is_real(number):
            found.append(float(number))
        else:
            raise InputError(f"{fields.where}: printed: {number!r}: write a number, or nan")
    return found


def _sample(value: Value, where: str) -> Sample:
    """`[mean, sd, n]`."""
    if isinstance(value, list) and len(value) == 3:
        mean, sd, n = value
        if is_real(mean) and is_real(sd) and sd >= 0 and isinstance(n, int) and n > 1:
            return Sample(float(mean), float(sd), n)
    raise InputError(f"{where}: reference: {value!r}: write [mean, standard deviation, runs]")


def _reading(values: Mapping[str, Value], path: Path, cells: Sequence[str]) -> Reading:
    known = ("id", "why", "set", "reference", "samples", "cells")
    fields = Fields(values, f"{path}: [[readings]]", known)
    name = fields.text("id")
    where = f"{path}: [[readings]] {name}"
    keys = fields.table("set")
    if not keys:
        raise InputError(f"{where}: set is missing: keys of the scenario")
    if name == PRIMARY:
        raise InputError(f"{where}: this name stands for the file's own reading")
    samples = fields.table("samples")
    Fields(samples, f"{where}: samples", cells)
    return Reading(
        id=name,
        why=fields.text("why").strip(),
        keys=keys,
        reference_row=_words(fields.table("reference")),
        references={cell: _sample(each, f"{where}: {cell}") for cell, each in samples.items()},
        cells=chosen(fields.texts("cells", ["*"]), cells, where),
    )


def _comparison(
    values: Mapping[str, Value],
    path: Path,
    axes: Sequence[Axis],
    measures: Mapping[str, Measure],
) -> Comparison:
    known = ("id", "asks", "measure", "axis", "these", "against")
    fields = Fields(values, f"{path}: [[comparisons]]", known)
    name = fields.text("id")
    where = f"{path}: [[comparisons]] {name}"
    axis = _axis_called(axes, fields.text("axis"), where)
    these, against = fields.texts("these"), fields.texts("against")
    for label in (*these, *against):
        if label not in axis.labels:
            raise InputError(f"{where}: no label '{label}'{near(label, axis.labels)}")
        if (*these, *against).count(label) > 1:
            raise InputError(f"{where}: '{label}' stands there twice")
    return Comparison(
        id=name,
        asks=fields.text("asks").strip(),
        measure=fields.word("measure", list(measures)),
        axis=axis.name,
        these=these,
        against=against,
    )


def _drawing(
    values: Mapping[str, Value],
    path: Path,
    axes: Sequence[Axis],
    cells: Mapping[str, Cell],
    emulations: Mapping[str, Emulation],
) -> Drawing:
    kind = _figure_kind(Fields(values, f"{path}: [[figures]]", tuple(values)))
    keys = FIGURE_KEYS[kind]
    known = ("id", "kind", "title", "y_label", *keys)
    fields = Fields(values, f"{path}: [[figures]] of kind '{kind}'", known)
    name = fields.text("id")
    where = f"{path}: [[figures]] {name}"
    by = _axis_called(axes, fields.text("by"), where) if "by" in keys else None
    x = _axis_called(axes, fields.text("x"), where) if "x" in keys else None
    drawn = chosen(fields.texts("cells"), list(cells), where) if "cells" in keys else ()
    for cell in drawn:
        if x is not None and not _is_number(cells[cell].at[x.name]):
            label = cells[cell].at[x.name]
            raise InputError(f"{where}: x = '{x.name}': the label '{label}' is no number")
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
        raise InputError(f"{where}: either sum, or each: columns of the series")
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
        terms=_terms(fields.texts("sum", [])),
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


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True
