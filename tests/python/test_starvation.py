"""Which flow starves, by which rule, and that whoever looks at several flows is told."""

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

import hopwright as hw
from comparing import sweep_of
from hopwright._cli.main import main
from hopwright._io.data import at
from hopwright.comparisons import compare_sweep
from hopwright.figures.results import Results
from hopwright.results.metrics import SHARING
from hopwright.results.starvation import (
    LEAST_PART,
    LEAST_SENDING_S,
    SHARE,
    Flow,
    Starvation,
    hungry,
    starvation,
    warnings_at,
)
from processes import Hopwright

GRID = Path(__file__).parents[2] / "scenarios" / "grid.toml"
PROTOCOL = "flows.transport.protocol"


def flow(
    goodput_bps: float,
    *,
    measured_s: float = 100.0,
    sending_s: float | None = None,
    offered_bps: float | None = None,
    protocol: str = "reno",
) -> Flow:
    measure = "received_bps" if protocol == "udp" else "goodput_bps"
    return {
        "from": 1, "to": 2, "protocol": protocol, measure: goodput_bps, "measured_s": measured_s,
        "sending_s": measured_s if sending_s is None else sending_s, "offered_bps": offered_bps,
    }  # fmt: skip


def who(*flows: Flow) -> list[int]:
    return sorted(hungry(flows))


def test_a_flow_starves_below_a_tenth_of_an_equal_share() -> None:
    assert SHARE == 0.1
    # Three flows, 600 kb/s: an equal share is 200 kb/s.
    assert who(flow(300e3), flow(0.38e3), flow(299.62e3)) == [1]
    assert who(flow(290e3), flow(20e3), flow(290e3)) == []
    assert who(flow(290.5e3), flow(19e3), flow(290.5e3)) == [1]
    assert who(flow(300e3), flow(0), flow(0)) == [1, 2]


def test_one_flow_has_nobody_to_starve_beside_and_nobody_starves_where_all_have_nothing() -> None:
    assert who(flow(0)) == []
    assert who(flow(0), flow(0)) == []


def test_who_wants_little_and_gets_it_does_not_starve() -> None:
    assert who(flow(900e3), flow(8e3, offered_bps=8e3, protocol="udp")) == []
    assert who(flow(900e3), flow(0.5e3, offered_bps=8e3, protocol="udp")) == [1]
    assert who(flow(900e3), flow(8e3, offered_bps=600e3, protocol="udp")) == [1]
    told = starvation([hungry([flow(900e3), flow(0.5e3, offered_bps=8e3, protocol="udp")])])
    assert told is not None
    assert told.said().endswith("gets 0.5 kb/s, 6.2 % of what it offers")


def test_a_short_start_is_no_starvation() -> None:
    # It began a second before the end, and its SYN was lost.
    assert who(flow(300e3), flow(0, measured_s=1.0)) == []
    assert who(flow(300e3), flow(0, measured_s=LEAST_SENDING_S - 1)) == []
    assert who(flow(300e3), flow(0, measured_s=LEAST_PART * 100 - 1)) == []
    assert who(flow(300e3), flow(0, measured_s=LEAST_PART * 100)) == [1]
    brief = [flow(300e3, measured_s=10.0), flow(0, measured_s=10.0)]
    assert who(*brief) == []


def test_a_flow_that_stops_early_is_measured_while_it_could_send() -> None:
    # 60 of 100 s at 250 kb/s make 150 kb/s over the measured time; the equal share is 275 kb/s.
    early = flow(18e3, sending_s=60.0)
    assert who(flow(300e3), early) == []  # 30 kb/s of (300 + 30) / 2
    assert who(flow(300e3), flow(9e3, sending_s=60.0)) == [1]
    assert who(flow(300e3), flow(0, sending_s=0.0)) == []


def test_each_run_counts_by_itself() -> None:
    """Two flows take turns: neither starves on average, but one of them does in each run."""
    runs = [hungry([flow(300e3), flow(1e3)]), hungry([flow(1e3), flow(300e3)])]
    told = starvation(runs)
    assert told is not None
    assert (told.runs, told.of) == (2, 2)
    assert [(each.flow, each.runs) for each in told.flows] == [(0, 1), (1, 1)]
    assert told.said("with reno") == (
        "2 flows starve with reno in 2 of 2 runs: flow 0 (1 → 2) gets 1.0 kb/s in 1 run, 0.66 % of "
        "an equal share; flow 1 (1 → 2) gets 1.0 kb/s in 1 run, 0.66 % of an equal share"
    )
    assert starvation([{}, {}]) is None


