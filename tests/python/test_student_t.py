"""Student's t agrees with SciPy's, and with what it is known to be."""

import math

import pytest
from scipy import stats as oracle

from hopwright.statistics.student_t import density, quantile, upper_tail

FREEDOMS = [1, 1.5, 2, 3, 9, 29, 49.3, 99, 99.9, 100, 101, 1999, 12345.6, 1e6]


@pytest.mark.parametrize("v", FREEDOMS)
@pytest.mark.parametrize("p", [1e-12, 0.025, 0.3, 0.5, 0.6, 0.75, 0.975, 0.9995, 1 - 1e-9])
def test_quantiles_agree_with_scipys(p: float, v: float) -> None:
    assert quantile(p, v) == pytest.approx(float(oracle.t.ppf(p, v)), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("v", FREEDOMS)
@pytest.mark.parametrize("t", [0.0, 1e-3, 0.5, 1.7, 1.74, 5.0, 40.0])
def test_tails_and_densities_agree_with_scipys(t: float, v: float) -> None:
    assert upper_tail(t, v) == pytest.approx(float(oracle.t.sf(t, v)), rel=1e-10)
    assert density(t, v) == pytest.approx(float(oracle.t.pdf(t, v)), rel=1e-10)


@pytest.mark.parametrize("p", [0.01, 0.6, 0.975])
def test_with_one_degree_of_freedom_it_is_cauchys(p: float) -> None:
    assert quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-12)


@pytest.mark.parametrize(("p", "v"), [(0.0, 3), (1.0, 3), (0.5, 0), (math.nan, 3), (0.5, math.nan)])
def test_what_has_no_quantile(p: float, v: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile(p, v)
