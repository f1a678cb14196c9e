"""Comparisons say what the numbers say, in words that cannot be misread, and refuse the rest."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from arro3.core import Table
from arro3.io import read_parquet, write_parquet
from scipy import stats as oracle

from hopwright._cli.arguments import dispatch
from hopwright._cli.main import main
from hopwright._io.data import at, items
from hopwright._io.errors import HopwrightWarning, InputError
from hopwright._schema.settings import named
from hopwright.comparisons import compare, compare_sweep
from hopwright.comparisons.contrast import Contrast
from hopwright.comparisons.numbers import chance_text, p_cell, percent_text, signed
from hopwright.comparisons.outcome import Comparison
from hopwright.comparisons.treatment import treatment_of
from hopwright.results.metrics import metric, whens
from hopwright.results.tidy import column_of
from hopwright.runs.run import load, run
from hopwright.statistics.intervals import Interval
from hopwright.statistics.sample import Numbers
from hopwright.sweeps import sweep
from hopwright.sweeps.features import check_names
from hopwright.sweeps.plan import Plan, Rule, to_json
from hopwright.sweeps.points import Point
from processes import Hopwright

ROOT = Path(__file__).parents[2]
PROTOCOL = "flows.transport.protocol"
Row: TypeAlias = Mapping[str, object]
Runs: TypeAlias = Mapping[int, Sequence[Row]]
"""Rows of each run's flows, by seed."""


def sweep_of(folder: Path, points: Sequence[tuple[Mapping[str, object], Runs]]) -> Path:
    """A sweep's folder with such results."""
    keys = list(points[0][0])
    rows: list[dict[str, Any]] = [
        {**settings, "point": f"{index:016x}", "seed": seed, "flow": flow, **row}
        for index, (settings, runs) in enumerate(points)
        for seed, flows in runs.items()
        for flow, row in enumerate(flows)
    ]
    plan = Plan(
        version="0",
        build="0" * 12,
        name="made-up",
        base="",
        seed=1,
        axes=tuple(f"{key}=made,up" for key in keys),
        design="product",
        count=None,
        points=tuple(
            Point(f"{index:016x}", dict(settings))  # type: ignore[arg-type]
            for index, (settings, _) in enumerate(points)
        ),
        rule=Rule(1, None, "goodput_bps", 1),
        shard=None,
    )
    folder.mkdir()
    (folder / "sweep.json").write_text(to_json(plan))
    names = dict.fromkeys(name for row in rows for name in row)
    table = Table.from_pydict({name: column_of([row.get(name) for row in rows]) for name in names})
    with (folder / "results.parquet").open("wb") as file:
        write_parquet(table, file)
    return folder


def goodputs(values: Numbers, first: int = 1) -> Runs:
    """A run of one flow for each goodput in kb/s."""
    return {
        seed: [{"protocol": "reno", "goodput_bps": 1000.0 * float(value)}]
        for seed, value in enumerate(values, first)
    }


def protocols(folder: Path, **runs: Runs) -> Path:
    """A sweep over protocols; `sca_reno` stands for `sca-reno`."""
    return sweep_of(folder, [({PROTOCOL: k.replace("_", "-")}, v) for k, v in runs.items()])


