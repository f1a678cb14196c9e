"""Sweeps: one tidy table, whatever the jobs, interruptions and machines."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd
import polars as pl
import pytest
from arro3.core import Table

import hopwright as hw
from hopwright import _core
from hopwright.arguments import dispatch
from hopwright.errors import InputError, UnfinishedError
from hopwright.source import Source
from hopwright.sweeps import Range, Sweep
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.measure import run_value
from hopwright.sweeps.merge import merge
from hopwright.sweeps.schedule import Run
from processes import Hopwright
from tables import untimed

SHORT = {"duration_s": 2.0}
VARY = {"topology.hops": [3, 4], "flows.transport.protocol": ["reno", "vegas", "sack"]}


DATAGRAMS = """
[[flows]]
from = 3
to = 0
app = "cbr"
rate_kbps = 50
[flows.transport]
protocol = "udp"
"""


def swept(chain: Path, out: Path | None = None, **options: object) -> Sweep:
    """Six points with three runs each, unless said otherwise."""
    settings: dict[str, Any] = {"runs": 3, "overrides": SHORT} | options
    vary = settings.pop("vary", VARY)
    return hw.sweep(chain, vary, out=out, **settings)


def frame(sweep: Sweep) -> pl.DataFrame:
    """The table, without the time that runs took."""
    return untimed(sweep.table)


def lines(folder: Path) -> list[str]:
    """The journal's lines, each of which is whole."""
    found = (folder / "runs.jsonl").read_text().splitlines()
    assert all(isinstance(json.loads(line), dict) for line in found)
    return found


@pytest.fixture
def wanted(chain: Path) -> pl.DataFrame:
    return frame(swept(chain, jobs=1))


def test_a_row_a_flow_a_run(chain: Path) -> None:
    done = swept(chain)
    table = pl.DataFrame(done.table)
    assert table.height == 18
    assert table.columns[:5] == [
        "topology.hops",
        "flows.transport.protocol",
        "point",
        "seed",
        "flow",
    ]
    assert table["seed"].to_list() == [7, 8, 9] * 6
    assert table["topology.hops"].to_list() == [3] * 9 + [4] * 9
    assert (
        table["flows.transport.protocol"].to_list()
        == (["reno"] * 3 + ["vegas"] * 3 + ["sack"] * 3) * 2
    )
    assert table["protocol"].to_list() == table["flows.transport.protocol"].to_list()
    assert table["point"].to_list() == [p.id for p in done.points for _ in range(3)]
    assert {"mac.collisions.total", "routing.control_packets", "fairness.jain"} <= set(
        table.columns
    )
    for name in ("rto_count", "mac.failures.data", "events"):
        assert table[name].dtype == pl.Int64
    assert not [
        name for name in table.columns if name.startswith("drops.") and table[name].null_count()
    ]


def test_a_row_is_what_the_run_alone_gives(chain: Path) -> None:
    table = pl.DataFrame(swept(chain).table)
    alone = hw.run(
        hw.load(
            chain, {**SHORT, "topology.hops": 4, "flows.transport.protocol": "vegas", "seed": 8}
        )
    )
    result: Any = alone.summary["results"]
    (row,) = table.filter(pl.col("topology.hops") == 4, protocol="vegas", seed=8).to_dicts()
    flow = result[0]["flows"][0]
    for name in ("goodput_bps", "retransmissions", "mean_rtt_s"):
        assert row[name] == flow[name]
    assert row["phase_time_s.congestion_avoidance"] == flow["phase_time_s"]["congestion_avoidance"]
    assert row["fingerprint"] == result[0]["fingerprint"]
    assert row["mac.collisions.total"] == result[0]["mac"]["collisions"]["total"]


