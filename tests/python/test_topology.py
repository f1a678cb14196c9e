"""`hopwright topology`: its numbers against closed forms, its files, its mistakes."""

import csv
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.data import at, number
from hopwright._io.errors import InputError
from hopwright.topology.report import report_of

CHAIN = """\
name = "chain"
duration_s = 10
topology = { kind = "chain", hops = 4 }
"""
PASSING = """\
name = "passing"
duration_s = 100
routing.protocol = "aodv"
topology = { kind = "positions", list = [[0, 0], [-400, 150]] }
radio.propagation = "disc"
[[events]]
at_s = 0
node = 1
do = "move"
to_m = [600, 150]
speed_mps = 10
"""
MOBILE = """\
name = "mobile"
duration_s = 60
routing.protocol = "aodv"
topology = { kind = "random", nodes = 20 }
mobility = { model = "random-waypoint", min_speed_mps = 5, max_speed_mps = 15 }
"""


def scenario(text: str) -> _core.Scenario:
    return _core.parse(text, "a.toml", [])


def test_a_chain_has_the_paths_of_a_chain() -> None:
    report = report_of(scenario(CHAIN))
    found = report.to_object()
    assert report.over_time()["mean_degree"] == pytest.approx((1.6, 1.6, 1.6))
    assert report.over_time()["joined_pairs_share"] == (1.0, 1.0, 1.0)
    assert report.paths()["share_of_instants"] == [0.4, 0.3, 0.2, 0.1]
    assert report.paths()["mean_hops"] == 2.0
    assert report.paths()["share_up_to_3"] == 0.9
    assert report.links()["changes_per_s"] == 0
    assert report.links()["median_s"] is None
    json.dumps(found, allow_nan=False)


def test_links_are_timed_exactly_whatever_the_step_is() -> None:
    # 250 m of range, 150 m beside the way: in range for 400 m, from 20 s to 60 s.
    for step_s in (1.0, 7.0):
        seen = report_of(scenario(PASSING), step_s=step_s).runs[0]
        assert seen.contacts["from_s"] == pytest.approx([20.0], abs=1e-6)
        assert seen.contacts["until_s"] == pytest.approx([60.0], abs=1e-6)
    report = report_of(scenario(PASSING))
    assert report.links()["mean_s"] == pytest.approx(40.0, abs=1e-6)
    assert report.links()["changes_per_s"] == 2 / 100
    assert report.links()["linked_s_per_break"] == pytest.approx(40.0, abs=1e-6)
    series = report.runs[0].series()
    assert sum(series["changes"]) == 2
    assert report.over_time()["joined_pairs_share"][0] == pytest.approx(41 / 101, abs=0.011)


def test_a_node_that_is_down_has_no_links() -> None:
    text = CHAIN + (
        'routing.protocol = "aodv"\n'
        '[[events]]\nat_s = 2\nnode = 2\ndo = "down"\n'
        '[[events]]\nat_s = 5\nnode = 2\ndo = "up"\n'
    )
    series = report_of(scenario(text)).runs[0].series()
    assert series["up"] == [5, 5, 4, 4, 4, 5, 5, 5, 5, 5, 5]
    assert series["links"] == [4, 4, 2, 2, 2, 4, 4, 4, 4, 4, 4]
    assert series["partitions"] == [1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1]


def test_classes_follow_freedman_and_diaconis_or_sturges() -> None:
    import numpy as np

    for bins in ("fd", "sturges"):
        report = report_of(scenario(MOBILE), runs=2, bins=bins)
        edges, counts = report.histogram()
        lengths = np.asarray(report.mean_paths())
        assert sum(counts) == len(lengths) > 100
        if bins == "sturges":
            assert len(counts) == np.ceil(np.log2(len(lengths)) + 1)
        else:
            width = 2 * (np.quantile(lengths, 0.75) - np.quantile(lengths, 0.25))
            width /= len(lengths) ** (1 / 3)
            assert len(counts) == np.ceil((lengths.max() - lengths.min()) / width)
        assert edges[0] == lengths.min()