def test_results_that_do_not_tell_of_times_accuse_nobody() -> None:
    old = {"from": 0, "to": 1, "protocol": "reno", "goodput_bps": 0.0}
    assert who(old, flow(300e3)) == []


def test_many_settings_are_one_line() -> None:
    told = starvation([hungry([flow(300e3), flow(1e3)])])
    assert told is not None
    assert len(warnings_at([("a=1", told)] * 5, 9)) == 5
    assert warnings_at([("a=1", told)] * 6, 9) == [
        (
            "flows starve at 6 of 9 settings: "
            "flow 1 (1 → 2) at 6 of them, where it gets 1.0 to 1.0 kb/s"
        )
    ]


def test_ends_are_told_only_where_they_are_the_same() -> None:
    """Pairs that are drawn at random are others in each run; hops may be varied with the ends."""
    first, second = ([flow(300e3), {**flow(1e3), "to": end}] for end in (2, 3))
    told = starvation([hungry(first), hungry(second)])
    assert told is not None
    assert ": flow 1 gets 1.0 kb/s" in told.said()
    assert at(told.to_dict(), "flows", 0, "from") == 1
    assert at(told.to_dict(), "flows", 0, "to") is None
    each = [starvation([hungry(flows)]) for flows in (first, second)]
    (line,) = warnings_at([(f"a={n}", one) for n, one in enumerate(each * 3) if one], 9)
    assert line.endswith(": flow 1 at 6 of them, where it gets 1.0 to 1.0 kb/s")


