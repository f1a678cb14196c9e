"""The moving average of a sequence."""

from collections.abc import Sequence


def moving_average(values: Sequence[float], count: int) -> list[float]:
    """The averages of all `count` neighbouring values, in order: of N values, N - `count` + 1.

    The first is the average at `values[count // 2]`. Raises `ValueError` if `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"count is {count}; it is at least 1")
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    return [(after - before) / count for before, after in zip(sums, sums[count:], strict=False)]