def test_what_several_runs_say_of_paths_has_an_interval() -> None:
    report = report_of(scenario(MOBILE), runs=3)
    singles = [report_of(scenario(f"seed = {seed}\n{MOBILE}")).paths() for seed in (1, 2, 3)]
    assert all("ci95" not in single for single in singles)
    for name in ("mean_hops", "share_up_to_3"):
        values = np.asarray([number(single, name) for single in singles], dtype=float)
        half = 4.302652729911275 * values.std(ddof=1) / 3**0.5  # t of two degrees of freedom
        expected = [values.mean() - half, values.mean() + half]
        assert at(report.paths(), "ci95", name) == pytest.approx(expected)


def test_the_intervals_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, MOBILE)
    line = ["topology", str(file), "--step", "10"]
    dispatch(line)
    assert "(" not in capsys.readouterr().out.split("mean path")[1]
    dispatch([*line, "--runs", "2"])
    told = capsys.readouterr().out.split("mean path")[1]
    assert re.search(r"mean, hops +\d\.\d\d \(\d\.\d\d to \d\.\d\d\)", told)
    assert re.search(r"up to 3 hops +\d+\.\d % \(\d+\.\d to \d+\.\d\)", told)


def test_several_seeds_are_pooled() -> None:
    both = report_of(scenario(MOBILE), runs=2)
    one, other = (report_of(scenario(f"seed = {seed}\n{MOBILE}")) for seed in (1, 2))
    assert both.mean_paths() == one.mean_paths() + other.mean_paths()
    assert one.mean_paths() != other.mean_paths()


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "a.toml"
    file.write_text(text)
    return file


def test_the_folder_has_report_tables_and_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    line = ["topology", str(write(tmp_path, MOBILE)), "--runs", "2", "--step", "5", "--out"]
    dispatch([*line, str(out)])
    told = capsys.readouterr().out
    assert "20 nodes, 60 s, seeds 1 to 2" in told
    assert "changes per second" in told
    stems = ["path-lengths", "lifetimes", "connectivity", "partitions", "mean-degree", "map"]
    names = [f"{stem}{suffix}" for stem in stems for suffix in (".svg", ".pdf", ".png", ".csv")]
    names += ["topology.json", "scenario.toml", "snapshots.csv", "pairs.csv", "links.csv"]
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    report = json.loads((out / "topology.json").read_text())
    assert (report["runs"], report["step_s"], report["nodes"]) == (2, 5.0, 20)
    with (out / "snapshots.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["1"] * 13 + ["2"] * 13
    assert rows[12]["time_s"] == "60.0"
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(InputError, match="has results already; add --overwrite or name another"):
        dispatch([*line, str(out)])
    dispatch([*line, str(out), "--step", "10", "--overwrite"])
    assert (out / "snapshots.csv").read_bytes() != before["snapshots.csv"]
    dispatch([*line, str(out), "--overwrite"])
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    (out / "notes").write_text("mine")
    with pytest.raises(InputError, match="notes: is not a result and would be lost"):
        dispatch([*line, str(out), "--overwrite"])
    with pytest.raises(InputError, match="has other files in it"):
        dispatch(["run", line[1], "--out", str(out), "--overwrite"])
    with pytest.raises(InputError, match="--overwrite needs --out"):
        dispatch([*line[:2], "--overwrite"])


def test_json_is_all_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, MOBILE)
    texts = []
    for _ in range(2):
        dispatch(["topology", str(file), "--json", "--seed", "5", "--step", "10"])
        texts.append(capsys.readouterr().out)
    assert json.loads(texts[0])["seed"] == 5
    assert texts[0] == texts[1]


def test_an_export_is_a_movement_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, MOBILE)
    dispatch(["topology", str(file), "--export", "ns2"])
    assert capsys.readouterr().out.startswith("# 20 nodes; topology at least: load_flatgrid")
    dispatch(["topology", str(file), "--export", "bonnmotion", "--seed", "2"])
    assert len(capsys.readouterr().out.splitlines()) == 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--step 0", "--step 0: must be above 0"),
        ("--step nan", "--step nan: must be above 0"),
        ("--step 1e-9", "at most 1,000,000 instants"),
        ("--export gpx", "invalid choice: 'gpx'"),
        ("--export ns2 --json", "--json cannot be used with --export"),
        ("--export ns2 --runs 2", "--runs cannot be used with --export"),
        ("--set topology.nodes=2001", "has 2001 nodes"),
        ("--bins scott", "invalid choice: 'scott'"),
        ("--out a.toml", "a.toml: is not a folder"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, MOBILE)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as wrong:
        dispatch(["topology", "a.toml", *shlex.split(words)])
    assert message in str(wrong.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.toml"]
