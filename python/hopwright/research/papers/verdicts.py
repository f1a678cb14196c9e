"""The rules of `hopwright.research.papers.RULES`, as code. They know numbers, not papers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hopwright.research.papers.claims import Claim, Compound, Gain, Order, Side, cells_of
from hopwright.research.papers.gains import difference, gain
from hopwright.research.papers.measures import Kind
from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import mean
from hopwright.statistics.moments import CONFIDENCE, Moments, ratio

Found = Literal["reproduced", "same direction", "not reproduced", "open"]
"""What a set of runs says of a claim; `open`: their intervals neither show nor exclude it."""

PRINTED_TOLERANCE: Mapping[Kind, float] = {"amount": 0.12, "count": 0.15}
REFERENCE_TOLERANCE: Mapping[Kind, float] = {"amount": 0.05, "count": 0.10}
SMALL_COUNT = 150.0
"""Below, the noise of counting, about the root of the count, is more than half of the tolerance."""


def is_small(number: float, kind: Kind) -> bool:
    """Whether the noise of measured runs counts beside the tolerance."""
    return kind == "count" and abs(number) <= SMALL_COUNT


def is_as(own: float, number: float, tolerance: float) -> bool:
    """Whether ours is within the tolerance; its edge belongs to it."""
    return abs(own - number) <= tolerance * abs(number) * (1 + 1e-12)


def is_within(own: Moments, number: float, kind: Kind, tolerance: float | None = None) -> bool:
    """Whether our mean is within the tolerance of the paper's number."""
    return is_as(own.mean, number, tolerance or PRINTED_TOLERANCE[kind])


def is_as_printed(own: Moments, number: float, kind: Kind, tolerance: float | None = None) -> bool:
    """Whether ours is as the paper's number; the usual tolerance where none is given."""
    if is_within(own, number, kind, tolerance):
        return True
    one = own.one_run()
    return is_small(number, kind) and one.low is not None and not one.leaves_out(number)


@dataclass(frozen=True)
class Agreement:
    """Ours against ns-2's."""

    ratio: Interval | None
    is_as: bool


def against_reference(own: Moments, reference: Moments, kind: Kind) -> Agreement:
    """Whether ours is as ns-2's, and the ratio with its interval."""
    tolerance = REFERENCE_TOLERANCE[kind]
    found = ratio(own, reference)
    if is_as(own.mean, reference.mean, tolerance):
        return Agreement(found, is_as=True)
    if found is None or found.ends is None:
        return Agreement(found, is_as=False)
    low, high = found.ends
    overlaps = low <= 1 + tolerance and high >= 1 - tolerance
    return Agreement(found, is_as=overlaps and is_small(reference.mean, kind))


@dataclass(frozen=True)
class Pair:
    """A stated order of two values."""

    order: Order
    difference: Interval
    """The one that is to be the higher, minus the other."""

    @property
    def holds(self) -> bool:
        """Whether the means differ in the stated direction."""
        return self.difference.estimate > 0

    @property
    def is_contradicted(self) -> bool:
        """Whether they differ the other way or not at all, and the interval leaves zero out."""
        if self.difference.low == self.difference.estimate == self.difference.high == 0:
            return True
        return self.difference.estimate < 0 and self.difference.leaves_out(0)

    @property
    def is_sure(self) -> bool:
        """Whether they do, and the interval leaves zero out."""
        return self.holds and self.difference.leaves_out(0)

    @property
    def word(self) -> str:
        """What the runs show of it."""
        if self.is_sure:
            return "sure"
        if self.is_contradicted:
            return (
                "sure, in the other direction" if self.difference.estimate < 0 else "no difference"
            )
        if math.isnan(self.difference.estimate):
            return "not comparable"
        if self.difference.estimate < 0:
            return "not sure, means in the other direction"
        return "not sure" if self.holds else "not sure, means equal"


ROUNDING = 1e-9
"""Percentage points that computing may be off by, so that ends of ranges belong to them."""


