"""Errors in the words of Python: where a command has an option, a function has an argument.

All messages are written for the commands. A function that programs call raises them in its words.
"""

import contextlib
import re
from collections.abc import Iterator

from hopwright._io.errors import InputError, UnfinishedError

OPTION = re.compile(
    r"--(resume|overwrite|out|seed|jobs|vary|design|points|runs|until|of|most-runs|shard|flow|where)"
    r"(?![\w-])"
)
FLAGS = ("resume", "overwrite")


@contextlib.contextmanager
def in_python() -> Iterator[None]:
    """Has errors, and what they say is left, speak of arguments instead of options."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, (InputError, UnfinishedError)):
            error.args = tuple(map(_translated, error.args))
        error.__notes__ = [_translated(note) for note in getattr(error, "__notes__", ())]
        raise


def _translated(told: str) -> str:
    return OPTION.sub(_argument, str(told))


def _argument(option: re.Match[str]) -> str:
    name = option[1].replace("-", "_")
    return f"{name}=True" if name in FLAGS else name