def known(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def one(folder: Path, **options: object) -> tuple[Comparison, Contrast, str]:
    """The only comparison in a folder, and its sentence on one line."""
    found = compare_sweep(folder, baseline="reno", **options)  # type: ignore[arg-type]
    assert len(found.contrasts) == 1
    assert len(found.sentences) == 1
    assert all(len(line) <= 80 for line in str(found).splitlines())
    return found, found.contrasts[0], found.sentences[0]


NOISE = np.random.default_rng(1).normal(0, 20, 30)
OWN = np.random.default_rng(2).normal(0, 4, 30)


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


def test_less_is_better_where_it_is(tmp_path: Path) -> None:
    stream = np.random.default_rng(3)
    counts = stream.poisson(20, (2, 12))
    runs = [
        {s: [{"protocol": "reno", "rto_count": int(c)}] for s, c in enumerate(row, 1)}
        for row in (counts[0] + 30, counts[1])
    ]
    _, contrast, words = one(
        protocols(tmp_path / "s", reno=runs[0], vegas=runs[1]), metrics=["rto_count"]
    )
    assert contrast.below == 12
    assert "lower than with reno (-" in words
    assert "Better (lower) in 12 of 12 pairs" in words


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
    assert "with 3 comparisons, chance gives a difference as clear as this too easily" in words
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


def test_flows_are_summed_averaged_or_looked_at_alone(tmp_path: Path) -> None:
    def run(value: float) -> list[Row]:
        first = {"protocol": "reno", "goodput_bps": value, "mean_rtt_s": value, "received_bps": 9.0}
        second = {**first, "goodput_bps": 3 * value, "mean_rtt_s": 2 * value}
        udp = {"protocol": "udp", "goodput_bps": None, "mean_rtt_s": None, "received_bps": 5.0}
        return [{**flow, "fairness.jain": 0.7} for flow in (first, second, udp)]

    folder = protocols(
        tmp_path / "s",
        reno={1: run(1), 2: run(2)},
        vegas={1: run(3), 2: run(5)},
    )
    wanted = ["goodput_bps", "mean_rtt_s", "fairness.jain"]
    found = compare_sweep(folder, baseline="reno", metrics=wanted)
    means = {each.metric: [each.mean, each.baseline_mean] for each in found.contrasts}
    assert means["goodput_bps"] == [4 * 4 + 5, 4 * 1.5 + 5]  # of UDP, what was received
    assert means["mean_rtt_s"] == pytest.approx([1.5 * 4, 1.5 * 1.5])
    assert means["fairness.jain"] == [0.7, 0.7]
    assert "goodput (kb/s), sum of 3 flows, for UDP the data received; higher is better" in str(
        found
    )
    assert "mean round-trip time (ms), mean of 3 flows" in str(found)
    assert "Jain's index; higher" in str(found)
    second = compare_sweep(folder, baseline="reno", flow=1, metrics=wanted[:1])
    assert (second.contrasts[0].mean, second.contrasts[0].baseline_mean) == (12, 4.5)
    with pytest.raises(InputError, match="flow 3: there is none; flows: 0, 1, 2"):
        compare_sweep(folder, baseline="reno", flow=3)


def test_one_flow_has_no_jains_index(tmp_path: Path, chain: Path) -> None:
    runs: Runs = {seed: [{"goodput_bps": 1.0 + seed, "fairness.jain": 1.0}] for seed in (1, 2)}
    folder = protocols(tmp_path / "s", reno=runs, vegas=runs)
    with pytest.raises(InputError, match=r"^fairness\.jain: each run has one flow; Jain's index"):
        compare_sweep(folder, baseline="reno", metrics=["fairness.jain"])
    # Known before the runs, unless the number of flows is varied.
    vary = {PROTOCOL: ["reno", "vegas"]}
    # What counts is how many flows the points have, not which keys are varied.
    for more in ({}, {"flows.parallel": [1]}):
        with pytest.raises(InputError, match=r"^fairness\.jain: each run has one flow"):
            compare(
                chain,
                {**vary, **more},
                baseline="reno",
                metrics=["fairness.jain"],
                out=tmp_path / "out",
            )
    assert not (tmp_path / "out").exists()
    copies = compare(
        chain,
        {"flows.parallel": [1, 2]},
        baseline=1,
        metrics=["fairness.jain"],
        runs=2,
        overrides={"duration_s": 2},
    )
    assert len(copies.contrasts) == 1


def test_a_run_with_a_flow_that_has_no_value_has_none(tmp_path: Path) -> None:
    def run(rtt: float, other: float | None) -> list[Row]:
        return [{"protocol": "reno", "mean_rtt_s": each} for each in (rtt, other)]

    folder = protocols(
        tmp_path / "s",
        reno={1: run(1, 2), 2: run(2, 3), 3: run(3, 5)},
        vegas={1: run(2, 2), 2: run(4, 3), 3: run(3, None)},
    )
    (found,) = compare_sweep(folder, baseline="reno", metrics=["mean_rtt_s"]).contrasts
    assert (found.n, found.left_out) == (2, 2)
    assert found.mean == pytest.approx(2.75)


def test_udp_alone_is_compared_by_what_arrives(tmp_path: Path) -> None:
    runs = [
        {s: [{"protocol": "udp", "received_bps": v + s % 3}] for s in range(6)} for v in (100, 200)
    ]
    folder = sweep_of(
        tmp_path / "s", [({"radio.k": k}, r) for k, r in zip((1, 2), runs, strict=True)]
    )
    found = compare_sweep(folder, baseline=1)
    assert [each.key for each in found.metrics] == ["goodput_bps"]
    assert known(found.contrasts[0].difference).estimate == 100
    assert "goodput (kb/s), for UDP the data received; higher is better" in str(found)


def test_everything_is_in_the_files(tmp_path: Path) -> None:
    folder = protocols(
        tmp_path / "s", reno=goodputs(200 + NOISE), **{"<b>": goodputs(230 + NOISE + OWN)}
    )
    found = compare_sweep(folder, baseline="reno", keep=True)
    sweep, folder = folder, folder / "against-reno"
    kept = {path.name for path in folder.iterdir()}
    figure = {f"comparison-goodput_bps{suffix}" for suffix in (".svg", ".pdf", ".png", ".csv")}
    assert kept == figure | {"comparison.json", "comparison.txt", "comparison.csv"}
    assert (folder / "comparison.txt").read_text() == str(found)
    read = json.loads((folder / "comparison.json").read_text())
    assert read == json.loads(found.to_json())
    assert read["comparisons"][0]["sentence"] == found.sentences[0]
    assert read["comparisons"][0]["p"] == found.contrasts[0].p
    assert [each["n"] for each in read["variants"]] == [30, 30]
    row = next(csv.DictReader(io.StringIO((folder / "comparison.csv").read_text())))
    assert float(row["difference"]) == known(found.contrasts[0].difference).estimate
    assert found.table.column("wilcoxon_exact").to_pylist() == [True]
    assert "<b>" not in found._repr_html_().replace("<p><b>", "")
    assert "&lt;b&gt;&quot; against reno" in found._repr_html_()

    before = (folder / "comparison.json").read_bytes()
    with pytest.raises(InputError, match="holds the answer to an earlier question; replace"):
        compare_sweep(sweep, baseline="reno", keep=True)
    assert (folder / "comparison.json").read_bytes() == before
    named: dict[str, Any] = {"name": "against-reno", "confidence": 0.9}
    compare_sweep(sweep, baseline="<b>", overwrite=True, **named)
    assert (folder / "comparison.json").read_bytes() != before
    assert "90 % interval" in (folder / "comparison.txt").read_text()


def test_each_question_to_a_sweep_has_a_folder_for_its_answer(tmp_path: Path) -> None:
    folder = protocols(
        tmp_path / "a", reno=goodputs([100, 110, 105]), vegas=goodputs([120, 128, 130])
    )
    before = {path.name for path in folder.iterdir()}
    words = ["compare", "--from", str(folder), "--metric", "goodput_bps"]
    for baseline in ("reno", "vegas"):
        assert main([*words, "--baseline", baseline, "--out", str(tmp_path / baseline)]) == 0
    assert {path.name for path in folder.iterdir()} == before
    for baseline in ("reno", "vegas"):
        told = json.loads((tmp_path / baseline / "comparison.json").read_text())
        assert told["baseline"] == baseline
    again = [*words, "--baseline", "reno", "--out", str(tmp_path / "vegas")]
    assert main(again) == 2
    assert json.loads((tmp_path / "vegas" / "comparison.json").read_text())["baseline"] == "vegas"
    assert main([*again, "--overwrite"]) == 0
    assert json.loads((tmp_path / "vegas" / "comparison.json").read_text())["baseline"] == "reno"
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "mine.txt").write_text("x")
    assert main([*words, "--baseline", "reno", "--out", str(foreign), "--overwrite"]) == 2
    assert [path.name for path in foreign.iterdir()] == ["mine.txt"]
    compare_sweep(folder, baseline="reno", out=tmp_path / "python")
    assert (tmp_path / "python" / "comparison.csv").is_file()


