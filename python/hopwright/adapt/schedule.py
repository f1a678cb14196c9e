"""Which runs of the map come next.

What is done depends on results alone, never on the order in which they come: a cell's next runs are
decided when those asked for are all there. So any number of jobs leads to the same map.
"""

from collections import deque
from collections.abc import Callable, Mapping

from hopwright.adapt.halving import Halving
from hopwright.sweeps.schedule import Run

Value = Callable[[str], float]
"""The number that a run's result, as JSON, is judged by."""


class MapSchedule:
    """The runs of all cells: waiting, taken, finished.

    Attributes:
        results: The finished runs' results, as JSON; those that were there before, too.
        cells: The search in each cell.
        total: How many runs there are to be, as far as is known.
    """

    def __init__(
        self,
        cells: Mapping[tuple[int, ...], Halving],
        points: Mapping[tuple[tuple[int, ...], str], str],
        seed: int,
        value: Value,
        finished: Mapping[Run, str],
    ) -> None:
        """`points`: the ids of the points, by cell and candidate; `seed`: the first of each."""
        self.results = dict(finished)
        self.cells = dict(cells)
        self.total = 0
        self._points, self._seed, self._value = points, seed, value
        self._waiting: deque[Run] = deque()
        self._missing: dict[tuple[int, ...], int] = {}
        self._asked_by: dict[Run, list[tuple[int, ...]]] = {}
        """The cells that wait for a run; cells that are the same scenario share theirs."""
        self._known: dict[Run, float] = {}
        self._counted: set[Run] = set()
        for cell in self.cells:
            self._ask(cell)

    @property
    def done(self) -> int:
        """Finished runs, of `total`."""
        return self.total - len(self._asked_by)

    def take(self) -> Run | None:
        """The next run to do; None if there is none now."""
        return self._waiting.popleft() if self._waiting else None

    def finish(self, run: Run, result: str) -> None:
        """Notes a result of a run that has none yet."""
        self.results[run] = result
        for cell in self._asked_by.pop(run):
            self._missing[cell] -= 1
            if not self._missing[cell]:
                self._decide(cell)

    def _runs(self, cell: tuple[int, ...], candidate: str) -> list[Run]:
        point = self._points[cell, candidate]
        return [Run(point, self._seed + n) for n in range(self.cells[cell].runs)]

    def _ask(self, cell: tuple[int, ...]) -> None:
        halving = self.cells[cell]
        wanted = [run for name in halving.kept for run in self._runs(cell, name)]
        missing = [run for run in wanted if run not in self.results]
        new = [run for run in wanted if run not in self._counted]
        self._counted.update(new)
        self.total += len(new)
        for run in missing:
            if run not in self._asked_by:
                self._waiting.append(run)
            self._asked_by.setdefault(run, []).append(cell)
        self._missing[cell] = len(missing)
        if not missing:
            self._decide(cell)

    def _decide(self, cell: tuple[int, ...]) -> None:
        halving = self.cells[cell]
        halving.note(
            {name: [self._of(run) for run in self._runs(cell, name)] for name in halving.kept}
        )
        if not halving.is_over:
            self._ask(cell)

    def _of(self, run: Run) -> float:
        if run not in self._known:
            self._known[run] = self._value(self.results[run])
        return self._known[run]
