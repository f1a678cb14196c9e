"""One object, all verbs: what results, sweeps and comparisons in Python can be asked for."""

import json
import re
import sys
import warnings
from html import unescape
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.main import main
from hopwright._io.data import items
from hopwright.runs.results import Results
from hopwright.view.folder import Run
from hopwright.view.page import page

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PROTOCOLS = {"flows.transport.protocol": ["reno", "vegas"]}
SHOWN = {
    "duration_s": 8,
    "output.frames": True,
    "output.positions": True,
    "output.lineage": "losses",
}


def chain() -> "hw.Scenario":
    return hw.load(SCENARIOS / "chain.toml", SHOWN)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two runs with all that can be looked at, in a folder."""
    folder = tmp_path_factory.mktemp("verbs")
    return hw.run(chain(), runs=2, out=folder / "kept")


@pytest.fixture(scope="module")
def in_memory() -> Results:
    return hw.run(chain(), runs=2)


def run_of(results: Results, seed: int) -> Path:
    assert results.folder is not None
    return results.folder / f"seed-{seed}"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out.rstrip("\n")


def test_tables_become_data_frames(kept: Results) -> None:
    goodput = [flow["goodput_bps"] for run in kept.runs for flow in run["flows"]]
    assert kept.to_polars()["goodput_bps"].to_list() == goodput
    assert kept.to_pandas()["goodput_bps"].tolist() == goodput
    swept = hw.sweep(chain(), PROTOCOLS)
    assert swept.to_polars().columns == swept.to_pandas().columns.tolist()
    assert swept.to_polars()["flows.transport.protocol"].to_list() == ["reno", "vegas"]


@pytest.mark.parametrize("verb", ["to_pandas", "to_polars"])
def test_a_library_that_is_not_there_is_named(
    kept: Results, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = verb.removeprefix("to_")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(hw.InputError, match=rf"{verb} needs {library}.*pip install .*{library}"):
        getattr(kept, verb)()


def test_an_old_pandas_is_told_from_none(kept: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pandas.DataFrame.from_arrow")
    with pytest.raises(hw.InputError, match=r"needs pandas 3 and pyarrow .*from_arrow"):
        kept.to_pandas()


def test_figures_are_those_of_plot(
    kept: Results, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, words in (("time", ["--y", "rtt_s"]), ("routes", []), ("topology", [])):
        place = run_of(kept, 1) if kind == "time" else kept.folder
        stem = tmp_path / kind
        told(capsys, "plot", f"{place}", kind, *words, "--out", f"{stem}")
        y = "rtt_s" if words else None
        assert kept.figure(kind, y=y).csv() == stem.with_suffix(".csv").read_text()


def test_what_is_drawn_is_guessed_from_what_was_kept(in_memory: Results, kept: Results) -> None:
    assert kept.figure().csv() == kept.figure("time", y="cwnd_segments", seed=1).csv()
    assert kept.figure(seed=2).csv() != kept.figure(seed=1).csv()
    in_a_row = in_memory.figure()
    assert in_a_row.csv() == in_memory.figure("topology").csv()
    with_series = hw.run(in_memory.scenario, series=True)
    assert with_series.figure(y="rtt_s").csv() == kept.figure(y="rtt_s", seed=1).csv()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "pie"}, "no figure 'pie' of a run; there are: time, topology, routes, paths"),
        ({"kind": "time"}, "no series were kept: run with series=True, or with out=DIR"),
        ({"kind": "routes"}, "routes: are kept only for the first run, and only with out=DIR"),
        ({"seed": 9}, "no run with seed 9; there are: 1 to 2"),
        ({"flow": 1}, "flow 1: there is none; flows: 0"),
        ({"at_s": 99.0}, "the run is from 0 to 8 s"),
        ({"kind": "topology", "y": "rtt_s"}, "cannot be used with 'topology'"),
    ],
)
def test_wrong_figures_are_refused(
    in_memory: Results, options: dict[str, object], message: str
) -> None:
    with pytest.raises(hw.InputError, match=re.escape(message)):
        in_memory.figure(**options)  # type: ignore[arg-type]


def test_explain_tells_what_the_command_tells(
    kept: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(run_of(kept, 2))
    account = kept.explain(seed=2)
    assert told(capsys, "explain", run).startswith(str(account))
    assert json.loads(told(capsys, "explain", run, "--json")) == {"flows": account.to_json()}
    assert "<table>" in account._repr_html_()
    assert set(account.figure().data["flow"]) == {0}
    far = ["explain", run, "--at", "8", "--flow", "0", "--full"]
    story = kept.explain(0, at_s=8, seed=2, full=True)
    assert told(capsys, *far) == str(story)
    assert story.remark is None or story.remark in story._repr_html_()


def test_a_story_from_afar_says_how_far(kept: Results) -> None:
    story = kept.explain(at_s=0)
    first_s = story.steps[0].event.time_s
    remark = f"the event nearest to 0 s is {first_s:.1f} s later"
    assert str(story).splitlines()[0].startswith(remark)
    assert remark in story._repr_html_()
    assert kept.explain(at_s=first_s).remark is None
    end_s = kept.scenario.duration_s
    assert kept.explain(at_s=end_s).steps
    with pytest.raises(hw.InputError, match=f"at_s = 1000: the run ends at {end_s:g} s"):
        kept.explain(at_s=1000)


def test_two_results_are_explained_side_by_side(in_memory: Results) -> None:
    vegas = hw.run(chain().with_settings({"flows.transport.protocol": "vegas"}), runs=2)
    why = vegas.explain(against=in_memory)
    assert why.seeds == [1, 2]
    assert why.sides == ["chain-8 (baseline)", "chain-8"]
    assert len(why.sentences) == 1
    assert f"<li>{why.sentences[0]}" in unescape(why._repr_html_())
    with pytest.raises(hw.InputError, match=r"seed 5: chain-8 .* has no run with"):
        vegas.explain(against=in_memory, seed=5)
    with pytest.raises(hw.InputError, match="against compares whole runs: omit at_s and full"):
        vegas.explain(against=in_memory, at_s=3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flow": 4}, "flow 4: the recording has no events of this flow; flows with events: 0"),
        ({"at_s": float("nan")}, "at_s = nan: must be a time"),
        ({"full": True}, "full continues the story of an event: add at_s"),
        ({"seed": 7}, "no run with seed 7"),
    ],
)
def test_wrong_explanations_are_refused(
    kept: Results, options: dict[str, object], message: str
) -> None:
    with pytest.raises(hw.InputError, match=re.escape(message)):
        kept.explain(**options)  # type: ignore[call-overload]


def test_what_was_not_kept_is_said(in_memory: Results) -> None:
    with pytest.raises(hw.InputError, match=r"no events were kept: .*output.lineage = \"losses\""):
        in_memory.explain()
    with pytest.raises(hw.InputError, match=r"no frames and positions .*output.frames = true and"):
        in_memory.view()


def test_topology_is_that_of_the_runs_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    file = SCENARIOS / "mobile.toml"
    results = hw.run(hw.load(file, {"duration_s": 6, "seed": 4}), runs=2)
    words = [str(file), "--set", "duration_s=6", "--seed", "4", "--runs", "2", "--step", "0.5"]
    report = results.topology(step_s=0.5)
    assert told(capsys, "topology", *words) == str(report)
    assert report._repr_html_().count("<table>") == 3
    with pytest.raises(hw.InputError, match="step 0: must be above 0"):
        results.topology(step_s=0)


def test_a_page_is_written_and_shown(kept: Results, tmp_path: Path) -> None:
    shown = kept.view(seed=2)
    assert shown.file == run_of(kept, 2) / "view.html"
    content = shown.file.read_bytes()
    assert content == page([Run.at(run_of(kept, 2))])
    assert kept.view(seed=2) == shown, "it may be written again"
    frame = re.fullmatch(r'<iframe .* srcdoc="([^"]*)"></iframe>', shown._repr_html_(), re.DOTALL)
    assert frame is not None
    assert unescape(frame[1]).encode() == content
    both = tmp_path / "both.html"
    with pytest.raises(hw.InputError, match="name the file of a page with two runs"):
        kept.view(against=kept)
    assert Path(kept.view(both, against=kept)) == both
    with pytest.raises(hw.InputError, match="exists already"):
        kept.view(both)
    before = both.read_bytes()
    assert kept.view(both, overwrite=True).file.read_bytes() != before


def test_a_comparison_explains_itself(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hw.HopwrightWarning)
        found = hw.compare(chain(), PROTOCOLS, baseline="reno", runs=2, out=tmp_path / "c")
    (why,) = found.explain(0)
    assert why.sides == ["reno", "vegas"]
    assert found.to_polars()["metric"].to_list() == [each.key for each in found.metrics]
    assert found.to_pandas().columns.tolist() == found.table.column_names
    assert found.figure() is not None
    in_memory = hw.compare(chain(), PROTOCOLS, baseline="reno", runs=2)
    with pytest.raises(hw.InputError, match="compare with out=DIR"):
        in_memory.explain()
    assert len(items(found.to_dict(), "comparisons")) == len(found.contrasts)
