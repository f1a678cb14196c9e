"""The folder of a sweep: its plan, its journal, its table.

`sweep.json` is the plan, `scenario.toml` the scenario with every default, `given.toml` without
defaults, `runs.jsonl` the journal, `results.parquet` the table. Each is whole at any moment.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright._io.files import MOST_BYTES, read_text
from hopwright._io.out import probe, write_whole
from hopwright._io.paths import no_place, wrong_kind
from hopwright._io.staging import FILE
from hopwright.sweeps.journal import JOURNAL, Journal
from hopwright.sweeps.plan import Plan, differences, from_json, to_json
from hopwright.sweeps.schedule import Run

PLAN = "sweep.json"
SCENARIO = "scenario.toml"
GIVEN = "given.toml"
"""The scenario as it was given, with what `--set` gave, but without defaults: a point is this with
the values of its keys. In `SCENARIO`, defaults stand that other values of these keys change."""
NAMED = re.compile(r"scenario-(movement|coefficients|link-\d+)\.\w+")
"""Files that `GIVEN` names."""
TABLE = "results.parquet"
NEEDS = "name the folder of a sweep or a comparison"
"""What to do about a path that is none."""
OWN_NAMES = re.compile(
    rf"(sweep\.json|scenario\.toml|given\.toml|{NAMED.pattern}|runs\.jsonl|results\.parquet)"
    rf"|{FILE.pattern}|\.(sweep\.json|scenario\.toml|results\.parquet)-\d+"
)
"""A sweep's files, and what is left of one that was being written when the sweep was killed.

The last are an earlier version's.
"""

COMPARISON = re.compile(r"comparison(\.(json|txt|csv)|-why\.txt|-[\w.]+(-\d+)?\.(svg|pdf|png|csv))")
"""What `hopwright compare` leaves beside them, or in a folder of its own."""
ANSWER = "comparison.json"
"""The file of it that is always there."""


def is_of_comparison(entry: Path) -> bool:
    """Whether this is a file of a comparison, or what is left of one that was being written."""
    is_own = COMPARISON.fullmatch(entry.name) or FILE.fullmatch(entry.name)
    return bool(is_own) and entry.is_file()


def is_answer(entry: Path) -> bool:
    """Whether this is the folder of a comparison, and has nothing else in it."""
    if entry.is_symlink() or not (entry / ANSWER).is_file():
        return False
    return all(map(is_of_comparison, entry.iterdir()))


def forget_comparisons(folder: Path) -> None:
    """Removes what comparisons have left in a folder: their runs are forgotten."""
    for entry in [*folder.iterdir()]:
        if is_answer(entry):
            for each in entry.iterdir():
                each.unlink()
            entry.rmdir()
        elif COMPARISON.fullmatch(entry.name):
            entry.unlink()


def check_place(
    folder: Path, *, resume: bool, overwrite: bool, at_once: bool = False
) -> Plan | None:
    """The plan of the sweep that is there. Raises `InputError` if a sweep cannot go there.

    `at_once`: whether the sweep is not one that can be gone on with, as one that is put together.
    """
    try:
        if not os.path.lexists(folder):
            probe(folder)
            return None
        if not folder.is_dir():
            raise InputError(f"{folder}: is not a folder; name another one with --out")
        names = {entry.name for entry in folder.iterdir()}
        if PLAN not in names:
            # A sweep that was killed before it had a plan leaves an empty journal, and no run.
            journal = folder / JOURNAL
            has_runs = journal.exists() and journal.stat().st_size
            if has_runs or not all(OWN_NAMES.fullmatch(name) for name in names):
                raise InputError(f"{folder}: has other files in it; name another folder with --out")
            probe(folder)
            return None
        if not (resume or overwrite):
            what = "comparison" if ANSWER in names else "sweep"
            resuming = "" if at_once else "go on with --resume if you ask for the same, "
            raise InputError(
                f"{folder}: holds a {what}; {resuming}replace it with --overwrite, or name another "
                "folder"
            )
        probe(folder)
        return None if overwrite else read_plan(folder)
    except OSError as error:
        raise no_place(folder, error) from error


def read_plan(folder: Path) -> Plan:
    """The plan of a sweep's folder. Raises `InputError`."""
    file = folder / PLAN
    if not os.path.lexists(file):
        raise InputError(wrong_kind(folder, NEEDS))
    return from_json(read_text(file, MOST_BYTES), file)


def given_files(scenario: _core.Scenario) -> dict[str, str]:
    """The scenario as it was given, and the files that it names: their names and texts."""
    text, files = scenario.as_given()
    return {GIVEN: text, **dict(files)}


def read_given(folder: Path) -> dict[str, str]:
    """What `given_files` left in a sweep's folder. Raises `InputError`."""
    named = sorted(entry.name for entry in folder.iterdir() if NAMED.fullmatch(entry.name))
    return {name: read_text(folder / name, MOST_BYTES) for name in [GIVEN, *named]}


def open_folder(
    folder: Path, plan: Plan, given: Mapping[str, str], *, overwrite: bool
) -> tuple[Journal, dict[Run, str]]:
    """Begins a sweep in the folder, or goes on with the one there; returns its finished runs.

    `given`: see `given_files`.

    Raises `InputError` if another process is there, or if the sweep there is not the one asked for.
    """
    journal = Journal.within(folder)
    try:
        if overwrite:
            (folder / TABLE).unlink(missing_ok=True)
            forget_comparisons(folder)
            journal.clear()
        else:
            _check_same(folder, plan, journal)
        for entry in folder.iterdir():
            if entry.name.startswith(".") and OWN_NAMES.fullmatch(entry.name):
                entry.unlink()
        finished = journal.read()
        write_whole(folder / SCENARIO, plan.base.encode())
        for name, text in given.items():
            write_whole(folder / name, text.encode())
        write_whole(folder / PLAN, to_json(plan).encode())
    except BaseException:
        journal.close()
        raise
    return journal, finished


class OtherSweepError(InputError):
    """The folder holds another sweep, so this one cannot go on there."""


def _check_same(folder: Path, plan: Plan, journal: Journal) -> None:
    """Raises `InputError` if the folder holds another sweep, or runs that nothing describes."""
    if not (folder / PLAN).exists():
        if not journal.is_empty:
            raise InputError(f"{folder}: has runs, but no {PLAN} that describes them")
        return
    found = differences(read_plan(folder), plan)
    if found:
        raise OtherSweepError(
            f"{folder}: holds a sweep that was asked for otherwise:\n  "
            + "\n  ".join(found)
            + "\nask for the same, or name another folder"
        )
