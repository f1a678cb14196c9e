"""Verdicts hang on what papers print: with every number as printed a claim is reproduced, and it is
not as soon as one of its numbers, orders or gains is another.

Nothing is simulated. Values that a claim asks for are found by linear programming; that there are
some shows that no claim contradicts itself.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from hopwright.papers import library
from hopwright.papers.claims import Claim, Order
from hopwright.papers.document import Document, Kind, read
from hopwright.papers.judgement import judge

RUNS = 4
LARGEST = 1e6


def asked_for(claim: Claim, printed: Mapping[str, float]) -> dict[str, float]:
    """Values of a claim's cells with which it is reproduced, as far within as can be."""
    names = claim.names
    place = {name: number for number, name in enumerate(names)}
    rows: list[tuple[list[float], float]] = []

    def demand(terms: dict[str, float], bound: float, scale: float) -> None:
        """Terms add up to `bound` at most, with a slack to be made large."""
        row = [0.0] * (len(names) + 1)
        for name, factor in terms.items():
            row[place[name]] += factor
        row[-1] = scale
        rows.append((row, bound))

    fixed = {cell: printed[cell] for cell in claim.cells if cell in printed}
    for order in claim.orders:
        terms, bound, scale = {}, 0.0, 1.0
        for side, sign in ((order.low, 1.0), (order.high, -1.0)):
            if isinstance(side, str):
                terms[side] = sign
            else:
                bound -= sign * side
                scale = abs(side) / 10 or 1.0
        if not terms.keys() <= fixed.keys():
            demand(terms, bound, scale)
    for gain in claim.gains:
        one = 1.0 if gain.is_difference else 100.0
        base = 0.0 if gain.is_difference else 1.0
        for end, sign in ((gain.least, -1.0), (gain.most, 1.0)):
            if np.isfinite(end):
                # sign (high - (1 + end / 100) low) <= 0; of a difference sign (high - low) <= end
                low = -sign * (base + end / one) if base else -sign
                demand({gain.high: sign, gain.low: low}, 0.0 if base else sign * end, 1e-3)
    if not rows:
        return fixed
    bounds = [
        (fixed[name], fixed[name]) if name in fixed else (-LARGEST, LARGEST) for name in names
    ]
    if claim.gains:
        bounds = [(1.0, LARGEST)] * len(names)
    found = linprog(
        [0.0] * len(names) + [-1.0],
        A_ub=np.array([row for row, _ in rows]),
        b_ub=np.array([bound for _, bound in rows]),
        bounds=[*bounds, (0, 1000)],
    )
    assert found.success, f"{claim.id}: contradicts itself"
    is_exact = any(gain.least == gain.most for gain in claim.gains)
    assert found.x[-1] > 0 or is_exact, f"{claim.id}: can only just be"
    return dict(zip(names, found.x[:-1].tolist(), strict=True))


def verdict(
    document: Document, claim: Claim, values: Mapping[str, float], printed: Mapping[str, float]
) -> str:
    kinds: dict[str, Kind] = {
        name: document.measures[cell.measure].kind for name, cell in document.cells.items()
    }
    runs = {name: [value] * RUNS for name, value in values.items()}
    return judge(claim, printed, kinds, runs).verdict


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
        for number, order in enumerate(claim.orders):
            turned = [*claim.orders]
            turned[number] = Order(order.high, order.low)
            other_claim = replace(claim, orders=tuple(turned))
            assert verdict(document, other_claim, values, printed) != "reproduced", (
                claim.id,
                order,
            )
        for number, gain in enumerate(claim.gains):
            moved = [*claim.gains]
            shift = 1e9 if np.isinf(gain.most) else -1e9 if np.isinf(gain.least) else 0.0
            shift = shift or 10 * (gain.most - gain.least) or 100.0
            moved[number] = replace(gain, least=gain.least + shift, most=gain.most + shift)
            other_claim = replace(claim, gains=tuple(moved))
            assert verdict(document, other_claim, values, printed) != "reproduced", (claim.id, gain)
