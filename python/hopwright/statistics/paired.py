"""Two variants compared run by run: the same seed, the same random numbers.

What both runs of a pair share (placement, movement, the noise of the medium) falls out of their
difference, so far fewer runs show the same thing (common random numbers: Law, "Simulation Modeling
and Analysis", 5th ed., section 11.2).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hopwright.statistics.intervals import (
    Ends,
    Interval,
    bootstrap_interval,
    check_confidence,
    t_interval,
)
from hopwright.statistics.means import mean, t_quantile, ten_digits, variance
from hopwright.statistics.ratio import fieller
from hopwright.statistics.sample import ROUNDING, Numbers, is_constant, largest, sample


class Wilcoxon(NamedTuple):
    """Wilcoxon's signed-rank test."""

    p: float
    """Two-sided."""
    exact: bool
    """Whether from the distribution itself, not the normal approximation to it."""
    n: int
    """Pairs that differ: equal ones say nothing about a direction and are left out."""

    @property
    def least_p(self) -> float:
        """What p is if all these pairs point the same way: no data of this size gives less."""
        return 2.0 ** (1 - self.n)


@dataclass(frozen=True, kw_only=True)
class Paired:
    """A paired comparison: treatment minus baseline."""

    n: int
    """Pairs."""
    difference: Interval
    """Mean of the differences, by Student's t."""
    sd: float | None
    """Standard deviation of the differences; None for one pair."""
    bootstrap: Interval
    """The same by the bootstrap, which assumes no distribution."""
    relative: Interval | None
    """Difference over the size of the baseline's mean, see `relative_difference`."""
    p: float | None
    """Of the paired t test, two-sided; None where all differences are the same."""
    wilcoxon: Wilcoxon | None
    """None where all differences are the same."""
    above: int
    """Pairs in which the treatment's value is the larger."""
    equal: int
    below: int
    constant: bool
    """Whether all differences are the same: then there is no scatter to test against."""


def paired(treatment: Numbers, baseline: Numbers, confidence: float = 0.95) -> Paired:
    """Compares two samples whose values at the same position belong together.

    Raises `ValueError` if they are empty, of different length, or hold what is no finite number.
    """
    treatment, baseline = sample(treatment), sample(baseline)
    check_confidence(confidence)
    if len(treatment) != len(baseline) or not treatment:
        raise ValueError(f"{len(treatment)} and {len(baseline)} values make no pairs")
    differences = [a - b for a, b in zip(treatment, baseline, strict=True)]
    n = len(differences)
    scale = largest(treatment, baseline)
    constant = is_constant(differences, scale)
    if constant:
        # Without what rounding left over: no test must be made of it.
        differences = [differences[0]] * n
    spread = variance(differences)
    return Paired(
        n=n,
        difference=t_interval(differences, confidence),
        sd=None if spread is None else math.sqrt(spread),
        bootstrap=bootstrap_interval(differences, confidence),
        relative=relative_difference(differences, baseline, confidence),
        p=None if constant else paired_t_test(treatment, baseline),
        wilcoxon=None if constant else signed_rank_test(treatment, baseline),
        above=sum(d > ROUNDING * scale for d in differences),
        equal=sum(abs(d) <= ROUNDING * scale for d in differences),
        below=sum(d < -ROUNDING * scale for d in differences),
        constant=constant,
    )


def paired_t_test(treatment: Numbers, baseline: Numbers) -> float:
    """The two-sided p-value of the paired t test (Student 1908).

    The differences must not be all the same, and at least two.
    """
    from scipy import stats

    return ten_digits(float(stats.ttest_rel(sample(treatment), sample(baseline)).pvalue))


def signed_rank_test(treatment: Numbers, baseline: Numbers) -> Wilcoxon | None:
    """Wilcoxon's signed-rank test of the differences, two-sided; None if all are zero.

    Zeros are left out, as Wilcoxon (1945) did; equal sizes share their mean rank. Exact for up to
    50 pairs that differ in size, or up to 13 with equal sizes among them; beyond, the normal
    approximation with continuity correction, whose error is small by then.
    """
    from scipy import stats

    treatment, baseline = sample(treatment), sample(baseline)
    # In steps of what rounding leaves, so that equal differences of unequal numbers are equal.
    step = ROUNDING * largest(treatment, baseline) or 1.0
    differences = [round((a - b) / step) for a, b in zip(treatment, baseline, strict=True)]
    unequal = [float(d) for d in differences if d]
    n = len(unequal)
    if n == 0:
        return None
    tied = len({abs(d) for d in unequal}) < n
    found = stats.wilcoxon(np.asarray(unequal), correction=True, method="auto", axis=0)
    # What "auto" means: all sign patterns are gone through, at most 2**13, or the distribution is
    # known, or the approximation must do.
    return Wilcoxon(ten_digits(float(found.pvalue)), n <= (13 if tied else 50), n)


def relative_difference(
    differences: Sequence[float], baseline: Sequence[float], confidence: float
) -> Interval | None:
    """The mean difference over the size of the baseline's mean; None if that is zero.

    The interval is Fieller's. It has no ends where the baseline is not surely different from zero,
    or for one pair.
    """
    n = len(differences)
    difference, centre = mean(differences), mean(baseline)
    if not centre:
        return None
    of_difference, of_baseline = variance(differences), variance(baseline)
    ends: Ends = (None, None)
    if of_difference is not None and of_baseline is not None:
        together = math.fsum(
            (d - difference) * (b - centre) for d, b in zip(differences, baseline, strict=True)
        ) / (n - 1)
        spread = (of_difference / n, together / n, of_baseline / n)
        t = t_quantile(0.5 + confidence / 2, n - 1)
        ends = fieller(difference, centre, spread=spread, t=t) if any(differences) else (0.0, 0.0)
    low, high = ends
    return Interval(difference / abs(centre), low, high, n, confidence, "Fieller")
