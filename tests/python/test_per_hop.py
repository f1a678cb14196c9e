"""`hopwright run --per-hop`: its sums are those of the summary."""

import json
from pathlib import Path

import pytest

from hopwright.data import Json, at, items, number
from hopwright.hops import joined
from processes import Hopwright


@pytest.fixture
def reported(hopwright: Hopwright, chain: Path) -> Json:
    done = hopwright("run", chain, "--per-hop", "--json", "--set", "profile=ns2")
    assert (done.returncode, done.stderr) == (0, "")
    summary: Json = json.loads(done.stdout)
    return summary


def total(report: Json, *path: str) -> float:
    return sum(number(link, *path) or 0 for link in items(report, "hops", "links"))


def by_name(value: Json, *path: str) -> dict[str, Json]:
    found = at(value, *path)
    assert isinstance(found, dict)
    return found


def test_links_add_up_to_the_run(reported: Json) -> None:
    result = at(reported, "results", 0)
    assert total(reported, "given_up") == sum(
        number(result, "mac", "failures", kind) or 0 for kind in ("data", "ack", "routing")
    )
    collisions = number(result, "mac", "collisions", "total") or 0
    # A try that goes on when the run ends is none in vain yet.
    assert 0 <= collisions - total(reported, "causes", "collision") <= 3
    lost = sum(total(reported, "lost", frame) for frame in ("rts", "cts", "data", "ack"))
    # Each try goes through or loses a frame; of up to three stations the last may still go on.
    assert 0 <= total(reported, "tries") - total(reported, "handed_over") - lost <= 4
    links = items(reported, "hops", "links")
    kinds = {kind for link in links for kind in by_name(link, "causes")}
    causes = sum(total(reported, "causes", kind) for kind in kinds)
    assert causes == lost


def test_nodes_and_flows(reported: Json) -> None:
    nodes = items(reported, "hops", "nodes")
    assert [number(node, "node") for node in nodes] == [0, 1, 2, 3]
    for node in nodes:
        assert 0 < (number(node, "sent_share") or 0) < (number(node, "busy_share") or 0) <= 1
    flow = at(reported, "hops", "flows", 0)
    assert [(number(hop, "from"), number(hop, "to")) for hop in items(flow, "hops")] == [
        (0, 1),
        (1, 2),
        (2, 3),
    ]
    shares = {
        (number(hop, "from"), number(hop, "to")): number(hop, "service_share") or 0
        for hop in items(flow, "hops")
    }
    assert tuple(items(flow, "held_back_by")) == max(shares, key=lambda hop: shares[hop])
    mean_queue = sum(number(node, "mean_queue_packets") or 0 for node in nodes) / len(nodes)
    assert mean_queue == pytest.approx(number(reported, "mean", "mac", "mean_queue_packets"))


def test_the_table_and_the_files(hopwright: Hopwright, chain: Path) -> None:
    out = chain.parent / "out"
    done = hopwright("run", chain, "--per-hop", "--runs", 2, "--out", out)
    assert done.returncode == 0
    assert "held back by the hop" in done.stdout
    reports = [json.loads((out / f"seed-{n}" / "summary.json").read_text())["hops"] for n in (7, 8)]
    assert json.loads((out / "summary.json").read_text())["hops"] == joined(reports)
    plain = hopwright("run", chain, "--json")
    assert "hops" not in json.loads(plain.stdout)


def test_a_link_that_a_run_did_not_use_counts_as_nothing_there() -> None:
    link: Json = {"from": 0, "to": 1, "tries": 4, "causes": {"collision": 2}, "mean_service_s": 0.5}
    used: Json = {"links": [link], "nodes": [], "flows": []}
    unused: Json = {"links": [], "nodes": [], "flows": []}
    merged = items(joined([used, unused]), "links")[0]
    assert merged == {
        "from": 0,
        "to": 1,
        "tries": 2.0,
        "causes": {"collision": 1.0},
        "mean_service_s": 0.5,
    }
