"""The rules by which a paper's claims are judged."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from scipy import stats

from hopwright._io.errors import InputError
from hopwright.research.papers import totals
from hopwright.research.papers.claims import Claim, Compound, Gain, Order
from hopwright.research.papers.document import read
from hopwright.research.papers.gains import difference, gain, gain_of_samples
from hopwright.research.papers.measures import Kind
from hopwright.research.papers.verdicts import (
    against_reference,
    compare,
    finding,
    is_as,
    is_as_printed,
)
from hopwright.statistics.moments import Moments, ratio
from tiny_paper import write


def claim(rule: str = "numbers", *orders: Order, tolerance: float | None = None) -> Claim:
    return Claim(
        id="c",
        says="",
        rule="numbers" if rule == "numbers" else "order",
        cells=("a", "b") if rule == "numbers" else (),
        tolerance=tolerance,
        orders=orders,
        because="",
    )


LOW, HIGH = [100.0, 110.0, 90.0], [200.0, 212.0, 189.0]
KINDS: dict[str, Kind] = {"a": "amount", "b": "amount"}


def found_of(what: Claim, printed: dict[str, float], a: list[float], b: list[float]) -> str:
    return finding(what, printed, KINDS, {"a": a, "b": b}).found


def test_numbers_are_reproduced_within_the_tolerance() -> None:
    assert found_of(claim(), {"a": 100 / 1.12, "b": 200}, LOW, HIGH) == "reproduced"
    assert found_of(claim(), {"a": 100 / 1.1201, "b": 200}, LOW, HIGH) == "not reproduced"
    assert found_of(claim(tolerance=0.2), {"a": 85, "b": 200}, LOW, HIGH) == "reproduced"


def test_numbers_that_are_off_have_the_same_direction_if_their_order_is_sure() -> None:
    order = Order("a", "b")
    assert found_of(claim("numbers", order), {"a": 1, "b": 2}, LOW, HIGH) == "same direction"
    assert found_of(claim("numbers", order), {"a": 1, "b": 2}, HIGH, LOW) == "not reproduced"
    unsure = [90.0, 130.0, 95.0]
    assert found_of(claim("numbers", order), {"a": 1, "b": 2}, LOW, unsure) == "open"
    assert found_of(claim("numbers"), {"a": 1, "b": 2}, LOW, unsure) == "not reproduced"


def test_numbers_are_not_reproduced_against_a_sure_order() -> None:
    order = Order("a", "b")
    printed = {"a": 100.0, "b": 105.0}
    above, below = [104.0, 105.0, 106.0], [99.0, 100.0, 101.0]
    assert found_of(claim("numbers", order), printed, below, above) == "reproduced"
    assert found_of(claim("numbers", order), printed, above, [99.0, 100.0, 102.0]) != "reproduced"
    unsure = [104.0, 108.0, 96.0]
    assert found_of(claim("numbers", order), printed, unsure, below) == "reproduced"


def test_a_claim_whose_numbers_are_not_printed_is_not_reproduced_by_them() -> None:
    assert found_of(claim(), {}, LOW, HIGH) == "not reproduced"


def test_an_order_is_shown_or_excluded_if_it_is_sure_and_else_open() -> None:
    order = Order("a", "b")
    assert found_of(claim("order", order), {}, LOW, HIGH) == "reproduced"
    assert found_of(claim("order", order), {}, LOW, [90.0, 130.0, 95.0]) == "open"
    assert found_of(claim("order", order), {}, [90.0, 130.0, 95.0], LOW) == "open"
    assert found_of(claim("order", order), {}, HIGH, LOW) == "not reproduced"
    assert found_of(claim("order", order), {}, [100.0], [200.0]) == "open"
    assert found_of(claim("order", order), {}, LOW, LOW) == "not reproduced"  # run by run the same


def test_two_zeros_are_alike_and_in_no_order() -> None:
    zeros = [0.0, 0.0, 0.0]
    assert found_of(claim("order", Order("a", "b")), {}, zeros, zeros) == "not reproduced"
    assert found_of(claim("numbers"), {"a": 0.0, "b": 0.0}, zeros, zeros) == "reproduced"
    for least, most, found in ((-5, 5, "reproduced"), (5, 15, "not reproduced")):
        assert found_of(gained(least, most), {}, zeros, zeros) == found
        assert found_of(gained(least, most), {}, zeros, HIGH) == "not reproduced"  # over nothing


def test_of_several_pairs_one_that_surely_differs_the_other_way_decides() -> None:
    orders = (Order("a", "b"), Order("b", "c"), Order("a", "c"))
    unsure = [190.0, 230.0, 195.0]
    values = {"a": LOW, "b": HIGH, "c": unsure}
    assert finding(claim("order", *orders), {}, KINDS, values).found == "open"
    values = {"a": HIGH, "b": LOW, "c": [100.0, 130.0, 70.0]}
    assert finding(claim("order", *orders), {}, KINDS, values).found == "not reproduced"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (LOW, HIGH, "sure"),
        (HIGH, LOW, "sure, in the other direction"),
        (LOW, [90.0, 130.0, 95.0], "not sure"),
        ([90.0, 130.0, 95.0], LOW, "not sure, means in the other direction"),
        ([200.0], [100.0], "not sure, means in the other direction"),  # of one run
        (LOW, [110.0, 90.0, 100.0], "not sure, means equal"),
        (LOW, LOW, "no difference"),
        (LOW, [math.nan] * 3, "not comparable"),
    ],
)
def test_a_pair_is_the_other_way_only_where_that_is_sure(
    low: list[float], high: list[float], word: str
) -> None:
    (pair,) = compare(claim("order", Order("a", "b")), {"a": low, "b": high}).pairs
    assert pair.word == word


def test_pairs_are_compared_run_by_run() -> None:
    # The same noise in both: the spread of each is a hundred times their difference.
    noise = [0.0, 1000.0, 2000.0, 3000.0]
    high = [10.0, 1011.0, 2009.0, 3010.0]
    assert found_of(claim("order", Order("a", "b")), {}, noise, high) == "reproduced"


def test_a_sign_is_an_order_against_zero() -> None:
    assert found_of(claim("order", Order("a", 0.0)), {}, [-1.0, -2.0, -1.5], LOW) == "reproduced"
    assert (
        found_of(claim("order", Order(0.0, "a")), {}, [-1.0, -2.0, -1.5], LOW) == "not reproduced"
    )


def test_the_tolerance_is_of_the_number_compared_with() -> None:
    assert is_as(172.5, 150, 0.15)
    assert not is_as(172.6, 150, 0.15)
    assert not is_as(6 + 0.91, 6, 0.15)
    assert is_as(0, 0, 0.15)
    assert not is_as(1, 0, 0.15)


def gained(least: float, most: float) -> Claim:
    return Claim("c", "", "gains", (), None, (), "", (Gain("b", "a", least, most),))


def test_gains_are_judged_by_their_range_and_then_by_their_sign() -> None:
    twice = [202.0, 220.0, 181.0]  # 101 % above LOW
    assert found_of(gained(100, 102), {}, LOW, twice) == "reproduced"
    assert found_of(gained(101, 101), {}, LOW, [2.01 * x for x in LOW]) == "reproduced"
    assert found_of(gained(110, 120), {}, LOW, twice) == "same direction"
    assert found_of(gained(-20, -10), {}, LOW, twice) == "not reproduced"
    assert found_of(gained(-20, -10), {}, twice, LOW) == "same direction"
    assert found_of(gained(-2, 2), {}, LOW, twice) == "not reproduced"
    noisy = [110.0, 101.0, 104.0]  # 5 %, give or take 36
    assert found_of(gained(-2, 2), {}, LOW, noisy) == "open"
    assert found_of(gained(2, 8), {}, LOW, noisy) == "open"  # in the range, no sure sign
    assert found_of(gained(-2, 8), {}, LOW, noisy) == "open"  # beyond the range as well
    assert found_of(gained(-40, 50), {}, LOW, noisy) == "reproduced"
    assert found_of(gained(10, 20), {}, LOW, noisy) == "open"  # it may be
    assert found_of(gained(50, 60), {}, LOW, noisy) == "not reproduced"  # it cannot be
    assert found_of(gained(10, 20), {}, [0.0, 0.0], [1.0, 2.0]) == "not reproduced"
    assert found_of(gained(100, 102), {}, [100.0], [201.0]) == "open"
    assert found_of(gained(110, 120), {}, [100.0], [201.0]) == "open"


def test_a_range_with_one_end_says_that_one_is_not_behind() -> None:
    noisy = [110.0, 101.0, 104.0]  # 5 %, give or take 36
    assert found_of(gained(-5, math.inf), {}, LOW, HIGH) == "reproduced"
    assert found_of(gained(-5, math.inf), {}, LOW, [0.96 * x for x in LOW]) == "reproduced"
    assert found_of(gained(-5, math.inf), {}, LOW, noisy) == "open"  # it may be
    assert found_of(gained(-5, math.inf), {}, HIGH, LOW) == "not reproduced"
    assert found_of(gained(5, math.inf), {}, LOW, HIGH) == "reproduced"
    assert found_of(gained(5, math.inf), {}, LOW, [1.04 * x for x in LOW]) == "same direction"
    assert found_of(gained(-math.inf, -5), {}, HIGH, LOW) == "reproduced"


def test_of_several_gains_the_weakest_decides() -> None:
    twice, noisy = [202.0, 220.0, 181.0], [110.0, 101.0, 104.0]
    values = {"a": LOW, "b": twice, "c": noisy}

    def both(b: tuple[float, float], c: tuple[float, float]) -> str:
        gains = (Gain("b", "a", *b), Gain("c", "a", *c))
        return finding(Claim("c", "", "gains", (), None, (), "", gains), {}, KINDS, values).found

    assert both((100, 102), (-40, 50)) == "reproduced"
    assert both((110, 120), (-40, 50)) == "same direction"
    assert both((100, 102), (2, 8)) == "open"
    assert both((110, 120), (2, 8)) == "open"
    assert both((100, 102), (50, 60)) == "not reproduced"


def test_a_gain_may_be_a_difference() -> None:
    def differs(least: float, most: float) -> str:
        gains = (Gain("b", "a", least, most, is_difference=True),)
        what = Claim("c", "", "gains", (), None, (), "", gains)
        return finding(what, {}, KINDS, {"a": LOW, "b": HIGH}).found

    assert differs(100, 101) == "reproduced"  # 100, 102 and 99 more
    assert differs(110, 120) == "same direction"
    assert differs(-2, 2) == "not reproduced"
    assert str(Gain("b", "a", 1.5, 2.5, is_difference=True)) == "b - a: 1.5 to 2.5"
    assert str(Gain("b", "a", 5, 12)) == "b / a: 5 to 12 %"


def test_of_the_largest_and_the_least_gain_means_decide() -> None:
    values = {"a": LOW, "b": HIGH, "c": [110.0, 121.0, 99.5]}
    pairs = (("b", "a"), ("c", "a"))

    def found(extreme: Literal["most", "least"], least: float, most: float) -> str:
        gains = (Gain("b", "a", least, most, of="*/a", extreme=extreme, pairs=pairs),)
        return finding(Claim("c", "", "gains", (), None, (), "", gains), {}, KINDS, values).found

    assert found("most", 90, 110) == "reproduced"
    assert found("least", 90, 110) == "same direction"
    assert found("least", 5, 15) == "reproduced"
    # Where one is over nothing, none is the least.
    gains = (Gain("b", "a", 1, 2, extreme="least", pairs=pairs),)
    none = Claim("c", "", "gains", (), None, (), "", gains)
    assert finding(none, {}, KINDS, values | {"a": [0.0] * 3}).found == "not reproduced"
    assert compare(none, {"a": LOW, "b": HIGH}).gained == ()


def test_orders_of_sums_and_gains_are_of_means_and_paired() -> None:
    values = {"a": LOW, "b": HIGH, "c": [110.0, 121.0, 99.5]}
    total = Compound(("a", "b"), (), "sum of *")
    (pair,) = compare(claim("order", Order("c", total)), values).pairs
    sums = [a + b for a, b in zip(LOW, HIGH, strict=True)]
    assert pair.difference == difference(sums, values["c"])
    doubled = Compound(("b",), ("a",), "b / a")
    tenth = Compound(("c",), ("a",), "c / a")
    (alone,) = compare(claim("order", Order(0.0, doubled)), values).pairs
    assert (alone.difference.estimate, alone.difference.low) == pytest.approx(
        (gained := gain(HIGH, LOW)) and (gained.estimate, gained.low)
    )
    assert found_of(claim("order", Order(5.0, tenth)), {}, LOW, HIGH) == "open"  # c is not known
    found = finding(claim("order", Order(tenth, doubled)), {}, KINDS, values)
    assert found.found == "reproduced"
    assert finding(claim("order", Order(doubled, tenth)), {}, KINDS, values).found == (
        "not reproduced"
    )
    nothing = values | {"a": [0.0] * 3}
    assert finding(claim("order", Order(tenth, doubled)), {}, KINDS, nothing).found == "open"


def every_run(*orders: Order) -> Claim:
    return Claim("c", "", "every run", (), None, orders, "")


def test_a_claim_about_every_run_is_not_judged_by_means() -> None:
    never, once, often = [0.0] * 5, [0.0, 0.0, 4.0, 0.0, 0.0], [0.0, 2.0, 0.0, 2.0, 1.0]
    below = every_run(Order("a", 1.0), Order("b", 1.0))
    assert found_of(below, {}, never, never) == "reproduced"
    assert found_of(below, {}, never, once) == "same direction"
    assert found_of(below, {}, often, once) == "not reproduced"
    assert found_of(every_run(Order("a", 1.0)), {}, [0.0, 1.0], never) == "not reproduced"
    counted = finding(below, {}, KINDS, {"a": never, "b": once}).compared.counted
    assert [(each.count, each.runs) for each in counted] == [(5, 5), (4, 5)]
    # Run by run, not mean by mean.
    assert found_of(every_run(Order("a", "b")), {}, never, often) == "same direction"


def some_runs(*gains: Gain) -> Claim:
    return Claim("c", "", "some runs", (), None, (), "", gains)


def test_a_claim_about_some_runs_wants_each_gain_in_a_tenth_of_them() -> None:
    alike = Gain("a", "b", -10, 10)
    behind = Gain("a", "b", -math.inf, -25)
    b = [100.0] * 20
    rarely = [50.0] + [100.0] * 19
    often = [50.0, 75.0] + [100.0] * 18
    assert found_of(some_runs(alike, behind), {}, often, b) == "reproduced"
    assert found_of(some_runs(alike, behind), {}, rarely, b) == "not reproduced"
    assert found_of(some_runs(alike), {}, rarely, b) == "reproduced"
    assert found_of(some_runs(alike), {}, [50.0] * 20, b) == "not reproduced"
    counted = finding(some_runs(alike, behind), {}, KINDS, {"a": often, "b": b}).compared.counted
    assert [(each.count, each.runs, each.least) for each in counted] == [
        (18, 20, 0.1),
        (2, 20, 0.1),
    ]
    # Run by run: the mean of these is level, no run is.
    assert found_of(some_runs(alike), {}, [50.0, 150.0] * 10, b) == "not reproduced"
    # A run in which the other side delivers nothing has no gain in percent, but a difference.
    nothing = [0.0] * 20
    assert found_of(some_runs(behind), {}, nothing, nothing) == "not reproduced"
    level = Gain("a", "b", 0, 0, is_difference=True)
    assert found_of(some_runs(level), {}, nothing, nothing) == "reproduced"
    # Of several pairs all runs count: two of these forty are as stated.
    both = Gain("a", "b", -math.inf, -25, of="* / b", pairs=(("a", "b"), ("b", "a")))
    assert found_of(some_runs(both), {}, often, b) == "not reproduced"


def test_what_a_claim_compares_is_told_as_far_as_there_are_values() -> None:
    orders = (Order("a", "b"), Order("a", "c"), Order("a", 1000.0))
    gains = (Gain("b", "a", 100, 102), Gain("c", "a", 100, 102))
    found = compare(Claim("c", "", "order", (), None, orders, "", gains), {"a": LOW, "b": HIGH})
    assert [str(pair.order) for pair in found.pairs] == ["a < b", "a < 1000.0"]
    assert [each.gain.high for each in found.gained] == ["b"]


def test_the_interval_of_a_gain_is_that_of_a_ratio_of_pairs() -> None:
    a, b = [110.0, 131.0, 118.0, 141.0], [100.0, 120.0, 110.0, 130.0]
    found = gain(a, b)
    assert found is not None
    r = 500 / 460
    residuals = [x - r * y for x, y in zip(a, b, strict=True)]
    half = stats.t.ppf(0.975, 3) * stats.sem(residuals) / 115
    assert found.estimate == pytest.approx(100 * (r - 1))
    assert found.high == pytest.approx(100 * (r - 1 + half))
    assert found.low == pytest.approx(100 * (r - 1 - half))
    # Noise that both have does not count, however large.
    proportional = gain([1.1 * y for y in [1.0, 1000.0]], [1.0, 1000.0])
    assert proportional is not None
    assert proportional.low == pytest.approx(10)


def test_a_small_printed_count_may_be_any_run_of_ours() -> None:
    own = Moments.of([50.0, 70.0, 60.0, 40.0, 80.0])  # one run: 60 ± 2.776 x 15.8 x √1.2, 11.9 up
    assert is_as_printed(own, 12, "count")
    assert not is_as_printed(own, 11.8, "count")
    assert not is_as_printed(own, 12, "amount")
    assert not is_as_printed(Moments.of([500.0, 0.0, 1000.0]), 151, "count")
    assert not is_as_printed(Moments.of([50.0]), 12, "count")


def test_numbers_that_only_single_runs_reach_are_named() -> None:
    kinds: dict[str, Kind] = {"a": "count", "b": "count"}
    values = {"a": [50.0, 70.0, 60.0, 40.0, 80.0], "b": [59.0, 60.0, 61.0, 60.0, 60.0]}
    found = finding(claim(), {"a": 45.0, "b": 60.0}, kinds, values)
    assert found.found == "reproduced"
    assert found.as_one_run == ("a",)
    assert not finding(claim(), {"a": 5.0, "b": 60.0}, kinds, values).as_one_run


def test_a_small_count_is_as_ns2_if_the_ratio_may_be_within_the_tolerance() -> None:
    other = Moments(100, 10, 10)
    assert against_reference(Moments(117, 10, 10), other, "count").is_as  # 1.17, from 1.07
    assert not against_reference(Moments(125, 10, 10), other, "count").is_as  # 1.25, from 1.14
    assert against_reference(Moments(84, 10, 10), other, "count").is_as
    assert not against_reference(Moments(78, 10, 10), other, "count").is_as
    assert not against_reference(Moments(117, 10, 10), other, "amount").is_as
    assert not against_reference(Moments(177, 20, 10), Moments(151, 15, 10), "count").is_as
    assert not against_reference(Moments(1, 1, 10), Moments(0, 0, 10), "count").is_as


def test_ours_is_as_ns2_within_5_and_10_percent() -> None:
    other = Moments(1000, 10, 10)
    assert against_reference(Moments(1050, 10, 10), other, "amount").is_as
    assert not against_reference(Moments(1051, 10, 10), other, "amount").is_as
    assert against_reference(Moments(1100, 10, 10), other, "count").is_as
    assert not against_reference(Moments(1101, 10, 10), other, "count").is_as


def test_intervals_are_students() -> None:
    # t of 0.975 with 2 degrees of freedom is 4.302653; sd of 1, 2, 3 is 1.
    ends = Moments.of([1.0, 2.0, 3.0]).interval()
    assert ends.high == pytest.approx(2 + 4.302653 / math.sqrt(3), rel=1e-6)
    one = Moments.of([1.0, 2.0, 3.0]).one_run()
    assert one.high == pytest.approx(2 + 4.302653 * math.sqrt(4 / 3), rel=1e-6)
    assert difference([3.0, 4.0, 5.0], [1.0, 2.0, 3.0]).low == pytest.approx(2)
    assert Moments.of([1.0]).interval().low is None


def test_a_ratio_is_inverted_with_its_sides() -> None:
    a, b = Moments(110, 5, 20), Moments(100, 8, 10)
    there, back = ratio(a, b), ratio(b, a)
    assert there is not None
    assert back is not None
    assert there.low is not None
    assert back.high is not None
    assert there.low == pytest.approx(1 / back.high)
    # By hand: (5/110)²/20 + (8/100)²/10 = 7.433e-4, 12.75 degrees of freedom, t = 2.1645.
    assert there.low == pytest.approx(1.1 * math.exp(-2.1645 * math.sqrt(7.4331e-4)), rel=1e-3)
    assert ratio(Moments(0, 0, 5), b) is None


def test_degrees_of_freedom_of_a_ratio_are_welchs() -> None:
    a, b = Moments(110, 20, 3), Moments(100, 8, 2)
    found = ratio(a, b)
    assert found is not None
    parts = [(20 / 110) ** 2 / 3, (8 / 100) ** 2 / 2]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 1)
    reach = float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(parts))
    assert found.high == pytest.approx(1.1 * math.exp(reach), rel=1e-6)


def test_results_of_the_run_are_taken_once_and_those_of_flows_added(tmp_path: Path) -> None:
    document = read(write(tmp_path))
    flow = {"goodput_segments": 10.0, "mac.failures.data": 3.0, "mac.failures.ack": 2.0}
    measures = {each.id: each for each in document.measures.values()}
    assert totals.number_of(measures["segments"], [flow, flow]) == 20
    assert totals.number_of(measures["lost"], [flow, flow]) == 5
    other = {**flow, "goodput_segments": 30.0}
    share = replace(measures["segments"], flow=1, is_share=True)
    assert totals.number_of(share, [flow, other]) == 75
    datagrams = dict.fromkeys(flow)
    assert totals.number_of(share, [flow, other, datagrams]) == 75
    nothing = {**flow, "goodput_segments": 0.0}
    with pytest.raises(InputError, match="share: the sum over all flows is 0 in a run"):
        totals.number_of(share, [nothing, nothing])


def test_gains_of_samples_are_ratios_and_welchs_differences() -> None:
    high, low = [108.0, 111.0, 109.5, 112.0, 110.0], [100.0, 101.0, 99.0]
    samples = Moments.of(high), Moments.of(low)
    found = gain_of_samples(*samples, is_difference=True)
    oracle = stats.ttest_ind(high, low, equal_var=False).confidence_interval(0.95)
    assert found is not None
    assert found.estimate == pytest.approx(110.1 - 100)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), rel=1e-6)
    percent, quotient = gain_of_samples(*samples, is_difference=False), ratio(*samples)
    assert percent is not None
    assert quotient is not None
    assert quotient.low is not None
    assert quotient.high is not None
    assert percent.estimate == pytest.approx(10.1)
    ends = [100 * (end - 1) for end in (quotient.low, quotient.high)]
    assert (percent.low, percent.high) == pytest.approx(ends)
    assert gain_of_samples(samples[0], Moments(0.0, 0.0, 3), is_difference=False) is None
