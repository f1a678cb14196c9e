"""`hopwright plot`: what it draws of sweeps, runs and scenarios, and what it says to nonsense."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopwright
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import InputError
from hopwright._io.parquet import read_columns
from hopwright.figures.figure import SUFFIXES
from hopwright.figures.results import Results
from hopwright.results.network import Network, network_of
from hopwright.statistics.means import half_width, mean

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
GOODPUT = {"reno": 9e5, "vegas": 7e5}


def goodput(protocol: str, hops: int, seed: int) -> float:
    return GOODPUT[protocol] / hops + 100.0 * seed**2


@pytest.fixture(scope="session")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep's folder: two protocols, three lengths with the end that goes with it, four seeds."""
    from arro3.core import Array, DataType, Table
    from arro3.io import write_parquet

    runs = [(p, h, s) for p in GOODPUT for h in (1, 2, 4) for s in range(4)]
    words, whole, real = DataType.string(), DataType.int64(), DataType.float64()
    table: dict[str, Any] = {
        "flows.transport.protocol": Array([p for p, _, _ in runs], type=words),
        "topology.hops": Array([h for _, h, _ in runs], type=whole),
        "flows.to": Array([h for _, h, _ in runs], type=whole),
        "point": Array([f"{p}-{h}" for p, h, _ in runs], type=words),
        "seed": Array([s for _, _, s in runs], type=whole),
        "flow": Array([0] * len(runs), type=whole),
        "protocol": Array([p for p, _, _ in runs], type=words),
        "goodput_bps": Array([goodput(*run) for run in runs], type=real),
        "mean_rtt_s": Array([None if h == 4 else 0.1 * h for _, h, _ in runs], type=real),
        "mean_hops": Array([None] * len(runs), type=real),
    }
    folder = tmp_path_factory.mktemp("sweep")
    write_parquet(Table.from_pydict(table), str(folder / "results.parquet"))
    return folder


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on the grid."""
    folder = tmp_path_factory.mktemp("run") / "out"
    hopwright.run(hopwright.load(SCENARIOS / "grid.toml", {"duration_s": 3}).check(), out=folder)
    return folder


@pytest.fixture
def plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, str]]]:
    """Draws; returns the data beside the figure, after a look whether all files are there."""

    def draw(*words: object) -> list[dict[str, str]]:
        stem = tmp_path / "figure"
        dispatch(["plot", *map(str, words), "--out", str(stem), "--overwrite"])
        assert {path.name for path in tmp_path.iterdir()} == {f"figure{s}" for s in SUFFIXES}
        assert "figure.svg, .pdf, .png, .csv" in capsys.readouterr().out
        with stem.with_suffix(".csv").open(newline="") as file:
            return list(csv.DictReader(file))

    return draw


def test_a_sweep_alone_is_lines_with_intervals(
    sweep: Path, plot: Callable[..., list[dict[str, str]]]
) -> None:
    rows = plot(sweep)
    # `flows.to` goes with the hops: it makes no series of its own.
    assert [(row["series"], row["x"]) for row in rows] == [
        (protocol, hops) for protocol in GOODPUT for hops in ("1.0", "2.0", "4.0")
    ]
    values = [goodput("vegas", 4, seed) * 1e-3 for seed in range(4)]
    half = half_width(values)
    assert half is not None
    found = [float(rows[-1][name]) for name in ("y", "low", "high")]
    assert found == pytest.approx([mean(values), mean(values) - half, mean(values) + half])


def test_each_kind_of_a_sweep(sweep: Path, plot: Callable[..., list[dict[str, str]]]) -> None:
    bars = plot(sweep, "bars", "--x", "topology.hops", "--y", "mean_rtt_s")
    assert {row["height"] for row in bars if row["group"] == "4"} == {""}
    assert len(plot(sweep, "boxes", "--where", "topology.hops=2")) == 8
    cdf = plot(sweep, "cdf", "--by", "flows.transport.protocol", "--log-x")
    assert [row["share"] for row in cdf[11::12]] == ["1.0", "1.0"]
    heat = plot(sweep, "heat", "--value", "goodput_bps")
    assert [(row["x"], row["y"]) for row in heat[:3]] == [(h, "vegas") for h in ("1", "2", "4")]
    expected = mean([goodput("vegas", 1, seed) for seed in range(4)]) / 1e3
    assert float(heat[0]["value"]) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["lines", "bars", "boxes", "cdf"])
def test_points_without_a_value_are_told(
    kind: str, sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(y: str) -> str:
        out = ["--out", str(tmp_path / y), "--where", "flows.transport.protocol=reno"]
        dispatch(["plot", str(sweep), kind, "--y", y, *out])
        return capsys.readouterr().err

    said = "warning: mean_rtt_s: no run has a value at hops 4; nothing is drawn there\n"
    assert told("mean_rtt_s") == said
    assert told("goodput_bps") == ""


def test_a_part_of_a_sweep_is_chosen_by_lists(
    sweep: Path, plot: Callable[..., list[dict[str, str]]]
) -> None:
    hops = ("--where", "topology.hops=1,4")
    assert {row["x"] for row in plot(sweep, "lines", *hops)} == {"1.0", "4.0"}
    again = ("--where", "topology.hops=1", "--where", "topology.hops=4")
    assert plot(sweep, "lines", *again) == plot(sweep, "lines", *hops)
    both = plot(sweep, "lines", *hops, "--where", 'flows.transport.protocol="reno"')
    assert {(row["series"], row["x"]) for row in both} == {("all", "1.0"), ("all", "4.0")}
    assert plot(sweep, "lines", "--flow", "0") == plot(sweep, "lines")


def test_an_axis_of_one_of_two_protocols_says_which() -> None:
    from hopwright.figures.of_sweep import SweepOptions, sweep_figure

    pairs = [(transport, routing) for transport in GOODPUT for routing in ("aodv", "dsr")]
    columns: dict[str, list[Any]] = {
        "flows.transport.protocol": [transport for transport, _ in pairs],
        "routing.protocol": [routing for _, routing in pairs],
        "mac.queue_packets": [5, 50, 50, 5],
        "routing.dsr.queue_packets": [5, 50, 50, 5],
        "point": ["abcd"[n] for n in range(4)],
        "seed": [1] * 4,
        "flow": [0] * 4,
        "goodput_bps": [4.0, 3.0, 2.0, 1.0],
    }
    results = Results(columns, list(columns)[:2])
    figure, _, _ = sweep_figure(results, "bars", SweepOptions())
    assert figure.matplotlib.axes[0].get_xlabel() == "transport protocol"
    words = SweepOptions(x="flows.transport.protocol", y="routing.protocol")
    heat, _, _ = sweep_figure(results, "heat", words)
    axes = heat.matplotlib.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("transport protocol", "routing protocol")
    queues = Results(
        columns, [*list(columns)[:2], "mac.queue_packets", "routing.dsr.queue_packets"]
    )
    shown = SweepOptions(x="mac.queue_packets", by=["routing.dsr.queue_packets"])
    reno = queues.where({"flows.transport.protocol": ["reno"]})
    lines, _, _ = sweep_figure(reno, "lines", shown)
    assert lines.matplotlib.axes[0].get_xlabel() == "mac queue (packets)"
    assert set(lines.data["series"]) == {"dsr queue 5 packets", "dsr queue 50 packets"}


def test_of_several_flows_a_run_has_the_sum_or_the_mean() -> None:
    results = Results(
        {
            "topology.hops": [1, 1, 1, 1],
            "point": ["a"] * 4,
            "seed": [1, 1, 2, 2],
            "flow": [0, 1, 0, 1],
            "protocol": ["reno", "reno", "reno", "udp"],
            "goodput_bps": [1.0, 3.0, 5.0, None],
            "received_bps": [1.0, 3.0, 5.0, 2.0],
            "mean_rtt_s": [1.0, 3.0, 5.0, None],
            "mean_cwnd_segments": [1.0, None, 5.0, None],
            "mac.collisions.total": [7, 7, 8, 8],
        },
        ["topology.hops"],
    )
    assert results.samples("goodput_bps", ["topology.hops"]) == {(1,): [4.0, 7.0]}
    assert results.samples("mean_rtt_s", ["topology.hops"]) == {(1,): [2.0, 5.0]}
    # A flow that should have a value and has none leaves the run without one.
    assert results.samples("mean_cwnd_segments", ["topology.hops"]) == {(1,): [5.0]}
    assert results.samples("mac.collisions.total", ["topology.hops"]) == {(1,): [7.0, 8.0]}
    assert results.samples("goodput_bps", ["flow"]) == {(0,): [1.0, 5.0], (1,): [3.0, 2.0]}
    of_one = results.of_flows([1])
    assert of_one.samples("goodput_bps", ["topology.hops"]) == {(1,): [3.0, 2.0]}


def table(queue: list[Any], point: list[str], **measured: list[Any]) -> Results:
    """Of runs with seed 1 and one flow each."""
    count = len(queue)
    own = {"mac.queue_packets": queue, "point": point, "seed": [1] * count, "flow": [0] * count}
    return Results({**own, **measured}, ["mac.queue_packets"])


def test_a_point_that_a_design_has_twice_counts_once() -> None:
    results = table([4, 4, 5], ["a", "a", "b"], goodput_bps=[1.0, 1.0, 3.0], mean_rtt_s=[1, 1, 2])
    assert results.samples("goodput_bps", ["mac.queue_packets"]) == {(4,): [1.0], (5,): [3.0]}
    assert results.samples("mean_rtt_s", []) == {(): [1.0, 2.0]}


def test_a_result_on_the_axis_of_x_is_in_the_unit_of_its_label() -> None:
    from hopwright.figures.of_sweep import SweepOptions, sweep_figure

    results = table([4, 5], ["a", "b"], goodput_bps=[1000.0, 3000.0], mean_rtt_s=[0.1, 0.2])
    options = SweepOptions(x="mean_rtt_s", y="goodput_bps", by=["mac.queue_packets"])
    lines, _, _ = sweep_figure(results, "lines", options)
    assert lines.matplotlib.axes[0].get_xlabel() == "mean round-trip time (ms)"
    assert sorted(zip(lines.data["x"], lines.data["y"], strict=True)) == [(100, 1), (200, 3)]
    bars, _, _ = sweep_figure(results, "bars", options)
    assert [each.get_text() for each in bars.matplotlib.axes[0].get_xticklabels()] == ["100", "200"]


def test_goodput_is_drawn_even_if_nothing_arrived() -> None:
    from hopwright.figures.of_sweep import SweepOptions, sweep_figure

    nothing: dict[str, list[Any]] = {
        "goodput_bps": [0.0, 0.0],
        "received_bps": [0.0, 0.0],
        "rto_count": [2, 2],
    }
    drawn, _, _ = sweep_figure(table([4, 5], ["a", "b"], **nothing), "lines", SweepOptions())
    assert drawn.matplotlib.axes[0].get_ylabel() == "goodput (kb/s)"
    nothing["received_bps"] = [5.0, 6.0]
    drawn, _, _ = sweep_figure(table([4, 5], ["a", "b"], **nothing), "lines", SweepOptions())
    assert drawn.matplotlib.axes[0].get_ylabel() == "goodput (kb/s)"
    over_udp: dict[str, list[Any]] = {"received_bps": [5.0, 6.0], "segments_sent": [7, 8]}
    drawn, _, _ = sweep_figure(table([4, 5], ["a", "b"], **over_udp), "lines", SweepOptions())
    assert drawn.matplotlib.axes[0].get_ylabel() == "received (kb/s)"


def test_an_equal_share_is_of_the_flows_that_a_setting_has() -> None:
    from hopwright.figures.of_sweep import SweepOptions, sweep_figure

    columns: dict[str, list[Any]] = {
        "k": ["one", "three", "three", "three"],
        "point": ["a", "b", "b", "b"],
        "seed": [1] * 4,
        "flow": [0, 0, 1, 2],
        "goodput_bps": [6e3, 3e3, 3e3, 6e3],
        "fairness.worst_goodput_bps": [6e3, 3e3, 3e3, 3e3],
    }
    figure, _, _ = sweep_figure(Results(columns, ["k"]), "bars", SweepOptions())
    lines = figure.matplotlib.axes[1].lines
    heights = {float(np.mean(line.get_ydata())) for line in lines}  # type: ignore[arg-type]
    assert {6.0, 4.0} <= heights
    assert 2.0 not in heights


def test_a_backend_that_is_not_installed_here_changes_nothing(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jupyter exports one to all that it starts."""
    command = [sys.executable, "-m", "hopwright", "plot", str(sweep), "--out", str(tmp_path / "p")]
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_of_nobody.backend")
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_line_break_in_a_label_is_refused_with_what_would_be_right(
    sweep: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="put a text with a line break into double quotation"):
        dispatch(["plot", str(sweep), "--out", str(tmp_path / "p"), "--labels", "reno=a\nb"])


