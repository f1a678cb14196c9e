"""A run as functions see it that make a number of it (docs/papers-files.md)."""

import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from hopwright import _core
from hopwright._io.errors import InputError, near
from hopwright.research.papers.emulations import Emulation
from hopwright.research.papers.fields import Value
from hopwright.research.papers.recording import record_into
from hopwright.research.papers.totals import Flows, total

if TYPE_CHECKING:
    from hopwright.research.papers.acknowledgements import Acknowledgement
    from hopwright.research.papers.emulated import Seen
    from hopwright.research.papers.emulating import Wanted
    from hopwright.research.papers.events import Event
    from hopwright.research.papers.series import Column

T = TypeVar("T")
Load = Callable[[Mapping[str, Value]], _core.Scenario]
"""The scenario of a point with some more keys set."""


class Point(AbstractContextManager["Point"]):
    """Runs of a point, which differ in nothing but seeds.

    What files alone say of runs takes them once more; all seeds at once, when the first is asked.
    The files go when the point is left.
    """

    def __init__(
        self,
        load: Load,
        seeds: Sequence[int],
        *,
        jobs: int,
        results: Callable[[], Sequence[Flows]],
        emulations: Sequence[Emulation] = (),
        together: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        """`results`: of all seeds; `emulations`: what may be asked for, kept in `folder`.

        `together`: ids of those that surely will be, so that they are made at the same time.
        """
        self.load = load
        self.scenario = load({})
        self.seeds = tuple(seeds)
        self.jobs = jobs
        self.results = results
        self.emulations = {each.id: each for each in emulations}
        self._folder = folder
        self._together = together
        self._played: dict[str, list[Any]] = {}
        self._kept: dict[str, Any] = {}
        self._places: list[weakref.finalize[..., Point]] = []

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for gone in self._places:
            gone()

    def runs(self) -> "Iterator[Run]":
        """One after the other, in the order of the seeds: the lineages of all take gigabytes."""
        return (Run(self, place) for place in range(len(self.seeds)))

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What was made under this name before, or is made now."""
        if name not in self._kept:
            self._kept[name] = make()
        found: T = self._kept[name]
        return found

    def recorded(self, keys: Mapping[str, Value]) -> list[Path]:
        """The folders of all runs, made with these keys set."""
        return self.kept(json.dumps(dict(keys)), lambda: self._recorded(keys))

    def _recorded(self, keys: Mapping[str, Value]) -> list[Path]:
        scenario = self.load(keys)
        place = Path(tempfile.mkdtemp())
        self._places.append(weakref.finalize(self, shutil.rmtree, place, ignore_errors=True))
        return record_into(place, scenario, self.seeds, jobs=self.jobs)

    def wanted(self) -> "Wanted | None":
        """The emulations that surely will be asked for; None if there are none."""
        from hopwright.research.papers.emulated import recorded_keys
        from hopwright.research.papers.emulating import Wanted

        asked = [each for each in self.emulations.values() if each.id in self._together]
        if not asked or self._folder is None:
            return None
        return Wanted(self.load(recorded_keys()), asked, self.seeds, self._folder)

    def seen(self, name: str) -> "list[Seen]":
        """An emulation of every seed; it is made unless it is kept."""
        from hopwright.research.papers.emulated import played

        if name not in self.emulations or self._folder is None:
            raise InputError(f"no emulation called '{name}'{near(name, self.emulations)}")
        if name not in self._played:
            ids = {name, *self._together}
            asked = [each for each in self.emulations.values() if each.id in ids]
            self._played |= played(self, asked, self.load, self._folder)
        return self._played[name]


class Run:
    """One run. What a function asks for is made then, and only then."""

    def __init__(self, point: Point, place: int) -> None:
        self.point = point
        self.place = place
        self.scenario = point.scenario
        self._kept: dict[str, Any] = {}

    @classmethod
    def of(cls, file: str | Path, seed: int | None = None) -> "Run":
        """Makes a run of a scenario file, to test functions; `seed` replaces its seed."""
        from hopwright._io.source import Source
        from hopwright.research.papers.points import overrides, results_of

        source = Source.read(Path(file))

        def load(keys: Mapping[str, Value]) -> _core.Scenario:
            return source.load(overrides([], keys))

        seeds = [load({}).seed if seed is None else seed]
        return cls(Point(load, seeds, jobs=1, results=lambda: results_of(load({}), seeds)), 0)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.point.seeds[self.place]

    @property
    def duration_s(self) -> float:
        """The time at which the run ends, in seconds."""
        return self.scenario.duration_s

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.scenario.node_count

    @property
    def flows(self) -> int:
        """The number of flows. The flows are numbered from 0."""
        return self.scenario.flow_count

    @property
    def results(self) -> "Flows":
        """One table of results for each flow, with the names of columns of `hopwright sweep`.

        Results of the whole run have the same value in all tables. A missing value is None.
        """
        return self.point.kept("results", self.point.results)[self.place]

    def result(self, name: str, *, flow: int | None = None) -> float:
        """A result: the sum over all flows, or the value of one flow.

        Sums follow the rules of the key `sum` (docs/papers-keys.md). A count of `causes`,
        `diagnoses`, `drops` or `losses` is 0 if nothing of its kind occurred. Raises `InputError`
        if there is no such result, or if the result is not a number in this run.
        """
        flows = self.results if flow is None else [self.results[self.flow(flow)]]
        return total([(1, name)], flows, "result")

    def series(self, *columns: str, flow: int = 0) -> "dict[str, Column]":
        """Columns of `series.parquet`, with the rows of one flow; all columns if none is named."""
        from hopwright.research.papers import series

        return series.columns_of(self, columns, self.flow(flow))

    def lineage(self) -> "list[Event]":
        """The events of `events.parquet` (docs/lineage.md) by time, without the kind `missed`."""
        from hopwright.research.papers import events

        return self.kept("lineage", lambda: events.lineage_of(self))

    def acknowledgements(self) -> "list[Acknowledgement]":
        """The acknowledgements that the receiver of the only flow sent."""
        from hopwright.research.papers import acknowledgements

        return self.kept("acknowledgements", lambda: acknowledgements.of_run(self))

    def topology(self) -> dict[str, float]:
        """The numbers of `hopwright topology`, which examines the network without a run."""
        from hopwright.research.papers import topology

        return self.point.kept("topology", lambda: topology.of_runs(self.point))[self.place]

    def emulation(self, name: str) -> "Seen":
        """One of the `[[emulations]]` of the file, and the trace that its link follows."""
        return self.point.seen(name)[self.place]

    def files(self, keys: Mapping[str, Value]) -> Path:
        """Sets these keys of the scenario, repeats the run, and returns the folder of this run.

        Use this method for data that no other method reads, for example with the keys
        `{"output.pcap": "all"}`.
        """
        return self.point.recorded(keys)[self.place]

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What was made of this run under this name before, or is made now."""
        if name not in self._kept:
            self._kept[name] = make()
        found: T = self._kept[name]
        return found

    def flow(self, number: int) -> int:
        """Checks the number of a flow and returns it. Raises `InputError` if there is none."""
        if not 0 <= number < self.flows:
            raise InputError(f"flow = {number}: there are only flows 0 to {self.flows - 1}")
        return number

    def node(self, number: int) -> int:
        """Checks the number of a node and returns it. Raises `InputError` if there is none."""
        if not 0 <= number < self.nodes:
            raise InputError(f"node {number}: there are only nodes 0 to {self.nodes - 1}")
        return number

    def part(self, from_s: float, to_s: float, *, least_s: float = 0.0) -> tuple[float, float]:
        """Checks the ends of a part of the run, in seconds, and returns them.

        Raises `InputError` if the run has no such part, or if the part is shorter than `least_s`.
        """
        if not (0 <= from_s < to_s <= self.duration_s and to_s - from_s >= least_s):
            least = f", {least_s:g} s or more" if least_s else ""
            raise InputError(
                f"from_s = {from_s:g}, to_s = {to_s:g}: must be a part of the run{least}, which "
                f"ends at {self.duration_s:g} s"
            )
        return from_s, to_s