def test_the_figure_shows_the_numbers_of_the_comparison(tmp_path: Path) -> None:
    def data() -> list[dict[str, str]]:
        text = (folder / "question" / "comparison-goodput_bps.csv").read_text()
        return list(csv.DictReader(io.StringIO(text)))

    folder = protocols(
        tmp_path / "a", reno=goodputs([100, 110, 105]), vegas=goodputs([120, 128, 130])
    )
    found = compare_sweep(folder, baseline="reno", metrics=["goodput_bps"], name="question")
    (bar,) = data()
    (contrast,) = found.contrasts
    relative = known(contrast.relative)
    wanted = [relative.estimate, relative.low, relative.high]
    assert [float(bar[end]) for end in ("height", "low", "high")] == pytest.approx(
        [100 * (each or 0) for each in wanted]  # percent
    )
    points = [
        ({"topology.hops": hops, PROTOCOL: protocol}, goodputs([10 * hops, 11 * hops, 13 * hops]))
        for hops in (2, 4)
        for protocol in ("reno", "vegas")
    ]
    folder = sweep_of(tmp_path / "b", points)
    found = compare_sweep(folder, baseline="reno", metrics=["goodput_bps"], name="question")
    rows = data()
    assert [(row["series"], float(row["x"])) for row in rows] == [
        *(("reno", 2), ("reno", 4), ("vegas", 2), ("vegas", 4))
    ]
    groups = sorted(found.groups, key=lambda each: each.variant)
    for row, group in zip(rows, groups, strict=True):
        mean, half = (group.mean or 0) / 1000, (group.half_width or 0) / 1000
        ends = [float(row[end]) for end in ("y", "low", "high")]
        assert ends == pytest.approx([mean, mean - half, mean + half])


