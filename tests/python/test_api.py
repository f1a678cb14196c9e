"""The package as a library."""

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import hopwright as hw
from hopwright._io.data import Json, at, items, number
from hopwright._run.execute import LARGEST_SEED
from hopwright.figures import Line, lines

if TYPE_CHECKING:
    from collections.abc import Callable


def test_load_and_run(chain: Path) -> None:
    scenario = hw.load(chain, {"duration_s": 5, "flows.transport.protocol": "reno"})
    checked = scenario.check()
    assert (checked.name, checked.seed, checked.duration_s) == ("chain-3", 7, 5.0)
    assert (checked.node_count, checked.flow_count) == (4, 1)
    results = hw.run(scenario, runs=2, jobs=2)
    assert results.seeds == [7, 8]
    assert number(results.summary, "runs") == 2
    assert number(results.summary, "mean", "flows", 0, "goodput_bps")
    assert 'protocol = "reno"' in results.scenario.to_toml()


def test_a_path_and_a_checked_scenario_run_too(chain: Path) -> None:
    by_path, checked = hw.run(chain), hw.run(hw.load(chain).check())
    assert by_path.summary["scenario"] == "chain-3"
    assert at(by_path.summary, "mean", "flows") == at(checked.summary, "mean", "flows")


def test_what_is_no_scenario_is_said() -> None:
    with pytest.raises(TypeError, match="dict: is neither a scenario nor the path of a scenario"):
        hw.run({"duration_s": 5})  # type: ignore[arg-type]


def test_a_comparison_of_one_metric_needs_no_list(chain: Path) -> None:
    protocols = {"flows.transport.protocol": ["reno", "vegas"]}
    found = hw.compare(chain, protocols, baseline="reno", metrics="mean_rtt_s", runs=2)
    assert [each.key for each in found.metrics] == ["mean_rtt_s"]


def test_tables_are_taken_as_they_are(chain: Path) -> None:
    results = hw.run(chain, runs=3)
    table = results.flows
    frame = pl.DataFrame(table)
    assert frame["seed"].to_list() == [7, 8, 9]
    assert frame["flow"].to_list() == [0, 0, 0]
    goodput = [number(each, "flows", 0, "goodput_bps") for each in _results(results)]
    assert frame["goodput_bps"].to_list() == goodput
    collisions = [number(each, "mac", "collisions", "total") for each in _results(results)]
    assert frame["mac.collisions.total"].to_list() == collisions
    assert pd.DataFrame.from_arrow(table)["goodput_bps"].tolist() == goodput
    with duckdb.connect() as database:
        database.register("flows", table)
        rows = database.execute("select goodput_bps from flows order by seed").fetchall()
    assert [row[0] for row in rows] == goodput


def test_nothing_is_copied(chain: Path) -> None:
    """Two that read the table at the same time read the same memory."""
    table = hw.run(chain, runs=2).flows
    readers = [pl.DataFrame(table)["goodput_bps"].to_numpy(allow_copy=False) for _ in range(2)]
    one, other = (reader.__array_interface__["data"][0] for reader in readers)
    assert one == other


def test_series_are_kept_if_asked_for(chain: Path, tmp_path: Path) -> None:
    results = hw.run(chain, runs=2, series=True)
    first = pl.DataFrame(results.series())
    assert first.equals(pl.DataFrame(results.series(7)))
    assert not first.equals(pl.DataFrame(results.series(8)))
    with pytest.raises(hw.InputError, match="no run with seed 9; there are: 7 to 8"):
        results.series(9)
    with pytest.raises(hw.InputError, match="no series were kept"):
        hw.run(chain).series()
    written = hw.run(chain, runs=2, out=tmp_path / "out")
    assert pl.DataFrame(written.series(8)).equals(pl.DataFrame(results.series(8)))
    assert pl.DataFrame(hw.run(chain, out=tmp_path / "one").series()).equals(first)


def test_results_are_shown(chain: Path) -> None:
    results = hw.run(chain, runs=2)
    assert repr(results) == "<Results of 'chain-3': 2 runs>"
    assert "goodput" in str(results)
    assert max(map(len, str(results).splitlines())) <= 80


def test_a_wrong_scenario_says_where(chain: Path, tmp_path: Path) -> None:
    with pytest.raises(hw.ScenarioError, match=r"flows\.0\.transport\.protocol.*newreno"):
        hw.load(chain, {"flows.0.transport.protocol": "newremo"})
    with pytest.raises(hw.InputError, match=r"none\.toml: does not exist; name the file"):
        hw.load(tmp_path / "none.toml")
    with pytest.raises(TypeError, match=r"^settings: expected keys and values, .* found 'x'$"):
        hw.load(chain, "x")  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="no attribute 'Chian'"):
        hw.Chian  # noqa: B018


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 is not between 1 and 1000000"),
        (10**15, "1000000000000000 is not between 1 and 1000000"),
        (10**30, f"{10**30} is not between 1 and 1000000"),
    ],
)
def test_numbers_of_runs_have_the_limits_of_the_commands(
    chain: Path, count: int, said: str
) -> None:
    vary = {"mac.cw_min": [15, 31]}
    for name in ("runs", "jobs"):
        how: Any = {name: count}
        calls = (
            lambda how=how: hw.run(chain, **how),
            lambda how=how: hw.sweep(chain, vary, **how),
            lambda how=how: hw.compare(chain, vary, baseline=15, **how),
        )
        for call in calls:
            with pytest.raises(hw.InputError, match=f"^{name}: {said}$"):
                call()


