"""Verdicts hang on what papers print: with every number as printed a claim is reproduced, and it is
not as soon as one of its numbers, orders or gains is another.

Nothing is simulated. Values that a claim asks for are found by linear programming; that there are
some shows that no claim contradicts itself.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import linprog

from hopwright.research.papers import library
from hopwright.research.papers.claims import Claim, Compound, Gain, Order
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.judgement import judge

if TYPE_CHECKING:
    from hopwright.research.papers.measures import Kind

RUNS = 4
LARGEST = 1e6
BASE = 1000.0
"""What cells have that orders compare gains over."""


class Demands:
    """Linear inequalities of a claim's cells, each with a slack, as large as can be."""

    def __init__(self, names: Sequence[str]) -> None:
        self.place = {name: number for number, name in enumerate(names)}
        self.rows: list[list[float]] = []
        self.bounds: list[float] = []

    def at_most(self, bound: float, terms: Mapping[str, float], slack: float) -> None:
        row = [0.0] * (len(self.place) + 1)
        for name, factor in terms.items():
            row[self.place[name]] += factor
        row[-1] = slack
        self.rows.append(row)
        self.bounds.append(bound)

    def order(self, order: Order) -> None:
        """`low - high` is below zero; a side that is a number goes to the other side."""
        terms: dict[str, float] = {}
        bound, slack = 0.0, 1.0
        for side, sign in ((order.low, 1.0), (order.high, -1.0)):
            if isinstance(side, str):
                terms[side] = sign
            elif isinstance(side, Compound):
                base = BASE * len(side.below) / 100 if side.below else 1.0
                bound += sign * 100 if side.below else 0.0
                terms |= dict.fromkeys(side.above, sign / base)
            else:
                bound -= sign * side
                slack = abs(side) / 10 or 1.0
        self.at_most(bound, terms, slack)

    def gain(self, gain: Gain) -> None:
        for end, sign in ((gain.least, -1.0), (gain.most, 1.0)):
            if math.isinf(end):
                continue
            pairs = gain.pairs or ((gain.high, gain.low),)
            if gain.extreme == "least" and math.isinf(gain.least):
                pairs = pairs[len(self.rows) % len(pairs) :][:1]  # one will do; another each time
            for high, low in pairs:
                if gain.is_difference:
                    self.at_most(sign * end, {high: sign, low: -sign}, 1e-3)
                else:
                    self.at_most(0.0, {high: sign, low: -sign * (1 + end / 100)}, 1e-3)

    def met(self, bounds: Sequence[tuple[float, float]]) -> Sequence[float]:
        """Values within bounds, and at the end the slack."""
        found = linprog(
            [0.0] * len(self.place) + [-1.0],
            A_ub=np.array(self.rows),
            b_ub=np.array(self.bounds),
            bounds=[*bounds, (0, 1000)],
        )
        return [] if found.x is None else [float(x) for x in found.x]


def asked_for(claim: Claim, printed: Mapping[str, float]) -> list[dict[str, float]]:
    """Values of a claim's cells with which it is reproduced, as far within as can be.

    Of every run alike, but of a claim about some runs: there its gains have a run each.
    """
    if claim.rule == "some runs":
        each = [_asked_for(replace(claim, gains=(gain,)), printed) for gain in claim.gains]
        return each * RUNS  # so many that others drawn from them have some of each
    return [_asked_for(claim, printed)] * RUNS


def _asked_for(claim: Claim, printed: Mapping[str, float]) -> dict[str, float]:
    names = claim.names
    fixed = {cell: printed[cell] for cell in claim.cells if cell in printed}
    sides = (side for order in claim.orders for side in (order.low, order.high))
    fixed |= {cell: BASE for side in sides if isinstance(side, Compound) for cell in side.below}
    demands = Demands(names)
    for order in claim.orders:
        if not {order.low, order.high} <= fixed.keys():
            demands.order(order)
    for gain in claim.gains:
        demands.gain(gain)
    if not demands.rows:
        return fixed
    free = (1.0, LARGEST) if claim.gains else (-LARGEST, LARGEST)
    found = demands.met([(fixed[name], fixed[name]) if name in fixed else free for name in names])
    assert found, f"{claim.id}: contradicts itself"
    is_exact = any(gain.least == gain.most for gain in claim.gains)
    assert found[-1] > 0 or is_exact, f"{claim.id}: can only just be"
    return dict(zip(names, found, strict=False))


def verdict(
    document: Document,
    claim: Claim,
    runs: Sequence[Mapping[str, float]],
    printed: Mapping[str, float],
) -> str:
    kinds: dict[str, Kind] = {
        name: document.measures[cell.measure].kind for name, cell in document.cells.items()
    }
    names = {name for run in runs for name in run}
    values = {name: [run.get(name, BASE) for run in runs] * RUNS for name in names}
    return judge(claim, printed, kinds, values).verdict


def perturbed(claim: Claim) -> Iterator[Claim]:
    """The claim with one order turned round, or one range moved far away."""
    for number, order in enumerate(claim.orders):
        turned = [*claim.orders]
        turned[number] = Order(order.high, order.low)
        yield replace(claim, orders=tuple(turned))
    for number, gain in enumerate(claim.gains):
        shift = 1e9 if math.isinf(gain.most) else -1e9 if math.isinf(gain.least) else 0.0
        shift = shift or 10 * (gain.most - gain.least) or 100.0
        moved = [*claim.gains]
        moved[number] = replace(gain, least=gain.least + shift, most=gain.most + shift)
        yield replace(claim, gains=tuple(moved))


@pytest.mark.parametrize("path", library.every().values(), ids=lambda path: path.stem)
def test_every_claim_hangs_on_each_of_its_numbers(path: Path) -> None:
    document = read(path)
    cells = document.cells
    printed = {name: cell.printed for name, cell in cells.items() if cell.printed is not None}
    for claim in document.claims:
        if claim.rule == "settings":
            continue
        values = asked_for(claim, printed)
        assert verdict(document, claim, values, printed) == "reproduced", claim.id
        for cell in set(claim.cells) & printed.keys():
            other = {**printed, cell: 1.5 * printed[cell] + 1}
            assert verdict(document, claim, values, other) != "reproduced", (claim.id, cell)
        for changed in perturbed(claim):
            assert verdict(document, changed, values, printed) != "reproduced", changed
