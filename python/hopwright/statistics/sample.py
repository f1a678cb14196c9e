"""A sample: the numbers, one a run, that statistics are made of."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers: TypeAlias = "Sequence[float] | NDArray[np.floating] | NDArray[np.integer]"


def sample(values: Numbers) -> list[float]:
    """The values as floats.

    Raises `ValueError` if one is missing or not finite: whoever has it decides what that means.
    """
    checked = []
    for position, value in enumerate(values):
        if value is None or not math.isfinite(value):
            raise ValueError(f"value {position} is {value}: a sample holds finite numbers only")
        checked.append(float(value))
    return checked


def is_constant(values: Sequence[float], scale: float = 0.0) -> bool:
    """Whether values are the same but for rounding.

    `scale` is the size of the numbers that the values were calculated from, if that is larger than
    the values are: a difference of large numbers keeps their rounding.
    """
    return max(values) - min(values) <= ROUNDING * max(scale, largest(values))


def largest(*samples: Sequence[float]) -> float:
    """The largest size of a value, its sign left out."""
    return max(abs(value) for values in samples for value in values)


ROUNDING = 1e-12
"""Several thousand times the relative spacing of floats, and far below anything measured."""
