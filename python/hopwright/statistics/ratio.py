"""The relative difference of two means, with Fieller's interval."""

import math

from hopwright.statistics.intervals import Ends


def fieller(
    difference: float,
    baseline: float,
    *,
    spread: tuple[float, float, float],
    t: float,
) -> Ends:
    """The ends of the interval of the difference over the size of the baseline's mean.

    For positive means that is the treatment's mean over the baseline's, minus one. With a negative
    baseline, too, what is above zero is higher than the baseline.

    It is the set of ratios that a t test does not reject. So it leaves out zero exactly if the
    interval of the difference does: the two can never tell different stories, as a bootstrap of the
    ratio could. It also needs no random numbers.

    Args:
        difference: The difference of the means, treatment minus baseline.
        baseline: The mean of the baseline.
        spread: The squared standard error of the difference, its covariance with the mean of the
            baseline, and the squared standard error of that mean.
        t: The quantile of Student's t that belongs to the confidence.

    Returns:
        Both ends; None twice where the baseline is not surely different from zero: then the ratio
        has no bounds.

    Source: Fieller, "Some problems in interval estimation", J. R. Stat. Soc. B 16 (1954).
    """
    of_difference, together, of_baseline = spread
    square = baseline**2 - t**2 * of_baseline
    if square <= 0:
        return None, None
    middle = difference * baseline - t**2 * together
    rest = difference**2 - t**2 * of_difference
    # Positive in exact numbers whenever `square` is.
    root = math.sqrt(max(middle**2 - square * rest, 0.0))
    found = difference / baseline  # inside, but for rounding
    low, high = min((middle - root) / square, found), max((middle + root) / square, found)
    return (low, high) if baseline > 0 else (-high, -low)
