"""The schema of results, and what is made from it: the page, the types, the columns of tables."""

import inspect
import json
import re
import typing
from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
import recordings
from hopwright import _core
from hopwright._io.data import Json, amount, at, items, table
from hopwright._schema.result_classes import results_classes
from hopwright._schema.results_page import results_page
from hopwright.emulation.replay import replay
from hopwright.research.diagnosis import BELIEFS
from hopwright.results import result_types
from hopwright.results.metrics import is_of_run, metric, metrics, results_schema
from hopwright.runs.run import load, run
from hopwright.statistics.means import TALLIES
from sweeping import DATAGRAMS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results.md"
FIELDS = ROOT / "docs" / "results-fields.md"
CHAIN = ROOT / "scenarios" / "chain.toml"
FADING = ROOT / "scenarios" / "fading.toml"
HAND_OVER = ROOT / "scenarios" / "links" / "hand-over.toml"
OF_A_ROW = {"point", "seed", "flow"}
TEXTS = {"from", "to", "protocol", "fingerprint", "wall_s"}
"""Columns that are no metrics."""


def rows(heading: str) -> dict[str, str]:
    """What the table below a heading names, and the rest of its row."""
    text = PAGE.read_text()
    part = re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    found = {}
    for line in re.findall(r"^\| (`.*) \|$", part, re.MULTILINE):
        names, _, rest = line.partition(" | ")
        for name in re.findall(r"`([^`]+)`", names):
            assert name not in found, f"{name} is there twice"
            found[name] = rest
    assert found, f"no table below {heading}"
    return found


def test_the_page_and_the_types_are_up_to_date() -> None:
    schema = results_schema()
    assert FIELDS.read_text() == results_page(schema), "make reference"
    here = Path(inspect.getsourcefile(result_types) or "").read_text()
    assert here == results_classes(schema), "make reference"


def test_the_command_prints_the_schema_and_what_is_made_from_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from hopwright._cli.main import main

    for words, expected in (
        ((), json.dumps(results_schema())),
        (("--markdown",), FIELDS.read_text()),
        (("--python",), results_classes(results_schema())),
    ):
        main(["schema", "--results", *words])
        printed = capsys.readouterr().out
        assert json.loads(printed) == json.loads(expected) if not words else printed == expected


def test_every_kind_of_result_is_on_the_page() -> None:
    page = FIELDS.read_text()
    for heading in ("of a flow", "of a run", "of a flow over ATP"):
        assert f"\n## Fields {heading}\n" in page
    assert "\n## Causes of drops\n" in page
    named = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    of_tallies = {key for key in metrics() if key.partition(".")[0] in ("drops", "diagnoses")}
    assert metrics().keys() - of_tallies <= named | {
        key for key in metrics() if key.startswith("compute.work_")
    }
    drops = {key.removeprefix("drops.") for key in of_tallies if key.startswith("drops.")}
    assert drops <= named


def typed(value: Json, kind: object, where: str) -> None:
    """Asserts that a value is of a type, as far as it goes."""
    if typing.is_typeddict(kind):
        assert isinstance(value, dict), where
        hints = typing.get_type_hints(kind)
        assert value.keys() <= hints.keys(), where
        assert typing.cast("typing.Any", kind).__required_keys__ <= value.keys(), where
        for key, part in value.items():
            typed(part, hints[key], f"{where}.{key}")
    elif typing.get_origin(kind) is list:
        for part in items(value):
            typed(part, typing.get_args(kind)[0], where)
    elif typing.get_origin(kind) is dict:
        for part in table(value).values():
            typed(part, typing.get_args(kind)[1], where)
    elif kind is float:
        assert isinstance(value, (int, float)), where
    elif isinstance(kind, type):
        assert isinstance(value, kind), where
    else:
        kinds = [each for each in typing.get_args(kind) if not typing.is_typeddict(each)]
        assert not kinds or value is None or type(value) in (*kinds, int, str), where


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("chain", {"duration_s": 3}),
        ("chain", {"duration_s": 3, "output.medium_use": True, "radio.energy": "wavelan"}),
        ("energy/congestion", {"duration_s": 3}),
        ("fading", {"duration_s": 3}),
        ("links/hand-over", {"duration_s": 81}),
        ("links/last-hop", {"duration_s": 3}),
        ("links/last-hop", {"duration_s": 3, "relays.0.kind": "split"}),
    ],
)
def test_results_have_the_types(file: str, settings: dict[str, object]) -> None:
    results = run(load(ROOT / "scenarios" / f"{file}.toml", settings))
    for result in items(results.summary, "results"):
        typed(result, result_types.Result, "results")
    assert results.mean["flows"][0]["received_bps"] == results.runs[0]["flows"][0]["received_bps"]
    assert results.ci95 is None


def test_a_metric_says_what_its_title_unit_and_better_are() -> None:
    goodput = metric("goodput_bps")
    assert goodput.label_of_flows() == "goodput (kb/s), all flows"
    assert (goodput.scale, goodput.decimals, goodput.better) == (1e-3, 1, "higher")
    assert goodput.over_udp == "received_bps"
    assert metric("mean_rtt_s").label == "mean round-trip time (ms)"
    assert metric("mac.collisions.total").title == "frames lost to collisions"
    assert metric("mac.collisions.data").title == "frames lost to collisions: data"
    assert metric("energy.state_j.idle").label == "energy by state: idle (J)"
    assert metric("losses.no_route").label_of_flows() == "packets lost: no route, all flows"
    assert metric("phase_time_s.rto").label_of_flows() == (
        "time by phase: time-out (s), mean of flows"
    )
    titles = [each.title for each in metrics().values()]
    assert all(titles)
    assert len(set(titles)) == len(titles), "two results have one title"
    assert {key for key in metrics() if is_of_run(key)} == {
        key for key, each in metrics().items() if each.of_run
    }


