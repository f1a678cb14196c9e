"""Readings that are run: each once on the training seeds, and those to confirm on unseen ones."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from hopwright import _core
from hopwright._io.data import json_of
from hopwright._io.files import read_bytes
from hopwright._io.out import write_whole
from hopwright._io.progress import progress_bar
from hopwright._run.workers import Workers
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.hunting.gaps import Reading, in_words, own_reading
from hopwright.research.papers.hunting.needs import Values
from hopwright.research.papers.hunting.plan import Plan, read_as
from hopwright.research.papers.measured import Effort, Measured, measure
from hopwright.research.papers.tables import Cell
from hopwright.research.papers.totals import NoNumberError
from hopwright.sweeps.run_plan import RunPlan


@dataclass
class Trials:
    """What readings gave on one set of seeds."""

    plan: Plan
    how: RunPlan
    stage: str
    """`training` or `unseen`: a folder in that of the runs."""
    seeds: tuple[int, int]
    """The first, and how many."""
    workers: Workers
    measured: dict[Reading, Measured] = field(default_factory=dict)
    failed: dict[Reading, str] = field(default_factory=dict)
    """Those that lack numbers, and why: nothing arrived, or no such scenario."""

    def values(self, reading: Reading, claim: Claim) -> Values | None:
        """What a reading that was run gave of the claim's cells; None where some have none."""
        found = self.measured.get(reading)
        cells = [self.plan.document.cells[name] for name in claim.names]
        if found is None or not all(_has(found, cell) for cell in cells):
            return None
        return {cell.id: found.of(cell) for cell in cells}

    def run(self, reading: Reading, watch: Callable[[float], object] | None = None) -> None:
        """Runs a reading, unless that is done."""
        if reading in self.measured or reading in self.failed:
            return  # a reading that lacks some numbers is in both
        if watch is None:
            words = in_words(self.plan.document.gaps, reading)
            with progress_bar(f"{self.stage}, {words}") as bar:
                self.run(reading, bar)
            return
        first, runs = self.seeds
        how = self.how.within(self.stage, "-".join(map(str, reading)))
        effort = Effort(runs, how, watch, self.workers)
        document = replace(self.plan.document, seed=first)
        kept = how.folder.with_name(f"{how.folder.name}.json")
        if self.how.resume and kept.exists():
            self.measured[reading] = _read(kept, document, runs)
            return
        try:
            self.measured[reading] = self._measure(document, reading, effort)
            # What no sweep keeps, as numbers of series, would have to be run again.
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, _written(self.measured[reading]))
        except (NoNumberError, _core.ScenarioError) as error:
            if reading == own_reading(document.gaps):
                raise  # the file itself is wrong
            self.failed[reading] = str(error)
            if isinstance(error, NoNumberError):
                again = replace(effort, how=replace(how, resume=True))
                self._measure_what_can_be(document, reading, again)

    def _measure(self, document: Document, reading: Reading, effort: Effort) -> Measured:
        return measure(*read_as(document, reading), effort, self.plan.cells)

    def _measure_what_can_be(self, document: Document, reading: Reading, effort: Effort) -> None:
        """The measures of a reading one by one: some have numbers. Its runs are not made again."""
        parts = []
        for name in dict.fromkeys(document.cells[cell].measure for cell in self.plan.cells):
            alone = replace(document, measures={name: document.measures[name]})
            with suppress(NoNumberError):
                parts.append(self._measure(alone, reading, effort))
        if parts:
            values = {
                labels: {key: each for part in parts for key, each in part.values[labels].items()}
                for labels in parts[0].values
            }
            self.measured[reading] = replace(parts[0], values=values)

    def run_design(self) -> None:
        """Runs all readings of the screening; the file's own first."""
        readings = [own_reading(self.plan.document.gaps), *self.plan.design]
        with progress_bar(f"{self.plan.document.id}, screening") as bar:

            def so_far(number: int, done: float) -> None:
                bar((number + done) / len(readings))

            for number, reading in enumerate(readings):
                self.run(reading, partial(so_far, number))


def _has(found: Measured, cell: Cell) -> bool:
    """Whether there are numbers of a cell."""
    point = found.values.get(tuple(cell.at[axis.name] for axis in found.axes), {})
    return cell.measure in point


def _written(found: Measured) -> bytes:
    """The numbers of a reading, as a file has them."""
    return json.dumps([[list(labels), by] for labels, by in found.values.items()]).encode()


def _read(path: Path, document: Document, runs: int) -> Measured:
    """The same from such a file."""
    values = {tuple(labels): by for labels, by in json_of(read_bytes(path))}
    return Measured(document.axes, tuple(range(document.seed, document.seed + runs)), values)
