"""A progress bar on a terminal's standard error, silence elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """Yields a function to call with the finished part, 0 to 1."""
    if not sys.stderr.isatty():
        yield lambda _fraction: None
        return
    from rich.console import Console
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
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)


@contextmanager
def runs_bar(label: str) -> Iterator[Callable[[float, int], None]]:
    """Yields a function to call with the finished runs and how many there are to be.

    What is finished at the first call took no time, and does not count for the time that is left.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[runs]} of {task.total:,.0f} runs"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    tasks: list[TaskID] = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def tell(done: float, total: int) -> None:
            runs = f"{int(done):,}"
            if tasks:
                bar.update(tasks[0], completed=done, total=total, runs=runs)
            else:
                tasks.append(bar.add_task(label, completed=int(done), total=total, runs=runs))

        yield tell
