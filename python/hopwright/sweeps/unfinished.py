"""Sweeps that were stopped: which runs the table in their folder lacks."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright.sweeps.folder import PLAN, TABLE, read_plan
from hopwright.sweeps.journal import JOURNAL, peek
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.schedule import Run, Schedule


class Unfinished(NamedTuple):
    """What is missing of a sweep."""

    folder: Path
    missing: frozenset[Run]
    """Runs that the plan has, and the table has not."""
    total: int
    """Runs that the plan has."""
    kept: int
    """Those of them that the journal has."""

    def __str__(self) -> str:
        """`part: 17 of 30 runs are finished; --resume makes the others`."""
        done = self.total - len(self.missing)
        if self.kept > done:
            # It was killed: then nobody writes the table, and an earlier one may be there.
            others = "the others, and " if self.kept < self.total else ""
            return (
                f"{self.folder}: {TABLE} has {done} of {many(self.total, 'run')}, but "
                f"{many(self.kept, 'is', 'are')} finished; --resume makes {others}the table anew"
            )
        runs = many(self.total, "run is", "runs are")
        return f"{self.folder}: {done} of {runs} finished; --resume makes the others"


def unfinished(folder: Path, runs: Iterable[tuple[str, int]]) -> Unfinished | None:
    """What the table of a sweep lacks, which has these runs (point, seed); None if nothing.

    Nothing is said of a folder without plan or journal: --resume could not go on there. Raises
    `InputError` if one of them cannot be read.
    """
    journal = folder / JOURNAL
    if not (folder / PLAN).is_file() or not journal.is_file():
        return None
    plan = read_plan(folder)
    # How many runs an adaptive sweep needs, its results decide.
    planned = _planned(plan, {} if plan.rule.until is None else peek(journal))
    missing = planned.difference(Run(*each) for each in runs)
    if not missing:
        return None
    kept = len(planned & peek(journal).keys())
    return Unfinished(folder, frozenset(missing), len(planned), kept)


def no_table(folder: Path) -> InputError:
    """That the folder of a sweep has no table yet: how many runs there are, and what to do."""
    plan, journal = read_plan(folder), folder / JOURNAL
    results = peek(journal) if journal.is_file() else {}
    planned = _planned(plan, results)
    done = len(planned & results.keys())
    return InputError(
        f"{folder / TABLE}: is missing: {done} of {many(len(planned), 'run is', 'runs are')} "
        "finished; finish the sweep with --resume"
    )


def _planned(plan: Plan, results: dict[Run, str]) -> set[Run]:
    schedule = Schedule(plan, results)
    return {run for point in plan.ids for run in schedule.runs_of(point)}
