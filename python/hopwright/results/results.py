"""What `hopwright.run` returns: the summary, and tables that other libraries read as they are."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from hopwright import _core
from hopwright._io.data import Json, Object, items
from hopwright._io.errors import InputError
from hopwright._io.parquet import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arro3.core import Table

    from hopwright.results.frames import Frames
    from hopwright.results.positions import Tracks
    from hopwright.results.result_types import Result
    from hopwright.results.starvation import Starvation

SERIES = "series.parquet"


class Results:
    """The runs of one scenario, in the order of their seeds.

    Tables are Arrow tables (`arro3.core.Table`): `polars.DataFrame(table)`,
    `pandas.DataFrame.from_arrow(table)` and DuckDB's `SELECT ... FROM table` take them without
    copying.

    Attributes:
        scenario: The scenario, every default filled in.
        summary: Everything that `hopwright run --json` prints: `results`, a list with an element
            for each run, their `mean`, and `ci95`, half the width of its 95 % confidence interval;
            see `docs/results-fields.md`.
        folder: Where everything was written, if `out` was given.
    """

    def __init__(
        self,
        scenario: _core.Scenario,
        summary: Object,
        *,
        folder: Path | None = None,
        series: "Mapping[int, Table] | None" = None,
    ) -> None:
        self.scenario = scenario
        self.summary = summary
        self.folder = folder
        self._series = series

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs."""
        return [_seed(result) for result in items(self.summary, "results")]

    @property
    def runs(self) -> "list[Result]":
        """What each run measured, in the order of the seeds: the summary's `results`."""
        return cast("list[Result]", self.summary["results"])

    @property
    def mean(self) -> "Result":
        """Of each number the mean over the runs, but for words and what only names."""
        return cast("Result", self.summary["mean"])

    @property
    def ci95(self) -> "Result | None":
        """Likewise, half the width of the mean's 95 % interval; None if there is one run."""
        return cast("Result | None", self.summary["ci95"])

    @property
    def flows(self) -> "Table":
        """A row for each flow of each run: `seed`, `flow`, and what was measured.

        Units end the columns' names (`goodput_bps`, `mean_rtt_s`). What is about the whole run
        (`mac.collisions.total`) is repeated in the row of every flow.
        """
        from hopwright.results.tidy import Row, tidy

        runs = items(self.summary, "results")
        return tidy(["seed"], [Row({"seed": _seed(result)}, result) for result in runs])

    @property
    def starvation(self) -> "Starvation | None":
        """Which flows starve, and in how many runs; None if none does.

        `hopwright.results.starvation` says by which rule.
        """
        from hopwright.results.starvation import of_results

        return of_results(items(self.summary, "results"))

    def series(self, seed: int | None = None) -> "Table":
        """The flows and queues of one run over time, as in `series.parquet`.

        A row whenever something changed; columns that a row does not speak of are null.

        Args:
            seed: Which run; the first, if nothing is said.

        Raises:
            InputError: No such run, or series were not kept: `run` keeps them if `series` is true,
                or if `out` is given and the scenario's `[output]` has not turned them off.
        """
        seed = self._seed_of(seed)
        if self._series is not None:
            return self._series[seed]
        file = self.folder and series_file(self.folder, seed, alone=len(self.seeds) == 1)
        if not file or not file.exists():
            raise InputError("no series were kept: run with series=True, or with out=DIR")
        return read_table(file)

    def frames(self, seed: int | None = None) -> "Frames":
        """The frames of one run, and what stations waited for.

        Args:
            seed: Which run; the first, if nothing is said.

        Raises:
            InputError: No such run, or frames were not kept: `run` keeps them if `out` is given and
                the scenario has `output.frames = true`.
        """
        from hopwright.results.frames import Frames

        return Frames.read(self._folder_of(seed, "frames"))

    def positions(self, seed: int | None = None) -> "Tracks":
        """Where the nodes of one run were at any moment, and which were down.

        Args:
            seed: Which run; the first, if nothing is said.

        Raises:
            InputError: No such run, or positions were not kept: `run` keeps them if `out` is given
                and the scenario has `output.positions = true`.
        """
        from hopwright.results.positions import Tracks

        return Tracks.read(self._folder_of(seed, "positions"))

    def _folder_of(self, seed: int | None, what: str) -> Path:
        """Where a run left its files."""
        seed = self._seed_of(seed)
        if self.folder is None:
            raise InputError(
                f"no {what} were kept: run with out=DIR, and with output.{what} = true"
            )
        return run_folder(self.folder, seed, alone=len(self.seeds) == 1)

    def _seed_of(self, seed: int | None) -> int:
        """The seed of a run that there is."""
        seed = self.seeds[0] if seed is None else seed
        if seed not in self.seeds:
            raise InputError(f"no run with seed {seed}; there are: {self._known_seeds()}")
        return seed

    def __str__(self) -> str:
        """What `hopwright run` prints."""
        from hopwright._io.console import text_of
        from hopwright.results.table import render

        return text_of(render(self.summary, node_count=self.scenario.node_count)).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Results of {self.scenario.name!r}: {len(self.seeds)} runs>"

    def to_latex(self, *, labels: "Mapping[str, str] | None" = None) -> str:
        """The tables of flows for a paper, in LaTeX.

        They need the packages booktabs and siunitx.

        Args:
            labels: What stands for a protocol, a head or a column of results.

        Raises:
            InputError: A label is of nothing that the tables have.
        """
        from hopwright._io.names import Names
        from hopwright.results.table import latex

        names = Names(labels=labels or {})
        return latex(self.summary, node_count=self.scenario.node_count, names=names)

    def _repr_html_(self) -> str:
        """For notebooks: what `hopwright run` prints, as tables."""
        from hopwright.results.table import html

        return html(self.summary, node_count=self.scenario.node_count)

    def _known_seeds(self) -> str:
        seeds = self.seeds
        return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def run_folder(folder: Path, seed: int, *, alone: bool) -> Path:
    """Where a run writes: runs among several have a folder of their own."""
    return folder if alone else folder / f"seed-{seed}"


def series_file(folder: Path, seed: int, *, alone: bool) -> Path:
    """Where a run writes its series."""
    return run_folder(folder, seed, alone=alone) / SERIES


def _seed(result: Json) -> int:
    seed = result["seed"] if isinstance(result, dict) else None
    if not isinstance(seed, int):
        raise TypeError("a result without its seed")
    return seed