@dataclass(frozen=True)
class Gained:
    """A stated gain and ours."""

    gain: Gain
    own: Interval | None
    """In percent, or a difference; None where what it is a gain over is not positive, unless both
    are zero."""

    @property
    def is_within(self) -> bool:
        """Whether ours lies in the stated range, whose ends belong to it."""
        if self.own is None:
            return False
        return self.gain.least - ROUNDING <= self.own.estimate <= self.gain.most + ROUNDING

    @property
    def has_direction(self) -> bool:
        """Whether ours surely has the range's sign; in a range that holds zero, lies in it."""
        if self.own is None or self.own.ends is None:
            return False
        low, high = self.own.ends
        if self.gain.least > 0:
            return low > 0
        if self.gain.most < 0:
            return high < 0
        return self.gain.least - ROUNDING <= low and high <= self.gain.most + ROUNDING

    @property
    def is_contradicted(self) -> bool:
        """Whether ours surely is outside of the range and does not surely have its sign."""
        if self.own is None:
            return True
        if self.own.ends is None or self.has_direction:
            return False
        low, high = self.own.ends
        return high < self.gain.least or low > self.gain.most


SOME = 0.1
"""What happens in fewer runs than one in ten does not happen in some, but rarely."""


@dataclass(frozen=True)
class Counted:
    """In how many runs a stated order or gain of two values holds."""

    stated: Order | Gain
    count: int
    runs: int
    least: float
    """In what share of the runs it is to hold."""

    @property
    def share(self) -> float:
        """The share of the runs in which it holds."""
        return self.count / self.runs

    @property
    def is_met(self) -> bool:
        """Whether it holds in as many as it is to."""
        return self.share >= self.least


@dataclass(frozen=True)
class Compared:
    """What a claim compares, in our runs."""

    pairs: tuple[Pair, ...]
    gained: tuple[Gained, ...]
    counted: tuple[Counted, ...]


@dataclass(frozen=True)
class Finding:
    """What a set of runs says of a claim."""

    found: Found
    within: Mapping[str, bool]
    """Of the claim's cells, by id: whether ours is as printed."""
    as_one_run: tuple[str, ...]
    """Those as printed only because single runs of ours are, their mean being outside."""
    compared: Compared


def finding(
    claim: Claim,
    printed: Mapping[str, float],
    kinds: Mapping[str, Kind],
    values: Mapping[str, Sequence[float]],
    confidence: float = CONFIDENCE,
) -> Finding:
    """What runs say of a claim.

    `printed` and `kinds`: of cells, by id; `values`: of cells, ours of every run, all with the same
    seeds in the same order. Cells of the claim that the paper does not print count for nothing.
    `confidence`: of intervals of what is compared; single runs, which a tolerance is about, have
    the usual one.
    """
    compared = compare(claim, values, confidence)
    within: dict[str, bool] = {}
    as_one_run: list[str] = []
    for cell in claim.cells:
        if cell in printed:
            number = (Moments.of(values[cell]), printed[cell], kinds[cell], claim.tolerance)
            within[cell] = is_as_printed(*number)
            if within[cell] and not is_within(*number):
                as_one_run.append(cell)
    match claim.rule:
        case "gains":
            found = _of_gains(compared.gained)
        case "every run":
            found = _of_every_run(compared.counted)
        case "some runs":
            is_met = all(each.is_met for each in compared.counted)
            found = "reproduced" if is_met else "not reproduced"
        case "order":
            found = _of_order(compared.pairs)
        case "numbers" | "settings":
            found = _of_numbers(within, compared.pairs)
    return Finding(found, within, tuple(as_one_run), compared)


def compare(
    claim: Claim, values: Mapping[str, Sequence[float]], confidence: float = CONFIDENCE
) -> Compared:
    """What the claim compares, as far as its cells have values."""
    orders = [
        order
        for order in claim.orders
        if {*cells_of(order.high), *cells_of(order.low)} <= values.keys()
    ]
    gains = [each for each in claim.gains if values.keys() >= {*each.names}]
    if claim.rule == "every run":
        return Compared((), (), tuple(_count(order, values) for order in orders))
    if claim.rule == "some runs":
        return Compared((), (), tuple(_count_gain(each, values) for each in gains))
    gained = tuple(Gained(each, _gained(each, values, confidence)) for each in gains)
    pairs = tuple(Pair(order, difference(*_sides(order, values), confidence)) for order in orders)
    return Compared(pairs, gained, ())


