"""A paper's file: what it holds, read and checked.

`docs/reproductions.md` is made from such files; CONTRIBUTING says how to write one.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hopwright._io.errors import InputError, near
from hopwright.research.papers.axes import (
    Axis,
    Setting,
    axis_called,
    names_are_unlike,
    read_axis,
    words,
)
from hopwright.research.papers.claims import Claim, chosen, read_claim
from hopwright.research.papers.emulations import Emulation, read_emulation
from hopwright.research.papers.extending import Stated, stated
from hopwright.research.papers.fields import Fields, Value, spot
from hopwright.research.papers.hunting.gaps import Gap, read_gaps
from hopwright.research.papers.measures import Measure, read_measure
from hopwright.research.papers.recipes import Drawing, read_drawing
from hopwright.research.papers.tables import Cell, PaperTable, read_sample, read_table
from hopwright.statistics.moments import Moments

KEYS = (
    *("document", "title", "source", "about", "departs", "long"),
    *("runs", "reading_runs", "quick_runs", "quick_duration_s", "training_runs", "seed"),
    *("reference", "scenario", "vary", "measures", "tables", "readings", "claims", "comparisons"),
    *("figures", "emulations", "gaps"),
)
"""Of the file's top."""

QUICK_DURATION = "quick_duration_s"
DURATION = "duration_s"

PRIMARY = "as in the file"
"""The reading that is not named."""


@dataclass(frozen=True)
class Reading:
    """Another way to read what the paper leaves open."""

    id: str
    why: str
    keys: Mapping[str, Value]
    reference_row: Mapping[str, str]
    references: Mapping[str, Moments]
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
    """With `--quick`, which makes them of the file's own reading only."""
    quick_duration_s: float | None
    """How long a quick run lasts; None: as long as any."""
    training_runs: int
    """Of each reading that a hunt tries."""
    seed: int
    long: bool
    """Whether it is run only where it is asked for."""
    scenario: Mapping[str, Value]
    """Inline; or `{"file": path}`."""
    scenario_folder: Path
    """What file names in it are relative to."""
    functions: tuple[Path, ...]
    """Files of functions that measures may name, the nearest first."""
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
    return _document(path, stated(path))


def _document(path: Path, found: Stated) -> Document:
    values = found.values
    fields = Fields(values, values.spot, KEYS)
    source = fields.table("reference")
    where = f"{spot(source, path)}: [reference]"
    reference = Fields(source, where, ("command", "table", "row"))
    axes = tuple(read_axis(each, path) for each in fields.tables("vary"))
    measures = {
        each.id: each for each in (read_measure(m, path) for m in fields.tables("measures"))
    }
    if not measures:
        raise InputError(f"{path}: [[measures]] is missing: it says what is counted")
    tables = tuple(read_table(each, path, axes, measures) for each in fields.tables("tables"))
    cells: list[str] = [cell.id for table in tables for row in table.rows for cell in row]
    if not cells:
        raise InputError(f"{path}: [[tables]] is missing: it has what the paper prints")
    for cell in cells:
        if cells.count(cell) > 1:
            raise InputError(f"{path}: two cells have the name '{cell}'")
    names_are_unlike(str(path), "[[vary]]", [axis.name for axis in axes])
    readings = tuple(_reading(each, path, cells, axes) for each in fields.tables("readings"))
    names_are_unlike(str(path), "[[readings]]", [reading.id for reading in readings])
    departs = fields.text("departs", "").strip()
    by_id = {cell.id: cell for table in tables for row in table.rows for cell in row}
    printed = {name for name, cell in by_id.items() if cell.printed is not None}
    claims = tuple(
        read_claim(each, path, cells, printed, departs) for each in fields.tables("claims")
    )
    names_are_unlike(str(path), "[[claims]]", [claim.id for claim in claims])
    asked = fields.tables("comparisons")
    comparisons = tuple(_comparison(each, path, axes, measures) for each in asked)
    names_are_unlike(str(path), "[[comparisons]]", [each.id for each in comparisons])
    played = [read_emulation(each, path) for each in fields.tables("emulations")]
    names_are_unlike(str(path), "[[emulations]]", [each.id for each in played])
    emulations = {each.id: each for each in played}
    drawings = tuple(
        read_drawing(each, path, axes, by_id, emulations) for each in fields.tables("figures")
    )
    names_are_unlike(str(path), "[[figures]]", [drawing.id for drawing in drawings])
    gaps = read_gaps(fields.tables("gaps"), path, axes)
    if not fields.table("scenario"):
        raise InputError(f"{path}: [scenario] is missing: it says what is simulated")
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
        quick_duration_s=_quick_duration(fields, axes),
        training_runs=fields.whole("training_runs", 2, fields.whole("quick_runs", 2)),
        seed=fields.whole("seed", 0, 1),
        long=fields.flag("long"),
        scenario=fields.table("scenario"),
        scenario_folder=found.scenario_folder,
        functions=found.functions,
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
        reference_row=words(reference.table("row")),
    )


def _quick_duration(fields: Fields, axes: Sequence[Axis]) -> float | None:
    if QUICK_DURATION not in fields:
        return None
    if any(DURATION in setting.keys for axis in axes for setting in axis.settings):
        where = fields.at(QUICK_DURATION)
        raise InputError(f"{where}: {QUICK_DURATION}: [[vary]] already sets {DURATION}; omit one")
    return fields.positive(QUICK_DURATION, 0.0)


def _reading(
    values: Mapping[str, Value], path: Path, cells: Sequence[str], axes: Sequence[Axis]
) -> Reading:
    known = ("id", "why", "set", "reference", "samples", "cells")
    fields = Fields(values, f"{spot(values, path)}: [[readings]]", known)
    name = fields.text("id")
    where = f"{spot(values, path)}: [[readings]] {name}"
    keys = fields.table("set")
    if not keys:
        raise InputError(f"{where}: set is missing: write keys of the scenario")
    for key in (key for axis in axes for key in axis.settings[0].keys if key in keys):
        raise InputError(f"{where}: sets {key}, but [[vary]] also sets it; only one may")
    if name == PRIMARY:
        raise InputError(f"{where}: this is the name of the file's own reading; choose another")
    samples = fields.table("samples")
    Fields(samples, f"{where}: samples", cells)
    return Reading(
        id=name,
        why=fields.text("why").strip(),
        keys=keys,
        reference_row=words(fields.table("reference")),
        references={cell: read_sample(each, f"{where}: {cell}") for cell, each in samples.items()},
        cells=chosen(fields.texts("cells", ["*"]), cells, where),
    )


def _comparison(
    values: Mapping[str, Value],
    path: Path,
    axes: Sequence[Axis],
    measures: Mapping[str, Measure],
) -> Comparison:
    known = ("id", "asks", "measure", "axis", "these", "against")
    fields = Fields(values, f"{spot(values, path)}: [[comparisons]]", known)
    name = fields.text("id")
    where = f"{spot(values, path)}: [[comparisons]] {name}"
    axis = axis_called(axes, fields.text("axis"), where)
    these, against = fields.texts("these"), fields.texts("against")
    for label in (*these, *against):
        if label not in axis.labels:
            raise InputError(f"{where}: no label '{label}'{near(label, axis.labels)}")
        if (*these, *against).count(label) > 1:
            raise InputError(f"{where}: '{label}' is there twice")
    return Comparison(
        id=name,
        asks=fields.text("asks").strip(),
        measure=fields.word("measure", list(measures)),
        axis=axis.name,
        these=these,
        against=against,
    )
