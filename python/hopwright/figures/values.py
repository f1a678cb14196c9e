"""What a figure is given, checked: numbers of one length, none of them unknown."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers: TypeAlias = "Sequence[float] | NDArray[np.floating] | NDArray[np.integer]"
Gaps: TypeAlias = "Sequence[float | None] | NDArray[np.floating] | NDArray[np.integer]"
"""Numbers, None where there is none."""

MOST = 1e300
"""The largest value that can be drawn: beyond, the ends of an axis would be infinite."""


def numbers(values: Numbers, what: str, *, count: int | None = None) -> list[float]:
    """The values as floats.

    Raises `ValueError` if there is none, not `count` of them, or one that is no finite number.
    """
    found = with_gaps(values, what, count=count)
    for place, value in enumerate(found):
        if value is None:
            raise ValueError(f"{what}: value {place} is missing; leave the point out")
    return cast("list[float]", found)


def with_gaps(values: Gaps, what: str, *, count: int | None = None) -> list[float | None]:
    """As `numbers`, but a value may be None.

    Raises `ValueError` if there is none at all.
    """
    found = [None if value is None else _real(value) for value in values]
    if not found:
        raise ValueError(f"{what}: there are no values")
    if count is not None and len(found) != count:
        raise ValueError(f"{what}: {len(found)} values where {count} are needed")
    for place, value in enumerate(found):
        if value is not None and not abs(value) <= MOST:
            raise ValueError(f"{what}: value {place} is {value}, which cannot be drawn")
    return found


def _real(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def interval(
    low: "Gaps | None", high: "Gaps | None", centre: Sequence[float | None], what: str
) -> list[tuple[float, float] | None]:
    """The ends of the values' intervals; None where a value has none.

    Raises `ValueError` if there is one end without the other, or a value outside its interval.
    """
    if (low is None) != (high is None):
        raise ValueError(f"{what}: an interval needs both low and high")
    if low is None or high is None:
        return [None] * len(centre)
    lows = with_gaps(low, f"low of {what}", count=len(centre))
    highs = with_gaps(high, f"high of {what}", count=len(centre))
    ends: list[tuple[float, float] | None] = []
    for place, (least, most, value) in enumerate(zip(lows, highs, centre, strict=True)):
        if least is None or most is None or value is None:
            ends.append(None)
            continue
        if not least <= value <= most:
            raise ValueError(
                f"{what}: value {place} is {value:g}, outside its interval {least:g} to {most:g}"
            )
        ends.append((least, most))
    return ends


def check_names(names: Sequence[str], what: str) -> None:
    """Raises `ValueError` if a name comes twice: nobody could tell which is which."""
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ValueError(f"two {what} are called '{twice[0]}'")
    if not names:
        raise ValueError(f"there are no {what}")
