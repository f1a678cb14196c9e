"""What a run leaves to be drawn: `frames.parquet`, `lanes.parquet`, `positions.parquet`."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arro3.core import Table
from arro3.io import write_parquet

import hopwright as hw
from hopwright._io.data import items, number
from hopwright._io.errors import InputError
from hopwright.results.frames import FRAMES, LANES, Frames
from hopwright.results.positions import POSITIONS, Tracks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "frames.md"
MOBILE = ROOT / "scenarios" / "mobile.toml"
DRAWN = {"output.frames": True, "output.positions": True}


@pytest.fixture(scope="module")
def mobile(tmp_path_factory: pytest.TempPathFactory) -> hw.Results:
    """Fifty nodes on the move, for 20 s, with two seeds."""
    out = tmp_path_factory.mktemp("frames") / "mobile"
    return hw.run(hw.load(MOBILE, {**DRAWN, "duration_s": 20}), runs=2, out=out)


def column(table: Table, name: str) -> list[Any]:
    return list(table.column(name).to_pylist())


def test_results_do_not_depend_on_what_is_recorded(mobile: hw.Results) -> None:
    plain = hw.run(hw.load(MOBILE, {"duration_s": 20}), runs=2)
    names = [name for name in plain.flows.column_names if name != "wall_s"]
    assert "fingerprint" in names
    for name in names:
        assert column(mobile.flows, name) == column(plain.flows, name)


def test_frames_are_those_that_results_count(mobile: hw.Results) -> None:
    for seed, result in zip(mobile.seeds, items(mobile.summary, "results"), strict=True):
        frames = mobile.frames(seed).table
        assert frames.num_rows == number(result, "frames")
        assert column(frames, "frame") == list(range(frames.num_rows))
    lost = [
        kind
        for kind, fate in zip(column(frames, "kind"), column(frames, "result"), strict=True)
        if fate == "collision"
    ]
    counted = {
        name: number(result, "mac", "collisions", name) for name in ("rts_cts", "mac_ack", "total")
    }
    assert sum(kind in ("rts", "cts") for kind in lost) == counted["rts_cts"]
    assert lost.count("ack") == counted["mac_ack"]
    missed = mobile.frames(seed).lanes
    for_everyone = column(missed, "cause").count("collision")
    assert len(lost) + for_everyone == counted["total"]


def test_nodes_are_where_the_scenario_has_them(mobile: hw.Results) -> None:
    for seed in mobile.seeds:
        tracks = mobile.positions(seed)
        for time_s in (0.0, 0.123456789, 7.0, 19.99, 20.0):
            expected = mobile.scenario.positions(time_s, seed)
            assert tracks.at(time_s).tolist() == [list(place) for place in expected]
            assert tracks.up(time_s).all()
    with pytest.raises(InputError, match="must lie within the run, 0 to 20 s"):
        tracks.at(20.5)


def test_whom_a_node_hears_makes_its_carrier_busy(mobile: hw.Results) -> None:
    """Beside places: who is within carrier-sense range when a frame leaves."""
    frames, tracks = mobile.frames(), mobile.positions()
    node, table = 7, frames.table
    spans = []
    for sender, from_ns, lasts_ns in zip(
        *(column(table, name) for name in ("node", "from_ns", "lasts_ns")), strict=True
    ):
        places = tracks.at(from_ns / 1e9)
        far_m = np.linalg.norm(places[sender] - places[node])
        if sender != node and far_m <= tracks.carrier_sense_range_m:
            spans.append((from_ns, from_ns + lasts_ns))
    joined: list[list[int]] = []
    for begin, end in spans:
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([begin, end])
    assert len(joined) > 100
    assert frames.carrier(node).tolist() == joined
    assert frames.carrier(99).tolist() == []


VEHICLES = """\
<fcd-export>
    <timestep time="0"><vehicle id="a" x="0" y="0"/><vehicle id="b" x="200" y="0"/></timestep>
    <timestep time="8"><vehicle id="a" x="0" y="0"/><vehicle id="b" x="200" y="0"/>
        <vehicle id="c" x="400" y="0"/></timestep>
    <timestep time="10"><vehicle id="a" x="0" y="0"/><vehicle id="c" x="400" y="0"/></timestep>
    <timestep time="20"><vehicle id="a" x="0" y="0"/></timestep>
