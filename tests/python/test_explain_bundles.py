"""`hopwright explain` of flows over bundles: the way of each, and why it was sent again."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from explaining import recorded
from hopwright._cli.arguments import dispatch
from hopwright._io.data import Json, at, items, number
from hopwright._io.errors import InputError
from hopwright.explain.budget import SPURIOUS, budget
from hopwright.explain.bundle_words import KINDS
from hopwright.explain.events import Lineage
from hopwright.explain.story import find
from hopwright.explain.way import Way
from hopwright.explain.words import what
from hopwright.results.said import SAID

CHANGED = {
    "flows.transport.protocol": "nctp",
    "flows.transport.nctp_bundle_packets": "20",
    "flows.transport.nctp_initial_timer_s": "0.32",
    "flows.transport.nctp_max_timer_s": "2",
    "topology.hops": "4",
    "flows.to": "4",
    "duration_s": "40",
}
MORE = """
[[errors]]
model = "uniform"
probability = 0.75
frames = ["ack"]

[[events]]
do = "down"
node = 2
at_s = 9

[[events]]
do = "up"
node = 2
at_s = 9.5
"""
LOSSES = ("queue", "contention", "link_failure", "no_route", "channel", "node_down", "other")
HOP = re.compile(
    r"t=[\d.]+ s  (copy \d+, )?hop (\d): node (\d) to node (\d) in [\d.]+ s(, after .*)?"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Json]:
    return recorded(tmp_path_factory.mktemp("explain"), "losses", CHANGED, MORE)


@pytest.fixture
def folder(run: tuple[Path, Json]) -> Path:
    return run[0]


def test_the_summary_says_what_became_of_bundles(run: tuple[Path, Json]) -> None:
    folder, result = run
    told = budget(Lineage.read(folder), 0)
    counted = at(result, "flows", 0)
    assert told.carried is not None
    assert told.carried.cut == number(counted, "bundles_cut")
    assert told.carried.delivered == number(counted, "bundles_delivered")
    assert told.carried.again.total() == number(counted, "bundles_resent")
    assert set(told.carried.again) == {"ack_lost", "data_late"}
    assert told.counts["resent"]["channel"] > told.counts["resent"][SPURIOUS] > 0
    lost = sum(number(result, "flows", 0, "ack_losses", c) or 0 for c in LOSSES)
    assert told.counts["acknowledgements"].total() == lost > 0
    assert "the acknowledgement was lost" in str(told).replace("\n  ", " ")
    assert number(told.to_json(), "bundles", "resent", "ack_lost") == told.carried.again["ack_lost"]


def test_the_way_of_a_bundle(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lineage = Lineage.read(folder)
    once = next(bundle for bundle in lineage.bundles(0) if Way.of(lineage, 0, bundle).copies == 1)
    dispatch(["explain", str(folder), "--flow", "0", "--bundle", str(once)])
    first, cut, *lines, end = capsys.readouterr().out.splitlines()
    assert first == f"history of bundle {once} of flow 0"
    assert cut.endswith(f"node 0 cut bundle {once} of flow 0: 10240 bytes")
    hops = [match for match in map(HOP.fullmatch, lines) if match]
    assert [match.group(2, 3, 4) for match in hops] == [
        (str(n + 1), str(n), str(n + 1)) for n in range(4)
    ]
    assert all(match.group(1) is None for match in hops)
    assert sum("asked whether the path" in line for line in lines) == 3
    assert lines[-1].endswith(f"node 0 got the acknowledgement of bundle {once} of flow 0")
    assert re.fullmatch(r"delivered [\d.]+ s .*; acknowledged [\d.]+ s .*; sent once", end)


def test_why_a_bundle_was_sent_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    way = Way.of(Lineage.read(folder), 0, 0)
    dispatch(["explain", str(folder), "--flow", "0", "--bundle", "0"])
    shown = capsys.readouterr().out
    assert "sent bundle 0 of flow 0 again (copy 2): a copy of it was still on its way" in shown
    assert "but the acknowledgement was lost because of errors of the channel" in shown
    assert "node 2 went down and lost bundle 0 of flow 0" in shown
    assert "to node 4, but node 4 already had it" in shown
    assert f"sent {way.copies} times" in shown
    copies = {hop.copy for hop in way.hops}
    assert copies <= set(range(1, way.copies + 1))
    assert len(copies) > 3
    for copy in copies:
        hops = [hop for hop in way.hops if hop.copy == copy]
        assert [hop.hop for hop in hops] == list(range(1, len(hops) + 1))
        assert all(hop.node + 1 == hop.peer and hop.start_s < hop.end_s for hop in hops)


def test_ways_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dispatch(["explain", str(folder), "--flow", "0", "--bundle", "0", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (number(told, "copies") or 0) == len(items(told, "resent")) + 1
    assert number(told, "bytes") == 10240
    times = [number(told, name) or 0 for name in ("cut_s", "delivered_s", "acknowledged_s")]
    assert 0 < times[0] < times[1] < times[2]
    assert number(told, "hops", 0, "peer") == 1


def test_a_lost_acknowledgement_has_a_story(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lineage = Lineage.read(folder)
    again = [event for event in lineage.those(("bundle_resent",)) if event.cause == "ack_lost"]
    assert find(lineage, again[0].time_s, 0) == again[0]
    dispatch(["explain", str(folder), "--at", str(again[0].time_s)])
    lines = capsys.readouterr().out.splitlines()
    assert "node 0 sent bundle 0 of flow 0 again" in lines[1]
    assert "dropped the acknowledgement of bundle 0 of flow 0" in lines[2]
    assert "gave up the acknowledgement of bundle 0" in lines[3]
    assert any("was damaged on its way" in line for line in lines)
    assert any(
        "had received all of bundle 0 of flow 0 from node 2, and now owned it" in line
        for line in lines
    )
    dispatch(["explain", str(folder), "--flow", "0"])
    told = Counter(" again (copy " in line for line in capsys.readouterr().out.splitlines())
    assert told[True] == len(lineage.those(("bundle_resent",)))


def test_each_event_has_words(folder: Path) -> None:
    lineage = Lineage.read(folder)
    for event in lineage.those(KINDS):
        said = what(lineage, event)
        assert f"bundle {event.bundle} of flow 0" in said
        assert "None" not in said
        assert "unknown" not in said
        assert "is not known" not in said
    assert {event.cause for event in lineage.those(("bundle_resent",))} <= set(
        SAID["bundle_resent"]
    )
    packets = {what(lineage, event) for event in lineage.those(("sent",)) if event.carries}
    assert any(re.search(r"packet \d+ of bundle 0 of flow 0", said) for said in packets)
    assert any("the last packet of bundle 0 of flow 0" in said for said in packets)


def test_each_cause_has_words(folder: Path) -> None:
    lineage = Lineage.read(folder)
    event = lineage.those(("bundle_cut",))[0]
    for kind in ("bundle_resent", "bundle_part_deleted", "bundle_lost", "bundle_silent"):
        for cause in SAID[kind]:
            loss = "contention" if cause.endswith("_lost") else None
            told = event._replace(kind=kind, cause=cause, peer=7, tries=2, loss=loss)
            said = what(lineage, told)
            assert "bundle 0 of flow 0" in said
            assert "None" not in said
            assert "is not known" not in said
    assert SAID["resent_shortly"].keys() == SAID["bundle_resent"].keys()
    deleted = event._replace(kind="bundle_part_deleted", cause="link_failed", node=3, peer=7)
    line = (
        "node 3 deleted its part of bundle 0 of flow 0, because node 7 could not reach it any more"
    )
    assert what(lineage, deleted) == line


def test_the_budget_of_bundles_has_a_picture(folder: Path, tmp_path: Path) -> None:
    dispatch(["explain", str(folder), "--figure", str(tmp_path / "budget")])
    svg = (tmp_path / "budget.svg").read_text()
    assert "bundles resent" in svg
    assert "segments resent" not in svg


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--flow 0 --bundle 99", "--bundle 99: flow 0 has no such bundle; it has 0 to "),
        ("--bundle 0", "--bundle 0: add --flow N"),
        ("--flow 0 --bundle 0 --at 3", "--bundle shows a bundle; --at, --event and --full"),
        ("--flow 0 --bundle 0 --full", "--bundle shows a bundle; --at, --event and --full"),
        ("--flow 0 --bundle 0 --figure x", "not the history of a bundle"),
        (
            "--flow 7 --bundle 0",
            "--flow 7: the recording has no events of this flow; flows with events: 0",
        ),
        ("--flow 0 --bundle=-1", "--bundle"),
    ],
)
def test_mistakes(line: str, message: str, folder: Path) -> None:
    with pytest.raises(InputError) as wrong:
        dispatch(["explain", str(folder), *line.split()])
    assert message in str(wrong.value)


def test_a_flow_over_tcp_has_no_bundles(tmp_path: Path) -> None:
    changed = {"duration_s": "5"}
    folder, _ = recorded(tmp_path, "losses", changed)
    assert Lineage.read(folder).bundles(0) == []
    assert Lineage.read(folder).of_bundle(0, 0) == []
    with pytest.raises(InputError, match="--bundle 0: no bundles carry flow 0"):
        dispatch(["explain", str(folder), "--flow", "0", "--bundle", "0"])
