"""Two samples compared: published examples, R's numbers, SciPy's own, and data of known truth."""

import gc
import math

import numpy as np
import pytest
from scipy import stats as oracle

from hopwright.statistics.correction import holm
from hopwright.statistics.effect import (
    cohen_d_z,
    hedges_g,
    probability_of_superiority,
    superiority_of_pairs,
)
from hopwright.statistics.independent import welch
from hopwright.statistics.paired import paired, paired_t_test, signed_rank_test

# Student's sleep data (Biometrika 6, 1908), R's `sleep`: extra hours with two drugs.
DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
# Hollander and Wolfe (1973), 29f., the example of R's wilcox.test: depression before and after.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
# Darwin's maize, crossed minus self-fertilised, in eighths of an inch (Fisher 1935, section 17).
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

REPETITIONS = 2000
TOLERANCE = 4 * math.sqrt(0.05 * 0.95 / REPETITIONS)


def test_student_sleeps_in_pairs() -> None:
    found = paired(DRUG_2, DRUG_1)
    assert found.difference.estimate == pytest.approx(1.58)
    assert found.difference.ends == pytest.approx((0.7001142, 2.4598858), abs=1e-7)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert (found.above, found.equal, found.below) == (9, 1, 0)
    assert found.sd == pytest.approx(1.229995, abs=1e-6)
    assert cohen_d_z(DRUG_2, DRUG_1) == pytest.approx(1.58 / 1.229995, rel=1e-6)
    assert superiority_of_pairs(DRUG_2, DRUG_1) == 0.95
    # One pair is equal, nine point up: exactly two of the 2**9 patterns of signs are as clear.
    assert found.wilcoxon is not None
    assert found.wilcoxon == (2 / 2**9, True, 9)
    assert found.wilcoxon.least_p == found.wilcoxon.p


def test_student_sleeps_as_two_groups() -> None:
    # R: t.test(extra ~ group, data = sleep).
    found = welch(DRUG_2, DRUG_1)
    assert found.p == pytest.approx(0.07939, abs=5e-6)
    assert found.degrees_of_freedom == pytest.approx(17.776, abs=5e-4)
    assert found.difference.ends == pytest.approx((-0.2054832, 3.3654832), abs=1e-7)


def test_hollander_and_wolfe_are_less_depressed() -> None:
    # R: V = 40, one-sided 0.01953.
    found = signed_rank_test(BEFORE, AFTER)
    assert found is not None
    assert found.p == pytest.approx(2 * 0.01953125)
    assert (found.exact, found.n) == (True, 9)


def test_darwin_grows_maize() -> None:
    # Fisher: t = 2.148 with 14 degrees of freedom, just beyond 5 %.
    found = paired(MAIZE, [0.0] * len(MAIZE))
    assert found.sd is not None
    assert found.difference.estimate / found.sd * math.sqrt(15) == pytest.approx(2.148, abs=5e-4)
    assert found.p == pytest.approx(0.0497, abs=5e-5)
    assert (found.above, found.equal, found.below) == (13, 0, 2)
    assert found.relative is None


def test_ranks_do_not_see_rounding() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 differ in floats, and so would their ranks.
    ranked = signed_rank_test([0.3, 0.2, 0.1, 0.0], [0.2, 0.1, 0.3, 0.1])
    assert ranked == signed_rank_test([3, 2, 1, 0], [2, 1, 3, 1])
    found = paired([0.3, 0.5, 0.7], [0.1 + 0.2, 0.4, 0.4])
    assert (found.above, found.equal, found.below) == (2, 1, 0)


