"""Student's t in closed form, against SciPy's."""

import math

import pytest
from scipy.special import stdtr, stdtrit

from hopwright.student import MOST_DEGREES, central, quantile

DEGREES = [*range(1, 40), 99, 100, 101, 499, 500, MOST_DEGREES - 1, MOST_DEGREES]


@pytest.mark.parametrize("probability", [0.5, 0.6, 0.9, 0.975, 0.995, 0.9995])
def test_quantiles(probability: float) -> None:
    for n in DEGREES:
        expected = float(stdtrit(n, probability))
        assert quantile(probability, n) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 2.5, 40.0])
def test_probabilities(t: float) -> None:
    for n in DEGREES:
        assert central(t, n) == pytest.approx(2 * float(stdtr(n, t)) - 1, rel=1e-11, abs=1e-13)


def test_one_degree_is_cauchys() -> None:
    assert quantile(0.975, 1) == pytest.approx(math.tan(math.pi * 0.475), rel=1e-13)
