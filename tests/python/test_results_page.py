"""docs/results.md: every field of results is there, and nothing that no result has."""

import re
from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
import recordings
from hopwright import _core
from hopwright.data import Json, amount, at, items
from hopwright.diagnosis import BELIEFS
from hopwright.emulation.replay import replay
from hopwright.runs import load, run
from sweeping import DATAGRAMS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results.md"
RATES = ROOT / "scenarios" / "links" / "rates.toml"
CHAIN = ROOT / "scenarios" / "chain.toml"
MOBILE = ROOT / "scenarios" / "mobile.toml"
OF_NO_FLOW = {"notice_spared", "unknown_option"}
"""Causes that no packet of a flow meets: notices have no ports, and all nodes know all options."""


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


def leaves(value: Json, before: str = "") -> dict[str, Json]:
    """The dotted names of what an object holds; drops are one, and so are diagnoses."""
    if not isinstance(value, dict) or before in ("drops.", "diagnoses."):
        return {before.removesuffix("."): value}
    return {k: v for key, part in value.items() for k, v in leaves(part, f"{before}{key}.").items()}


FADING = ROOT / "scenarios" / "fading.toml"
ENERGY = ROOT / "scenarios" / "energy" / "congestion.toml"
HAND_OVER = ROOT / "scenarios" / "links" / "hand-over.toml"
OF_COMPUTATION = "Of a run that counts computation"
OF_A_CHANNEL = "Of a run whose channel leaves something to chance"