</fcd-export>
"""
TRAFFIC = """
duration_s = 20
topology = { kind = "sumo-fcd", file = "traffic.xml" }
routing = { protocol = "aodv" }
output = { frames = true, positions = true }
[[flows]]
from = 0
to = 2
"""


def test_vehicles_that_have_left_are_down(tmp_path: Path) -> None:
    """Three vehicles of SUMO: c comes at 8 s, b has left by 10 s, c by 20 s."""
    (tmp_path / "traffic.xml").write_text(VEHICLES)
    (tmp_path / "traffic.toml").write_text(TRAFFIC)
    scenario = hw.load(tmp_path / "traffic.toml").check()
    times = [0.0, 9.0, 15.0]
    up = [[True, True, False], [True, True, True], [True, False, True]]
    assert scenario.up(times) == up
    assert scenario.reached(times) == [[[1], [0], []], [[1], [0, 2], [1]], [[], [], []]]
    hops = [
        np.frombuffer(each, dtype="<i4").reshape(3, 3).tolist() for each in scenario.hops(times)
    ]
    assert hops[1] == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert hops[2] == [[0, -1, -1], [-1, 0, -1], [-1, -1, 0]]
    tracks = hw.run(scenario, out=tmp_path / "out").positions()
    assert [tracks.up(time_s).tolist() for time_s in times] == up


def test_whom_links_lead_to_is_reached(tmp_path: Path) -> None:
    text = 'duration_s = 5\ntopology = { kind = "links" }\n'
    text += "[[links]]\nfrom = 0\nto = 1\nrate_kbps = 100\n"
    text += "[[links]]\nfrom = 1\nto = 2\nrate_kbps = 100\n[[flows]]\nfrom = 0\nto = 2\n"
    file = tmp_path / "links.toml"
    file.write_text(text)
    scenario = hw.load(file).check()
    assert scenario.reached([0.0]) == [[[1], [0, 2], [1]]]
    assert scenario.up([0.0]) == [[True] * 3]
    for key in DRAWN:
        with pytest.raises(hw.ScenarioError, match=f"{key}: needs "):
            hw.load(file, {key: True}).check()


def test_the_page_names_the_columns_that_there_are(mobile: hw.Results) -> None:
    text = PAGE.read_text()
    frames = mobile.frames()
    for heading, table in (
        ("Frames", frames.table),
        ("Lanes", frames.lanes),
        ("Positions", mobile.positions().table),
    ):
        part = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        heads = [line.split(" | ")[0] for line in part.splitlines() if line.startswith("| `")]
        named = [name for head in heads for name in re.findall(r"`(\w+)`", head)]
        assert named == table.column_names


def test_what_was_not_kept_is_said(tmp_path: Path, mobile: hw.Results) -> None:
    plain = hw.load(ROOT / "scenarios" / "chain.toml", {"duration_s": 2})
    with pytest.raises(InputError, match=r"run with out=DIR, and with output\.frames = true"):
        hw.run(plain).frames()
    results = hw.run(plain, out=tmp_path / "plain")
    with pytest.raises(InputError, match=r"is not there; a run writes it with output\.positions"):
        results.positions()
    with pytest.raises(InputError, match="no run with seed 9"):
        mobile.frames(9)


def test_a_folder_with_them_may_be_written_again(tmp_path: Path) -> None:
    chain = hw.load(ROOT / "scenarios" / "chain.toml", {**DRAWN, "duration_s": 2})
    first = hw.run(chain, out=tmp_path / "out").frames().table
    again = hw.run(chain, out=tmp_path / "out", overwrite=True).frames().table
    assert first == again


def test_another_version_is_refused(tmp_path: Path, mobile: hw.Results) -> None:
    frames = mobile.frames()
    for name, table in ((FRAMES, frames.table), (LANES, frames.lanes)):
        other = table.with_schema(table.schema.with_metadata({"format": "hopwright.frames 99"}))
        write_parquet(other, str(tmp_path / name))
    with pytest.raises(
        InputError, match=r"is of format 'hopwright\.frames 99'; this program reads"
    ):
        Frames.read(tmp_path)
    (tmp_path / POSITIONS).write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="not a complete Parquet file"):
        Tracks.read(tmp_path)
    (tmp_path / POSITIONS).write_bytes(b"PAR1" + 99 * b"x" + (50).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(InputError, match=r"positions\.parquet: is damaged; copy it again, or make"):
        Tracks.read(tmp_path)
