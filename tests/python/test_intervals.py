"""Intervals hold what they promise: against SciPy's own, and on data whose truth is known."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from scipy import stats as oracle

from hopwright.statistics.intervals import Interval, bootstrap_interval, t_interval

Of: TypeAlias = Callable[..., Interval]

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
"""Student's ten differences of extra hours of sleep (Biometrika 6, 1908)."""


def tolerance(repetitions: int, rate: float = 0.95) -> float:
    """Four standard errors of an observed rate: chance goes beyond once in 16,000 such tests."""
    return 4 * math.sqrt(rate * (1 - rate) / repetitions)


def test_student_sleeps() -> None:
    # As R prints it: t.test(..., paired = TRUE).
    interval = t_interval(SLEEP)
    assert interval.ends == pytest.approx((0.7001142, 2.4598858), abs=1e-7)


@pytest.mark.parametrize("n", [2, 3, 5, 30, 200])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_t_interval_is_scipys(n: int, confidence: float) -> None:
    values = np.random.default_rng(n).normal(200_000, 5_000, n)
    expected = oracle.t.interval(confidence, n - 1, loc=values.mean(), scale=oracle.sem(values))
    assert t_interval(values, confidence).ends == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [2, 5, 30])
def test_t_intervals_cover_the_truth_as_often_as_they_say(n: int, confidence: float) -> None:
    repetitions = 2000
    values = np.random.default_rng(7 + n).normal(3.0, 2.0, (repetitions, n))
    found = [t_interval(row, confidence) for row in values]
    covered = sum(interval.has(3.0) for interval in found) / repetitions
    assert covered == pytest.approx(confidence, abs=tolerance(repetitions, confidence))
    assert confidence != 0.95 or 0.93 <= covered <= 0.97


def test_bootstrap_covers_somewhat_less_than_it_says() -> None:
    repetitions = 150
    values = np.random.default_rng(11).normal(3.0, 2.0, (repetitions, 30))
    found = [bootstrap_interval(row) for row in values]
    covered = sum(interval.has(3.0) for interval in found) / repetitions
    # The docstring's 94 %.
    assert covered == pytest.approx(0.94, abs=tolerance(repetitions, 0.94))


def test_bootstrap_of_skewed_values_reaches_farther_up() -> None:
    values = np.random.default_rng(3).exponential(1.0, 40)
    interval = bootstrap_interval(values)
    assert interval.ends is not None
    low, high = interval.ends
    assert high - values.mean() > values.mean() - low
    direct = oracle.bootstrap(
        (values,), np.mean, n_resamples=9999, rng=np.random.default_rng(99)
    ).confidence_interval
    # Another stream: the percentiles agree to what 9,999 resamples tell.
    assert interval.ends == pytest.approx((direct.low, direct.high), abs=0.05 * (high - low))


def test_bootstrap_of_two_values_reaches_from_one_to_the_other() -> None:
    # Of resamples, a quarter is twice the one, a quarter twice the other; the rest has their mean.
    assert bootstrap_interval([1.0, 2.0]).ends == (1.0, 2.0)


def test_bootstrap_gives_the_same_every_time() -> None:
    assert bootstrap_interval(SLEEP) == bootstrap_interval(list(SLEEP))
    assert bootstrap_interval(SLEEP, 0.9) != bootstrap_interval(SLEEP)


@pytest.mark.parametrize("of", [t_interval, bootstrap_interval])
class TestAnyInterval:
    def test_of_equal_values_is_that_value(self, of: Of) -> None:
        found = of([3.0] * 5)
        assert (found.estimate, found.ends, found.width) == (3.0, (3.0, 3.0), 0.0)

    def test_of_one_value_is_unknown(self, of: Of) -> None:
        found = of([3.0])
        assert (found.estimate, found.ends, found.width, found.n) == (3.0, None, None, 1)
        assert (found.sign, found.has(3.0), found.leaves_out(0)) == (0, False, False)

    def test_of_no_value_there_is_none(self, of: Of) -> None:
        with pytest.raises(ValueError, match="no mean"):
            of([])

    def test_it_says_how_it_was_made(self, of: Of) -> None:
        found = of(SLEEP, 0.9)
        assert (found.n, found.level) == (10, 0.9)
        assert found.method == ("Student's t" if of is t_interval else "bootstrap")

    @pytest.mark.parametrize("gap", [math.nan, math.inf, None])
    def test_a_missing_value_is_an_error(self, of: Of, gap: float) -> None:
        with pytest.raises(ValueError, match="value 1 is"):
            of([1.0, gap, 2.0])

    @pytest.mark.parametrize("confidence", [0, 1, 95, -0.5])
    def test_confidence_is_a_part_of_one(self, of: Of, confidence: float) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            of(SLEEP, confidence)


def test_an_interval_has_a_sign_where_it_leaves_out_zero() -> None:
    ends = ((1, 2), (-2, -1), (-1, 1), (0, 1), (None, None))
    assert [Interval(0, low, high, 5).sign for low, high in ends] == [1, -1, 0, 0, 0]
    assert Interval(0, -1, 1, 5).has(1)
    assert Interval(0, -1, 1, 5).leaves_out(1.01)


def test_in_another_unit_the_lower_end_stays_the_lower() -> None:
    assert Interval(2, 1, 4, 5).map(lambda value: -10 * value) == Interval(-20, -40, -10, 5)
    assert Interval(2, None, None, 1).map(lambda value: 3 * value) == Interval(6, None, None, 1)


def test_an_interval_is_clipped_to_what_can_be() -> None:
    assert Interval(0.9, 0.7, 1.1, 5).clipped(0, 1) == Interval(0.9, 0.7, 1, 5)
    assert Interval(0.9, None, None, 1).clipped(0, 1) == Interval(0.9, None, None, 1)
