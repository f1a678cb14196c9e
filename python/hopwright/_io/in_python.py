"""Errors in the words of Python: where a command has an option, a function has an argument.

All messages are written for the commands. What programs call raises them in its own words.
"""

import functools
import re
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from hopwright import _core
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.warn import OWN

Called = TypeVar("Called", bound=Callable[..., Any])

WORDS = re.compile(
    r"(?P<command>'hopwright [^']*')|(?<![^\s(])(?:--set |--(?P<option>[a-z][a-z-]*))|"
    "(?P<renamed>FILE,name=OTHER)"
)
"""What commands say: a whole command, which stays as it is, an option, a scenario's other name."""
FLAGS = ("resume", "overwrite")
ARGUMENTS = {"at": "at_s", "from": "compare_sweep"}
"""Where the argument, or the function, is called otherwise than the option."""
RENAMED = "name='OTHER' of a Scenario, or load(FILE, {'name': 'OTHER'})"

SET = re.compile(
    r"--> (?P<option>--(?:set|vary) )(?P<what>.*):1:(?P<column>\d+)\n"
    r"(?P<bar> *\|\n1 \| )(?P=option)(?P=what)\n(?P<mark> *\| *\^+)"
)
"""Where an error of a scenario shows a key that an option has set."""


def in_python(called: Called) -> Called:
    """Has a function, or the public methods of a class, raise errors in the words of Python.

    Only for callers outside this package: what commands call speaks of their options.
    """
    if not isinstance(called, type):
        return cast("Called", _speaking(called))
    for name, method in list(vars(called).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(method, classmethod):
            setattr(called, name, classmethod(_speaking(method.__func__)))
        elif isinstance(method, FunctionType):
            setattr(called, name, _speaking(method))
    return called


def _speaking(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def speaking(*args: object, **given: object) -> object:
        try:
            return function(*args, **given)
        except BaseException as error:
            if not sys._getframe(1).f_code.co_filename.startswith(OWN):  # noqa: SLF001 - as `warn`
                _translate(error)
            raise

    return speaking


def _translate(error: BaseException) -> None:
    """Changes what an error says, and what it says is left."""
    if isinstance(error, (InputError, UnfinishedError)):
        error.args = tuple(map(_translated, error.args))
    elif isinstance(error, _core.ScenarioError):
        error.args = tuple(SET.sub(_without_option, str(text)) for text in error.args)
    if hasattr(error, "__notes__"):
        error.__notes__ = [_translated(note) for note in error.__notes__]


def _translated(told: object) -> str:
    return WORDS.sub(_argument, str(told))


def _argument(found: re.Match[str]) -> str:
    if found["command"] is not None:
        return found["command"]
    if found["renamed"] is not None:
        return RENAMED
    if found["option"] is None:  # --set KEY=VALUE: the key and its value say enough
        return ""
    name = found["option"].replace("-", "_")
    return f"{name}=True" if name in FLAGS else ARGUMENTS.get(name, name)


def _without_option(found: re.Match[str]) -> str:
    """The key alone; the column and the mark below move to the left."""
    width = len(found["option"])
    column, mark = int(found["column"]) - width, found["mark"].replace(" " * width, "", 1)
    return f"--> {found['what']}:1:{column}\n{found['bar']}{found['what']}\n{mark}"
