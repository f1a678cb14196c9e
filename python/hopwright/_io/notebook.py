"""Progress in a notebook: a bar in the cell's output, which says in the end what was done.

IPython alone is needed: rich's bar would ask for widgets, which not every notebook has.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TypeAlias

from hopwright._io.plural import noun

Told: TypeAlias = Callable[[int, int], str]
"""What is told beside a bar, of what is done and how much there is."""
LOOK_EVERY_S = 0.2
"""Wall time between two changes of the bar: each is a message to the browser."""


def told_of_runs(done: int, total: int) -> str:
    """`17 of 30 runs`."""
    return f"{done:,} of {total:,} {noun(total, 'run')}"


def told_of_percent(done: int, _total: int) -> str:
    """`17 %`."""
    return f"{done} %"


def is_notebook() -> bool:
    """Whether a notebook's kernel runs this; a terminal's IPython has none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def notebook_bar(label: str, form: Told = told_of_runs) -> Iterator[Callable[[float, int], object]]:
    """Yields a function to call with the finished runs and how many there are to be.

    `form`: how these are told.
    """
    display = sys.modules["IPython"].display
    handle = display.display(display.HTML(_html(label, 0, 1, "")), display_id=True)
    begun = shown_at = time.monotonic()
    done, total = 0.0, 0

    def tell(now_done: float, now_total: int) -> None:
        nonlocal done, total, shown_at
        done, total = now_done, now_total
        if time.monotonic() - shown_at >= LOOK_EVERY_S:
            shown_at = time.monotonic()
            handle.update(display.HTML(_html(label, done, total, words(done, total))))

    def words(done: float, total: int) -> str:
        return form(int(done), total)

    try:
        yield tell
    finally:
        told = f"{words(done, total)}, {time.monotonic() - begun:.1f} s"
        handle.update(display.HTML(_html(label, done, total, told)))


def _html(label: str, done: float, total: int, words: str) -> str:
    share = done / total if total else 1.0
    return f'<p>{escape(label)} <progress value="{share:.3f}" max="1"></progress> {words}</p>'
