"""Ratios of means, with intervals that count the noise of both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from hopwright.statistics.means import mean

CONFIDENCE = 0.95
RESAMPLES = 10_000


@dataclass(frozen=True)
class Sample:
    """Mean and standard deviation of `n` independent runs; `n` = 0: an exact number."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Sample":
        """The sample of at least two measured values."""
        centre = mean(values)
        squares = math.fsum((x - centre) ** 2 for x in values)
        return cls(centre, math.sqrt(squares / (len(values) - 1)), len(values))

    @classmethod
    def exact(cls, value: float) -> "Sample":
        """A number without noise, such as a formula's."""
        return cls(value, 0.0, 0)

    @classmethod
    def sum(cls, samples: Sequence["Sample"]) -> "Sample":
        """The sum of as many runs of each, run by run; they are independent."""
        centre = math.fsum(sample.mean for sample in samples)
        sd = math.sqrt(math.fsum(sample.sd**2 for sample in samples))
        return cls(centre, sd, min(sample.n for sample in samples))

    def relative_variance(self) -> float:
        """Variance of the mean over the squared mean."""
        return (self.sd / self.mean) ** 2 / self.n if self.n else 0.0


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


def ratio_of_means(own: Sample, reference: Sample) -> Ratio:
    """The ratio of two independent means.

    The interval is taken on the logarithm by the delta method: ln(a/b) has, to first order, the
    variance va/a² + vb/b², and Student's t with Welch and Satterthwaite's degrees of freedom gives
    its quantile. Both sides enter alike (exchanging them inverts the interval) and an exact side
    drops out. Fieller's interval differs only in terms of second order in the means' relative
    errors, here at most a few per cent.
    """
    if own.mean <= 0 or reference.mean <= 0:
        raise ValueError(f"a ratio needs positive means: {own}, {reference}")
    if own.n == 1 or reference.n == 1:
        raise ValueError(f"a single run says nothing of its noise: {own}, {reference}")
    value = own.mean / reference.mean
    parts = [(side.relative_variance(), side.n) for side in (own, reference) if side.n]
    variance = math.fsum(part for part, _ in parts)
    if variance == 0:
        return Ratio(value, value, value)
    freedom = variance**2 / math.fsum(part**2 / (n - 1) for part, n in parts)
    reach = _quantile(freedom) * math.sqrt(variance)
    return Ratio(value, value * math.exp(-reach), value * math.exp(reach))


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


def median_ratio(pairs: Sequence[tuple[Sample, Sample]]) -> Ratio:
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


def _quantile(degrees_of_freedom: float) -> float:
    """Student's t, cut to ten digits: results must not depend on a library's last bits."""
    return float(f"{float(stdtrit(degrees_of_freedom, 0.5 + CONFIDENCE / 2)):.9e}")
