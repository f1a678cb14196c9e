"""`hopwright run --per-hop`: its sums are those of the summary."""

import json
from pathlib import Path

import pytest

from hopwright._io.data import Json, at, items, number
from hopwright.results.hops import joined
from processes import Hopwright

SCENARIOS = Path(__file__).parents[2] / "scenarios"
ONE_HOP = """\
name = "one-hop"
duration_s = 63
warm_up_s = 3

[topology]
kind = "chain"
hops = 1
spacing_m = 50

[routing]
protocol = "static"

[[flows]]
from = 0
to = 1
app = "cbr"
rate_kbps = 3000
payload_bytes = 1460
start_s = 1
[flows.transport]
protocol = "udp"
"""
MEASURED_S = 60.0


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
    # Segments alone go this way: what the flow has of a link is all that the link has.
    links = {
        (number(link, "from"), number(link, "to")): link
        for link in items(reported, "hops", "links")
    }
    for hop in items(flow, "hops"):
        link = links[number(hop, "from"), number(hop, "to")]
        packets = number(hop, "packets") or 0
        assert packets == (number(link, "handed_over") or 0) + (number(link, "given_up") or 0)
        unfinished = (number(link, "tries") or 0) - packets * (number(hop, "mean_tries") or 0)
        assert -1e-6 < unfinished < 8
        assert number(hop, "mean_service_s") == number(link, "mean_service_s")
    # Nothing is sent to everyone: each frame belongs to the exchange of a link.
    sent = sum(number(node, "sent_share") or 0 for node in nodes)
    assert total(reported, "airtime_share") == pytest.approx(sent)
    mean_queue = sum(number(node, "mean_queue_packets") or 0 for node in nodes) / len(nodes)
    assert mean_queue == pytest.approx(number(reported, "mean", "mac", "mean_queue_packets"))


@pytest.mark.parametrize(
    ("scenario", "profile", "warm_up_s"),
    [("chain", "standard", 3), ("chain", "ns2", 0), ("chain", "ns2", 3), ("mobile", "ns2", 3)],
)
def test_route_breaks_add_up_to_the_run(
    scenario: str, profile: str, warm_up_s: int, hopwright: Hopwright
) -> None:
    settings = [f"profile={profile}", f"warm_up_s={warm_up_s}", "routing.protocol=aodv"]
    settings += ["duration_s=60", "output.series=[]", "output.figures=[]"]
    options = [word for each in settings for word in ("--set", each)]
    done = hopwright("run", SCENARIOS / f"{scenario}.toml", "--per-hop", "--json", *options)
    summary: Json = json.loads(done.stdout)
    false, breaks = (total(summary, name) for name in ("false_route_breaks", "route_breaks"))
    routing = at(summary, "results", 0, "routing")
    assert false == number(routing, "false_route_breaks")
    assert breaks == number(routing, "route_breaks")
    # In the chain nobody moves; there, one of the breaks comes before 3 s (ns-2's profile).
    assert 0 < false < breaks if scenario == "mobile" else 10 < false == breaks


@pytest.mark.parametrize("profile", ["standard", "ns2"])
@pytest.mark.parametrize("has_rts", [True, False])
def test_a_saturated_hop_keeps_the_times_worked_out_by_hand(
    profile: str, has_rts: bool, hopwright: Hopwright, tmp_path: Path
) -> None:
    """As `crates/sim/tests/closed_forms.rs`: microseconds, 192 of preamble, 1 and 2 Mb/s, 50 m."""
    header, slots = (36, 15.5) if profile == "standard" else (34, 15.0)
    data = 192 + (1460 + 28 + header) * 8 / 2
    rts, answer = 192 + 20 * 8, 192 + 14 * 8
    ahead, frames = (rts + answer, 4) if has_rts else (0, 2)
    in_the_air = ahead + data + answer
    # DIFS, the mean back-off, the frames with SIFS between them and the way of each.
    cycle = 50 + slots * 20 + in_the_air + (frames - 1) * 10 + frames * 50 / 299.792458

    (tmp_path / "hop.toml").write_text(ONE_HOP)
    limit = f"mac.rts_threshold_bytes={0 if has_rts else 3000}"
    done = hopwright(
        "run", "hop.toml", "--per-hop", "--json", "--set", f"profile={profile}", "--set", limit
    )
    hops = at(json.loads(done.stdout), "hops")
    link, hop = at(hops, "links", 0), at(hops, "flows", 0, "hops", 0)
    packets = number(link, "handed_over") or 0
    # The mean back-off of 8000 packets is within 12 us of the mean of all to 6 deviations.
    assert number(link, "mean_service_s") == pytest.approx(cycle * 1e-6, abs=12e-6)
    assert number(hop, "mean_service_s") == number(link, "mean_service_s")
    assert packets == pytest.approx(MEASURED_S / cycle * 1e6, rel=2e-3)
    assert (number(hop, "packets"), number(hop, "mean_tries")) == (packets, 1)
    # An exchange more or less may be in the air when the time begins and ends.
    exchange = in_the_air * 1e-6 / MEASURED_S
    assert number(link, "airtime_share") == pytest.approx(packets * exchange, abs=1.01 * exchange)
    served = packets * (number(link, "mean_service_s") or 0)
    assert number(hop, "service_share") == pytest.approx(served / MEASURED_S)
    assert served == pytest.approx(MEASURED_S, abs=2 * cycle * 1e-6)
    sender, receiver = items(hops, "nodes")
    sent_here, sent_there = (rts + data, 2 * answer) if has_rts else (data, answer)
    for node, sent in ((sender, sent_here), (receiver, sent_there)):
        share = packets * sent * 1e-6 / MEASURED_S
        assert number(node, "sent_share") == pytest.approx(share, abs=1.01 * exchange)
    # From when a packet leaves the full queue until the next one comes, 49 are there.
    between = 1460 * 8 / 3000 * 1e3
    assert number(sender, "longest_queue_packets") == 50
    mean_queue = number(sender, "mean_queue_packets")
    assert mean_queue == pytest.approx(50 - between / 2 / cycle, abs=0.01)
    assert number(receiver, "longest_queue_packets") == 0


def test_the_longest_queue_may_be_the_first(hopwright: Hopwright, tmp_path: Path) -> None:
    """49 packets wait when the measured time begins, and none comes any more."""
    (tmp_path / "hop.toml").write_text(ONE_HOP)
    longest = []
    for duration_s in (3.001, 3.02):
        settings = ("--set", f"duration_s={duration_s}", "--set", "flows.stop_s=2.99")
        done = hopwright("run", "hop.toml", "--per-hop", "--json", *settings)
        sender = at(json.loads(done.stdout), "hops", "nodes", 0)
        longest.append(number(sender, "longest_queue_packets"))
    assert longest == [49, 49]


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