def test_settings_without_runs_are_not_counted(tmp_path: Path) -> None:
    """A sweep was stopped: half of its points have no run yet."""
    run = [flow(300e3), flow(1e3)]
    points = [
        ({PROTOCOL: protocol, "k": k}, {1: run} if k < 3 else {})
        for k in range(6)
        for protocol in ("reno", "vegas")
    ]
    folder = sweep_of(tmp_path / "s", points)
    with pytest.warns(hw.StarvationWarning, match="^flows starve at 6 of 6 settings: flow 1 "):
        compare_sweep(folder, baseline="reno")


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grid, a minute of it: long enough to be judged."""
    file = tmp_path_factory.mktemp("grid") / "grid.toml"
    file.write_text(GRID.read_text().replace("duration_s = 301", "duration_s = 41"))
    return file


@pytest.fixture(scope="module")
def swept(grid: Path, tmp_path_factory: pytest.TempPathFactory) -> hw.Sweep:
    folder = tmp_path_factory.mktemp("swept") / "s"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hw.StarvationWarning)
        return hw.sweep(grid, {PROTOCOL: ["newreno", "vegas"]}, runs=3, out=folder)


def test_a_run_says_who_starves(grid: Path) -> None:
    with pytest.warns(hw.StarvationWarning, match=r"a flow starves: flow 1 \(10 → 14\)") as caught:
        results = hw.run(grid)
    assert caught[0].filename == __file__
    assert isinstance(results.starvation, Starvation)
    assert [each.flow for each in results.starvation.flows] == [1]
    flows = _goodputs(results)
    assert results.starvation.flows[0].goodput_bps == flows[1] == min(flows)
    assert "warning: a flow starves: flow 1 (10 → 14) gets" in str(results)
    assert f"worst flow {flows[1] / 1e3:.1f} kb/s" in str(results)
    assert "Warning: a flow starves" in results._repr_html_()


def _goodputs(results: hw.Results) -> list[float]:
    return [float(value) for value in results.flows.column("goodput_bps").to_pylist()]


def test_a_sweep_shows_worst_flow_and_fairness(swept: hw.Sweep) -> None:
    names, rows = swept.rows()
    assert names[-3:] == [
        "goodput (kb/s), all flows",
        "goodput of the worst flow (kb/s)",
        "Jain's index",
    ]
    assert len(rows) == 2
    text = " ".join(str(swept).split())
    for protocol in ("newreno", "vegas"):
        assert f"warning: a flow starves at {PROTOCOL}={protocol} in 3 of 3 runs: flow 1" in text
    told = swept.summary()["points"]
    assert isinstance(told, list)
    assert all(isinstance(point, dict) and point["starvation"] for point in told)
    worst = [each.mean for each in swept.means("fairness.worst_goodput_bps")]
    means = [at(point, "sharing", "fairness.worst_goodput_bps", "mean") for point in told]
    assert means == worst


def test_a_comparison_tells_the_story_by_itself(swept: hw.Sweep) -> None:
    assert swept.folder is not None
    with pytest.warns(hw.StarvationWarning, match="a flow starves with") as caught:
        found = compare_sweep(swept.folder, baseline="newreno")
    assert len(caught) == 2
    assert [each.key for each in found.metrics[:3]] == [*SHARING]
    text = " ".join(str(found).split())
    assert "warning: a flow starves with newreno in 3 of 3 runs: flow 1 (10 → 14)" in text
    assert "vegas against newreno, goodput of the worst flow:" in text
    assert "vegas against newreno, Jain's index:" in text
    numbers = json.loads(found.to_json())
    assert numbers["starvation"]["share"] == SHARE
    assert [each["variant"] for each in numbers["starvation"]["variants"]] == ["newreno", "vegas"]
    assert numbers["starvation"]["variants"][0]["flows"][0]["flow"] == 1
    assert {"starved_runs", "baseline_starved_runs"} <= {*found.to_csv().splitlines()[0].split(",")}
    assert found.table.column("starved_runs").to_pylist() == [3] * len(found.contrasts)
    # The worst flow's number is the minimum over the flows, run by run, paired by seed.
    of_flow = [
        [row[1] for row in _rows(swept, protocol) if row[0] == 1]
        for protocol in ("vegas", "newreno")
    ]
    worst = next(each for each in found.contrasts if each.metric == SHARING[1])
    pairs = [a - b for a, b in zip(*of_flow, strict=True)]
    assert worst.difference is not None
    assert worst.difference.estimate == pytest.approx(sum(pairs) / len(pairs))
    assert (worst.test, worst.n) == ("paired t", 3)


def _rows(swept: hw.Sweep, protocol: str) -> list[tuple[int, float]]:
    columns = (swept.table.column(name).to_pylist() for name in (PROTOCOL, "flow", "goodput_bps"))
    return [(flow, value) for name, flow, value in zip(*columns, strict=True) if name == protocol]


def test_how_flows_share_is_one_family_of_tests(swept: hw.Sweep) -> None:
    assert swept.folder is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hw.StarvationWarning)
        found = compare_sweep(swept.folder, baseline="newreno")
        alone = compare_sweep(swept.folder, baseline="newreno", metrics="goodput_bps")
    counts = {each.metric: each.comparisons for each in found.contrasts}
    assert [counts[key] for key in SHARING] == [3, 3, 3]
    assert counts["retransmissions"] == 1
    (only,) = alone.contrasts
    first = found.contrasts[0]
    assert (only.metric, only.comparisons, only.p_holm) == ("goodput_bps", 1, only.p)
    assert first.p == only.p
    assert first.p_holm is not None
    assert first.p is not None
    assert first.p_holm >= first.p
    guide = " ".join(str(found).split())
    assert "goodput, goodput of the worst flow and Jain's index count as one metric" in guide


def test_what_is_asked_for_is_all_that_is_shown_but_the_warning_stays(swept: hw.Sweep) -> None:
    assert swept.folder is not None
    with pytest.warns(hw.StarvationWarning):
        found = compare_sweep(swept.folder, baseline="newreno", metrics=["mean_rtt_s"])
    assert [each.key for each in found.metrics] == ["mean_rtt_s"]
    assert "warning: a flow starves with newreno" in str(found)
    with pytest.warns(hw.StarvationWarning):
        of_flow = compare_sweep(swept.folder, baseline="newreno", flow=0)
    assert not {*SHARING[1:]} & {each.key for each in of_flow.metrics}


def test_figures_have_a_panel_for_each_measure(swept: hw.Sweep) -> None:
    figure = swept.figure()
    assert list(dict.fromkeys(figure.data["measure"])) == [
        "goodput (kb/s), all flows",
        "goodput of the worst flow (kb/s)",
        "Jain's index",
    ]
    _, worst, jain = figure.matplotlib.axes
    equal = max(value for value in _heights(figure.data, 0)) / 3
    assert worst.get_ylim()[1] > equal, "beside an equal share, the bar is what it is"
    assert jain.get_ylim()[1] > 1
    assert "measure" not in swept.figure(y="goodput_bps").data
    assert "measure" not in swept.figure(flow=1).data
    assert "measure" not in swept.figure("bars", x="flow", by=[PROTOCOL]).data
    assert swept.folder is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hw.StarvationWarning)
        compared = compare_sweep(swept.folder, baseline="newreno").figure()
    assert compared is not None
    assert len(compared.matplotlib.axes) == 3


def _heights(data: dict[str, list[float | int | str | None]], panel: int) -> Sequence[float]:
    measures = list(dict.fromkeys(data["measure"]))
    pairs = zip(data["measure"], data["height"], strict=True)
    return [float(height or 0) for measure, height in pairs if measure == measures[panel]]


def test_commands_warn(swept: hw.Sweep, grid: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = str(swept.folder)
    out = str(Path(folder).with_name("figure"))
    assert main(["plot", folder, "--out", out, "--y", "mean_rtt_s"]) == 0
    assert capfd.readouterr().err.count("warning: a flow starves at") == 2
    assert main(["plot", folder, "--out", out, "--overwrite", "--flow", "0"]) == 0
    assert capfd.readouterr().err.count("warning: a flow starves at") == 2
    assert main(["compare", "--from", folder, "--baseline", "newreno", "--json"]) == 0
    told = capfd.readouterr()
    assert told.err.count("warning: a flow starves with") == 2
    assert json.loads(told.out)["starvation"]["variants"]
    assert main(["run", str(grid), "--json"]) == 0
    assert "warning: a flow starves: flow 1" in capfd.readouterr().err


def test_with_udp_what_counts_is_received(tmp_path: Path) -> None:
    """Two datagram flows: one is heard, the other shouts over its head."""
    file = tmp_path / "udp.toml"
    text = GRID.read_text().replace("duration_s = 301", "duration_s = 41")
    text = text.replace('transport.protocol = "newreno"', 'app = "cbr"\nrate_kbps = 400')
    file.write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = hw.run(file)
    received = [float(value) for value in results.flows.column("received_bps").to_pylist()]
    fairness = results.flows.column("fairness.worst_goodput_bps").to_pylist()[0]
    assert fairness == min(received)
    expected = [n for n, each in enumerate(received) if each < SHARE * sum(received) / 3]
    found = results.starvation
    assert [each.flow for each in found.flows] == expected if found else not expected
    assert bool(caught) == bool(expected)


def test_a_single_flow_is_shown_as_ever(chain: Path) -> None:
    swept = hw.sweep(chain, {"mac.cw_min": [15, 31]}, runs=2)
    assert swept.rows()[0] == ["mac.cw_min", "runs", "goodput (kb/s)"]
    assert "starvation" not in json.dumps(swept.summary())
    found = hw.compare(chain, {"mac.cw_min": [15, 31]}, baseline=31, runs=2)
    assert not {*SHARING[1:]} & {each.key for each in found.metrics}
    assert "starv" not in found.to_json() + found.to_csv() + str(found)
    assert "measure" not in swept.figure().data


def test_flows_of_udp_beside_tcp_are_in_the_sum_of_a_figure() -> None:
    columns: dict[str, list[str | float | int | bool | None]] = {
        "point": ["a", "a"], "seed": [1, 1], "flow": [0, 1], "protocol": ["reno", "udp"],
        "goodput_bps": [5.0, None], "received_bps": [6.0, 7.0],
    }  # fmt: skip
    assert Results(columns, []).samples("goodput_bps", []) == {(): [12.0]}


def test_the_command_line_says_so_in_its_text(hopwright: Hopwright, grid: Path) -> None:
    done = hopwright("run", grid, "--out", "r")
    assert "warning: a flow starves: flow 1 (10 → 14) gets" in done.stdout
    assert done.stderr == ""
