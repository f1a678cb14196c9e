"""Ratios of means, with intervals that count the noise of both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopwright.statistics.moments import CONFIDENCE, Moments, ratio

RESAMPLES = 10_000


def exact(value: float) -> Moments:
    """A number without noise, such as a formula's."""
    return Moments(value, 0.0, 0)


def sum_of(samples: Sequence[Moments]) -> Moments:
    """The sum of as many runs of each, run by run; they are independent."""
    centre = math.fsum(sample.mean for sample in samples)
    sd = math.sqrt(math.fsum(sample.sd**2 for sample in samples))
    return Moments(centre, sd, min(sample.n for sample in samples))


@dataclass(frozen=True)
class Ratio:
    """A ratio and its 95 % interval."""

    value: float
    low: float
    high: float

    def within(self, tolerance: float) -> bool:
        """Whether the whole interval lies within 1 ± tolerance."""
        return 1 - tolerance <= self.low and self.high <= 1 + tolerance

    def apart_from_one(self) -> bool:
        """Whether the interval leaves 1 out."""
        return self.high < 1 or self.low > 1


def ratio_of_means(own: Moments, reference: Moments) -> Ratio:
    """The ratio of two independent means, with the noise of both, see `ratio`."""
    found = ratio(own, reference)
    if found is None:
        raise ValueError(f"a ratio needs positive means: {own}, {reference}")
    if found.ends is None:
        raise ValueError(f"a single run says nothing of its noise: {own}, {reference}")
    return Ratio(found.estimate, *found.ends)


@dataclass(frozen=True)
class Difference:
    """A difference of gains in percentage points and its 95 % interval."""

    value: float
    low: float
    high: float

    def within(self, tolerance: float) -> bool:
        """Whether the whole interval lies within 0 ± tolerance."""
        return -tolerance <= self.low and self.high <= tolerance


def difference_of_gains(own: Ratio, reference: Ratio) -> Difference:
    """How many percentage points lie between two independent ratios.

    The interval is made of the ratios' own (Zou and Donner, Construction of confidence limits about
    effect measures, Statistics in Medicine 27, 2008): each end takes the sides that lead there.
    """
    value = own.value - reference.value
    below = math.hypot(own.value - own.low, reference.high - reference.value)
    above = math.hypot(own.high - own.value, reference.value - reference.low)
    return Difference(100 * value, 100 * (value - below), 100 * (value + above))


def median_ratio(pairs: Sequence[tuple[Moments, Moments]]) -> Ratio:
    """The median over cases of each case's ratio of means.

    The interval is a bootstrap on two levels: the cases are drawn with replacement, since they
    stand for all that could have been taken; in each, the logarithm of the ratio is drawn anew with
    the delta method's variance (of the reference runs, only mean and deviation are known).
    """
    centres = [math.log(own.mean / other.mean) for own, other in pairs]
    variances = [own.relative_variance() + other.relative_variance() for own, other in pairs]
    spreads = np.sqrt(variances)
    stream = np.random.default_rng(1)
    drawn = stream.integers(len(pairs), size=(RESAMPLES, len(pairs)))
    normal = stream.normal(size=drawn.shape)
    logs = np.asarray(centres)[drawn] + spreads[drawn] * normal
    tail = (1 - CONFIDENCE) / 2
    low, high = np.exp(np.quantile(np.median(logs, axis=1), [tail, 1 - tail]))
    return Ratio(math.exp(float(np.median(centres))), float(low), float(high))
