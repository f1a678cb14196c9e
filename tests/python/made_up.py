"""Runs for tests of functions: of a text of a scenario, or made up."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from hopwright import _core
from hopwright._io.source import Source
from hopwright._schema.settings import overrides_of
from hopwright.research.papers.acknowledgements import Acknowledgement
from hopwright.research.papers.events import Event
from hopwright.research.papers.fields import Value
from hopwright.research.papers.points import results_of
from hopwright.research.papers.run import Point, Run
from hopwright.research.papers.series import Column


class MadeUp(Run):
    """A run that was never made: a function is told what the test says."""

    def __init__(
        self,
        *,
        columns: Mapping[str, Column] | None = None,
        lineage: Sequence[Event] = (),
        acknowledgements: Sequence[Acknowledgement] = (),
        end_s: float = 10.0,
    ) -> None:
        self._columns = columns or {}
        self._events = [*lineage]
        self._sent = [*acknowledgements]
        self._end_s = end_s
        self._kept = {}

    @property
    def duration_s(self) -> float:
        return self._end_s

    @property
    def flows(self) -> int:
        return 1

    def series(self, *columns: str, flow: int = 0) -> dict[str, Column]:
        assert flow == 0
        return {name: self._columns[name] for name in columns}

    def lineage(self) -> list[Event]:
        return self._events

    def acknowledgements(self) -> list[Acknowledgement]:
        return self._sent


@contextmanager
def runs(text: str, seeds: Sequence[int] = (1,)) -> Iterator[list[Run]]:
    """Runs of a scenario; their files are there as long as they are asked for."""
    source = Source(text, "test", ".")

    def load(keys: Mapping[str, Value]) -> _core.Scenario:
        return source.load(overrides_of(keys))

    with Point(load, seeds, jobs=2, results=lambda: results_of(load({}), seeds)) as point:
        yield list(point.runs())
