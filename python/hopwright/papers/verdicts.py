"""The rules of `hopwright.papers.RULES`, as code. They know numbers, not papers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hopwright.papers.document import Claim, Kind, Order
from hopwright.papers.sample import Interval, Sample, difference, ratio

Verdict = Literal["reproduced", "same direction", "not reproduced"]

PRINTED_TOLERANCE: Mapping[Kind, float] = {"amount": 0.12, "count": 0.15}
REFERENCE_TOLERANCE: Mapping[Kind, float] = {"amount": 0.05, "count": 0.10}
SMALL_COUNT = 150.0
"""Below, the noise of counting, about the root of the count, is more than the tolerance."""


def band(number: float, kind: Kind, tolerance: float) -> float:
    """How far from `number` is still as `number`."""
    size = abs(number)
    if kind == "count" and size < SMALL_COUNT:
        size = math.sqrt(SMALL_COUNT * size)
    return tolerance * size


def is_as(own: float, number: float, kind: Kind, tolerance: float) -> bool:
    """Whether ours is within the band; its edge belongs to it."""
    return abs(own - number) <= band(number, kind, tolerance) * (1 + 1e-12)


def is_as_printed(own: Sample, number: float, kind: Kind, tolerance: float | None = None) -> bool:
    """Whether ours is as the paper's number; the usual tolerance where none is given."""
    if is_as(own.mean, number, kind, tolerance or PRINTED_TOLERANCE[kind]):
        return True
    one = own.one_run()
    is_small = kind == "count" and abs(number) <= SMALL_COUNT
    return is_small and one.low is not None and not one.leaves_out(number)


@dataclass(frozen=True)
class Agreement:
    """Ours against ns-2's."""

    ratio: Interval | None
    is_as: bool


def against_reference(own: Sample, reference: Sample, kind: Kind) -> Agreement:
    """Whether ours is as ns-2's, and the ratio with its interval."""
    tolerance = REFERENCE_TOLERANCE[kind]
    return Agreement(ratio(own, reference), is_as(own.mean, reference.mean, kind, tolerance))


@dataclass(frozen=True)
class Pair:
    """A stated order of two values."""

    order: Order
    difference: Interval
    """The one that is to be the higher, minus the other."""

    @property
    def holds(self) -> bool:
        """Whether the means differ in the stated direction."""
        return self.difference.value > 0

    @property
    def is_sure(self) -> bool:
        """Whether they do, and the interval leaves zero out."""
        return self.holds and self.difference.leaves_out(0)


@dataclass(frozen=True)
class Judgement:
    """What became of a claim."""

    claim: Claim
    verdict: Verdict
    within: Mapping[str, bool]
    """Of the claim's cells, by id: whether ours is as printed."""
    pairs: tuple[Pair, ...]


def judge(
    claim: Claim,
    printed: Mapping[str, float],
    kinds: Mapping[str, Kind],
    values: Mapping[str, Sequence[float]],
) -> Judgement:
    """The verdict of a claim.

    `printed` and `kinds`: of cells, by id; `values`: of cells, ours of every run, all with the same
    seeds in the same order. Cells of the claim that the paper does not print count for nothing.
    """
    pairs = tuple(Pair(order, _difference(order, values)) for order in claim.orders)
    within = {}
    for cell in claim.cells:
        if cell in printed:
            own = Sample.of(values[cell])
            within[cell] = is_as_printed(own, printed[cell], kinds[cell], claim.tolerance)
    return Judgement(claim, _verdict(claim, within, pairs), within, pairs)


def _difference(order: Order, values: Mapping[str, Sequence[float]]) -> Interval:
    count = len(next(values[s] for s in (order.low, order.high) if isinstance(s, str)))
    high, low = (
        values[side] if isinstance(side, str) else [side] * count
        for side in (order.high, order.low)
    )
    return difference(high, low)


def _verdict(claim: Claim, within: Mapping[str, bool], pairs: Sequence[Pair]) -> Verdict:
    sure = bool(pairs) and all(pair.is_sure for pair in pairs)
    if claim.rule == "order":
        if sure:
            return "reproduced"
        return "same direction" if all(pair.holds for pair in pairs) else "not reproduced"
    if within and all(within.values()):
        return "reproduced"
    return "same direction" if sure else "not reproduced"
