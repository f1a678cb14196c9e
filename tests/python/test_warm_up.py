"""The warm-up is found where it is, and nothing is cut where there is none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hopwright._io.errors import InputError
from hopwright.statistics.moving_average import moving_average
from hopwright.statistics.warm_up import mser


def autoregressive(n: int, *, start: float, seed: int) -> NDArray[np.float64]:
    """AR(1) about 10 with coefficient 0.8, whose first value is `start`."""
    noise = np.random.default_rng(seed).normal(0, 1, n)
    values = np.empty(n)
    values[0] = start
    for i in range(1, n):
        values[i] = 10 + 0.8 * (values[i - 1] - 10) + noise[i]
    return values


@pytest.mark.parametrize("seed", range(8))
def test_a_transient_is_cut(seed: int) -> None:
    # From 200 at a factor of 0.8 a step, it is below the noise after some 25 values.
    values = autoregressive(1000, start=200, seed=seed)
    cut = mser(values)
    assert 10 <= cut <= 100
    assert cut % 5 == 0
    assert abs(values[cut:].mean() - 10) < abs(values.mean() - 10)


def test_by_hand() -> None:
    """Against the definition, summed up naively."""
    values = autoregressive(203, start=60, seed=3)
    means = [values[i : i + 5].mean() for i in range(0, 200, 5)]
    errors = [
        float(sum((x - np.mean(means[d:])) ** 2 for x in means[d:]) / len(means[d:]) ** 2)
        for d in range(len(means) - 4)
    ]
    assert mser(values) == 5 * int(np.argmin(errors))
    assert mser(values) > 0


def test_a_steady_series_loses_little() -> None:
    cuts = [mser(np.random.default_rng(seed).normal(5, 1, 500)) for seed in range(20)]
    assert sorted(cuts)[10] <= 50
    assert mser([4.0] * 60) == 0


def test_a_step_is_cut_at_the_step() -> None:
    assert mser([0.0, 1.0] * 20 + [9.0, 10.0] * 80) == 40


def test_what_never_settles_is_refused() -> None:
    with pytest.raises(InputError, match=r"has not settled.*simulate longer"):
        mser(np.arange(200.0) ** 2)


@pytest.mark.parametrize("n", [0, 4, 49])
def test_too_short(n: int) -> None:
    with pytest.raises(InputError, match="at least 50"):
        mser([1.0] * n)


def test_bad_batch() -> None:
    with pytest.raises(ValueError, match="batch is 0"):
        mser([1.0] * 100, batch=0)


def test_a_moving_average_is_of_one_value_at_least() -> None:
    assert moving_average([1.0, 3.0, 5.0], 2) == [2.0, 4.0]
    with pytest.raises(ValueError, match="count is 0; it is at least 1"):
        moving_average([1.0, 3.0], 0)