def test_the_last_seed_of_a_run_has_the_limit_of_the_commands(chain: Path) -> None:
    last = hw.load(chain, {"seed": LARGEST_SEED})
    with pytest.raises(hw.InputError, match=r"^runs: of 2, the last seed would exceed"):
        hw.run(last, runs=2)


def test_wrong_arguments_are_named(chain: Path) -> None:
    wrong: Any = "a"
    vary = {"mac.cw_min": [15, 31]}
    said = "^runs: expected a whole number, found 'a'$"
    with pytest.raises(hw.InputError, match=said):
        hw.run(chain, runs=wrong)
    nothing: Any = None
    with pytest.raises(hw.InputError, match=r"^runs: expected a whole number, found None$"):
        hw.run(chain, runs=nothing)
    with pytest.raises(hw.InputError, match=said):
        hw.sweep(chain, vary, runs=wrong)
    with pytest.raises(hw.InputError, match=said):
        hw.compare(chain, vary, baseline=15, runs=wrong)
    with pytest.raises(hw.InputError, match=r"^'a': expected keys and their values, such as"):
        hw.sweep(chain, wrong)
    run: Any = {"run": 3}
    hop: Any = {"hop": 3}
    with pytest.raises(TypeError, match=r"^run\(\) has no argument .*'run'; did you mean 'runs'\?"):
        hw.run(**run)
    with pytest.raises(TypeError, match=r"^Simulation\(\) has no argument called 'run'; there are"):
        hw.Simulation(chain, **run)
    with pytest.raises(
        TypeError, match=r"^Chain\(\) has no argument .*'hop'; did you mean 'hops'\?"
    ):
        hw.Chain(**hop)
    slip: Any = {"basline": 15}
    with pytest.raises(TypeError, match="did you mean 'baseline'"):
        hw.compare(chain, vary, **slip)
    unknown: Any = {"metric": "goodput_bps"}
    with pytest.raises(
        TypeError, match=r"^compare\(\) has no argument called 'metric'; did you mean 'metrics'\?"
    ):
        hw.compare(chain, vary, baseline=15, **unknown)
    with pytest.raises(TypeError, match=r"^sweep\(\) has no argument called 'metric'; there are:"):
        hw.sweep(chain, vary, **unknown)


def test_an_interrupted_sweep_says_how_to_go_on_in_python(chain: Path, tmp_path: Path) -> None:
    def stop(_done: float, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        hw.sweep(chain, {"mac.cw_min": [15, 31]}, out=tmp_path / "out", watch=stop)
    (note,) = stopped.value.__notes__
    assert "; go on with resume=True" in note


def test_errors_name_arguments_instead_of_options(chain: Path, tmp_path: Path) -> None:
    vary = {"mac.cw_min": [15, 31]}
    swept, results = hw.sweep(chain, vary, out=tmp_path / "out"), hw.run(chain, series=True)
    many = [Line(str(n), [1, 2], [3, 4]) for n in range(40)]
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: swept.only(where={"mac.cw_min": 16}), "where mac.cw_min=16: no run has that"),
        (lambda: swept.figure(size="foo"), "size foo: there is no such size"),
        (lambda: results.figure("time", y="foo"), "y foo: no such series"),
        (lambda: results.to_latex(labels={"foo": "x"}), "labels foo: nothing has this name"),
        (lambda: lines(many, x_label="x", y_label="y"), "of a sweep with where KEY=VALUE"),
        (lambda: hw.run(chain, out=tmp_path), "name another folder with out"),
        (lambda: hw.sweep(chain, vary, out=tmp_path / "out"), "replace it with overwrite=True"),
    ]
    for call, said in wrong:
        with pytest.raises(hw.InputError, match=f"^(?!.*--).*{re.escape(said)}"):
            call()
    kept = hw.run(chain, out=tmp_path / "run")
    with pytest.raises(hw.InputError, match=r"; run the scenario with output\.lineage=losses"):
        kept.explain()
    # What is a command stays one.
    with pytest.raises(hw.InputError, match="'hopwright run FILE --view' writes them, or output"):
        kept.view()


def test_errors_of_settings_show_them_without_an_option(chain: Path) -> None:
    shown = '\n --> mac.cw_max="x":1:12\n  |\n1 | mac.cw_max="x"\n  |            ^^^'
    wrong: dict[str, Any] = {"mac.cw_max": "x"}
    calls: list[Callable[[], object]] = [
        lambda: hw.load(chain, wrong),
        lambda: hw.load(chain).with_settings(wrong),
        lambda: hw.sweep(chain, {"mac.cw_min": [15, 31]}, overrides=wrong),
        lambda: hw.sweep(chain, {"mac.cw_max": ["x"]}),
    ]
    for call in calls:
        with pytest.raises(hw.ScenarioError, match=re.escape(shown)):
            call()


def test_all_names_are_there() -> None:
    assert {"Scenario", "Chain", "sweep", "run"} <= set(dir(hw))
    for name in hw.__all__:
        assert getattr(hw, name) is not None


def test_a_connection_to_an_emulation_that_is_not_there() -> None:
    with pytest.raises(ConnectionError, match="there is no emulation called 'nobody'"):
        hw.Control("nobody")
    with pytest.raises(hw.InputError, match="'' is not a name"):
        hw.Control("")


def test_the_import_is_light() -> None:
    """What only some programs need must not slow the command line down."""
    code = "import hopwright, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "scipy", "matplotlib", "arro3.core", "pandas", "distributed", "statsmodels"}
    assert heavy & set(loaded.stdout.split()) == set()


def _results(results: hw.Results) -> list[Json]:
    return items(results.summary, "results")
