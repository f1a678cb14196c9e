"""Functions that measures of papers' files may name; each takes a run and gives a number.

They are no different from those that stand in a file beside a paper's: a user's own may call them.
"""

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType

MODULES = ("series", "flows", "events", "network", "emulated")
"""In the order in which they are told of."""


def library() -> dict[str, Callable[..., object]]:
    """All of them, by name."""
    return {name: each for module in modules() for name, each in defined(module).items()}


@cache
def modules() -> tuple[ModuleType, ...]:
    """The modules that have them."""
    return tuple(import_module(f"{__name__}.{name}") for name in MODULES)


def defined(module: ModuleType) -> dict[str, Callable[..., object]]:
    """The functions of a module that take a run, in the order in which they stand there."""
    return {
        name: each
        for name, each in vars(module).items()
        if inspect.isfunction(each)
        and each.__module__ == module.__name__
        and not name.startswith("_")
        and next(iter(inspect.signature(each).parameters), "") == "run"
    }