def test_a_figure_names_whatever_was_varied(tmp_path: Path) -> None:
    def words(vary: Mapping[str, Sequence[object]], baseline: object) -> str:
        first, second = vary
        settings = [{first: one, second: other} for one in vary[first] for other in vary[second]]
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        runs = [goodputs([100 + n, 110 - n, 107]) for n in range(len(settings))]
        found = compare_sweep(
            sweep_of(folder, list(zip(settings, runs, strict=True))), baseline=baseline
        )
        figure = found.figure()
        assert figure is not None
        svg = figure.svg().decode()
        return "".join("".join(re.findall(r"<text[^>]*>([^<]*)<", svg)).split())

    one = words({PROTOCOL: ["newreno", "tcc"], "mac.backoff": ["beb", "fba"]}, "newreno")
    for name in ("goodput,tccagainstnewreno", "backoffbeb", "backofffba"):
        assert name in one
    several = words({PROTOCOL: ["newreno", "tcc", "sack"], "mac.backoff": ["beb", "fba"]}, "sack")
    for name in ("tcc", "newreno", "goodputagainstsack", "backoffbeb"):
        assert name in several
    numbers = words({"topology.hops": [4, 8], PROTOCOL: ["reno", "vegas"]}, 4)
    for name in ("hops8", "hops4", "vegas", "reno"):
        assert name in numbers
    alone = words({"topology.hops": [4, 8, 9], "mac.backoff": ["beb"]}, 4)
    for name in ("hops8", "hops9", "goodputagainsthops4"):
        assert name in alone


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("reno", "reno"),
        ("(reno,beb)", "(reno,beb)"),
        ("(reno,4)", "a,b=(reno,4)"),
        ("8", "a,b=8"),
        ("true", "a,b=true"),
    ],
)
def test_values_that_are_no_names_need_their_keys(value: str, name: str) -> None:
    assert named("a,b", value) == name


def test_a_figure_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    points = [
        ({PROTOCOL: f"p{p}", "topology.kind": kind}, goodputs(200 + p + NOISE[:3]))
        for p in range(11)
        for kind in ("chain", "grid")
    ]
    folder = sweep_of(tmp_path / "s", points)
    with pytest.warns(HopwrightWarning, match="the figure is missing: 10 series in one figure"):
        found = compare_sweep(folder, baseline="p0", keep=True)
    with pytest.raises(InputError, match="10 series"):
        found.figure()
    assert not list(folder.glob("*/comparison-*"))
    assert (folder / "against-p0" / "comparison.json").exists()


