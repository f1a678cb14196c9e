"""Screening designs: few readings that tell what each choice does; and what they tell.

Two-level designs of Hadamard matrices, as Plackett and Burman found them ("The design of optimum
multifactorial experiments", Biometrika 33, 1946), folded over (Box and Wilson 1951): with all signs
changed as well, no main effect is mixed up with an interaction of two factors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopwright.research.papers.hunting.gaps import Reading
from hopwright.statistics.intervals import Interval
from hopwright.statistics.moments import CONFIDENCE

Signs = NDArray[np.int64]
"""Rows of -1 and +1."""


def hadamard(order: int) -> Signs | None:
    """A Hadamard matrix with a constant row of one sign; None where this knows none.

    Powers of two are Sylvester's, from SciPy; p + 1 is Paley's first construction, the cyclic rows
    of Plackett and Burman, for primes p that are 3 more than a multiple of 4.
    """
    if order >= 2 and order & (order - 1) == 0:
        from scipy.linalg import hadamard as sylvester

        return np.array(sylvester(order), dtype=np.int64)
    p = order - 1
    if p % 4 != 3 or any(p % divisor == 0 for divisor in range(3, int(p**0.5) + 1, 2)):
        return None
    squares = {i * i % p for i in range(p)}
    first = np.array([1 if i in squares else -1 for i in range(p)], dtype=np.int64)
    cyclic = [np.roll(first, -shift) for shift in range(p)]
    rows = np.vstack([*cyclic, -np.ones(p, dtype=np.int64)])
    return np.hstack([rows, -np.ones((order, 1), dtype=np.int64)])


def folded(factors: int) -> Iterator[Signs]:
    """Designs of resolution IV for so many factors, the smallest first: twice a matrix's rows."""
    order = 4
    while True:
        matrix = hadamard(order) if order >= factors else None
        if matrix is not None:
            columns = matrix[:, :factors]
            yield np.vstack([columns, -columns])
        order += 4


def screening(counts: Sequence[int]) -> list[Reading]:
    """The readings of a design over gaps with so many choices each.

    A gap of more than two choices has columns enough to number them (Addelman 1962); what numbers
    are left over are the first choice's. The design is as large as it takes to tell all apart.
    """
    widths = [(count - 1).bit_length() for count in counts]
    for signs in folded(sum(widths)):
        bits = (signs > 0).astype(int)
        rows = [_reading(row.tolist(), counts, widths) for row in bits]
        dummies = _dummies(rows, counts)
        if np.linalg.matrix_rank(dummies) == dummies.shape[1]:
            return rows
    raise AssertionError("designs grow without end")


def _reading(bits: Sequence[int], counts: Sequence[int], widths: Sequence[int]) -> Reading:
    numbers = []
    begin = 0
    for count, width in zip(counts, widths, strict=True):
        number = int("".join(map(str, bits[begin : begin + width])), 2)
        numbers.append(number if number < count else 0)
        begin += width
    return tuple(numbers)


def _dummies(readings: Sequence[Reading], counts: Sequence[int]) -> NDArray[np.float64]:
    """The model of main effects: a constant, and each choice but the first, there or not."""
    columns = [np.ones(len(readings))]
    columns += [
        np.array([reading[gap] == choice for reading in readings], dtype=float)
        for gap, count in enumerate(counts)
        for choice in range(1, count)
    ]
    return np.column_stack(columns)


@dataclass(frozen=True)
class Effects:
    """What each choice adds to a number, beside the first choice of its gap."""

    base: float
    """What the model has for the file's own reading."""
    added: Mapping[tuple[int, int], Interval]
    """By gap and choice, from 0 and 1; the interval is of the residuals, interactions included."""

    def promised(self, reading: Reading) -> float:
        """What the model has for a reading."""
        return self.base + sum(
            self.added[gap, choice].estimate for gap, choice in enumerate(reading) if choice
        )


def effects(
    readings: Sequence[Reading], values: Sequence[float], counts: Sequence[int]
) -> Effects | None:
    """Main effects by least squares; None where too few readings have a number."""
    from statsmodels.regression.linear_model import OLS

    known = [place for place, value in enumerate(values) if np.isfinite(value)]
    dummies = _dummies([readings[place] for place in known], counts)
    if np.linalg.matrix_rank(dummies) < dummies.shape[1]:
        return None
    fit = OLS(np.array([values[place] for place in known]), dummies).fit()
    names = [(gap, choice) for gap, count in enumerate(counts) for choice in range(1, count)]
    ends = fit.conf_int(1 - CONFIDENCE) if fit.df_resid > 0 else [(None, None)] * (len(names) + 1)
    added = {}
    for place, name in enumerate(names, 1):
        low, high = (None if end is None else float(end) for end in ends[place])
        added[name] = Interval(
            float(fit.params[place]), low, high, len(known), CONFIDENCE, "least squares"
        )
    return Effects(float(fit.params[0]), added)
