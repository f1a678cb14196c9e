"""The moving average of a sequence."""

from collections.abc import Sequence


def moving_average(values: Sequence[float], count: int) -> list[float]:
    """Each value averaged with those around it, `count` in all.

    As in Papanastasiou 2006, section 3.6, the first and the last half of `count` values, which have
    too few around them, stay as they are. Of an even `count`, one more stands before than after.
    """
    before = count // 2
    after = count - before
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    return [
        (sums[i + after] - sums[i - before]) / count
        if before <= i <= len(values) - after
        else value
        for i, value in enumerate(values)
    ]
