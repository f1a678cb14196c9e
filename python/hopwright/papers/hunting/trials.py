"""Readings that are run: each once on the training seeds, and those to confirm on unseen ones."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from hopwright import _core
from hopwright.errors import InputError
from hopwright.papers.hunting.gaps import Reading, in_words, keys_of, own_reading
from hopwright.papers.hunting.needs import Values
from hopwright.papers.hunting.plan import Plan
from hopwright.papers.measured import Effort, Measured, measure
from hopwright.progress import progress_bar


@dataclass(frozen=True)
class How:
    """How runs are made."""

    folder: Path
    jobs: int
    on: str | None
    resume: bool


@dataclass
class Trials:
    """What readings gave on one set of seeds."""

    plan: Plan
    how: How
    stage: str
    """`training` or `unseen`: a folder in that of the runs."""
    seeds: tuple[int, int]
    """The first, and how many."""
    measured: dict[Reading, Measured] = field(default_factory=dict)
    failed: dict[Reading, str] = field(default_factory=dict)
    """Those without numbers, and why: nothing arrived, or no such scenario."""

    def values(self, reading: Reading) -> Values | None:
        """The cells' values of a reading that was run; None where there are none."""
        found = self.measured.get(reading)
        if found is None:
            return None
        cells = self.plan.document.cells
        return {name: found.of(cells[name]) for name in self.plan.cells}

    def run(self, reading: Reading, watch: Callable[[float], object] | None = None) -> None:
        """Runs a reading, unless that is done."""
        if reading in self.measured or reading in self.failed:
            return
        if watch is None:
            words = in_words(self.plan.document.gaps, reading)
            with progress_bar(f"{self.stage}, {words}") as bar:
                self.run(reading, bar)
            return
        first, runs = self.seeds
        document = replace(self.plan.document, seed=first)
        place = self.how.folder / self.stage / "-".join(map(str, reading))
        effort = Effort(runs, self.how.jobs, place, self.how.resume, watch, self.how.on)
        try:
            found = measure(document, keys_of(document.gaps, reading), effort, self.plan.cells)
        except (InputError, _core.ScenarioError) as error:
            if reading == own_reading(document.gaps):
                raise  # the file itself is wrong
            self.failed[reading] = str(error)
        else:
            self.measured[reading] = found

    def run_design(self) -> None:
        """Runs all readings of the screening; the file's own first."""
        readings = [own_reading(self.plan.document.gaps), *self.plan.design]
        with progress_bar(f"{self.plan.document.id}, screening") as bar:
            for number, reading in enumerate(readings):
                self.run(reading, lambda done, n=number: bar((n + done) / len(readings)))  # type: ignore[misc]
