"""Two variants compared as independent samples: runs that share no random numbers."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopwright.statistics.intervals import Interval, bootstrap, check_confidence
from hopwright.statistics.means import mean, t_quantile, ten_digits, variance
from hopwright.statistics.ratio import fieller
from hopwright.statistics.sample import Numbers, is_constant, sample


@dataclass(frozen=True, kw_only=True)
class Welch:
    """A comparison of two independent samples: treatment minus baseline."""

    difference: Interval
    """Of the means, by Welch's t; without ends where a sample has a single value."""
    bootstrap: Interval
    """The same by the bootstrap, which assumes no distribution."""
    relative: Interval | None
    """Difference over the size of the baseline's mean, None if that is zero; by Fieller, without
    ends where the baseline is not surely different from zero."""
    p: float | None
    """Of Welch's t test, two-sided; None where neither sample varies, or one has a single value."""
    degrees_of_freedom: float | None
    constant: bool
    """Whether neither sample varies: then there is no scatter to test against."""


def welch(treatment: Numbers, baseline: Numbers, confidence: float = 0.95) -> Welch:
    """Compares two samples whose variances may differ.

    Raises `ValueError` if one is empty or holds what is no finite number.

    Source: Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34 (1947).
    """
    from scipy.special import stdtr

    treatment, baseline = _steady(sample(treatment)), _steady(sample(baseline))
    check_confidence(confidence)
    difference, centre = mean(treatment) - mean(baseline), mean(baseline)
    of_treatment, of_baseline = variance(treatment), variance(baseline)
    constant = is_constant(treatment) and is_constant(baseline)
    n = len(treatment) + len(baseline)
    if of_treatment is None or of_baseline is None or constant:
        reach = None if of_treatment is None or of_baseline is None else 0.0
        return Welch(
            difference=Interval.around(difference, reach, n, confidence, "Welch's t"),
            bootstrap=Interval.around(difference, reach, n, confidence, "bootstrap"),
            relative=Interval.around(difference / abs(centre), reach, n, confidence, "Fieller")
            if centre
            else None,
            p=None,
            degrees_of_freedom=None,
            constant=constant,
        )
    errors = (of_treatment / len(treatment), of_baseline / len(baseline))
    # Welch-Satterthwaite.
    freedom = sum(errors) ** 2 / (
        errors[0] ** 2 / (len(treatment) - 1) + errors[1] ** 2 / (len(baseline) - 1)
    )
    t = t_quantile(0.5 + confidence / 2, freedom)
    half = t * math.sqrt(sum(errors))
    # The difference holds the baseline with a minus: that is their covariance. The degrees of
    # freedom of the ratio 1 serve for all ratios, so that zero is in both intervals or in none.
    spread = (sum(errors), -errors[1], errors[1])
    low, high = bootstrap((treatment, baseline), _difference_of_means, confidence)
    least, most = fieller(difference, centre, spread=spread, t=t)
    return Welch(
        difference=Interval.around(difference, half, n, confidence, "Welch's t"),
        bootstrap=Interval(difference, low, high, n, confidence, "bootstrap"),
        relative=Interval(difference / abs(centre), least, most, n, confidence, "Fieller")
        if centre
        else None,
        p=ten_digits(2 * float(stdtr(freedom, -abs(difference) / math.sqrt(sum(errors))))),
        degrees_of_freedom=freedom,
        constant=False,
    )


def _steady(values: list[float]) -> list[float]:
    """The values, without what rounding left over where they are all the same."""
    if not values:
        raise ValueError("a sample without values cannot be compared")
    return [values[0]] * len(values) if is_constant(values) else values


def _difference_of_means(
    a: NDArray[np.float64], b: NDArray[np.float64], axis: int
) -> NDArray[np.float64]:
    return np.asarray(a.mean(axis=axis) - b.mean(axis=axis))
