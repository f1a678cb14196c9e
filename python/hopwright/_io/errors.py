"""What can go wrong outside the simulator."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence


class InputError(Exception):
    """What the user asked for cannot be done; the text says what to change. Exit code 2."""


class UnknownNameError(InputError):
    """Something is asked for a name that is not there."""


def check_whole(name: str, value: object) -> None:
    """Raises `InputError` if the value of an argument is no whole number; None is none given."""
    if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__")):
        raise InputError(f"{name}: expected a whole number, found {value!r}")


MOST_COUNT = 1_000_000
"""The largest number of runs, or of runs at the same time, that makes sense."""


def check_count(name: str, value: int | None) -> None:
    """Raises `InputError` if the value of an argument is no number of runs."""
    if value is None:
        raise InputError(f"{name}: expected a whole number, found None")
    check_whole(name, value)
    if not 1 <= value <= MOST_COUNT:
        raise InputError(f"{name}: {value} is not between 1 and {MOST_COUNT}")


MOST_NAMES = 24
"""A list of more says less than the few that are nearest."""
NEAREST = 5
SHORTEST_BEGINNING = 3
"""Letters from which on a word may be the beginning of several names."""


def near(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'run'?` or what there is: all, or of many the nearest."""
    import difflib

    from hopwright._io.synonyms import called_here

    names = list(known)
    close = [meant] if (meant := called_here(word, names)) else []
    close = close or _close(word, names)
    if close:
        return f"; did you mean '{close[0]}'?"
    if len(names) <= MOST_NAMES:
        return f"; there are: {', '.join(names)}" if names else "; there are none"
    nearest = difflib.get_close_matches(word, names, n=NEAREST, cutoff=0)
    return f"; of {len(names)} the nearest are: {', '.join(nearest)}"


def how_many(count: int, what: str) -> str:
    """How many there are of what has numbers, and which numbers: nodes, flows, links."""
    match count:
        case 0:
            return f"there is no {what}"
        case 1:
            return f"there is one {what}, number 0"
        case _:
            return f"there are {count} {what}s, numbered 0 to {count - 1}"


def slip(word: str, known: Iterable[str]) -> str | None:
    """The name that is spelled nearly like the word, if there is one."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=0.75)), None)


def _close(word: str, names: Sequence[str]) -> list[str]:
    """The name that is spelled like the word; none, where several begin with it.

    Dashes before an option do not count: they make each option like any other.
    """
    import difflib

    bare = {name.lstrip("-"): name for name in names}
    wanted = word.lstrip("-")
    longer = sorted(len(name) - len(wanted) for name in bare if name.startswith(wanted))
    # A single letter that is missing is a slip.
    if len(wanted) >= SHORTEST_BEGINNING and len(longer) > 1 and longer[0] > 1:
        return []
    return [bare[name] for name in difflib.get_close_matches(wanted, bare, n=1)]


@contextlib.contextmanager
def naming(file: object) -> Iterator[None]:
    """Has an `OSError` name the file: the system names none where a write to an open one fails."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise


class UnfinishedError(Exception):
    """What was begun cannot go on; the text says why, its notes what is left. Exit code 1."""


class HopwrightWarning(UserWarning):
    """What is no mistake, but may not be meant: the command line writes it on standard error."""


class StarvationWarning(HopwrightWarning):
    """A flow gets next to nothing beside others: `hopwright.results.starvation` has the rule."""
