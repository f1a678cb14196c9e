"""What can go wrong outside the simulator."""

import difflib
from collections.abc import Iterable


class InputError(Exception):
    """What the user asked for cannot be done; the text says what to change. Exit code 2."""


def near(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'run'?` or the list of what there is."""
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are: {', '.join(names)}"


class UnfinishedError(Exception):
    """What was begun cannot go on; the text says why, its notes what is left. Exit code 1."""
