"""Triggers made from constructed maps: what changes where, and at which bounds."""

from collections.abc import Callable
from itertools import product

import pytest

from hopwright.adapt.bounds import Bound, Unseen, bound_of, edge, wanted
from hopwright.adapt.policy import MOST_ROWS, Cell, Policy, Split, derive

ALL = {name: [other for other in "abc" if other != name] for name in "abc"}


def map_of(lengths: tuple[int, ...], best: Callable[[Cell], str], loss: float = 0.3) -> Policy:
    """The policy of a map where all but the best lose `loss`; `*`: all are as good."""
    cells = product(*(range(length) for length in lengths))
    regret = {
        cell: {name: 0.0 if best(cell) in (name, "*") else loss for name in "abc"} for cell in cells
    }
    return derive(lengths, regret, ALL)


def test_one_bound_on_one_axis() -> None:
    policy = map_of((4, 3), lambda cell: "a" if cell[0] < 3 else "b")
    assert policy.base == "a"
    (row,) = policy.rows
    assert (row.composition, row.when) == ("b", (Split(0, "above", 2),))
    assert row.cells == {(3, 0), (3, 1), (3, 2)}
    assert row.saved == pytest.approx(0.3)
    assert policy.regret == 0
    assert policy.fixed["a"] == pytest.approx(0.3 / 4)
    assert [policy.at(cell) for cell in ((2, 0), (3, 2))] == ["a", "b"]


def test_a_corner_needs_two_conditions() -> None:
    policy = map_of((4, 3), lambda cell: "c" if cell[0] < 2 and cell[1] > 1 else "a")
    (row,) = policy.rows
    assert row.composition == "c"
    assert set(row.when) == {Split(0, "below", 1), Split(1, "above", 1)}


def test_rows_never_share_a_cell() -> None:
    policy = map_of((5, 5), lambda cell: "abc"[(cell[0] > 1) + (cell[1] > 2 and cell[0] > 1)])
    assert len(policy.rows) == 2
    one, other = policy.rows
    assert not one.cells & other.cells
    assert policy.regret == 0


def test_compositions_that_one_flow_cannot_both_become_are_not_both_rows() -> None:
    losses = {"a": "033333", "b": "300066", "c": "666600"}  # tenths, from left to right
    regret: dict[Cell, dict[str, float]] = {
        (n,): {name: int(loss[n]) / 10 for name, loss in losses.items()} for n in range(6)
    }
    only_from_a = {"a": ["b", "c"], "b": [], "c": []}
    free = derive((6,), regret, only_from_a)
    assert {row.composition for row in free.rows} == {"b", "c"}
    bound = derive((6,), regret, only_from_a, {frozenset("bc")})
    assert len({row.composition for row in bound.rows}) == 1


def test_nothing_changes_where_nothing_is_sure_or_worth_it() -> None:
    assert map_of((4, 4), lambda _: "*").rows == ()
    assert map_of((4, 4), lambda cell: "a" if cell[0] else "b", loss=0.001).rows == ()


def test_a_tie_is_left_as_it_is() -> None:
    """The bound is next to the cells where the change is sure."""
    policy = map_of((5,), lambda cell: "aa*bb"[cell[0]])
    assert policy.rows[0].when[0].place == (2 if policy.base == "a" else 1)


def test_what_triggers_cannot_do_is_not_asked_of_them() -> None:
    regret: dict[Cell, dict[str, float]] = {
        (n,): {"a": 0.3 * (n > 1), "b": 0.3 * (n <= 1), "c": 0.2} for n in range(5)
    }
    apart = derive((5,), regret, {"a": ["c"], "b": [], "c": ["a"]})
    assert {row.composition for row in apart.rows} <= {"a", "c"}
    assert derive((5,), regret, {"a": ["b"], "b": ["a"], "c": []}).regret == 0


def test_a_chessboard_is_not_followed() -> None:
    policy = map_of((6, 6), lambda cell: "ab"[sum(cell) % 2])
    assert len(policy.rows) <= MOST_ROWS


def test_of_equal_policies_the_one_that_begins_with_the_better() -> None:
    policy = map_of((4, 1), lambda cell: "a" if cell[0] == 3 else "b")
    assert policy.base == "b"


def told(lengths: tuple[int, ...], said: Callable[[Cell, str], float | None]) -> Bound | Unseen:
    policy = map_of(lengths, lambda cell: "a" if cell[0] < 2 else "b")
    (row,) = policy.rows
    if policy.base == "b":
        raise AssertionError
    return bound_of(row, row.when[0], "a", "loss", said)


def test_a_bound_is_half_way_and_the_way_back_a_quarter() -> None:
    found = told((3,), lambda cell, _: float(cell[0]))
    assert isinstance(found, Bound)
    assert found.bound == pytest.approx(2**0.5, abs=0.005)
    assert found.until == pytest.approx(2**0.25, abs=0.005)
    assert found.condition() == {"monitor": "loss", "above": found.bound, "until": found.until}
    assert not found.is_trap


def test_from_zero_the_way_is_measured_evenly() -> None:
    found = told((3,), lambda cell, _: 4.0 * (cell[0] == 2))
    assert isinstance(found, Bound)
    assert (found.bound, found.until) == (2.0, 1.0)


def test_the_way_back_is_by_what_the_new_composition_shows() -> None:
    """It has a shorter queue, and so less of everything that a queue adds to."""
    found = told((3,), lambda cell, name: 10.0 * (cell[0] + 1) / (1 if name == "a" else 5))
    assert isinstance(found, Bound)
    assert found.outside == 20
    assert found.inside == 30
    assert 4 < found.until < 6


def test_a_bound_from_which_there_is_no_way_back_is_told() -> None:
    found = told((3,), lambda cell, name: 10.0 * cell[0] if name == "a" else 30.0)
    assert isinstance(found, Bound)
    assert found.is_trap
    assert found.until < found.bound


def test_a_monitor_that_tells_nothing_apart_makes_no_bound() -> None:
    assert isinstance(told((3,), lambda _cell, _name: 3.0), Unseen)
    assert isinstance(told((3,), lambda cell, _: None if cell[0] == 1 else 1.0), Unseen)
    # Closer than a bound has digits: 1010 would be beyond both.
    assert isinstance(told((3,), lambda cell, _: 1004.8 + 0.8 * (cell[0] > 1)), Unseen)
    # The wrong way round: more of it is where the condition says less.
    assert isinstance(told((3,), lambda cell, _: -float(cell[0])), Unseen)


def test_what_is_read_is_on_both_sides_of_the_bounds() -> None:
    policy = map_of((4, 2), lambda cell: "b" if cell[0] > 2 and cell[1] > 0 else "a")
    (row,) = policy.rows
    split = next(each for each in row.when if each.axis == 0)
    assert edge(row, split) == ([(3, 1)], [(2, 1)])
    assert set(wanted(policy)) == {
        (cell, name) for cell in ((3, 1), (2, 1), (3, 0)) for name in ("a", "b")
    }