def _gained(
    each: Gain, values: Mapping[str, Sequence[float]], confidence: float
) -> Interval | None:
    """Ours; of several, the largest or the least, none where one of them is none."""
    reckon = difference if each.is_difference else gain
    if not each.extreme:
        return reckon(values[each.high], values[each.low], confidence)
    found = [reckon(values[high], values[low], confidence) for high, low in each.pairs]
    known = [interval for interval in found if interval is not None]
    if len(known) < len(found):
        return None
    return (max if each.extreme == "most" else min)(known, key=lambda interval: interval.estimate)


def _of_gains(gained: Sequence[Gained]) -> Found:
    if any(each.is_contradicted for each in gained):
        return "not reproduced"
    if not all(each.has_direction for each in gained):
        return "open"
    return "reproduced" if all(each.is_within for each in gained) else "same direction"


def _of_every_run(counted: Sequence[Counted]) -> Found:
    if all(each.is_met for each in counted):
        return "reproduced"
    mostly = all(2 * each.count > each.runs for each in counted)
    return "same direction" if mostly else "not reproduced"


def _of_order(pairs: Sequence[Pair]) -> Found:
    if any(pair.is_contradicted for pair in pairs):
        return "not reproduced"
    return "reproduced" if pairs and all(pair.is_sure for pair in pairs) else "open"


def _of_numbers(within: Mapping[str, bool], pairs: Sequence[Pair]) -> Found:
    contradicted = any(pair.is_contradicted for pair in pairs)
    if within and all(within.values()) and not contradicted:
        return "reproduced"
    if contradicted or not pairs:
        return "not reproduced"
    return "same direction" if all(pair.is_sure for pair in pairs) else "open"


def _count(order: Order, values: Mapping[str, Sequence[float]]) -> Counted:
    sides = list(zip(*_sides(order, values), strict=True))
    return Counted(order, sum(high > low for high, low in sides), len(sides), least=1.0)


def _count_gain(stated: Gain, values: Mapping[str, Sequence[float]]) -> Counted:
    """In percent a run has no gain where what it is a gain over is not positive; see `gain`."""
    names = stated.pairs or ((stated.high, stated.low),)
    pairs = [runs for high, low in names for runs in zip(values[high], values[low], strict=True)]
    if stated.is_difference:
        found = [high - low for high, low in pairs]
    else:
        has_gain = [(high, low) for high, low in pairs if low > 0 or high == low == 0]
        found = [100 * (high / low - 1) if low else 0.0 for high, low in has_gain]
    count = sum(stated.least - ROUNDING <= each <= stated.most + ROUNDING for each in found)
    return Counted(stated, count, len(pairs), least=SOME)


def _sides(
    order: Order, values: Mapping[str, Sequence[float]]
) -> tuple[Sequence[float], Sequence[float]]:
    """Of every run: what is to be the higher, and the other."""
    count = len(values[next(iter((*cells_of(order.low), *cells_of(order.high))))])
    return _runs_of(order.high, values, count), _runs_of(order.low, values, count)


def _runs_of(side: Side, values: Mapping[str, Sequence[float]], count: int) -> Sequence[float]:
    """A side of an order, of every run.

    Of a gain: numbers whose mean is that of the means, and whose variance that of `gain`, so that
    gains are compared by differences of runs as well. Not numbers where it is over nothing.
    """
    if isinstance(side, str):
        return values[side]
    if not isinstance(side, Compound):
        return [side] * count
    above, below = (
        [math.fsum(run) for run in zip(*(values[name] for name in names), strict=True)]
        for names in (side.above, side.below)
    )
    if not below:
        return above
    base = mean(below)
    if base <= 0:
        return [math.nan] * count
    quotient = mean(above) / base
    return [
        100 * (quotient - 1 + (a - quotient * b) / base) for a, b in zip(above, below, strict=True)
    ]