def test_each_kind_of_a_run(run: Path, plot: Callable[..., list[dict[str, str]]]) -> None:
    summary = json.loads((run / "summary.json").read_text())
    assert {row["series"].partition(":")[0] for row in plot(run)} == {"flow 0", "flow 1", "flow 2"}
    queues = plot(run, "time", "--y", "queue_packets")
    assert all(row["series"].startswith("node ") for row in queues)
    assert len(plot(run, "topology")) == 25
    routes = plot(run, "routes", "--flow", 0)
    assert [(row["from"], row["to"]) for row in routes] == [(str(n), str(n + 1)) for n in range(4)]
    assert all(float(row["share"]) <= 1 for row in routes)
    paths = plot(run, "paths")
    assert sum(float(row["share"]) for row in paths if row["series"] == "pairs") == pytest.approx(1)
    taken = [row["hops"] for row in paths if row["series"] == "flow 2"]
    assert taken == [str(float(summary["results"][0]["flows"][2]["mean_hops"]))]


def test_a_moving_average_is_of_a_columns_own_changes(
    tmp_path_factory: pytest.TempPathFactory, plot: Callable[..., list[dict[str, str]]]
) -> None:
    """However many rows other columns make, of a value that holds only its changes count."""
    drawn = []
    for quantities in (["in-network"], ["in-network", "cwnd", "rtt", "rto", "in-flight"]):
        out = tmp_path_factory.mktemp("series") / "out"
        changes = {"duration_s": 4, "output.series": quantities}
        hopwright.run(hopwright.load(SCENARIOS / "chain.toml", changes).check(), out=out)
        drawn.append(plot(out, "time", "--y", "in_network_acks", "--moving-average", 4))
    assert drawn[0] == drawn[1]
    values = [float(row["y"]) for row in drawn[0]]
    assert all(a != b for a, b in pairwise(values))
    averages = [row["average"] for row in drawn[0]]
    assert averages[:2] == ["", ""]
    assert averages[-1] == ""
    assert [float(average) for average in averages[2:-1]] == pytest.approx(
        [sum(values[n - 2 : n + 2]) / 4 for n in range(2, len(values) - 1)]
    )


