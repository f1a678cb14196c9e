"""What runs left: in memory, or in a folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, Object, items
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright._io.parquet import read_table
from hopwright.results.places import run_folder, series_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arro3.core import Table

    from hopwright.results.frames import Frames
    from hopwright.results.positions import Tracks


@in_python
class Kept:
    """The runs of one scenario, and where their series, frames and positions are."""

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

    def series(self, seed: int | None = None) -> "Table":
        """The flows and queues of one run over time, as in `series.parquet`.

        A row whenever something changed; columns that a row does not speak of are null.

        Args:
            seed: Which run; the first, if nothing is said.

        Raises:
            InputError: No such run, or series were not kept: `run` keeps them if `series` is true,
                or if `out` is given and the scenario's `[output]` has not turned them off.
        """
        seed = self.seed_of(seed)
        if self._series is not None:
            return self._series[seed]
        if self.folder is None or not self.has_series(seed):
            raise InputError("no series were kept: run with series=True, or with out=DIR")
        return read_table(series_file(self.folder, seed, alone=len(self.seeds) == 1))

    def frames(self, seed: int | None = None) -> "Frames":
        """The frames of one run, and what stations waited for.

        Args:
            seed: Which run; the first, if nothing is said.

        Raises:
            InputError: No such run, or frames were not kept: `run` keeps them if `out` is given and
                the scenario has `output.frames = true`.
        """
        from hopwright.results.frames import Frames

        return Frames.read(self.folder_of(seed, "frames", "output.frames = true"))

    def positions(self, seed: int | None = None) -> "Tracks":
        """Where the nodes of one run were at any moment, and which were down.

        Args:
            seed: Which run; the first, if nothing is said.

        Raises:
            InputError: No such run, or positions were not kept: `run` keeps them if `out` is given
                and the scenario has `output.positions = true`.
        """
        from hopwright.results.positions import Tracks

        return Tracks.read(self.folder_of(seed, "positions", "output.positions = true"))

    def has_series(self, seed: int) -> bool:
        """Whether series of a run were kept."""
        return (self._series or {}).get(seed) is not None or (
            self.folder is not None
            and series_file(self.folder, seed, alone=len(self.seeds) == 1).exists()
        )

    def folder_of(self, seed: int | None, what: str, keys: str) -> Path:
        """Where a run left its files. `keys`: what has runs write them."""
        seed = self.seed_of(seed)
        if self.folder is None:
            raise InputError(f"no {what} were kept: run with out=DIR, and with {keys}")
        return run_folder(self.folder, seed, alone=len(self.seeds) == 1)

    def seed_of(self, seed: int | None) -> int:
        """The seed of a run that there is."""
        seed = self.seeds[0] if seed is None else seed
        if seed not in self.seeds:
            raise InputError(f"no run with seed {seed}; there are: {self._known_seeds()}")
        return seed

    def _known_seeds(self) -> str:
        seeds = self.seeds
        return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def _seed(result: Json) -> int:
    seed = result["seed"] if isinstance(result, dict) else None
    if not isinstance(seed, int):
        raise TypeError("a result without its seed")
    return seed
