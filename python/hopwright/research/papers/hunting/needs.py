"""What a claim needs: the numbers that its rule looks at, where each has to lie, where it lies."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.verdicts import PRINTED_TOLERANCE, compare, is_as_printed
from hopwright.statistics.intervals import Interval
from hopwright.statistics.moments import CONFIDENCE, Moments

if TYPE_CHECKING:
    from hopwright.research.papers.measures import Kind

Values = Mapping[str, Sequence[float]]
"""Of cells, by id: ours of every run."""


@dataclass(frozen=True)
class Need:
    """A number that a claim's rule looks at, and the range that it has to lie in."""

    of: str
    """What it is, as the claim states it."""
    least: float
    most: float
    own: Interval | None
    """Ours; None where there is no such number, as of a gain over nothing."""
    is_met: bool
    """Whether ours lies there, sure or not."""

    @property
    def value(self) -> float:
        """Ours; not a number where there is none."""
        return math.nan if self.own is None else self.own.estimate

    def short(self, value: float) -> float:
        """How far off the range a value is, in its own unit."""
        return shortfall(value, self.least, self.most)


def shortfall(value: float, least: float, most: float) -> float:
    """How far off a range a value is; infinitely, if it is none."""
    return math.inf if math.isnan(value) else max(least - value, value - most, 0.0)


def needs(
    claim: Claim, document: Document, values: Values, confidence: float = CONFIDENCE
) -> list[Need]:
    """All numbers that the claim's rule looks at, in an order of their own that stays the same."""
    compared = compare(claim, values, confidence)
    found = []
    for cell in claim.printed:
        kind: Kind = document.measures[document.cells[cell].measure].kind
        number = document.cells[cell].printed
        if number is None:
            continue
        own = Moments.of(values[cell])
        reach = (claim.tolerance or PRINTED_TOLERANCE[kind]) * abs(number)
        is_met = is_as_printed(own, number, kind, claim.tolerance)
        found.append(Need(cell, number - reach, number + reach, own.interval(confidence), is_met))
    for gained in compared.gained:
        gain = gained.gain
        of = str(gain).removesuffix(f": {gain.stated}") + ("" if gain.is_difference else ", %")
        found.append(Need(of, gain.least, gain.most, gained.own, gained.is_within))
    for pair in compared.pairs:
        # Of a claim about numbers, orders only must not surely be the other way.
        is_met = not pair.is_contradicted if claim.rule == "numbers" else pair.holds
        of = f"{pair.order.high} - {pair.order.low}"
        own_pair = None if math.isnan(pair.difference.estimate) else pair.difference
        found.append(Need(of, 0.0, math.inf, own_pair, is_met))
    for counted in compared.counted:
        share = Interval(100 * counted.share, None, None, counted.runs)
        of = f"{counted.stated}, % of runs"
        found.append(Need(of, 100 * counted.least, 100.0, share, counted.is_met))
    return found


def scales(columns: Sequence[Sequence[float]]) -> list[float]:
    """What a step off each range counts as one: the deviation of the numbers over readings.

    So that percent, seconds and counts may be added up.
    """
    found = []
    for column in columns:
        known = [value for value in column if math.isfinite(value)]
        spread = Moments.of(known).sd if len(known) > 1 else 0.0
        found.append(spread if spread > 0 else 1.0)
    return found
