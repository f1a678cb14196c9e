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

    difference: float
    """Of the means."""
    interval: Interval | None
    """Of the difference, by Welch's t; None where a sample has a single value."""
    bootstrap: Interval | None
    """The same by the bootstrap, which assumes no distribution."""
    relative: float | None
    """Difference over the size of the baseline's mean; None if that is zero."""
    relative_interval: Interval | None
    """Fieller's; None where the baseline is not surely different from zero."""
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
    relative = difference / abs(centre) if centre else None
    if of_treatment is None or of_baseline is None or constant:
        alone = of_treatment is None or of_baseline is None
        return Welch(
            difference=difference,
            interval=None if alone else Interval(difference, difference),
            bootstrap=None if alone else Interval(difference, difference),
            relative=relative,
            relative_interval=None if alone or relative is None else Interval(relative, relative),
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
    return Welch(
        difference=difference,
        interval=Interval(difference - half, difference + half),
        bootstrap=bootstrap((treatment, baseline), _difference_of_means, confidence),
        relative=relative,
        relative_interval=fieller(difference, centre, spread=spread, t=t),
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
