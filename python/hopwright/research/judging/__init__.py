"""Loss differentiators judged by the truth: how often each is right, and what that is worth."""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from hopwright.research.judging.cases import Case, read_case
    from hopwright.research.judging.judgement import Judgement
    from hopwright.research.judging.perform import judge

__all__ = ["Case", "Judgement", "judge", "read_case"]

_HOMES = {
    "Case": "hopwright.research.judging.cases",
    "Judgement": "hopwright.research.judging.judgement",
    "judge": "hopwright.research.judging.perform",
    "read_case": "hopwright.research.judging.cases",
}
"""Where the names are: what they need is imported with the first of them, not by the words of the
command."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'hopwright.research.judging' has no attribute '{name}'")
    return getattr(_importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
