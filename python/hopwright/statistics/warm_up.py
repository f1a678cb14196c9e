"""The warm-up of a time series: what its beginning still shows of the empty network."""

import numpy as np

from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright.statistics.sample import Numbers, sample

BATCH = 5
"""Values a batch: MSER-5."""

LEAST_BATCHES = 5
"""What must be left: the error of fewer batches is mostly luck (Hoad et al. 2010)."""


def mser(values: Numbers, *, batch: int = BATCH) -> int:
    """How many values to cut from the beginning, by MSER-5.

    It is the cut that leaves the mean of the rest with the smallest estimated error: more would
    waste data, less would keep the transient.

    Args:
        values: Measured at equal distances in time.
        batch: Values that are averaged before, against single outliers.

    Returns:
        A multiple of `batch`, at most half of the values.

    Raises:
        InputError: The series is too short, or the best cut is in its last half: then it has not
            settled, and no cut helps.

    Source: White, "An effective truncation heuristic for bias reduction in simulation output",
    Simulation 69 (1997); White, Cobb and Spratt, Winter Simulation Conference 2000.
    """
    series = np.asarray(sample(values))
    if batch < 1:
        raise ValueError(f"batch is {batch}; it is at least 1")
    count = len(series) // batch
    if count < 2 * LEAST_BATCHES:
        raise InputError(
            f"{many(len(series), 'value is', 'values are')} too few to find a warm-up; it takes at "
            f"least {2 * LEAST_BATCHES * batch}"
        )
    means = series[: count * batch].reshape(count, batch).mean(axis=1)
    # From the middle of the values, so that the sums of squares lose no digits.
    means = means - means.mean()
    cuts = np.arange(count - LEAST_BATCHES + 1)
    left = count - cuts
    sums = np.cumsum(means[::-1])[::-1][cuts]
    squares = np.cumsum(means[::-1] ** 2)[::-1][cuts]
    errors = (squares - sums**2 / left) / left**2
    best = int(np.argmin(errors))
    if best > count / 2:
        raise InputError(
            f"the series has not settled: the best cut is after {best * batch} of its "
            f"{len(series)} values, in the last half; simulate longer"
        )
    return best * batch