def test_what_a_run_has_is_drawn_unasked(
    tmp_path_factory: pytest.TempPathFactory, plot: Callable[..., list[dict[str, str]]]
) -> None:
    out = tmp_path_factory.mktemp("bundles") / "out"
    changes: dict[str, object] = {"flows.0.transport": {"protocol": "nctp"}}
    changes |= {"duration_s": 30, "topology.hops": 2, "flows.0.to": 2}
    hopwright.run(hopwright.load(SCENARIOS / "chain.toml", changes), out=out)
    rows = plot(out, "time")
    assert rows
    assert rows == plot(out, "time", "--y", "received_bytes")


def test_contention_windows_of_nodes(
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
    plot: Callable[..., list[dict[str, str]]],
) -> None:
    out = tmp_path_factory.mktemp("backoff") / "out"
    changes = {"duration_s": 3, "output.series": ["backoff"], "mac.backoff": "fba"}
    hopwright.run(hopwright.load(SCENARIOS / "chain.toml", changes).check(), out=out)
    rows = plot(out, "time", "--y", "contention_window_slots")
    assert rows == plot(out), "nothing else can be drawn"
    series = read_columns(out / "series.parquet")
    drawn = {row["series"] for row in rows}
    assert len(drawn) == 8, "of nine nodes those with the largest windows"
    for node in range(9):
        windows = [
            (time, window)
            for time, who, window in zip(
                series["time_s"], series["node"], series["contention_window_slots"], strict=True
            )
            if who == node
        ]
        shown = [
            (float(row["x"]), float(row["y"])) for row in rows if row["series"] == f"node {node}"
        ]
        assert shown == (windows if f"node {node}" in drawn else [])
    for words, said in (
        ("backoff_stage", "is not a number; the numbers are: contention_window_slots"),
        ("cwnd_segments", "no such series; there are: contention_window_slots"),
        ("contention_window_slots --flow 0", "belongs to a node, not to a flow"),
    ):
        with pytest.raises(InputError, match=said):
            dispatch(
                ["plot", str(out), "time", "--y", *words.split(), "--out", str(tmp_path / "f")]
            )