def test_labels_that_become_one_are_refused(tmp_path: Path) -> None:
    runs = {name: goodputs([200, 210, 205]) for name in ("reno", "vegas", "sack")}
    found = compare_sweep(protocols(tmp_path / "s", **runs), baseline="reno")
    with pytest.raises(InputError, match="two groups are called 'A'"):
        found.figure(labels={"vegas": "A", "sack": "A"})


def test_a_comparison_without_a_difference_says_why_it_has_no_figure(tmp_path: Path) -> None:
    folder = protocols(tmp_path / "s", reno={1: [{}]}, vegas=goodputs([200, 210]))
    with pytest.warns(HopwrightWarning, match="the figure is missing: no difference of goodput"):
        compare_sweep(folder, baseline="reno", keep=True)


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ("renno", "baseline 'renno' is not among the variants; did you mean 'reno'?"),
        ("xyz", "is not among the variants; there are: 4, 8, 4.5, reno, vegas, 8, true"),
        ("8", "is a value of several keys; write topology.hops=8 or flows.to=8"),
        ("flows.too=8", "'flows.too' is not varied; did you mean 'flows.to'?"),
        ("flows.to=4", "baseline '4' is not among the variants; there are: 8"),
        ("flows.to=8", "flows.to: has no other value to compare 8 with"),
        (7, "baseline '7' is not among"),
        (True, "x: has no other value"),
        (1, "baseline '1' is not among"),
    ],
)
def test_what_is_no_baseline(baseline: object, message: str) -> None:
    values = {
        "topology.hops": [4, 8, 4.5],
        PROTOCOL: ["reno", "vegas"],
        "flows.to": [8],
        "x": [True],
    }
    with pytest.raises(InputError) as wrong:
        treatment_of(values, baseline)  # type: ignore[arg-type]
    assert message in str(wrong.value)


def test_what_is_a_baseline() -> None:
    values = {"topology.hops": [4, 8], PROTOCOL: ["reno", "vegas"], "mac.x": [False, True]}
    expected = {"4": "topology.hops", "8.0": "topology.hops", "vegas": PROTOCOL, "true": "mac.x"}
    for baseline, key in expected.items():
        assert treatment_of(values, baseline).key == key  # type: ignore[arg-type]
    assert treatment_of(values, 4) == ("topology.hops", "4")  # type: ignore[arg-type]
    assert treatment_of(values, True) == ("mac.x", "true")  # type: ignore[arg-type]


def test_metrics_that_no_run_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no result called 'goodput'; did you mean 'goodput_bps'"):
        check_names(["goodput"])
    nearest = "no result called 'protocol'; of [0-9]+ the nearest are: ([a-z_.]+, ){4}[a-z_.]+$"
    with pytest.raises(InputError, match=nearest):
        check_names(["protocol"])
    with pytest.raises(InputError, match=r"no result called 'foo\.bar'"):
        check_names(["foo.bar"])
    check_names(["goodput_bps", "drops.queue_full", "energy.radio_j", "frames"])
    folder = protocols(tmp_path / "s", reno=goodputs([1, 2]), vegas=goodputs([1, 2]))
    with pytest.raises(InputError, match="did you mean 'goodput_bps'"):
        compare_sweep(folder, baseline="reno", metrics=["goodput"])
    with pytest.raises(InputError, match="mean_rtt_s: no run of the sweep has it; there are: good"):
        compare_sweep(folder, baseline="reno", metrics=["mean_rtt_s"])
    with pytest.raises(InputError, match=r"no result called 'drops\.queue_ful'"):
        compare_sweep(folder, baseline="reno", metrics=["drops.queue_ful"])


