"""Fewer points, the same picture.

A page has a few hundred columns of dots. A curve drawn through the first, the smallest, the
largest and the last of the points in each column covers the same dots as one through all of
them, and its file stays small however long the run was.
"""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Column: TypeAlias = "NDArray[np.float64]"

COLUMNS = 300
"""Columns across a figure: each is narrower than a line."""


def visible(time: Column, values: Column, start_s: float, end_s: float) -> tuple[Column, Column]:
    """The points of a curve that can be seen: at most four in each column, in their order."""
    if len(time) <= 4 * COLUMNS:
        return time, values
    column = _columns(time, start_s, end_s)
    # Within a column by value: what is smallest comes first, what is largest last.
    by_value = np.lexsort((values, column))
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], len(time)) - 1
    kept = np.unique(np.concatenate([first, last, by_value[first], by_value[last]]))
    return time[kept], values[kept]


def skyline(time: Column, values: Column, start_s: float, end_s: float) -> tuple[Column, Column]:
    """As `visible`, for the upper edge of an area: in each column the largest and the last."""
    if len(time) <= 2 * COLUMNS:
        return time, values
    column = _columns(time, start_s, end_s)
    by_value = np.lexsort((values, column))
    last = np.append(np.flatnonzero(np.diff(column)), len(time) - 1)
    kept = np.unique(np.concatenate([last, by_value[last]]))
    return time[kept], values[kept]


def ranges(
    time: Column, values: Column, start_s: float, end_s: float
) -> tuple[Column, Column, Column]:
    """Single samples by column: where, the smallest, the largest."""
    known = np.isfinite(values)
    time, values = time[known], values[known]
    if len(time) == 0:
        return time, values, values
    column = _columns(time, start_s, end_s)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    return time[first], np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)


def _columns(time: Column, start_s: float, end_s: float) -> "NDArray[np.int64]":
    share = (time - start_s) / max(end_s - start_s, 1e-9)
    return np.clip(share * COLUMNS, 0, COLUMNS).astype(np.int64)
