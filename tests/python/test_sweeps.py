"""Sweeps: one tidy table, whatever the jobs, interruptions and machines."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from arro3.core import Table

import hopwright as hw
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import InputError
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.measure import run_value
from hopwright.sweeps.schedule import Run
from processes import Hopwright
from sweeping import DATAGRAMS, SHORT, frame, lines, swept


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
    assert done.rows()[0][-3:] == [
        "goodput (kb/s), all flows",
        "goodput of the worst flow (kb/s)",
        "Jain's index",
    ]
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
    by_duck = _duck(f"select * from '{file}'").pl()
    assert by_duck.columns == table.columns
    assert by_duck.equals(table)
    assert by_duck.schema == table.schema
    in_memory = done.table
    by_duck = _duck("select * from in_memory", in_memory=in_memory).pl()
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
        "given.toml",
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
    assert run_value({"flows": [*flows, {"protocol": "udp"}]}, "mean_rtt_s") == 2.0
    assert run_value({"flows": flows, "frames": 7}, "frames") == 7


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


def test_a_scenario_without_flows_runs_and_a_warning_says_so(
    chain: Path, hopwright: Hopwright
) -> None:
    said = "warning: the scenario has no flows: its results are of the network and its routing"
    short = (chain, "--set", "duration_s=2", "--json")
    for words in (("run", *short), ("sweep", *short, "--vary", "mac.cw_min=15,31")):
        with_flows = hopwright(*words)
        assert (with_flows.returncode, with_flows.stderr) == (0, "")
        without = hopwright(*words, "--set", "flows=[]")
        assert without.returncode == 0
        assert without.stderr.startswith(said)
        assert without.stderr.count("\n") == 1
        json.loads(without.stdout)
    with pytest.warns(hw.HopwrightWarning, match="has no flows") as told:
        hw.run(hw.load(chain, {"flows": []}))
    assert len(told) == 1
    with pytest.warns(hw.HopwrightWarning, match="has no flows"):
        hw.sweep(chain, {"mac.cw_min": [15, 31]}, overrides={"duration_s": 2, "flows": []})


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


@pytest.mark.parametrize("word", ["--of", "--best", "--sort"])
def test_one_flow_has_no_jains_index(hopwright: Hopwright, chain: Path, word: str) -> None:
    said = "hopwright: fairness.jain: each run has one flow; Jain's index compares the shares"
    words = ("sweep", chain, "--set", "duration_s=2", "--vary", "mac.cw_min=15,31")
    refused = hopwright(*words, word, "fairness.jain")
    assert refused.returncode == 2
    assert refused.stderr.startswith(said)
    assert list(chain.parent.iterdir()) == [chain]
    vary = ("--vary", "flows.parallel=1,2", word, "fairness.jain", "--out", "swept")
    assert hopwright(*words, *vary).returncode == 0
    # So it is where the runs are there already.
    alone = hopwright(*words, "--out", "alone")
    assert alone.returncode == 0
    again = hopwright(*words, word, "fairness.jain", "--out", "alone", "--resume")
    assert again.returncode == 2
    assert again.stderr.startswith(said)