@pytest.mark.parametrize(
    ("metric", "advice"),
    [
        ("energy.radio_j", "radio.energy"),
        ("data_j", "radio.energy"),
        ("energy.j_per_received_bit", "radio.energy or energy.compute"),
        ("compute.work_j.recovery", "energy.compute"),
        ("mac.channel_errors.data", "[[errors]], radio.fading, radio.shadowing=frame or radio.bit"),
        ("adaptation.changes", "[[flows.transport.triggers]]"),
    ],
)
def test_what_no_run_would_measure_is_said_before_anything_runs(
    chain: Path, metric: str, advice: str
) -> None:
    asked = {PROTOCOL: ["reno", "vegas"]}
    with pytest.raises(InputError) as wrong:
        compare(chain, asked, baseline="reno", metrics=metric, runs=2, out=chain.parent / "out")
    assert f"{metric}: no run would have it; set {advice}" in str(wrong.value)
    with pytest.raises(InputError, match=re.escape(f"{metric}: no run would have it; set")):
        sweep(chain, asked, runs=2, until=0.5, of=metric, out=chain.parent / "out")
    assert list(chain.parent.iterdir()) == [chain]


TRIGGER = {"when": [{"monitor": "loss", "above": 1}], "set": {"response": "spare"}}


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ({}, set()),
        ({"radio.energy": "lucent"}, {"energy"}),
        ({"radio.energy": {"transmit_w": 2, "receive_w": 1, "idle_w": 1}}, {"energy"}),
        ({"energy.compute": str(ROOT / "scenarios/energy/coefficients.toml")}, {"energy"}),
        ({"radio.fading": "ricean"}, {"channel_errors"}),
        ({"radio.shadowing": "frame"}, {"channel_errors"}),
        ({"radio.shadowing": "link", "topology.spacing_m": 50}, set()),
        ({"radio.bit_errors": True, "radio.interference": "sum"}, {"channel_errors"}),
        ({"errors": [{"model": "uniform", "probability": 0.1}]}, {"channel_errors"}),
        ({"flows.0.transport.triggers": [TRIGGER]}, {"adaptation"}),
        ({"output.medium_use": True}, {"medium_use"}),
        ({"output.flow_time": True}, {"flow_time"}),
    ],
)
def test_what_a_scenario_measures_is_known_before_it_runs(
    chain: Path, settings: Mapping[str, Any], fields: set[str]
) -> None:
    scenario = load(chain, {"duration_s": 1.5, **settings}).check()
    (result,) = items(run(scenario).summary, "results")
    measured = {
        "energy": at(result, "energy"),
        "medium_use": at(result, "medium_use"),
        "flow_time": at(result, "flows", 0, "network_time_s"),
        "channel_errors": at(result, "mac", "channel_errors"),
        "adaptation": at(result, "flows", 0, "adaptation"),
    }
    assert {name for name, value in measured.items() if value is not None} == fields
    text = tomllib.loads(scenario.to_toml())
    names = {
        "radio.energy": "energy",
        "energy.compute": "energy",
        "output.medium_use": "medium_use",
        "output.flow_time": "flow_time",
        "[[flows.transport.triggers]]": "adaptation",
    }
    assert len(whens()) == 6
    assert {
        names.get(when.advice, "channel_errors") for when in whens() if when.is_in(text)
    } == fields


def test_what_one_variant_measures_is_compared(chain: Path) -> None:
    vary = {"radio.fading": ["none", "rayleigh"]}
    found = compare(chain, vary, baseline="none", metrics="mac.channel_errors.total", runs=2)
    assert [each.n for each in found.groups] == [0, 2]
    assert found.contrasts[0].verdict == "unknown"


def test_runs_without_the_result_are_kept(hopwright: Hopwright, chain: Path) -> None:
    words = ("--set", "duration_s=2", "--vary", f"{PROTOCOL}=reno,vegas", "--baseline", "reno")
    options = ("--runs", 2, "--metric", "drops.link_red")
    done = hopwright("compare", chain, *words, *options, "--out", "out")
    assert done.returncode == 1
    first, left = done.stderr.splitlines()
    assert first.startswith("hopwright: drops.link_red: no run of the sweep has it; ")
    assert len(first) < 200
    assert left == "4 runs are kept in out; compare them with --from out"
    again = ("compare", "--from", "out", "--baseline", "reno", "--metric")
    later = hopwright(*again, "acks_j")
    assert (later.returncode, later.stdout) == (2, "")
    assert later.stderr == "hopwright: acks_j: no run of the sweep has it; set radio.energy\n"
    assert hopwright(*again, "goodput_bps").returncode == 0
    alone = hopwright("compare", chain, *words, *options, "--json")
    assert (alone.returncode, alone.stdout) == (1, "")
    assert alone.stderr.endswith("4 runs were finished; nothing was written\n")


