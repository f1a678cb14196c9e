"""Keywords of what programs call: one that is unknown is told with the one that may be meant."""

import functools
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from hopwright._io.errors import near

Given = ParamSpec("Given")
Found = TypeVar("Found")


def hinting(
    *, also: Callable[[], Iterable[str]] = tuple, called: str = ""
) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Has a function name the nearest of its arguments where a keyword is unknown.

    `also`: gives keywords that it takes besides its own. `called`: how it is called, if not by its
    name.
    """

    def decorated(function: Callable[Given, Found]) -> Callable[Given, Found]:
        @functools.wraps(function)
        def checked(*args: Given.args, **given: Given.kwargs) -> Found:
            import inspect

            own = inspect.signature(function).parameters.values()
            known = [each.name for each in own if each.kind is not each.VAR_KEYWORD]
            check_words(called or function.__name__, given, {*known, *also()} - {"self"})
            return function(*args, **given)

        return checked

    return decorated


def check_words(called: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises `TypeError`, as Python does, for keywords that are not known."""
    names = sorted(known)
    for name in given:
        if name not in names:
            meant = near(name, names)
            raise TypeError(f"{called}() has no argument called '{name}'{meant}")
