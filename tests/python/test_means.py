"""Intervals agree with SciPy's own; shapes are kept."""

import math
import random
from typing import TYPE_CHECKING

import pytest
from scipy import stats as oracle

from hopwright.statistics.means import half_width, half_widths, mean, means, t_quantile

if TYPE_CHECKING:
    from hopwright._io.data import Json


@pytest.mark.parametrize("degrees_of_freedom", [1, 2, 4, 9, 29, 999])
@pytest.mark.parametrize("probability", [0.95, 0.975, 0.995])
def test_quantiles_are_students(degrees_of_freedom: int, probability: float) -> None:
    expected = oracle.t.ppf(probability, degrees_of_freedom)
    assert t_quantile(probability, degrees_of_freedom) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("n", [2, 3, 5, 30])
def test_interval_is_scipys(n: int) -> None:
    stream = random.Random(n)
    values = [stream.gauss(200_000, 5_000) for _ in range(n)]
    low, high = oracle.t.interval(0.95, n - 1, loc=sum(values) / n, scale=oracle.sem(values))
    assert mean(values) == pytest.approx((low + high) / 2, rel=1e-12)
    assert half_width(values) == pytest.approx((high - low) / 2, rel=1e-8)


def test_interval_of_equal_values_is_nothing_and_of_one_value_unknown() -> None:
    assert half_width([3.0, 3.0, 3.0]) == 0
    assert half_width([3.0]) is None


def test_two_values_by_hand() -> None:
    # sd = sqrt(2), standard error 1, t(0.975, 1) = 12.7062
    assert half_width([1.0, 3.0]) == pytest.approx(12.7062, abs=1e-4)
    assert t_quantile(0.975, 1) == pytest.approx(math.tan(math.pi * 0.475), rel=1e-8)


def test_means_repeat_the_shape_without_names_and_identities() -> None:
    results: list[Json] = [
        {"seed": 1, "flows": [{"from": 0, "to": 8, "protocol": "reno", "a": 1, "p": {"x": 2.0}}]},
        {"seed": 2, "flows": [{"from": 0, "to": 8, "protocol": "reno", "a": 2, "p": {"x": 4.0}}]},
    ]
    assert means(results) == {"flows": [{"a": 1.5, "p": {"x": 3.0}}]}
    widths = half_widths(results)
    assert widths == {"flows": [{"a": half_width([1, 2]), "p": {"x": half_width([2, 4])}}]}


def test_a_number_missing_from_some_runs_is_taken_over_the_others() -> None:
    results: list[Json] = [{"rtt": None, "n": 1}, {"rtt": 0.5, "n": 3}]
    assert means(results) == {"rtt": 0.5, "n": 2.0}
    assert half_widths(results) == {"rtt": None, "n": half_width([1, 3])}
    assert means([{"rtt": None}, {"rtt": None}]) == {"rtt": None}


def test_truth_values_are_no_numbers() -> None:
    assert means([{"done": True, "n": 1}]) == {"n": 1.0}


def test_a_cause_that_did_not_occur_counts_as_none() -> None:
    results: list[Json] = [{"drops": {"queue": 4}}, {"drops": {}}, {"drops": {"no_route": 3}}]
    assert means(results) == {"drops": {"no_route": 1.0, "queue": 4 / 3}}
