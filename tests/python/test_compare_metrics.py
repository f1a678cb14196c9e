"""What comparisons compare: a result of each run, of one flow or of all."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comparing import PROTOCOL, ROOT, Row, Runs, goodputs, known, one, protocols, sweep_of
from hopwright._io.data import at, items
from hopwright._io.errors import InputError
from hopwright.comparisons import compare, compare_sweep
from hopwright.results.metrics import metric, whens
from hopwright.runs.run import load, run
from hopwright.sweeps import sweep
from hopwright.sweeps.features import check_names
from processes import Hopwright


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
    assert "mean round-trip time (ms), mean of 2 of 3 flows" in str(found)
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


def test_a_label_counts_the_flows_only_where_all_runs_have_as_many(tmp_path: Path) -> None:
    def runs(*protocols: str) -> Runs:
        row = {"goodput_bps": 3.0, "received_bps": 3.0, "mean_rtt_s": 1.0}
        udp = {"received_bps": 3.0}
        flows = [{"protocol": p, **(udp if p == "udp" else row)} for p in protocols]
        return dict.fromkeys((1, 2), flows)

    wanted = ["goodput_bps", "mean_rtt_s"]

    def titles(name: str, *flows: tuple[str, ...]) -> str:
        points = [({"k": k}, runs(*each)) for k, each in enumerate(flows)]
        return str(compare_sweep(sweep_of(tmp_path / name, points), baseline=0, metrics=wanted))

    varied = titles("varied", ("reno",), ("reno", "reno"))
    assert "goodput (kb/s), sum over flows;" in varied
    assert "mean round-trip time (ms), mean over flows;" in varied
    # Nothing acknowledges datagrams: their flow has no round-trip time.
    mixed = titles("mixed", ("udp", "reno"), ("udp", "reno"))
    assert "goodput (kb/s), sum of 2 flows, for UDP the data received;" in mixed
    assert "mean round-trip time (ms), flow 1;" in mixed


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
