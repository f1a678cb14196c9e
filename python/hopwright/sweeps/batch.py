"""Runs that are all known before the first is begun."""

from collections import deque
from collections.abc import Iterable, Mapping

from hopwright.sweeps.schedule import Run


class Batch:
    """Runs, each of them once: waiting, taken, finished.

    Attributes:
        results: The finished runs' results, as JSON; those that were there before, too.
        total: How many runs there are.
    """

    def __init__(self, runs: Iterable[Run], finished: Mapping[Run, str]) -> None:
        wanted = dict.fromkeys(runs)
        self.results = dict(finished)
        self.total = len(wanted)
        self._waiting = deque(run for run in wanted if run not in finished)
        self._missing = len(self._waiting)

    @property
    def done(self) -> int:
        """Finished runs, of `total`."""
        return self.total - self._missing

    def take(self) -> Run | None:
        """The next run to do; None if there is none."""
        return self._waiting.popleft() if self._waiting else None

    def finish(self, run: Run, result: str) -> None:
        """Notes a result of a run that has none yet."""
        self.results[run] = result
        self._missing -= 1
