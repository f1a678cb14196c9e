"""Counts in sentences: `1 run`, `3 runs`."""


def many(count: float, one: str, more: str | None = None) -> str:
    """The count and what is counted; `more`: of several, where that is not `one` with an s.

    `one` may go on with a verb: `many(total, "run is", "runs are")`.
    """
    return f"{count:.0f} {noun(count, one, more)}"


def noun(count: float, one: str, more: str | None = None) -> str:
    """The same without the count, for those that are written in another way."""
    return one if count == 1 else more or f"{one}s"