@pytest.mark.parametrize("kind", ["time", "topology", "routes", "paths"])
def test_an_empty_title_is_none(kind: str, run: Path, tmp_path: Path) -> None:
    stem = tmp_path / "figure"
    dispatch(["plot", str(run), kind, "--title", "", "--flow", "0", "--out", str(stem)])
    assert "grid" not in stem.with_suffix(".svg").read_text()


def test_a_scenario_that_has_not_run(plot: Callable[..., list[dict[str, str]]]) -> None:
    mobile = SCENARIOS / "mobile.toml"
    first, later = plot(mobile), plot(mobile, "topology", "--at", 450)
    assert first[0]["x_m"] == "852.355"
    assert first != later
    assert len(plot(mobile, "paths", "--wide")) > 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("line", "no figure 'line': .* is a sweep; did you mean 'lines'?"),
        ("time", "there are: lines, bars, boxes, cdf, heat"),
        ("lines --y goodputt_bps", "did you mean 'goodput_bps'"),
        ("lines --y protocol", "--y protocol: is not a number"),
        ("lines --y mean_hops", "no run has a value of it"),
        ("lines --x flows.transport.protocol", "is not a number; 'bars' draws it"),
        ("lines --x topology.hop", "did you mean 'topology.hops'"),
        ("lines --by flow", "flows.transport.protocol varies too"),
        ("lines --by topology.hops", "is the axis already"),
        ("cdf --x topology.hops", "the axis of a cdf"),
        ("cdf --log-y", "cdf has no such axis"),
        ("bars --log-y", "bars has no such axis"),
        ("heat --y goodput_bps", "a heat map's axes are settings"),
        ("heat --x topology.hops --y flows.to", "flows.transport.protocol varies too"),
        ("heat --where flows.transport.protocol=reno", "needs two settings that vary"),
        ("lines --where topology.hops=3", "no run has that; there are: 1, 2, 4"),
        ("lines --where topology.hops", "KEY=a,b,c"),
        ("lines --flow 9", "flow 9: there is none; flows: 0"),
        ("lines --where topology.hops=4,", "--where topology.hops=4,: a value is missing"),
        ("lines --moving-average 5", "--moving-average cannot be used with a sweep"),
    ],
)
def test_nonsense_about_a_sweep(words: str, said: str, sweep: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        dispatch(["plot", str(sweep), *words.split(), "--out", str(tmp_path / "new" / "figure")])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("route", "did you mean 'routes'"),
        ("time --y cwnd_segment", "no such series; did you mean 'cwnd_segments'"),
        ("time --flow 3", "flow 3: there is none; flows: 0, 1, 2"),
        ("time --at 1", "--at can only be used with"),
        ("time --y queue_packets --flow 0", "belongs to a node"),
        ("topology --at 9", "the run is from 0 to 3 s"),
        ("topology --y rtt_s", "cannot be used with 'topology'"),
        ("topology --moving-average 5", "cannot be used with 'topology'"),
        ("time --moving-average 1000000", "there are only"),
        ("routes --x seed", "--x cannot be used with a run"),
    ],
)
def test_nonsense_about_a_run(words: str, said: str, run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        dispatch(["plot", str(run), *words.split(), "--out", str(tmp_path / "figure")])
    assert not list(tmp_path.iterdir())


def test_folders_without_results(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no results: neither"):
        dispatch(["plot", str(tmp_path)])
    with pytest.raises(InputError, match="does not exist; name a scenario or a folder"):
        dispatch(["plot", str(tmp_path / "nowhere")])
    for content, said in (
        (b"no table", "is not a complete Parquet file"),
        (b"PAR1" + bytes(12) + b"PAR1", "is damaged"),
    ):
        (tmp_path / "results.parquet").write_bytes(content)
        with pytest.raises(InputError, match=said):
            dispatch(["plot", str(tmp_path)])
    (tmp_path / "results.parquet").unlink()
    (tmp_path / "summary.json").write_text('{"results": [{"flows": [{}]}], "scenario": "x"}')
    with pytest.raises(InputError, match=r"network\.json: does not exist"):
        dispatch(["plot", str(tmp_path), "routes"])
    (tmp_path / "network.json").write_text("{}")
    with pytest.raises(InputError, match="not a network"):
        dispatch(["plot", str(tmp_path), "routes"])
    with pytest.raises(InputError, match=r"series\.parquet: is not there"):
        dispatch(["plot", str(tmp_path), "time"])


def test_nothing_is_lost(sweep: Path, tmp_path: Path) -> None:
    precious = tmp_path / "mine.csv"
    precious.write_text("precious")
    with pytest.raises(InputError, match=r"mine\.csv: exists already; add --overwrite"):
        dispatch(["plot", str(sweep), "--out", str(tmp_path / "mine")])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]
    assert precious.read_text() == "precious"


def test_the_figure_of_a_folder_stands_beside_it(
    sweep: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dispatch(["plot", str(sweep), "heat"])
    assert f"{sweep}-heat.svg" in capsys.readouterr().out
    assert sweep.with_name(f"{sweep.name}-heat.png").is_file()


def test_a_runs_links_say_where_its_packets_went(chain: Path) -> None:
    scenario = hopwright.load(chain).check()
    (kept,) = _core.run(scenario, [7], 1, _core.Progress(), figures=True)
    ends = [(start, end) for start, end, _ in kept.links(0)]
    packets = [count for _, _, count in kept.links(0)]
    assert ends == [(0, 1), (1, 2), (2, 3)]
    assert packets == sorted(packets, reverse=True)
    flow = json.loads(kept.summary_json())["flows"][0]
    assert 100 < flow["goodput_segments"] <= packets[-1]
    assert packets[0] <= flow["segments_sent"] + 2  # and SYN and FIN
    (plain,) = _core.run(scenario, [7], 1, _core.Progress())
    assert plain.links(0) == []
    with pytest.raises(IndexError, match="no flow 1"):
        kept.links(1)


def test_positions_and_ends_of_a_scenario(chain: Path) -> None:
    scenario = hopwright.load(chain).check()
    assert scenario.positions(0) == [(200.0 * n, 0.0) for n in range(4)]
    network = network_of(scenario)
    assert network.flows == [(0, 3)]
    assert network.reception_range_m == pytest.approx(250, abs=0.1)
    with pytest.raises(ValueError, match="not within the run"):
        scenario.positions(11)
    mobile = hopwright.load(SCENARIOS / "mobile.toml").check()
    there, here = mobile.tracks([0, 450])
    assert (there, here) == (mobile.positions(0), mobile.positions(450))
    assert there != here
    text = chain.read_text().replace("hops = 3\nspacing_m = 200", "nodes = 30")
    chain.write_text(text.replace('"chain"\n', '"random"\n').replace('"static"', '"aodv"'))
    placed = hopwright.load(chain).check()
    assert placed.positions(0) == placed.positions(0, 7) != placed.positions(0, 8)


def test_what_is_down_is_so_on_maps(
    chain: Path, plot: Callable[..., list[dict[str, str]]], tmp_path: Path
) -> None:
    """Node 1 is down from 2.5 s to 6 s of ten, node 3 from the start."""
    switches = ((2.5, 1, "down"), (6, 1, "up"), (0, 3, "down"))
    script = [
        f'[[events]]\nat_s = {at_s}\nnode = {node}\ndo = "{do}"\n' for at_s, node, do in switches
    ]
    text = chain.read_text().replace('"static"', '"aodv"')
    chain.write_text(text + "".join(script))
    network = network_of(hopwright.load(chain).check())
    assert not network.moves
    assert network.times_s == [float(s) for s in range(11)]
    assert network.down == [[3]] * 3 + [[1, 3]] * 3 + [[3]] * 5
    # plot looks whether its files are alone in the folder
    file = tmp_path.parent / f"{tmp_path.name}.toml"
    chain.rename(file)
    assert [row["neighbours"] for row in plot(file)] == ["1", "0 2", "1", ""]
    assert [row["neighbours"] for row in plot(file, "--at", 2.7)] == ["", "", "", ""]
    shares = [(row["hops"], row["low"], row["high"]) for row in plot(file, "paths")]
    assert shares[-1] == ("", "0.5", "1.0")
    out = tmp_path.parent / f"{tmp_path.name}-out"
    hopwright.run(hopwright.load(file), out=out)
    assert Network.read(out).down_in(4) == [1, 3]
    assert [row["neighbours"] for row in plot(out, "topology", "--at", 5)] == [""] * 4
    dispatch(["topology", str(file), "--out", str(out / "over-time")])
    with (out / "over-time" / "map.csv").open(newline="") as rows:
        assert [row["neighbours"] for row in csv.DictReader(rows)] == ["1", "0 2", "1", ""]


def test_a_network_is_read_as_it_was_written(run: Path) -> None:
    scenario = hopwright.load(SCENARIOS / "grid.toml", {"duration_s": 3}).check()
    read, made = Network.read(run), network_of(scenario)
    assert read.positions_m == made.positions_m
    assert read.times_s == [0]
    assert read.flows == made.flows
    assert len(read.links) == len(made.flows)


@pytest.mark.parametrize(
    "damage",
    [
        "[]",
        '{"reception_range_m": null}',
        '{"times_s": []}',
        '{"positions_m": [[["x", 0]]]}',
        '{"links": [[[1]]]}',
        '{"links": []}',
        '{"down": [[], []]}',
    ],
)
def test_a_damaged_network_is_told_of(damage: str, run: Path, tmp_path: Path) -> None:
    known, changed = json.loads((run / "network.json").read_text()), json.loads(damage)
    content = known | changed if changed else changed
    (tmp_path / "network.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"network\.json: is not a network that a run wrote"):
        Network.read(tmp_path)


def test_a_run_without_flows_is_drawn_unasked(
    tmp_path_factory: pytest.TempPathFactory, plot: Callable[..., list[dict[str, str]]]
) -> None:
    text = (SCENARIOS / "chain.toml").read_text().partition("[[flows]]")[0]
    folder = tmp_path_factory.mktemp("idle")
    (folder / "idle.toml").write_text(text.replace("duration_s = 301", "duration_s = 2"))
    dispatch(["run", str(folder / "idle.toml"), "--out", str(folder / "out")])
    assert [row["node"] for row in plot(folder / "out")] == [str(node) for node in range(9)]


def test_hops_are_counted_on_shortest_paths() -> None:
    ring = [(0.0, 0.0), (200.0, 0.0), (200.0, 200.0), (0.0, 200.0), (9000.0, 0.0)]
    assert _core.links(ring, 250) == [(0, 1), (0, 3), (1, 2), (2, 3)]
    assert _core.links(ring, 250, {1}) == [(0, 3), (2, 3)]
    assert _core.hop_counts(ring, 250) == ([4, 2], 4)
    assert _core.hop_counts(ring, 300) == ([6], 4)
    assert _core.hop_counts(ring, 250, {1}) == ([2, 1], 7)


VEHICLES = """\
<fcd-export>
    <timestep time="0"><vehicle id="a" x="0" y="0"/><vehicle id="b" x="200" y="0"/></timestep>
    <timestep time="8"><vehicle id="a" x="0" y="0"/><vehicle id="b" x="200" y="0"/>
        <vehicle id="c" x="400" y="0"/></timestep>
    <timestep time="10"><vehicle id="a" x="0" y="0"/><vehicle id="c" x="400" y="0"/></timestep>
    <timestep time="20"><vehicle id="a" x="0" y="0"/></timestep>
</fcd-export>
"""


def test_vehicles_that_are_not_there_are_down(
    chain: Path, plot: Callable[..., list[dict[str, str]]], tmp_path: Path
) -> None:
    """Three vehicles of SUMO: c comes at 8 s, b has left by 10 s, c by 20 s."""
    place = tmp_path.parent / f"{tmp_path.name}-sumo"
    place.mkdir()
    (place / "traffic.xml").write_text(VEHICLES)
    chain.unlink()
    file = place / "sumo.toml"
    file.write_text(
        'duration_s = 20\n[topology]\nkind = "sumo-fcd"\nfile = "traffic.xml"\n'
        '[routing]\nprotocol = "aodv"\n[[flows]]\nfrom = 0\nto = 2\n'
    )
    scenario = hopwright.load(file).check()
    network = network_of(scenario)
    assert network.times_s == [2.0 * n for n in range(11)]
    assert network.down == [[2]] * 4 + [[]] + [[1]] * 5 + [[1, 2]]
    # What Rust says of who is up, of links and of paths is what is drawn.
    seen = json.loads(scenario.topology_json(2.0))["snapshots"]
    assert seen["up"] == [3 - len(nodes) for nodes in network.down]
    counted = [
        _core.hop_counts(list(places), network.reception_range_m, set(down))
        for places, down in zip(network.positions_m, network.down, strict=True)
    ]
    assert seen["joined"] == [sum(hops) for hops, _ in counted] == [1] * 4 + [3] + [0] * 6
    near = [[row["neighbours"] for row in plot(file, "--at", at_s)] for at_s in (5, 9, 15)]
    assert near == [["1", "0", ""], ["1", "0 2", "1"], ["", "", ""]]
    paths = {row["hops"]: (row["low"], row["high"]) for row in plot(file, "paths")}
    assert paths[""] == ("0.0", "1.0")
    run = tmp_path.parent / f"{tmp_path.name}-run"
    hopwright.run(file, out=run)
    assert Network.read(run).down == network.down
