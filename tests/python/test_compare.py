"""Comparisons say what the numbers say, in words that cannot be misread."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from arro3.io import read_parquet
from scipy import stats as oracle

from comparing import NOISE, OWN, PROTOCOL, goodputs, known, one, protocols, sweep_of
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import InputError
from hopwright.comparisons import compare, compare_sweep
from processes import Hopwright


def test_a_clear_difference(tmp_path: Path) -> None:
    baseline, treatment = 200 + NOISE, 230 + NOISE + OWN
    found, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs(baseline), sca_reno=goodputs(treatment))
    )
    direct = oracle.ttest_rel(1000 * treatment, 1000 * baseline)
    low, high = direct.confidence_interval()
    assert contrast.verdict == "difference"
    assert (contrast.test, contrast.n, contrast.left_out) == ("paired t", 30, 0)
    difference = known(contrast.difference)
    assert difference.estimate == pytest.approx(1000 * (treatment - baseline).mean())
    assert difference.ends == pytest.approx((low, high))
    assert contrast.p == contrast.p_holm == pytest.approx(float(direct.pvalue), rel=1e-6)
    apart = oracle.ttest_ind(treatment, baseline, equal_var=False)
    assert contrast.welch_p == pytest.approx(float(apart.pvalue), rel=1e-6)
    assert contrast.wilcoxon_p == pytest.approx(
        float(oracle.wilcoxon(treatment - baseline).pvalue), rel=1e-6
    )
    assert known(contrast.relative).estimate == pytest.approx(
        treatment.mean() / baseline.mean() - 1
    )
    assert contrast.mean == pytest.approx(1000 * treatment.mean())
    assert contrast.baseline_sd == pytest.approx(1000 * baseline.std(ddof=1))
    percent = 100 * (treatment.mean() / baseline.mean() - 1)
    assert words == (
        f"sca-reno against reno, goodput: on average {percent:.1f} % higher than with reno "
        f"(+{(treatment - baseline).mean():.1f} kb/s; 95 % interval +{low / 1000:.1f} to "
        f"+{high / 1000:.1f} kb/s). Better (higher) in 30 of 30 pairs of runs with the same random "
        "numbers. If there were no true difference, chance alone would give a difference at "
        "least this large in fewer than 1 of 10,000 such experiments (paired t test, p<0.0001). "
        "Wilcoxon's signed-rank test shows a difference as well (exact, p<0.0001)."
    )
    shown = str(found)
    assert "goodput (kb/s); higher is better" in shown
    assert re.search(rf"reno +{baseline.mean():.1f} ± [\d.]+ +baseline", shown)
    assert "30 seeds from 1 to 30" in shown


def test_no_difference_shown_is_not_said_to_be_none(tmp_path: Path) -> None:
    baseline, treatment = 200 + NOISE, 200 + NOISE + OWN - OWN.mean() + 0.2
    _, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs(baseline), vegas=goodputs(treatment))
    )
    assert contrast.verdict == "no difference shown"
    low, high = known(contrast.difference).ends or (0, 0)
    assert low < 0 < high
    assert words.startswith(
        "vegas against reno, goodput: no difference shown. The runs differ by +0.2 kb/s (+0.1 %) "
        "on average, but the data allow a true difference anywhere from "
        f"{low / 1000:.1f} to +{high / 1000:.1f} kb/s: that is the 95 % interval. In percent of "
        "the baseline, whose mean is uncertain too: -"
    )
    assert words.endswith(
        "shows no difference either (exact, p=0.97)." if "0.97" in words else ")."
    )
    assert not re.search("equal|insignificant|the same as|no effect", words)


def test_among_many_comparisons_one_is_not_enough(tmp_path: Path) -> None:
    stream = np.random.default_rng(4)
    spread = stream.normal(0, 5, 20)
    spread = (spread - spread.mean()) / spread.std(ddof=1)
    # t = 0.55 sqrt(20) = 2.46, p = 0.024; three times that is beyond 5 %.
    runs = {
        "reno": goodputs(200 + NOISE[:20]),
        "vegas": goodputs(200 + NOISE[:20] + 0.55 + spread),
        "tahoe": goodputs(200 + NOISE[:20] + 0.1 + spread),
        "sack": goodputs(200 + NOISE[:20] - 0.1 + spread),
        "cubic": goodputs(200 + NOISE[:20]),  # the same needs no test, and counts for none
    }
    found = compare_sweep(protocols(tmp_path / "s", **runs), baseline="reno")
    contrast, words = found.contrasts[0], found.sentences[0]
    assert contrast.p == pytest.approx(0.0237, abs=5e-4)
    assert contrast.p_holm == pytest.approx(3 * (contrast.p or 1))
    assert (contrast.comparisons, contrast.verdict) == (3, "difference only if alone")
    assert words.startswith("vegas against reno, goodput: no difference shown, but nearly.")
    assert "with 3 comparisons, a difference as clear as this may well be chance" in words
    assert "p=0.071 after Holm's correction for 3 comparisons" in words


def test_what_is_exactly_the_same(tmp_path: Path) -> None:
    found, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs(NOISE + 200), vegas=goodputs(NOISE + 200))
    )
    assert contrast.row() | {"difference": 0, "low": 0, "high": 0, "relative": 0} == contrast.row()
    assert (contrast.p, contrast.wilcoxon_p, contrast.verdict) == (None, None, "same")
    assert words == (
        "vegas against reno, goodput: exactly the same in all 30 pairs of runs with the same "
        "random numbers. There is no difference in these runs, and nothing to test."
    )
    assert "± is half" in str(found)
    assert "chance" not in str(found), "nothing was tested, so no test is explained"


def test_the_same_difference_in_every_pair(tmp_path: Path) -> None:
    _, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs([200.3] * 6), vegas=goodputs([210.3] * 6))
    )
    assert (contrast.verdict, contrast.p) == ("constant", None)
    assert words == (
        "vegas against reno, goodput: 5.0 % higher than with reno (+10.0 kb/s), the same in each "
        "of the 6 pairs of runs with the same random numbers, so a t test has no variation to "
        "compare the difference with. If there were no true difference, chance alone would make "
        "all pairs differ in the same direction in about 3 of 100 such experiments (sign test)."
    )


def test_tests_that_disagree_say_so(tmp_path: Path) -> None:
    # Nineteen small steps up and a deep fall: the ranks see the steps, the mean does not.
    steps = np.append(np.linspace(1.0, 2.0, 19), -30.0)
    _, contrast, words = one(
        protocols(tmp_path / "a", reno=goodputs([200.0] * 20), vegas=goodputs(200 + steps))
    )
    assert contrast.verdict == "no difference shown"
    assert "Wilcoxon's signed-rank test does show a difference (exact, p=" in words
    assert "direction, although their mean shows no difference" in words
    # Five large steps up and a little noise: the mean sees them.
    steps = np.append(np.linspace(40, 41, 5), np.linspace(-2, 1, 10) + 0.05)
    _, contrast, words = one(
        protocols(tmp_path / "b", reno=goodputs([200.0] * 15), vegas=goodputs(200 + steps))
    )
    assert contrast.verdict == "difference"
    assert "Wilcoxon's signed-rank test does not show a difference (exact, p=" in words


@pytest.mark.parametrize("step", [10.0, 0.01])
def test_few_pairs_are_too_few_for_ranks(tmp_path: Path, step: float) -> None:
    up = [step, step + 0.1, step + 0.2, step - 0.003]
    _, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs([9.0] * 4), vegas=goodputs([9 + x for x in up]))
    )
    assert contrast.verdict == ("difference" if step > 1 else "no difference shown")
    assert (
        "Wilcoxon's signed-rank test cannot decide with 4 pairs that differ, although all differ "
        "in the same direction (exact, p=0.12)."
    ) in words


def test_runs_of_other_seeds_are_no_pairs(tmp_path: Path) -> None:
    baseline, treatment = 200 + NOISE, 230 + NOISE[::-1] + OWN
    _, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs(baseline), vegas=goodputs(treatment, first=100))
    )
    direct = oracle.ttest_ind(1000 * treatment, 1000 * baseline, equal_var=False)
    assert contrast.test == "Welch's t"
    assert contrast.p == pytest.approx(float(direct.pvalue), rel=1e-6)
    assert known(contrast.difference).low == pytest.approx(direct.confidence_interval().low)
    assert (contrast.wilcoxon_p, contrast.above) == (None, None)
    assert "30 runs against 30 runs with other random numbers, so they cannot be compared" in words
    assert "(Welch's t test, p" in words
    assert "paired" not in words
    assert "Wilcoxon" not in words


def test_runs_without_partner_or_value_are_left_out_and_told(tmp_path: Path) -> None:
    runs = dict(goodputs(210 + NOISE[:10] + OWN[:10], first=3))
    runs[5] = [{"protocol": "vegas", "goodput_bps": None}]
    _, contrast, words = one(protocols(tmp_path / "s", reno=goodputs(200 + NOISE[:10]), vegas=runs))
    # Seeds 3 to 10 are there twice, but for seed 5.
    assert (contrast.n, contrast.left_out) == (7, 20 - 14)
    assert "in 7 pairs" in words or "of 7 pairs" in words
    assert words.endswith(" Left out: 6 runs have no value, or no partner of the same seed.")


def test_a_single_run_says_nothing(tmp_path: Path) -> None:
    found, contrast, words = one(
        protocols(tmp_path / "s", reno=goodputs([200]), vegas=goodputs([220]))
    )
    assert contrast.verdict == "unknown"
    assert words == (
        "vegas against reno, goodput: +20.0 kb/s, but from 1 pair of runs only. How much of this "
        "is chance cannot be known: at least two are needed."
    )
    assert "± is" not in str(found)


def test_a_baseline_of_zero_has_no_percentage(tmp_path: Path) -> None:
    runs = [
        {s: [{"protocol": "reno", "rto_count": c}] for s, c in enumerate(row)}
        for row in ([0] * 8, [4, 5, 6, 5, 4, 7, 5, 4])
    ]
    _, contrast, words = one(
        protocols(tmp_path / "s", reno=runs[0], vegas=runs[1]), metrics=["rto_count"]
    )
    assert contrast.relative is None
    assert "on average higher than with reno, where it is zero (+5.0; 95 % interval" in words


def test_blocks_are_compared_apart_and_corrected_together(tmp_path: Path) -> None:
    points = [
        ({"topology.hops": hops, PROTOCOL: protocol}, goodputs(1000 / hops + shift + NOISE[:10]))
        for hops in (4, 8, 16)
        for protocol, shift in (("reno", 0), ("vegas", OWN[:10] + hops / 4))
    ]
    folder = sweep_of(tmp_path / "s", points)
    found = compare_sweep(folder, baseline="reno", keep=True)
    assert [dict(each.block) for each in found.contrasts] == [
        {"topology.hops": hops} for hops in (4, 8, 16)
    ]
    assert {each.comparisons for each in found.contrasts} == {3}
    assert found.sentences[2].startswith("With topology.hops=16, vegas against reno, goodput: ")
    least = min(found.contrasts, key=lambda each: each.p or 1)
    assert least.p_holm == pytest.approx(3 * (least.p or 1))
    assert found.table.column("topology.hops").to_pylist() == [4, 8, 16]
    answer = folder / "against-reno"
    with (answer / "comparison-goodput_bps.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [(line["series"], float(line["x"])) for line in lines] == [
        (protocol, hops) for protocol in ("reno", "vegas") for hops in (4, 8, 16)
    ]
    figure = found.figure()
    assert figure is not None
    assert figure.csv() == (answer / "comparison-goodput_bps.csv").read_text()
    assert repr(found) == f"<Comparison of vegas with reno ({PROTOCOL}): 10 seeds>"
    shown = str(found).splitlines()
    assert any(line.split()[:3] == ["hops", "variant", "mean"] for line in shown)
    rows = [line for line in shown if line.split()[1:2] == ["vegas"] and " ± " in line]
    assert [line.count(" to ") for line in rows] == [1, 1, 1]
    # Turned around, hops are what is compared, and protocols are the blocks.
    turned = compare_sweep(folder, baseline="topology.hops=8")
    assert turned.sentences[0].startswith(
        f"With {PROTOCOL}=reno, topology.hops=4 against 8, goodput: 96.5 % "
    )
    assert "higher than with topology.hops=8 (" in turned.sentences[0]
    assert [(each.variant, dict(each.block)) for each in turned.contrasts] == [
        (variant, {PROTOCOL: protocol}) for protocol in ("reno", "vegas") for variant in ("4", "16")
    ]


def test_reno_against_vegas(
    hopwright: Hopwright,
    chain: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """End to end: four hops, six runs; JSON alone on standard output; more runs on request."""
    words = [
        "compare", str(chain), "--set", "topology.hops=4", "--set", "flows.to=4", "--set",
        "duration_s=20", "--vary", f"{PROTOCOL}=reno,vegas", "--baseline", "reno", "--out", "out",
    ]  # fmt: skip
    done = hopwright(*words, "--runs", 6, "--json", "--jobs", 2)
    assert (done.returncode, done.stderr) == (0, "")
    read = json.loads(done.stdout)
    out = chain.parent / "out"
    assert (out / "comparison.json").read_text() == done.stdout
    assert [each["key"] for each in read["metrics"]] == [
        "goodput_bps", "retransmissions", "rto_count", "mean_rtt_s",
    ]  # fmt: skip
    table = read_parquet(out / "results.parquet").read_all()
    values = np.array(table.column("goodput_bps").to_pylist()).reshape(2, 6)
    direct = oracle.ttest_rel(values[1], values[0])
    goodput = read["comparisons"][0]
    assert goodput["p"] == pytest.approx(float(direct.pvalue), rel=1e-6)
    assert goodput["low"] == pytest.approx(direct.confidence_interval().low)
    assert goodput["verdict"] == "difference"

    monkeypatch.chdir(chain.parent)
    with pytest.raises(InputError, match="--resume"):
        dispatch(words)
    dispatch([*words, "--runs", "7", "--resume", "--jobs", "1"])
    shown = capsys.readouterr().out
    assert "7 seeds from 7 to 13" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert shown == f"{(out / 'comparison.txt').read_text()}\nresults in out\n"
    dispatch(["compare", "--from", "out", "--baseline", "reno"])
    assert capsys.readouterr().out == shown.replace("results in out", "results in out/against-reno")


def test_what_differs_in_nothing_gives_nothing(chain: Path) -> None:
    """The name of a scenario has no effect: not even in the last digit."""
    found = compare(chain, {"name": ["one", "two"]}, baseline="one", runs=3, jobs=2)
    again = compare(chain, {"name": ["one", "two"]}, baseline="name=one", runs=3, jobs=1)
    assert again.to_json() == found.to_json(), "the number of jobs changes nothing"
    assert {each.verdict for each in found.contrasts} == {"same"}
    assert {known(each.difference).estimate for each in found.contrasts} == {0.0}
    assert all("exactly the same in all 3 pairs" in words for words in found.sentences)
