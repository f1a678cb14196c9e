"""Means of runs, and how two of them compare."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hopwright.statistics.means import half_width, mean, t_quantile, variance

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A number and its interval, 95 % unless said otherwise; one run alone has no ends."""

    value: float
    low: float | None
    high: float | None

    def leaves_out(self, number: float) -> bool:
        """Whether the interval does not hold `number`; false without an interval."""
        return (
            self.low is not None and self.high is not None and not self.low <= number <= self.high
        )


@dataclass(frozen=True)
class Sample:
    """Mean and standard deviation of `n` independent runs."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Sample":
        """The sample of measured values; a single one has no deviation to tell of."""
        spread = variance(values)
        return cls(mean(values), math.nan if spread is None else math.sqrt(spread), len(values))

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Of the mean (Student's t)."""
        return self._reaching(math.sqrt(1 / self.n), confidence)

    def one_run(self) -> Interval:
        """Where another single run falls with probability 95 %, runs being normal."""
        return self._reaching(math.sqrt(1 + 1 / self.n), CONFIDENCE)

    def _reaching(self, factor: float, confidence: float) -> Interval:
        if self.n < 2:
            return Interval(self.mean, None, None)
        reach = t_quantile(0.5 + confidence / 2, self.n - 1) * self.sd * factor
        return Interval(self.mean, self.mean - reach, self.mean + reach)


def difference(
    high: Sequence[float], low: Sequence[float], confidence: float = CONFIDENCE
) -> Interval:
    """Mean of `high` minus `low`, run by run: both hold the same seeds in the same order."""
    differences = [a - b for a, b in zip(high, low, strict=True)]
    centre = mean(differences)
    reach = half_width(differences, confidence)
    if reach is None:
        return Interval(centre, None, None)
    return Interval(centre, centre - reach, centre + reach)


def gain(
    high: Sequence[float], low: Sequence[float], confidence: float = CONFIDENCE
) -> Interval | None:
    """By how many percent the mean of `high` is above that of `low`, which must be positive.

    None where it is not. Both hold the same seeds in the same order. The interval is that of a
    ratio of means of pairs: r has the variance of the residuals a - r b, divided by the square of
    the mean of b (Cochran, Sampling Techniques, 1977, section 2.11); Student's t.
    """
    base = mean(low)
    if base <= 0:
        return None
    quotient = mean(high) / base
    residuals = [a - quotient * b for a, b in zip(high, low, strict=True)]
    value = 100 * (quotient - 1)
    reach = half_width(residuals, confidence)
    if reach is None:
        return Interval(value, None, None)
    return Interval(value, value - 100 * reach / base, value + 100 * reach / base)


def gain_of_samples(high: Sample, low: Sample, *, is_difference: bool) -> Interval | None:
    """By how many percent one mean is above another, or by how much; runs are not pairs.

    None in percent where a mean is not positive. The interval of a difference is Welch's.
    """
    if not is_difference:
        found = ratio(high, low)
        if found is None:
            return None
        ends = [None if end is None else 100 * (end - 1) for end in (found.low, found.high)]
        return Interval(100 * (found.value - 1), *ends)
    value = high.mean - low.mean
    reach = _welch([(side.sd**2 / side.n, side.n) for side in (high, low)])
    return Interval(value, value - reach, value + reach)


def _welch(parts: Sequence[tuple[float, int]]) -> float:
    """Half of the 95 % interval of a sum of independent means: variance and runs of each."""
    variance = math.fsum(part for part, _ in parts)
    if variance == 0:
        return 0.0
    freedom = variance**2 / math.fsum(part**2 / (n - 1) for part, n in parts)
    return t_quantile(0.5 + CONFIDENCE / 2, freedom) * math.sqrt(variance)


def ratio(own: Sample, other: Sample) -> Interval | None:
    """Ratio of two independent positive means; None where one is not positive.

    The interval is on the logarithm, by the delta method: ln(a/b) has, to first order, the variance
    va/a² + vb/b²; Student's t has Welch and Satterthwaite's degrees of freedom.
    """
    if own.mean <= 0 or other.mean <= 0:
        return None
    value = own.mean / other.mean
    if own.n < 2 or other.n < 2:
        return Interval(value, None, None)
    parts = [((side.sd / side.mean) ** 2 / side.n, side.n) for side in (own, other)]
    reach = _welch(parts)
    return Interval(value, value * math.exp(-reach), value * math.exp(reach))