def test_what_leaves_out_what_did_not_occur_is_known_to_means() -> None:
    found: set[str] = set()

    def look(schema: Json) -> None:
        for name, part in table(schema, "properties").items():
            if at(part, "x-tally") is True:
                found.add(name)
            look(part)
            look(at(part, "items"))
        for kind in items(schema, "anyOf"):
            look(kind)

    look(results_schema())
    assert found == TALLIES - {"losses"}


def kinds_of_diagnoses() -> set[str]:
    """All that the page knows."""
    truths = rows("What senders assumed about losses, and the truth")
    return {f"{truth}_as_{belief}" for truth in truths for belief in BELIEFS}


def test_diagnoses_are_those_of_the_program() -> None:
    known = {key.removeprefix("diagnoses.") for key in metrics() if key.startswith("diagnoses.")}
    assert known == kinds_of_diagnoses()


def test_a_sweeps_table_has_the_columns_of_the_schema(chain: Path) -> None:
    chain.write_text(chain.read_text() + DATAGRAMS)
    vary = {"topology.hops": [3, 4], "mac.queue_packets": [1]}
    swept = hw.sweep(chain, vary, runs=1, overrides={"duration_s": 5}).table
    found = set(swept.column_names) - vary.keys() - OF_A_ROW - TEXTS
    assert found <= metrics().keys()
    assert any(name.startswith("drops.") for name in found)
    assert any(name.startswith("diagnoses.") for name in found)
    asked_for = {key for key, each in metrics().items() if each.when}
    assert not found & {key for key in asked_for if not key.startswith("mac.")}


def test_a_file_is_there_once_it_is_whole(tmp_path: Path) -> None:
    file = {"app": "file", "from": 0, "to": 2, "bytes": 100_000}
    settings = {"topology.hops": 2, "flows": [file], "duration_s": 20}
    summary = run(load(CHAIN, settings)).summary
    flow = at(summary, "results", 0, "flows", 0)
    # Two hops of 2 Mb/s that hear each other carry less than 1 Mb/s.
    assert 0.8 < amount(flow, "completed_s") < 5
    vary = {"flows.0.bytes": [100_000, 10_000_000]}
    swept = hw.sweep(CHAIN, vary, runs=1, overrides=settings, out=tmp_path / "s").table
    whole, cut = pl.DataFrame(swept)["completed_s"].to_list()
    assert (whole, cut) == (amount(flow, "completed_s"), None)


def test_a_sweep_over_links_has_no_column_of_stations(tmp_path: Path) -> None:
    vary = {"links.0.loss_percent": [0, 1]}
    swept = hw.sweep(HAND_OVER, vary, runs=1, overrides={"duration_s": 81}, out=tmp_path / "s")
    assert "adaptation.changes" in swept.table.column_names
    assert not [name for name in swept.table.column_names if name.startswith("mac.")]


def test_a_sweep_may_mix_runs_with_a_channel_and_without(tmp_path: Path) -> None:
    vary = {"radio.fading": ["none", "rayleigh"]}
    swept = hw.sweep(FADING, vary, runs=1, overrides={"duration_s": 5}, out=tmp_path / "s")
    found = pl.DataFrame(swept.table)
    assert found["radio.fading"].to_list() == ["none", "rayleigh"]
    without, with_channel = found["mac.channel_errors.data"].to_list()
    assert without is None
    assert with_channel > 0
    still, fading = found["received_bps"].to_list()
    assert still > fading


def test_energy_has_columns_but_for_single_nodes(tmp_path: Path) -> None:
    vary = {"radio.energy": ["wavelan"], "flows.transport.protocol": ["reno"]}
    swept = hw.sweep(CHAIN, vary, runs=1, overrides={"duration_s": 5}, out=tmp_path / "s")
    columns = set(swept.table.column_names)
    of_energy = {key for key in metrics() if key.startswith("energy.")} - {"energy.compute_j"}
    assert of_energy | {"data_j", "acks_j"} <= columns
    assert not [name for name in columns if name.startswith("energy.nodes")]


def test_what_is_said_of_an_emulation(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'name = "pair"\nduration_s = 5\ntopology = { kind = "chain", hops = 1, spacing_m = 100 }\n'
    )
    inputs = tmp_path / "inputs.pcapng"
    recordings.recording(inputs, [0, 1], [recordings.datagram(1, 0, 1)], 2)
    summary = replay(_core.load(str(scenario), []), tmp_path, None, overwrite=False)
    about = at(summary, "emulation")
    assert isinstance(about, dict)
    # Of an emulation alone: how the clock was kept, and why there is no recording.
    assert about.keys() | {"pace", "unrecorded"} == rows("Emulations").keys()
    again = at(about, "replay")
    assert isinstance(again, dict)
    assert again.keys() == rows("Of a replay").keys()
    page = PAGE.read_text()
    for each in items(about, "attached"):
        assert isinstance(each, dict)
        assert [key for key in each if f"`{key}`" not in page] == []