@pytest.mark.parametrize("n", [20, 60])
def test_many_ties_are_approximated_as_r_does(n: int) -> None:
    stream = np.random.default_rng(n)
    a, b = stream.poisson(4, n) * 1.0, stream.poisson(3, n) * 1.0
    found = signed_rank_test(a, b)
    assert found is not None
    assert not found.exact
    d = (a - b)[a != b]
    direct = oracle.wilcoxon(d, correction=True, method="approx", axis=0)
    assert found.p == pytest.approx(float(direct.pvalue), rel=1e-9)
    assert found.n == len(d)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_tests_are_scipys(n: int) -> None:
    stream = np.random.default_rng(n)
    a, b = stream.normal(5, 1, n), stream.normal(4, 3, n)
    assert paired_t_test(a, b) == pytest.approx(oracle.ttest_rel(a, b).pvalue, rel=1e-9)
    found, direct = welch(a, b, 0.9), oracle.ttest_ind(a, b, equal_var=False)
    assert found.p == pytest.approx(direct.pvalue, rel=1e-9)
    assert found.degrees_of_freedom == pytest.approx(direct.df)
    assert found.difference.ends == pytest.approx(tuple(direct.confidence_interval(0.9)), rel=1e-8)
    assert probability_of_superiority(a, b) == pytest.approx(
        oracle.mannwhitneyu(a, b).statistic / n**2
    )


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_paired_intervals_cover_the_truth(correlation: float) -> None:
    """Of the difference and of the ratio, on data whose pairs have much or nothing in common."""
    n, stream = 8, np.random.default_rng(5)
    noise = stream.normal(0, 1, (2, REPETITIONS, n))
    baseline = 10 + noise[0]
    treatment = 11 + correlation * noise[0] + math.sqrt(1 - correlation**2) * noise[1]
    covered, ratios = 0, 0
    for a, b in zip(treatment[:500], baseline[:500], strict=True):
        found = paired(a, b)
        assert found.relative is not None
        covered += found.difference.has(1.0)
        ratios += found.relative.has(0.1)
        assert found.difference.has(0.0) == found.relative.has(0.0)
    tolerance = 4 * math.sqrt(0.05 * 0.95 / 500)
    assert covered / 500 == pytest.approx(0.95, abs=tolerance)
    assert ratios / 500 == pytest.approx(0.95, abs=tolerance)


def test_welchs_intervals_cover_the_truth_where_the_spreads_differ() -> None:
    stream = np.random.default_rng(6)
    a, b = stream.normal(12, 4, (300, 6)), stream.normal(10, 1, (300, 12))
    found = [welch(x, y) for x, y in zip(a, b, strict=True)]
    tolerance = 4 * math.sqrt(0.05 * 0.95 / 300)
    covered = [w.difference.has(2.0) for w in found]
    ratios = [w.relative.has(0.2) for w in found if w.relative]
    assert len(covered) == len(ratios) == 300
    assert sum(covered) / 300 == pytest.approx(0.95, abs=tolerance)
    assert sum(ratios) / 300 == pytest.approx(0.95, abs=tolerance)
    assert all(w.relative and w.difference.has(0) == w.relative.has(0) for w in found)


def test_the_ends_of_a_ratio_are_just_not_rejected() -> None:
    """Fieller's idea, taken literally: |mean a - r mean b| is t standard errors at both ends."""
    stream = np.random.default_rng(12)
    a, b = stream.normal(12, 1, 9), stream.normal(10, 3, 7)
    found = welch(a, b)
    assert found.relative is not None
    assert found.relative.ends is not None
    assert found.degrees_of_freedom is not None
    t = oracle.t.ppf(0.975, found.degrees_of_freedom)
    for end in found.relative.ends:
        gap = a.mean() - (1 + end) * b.mean()
        error = math.sqrt(a.var(ddof=1) / 9 + (1 + end) ** 2 * b.var(ddof=1) / 7)
        assert abs(gap) == pytest.approx(t * error)
    pairs = paired(a[:7], b)
    assert pairs.relative is not None
    assert pairs.relative.ends is not None
    for end in pairs.relative.ends:
        rest = a[:7] - (1 + end) * b
        error = rest.std(ddof=1) / math.sqrt(7)
        assert abs(rest.mean()) == pytest.approx(oracle.t.ppf(0.975, 6) * error)


def test_a_ratio_to_what_may_be_zero_has_no_bounds() -> None:
    found = paired([1.0, 2.0, 3.0], [-0.5, 0.1, 0.6])
    assert found.relative is not None
    assert found.relative.ends is None


def test_the_same_difference_everywhere_needs_no_test() -> None:
    found = paired([1.3, 2.3, 3.3], [1.0, 2.0, 3.0])
    assert found.constant
    assert (found.p, found.wilcoxon) == (None, None)
    assert found.difference.ends == pytest.approx((found.difference.estimate,) * 2, rel=0, abs=0)
    assert cohen_d_z([1.3, 2.3, 3.3], [1.0, 2.0, 3.0]) is None
    nothing = paired([5.0, 7.0], [5.0, 7.0])
    for interval in (nothing.difference, nothing.bootstrap, nothing.relative):
        assert interval is not None
        assert (interval.estimate, interval.ends) == (0, (0, 0))
    assert nothing.equal == 2


