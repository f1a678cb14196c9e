"""What functions say of runs: asked in several processes, and kept as soon as they say it."""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from hopwright._io.files import read_text
from hopwright._run.workers import Workers
from hopwright.research.papers import calling
from hopwright.research.papers.measures import Measure
from hopwright.research.papers.points import results_of
from hopwright.research.papers.run import Load, Point
from hopwright.research.papers.totals import Flows
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.points import point_id
from hopwright.sweeps.schedule import Run as Key

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True)
class Question:
    """A run and what is asked of it: all that another process needs to answer."""

    load: Load
    seed: int
    flows: Flows | None
    """The run's results, where they are known; where not, and asked for, it is run for them."""
    functions: tuple[Path, ...]
    """The files of functions."""
    measures: tuple[Measure, ...]


def numbers_of(question: Question) -> list[float]:
    """A number for each measure. Raises what `calling.number` raises."""
    seeds, flows = [question.seed], question.flows

    def results() -> Sequence[Flows]:
        return results_of(question.load({}), seeds) if flows is None else [flows]

    with Point(question.load, seeds, jobs=1, results=results) as point:
        (run,) = point.runs()
        return [calling.number(question.functions, each, run) for each in question.measures]


class Answers(AbstractContextManager["Answers"]):
    """Those about all runs of a file in one of its readings, and the journal that keeps them."""

    def __init__(self, folder: Path, workers: Workers) -> None:
        """`folder`: of the journal, made with the first question.

        What the journal has is not asked again.
        """
        self._folder = folder
        self._workers = workers
        self._journal: Journal | None = None
        self._kept: dict[Key, str] = {}
        self._waiting: deque[Answer] = deque()

    def ask(
        self,
        point: Point,
        measures: Sequence[Measure],
        functions: Sequence[Path],
        results: Sequence[Flows] | None,
        told: Callable[[int], AbstractContextManager[None]],
    ) -> "list[Answer]":
        """Asks about all runs of a point; answers come later.

        `results`: of all runs, if known. `told`: what adds the run, by its seed, to an error.
        """
        if not measures:
            return []
        self._open()
        scenario = point.scenario.with_seed(0)
        files = (scenario.movement(), scenario.coefficients(), scenario.records())
        texts = (_texts_of_package(), *map(read_text, functions))
        whole = point_id(scenario.to_toml(), *files, *texts)
        ids = [_id(whole, each) for each in measures]
        found = []
        for place, seed in enumerate(point.seeds):
            kept = [self._kept.get(Key(each, seed)) for each in ids]
            new = tuple(m for m, text in zip(measures, kept, strict=True) if text is None)
            flows = None if results is None else results[place]
            question = Question(point.load, seed, flows, tuple(functions), new)
            with told(seed):
                future = self._workers.submit(numbers_of, question) if new else None
            found.append(Answer(seed, [*zip(ids, kept, strict=True)], future))
            self._waiting.append(found[-1])
            self._keep()
        return found

    def _keep(self) -> None:
        """Writes the answers down that are there."""
        while self._journal is not None and self._waiting and self._waiting[0].is_done():
            for key, value in self._waiting.popleft().new():
                self._journal.append(key, json.dumps({"number": value}))

    def _open(self) -> None:
        if self._journal is None:
            self._journal = Journal.within(self._folder)
            self._kept = self._journal.read()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._journal is None:
            return
        try:
            self._keep()
        finally:
            self._journal.close()


@dataclass(frozen=True)
class Answer:
    """What functions say of a run, or will say."""

    seed: int
    kept: Sequence[tuple[str, str | None]]
    """Of each measure, its id and the earlier answer; None where there is none."""
    future: "Future[list[float]] | None"
    """The answers that are new."""

    def is_done(self) -> bool:
        """Whether the answer is there."""
        return self.future is None or self.future.done()

    def numbers(self) -> list[float]:
        """One for each measure; waits for them. Raises what `numbers_of` raises."""
        new = iter([] if self.future is None else self.future.result())
        return [next(new) if text is None else _number(text) for _, text in self.kept]

    def new(self) -> Iterator[tuple[Key, float]]:
        """What was found, once it is done; nothing if that failed."""
        if self.future is None or self.future.cancelled() or self.future.exception() is not None:
            return
        ids = (each for each, text in self.kept if text is None)
        for each, value in zip(ids, self.future.result(), strict=True):
            yield Key(each, self.seed), value


def _number(text: str) -> float:
    """A line of the journal."""
    return float(json.loads(text)["number"])


def _id(whole: str, measure: Measure) -> str:
    """The id of what is asked: the point, the function and what it is given."""
    arguments = json.dumps(measure.arguments, sort_keys=True, default=str)
    return point_id(whole, measure.function, arguments)


@cache
def _texts_of_package() -> str:
    """A digest of the code that makes numbers of runs: other code may make others."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
