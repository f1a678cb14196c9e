"""Sweeps sorted, and their best point: how sure it is."""

import json
import shutil
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.main import main
from hopwright.sweeps.best import Best, Rival

SHORT = {"duration_s": 6}
HOPS = {("topology.hops", "flows.to"): [4, 2, 8]}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> hw.Sweep:
    file = tmp_path_factory.mktemp("best") / "chain.toml"
    chain = hw.Scenario(
        duration_s=20,
        topology=hw.Chain(hops=3),
        flows=[hw.BulkFlow(from_=0, to=3, transport=hw.Tcp(protocol="reno"))],
    )
    chain.save(file)
    return hw.sweep(file, HOPS, runs=5)


def column(swept: hw.Sweep, sort: str | None) -> list[str]:
    return [row[0] for row in swept.rows(sort)[1]]


def test_points_are_sorted_by_a_key_or_by_a_result(swept: hw.Sweep) -> None:
    assert column(swept, None) == ["4", "2", "8"]
    assert column(swept, "topology.hops") == ["2", "4", "8"]
    means = {row[0]: mean.mean for row, mean in zip(swept.rows()[1], swept.means(), strict=True)}
    best_first = sorted(means, key=lambda hops: -(means[hops] or 0.0))
    assert column(swept, "goodput_bps") == best_first
    # Less of it is better: the smallest first.
    names, rows = swept.rows("mean_rtt_s")
    assert names[-1] == "mean round-trip time (ms)"
    times = [float(row[-1].split()[0]) for row in rows]
    assert times == sorted(times)
    assert swept.order("mean_rtt_s") == [column(swept, None).index(row[0]) for row in rows]


def test_the_best_point_is_surely_better_or_not(swept: hw.Sweep) -> None:
    best = swept.best()
    assert best.point.settings["topology.hops"] == 2
    assert (best.pairs, best.runs) == (3, 5)
    assert all(each.is_surely_worse for each in best.rivals)
    assert best.said()[1] == "It is surely better than 2 of the 2 other points."
    assert swept.best("mean_rtt_s").mean == min(
        each.mean or 0.0 for each in swept.means("mean_rtt_s")
    )
    with pytest.raises(hw.InputError, match="neither higher nor lower values"):
        swept.best("segments_sent")


def test_p_values_allow_for_every_pair() -> None:
    chain = hw.Scenario(
        duration_s=6,
        topology=hw.Chain(hops=3),
        flows=[hw.BulkFlow(from_=0, to=3, transport=hw.Tcp(protocol="reno"))],
    )
    few = hw.sweep(chain, {"mac.cw_min": [15, 31]}, runs=6).best()
    many = hw.sweep(chain, {"mac.cw_min": [15, 31, 63, 127]}, runs=6).best()
    assert (few.pairs, many.pairs) == (1, 6)
    (only,) = few.rivals
    same = next(
        each for each in many.rivals
        if {each.point.settings["mac.cw_min"], many.point.settings["mac.cw_min"]} == {15, 31}
    )  # fmt: skip
    assert only.p is not None
    assert same.p == pytest.approx(min(1.0, 6 * only.p))


def test_single_runs_show_nothing(chain: Path) -> None:
    best = hw.sweep(chain, {"mac.cw_min": [15, 31]}, overrides=SHORT).best()
    assert best.said()[1] == (
        "Single runs do not show whether it is better than the others: add --runs N, such as 5 "
        "(runs=N in Python)."
    )
    assert not any(each.is_surely_worse for each in best.rivals)


def test_who_may_be_as_good_is_named(swept: hw.Sweep) -> None:
    first, second, third = swept.points
    rivals = [Rival(second, 1.0, 0.3), Rival(third, 9.0, 0.001)]
    best = Best("goodput_bps", first, 2e5, 1e3, 5, rivals, 3)
    assert best.said() == [
        "best by goodput: topology.hops=4, flows.to=4, with 200.0 ± 1.0 kb/s",
        "It is surely better than 1 of the 2 other points.",
        "It may be no better than: topology.hops=2, flows.to=2.",
        (
            "Paired t tests, corrected for all 3 pairs of points: any might have come out best. "
            "Sure is p below 0.05."
        ),
    ]


def test_no_one_of_equal_points_is_the_best(swept: hw.Sweep) -> None:
    first, second, third = swept.points
    equal = Rival(second, 0.0, None, is_equal=True)
    best = Best("goodput_bps", first, 2e5, 1e3, 5, [equal, Rival(third, 9.0, 0.001)], 3)
    assert best.said()[:2] == [
        (
            "best by goodput, equal in every run: topology.hops=4, flows.to=4; topology.hops=2, "
            "flows.to=2, with 200.0 ± 1.0 kb/s"
        ),
        "They are surely better than the other point.",
    ]


def test_where_nothing_differs_there_is_no_best(chain: Path) -> None:
    best = hw.sweep(chain, {"mac.rts_threshold_bytes": [0, 1]}, overrides=SHORT, runs=2).best()
    (line,) = best.said()
    assert line.startswith("no best by goodput: all 2 points are equal in every run, with ")
    assert [each.is_equal for each in best.rivals] == [True]


def test_the_command_sorts_and_tells_the_best(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["sweep", str(chain), "--vary", "topology.hops,flows.to=3,2", "--set", "duration_s=6"]
    words += ["--runs", "3"]
    assert main([*words, "--sort", "topology.hops", "--best"]) == 0
    out = capsys.readouterr().out
    assert out.index(" 2 ") < out.index(" 3 ")
    assert "best by goodput: topology.hops=2, flows.to=2, with" in out
    folder = next(Path("results").iterdir())
    assert folder.name.startswith("chain-3-")
    assert f"results in {folder}" in out
    assert main([*words, "--best", "mean_rtt_s"]) == 0
    assert "best by mean round-trip time: topology.hops=2, flows.to=2, with" in (
        capsys.readouterr().out
    )
    shutil.rmtree(next(place for place in Path("results").iterdir() if place != folder))
    assert main([*words, "--json", "--best"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] is None
    assert told["best"]["others"][0]["surely_worse"] in (True, False)
    assert len(list(Path("results").iterdir())) == 1, "with --json, nothing is written"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--sort goodput_bsp", "did you mean 'goodput_bps'"),
        ("--sort goodput_bps --json", "--sort changes the printed table; omit --json"),
        ("--best segments_sent", "segments_sent: neither higher nor lower values of it are better"),
        ("--best jain", "no result called 'jain'; did you mean 'fairness.jain'?"),
        (
            "--best --of segments_sent",
            "segments_sent: neither higher nor lower values of it are better",
        ),
    ],
)
def test_what_cannot_be_sorted_is_said_before_the_runs(
    chain: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", str(chain), "--vary", "mac.cw_min=15,31", *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert not Path("results").exists()
