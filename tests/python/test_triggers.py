"""Flows whose mechanisms change under way: what their results, files, figures and stories say."""

from pathlib import Path

import pytest

import hopwright as hw
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.data import Json, at, number
from hopwright._io.parquet import read_columns
from hopwright._run.recorded import run_into
from hopwright.explain.events import Lineage
from hopwright.explain.words import what

SCENARIO = """
name = "adaptive"
duration_s = 60
[topology]
kind = "chain"
hops = 4
[[errors]]
model = "gilbert-elliott"
mean_good_s = 12
mean_bad_s = 4
good_probability = 0
bad_probability = 0.5
frames = ["data"]
[output]
series = ["cwnd"]
figures = ["cwnd"]
lineage = "losses"
[[flows]]
from = 0
to = 4
[flows.transport]
protocol = "sack"
acking = "tuned"
trigger_hold_s = 1
loss_window_segments = 100
[[flows.transport.triggers]]
when = [{ monitor = "loss", above = 2.0, until = 1.5 }]
set.avoidance = "vegas"
set.diagnosis = "blame-channel"
set.response = "spare"
set.acking = "every"
set.timeout = "probe"
back = true
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Json]:
    folder = tmp_path_factory.mktemp("triggers")
    scenario = _core.parse(SCENARIO, "adaptive.toml", [])
    summary = run_into(folder / "run", scenario, [1], jobs=1, overwrite=False)
    return folder / "run", at(summary, "results", 0, "flows", 0)


def test_changes_are_counted(run: tuple[Path, Json]) -> None:
    _, flow = run
    assert (number(flow, "adaptation", "changes") or 0) >= 4
    assert number(flow, "adaptation", "refused") == 0


def test_every_file_tells_of_the_same_changes(run: tuple[Path, Json]) -> None:
    folder, flow = run
    columns = read_columns(folder / "series.parquet")
    told = [
        (time, said)
        for time, said in zip(columns["time_s"], columns["trigger"], strict=True)
        if said is not None
    ]
    lineage = Lineage.read(folder)
    events = [event for event in lineage.those() if event.kind == "adapt"]
    assert [event.time_s for event in events] == [time for time, _ in told]
    assert len(told) == number(flow, "adaptation", "changes")
    # There and back, again and again.
    assert [said for _, said in told] == ["0", "0 back"] * (len(told) // 2) + ["0"] * (
        len(told) % 2
    )
    assert [event.cause for event in events] == [
        "back" if said.endswith("back") else "fired" for _, said in told
    ]
    assert what(lineage, events[0]).startswith("flow 0: trigger 0 (loss ")
    assert what(lineage, events[0]).endswith(
        "%): acking = every, avoidance = vegas, diagnosis = blame-channel, response = spare, "
        "timeout = probe"
    )


def test_they_are_in_the_flows_figure(run: tuple[Path, Json]) -> None:
    folder, flow = run
    drawn = (folder / "flow-0.svg").read_text(encoding="utf-8")
    assert drawn.count('id="changes"') == number(flow, "adaptation", "changes")


def test_their_story_is_told(run: tuple[Path, Json], capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = run
    first = next(event for event in Lineage.read(folder).those() if event.kind == "adapt")
    dispatch(["explain", str(folder), "--at", str(first.time_s)])
    said = capsys.readouterr().out
    assert "trigger 0 (loss" in said
    assert "<- t=" in said


def test_a_run_without_triggers_has_nothing_of_it(tmp_path: Path) -> None:
    text = SCENARIO[: SCENARIO.index("trigger_hold_s")]
    scenario = _core.parse(text, "plain.toml", [])
    summary = run_into(tmp_path / "run", scenario, [1], jobs=1, overwrite=False)
    flow = at(summary, "results", 0, "flows", 0)
    assert isinstance(flow, dict)
    assert "adaptation" not in flow
    assert "trigger" not in read_columns(tmp_path / "run" / "series.parquet")
    events = Lineage.read(tmp_path / "run")
    assert all(event.detail is None for event in events.those())


def test_a_trigger_that_never_fires_changes_nothing(tmp_path: Path) -> None:
    def goodput(text: str, folder: str) -> Json:
        scenario = _core.parse(text, "quiet.toml", [])
        summary = run_into(tmp_path / folder, scenario, [1], jobs=1, overwrite=False)
        return at(summary, "results", 0, "fingerprint")

    quiet = SCENARIO.replace("above = 2.0, until = 1.5", "above = 90")
    plain = SCENARIO[: SCENARIO.index("[[flows.transport.triggers]]")]
    assert goodput(quiet, "quiet") == goodput(plain, "plain")


def test_the_full_text_is_the_same_scenario() -> None:
    scenario = _core.parse(SCENARIO, "adaptive.toml", [])
    again = _core.parse(scenario.to_toml(), "again.toml", [])
    assert again.to_toml() == scenario.to_toml()


def test_a_flow_may_name_a_file_of_triggers(tmp_path: Path) -> None:
    """From Python as well, beside the scenario's file; the printed scenario needs it no more."""
    start = SCENARIO.index("[[flows.transport.triggers]]")
    rows = SCENARIO[start:].replace("[[flows.transport.triggers]]", "[[triggers]]")
    (tmp_path / "policy.toml").write_text(rows)
    file = tmp_path / "named.toml"
    file.write_text(f'{SCENARIO[:start]}policy = "policy.toml"\n')
    wanted = _core.parse(SCENARIO, "adaptive.toml", []).to_toml()
    assert _core.load(str(file), []).to_toml() == wanted
    scenario = hw.load(file)
    assert isinstance(scenario, hw.Scenario)
    assert scenario.source().load().to_toml() == wanted
    (tmp_path / "policy.toml").write_text(rows.replace('"vegas"', '"vegs"'))
    with pytest.raises(hw.ScenarioError, match=r"policy\.toml:3:17"):
        _core.load(str(file), [])
