"""By how much one mean of runs is above another: what claims of papers compare."""

from collections.abc import Sequence

from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import half_width, mean
from hopwright.statistics.moments import CONFIDENCE, Moments, ratio, welch_reach


def difference(
    high: Sequence[float], low: Sequence[float], confidence: float = CONFIDENCE
) -> Interval:
    """Mean of `high` minus `low`, run by run: both hold the same seeds in the same order."""
    differences = [a - b for a, b in zip(high, low, strict=True)]
    # Not `t_interval`: a run may have no number, and then there is none of the mean.
    reach = half_width(differences, confidence)
    return Interval.around(mean(differences), reach, len(differences), confidence, "Student's t")


def gain(
    high: Sequence[float], low: Sequence[float], confidence: float = CONFIDENCE
) -> Interval | None:
    """By how many percent the mean of `high` is above that of `low`, which must be positive.

    None where it is not; but nothing is 0 % above nothing, so that two zeros are alike. Both hold
    the same seeds in the same order. The interval is that of a ratio of means of pairs: r has the
    variance of the residuals a - r b, divided by the square of the mean of b (Cochran, Sampling
    Techniques, 1977, section 2.11); Student's t.
    """
    base = mean(low)
    if not any((*high, *low)):
        return Interval.around(
            0.0, half_width(low, confidence), len(low), confidence, "delta method"
        )
    if base <= 0:
        return None
    quotient = mean(high) / base
    residuals = [a - quotient * b for a, b in zip(high, low, strict=True)]
    reach = half_width(residuals, confidence)
    reach = None if reach is None else 100 * reach / base
    value = 100 * (quotient - 1)
    return Interval.around(value, reach, len(residuals), confidence, "delta method")


def gain_of_samples(high: Moments, low: Moments, *, is_difference: bool) -> Interval | None:
    """By how many percent one mean is above another, or by how much; runs are not pairs.

    None in percent where a mean is not positive. The interval of a difference is Welch's.
    """
    if not is_difference:
        found = ratio(high, low)
        return found and found.map(lambda quotient: 100 * (quotient - 1))
    reach = welch_reach([(side.sd**2 / side.n, side.n) for side in (high, low)])
    value = high.mean - low.mean
    return Interval.around(value, reach, high.n + low.n, CONFIDENCE, "Welch's t")