def test_zeros_are_equal_and_neither_above_nor_below() -> None:
    found = paired([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert (found.above, found.equal, found.below) == (0, 3, 0)
    assert found.constant


def test_relative_to_a_negative_baseline_higher_stays_higher() -> None:
    baseline, treatment = [-10.0, -11.0, -9.0, -10.5], [-5.0, -6.0, -4.5, -5.0]
    for found in (paired(treatment, baseline), welch(treatment, baseline)):
        assert found.relative is not None
        assert found.relative.ends is not None
        assert found.relative.estimate == pytest.approx(found.difference.estimate / 10.125)
        low, high = found.relative.ends
        assert 0 < low < found.relative.estimate < high


@pytest.mark.parametrize(("n", "exact"), [(14, True), (50, True), (51, False)])
def test_ranks_without_ties_are_exact_up_to_fifty_pairs(n: int, exact: bool) -> None:
    values = [float(i) * (-1) ** (i % 3 == 0) for i in range(1, n + 1)]
    found = signed_rank_test(values, [0.0] * n)
    assert found is not None
    assert found.exact is exact


def test_two_constants_need_no_test() -> None:
    found = welch([3.0, 3.0], [2.0, 2.0, 2.0])
    assert (found.constant, found.p, found.difference.ends) == (True, None, (1, 1))
    assert found.relative is not None
    assert (found.relative.estimate, found.relative.ends) == (0.5, (0.5, 0.5))
    assert hedges_g([3.0, 3.0], [2.0, 2.0, 2.0]) is None
    assert not welch([3.0, 3.0], [2.0, 2.5, 2.0]).constant


def test_one_value_says_nothing_about_spread() -> None:
    found = paired([2.0], [1.0])
    alone = welch([2.0], [1.0, 1.5])
    assert (found.difference.estimate, found.relative and found.relative.estimate) == (1.0, 1.0)
    for each in (found, alone):
        assert each.p is None
        for interval in (each.difference, each.bootstrap, each.relative):
            assert interval is not None
            assert interval.ends is None
    assert hedges_g([2.0], [1.0, 1.5]) is None


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0, 2.0]), ([], [])])
def test_what_makes_no_pairs(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match="make no pairs"):
        paired(a, b)


def test_missing_values_are_the_callers_affair() -> None:
    with pytest.raises(ValueError, match="value 1 is nan"):
        paired([1.0, math.nan], [1.0, 2.0])
    with pytest.raises(ValueError, match="value 0 is"):
        welch([1.0, 2.0], [math.inf, 2.0])
    with pytest.raises(ValueError, match="without values"):
        welch([], [1.0])


def test_hedges_by_hand() -> None:
    # Means 3 and 1, both variances 1, four degrees of freedom: J = gamma(2) / (sqrt(2) gamma(1.5)).
    assert hedges_g([2, 3, 4], [0, 1, 2]) == pytest.approx(2 / (math.sqrt(2) * 0.886226925))
    # His approximation 1 - 3/(4 f - 1) is close.
    assert hedges_g([2, 3, 4], [0, 1, 2]) == pytest.approx(2 * (1 - 3 / 15), rel=0.01)


def test_superiority_by_hand() -> None:
    assert probability_of_superiority([1, 2], [1, 0]) == (0.5 + 1 + 1 + 1) / 4
    assert superiority_of_pairs([1, 2, 0], [1, 0, 1]) == 0.5


def test_holm_by_hand() -> None:
    # R: p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm").
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.04, None, 0.01]) == [pytest.approx(0.04), None, pytest.approx(0.02)]
    assert holm([None]) == [None]
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_holm_finds_nothing_where_there_is_nothing() -> None:
    """Five variants against one baseline, all the same: wrong in at most 5 of 100 experiments."""
    n, variants = 10, 5
    stream = np.random.default_rng(8)
    baseline = stream.normal(0, 1, (REPETITIONS, 1, n))
    others = stream.normal(0, 1, (REPETITIONS, variants, n))
    ps = oracle.ttest_rel(others, baseline, axis=2).pvalue
    smallest = np.asarray(ps).min(axis=1)
    raw = np.mean(smallest < 0.05)
    gc.freeze()  # statsmodels calls the garbage collector each time
    try:
        corrected = np.mean([min(filter(None, holm(list(row)))) < 0.05 for row in np.asarray(ps)])
    finally:
        gc.unfreeze()
    assert raw > 0.10, "without a correction there is one in every few experiments"
    assert corrected <= 0.05 + TOLERANCE
    assert corrected > 0.01, "Holm's correction is not so strict as to find nothing at all"
