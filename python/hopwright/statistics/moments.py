"""Mean and standard deviation of independent runs: all that is printed of runs made elsewhere."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import mean, t_quantile, variance

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation of `n` independent runs; `n` = 0: an exact number."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Moments":
        """Of measured values; a single one has no deviation to tell of."""
        spread = variance(values)
        return cls(mean(values), math.nan if spread is None else math.sqrt(spread), len(values))

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Of the mean (Student's t)."""
        return self._reaching(math.sqrt(1 / self.n), confidence)

    def one_run(self) -> Interval:
        """Where another single run falls with probability 95 %, runs being normal."""
        return self._reaching(math.sqrt(1 + 1 / self.n), CONFIDENCE)

    def _reaching(self, factor: float, confidence: float) -> Interval:
        reach = None
        if self.n > 1:
            reach = t_quantile(0.5 + confidence / 2, self.n - 1) * self.sd * factor
        return Interval.around(self.mean, reach, self.n, confidence, "Student's t")

    def relative_variance(self) -> float:
        """Variance of the mean over the squared mean."""
        return (self.sd / self.mean) ** 2 / self.n if self.n else 0.0


def welch_reach(parts: Sequence[tuple[float, int]]) -> float:
    """Half of the 95 % interval of a sum of independent means: variance and runs of each."""
    variance = math.fsum(part for part, _ in parts)
    if variance == 0:
        return 0.0
    freedom = variance**2 / math.fsum(part**2 / (n - 1) for part, n in parts)
    return t_quantile(0.5 + CONFIDENCE / 2, freedom) * math.sqrt(variance)


def ratio(own: Moments, other: Moments) -> Interval | None:
    """Ratio of two independent positive means; None where one is not positive.

    The interval is on the logarithm, by the delta method: ln(a/b) has, to first order, the variance
    va/a² + vb/b²; Student's t has Welch and Satterthwaite's degrees of freedom. Both sides enter
    alike (exchanging them inverts the interval), and an exact side drops out. Fieller's interval
    differs only in terms of second order in the means' relative errors.
    """
    if own.mean <= 0 or other.mean <= 0:
        return None
    value, n = own.mean / other.mean, own.n + other.n
    if own.n == 1 or other.n == 1:
        return Interval(value, None, None, n, CONFIDENCE, "delta method")
    reach = welch_reach([(side.relative_variance(), side.n) for side in (own, other) if side.n])
    low, high = value * math.exp(-reach), value * math.exp(reach)
    return Interval(value, low, high, n, CONFIDENCE, "delta method")
