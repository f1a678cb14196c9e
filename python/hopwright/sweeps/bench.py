"""A study's runs, part after part: what a journal has is not done again, and all count as one."""

import contextlib
from collections.abc import Callable, Iterator, Mapping

from hopwright._io.errors import InputError
from hopwright._io.plural import many, noun
from hopwright.sweeps.execute import Watch, Work, execute
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.points import Variant
from hopwright.sweeps.run_plan import RunPlan
from hopwright.sweeps.schedule import Run


class Bench:
    """Does the work of a study that is more than one sweep.

    Attributes:
        finished: The results of all runs that are done, as JSON; those of the journal, too.
    """

    def __init__(self, journal: Journal | None, watch: Watch, how: RunPlan) -> None:
        self.finished: dict[Run, str] = journal.read() if journal else {}
        self._unused = set(self.finished)
        self._journal, self._watch, self._how = journal, watch, how
        self._before = 0

    @property
    def unused(self) -> str:
        """That no work has asked for some runs of the journal; empty if all were asked for."""
        count = len(self._unused)
        are = many(count, "finished run is", "finished runs are")
        those = noun(count, "it was", "they were")
        said = f"{are} of other scenarios or of another version of the program; {those} not used"
        return said if count else ""

    def do(
        self,
        work: Callable[[Mapping[Run, str]], Work],
        variants: Mapping[str, Variant],
        describe: Callable[[Run], str],
    ) -> Work:
        """Makes the work, which is told what is finished, does it, and returns it.

        `variants`: the scenarios by the ids of their points; `describe`: a run, in words.
        """
        begun = work(self.finished)

        def tell(done: float, total: int) -> None:
            self._watch(self._before + done, self._before + total)

        with contextlib.closing(self._how.backend()) as backend:
            keep = self._journal.append if self._journal else _nobody
            try:
                execute(begun, variants, backend, keep=keep, watch=tell, describe=describe)
            except BaseException as error:
                error.add_note(self._left(begun.done, begun.total))
                raise
        self.finished = begun.results
        self._unused -= {run for run in self._unused if run.point in variants}
        self._before += begun.total
        return begun

    @contextlib.contextmanager
    def keeping(self) -> Iterator[None]:
        """Does something with finished runs; whatever stops it, the error says what is left."""
        try:
            yield
        except InputError:
            raise
        except BaseException as error:
            if not getattr(error, "__notes__", None):  # runs under way have said it
                error.add_note(self._left())
            raise

    def _left(self, done: int = 0, total: int = 0) -> str:
        done, total = self._before + done, self._before + total
        if self._journal is None:
            return f"{done} of {many(total, 'run was', 'runs were')} finished; nothing was written"
        folder = self._journal.path.parent
        return (
            f"{done} of {many(total, 'run is', 'runs are')} kept in {folder}; go on with --resume"
        )


def _nobody(*_told: object) -> None:
    """Nobody keeps runs."""
