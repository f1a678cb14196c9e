"""Student's t distribution.

SciPy has it too, but takes longer to load than most runs take: intervals are wanted at every end of
a program, and are worth these few lines.
"""

import math
from functools import lru_cache

MOST_STEPS = 10_000
"""Of either iteration; far more than any argument of use needs."""

PRECISION = 1e-15
LARGE = 100.0
"""Degrees of freedom from which on the series of `_density_at_zero` has 15 digits."""


def quantile(probability: float, degrees_of_freedom: float) -> float:
    """The value that t lies below with this probability, to 12 digits.

    Args:
        probability: Above 0 and below 1.
        degrees_of_freedom: Above 0; need not be whole.

    Raises `ValueError` for other arguments.
    """
    if not 0 < probability < 1 or not degrees_of_freedom > 0:
        raise ValueError(f"t: no quantile of {probability}, {degrees_of_freedom}")
    if probability < 0.5:
        return -_above(probability, degrees_of_freedom)
    return _above(1 - probability, degrees_of_freedom)


@lru_cache(maxsize=1024)
def _above(wanted: float, degrees_of_freedom: float) -> float:
    """The value that t exceeds with this probability, at most 1/2.

    The upper tail is convex in t, so Newton's steps from zero never go too far.
    """
    t = 0.0
    for _ in range(MOST_STEPS):
        step = (upper_tail(t, degrees_of_freedom) - wanted) / density(t, degrees_of_freedom)
        t += step
        if step <= 1e-13 * t:
            break
    return t


def upper_tail(t: float, degrees_of_freedom: float) -> float:
    """The probability of a value above `t`, which is at least 0.

    Half of the incomplete beta function I_x(v/2, 1/2) at x = v/(v + t²): NIST Digital Library of
    Mathematical Functions, 8.17(v), by its continued fraction on the side where that converges.
    """
    v = degrees_of_freedom
    x, rest = v / (v + t * t), t * t / (v + t * t)
    # x^a (1 - x)^b / B(a, b), common to both sides.
    power = math.exp(-v / 2 * math.log1p(t * t / v)) * math.sqrt(v * rest) * _density_at_zero(v)
    if x < (v / 2 + 1) / (v / 2 + 2.5):
        return power / v * _fraction(x, v / 2, 0.5)
    return 0.5 - power * _fraction(rest, 0.5, v / 2)


def density(t: float, degrees_of_freedom: float) -> float:
    """The density at `t`."""
    v = degrees_of_freedom
    return _density_at_zero(v) * math.exp(-(v + 1) / 2 * math.log1p(t * t / v))


def _density_at_zero(v: float) -> float:
    """Γ((v+1)/2) / (Γ(v/2) √(vπ)): the logarithms of large Γ would lose digits."""
    if v < LARGE:
        return math.exp(math.lgamma((v + 1) / 2) - math.lgamma(v / 2)) / math.sqrt(v * math.pi)
    u = 1 / v
    series = 1 + u * (-1 / 4 + u * (1 / 32 + u * (5 / 128 + u * (-21 / 2048 - u * 399 / 8192))))
    return series / math.sqrt(2 * math.pi)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of I_x(a, b), DLMF 8.17.22, by Lentz' method."""
    tiny = 1e-300
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1), tiny)
    found = d
    for m in range(1, MOST_STEPS):
        for coefficient in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _apart(1 + coefficient * d, tiny)
            c = _apart(1 + coefficient / c, tiny)
            found *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return found


def _apart(value: float, tiny: float) -> float:
    """The value, or next to nothing where it is nothing: it is divided by."""
    return value if abs(value) > tiny else tiny
