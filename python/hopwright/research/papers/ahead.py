"""Emulations that are made while other papers' files are run: they take real time, little else."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from hopwright.research.papers.emulating import Wanted, make

MOST = 64
"""Files whose emulations are made at the same time; more wait."""


class Ahead(AbstractContextManager["Ahead"]):
    """Threads that make emulations; whoever needs them waits for their end.

    When the block is left, what is under way is ended.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(MOST)
        self._stops: list[threading.Event] = []
        self._made: dict[str, Future[None]] = {}

    def begin(self, name: str, wanted: Callable[[], Sequence[Wanted]], jobs: int) -> None:
        """Begins with the emulations of a file."""
        # One for each: what fails ends what is under way of its file, and of no other.
        stop = threading.Event()
        self._stops.append(stop)
        self._made[name] = self._pool.submit(lambda: make(wanted(), jobs=jobs, stop=stop))

    def wait_for(self, name: str) -> None:
        """Until the emulations of a file are made. Raises what `make` raised."""
        if name in self._made:
            self._made[name].result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for stop in self._stops:
            stop.set()
        self._pool.shutdown(cancel_futures=True)