def test_several_flows_have_rows_of_their_own(tmp_path: Path, chain: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(chain.read_text() + DATAGRAMS)
    done = swept(file, vary={"flows.0.transport.protocol": ["reno", "vegas"]})
    table = pl.DataFrame(done.table)
    assert table["flow"].to_list() == [0, 1] * 6
    assert table["protocol"].to_list() == ["reno", "udp"] * 3 + ["vegas", "udp"] * 3
    assert table["flows.0.transport.protocol"].to_list() == ["reno"] * 6 + ["vegas"] * 6
    assert table["events"].to_list()[::2] == table["events"].to_list()[1::2]
    assert done.rows()[0][-1] == "goodput (kb/s), all flows"
    by_run = table["goodput_bps"][0] + table["received_bps"][1]
    only_run = hw.sweep(file, {"flows.0.transport.protocol": ["reno"]}, overrides=SHORT).means()[0]
    assert only_run.mean == pytest.approx(by_run)  # what UDP delivers counts as its goodput


@pytest.mark.parametrize("options", [{"jobs": 2}, {"on": "threads"}, {"on": "processes:2"}])
def test_the_table_does_not_depend_on_who_runs(
    chain: Path, wanted: pl.DataFrame, options: dict[str, Any]
) -> None:
    assert frame(swept(chain, **options)).equals(wanted)


def test_any_executor_will_do(chain: Path, wanted: pl.DataFrame) -> None:
    with ThreadPoolExecutor(2) as executor:
        assert frame(swept(chain, on=executor)).equals(wanted)
        assert executor.submit(int, "3").result() == 3  # it is the caller's, so it goes on


def test_the_file_opens_unchanged_everywhere(chain: Path, tmp_path: Path) -> None:
    done = swept(chain, tmp_path / "out")
    file = tmp_path / "out" / "results.parquet"
    table = pl.DataFrame(done.table)
    assert pl.read_parquet(file).equals(table)
    by_duck = pl.DataFrame(_duck(f"select * from '{file}'"))
    assert by_duck.columns == table.columns
    assert by_duck.equals(table)
    assert by_duck.schema == table.schema
    in_memory = done.table
    by_duck = pl.DataFrame(_duck("select * from in_memory", in_memory=in_memory))
    assert by_duck.equals(table)
    # pandas itself reads Arrow and Parquet with pyarrow, which is another library's to install.
    by_pandas = _duck(f"select * from '{file}'").df()
    assert by_pandas.equals(_duck("select * from in_memory", in_memory=in_memory).df())
    assert list(by_pandas.columns) == table.columns
    for name in table.columns:
        ours, theirs = table[name].to_list(), by_pandas[name].tolist()
        assert [None if pd.isna(value) else value for value in theirs] == ours, name
    assert {name: str(by_pandas[name].dtype) for name in ("seed", "mean_hops")} == {
        "seed": "int64",
        "mean_hops": "float64",
    }
    assert in_memory.num_rows == 18


def _duck(query: str, **tables: Table) -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    found = connection.sql(query)
    assert found is not None
    return found


def test_pandas_reads_the_table_with_pyarrow(chain: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    done = swept(chain, tmp_path / "out")
    by_pandas = pd.DataFrame.from_arrow(done.table)
    assert pl.from_pandas(by_pandas).equals(pl.DataFrame(done.table))
    assert pd.read_parquet(tmp_path / "out" / "results.parquet").equals(by_pandas)


def test_the_table_is_handed_over_without_copying(chain: Path) -> None:
    done = swept(chain)
    frames = [pl.DataFrame(done.table) for _ in range(2)]
    for name in ("events", "goodput_bps"):
        first, second = (each[name].to_numpy(allow_copy=False).ctypes.data for each in frames)
        assert first == second


def test_the_file_says_where_it_is_from(chain: Path, tmp_path: Path) -> None:
    done = swept(chain, tmp_path / "out", seed=40)
    rows = _duck(f"from parquet_kv_metadata('{tmp_path}/out/results.parquet')").fetchall()
    told = {key.decode(): value.decode() for _, key, value in rows}
    assert told["hopwright.version"] == hw.__version__
    assert told["hopwright.build"] == _core.build()
    base = (tmp_path / "out" / "scenario.toml").read_text()
    assert told["hopwright.scenario"] == base
    assert "seed = 40\n" in base
    assert "cw_min = 31" in base
    plan = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert plan["vary"] == ["topology.hops=3,4", "flows.transport.protocol=reno,vegas,sack"]
    assert [each["id"] for each in plan["points"]] == [point.id for point in done.points]
    assert (plan["seed"], plan["runs"]) == (40, 3)
    assert {entry.name for entry in (tmp_path / "out").iterdir()} == {
        "results.parquet",
        "runs.jsonl",
        "scenario.toml",
        "sweep.json",
    }


def test_points_that_are_the_same_scenario_run_once(chain: Path, tmp_path: Path) -> None:
    done = swept(
        chain,
        tmp_path / "out",
        vary={"topology.hops": (3, 4)},
        design="random",
        points=8,
    )
    table = pl.DataFrame(done.table)
    assert len({point.id for point in done.points}) == 2
    assert len(lines(tmp_path / "out")) == 6
    assert table.height == 24
    assert done.runs == 6


def test_mixed_values_are_text_and_lists_toml(chain: Path) -> None:
    done = swept(chain, vary={"output.series": [["cwnd"], ["cwnd", "rtt"]]}, runs=1)
    assert pl.DataFrame(done.table)["output.series"].to_list() == ['["cwnd"]', '["cwnd", "rtt"]']
    done = swept(chain, vary={"topology.spacing_m": [150, 200.5]}, runs=1)
    assert pl.DataFrame(done.table)["topology.spacing_m"].to_list() == [150.0, 200.5]


def test_a_sweep_shows_itself(chain: Path) -> None:
    done = swept(chain)
    page = done._repr_html_()
    assert page.count("<tr>") == 7
    assert "goodput (kb/s)" in page
    assert done.folder is None
    assert done.vary == {
        "topology.hops": (3, 4),
        "flows.transport.protocol": ("reno", "vegas", "sack"),
    }
    table = pl.DataFrame(done.table)
    for each in done.means():
        mine = table.filter(point=each.point.id)
        values = mine["goodput_bps"]
        assert each.mean == pytest.approx(values.mean())
        assert each.half_width == pytest.approx(4.302652729911275 * values.std() / 3**0.5)  # type: ignore[operator]
    assert [each.runs for each in done.means()] == [3] * 6
    over = "topology.hops, flows.transport.protocol"
    assert repr(done) == f"<Sweep of 'chain-3' over {over}: 6 points, 18 runs>"


def test_a_sweep_draws_itself_as_the_command_does(chain: Path, tmp_path: Path) -> None:
    done = swept(chain, tmp_path / "s")
    stem = tmp_path / "figure"
    dispatch(["plot", str(tmp_path / "s"), "--y", "mean_rtt_s", "--out", str(stem)])
    figure = done.figure(y="mean_rtt_s")
    assert figure.csv() == stem.with_suffix(".csv").read_text()
    assert done.figure("bars", where={"topology.hops": 4}).data["group"] == [
        "reno",
        "vegas",
        "sack",
    ]
    with pytest.raises(InputError, match="no result called 'goodput'; did you mean 'goodput_bps'"):
        done.means("goodput")
    with pytest.raises(InputError, match="no figure 'line' of a sweep; did you mean 'lines'"):
        done.figure("line")
    with pytest.raises(InputError, match="hops=5: no run has that; there are: 3, 4"):
        done.figure(where={"topology.hops": 5})


# Adaptive numbers of runs.


def test_runs_go_on_until_the_interval_is_narrow(chain: Path) -> None:
    loose = swept(chain, until=0.5, runs=2, most_runs=40, overrides={"duration_s": 4.0}, jobs=1)
    tight = swept(chain, until=0.05, runs=2, most_runs=40, overrides={"duration_s": 4.0}, jobs=1)
    allowed = {2, 3, 5, 8, 12, 18, 27, 40}
    for sweep, part in ((loose, 0.5), (tight, 0.05)):
        for each in sweep.means():
            assert each.runs in allowed
            width = each.half_width
            assert width is not None
            assert each.mean is not None
            is_narrow = width <= part * each.mean
            assert is_narrow != (each.point in sweep.reached_ceiling)
            assert is_narrow or each.runs == 40
    assert tight.runs > loose.runs
    again = swept(chain, until=0.05, runs=2, most_runs=40, overrides={"duration_s": 4.0}, jobs=2)
    assert frame(again).equals(frame(tight))


def test_every_step_before_the_last_was_too_wide(chain: Path) -> None:
    from hopwright.statistics.means import half_width, mean

    options: dict[str, Any] = {"vary": {"topology.hops": [3, 4]}, "overrides": {"duration_s": 4.0}}
    done = swept(chain, until=0.06, runs=2, most_runs=60, **options)
    table = pl.DataFrame(done.table)
    assert max(each.runs for each in done.means()) > 2
    for each in done.means():
        values = table.filter(point=each.point.id)["goodput_bps"].to_list()
        for runs in (2, 3, 5, 8, 12, 18, 27, 41):
            if runs < each.runs:
                width = half_width(values[:runs])
                assert width is not None
                assert width > 0.06 * mean(values[:runs])


def test_a_wrong_result_to_look_at_is_said(chain: Path) -> None:
    with pytest.raises(InputError, match=r"'goodputt_bps'; did you mean 'goodput_bps'"):
        swept(chain, until=0.1, of="goodputt_bps")
    with pytest.raises(
        InputError, match=r"'mac.colisions.total'; did you mean 'mac.collisions.total'"
    ):
        swept(chain, of="mac.colisions.total")


def test_a_value_of_a_run_is_made_of_its_flows_and_unknown_if_one_is() -> None:
    flows: Any = [{"mean_rtt_s": 1.0, "drops": {"ttl": 4}}, {"mean_rtt_s": 3.0, "drops": {}}]
    assert run_value({"flows": flows}, "mean_rtt_s") == 2.0
    assert run_value({"flows": flows}, "drops.ttl") == 4.0  # what did not occur is none
    assert run_value({"flows": flows}, "drops.queue_full") == 0.0
    assert run_value({"flows": [*flows, {"mean_rtt_s": None}]}, "mean_rtt_s") is None
    assert run_value({"flows": flows, "frames": 7}, "frames") == 7


# Folders.


def test_a_folder_with_a_sweep_is_not_overwritten(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with pytest.raises(InputError, match="holds a sweep; go on with --resume"):
        swept(chain, out)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    (out / "notes.txt").write_text("mine")
    done = swept(chain, out, overwrite=True, runs=1)
    assert len(lines(out)) == 6
    assert pl.read_parquet(out / "results.parquet").equals(pl.DataFrame(done.table))
    assert (out / "notes.txt").read_text() == "mine"


def test_nothing_is_overwritten_by_a_sweep_that_looks_at_no_result(
    chain: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with pytest.raises(InputError, match="'goodputt_bps'; did you mean 'goodput_bps'"):
        swept(chain, out, overwrite=True, of="goodputt_bps")
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_overwriting_leaves_no_comparison_of_the_former_runs(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    vary = {"flows.transport.protocol": ["reno", "vegas"]}
    hw.compare(chain, vary, baseline="reno", runs=2, overrides=SHORT, out=out)
    assert [file for file in out.iterdir() if file.name.startswith("comparison")]
    (out / "comparison-notes.md").write_text("mine")
    swept(chain, out, overwrite=True, vary=vary)
    left = {file.name for file in out.iterdir() if file.name.startswith("comparison")}
    assert left == {"comparison-notes.md"}


def test_foreign_folders_are_left_alone(chain: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("")
    for options in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(InputError, match="has other files in it"):
            swept(chain, tmp_path / "out", **options)
    with pytest.raises(InputError, match="is not a folder"):
        swept(chain, chain)
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("place", ["/proc/sweep", "/dev/null/sweep"])
def test_a_folder_that_cannot_be_written_is_said_first(chain: Path, place: str) -> None:
    with pytest.raises(InputError, match="cannot write there"):
        swept(chain, Path(place), vary={"no.such": [1]})


def test_a_wrong_point_leaves_no_folder(chain: Path, tmp_path: Path) -> None:
    with pytest.raises(hw.ScenarioError):
        swept(chain, tmp_path / "out", vary={"topology.hops": [4, 0]})
    assert not (tmp_path / "out").exists()


def test_resume_does_what_is_missing_and_nothing_else(
    chain: Path, tmp_path: Path, wanted: pl.DataFrame
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    all_lines = lines(out)
    kept = [*all_lines[3:7], *all_lines[12:14]]
    (out / "runs.jsonl").write_text("\n".join(kept) + "\n" + all_lines[0][:40])
    (out / "results.parquet").unlink()
    told: list[tuple[float, int]] = []
    done = swept(chain, out, resume=True, watch=lambda part, total: told.append((part, total)))
    assert (told[0], told[-1]) == ((6, 18), (18, 18))
    assert lines(out)[:6] == kept
    assert len(lines(out)) == 18
    assert frame(done).equals(wanted)


def test_resume_begins_where_nothing_is(chain: Path, tmp_path: Path, wanted: pl.DataFrame) -> None:
    assert frame(swept(chain, tmp_path / "out", resume=True)).equals(wanted)
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "runs.jsonl").touch()
    assert frame(swept(chain, tmp_path / "killed")).equals(wanted)


@pytest.mark.parametrize("written", [0, 1])
def test_killed_before_it_has_a_plan_it_begins_again(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: pl.DataFrame, written: int
) -> None:
    out = tmp_path / "out"
    left = [written]

    def killed(path: Path, content: bytes) -> None:
        if not left[0]:
            path.with_name(f".{path.name}-4711").write_bytes(content[:100])
            raise KeyboardInterrupt
        left[0] -= 1
        path.write_bytes(content)

    with monkeypatch.context() as patch:
        patch.setattr("hopwright.sweeps.folder.write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            swept(chain, out)
    assert any(entry.name.endswith("-4711") for entry in out.iterdir())
    assert frame(swept(chain, out, resume=True)).equals(wanted)
    assert len(list(out.iterdir())) == 4


def test_resume_may_ask_for_more_runs(chain: Path, tmp_path: Path, wanted: pl.DataFrame) -> None:
    out = tmp_path / "out"
    swept(chain, out, runs=1)
    first = lines(out)
    assert frame(swept(chain, out, runs=3, resume=True)).equals(wanted)
    assert lines(out)[:6] == first
    assert len(lines(out)) == 18
    with pytest.raises(InputError, match=r"--runs: 3 then, 2 now"):
        swept(chain, out, runs=2, resume=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vary": {"topology.hops": [3, 5]}}, r"--vary: topology.hops=3,4 flows"),
        ({"seed": 8}, "--seed: 7 then, 8 now"),
        ({"overrides": {"duration_s": 3.0}}, r"'duration_s = 2.0' then, 'duration_s = 3.0' now"),
        ({"design": "random", "points": 6}, "--design: product then, random now"),
        ({"until": 0.1}, r"--until: None then, 0.1 now"),
        ({"shard": (1, 2)}, "--shard: none then, 1/2 now"),
    ],
)
def test_resume_refuses_another_sweep(
    chain: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    swept(chain, tmp_path / "out")
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    with pytest.raises(InputError, match=message):
        swept(chain, tmp_path / "out", resume=True, **options)
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before


STEP = """
$ns_ at 0.5 "$node_(1) setdest 250.0 100.0 40.0"
"""
PLACES = "".join(
    f"$node_({node}) set X_ {100 + 150 * node}.0\n$node_({node}) set Y_ 100.0\n"
    for node in range(3)
)
MOVING = """
name = "moving"
duration_s = 3
seed = 7
[topology]
kind = "ns2"
file = "places/moving.tcl"
[[flows]]
from = 0
to = 2
"""


def test_movements_come_from_beside_the_scenario_and_must_not_change(
    tmp_path: Path, hopwright: Hopwright
) -> None:
    places = tmp_path / "far" / "places"
    places.mkdir(parents=True)
    (places / "moving.tcl").write_text(PLACES)
    (tmp_path / "far" / "moving.toml").write_text(MOVING)
    words = ("sweep", "far/moving.toml", "--vary", "flows.transport.protocol=reno,vegas")
    made = hopwright(*words, "--on", "processes:2", "--runs", 2, "--out", "out")
    assert made.returncode == 0, made.stderr
    here = hw.sweep(
        tmp_path / "far" / "moving.toml", {"flows.transport.protocol": ["reno", "vegas"]}, runs=2
    )
    assert untimed(tmp_path / "out" / "results.parquet").equals(frame(here))
    (places / "moving.tcl").write_text(PLACES + STEP)
    before = lines(tmp_path / "out")
    changed = hopwright(*words, "--runs", 2, "--out", "out", "--resume")
    assert changed.returncode == 2
    assert "a file that it names has changed" in changed.stderr
    assert lines(tmp_path / "out") == before


def test_a_points_name_does_not_depend_on_the_first_seed(chain: Path) -> None:
    one, other = swept(chain, seed=1, runs=1), swept(chain, seed=2, runs=1)
    assert [point.id for point in one.points] == [point.id for point in other.points]


def test_resume_refuses_another_build(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept(chain, tmp_path / "out")
    monkeypatch.setattr(_core, "build", lambda: "0" * 12)
    with pytest.raises(InputError, match=r"program: version .* then, .*build 000000000000 now"):
        swept(chain, tmp_path / "out", resume=True)


def test_drawn_points_are_those_of_the_plan(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {
        "vary": {"topology.spacing_m": (100.0, 200.0)},
        "design": "lhs",
        "points": 4,
    }
    first = swept(chain, tmp_path / "out", **options)
    # Another version of a library may draw others.
    monkeypatch.setattr("hopwright.sweeps.perform.settings_of", None)
    again = swept(chain, tmp_path / "out", resume=True, **options)
    assert again.points == first.points
    assert again.vary == {"topology.spacing_m": Range(100.0, 200.0)}


def test_a_damaged_journal_is_said_with_its_line(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    text = lines(out)
    (out / "runs.jsonl").write_text("\n".join([text[0], text[1][:50], *text[2:]]) + "\n")
    with pytest.raises(InputError, match=r"runs\.jsonl:2: is no finished run"):
        swept(chain, out, resume=True)
    other = text[0].replace('"events":', '"events":1')
    (out / "runs.jsonl").write_text("\n".join([text[0], other]) + "\n")
    with pytest.raises(InputError, match=r"runs\.jsonl:2: is another result of point"):
        swept(chain, out, resume=True)


def test_a_plan_of_another_format_is_said(chain: Path, tmp_path: Path) -> None:
    swept(chain, tmp_path / "out")
    plan = tmp_path / "out" / "sweep.json"
    text = plan.read_text()
    plan.write_text(text.replace('"format": 1', '"format": 99'))
    with pytest.raises(InputError, match="is in format 99"):
        swept(chain, tmp_path / "out", resume=True)
    plan.write_text(text[:200])
    with pytest.raises(InputError, match="is no sweep's plan"):
        swept(chain, tmp_path / "out", resume=True)


def test_a_plan_that_is_no_text_is_said(chain: Path, tmp_path: Path) -> None:
    swept(chain, tmp_path / "out")
    (tmp_path / "out" / "sweep.json").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"sweep\.json: is no text in UTF-8, at byte 0"):
        swept(chain, tmp_path / "out", resume=True)


def test_two_processes_cannot_write_one_folder(
    chain: Path, tmp_path: Path, hopwright: Hopwright
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    before = lines(out)
    words = ["sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4", "--runs", 3]
    with Journal(out / "runs.jsonl"):
        done = hopwright(*words, "--out", out, "--overwrite")
        merging = hopwright("sweep", "--merge", out, "--out", tmp_path / "merged")
    for each in (done, merging):
        assert each.returncode == 2
        assert each.stderr == f"hopwright: {out}: another process is sweeping there\n"
    assert lines(out) == before


# Shards.


@pytest.mark.parametrize("options", [{}, {"until": 0.2, "runs": 2, "most_runs": 9}])
def test_shards_together_are_the_whole(
    chain: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    whole = swept(chain, **options)
    parts = [tmp_path / str(part) for part in (1, 2, 3)]
    done = [swept(chain, out, shard=(i, 3), **options) for i, out in enumerate(parts, start=1)]
    assert sum(part.runs for part in done) == whole.runs
    assert all(part.runs for part in done)
    merged = merge(parts[::-1], tmp_path / "all")
    assert frame(merged).equals(frame(whole))
    assert merged.missing == []
    assert pl.read_parquet(tmp_path / "all" / "results.parquet").equals(pl.DataFrame(merged.table))
    assert merged.vary == whole.vary


def test_shards_share_the_runs_evenly(chain: Path, tmp_path: Path) -> None:
    done = [swept(chain, tmp_path / str(i), shard=(i, 3)) for i in (1, 2, 3)]
    assert [part.runs for part in done] == [6, 6, 6]
    more = [swept(chain, tmp_path / str(i), shard=(i, 3), runs=4, resume=True) for i in (1, 2, 3)]
    assert [part.runs for part in more] == [8, 8, 8]
    fewer = {"topology.hops": [3, 4]}
    done = [swept(chain, tmp_path / f"f{i}", shard=(i, 3), vary=fewer) for i in (1, 2, 3)]
    assert [part.runs for part in done] == [2, 2, 2]


def test_merging_says_what_is_missing_and_the_rest_can_be_done(
    chain: Path, tmp_path: Path, hopwright: Hopwright, wanted: pl.DataFrame
) -> None:
    swept(chain, tmp_path / "1", shard=(1, 2))
    told = hopwright("sweep", "--merge", tmp_path / "1", "--out", tmp_path / "all")
    assert told.returncode == 1
    assert "9 runs are missing" in told.stderr
    assert pl.read_parquet(tmp_path / "all" / "results.parquet").height == 9
    assert frame(swept(chain, tmp_path / "all", resume=True)).equals(wanted)


def test_merging_what_does_not_belong_together_is_refused(chain: Path, tmp_path: Path) -> None:
    one, two, other = tmp_path / "1", tmp_path / "2", tmp_path / "3"
    swept(chain, one, shard=(1, 2))
    swept(chain, two, shard=(2, 2))
    swept(chain, other, shard=(2, 2), overrides={"duration_s": 3.0})
    with pytest.raises(InputError, match=r"3: holds another sweep than .*1:\n.*duration_s"):
        merge([one, other], tmp_path / "all")
    with pytest.raises(InputError, match="holds no sweep"):
        merge([one, tmp_path / "4"], tmp_path / "all")
    with pytest.raises(InputError, match="is one of the parts"):
        merge([one, two], two)
    more = tmp_path / "more"
    swept(chain, more, shard=(2, 2), runs=4)
    for parts in ([one, more], [more, one]):
        with pytest.raises(InputError, match="--runs: 4 then, 3 now"):
            merge(parts, tmp_path / "all")
    line = lines(one)[0].replace('"events":', '"events":1')
    (two / "runs.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=r"has another result of point .*, seed"):
        merge([one, two], tmp_path / "all")
    assert not (tmp_path / "all").exists()
    # The same result twice is no contradiction, even if it took longer there.
    twice = [line.replace('"wall_s":', '"wall_s":1') for line in lines(one)]
    (two / "runs.jsonl").write_text("\n".join(twice) + "\n")
    assert merge([one, two], tmp_path / "all").runs == 9


# What goes wrong.


T = TypeVar("T")


class Fragile(Executor):
    """Breaks as often as it is told to, then works."""

    def __init__(self, failures: Sequence[BaseException]) -> None:
        self.failures = list(failures)
        self.tasks = 0

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> "Future[T]":
        self.tasks += 1
        future: Future[T] = Future()
        if self.failures and self.tasks > 4:
            future.set_exception(self.failures.pop(0))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_runs_whose_worker_disappears_are_done_again(chain: Path, wanted: pl.DataFrame) -> None:
    fragile = Fragile([BrokenProcessPool("gone"), BrokenProcessPool("gone")])
    assert frame(swept(chain, on=fragile, jobs=1)).equals(wanted)
    assert fragile.tasks == 20


def test_a_run_that_kills_its_workers_is_named(chain: Path, tmp_path: Path) -> None:
    fragile = Fragile([BrokenProcessPool("gone")] * 99)
    with pytest.raises(UnfinishedError) as wrong:
        swept(chain, tmp_path / "out", on=fragile, jobs=1)
    assert "(topology.hops=3, flows.transport.protocol=vegas), seed 8" in str(wrong.value)
    assert "its worker disappeared 3 times" in str(wrong.value)
    assert "4 of 18 runs are kept" in wrong.value.__notes__[0]
    assert len(lines(tmp_path / "out")) == 4
    assert pl.read_parquet(tmp_path / "out" / "results.parquet").height == 4


def test_a_failed_run_is_named_and_the_others_are_kept(
    chain: Path, tmp_path: Path, wanted: pl.DataFrame
) -> None:
    out = tmp_path / "out"
    fragile = Fragile([hw.RunError("the run with seed 8 failed: a wheel came off")])
    with pytest.raises(hw.RunError) as wrong:
        swept(chain, out, on=fragile, jobs=1)
    assert "flows.transport.protocol=vegas), seed 8: the run with seed 8 failed" in str(wrong.value)
    done = len(lines(out))
    assert 4 <= done < 18
    assert wrong.value.__notes__ == [
        f"{done} of 18 runs are kept in {out}; go on with --resume, results.parquet has them so far"
    ]
    assert frame(swept(chain, out, resume=True)).equals(wanted)


def test_a_seed_without_a_network_is_named(tmp_path: Path) -> None:
    file = tmp_path / "random.toml"
    file.write_text(
        'name = "random"\nduration_s = 2\nseed = 1\n'
        '[topology]\nkind = "random"\nnodes = 6\n'
        "[area]\nwidth_m = 700\nheight_m = 300\n"
        '[routing]\nprotocol = "static"\n[[flows]]\nfrom = 0\nto = 5\n'
    )
    good = next(
        seed for seed in range(200) if _reaches(file, seed) and not _reaches(file, seed + 1)
    )
    with pytest.raises(hw.ScenarioError) as wrong:
        hw.sweep(file, {"mac.cw_min": [31]}, runs=3, seed=good, out=tmp_path / "out")
    assert f"point 1 of 1 (mac.cw_min=31), seed {good + 1}" in str(wrong.value)
    assert "are kept in" in wrong.value.__notes__[0]


def _reaches(file: Path, seed: int) -> bool:
    try:
        hw.load(file, {"seed": seed})
    except hw.ScenarioError:
        return False
    return True


def test_workers_of_another_build_are_refused(chain: Path) -> None:
    from hopwright.sweeps.execute import Task, simulate
    from hopwright.sweeps.points import Variant

    scenario = hw.load(chain)
    task = Task("x", "0" * 12, Variant(scenario.to_toml(), "x", None), 7)
    with pytest.raises(InputError, match=f"a worker has build {_core.build()}.*build 000000000000"):
        simulate(task)
    assert json.loads(simulate(task._replace(build=_core.build())))["seed"] == 7


def test_a_full_disk_loses_nothing(
    chain: Path, tmp_path: Path, hopwright: Hopwright, wanted: pl.DataFrame
) -> None:
    import resource

    out = tmp_path / "out"
    words = [
        *("sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4"),
        *("--vary", "flows.transport.protocol=reno,vegas,sack", "--runs", 3, "--out", out),
    ]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, hard))
    try:
        full = hopwright(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert full.returncode == 1
    assert "cannot write: [Errno 27] File too large" in full.stderr
    kept = lines(out)
    assert f"{len(kept)} of 18 runs are kept in {out}; go on with --resume" in full.stderr
    assert 0 < len(kept) < 18
    assert (out / "runs.jsonl").read_bytes().endswith(b"\n")
    again = hopwright(*words, "--resume")
    assert again.returncode == 0, again.stderr
    assert lines(out)[: len(kept)] == kept
    assert untimed(out / "results.parquet").equals(wanted)


def test_an_interrupted_sweep_says_how_to_go_on(chain: Path, tmp_path: Path) -> None:
    def stop_at_five(done: float, _total: int) -> None:
        if done >= 5:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt) as stopped:
        swept(chain, out, watch=stop_at_five, overrides={"duration_s": 20.0})
    kept = len(lines(out))
    assert 4 <= kept < 18
    assert stopped.value.__notes__[0].startswith(f"{kept} of 18 runs are kept in {out}")
    assert pl.read_parquet(out / "results.parquet").height == kept
    with pytest.raises(KeyboardInterrupt) as stopped:
        swept(chain, watch=stop_at_five, overrides={"duration_s": 20.0})
    assert "nothing was written" in stopped.value.__notes__[0]


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ("dask", "is no place to run; write threads, processes:N or dask://HOST:PORT"),
        ("dask://host", "is no place to run"),
        ("processes:0", "is no place to run"),
        ("slurm://x", "is no place to run"),
    ],
)
def test_wrong_places(chain: Path, tmp_path: Path, on: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        swept(chain, tmp_path / "out", on=on)
    assert not (tmp_path / "out").exists()


def test_a_checked_scenario_is_refused_with_a_reason(chain: Path) -> None:
    with pytest.raises(TypeError, match="name the scenario's file instead"):
        hw.sweep(hw.load(chain).check(), {"topology.hops": [3]})  # type: ignore[arg-type]


def test_a_scenario_made_in_python_is_swept_as_its_file(chain: Path) -> None:
    by_file = hw.sweep(chain, {"mac.queue_packets": [5, 50]})
    by_object = hw.sweep(hw.load(chain), {"mac.queue_packets": [5, 50]})
    assert [point.id for point in by_file.points] == [point.id for point in by_object.points]


def test_a_source_is_as_good_as_its_file(chain: Path, wanted: pl.DataFrame) -> None:
    class Made:
        def source(self) -> Source:
            return Source.read(chain)

    assert frame(hw.sweep(Source.read(chain), VARY, runs=3, overrides=SHORT)).equals(wanted)
    assert frame(hw.sweep(Made(), VARY, runs=3, overrides=SHORT)).equals(wanted)
    with pytest.raises(InputError, match="cannot read it: No such file"):
        hw.sweep("nowhere.toml", VARY)


# The command.


def test_the_command_prints_points_and_where_the_table_is(
    chain: Path, tmp_path: Path, hopwright: Hopwright
) -> None:
    words = ["sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4", "--runs", 2]
    done = hopwright(*words, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "topology.hops  runs  goodput (kb/s)" in done.stdout
    assert "2 points, 4 runs" in done.stdout
    assert done.stdout.endswith("results in out\n")
    assert pl.read_parquet(tmp_path / "out" / "results.parquet").height == 4
    told = hopwright(*words, "--out", "out", "--resume", "--json")
    read = json.loads(told.stdout)
    assert [point["settings"] for point in read["points"]] == [
        {"topology.hops": 3},
        {"topology.hops": 4},
    ]
    assert read["runs"] == 4
    ceiling = hopwright(*words, "--until", "0.01%", "--most-runs", 3, "--out", "more")
    assert "still wider than asked for after 3 runs: topology.hops=4" in ceiling.stdout


def test_the_journal_gives_way_to_nothing(tmp_path: Path) -> None:
    with Journal(tmp_path / "runs.jsonl") as journal:
        assert journal.is_empty
        journal.append(Run("0" * 16, 1), '{"a":1}')
        journal.append(Run("0" * 16, 2), '{"a":2}')
    with (tmp_path / "runs.jsonl").open("ab") as file:
        file.write(b'{"point":"00')
    with Journal(tmp_path / "runs.jsonl", write=False) as journal:
        assert len(journal.read()) == 2
    assert (tmp_path / "runs.jsonl").stat().st_size > 2 * len('{"a":1}')
    with Journal(tmp_path / "runs.jsonl") as journal:
        assert [run.seed for run in journal.read()] == [1, 2]
        journal.append(Run("0" * 16, 3), '{"a":3}')
    assert [json.loads(line)["seed"] for line in lines(tmp_path)] == [1, 2, 3]
