"""The statistics and formulas of `validation/`."""

import importlib
import math
import random
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from scipy import stats as oracle

from hopwright import load
from hopwright.statistics.moments import Moments

VALIDATION = Path(__file__).resolve().parents[2] / "validation"


def module(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    patch.syspath_prepend(VALIDATION)
    return importlib.import_module(name)


@pytest.fixture
def intervals(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("intervals", monkeypatch)


@pytest.fixture
def formulas(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("formulas", monkeypatch)


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("report", monkeypatch)


def test_against_an_exact_number_the_interval_is_students(intervals: ModuleType) -> None:
    values = [99.0, 100.0, 101.0, 102.0, 100.5]
    ratio = intervals.ratio_of_means(Moments.of(values), intervals.exact(100.0))
    low, high = oracle.t.interval(0.95, 4, loc=sum(values) / 5, scale=oracle.sem(values))
    assert ratio.value == pytest.approx(1.005, rel=1e-12)
    assert (ratio.low, ratio.high) == pytest.approx((low / 100, high / 100), rel=2e-4)


def test_two_noisy_means_by_hand(intervals: ModuleType) -> None:
    # relative variances of the means: 0.1²/4 and 0.2²/16, each 0.0025; freedom 4/(1/3 + 1/15) = 10
    own, other = Moments(100.0, 10.0, 4), Moments(50.0, 10.0, 16)
    ratio = intervals.ratio_of_means(own, other)
    reach = 2.228139 * math.sqrt(0.005)
    assert ratio.value == 2
    assert ratio.high == pytest.approx(2 * math.exp(reach), rel=1e-6)
    assert ratio.low == pytest.approx(2 * math.exp(-reach), rel=1e-6)
    other_way = intervals.ratio_of_means(other, own)
    assert other_way.low == pytest.approx(1 / ratio.high, rel=1e-12)


def test_the_interval_holds_the_truth_in_95_of_100(intervals: ModuleType) -> None:
    stream = random.Random(5)
    held = 0
    for _ in range(2000):
        own = Moments.of([stream.gauss(1.5, 0.1) for _ in range(5)])
        other = Moments.of([stream.gauss(1.0, 0.02) for _ in range(20)])
        ratio = intervals.ratio_of_means(own, other)
        held += ratio.low <= 1.5 <= ratio.high
    assert 1880 <= held <= 1925  # 1900 and 2.5 standard errors of 9.7


def test_gains_are_apart_by_points_with_the_noise_of_both(intervals: ModuleType) -> None:
    own, other = intervals.Ratio(1.08, 1.05, 1.12), intervals.Ratio(1.06, 1.03, 1.10)
    apart = intervals.difference_of_gains(own, other)
    assert apart.value == pytest.approx(2)
    assert apart.low == pytest.approx(2 - math.hypot(3, 4))
    assert apart.high == pytest.approx(2 + math.hypot(4, 3))
    assert apart.within(7.1)
    assert not apart.within(6.9)
    back = intervals.difference_of_gains(other, own)
    assert (back.low, back.high) == pytest.approx((-apart.high, -apart.low))


def test_no_noise_no_width(intervals: ModuleType) -> None:
    ratio = intervals.ratio_of_means(Moments.of([3.0, 3.0]), intervals.exact(3.0))
    assert (ratio.low, ratio.value, ratio.high) == (1, 1, 1)
    assert ratio.within(0)


def test_a_ratio_needs_positive_means(intervals: ModuleType) -> None:
    with pytest.raises(ValueError, match="positive"):
        intervals.ratio_of_means(intervals.exact(1.0), intervals.exact(0.0))


def test_the_whole_interval_must_fit(intervals: ModuleType) -> None:
    assert intervals.Ratio(1.0, 0.97, 1.03).within(0.03)
    assert not intervals.Ratio(1.0, 0.969, 1.03).within(0.03)
    assert not intervals.Ratio(1.0, 0.97, 1.031).within(0.03)
    assert not intervals.Ratio(1.01, 1.0, 1.02).apart_from_one()
    assert intervals.Ratio(1.01, 1.001, 1.02).apart_from_one()
    assert intervals.Ratio(0.98, 0.97, 0.99).apart_from_one()


def test_the_median_of_alike_files_narrows_to_their_noise(intervals: ModuleType) -> None:
    exact = [(intervals.exact(r), intervals.exact(1.0)) for r in (0.9, 1.0, 1.3)]
    ratio = intervals.median_ratio(exact)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1.0, 0.9, 1.3))
    noisy = [(Moments(1.1, 0.11, 5), Moments(1.0, 0.1, 5))] * 12
    ratio = intervals.median_ratio(noisy)
    # one file's deviation is 0.0632; a median of twelve has 1.2 times the mean's
    assert ratio.value == pytest.approx(1.1)
    assert 0.035 < math.log(ratio.high / ratio.value) < 0.055
    assert intervals.median_ratio(noisy) == ratio


@pytest.mark.parametrize(
    ("stations", "tau"), [(2, 0.0570), (5, 0.0478), (10, 0.0373), (20, 0.0264)]
)
def test_fixed_point(formulas: ModuleType, stations: int, tau: float) -> None:
    found = formulas.attempt_probability(stations)
    assert found == pytest.approx(tau, abs=5e-5)
    p = 1 - (1 - found) ** (stations - 1)
    w, m = 32, 5
    printed = 2 * (1 - 2 * p) / ((1 - 2 * p) * (w + 1) + p * w * (1 - (2 * p) ** m))
    assert found == pytest.approx(printed, rel=1e-9)


@pytest.mark.parametrize(
    ("rts", "stations", "kbps"),
    [(False, 2, 1708), (False, 5, 1617), (False, 10, 1509), (True, 2, 1595), (True, 10, 1605)],
)
def test_saturation(formulas: ModuleType, rts: bool, stations: int, kbps: int) -> None:
    # IP packets of 1500 bytes counted whole, 28 bytes of MAC header, a delay of 1 us
    cell = formulas.Cell(1500 - 28, 28, 15.5, 300, rts)
    assert cell.saturation_bps(stations) * 1500 / 1472 / 1e3 == pytest.approx(kbps, abs=0.6)


def test_cycle_by_hand(formulas: ModuleType) -> None:
    with_rts = formulas.Cell(1472, 34, 15.0, 0, rts=True)
    without = formulas.Cell(1472, 34, 15.0, 0, rts=False)
    assert with_rts.cycle_us == 50 + 20 * 15 + 352 + 10 + 304 + 10 + 6328 + 10 + 304
    assert without.cycle_us == 50 + 20 * 15 + 6328 + 10 + 304


def test_a_gap_is_explained_by_its_longest_heading(report: ModuleType) -> None:
    gaps = report.read_gaps("Notes.\n\n## static\n\nOne\nline.\n\n## static/goodput\nAnother.\n")
    assert gaps == {"static": "One line.", "static/goodput": "Another."}
    assert report.explanation_of("static/goodput/reno/8", gaps) == "static/goodput"
    assert report.explanation_of("static/failures/reno/8", gaps) == "static"
    assert report.explanation_of("mobile/median", gaps) == ""


@pytest.mark.parametrize("protocol", ["aodv", "dsr"])
def test_the_table_of_choices_has_every_key_that_the_rfc_sets_otherwise(
    protocol: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    choices = module("choices", monkeypatch)

    def keys(profile: str) -> dict[str, object]:
        path = tmp_path / "scenario.toml"
        path.write_text(choices.scenario(choices.PLACES[0], protocol, {"profile": f'"{profile}"'}))
        table: dict[str, object] = tomllib.loads(load(path).check().to_toml())["routing"][protocol]
        return table

    ns2, rfc = keys("ns2"), keys("rfc")
    otherwise = {key for key in ns2.keys() & rfc.keys() if ns2[key] != rfc[key]} - {"profile"}
    changes = choices.SWITCHES[protocol]
    assert otherwise <= changes.keys()
    for key, (old, new) in changes.items():
        assert tomllib.loads(f"x = {old}")["x"] == ns2[key]
        assert key not in rfc or tomllib.loads(f"x = {new}")["x"] == rfc[key]


TRACE = """\
D 2.000000000 _3_ MAC  RET 0 RTS 44 [4b6 2 3 0]
D 2.000000000 _3_ MAC  RET 41 tcp 1520 [13a 2 3 800] ------- [0:0 5:0 30 4] [7 0] 3 0
D 2.000000000 _3_ RTR  CBK 41 tcp 1520 [13a 2 3 800] ------- [0:0 5:0 30 4] [7 0] 3 0
D 2.000000000 _3_ RTR  CBK 42 tcp 1520 [0 2 3 800] ------- [0:0 5:0 30 4] [8 0] 3 0
s 2.000000000 _3_ RTR  --- 0 AODV 32 [0 0 0 0] ------- [3:255 -1:255 1 0] [0x8 1 [5 0] 0.0] (ERROR)
r 2.000000000 _4_ RTR  --- 43 ack 40 [13a 4 5 800] ------- [5:0 0:0 29 3] [6 0] 1 0
SSendFailure 2.500000000 _1_ 44 5 1:0 9:0 1->9 0 0 0 2 [|1 9 ]
D 2.500000000 _1_ MAC  RET 44 ack 60 [13a 9 1 800] ------- [1:0 9:0 32 9] [6 0] 0 0
s 2.500000000 _1_ RTR  --- 44 ack 60 [13a 9 1 800] ------- [1:0 9:0 32 2] [6 0] 0 0
D 2.500000000 _1_ IFQ  ARP 45 ack 60 [13a 9 1 800] ------- [1:0 9:0 32 2] [7 0] 0 0
s 2.500000000 _1_ RTR  --- 46 DSR 44 [0 0 1 800] ------- [1:255 7:255 255 7] 2 [0 0]
"""
"""Two packets given up: as ns-2 traces it over AODV and over DSR."""


def test_what_a_router_does_as_a_packet_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = module("reactions", monkeypatch)
    trace = tmp_path / "trace.tr"
    trace.write_text(TRACE)
    assert tool.reactions(trace) == {
        "tcp: 2 dropped (CBK), ERROR sent": 1,
        "ack: 1 dropped (ARP), 1 sent another way, DSR sent": 1,
    }
    for freedom in (1, 5, 30):
        exact = float(oracle.chi2.ppf(0.95, freedom))
        assert tool.limit(freedom) == pytest.approx(exact, rel=0.03)


def test_ranks_of_one_file_are_mann_and_whitneys(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = module("seeds", monkeypatch)
    own, other = [5.0, 9.0, 1.0, 7.5, 3.25], [2.0, 4.0, 0.5]
    share, z = tool.ranks([own], [other])
    exact = oracle.mannwhitneyu(own, other, use_continuity=False, method="asymptotic")
    assert share == pytest.approx(exact.statistic / 15)
    assert 2 * oracle.norm.sf(abs(z)) == pytest.approx(exact.pvalue)
    # Two files, one as good as the other is bad: together they say nothing.
    share, z = tool.ranks([own, other], [other, own])
    assert (share, z) == (pytest.approx(0.5), pytest.approx(0))
