"""Screening designs against published tables, and what makes them of resolution IV."""

import itertools
import math

import numpy as np
import pytest

from hopwright.research.papers.hunting.screening import effects, folded, hadamard, screening

PLACKETT_BURMAN = {
    12: "++-+++---+-",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
}
"""Generating rows: Plackett and Burman 1946, p. 323; also NIST/SEMATECH e-Handbook, 5.3.3.5."""


@pytest.mark.parametrize(("order", "row"), PLACKETT_BURMAN.items())
def test_designs_are_those_of_plackett_and_burman(order: int, row: str) -> None:
    """All cyclic shifts of the row, and a row of minus signs."""
    matrix = hadamard(order)
    assert matrix is not None
    theirs = {row[shift:] + row[:shift] for shift in range(order - 1)} | {"-" * (order - 1)}
    ours = {"".join("+" if each > 0 else "-" for each in line[:-1]) for line in matrix}
    assert ours == theirs


@pytest.mark.parametrize("order", [4, 8, 12, 16, 20, 24, 32, 44, 48])
def test_columns_are_orthogonal(order: int) -> None:
    matrix = hadamard(order)
    assert matrix is not None
    assert (matrix.T @ matrix == order * np.eye(order)).all()


def test_orders_that_it_knows_no_matrix_of_are_passed_over() -> None:
    assert hadamard(28) is None
    assert len(next(folded(25))) == 64


@pytest.mark.parametrize("factors", [2, 4, 7, 8, 9, 12, 13])
def test_no_main_effect_is_mixed_up_with_an_interaction_of_two(factors: int) -> None:
    signs = next(folded(factors))
    assert (signs.sum(axis=0) == 0).all()
    for a, b, c in itertools.product(range(factors), repeat=3):
        assert (signs[:, a] * signs[:, b] * signs[:, c]).sum() == 0


def test_gaps_of_several_choices_have_columns_enough() -> None:
    rows = screening([3, 2, 4, 2])
    assert len(rows) == 16
    assert {row[0] for row in rows} == {0, 1, 2}
    assert {row[2] for row in rows} == {0, 1, 2, 3}
    assert (0, 0, 0, 0) in rows
    assert len(screening([2])) == 8
    assert len(screening([3, 2, 2, 2, 2, 3, 3, 2, 2])) == 24
    assert screening([3, 2, 4, 2]) == rows


def test_effects_are_found_again_where_two_choices_interact() -> None:
    counts = [3, 2, 2, 2, 2]
    rows = screening(counts)
    added = {(0, 1): 5.0, (0, 2): -3.0, (1, 1): 2.0, (2, 1): 0.0, (3, 1): -7.0, (4, 1): 1.0}

    def value(row: tuple[int, ...]) -> float:
        return 100 + sum(added[gap, choice] for gap, choice in enumerate(row) if choice)

    found = effects(rows, [value(row) for row in rows], counts)
    assert found is not None
    assert found.base == pytest.approx(100)
    assert {key: each.estimate for key, each in found.added.items()} == pytest.approx(added)
    assert found.promised((1, 0, 0, 1, 0)) == pytest.approx(98)
    # An interaction of two is mixed up with no main effect, but makes the intervals wide.
    shared = [value(row) + 4 * (2 * row[1] - 1) * (2 * row[3] - 1) for row in rows]
    mixed = effects(rows, shared, counts)
    assert mixed is not None
    assert {key: each.estimate for key, each in mixed.added.items()} == pytest.approx(added)
    assert all(e.low is not None and e.low < added[k] - 1 for k, e in mixed.added.items())


def test_readings_without_a_number_are_left_out() -> None:
    counts = [2, 2, 2]
    rows = screening(counts)
    values = [float(row[1]) for row in rows]
    found = effects(rows, [math.nan, *values[1:]], counts)
    assert found is not None
    assert found.added[1, 1].estimate == pytest.approx(1)
    assert effects(rows, [math.nan] * len(rows), counts) is None
