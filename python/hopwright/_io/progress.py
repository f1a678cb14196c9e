"""How far runs are: a bar on a terminal's standard error, silence elsewhere.

Whoever calls from Python asks for it, and then sees it anywhere: in a notebook as a bar, where
there is neither notebook nor terminal as a line for each tenth.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from hopwright._io.notebook import Told, is_notebook, notebook_bar, told_of_percent, told_of_runs

if TYPE_CHECKING:
    from rich.console import Console

Watch = Callable[[float, int], object]
"""Is told finished runs, with parts of those under way, and how many there are to be."""

TENTHS = 10
"""Lines that tell of progress where there is no terminal."""


@contextmanager
def watched(label: str, watch: Watch | None, *, progress: bool) -> Iterator[Watch]:
    """Yields what tells `watch`, and with `progress` also whoever looks on."""
    with _seen(label) if progress else _unseen() as bar:

        def tell(done: float, total: int) -> None:
            bar(done, total)
            if watch is not None:
                watch(done, total)

        yield tell


@contextmanager
def part_watched(label: str, *, progress: bool) -> Iterator[Callable[[float], object]]:
    """Yields a function to call with the finished part, 0 to 1, where runs are not counted.

    On a terminal there is a bar in any case; elsewhere with `progress` alone.
    """
    if not progress or (sys.stderr.isatty() and not is_notebook()):
        with progress_bar(label) as tell_part:
            yield tell_part
        return
    form = told_of_percent
    with notebook_bar(label, form) if is_notebook() else _lines(label, form) as tell:
        yield lambda part: tell(100 * part, 100)


def _seen(label: str) -> AbstractContextManager[Watch]:
    if is_notebook():
        return notebook_bar(label)
    return runs_bar(label) if sys.stderr.isatty() else _lines(label)


@contextmanager
def _unseen() -> Iterator[Watch]:
    yield lambda _done, _total: None


@contextmanager
def _lines(label: str, form: Told = told_of_runs) -> Iterator[Watch]:
    """A line on standard error at the beginning, and whenever another tenth of the runs is done."""
    told = -1

    def tell(done: float, total: int) -> None:
        nonlocal told
        tenth = int(TENTHS * done / total) if total else TENTHS
        if tenth > told:
            told = tenth
            words = form(int(done), total)
            print(f"{label}: {words}", file=sys.stderr, flush=True)

    yield tell


def _standard_error() -> "Console":
    from rich.console import Console

    from hopwright._io.console import surroundings

    return Console(stderr=True, force_jupyter=False, _environ=surroundings())


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """Yields a function to call with the finished part, 0 to 1."""
    if not sys.stderr.isatty():
        yield lambda _fraction: None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=_standard_error(), transient=True) as bar:
        task = bar.add_task(label, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)


@contextmanager
def runs_bar(label: str) -> Iterator[Watch]:
    """Yields a function to call with the finished runs and how many there are to be.

    What is finished at the first call took no time, and does not count for the time that is left.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[runs]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    tasks: list[TaskID] = []
    with Progress(*columns, console=_standard_error(), transient=True) as bar:

        def tell(done: float, total: int) -> None:
            runs = told_of_runs(int(done), total)
            if tasks:
                bar.update(tasks[0], completed=done, total=total, runs=runs)
            else:
                tasks.append(bar.add_task(label, completed=int(done), total=total, runs=runs))

        yield tell
