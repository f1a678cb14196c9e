"""The sweeps that a comparison is made of: one, or one a scenario."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.errors import InputError
from hopwright._io.out import probe
from hopwright._io.paths import no_place
from hopwright._io.source import Source
from hopwright.figures.results import check_table
from hopwright.sweeps.folder import GIVEN, PLAN, TABLE, is_answer, is_of_comparison, read_plan
from hopwright.sweeps.unfinished import Unfinished, no_table, unfinished

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright._io.extras import Warn
    from hopwright.comparisons.perform import Fixed
    from hopwright.sweeps.plan import Plan

MEMBER = re.compile(r"([1-9]\d*)-.+")
"""The folder of a scenario's runs, where a comparison has several: its place, its name."""


class Part(NamedTuple):
    """A sweep's results."""

    plan: "Plan"
    table: "Table"
    folder: Path | None
    scenario: "tuple[Source, Fixed] | None" = None
    """The scenario with what is set in it, where there is no folder that has it."""
    unfinished: Unfinished | None = None
    """What the table lacks, if the sweep was stopped."""

    def given(self) -> "tuple[Source, Fixed]":
        """The scenario before anything is varied in it, without defaults, and what is set in it.

        Raises `InputError` if the folder has none.
        """
        return self.scenario or (Source.read((self.folder or Path()) / GIVEN), [])

    @property
    def name(self) -> str:
        """The scenario's."""
        return self.plan.name

    @property
    def runs(self) -> int:
        """How many there are; points that are the same scenario share theirs."""
        return len(_runs(self.table))


def members(place: Path) -> list[Path]:
    """The sweeps in a folder of several scenarios, in their order; none in any other folder."""
    if (place / PLAN).is_file() or not place.is_dir():
        return []
    found = [
        (int(name[1]), each)
        for each in place.iterdir()
        if (name := MEMBER.fullmatch(each.name)) and (each / PLAN).is_file()
    ]
    return [each for _, each in sorted(found)]


def read_parts(place: Path) -> list[Part]:
    """The sweeps of a folder. Raises `InputError` if there is none, or one is not finished."""
    from hopwright._io.parquet import read_table

    found = []
    for folder in members(place) or [place]:
        plan, file = read_plan(folder), folder / TABLE
        if not file.is_file():
            raise no_table(folder)
        table = read_table(file)
        check_table(file, table.column_names, plan.keys)
        lacks = unfinished(folder, _runs(table))
        found.append(Part(plan, table, folder, unfinished=lacks))
    return found


def tell_unfinished(parts: Sequence[Part], warn: "Warn") -> None:
    """Warns of sweeps that were stopped."""
    for part in parts:
        if part.unfinished is not None:
            warn(str(part.unfinished))


def _runs(table: "Table") -> set[tuple[str, int]]:
    """Point and seed of each run."""
    points, seeds = (table.column(name).to_pylist() for name in ("point", "seed"))
    return set(zip(map(str, points), map(int, seeds), strict=True))


def member_folders(place: Path, names: Sequence[str]) -> list[Path]:
    """Where the runs of several scenarios go, in their order."""
    plain = (re.sub(r"[^\w.-]+", "-", name) for name in names)
    return [place / f"{number}-{name}" for number, name in enumerate(plain, 1)]


def check_members(place: Path, folders: Sequence[Path], *, resume: bool, overwrite: bool) -> None:
    """Raises `InputError` if runs of several scenarios cannot go there. Leaves no trace."""
    try:
        if place.exists() and not place.is_dir():
            raise InputError(f"{place}: is not a folder; name another one with --out")
        there = sorted(place.iterdir()) if place.is_dir() else []
        old = members(place)
        for each in there:
            is_own = each in old or each in folders or is_answer(each) or is_of_comparison(each)
            if not is_own:
                raise InputError(f"{place}: has other files in it; name another folder with --out")
        others = [each.name for each in old if each not in folders]
        if others:
            raise InputError(
                f"{place}: holds runs of other scenarios ({', '.join(others)}); name another "
                "folder with --out"
            )
        if there and not (resume or overwrite):
            raise InputError(
                f"{place}: holds a comparison; go on with --resume if you ask for the same, "
                "replace it with --overwrite, or name another folder"
            )
        probe(place)
    except OSError as error:
        raise no_place(place, error) from error
