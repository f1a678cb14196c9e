"""Comparisons: variants against a baseline, on common random numbers, in words and numbers."""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from hopwright.comparisons.outcome import Comparison
    from hopwright.comparisons.perform import compare, compare_sweep

__all__ = ["Comparison", "compare", "compare_sweep"]

_HOMES = {
    "Comparison": "hopwright.comparisons.outcome",
    "compare": "hopwright.comparisons.perform",
    "compare_sweep": "hopwright.comparisons.perform",
}
"""Where the names are: what they need is imported with the first of them, not by the words of the
command."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'hopwright.comparisons' has no attribute '{name}'")
    return getattr(_importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