def test_joules_are_in_a_unit_that_shows_digits(tmp_path: Path) -> None:
    def runs(*joules: float) -> Runs:
        rows = [
            {"goodput_bps": 1.0, "compute.work_j.timers": each, "energy.compute_j": 1000 * each}
            for each in joules
        ]
        return {seed: [row, row] for seed, row in enumerate(rows, 1)}

    folder = protocols(
        tmp_path / "s", reno=runs(2.0e-9, 2.2e-9, 2.4e-9), vegas=runs(1.2e-9, 1.5e-9, 1.4e-9)
    )
    found = compare_sweep(
        folder, baseline="reno", metrics=["compute.work_j.timers", "energy.compute_j"]
    )
    text = str(found)
    assert "computation by function: timers (nJ), sum of 2 flows; lower is better\n" in text
    assert re.search(r"reno +4\.40 ± 0\.99 ", text), "a flow's joules add up"
    assert "energy for computation (µJ); lower is better\n" in text
    assert re.search(r"reno +2\.20 ± 0\.50 ", text), "a run's do not"
    assert found.groups[0].mean == pytest.approx(4.4e-9)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, ("µJ", 1e6)),
        (37.3e-6, ("µJ", 1e6)),
        (-2.1e-10, ("pJ", 1e12)),
        (1e-9, ("nJ", 1e9)),
        (1e-15, ("pJ", 1e12)),
        (0.5, ("mJ", 1e3)),
        (1200.0, ("J", 1.0)),
    ],
)
def test_multiples_of_the_joule(value: float, shown: tuple[str, float]) -> None:
    fitting = metric("energy.j_per_received_bit").fitting([None, value, value / 2])
    assert (fitting.unit, fitting.scale) == shown
    assert metric("goodput_bps").fitting([value]) == metric("goodput_bps")


def test_a_sweep_without_a_baseline_names_its_first_value(tmp_path: Path) -> None:
    folder = protocols(tmp_path / "s", sca_reno=goodputs([1, 2]), vegas=goodputs([1, 2]))
    with pytest.raises(InputError, match=r"such as --baseline sca-reno$"):
        dispatch(["compare", "--from", str(folder)])