@pytest.fixture(scope="module")
def summaries(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """Of TCP over a chain, of a datagram flow, of nodes that move, of a flow that gets nowhere."""
    chain = tmp_path_factory.mktemp("page") / "chain.toml"
    text = (ROOT / "scenarios" / "chain.toml").read_text()
    chain.write_text(text)
    datagrams = chain.with_name("datagrams.toml")
    datagrams.write_text(text.partition("[[flows]]")[0] + DATAGRAMS)
    moving = {"routing.protocol": "dsr", "flows.transport.protocol": "elfn", "duration_s": 20}
    return [
        run(load(chain, {"duration_s": 5})).summary,
        run(load(datagrams, {"duration_s": 5}), runs=2).summary,
        run(load(MOBILE, moving)).summary,
        run(load(chain, {"duration_s": 1.001})).summary,
    ]


def flows_of(summaries: list[Json]) -> list[dict[str, Json]]:
    """The fields of every flow of every run."""
    runs = [result for summary in summaries for result in items(summary, "results")]
    return [leaves(flow) for result in runs for flow in items(result, "flows")]


def test_a_summary_has_the_keys_of_the_page(summaries: list[Json]) -> None:
    for summary in summaries:
        assert isinstance(summary, dict)
        assert summary.keys() == rows("The summary").keys()
        for result in items(summary, "results"):
            found = leaves(result).keys() - {"seed", "flows"}
            assert found == rows("Of a run").keys()


def test_a_channel_adds_the_fields_of_the_page() -> None:
    summary = run(load(FADING, {"duration_s": 3})).summary
    for result in items(summary, "results"):
        found = leaves(result).keys() - {"seed", "flows"}
        assert found == rows("Of a run").keys() | rows(OF_A_CHANNEL).keys()
        lost = at(result, "flows", 0, "losses")
        assert isinstance(lost, dict)
        assert lost["channel"], "frames fade"


def test_a_run_that_tells_of_its_medium_has_the_fields_of_the_page() -> None:
    chain = ROOT / "scenarios" / "chain.toml"
    summary = run(load(chain, {"duration_s": 5, "output.medium_use": True})).summary
    added = rows("Of a run that tells of its medium").keys()
    for result in items(summary, "results"):
        found = leaves(result).keys() - {"seed", "flows"}
        assert found == rows("Of a run").keys() | added - {"reverse_bps"}
        for flow in items(result, "flows"):
            assert leaves(flow).keys() == rows("Of a flow").keys() | {"reverse_bps"}


def test_counting_computation_adds_the_fields_of_the_page() -> None:
    summary = run(load(ENERGY, {"duration_s": 3})).summary
    added = rows(OF_COMPUTATION).keys()
    for result in items(summary, "results"):
        found = leaves(result).keys() - {"seed", "flows"}
        assert found == rows("Of a run").keys() | {"energy.compute_j", "energy.j_per_received_bit"}
        for flow in items(result, "flows"):
            assert leaves(flow).keys() == rows("Of a flow").keys() | added - {"energy.compute_j"}


def test_probing_adds_the_field_of_the_page() -> None:
    summary = run(load(RATES, {"duration_s": 5})).summary
    for result in items(summary, "results"):
        for flow in items(result, "flows"):
            added = rows("Of a flow that probes silence").keys()
            assert leaves(flow).keys() == rows("Of a flow").keys() | added


def test_a_file_adds_the_field_of_the_page_once_it_is_there(tmp_path: Path) -> None:
    file = {"app": "file", "from": 0, "to": 2, "bytes": 100_000}
    settings = {"topology.hops": 2, "flows": [file], "duration_s": 20}
    (flow,) = flows_of([run(load(CHAIN, settings)).summary])
    added = rows("Of a flow with a file").keys()
    assert leaves(flow).keys() == rows("Of a flow").keys() | added
    # Two hops of 2 Mb/s that hear each other carry less than 1 Mb/s.
    assert 0.8 < amount(flow, "completed_s") < 5
    vary = {"flows.0.bytes": [100_000, 10_000_000]}
    table = hw.sweep(CHAIN, vary, runs=1, overrides=settings, out=tmp_path / "s").table
    whole, cut = pl.DataFrame(table)["completed_s"].to_list()
    assert (whole, cut) == (amount(flow, "completed_s"), None)


NOT_ASKED_FOR = ("delay", "bandwidth", "fluctuation", "jitter")


def test_links_and_triggers_have_the_fields_of_the_page(tmp_path: Path) -> None:
    summary = run(load(HAND_OVER, {"duration_s": 81})).summary
    of_mac = {name for name in rows("Of a run") if name.startswith("mac.")}
    for result in items(summary, "results"):
        found = leaves(result).keys() - {"seed", "flows"}
        assert found == (rows("Of a run").keys() - of_mac) | rows("Of a run over links").keys()
        for flow in items(result, "flows"):
            added = set(rows("Of a flow with triggers"))
            # Its triggers ask for loss alone, and for what links tell and nobody measures.
            added -= {f"adaptation.readings.{name}" for name in NOT_ASKED_FOR}
            assert leaves(flow).keys() == rows("Of a flow").keys() | added
        (said,) = rows("Of a run over links").values()
        for link in items(result, "links"):
            assert isinstance(link, dict)
            assert set(link) <= set(re.findall(r"`(\w+)`", said))
    vary = {"links.0.loss_percent": [0, 1]}
    settings = {"duration_s": 81}
    table = hw.sweep(HAND_OVER, vary, runs=1, overrides=settings, out=tmp_path / "s").table
    assert "adaptation.changes" in table.column_names
    assert not [name for name in table.column_names if name.startswith("mac.")]


LAST_HOP = ROOT / "scenarios" / "links" / "last-hop.toml"


@pytest.mark.parametrize("kind", ["snoop", "split"])
def test_relays_have_the_fields_of_the_page(kind: str) -> None:
    summary = run(load(LAST_HOP, {"duration_s": 20, "relays.0.kind": kind})).summary
    of_mac = {name for name in rows("Of a run") if name.startswith("mac.")}
    added = rows("Of a run over links").keys() | rows("Of a run with relays").keys()
    (said,) = rows("Of a run with relays").values()
    for result in items(summary, "results"):
        found = leaves(result).keys() - {"seed", "flows"}
        assert found == (rows("Of a run").keys() - of_mac) | added
        assert leaves(at(result, "flows", 0)).keys() == rows("Of a flow").keys()
        (relay,) = items(result, "relays")
        named = [relay, *items(relay, "connections")]
        assert at(relay, "kind") == kind
        assert {name for part in named if isinstance(part, dict) for name in part} <= set(
            re.findall(r"`(\w+)`", said)
        )


def test_a_sweep_may_mix_runs_with_a_channel_and_without(tmp_path: Path) -> None:
    vary = {"radio.fading": ["none", "rayleigh"]}
    swept = hw.sweep(FADING, vary, runs=1, overrides={"duration_s": 5}, out=tmp_path / "s")
    table = pl.DataFrame(swept.table)
    assert table["radio.fading"].to_list() == ["none", "rayleigh"]
    without, with_channel = table["mac.channel_errors.data"].to_list()
    assert without is None
    assert with_channel > 0
    still, fading = table["received_bps"].to_list()
    assert still > fading


def test_energy_adds_the_fields_of_the_page(tmp_path: Path) -> None:
    chain = ROOT / "scenarios" / "chain.toml"
    vary = {"radio.energy": ["wavelan"], "flows.transport.protocol": ["reno"]}
    settings = {"duration_s": 5, "radio.energy": "wavelan"}
    summary = run(load(chain, settings)).summary
    of_run, of_flow = rows("Of a run with energy").keys(), rows("Of a flow with energy").keys()
    for result in items(summary, "results"):
        found = leaves(result).keys() - {"seed", "flows"}
        assert found == rows("Of a run").keys() | of_run
        for flow in items(result, "flows"):
            assert leaves(flow).keys() == rows("Of a flow").keys() | of_flow
        nodes = items(result, "energy", "nodes")
        assert len(nodes) == 9
        assert leaves(nodes[0]).keys() == {"radio_j"} | {
            name.removeprefix("energy.") for name in of_run if "state_time_s" in name
        }
    swept = hw.sweep(chain, vary, runs=1, overrides={"duration_s": 5}, out=tmp_path / "s")
    columns = set(swept.table.column_names)
    assert (of_run | of_flow) - {"energy.nodes"} <= columns
    assert not [name for name in columns if name.startswith("energy.nodes")]


def test_flows_have_the_fields_of_the_page(summaries: list[Json]) -> None:
    page = rows("Of a flow")
    of_udp = {name for name, rest in page.items() if rest.startswith("all | ")}
    of_tcp = {name for name, rest in page.items() if rest.startswith("TCP | ")}
    assert of_udp | of_tcp == page.keys()
    for flow in flows_of(summaries):
        assert flow.keys() == (of_udp if flow["protocol"] == "udp" else page.keys())


@pytest.mark.parametrize(
    ("protocol", "heading"), [("atp", "Of a flow over ATP"), ("nctp", "Of a flow over bundles")]
)
def test_a_flow_over_another_machine_has_the_fields_of_the_page(
    protocol: str, heading: str
) -> None:
    settings = {
        "duration_s": 60,
        "topology.hops": 2,
        "flows.to": 2,
        "flows.transport.protocol": protocol,
    }
    chain = ROOT / "scenarios" / "chain.toml"
    (result,) = items(run(load(chain, settings)).summary, "results")
    (flow,) = items(result, "flows")
    of_all = {name for name, rest in rows("Of a flow").items() if rest.startswith("all | ")}
    assert leaves(flow).keys() == of_all | rows(heading).keys()
    assert at(flow, "protocol") == protocol
    assert at(flow, "received_bps")


def test_what_may_be_null_is_said_to_be(summaries: list[Json]) -> None:
    flows = flows_of(summaries)
    null = {name for flow in flows for name, value in flow.items() if value is None}
    assert null == {name for name, rest in rows("Of a flow").items() if "null if" in rest}


def kinds_of_diagnoses() -> set[str]:
    """All that the page knows."""
    truths = rows("What was believed of losses, and what was true")
    return {f"{truth}_as_{belief}" for truth in truths for belief in BELIEFS}


def test_diagnoses_are_those_of_the_program(summaries: list[Json]) -> None:
    source = (ROOT / "crates" / "machine" / "src" / "blame.rs").read_text()
    causes = set(re.findall(r'Self::\w+ => "(\w+)"', source))
    truths = rows("What was believed of losses, and what was true")
    assert truths.keys() == causes | {f"ack_{cause}" for cause in causes} | {"nothing"}
    seen = [flow["diagnoses"] for flow in flows_of(summaries) if flow["protocol"] != "udp"]
    assert any(seen), "no sender asks itself anything"
    kinds = kinds_of_diagnoses()
    assert {
        kind for diagnoses in seen if isinstance(diagnoses, dict) for kind in diagnoses
    } <= kinds


def test_causes_of_drops_are_those_of_the_program(summaries: list[Json]) -> None:
    source = (ROOT / "crates" / "machine" / "src" / "loss.rs").read_text()
    causes = set(re.findall(r'Self::\w+ => "(\w+)"', source))
    assert rows("Causes of drops").keys() == causes - OF_NO_FLOW
    seen = [flow["drops"] for flow in flows_of(summaries)]
    assert any(seen), "no run drops anything"
    assert {cause for drops in seen if isinstance(drops, dict) for cause in drops} <= causes


def test_a_sweeps_table_has_the_columns_of_the_page(chain: Path) -> None:
    chain.write_text(chain.read_text() + DATAGRAMS)
    vary = {"topology.hops": [3, 4], "mac.queue_packets": [1]}
    table = hw.sweep(chain, vary, runs=1, overrides={"duration_s": 5}).table
    found = set(table.column_names) - vary.keys()
    drops = {name for name in found if name.startswith("drops.")}
    assert drops
    assert drops <= {f"drops.{cause}" for cause in rows("Causes of drops")}
    diagnoses = {name for name in found if name.startswith("diagnoses.")}
    assert diagnoses
    assert diagnoses <= {f"diagnoses.{kind}" for kind in kinds_of_diagnoses()}
    fields = (rows("Of a flow").keys() - {"drops", "diagnoses"}) | rows("Of a run").keys()
    assert found - drops - diagnoses == fields | rows("The table").keys()


def test_what_is_said_of_an_emulation(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'name = "pair"\nduration_s = 5\ntopology = { kind = "chain", hops = 1, spacing_m = 100 }\n'
    )
    inputs = tmp_path / "inputs.pcapng"
    recordings.recording(inputs, [0, 1], [recordings.datagram(1, 0, 1)], 2)
    summary = replay(_core.load(str(scenario), []), inputs, [], None, overwrite=False)
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
