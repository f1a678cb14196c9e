"""Student's t for whole degrees of freedom, in closed form.

A library has it too, but loading that takes longer than a hundred short simulations.
"""

import math
from functools import lru_cache

MOST_DEGREES = 1000
"""Beyond this the sums grow long; a library is the better way then."""

HALVINGS = 60
"""Halvings of an angle of 90 degrees, to the last bit of a double."""


def central(t: float, degrees_of_freedom: int) -> float:
    """The probability of a value between -t and t.

    Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
    """
    n = degrees_of_freedom
    angle = math.atan2(t, math.sqrt(n))
    sine, cosine = math.sin(angle), math.cos(angle)
    is_odd = n % 2 == 1
    term = cosine if is_odd else 1.0
    total = 0.0 if n == 1 else term
    for k in range(3 if is_odd else 2, n - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return (angle + sine * total) * 2 / math.pi if is_odd else sine * total


@lru_cache(maxsize=1024)
def quantile(probability: float, degrees_of_freedom: int) -> float:
    """The value that is not exceeded with a probability of 0.5 or more, less than 1.

    Good to at least eleven digits up to `MOST_DEGREES` degrees of freedom.
    """
    root = math.sqrt(degrees_of_freedom)
    low, high = 0.0, math.pi / 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if central(math.tan(middle) * root, degrees_of_freedom) < 2 * probability - 1:
            low = middle
        else:
            high = middle
    return math.tan((low + high) / 2) * root