def test_folders_that_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder without results; name the folder of a sweep"):
        compare_sweep(tmp_path, baseline="reno")
    folder = protocols(tmp_path / "s", reno=goodputs([1, 2]), vegas=goodputs([1, 2]))
    (folder / "results.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"results\.parquet: is not a complete Parquet file"):
        compare_sweep(folder, baseline="reno")
    (folder / "results.parquet").unlink()
    with pytest.raises(InputError, match="finish the sweep with --resume"):
        compare_sweep(folder, baseline="reno")
    apart = sweep_of(
        tmp_path / "zip",
        [
            ({"a": 1, "b": 1}, goodputs([1, 2])),
            ({"a": 2, "b": 2}, goodputs([1, 2])),
        ],
    )
    with pytest.raises(
        InputError, match="no point of the sweep differs from a point with a=1 in a"
    ):
        compare_sweep(apart, baseline="a=1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.toml --vary x=1,2", "name a baseline, such as --baseline 1"),
        ("a.toml --vary mac.backoff=beb,fba", "name a baseline, such as --baseline beb"),
        ("a.toml --vary x,y=(2,3),(4,5)", "name a baseline, such as --baseline '(2,3)'"),
        ("a.toml", "name a baseline with --baseline, one of the values of a --vary KEY=a,b,c"),
        ("--from d", "d: does not exist; name the folder of a sweep or a comparison"),
        ("--baseline reno", "name a scenario, or a sweep's folder with --from"),
        ("a.toml --baseline reno", "name at least one key with --vary"),
        ("a.toml --vary x=1,2 --baseline 1 --resume", "--resume needs --out"),
        ("a.toml --vary x=1,2 --baseline 1 --runs 0", "--runs: 0 is not between 1 and"),
        (
            "a.toml --vary x=1,2 --baseline 1 --confidence 95",
            "'95' is not above 0 and at most 0.9999",
        ),
        ("--from d --baseline 1 --vary x=1,2", "--from makes no runs; omit --vary"),
        ("--from d --baseline 1 --resume", "omit --resume"),
        ("--from d --baseline 1 --json --overwrite", "omit --overwrite"),
        ("--from gone --baseline 1", "gone: does not exist; name the folder of a sweep"),
    ],
)
def test_wrong_arguments(line: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        dispatch(["compare", *line.split()])
    assert message in str(wrong.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": 1}, "runs: 1 is not enough: a difference could not be told from chance"),
        ({"confidence": 1.0}, "confidence: 1 is not above 0 and at most 0.9999"),
        ({"baseline": "sack"}, "'sack' is not among the variants; there are: reno, vegas"),
        ({"metrics": ["goodput"]}, "did you mean 'goodput_bps'"),
        ({"vary": {PROTOCOL: ["reno"]}}, "has no other value to compare reno with"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_runs(
    chain: Path, options: Mapping[str, object], message: str
) -> None:
    asked: dict[str, object] = {"vary": {PROTOCOL: ["reno", "vegas"]}, "baseline": "reno"}
    with pytest.raises(InputError) as wrong:
        compare(chain, out=chain.parent / "out", **{**asked, **options})  # type: ignore[arg-type]
    assert message in str(wrong.value)
    assert list(chain.parent.iterdir()) == [chain]


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


def test_numbers_as_people_read_them() -> None:
    assert [p_cell(p) for p in (1e-9, 0.00012, 0.0312, 0.5, 0.999, 1.0)] == [
        "<0.0001", "0.0001", "0.031", "0.50", "0.99", "1.00",
    ]  # fmt: skip
    assert [chance_text(p) for p in (1e-9, 0.0005, 0.004, 0.031, 0.5, 0.98, 1.0)] == [
        "fewer than 1 of 10,000",
        "fewer than 1 of 1,000",
        "about 4 of 1,000",
        "about 3 of 100",
        "about 50 of 100",
        "about 98 of 100",
        "nearly all",
    ]
    assert signed(-0.004, 1) == "0.0"
    assert percent_text(0.1734, 0.02) == "+17.3 %"
    assert percent_text(0.00012, 0.00005) == "+0.0120 %"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {PROTOCOL: "vegas"}}, "nothing to compare: no point of the sweep differs"),
        ({"where": {"mac.cw_min": 63}}, "where mac.cw_min=63: no run has that"),
        ({"where": {"seed": 99}}, "where seed=99: no run has that; there are: 7, 8"),
        ({"where": {"scenario": "other"}}, "where scenario=other: no run has that; there are: "),
        ({"overrides": {"flows": []}}, "chain.toml: has no flows, so there is nothing to compare"),
    ],
)
def test_what_leaves_nothing_to_compare_is_refused_before_the_runs(
    chain: Path, options: Mapping[str, object], message: str
) -> None:
    asked: dict[str, object] = {"vary": {"routing.protocol": ["aodv", "dsr"]}, "baseline": "aodv"}
    if "overrides" not in options:
        asked = {"vary": {PROTOCOL: ["reno", "vegas"], "mac.cw_min": [15, 31]}, "baseline": "reno"}
    told: list[float] = []
    with pytest.raises(InputError) as wrong:
        compare(
            chain,
            runs=2,
            out=chain.parent / "out",
            watch=lambda done, _: told.append(done),
            **{**asked, **options},  # type: ignore[arg-type]
        )
    assert message in str(wrong.value)
    assert list(chain.parent.iterdir()) == [chain]
    assert told == []
