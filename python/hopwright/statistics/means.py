"""Means and confidence intervals over runs."""

import math
from collections.abc import Callable, Sequence

from hopwright._io.data import Json, Object, is_number
from hopwright.statistics.student_t import quantile

IDENTITIES = frozenset({"seed", "from", "to"})
"""Numbers that name something: their mean means nothing."""

TALLIES = frozenset({"causes", "diagnoses", "drops", "losses"})
"""Tables of counts that leave out what did not occur: there, absent means none."""


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, rounded once."""
    return math.fsum(values) / len(values)


def half_width(values: Sequence[float], confidence: float = 0.95) -> float | None:
    """Half the width of the mean's confidence interval (Student's t); None for a single value."""
    spread = variance(values)
    if spread is None:
        return None
    n = len(values)
    return t_quantile(0.5 + confidence / 2, n - 1) * math.sqrt(spread / n)


def variance(values: Sequence[float]) -> float | None:
    """The variance of the population that a sample is from (divisor n - 1); None below two."""
    n = len(values)
    if n < 2:
        return None
    centre = mean(values)
    return math.fsum((x - centre) ** 2 for x in values) / (n - 1)


def t_quantile(probability: float, degrees_of_freedom: float) -> float:
    """The quantile of Student's t."""
    return ten_digits(quantile(probability, degrees_of_freedom))


def ten_digits(x: float) -> float:
    """A number cut to ten digits: results must not depend on a library's last bits."""
    return float(f"{x:.9e}")


def means(results: Sequence[Json]) -> Json:
    """Results of one shape folded into one of the same shape: every number's mean."""
    return fold(results, mean)


def half_widths(results: Sequence[Json]) -> Json:
    """Results of one shape folded into one of the same shape: every number's 95 % half width."""
    return fold(results, half_width)


def fold(values: Sequence[Json], reduce: Callable[[Sequence[float]], float | None]) -> Json:
    """Applies `reduce` to each number of values that share a shape.

    Texts and identities are left out. A number missing from some values is reduced over the others.
    """
    numbers = [v for v in values if is_number(v)]
    if numbers:
        return reduce(numbers)
    objects = [v for v in values if isinstance(v, dict)]
    if objects:
        return _fold_objects(objects, reduce)
    lists = [v for v in values if isinstance(v, list)]
    length = max((len(v) for v in lists), default=None)
    if length is None:
        return None
    return [fold([v[i] for v in lists if i < len(v)], reduce) for i in range(length)]


def _fold_objects(
    objects: Sequence[Object], reduce: Callable[[Sequence[float]], float | None]
) -> Object:
    folded: Object = {}
    for key in dict.fromkeys(key for o in objects for key in o):
        values = [o[key] for o in objects if key in o]
        if key in IDENTITIES or any(isinstance(v, (str, bool)) for v in values):
            continue
        if key in TALLIES:
            values = _filled(values)
        folded[key] = fold(values, reduce)
    return folded


def _filled(tallies: Sequence[Json]) -> list[Json]:
    """Tables of counts, each with every cause that one of them has."""
    tables = [tally for tally in tallies if isinstance(tally, dict)]
    causes = sorted({cause for table in tables for cause in table})
    return [{cause: table.get(cause, 0) for cause in causes} for table in tables]
