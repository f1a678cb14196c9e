"""`hopwright explain` on the folder of a replay: what programs said, what was lost, and why."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import recordings
import worlds
from hopwright._cli.main import main
from hopwright._io.data import Json, amount, at, items
from hopwright._io.parquet import read_columns
from hopwright.emulation.folder import OPEN_LOOP
from hopwright.explain.conversations import conversations
from hopwright.explain.events import Lineage
from hopwright.explain.silences import longest, waits

CHAIN = """
name = "stalled"
duration_s = 20
topology = { kind = "chain", hops = 2, spacing_m = 200 }
routing = { protocol = "aodv" }
"""
DOWN_S, UP_S, END_S = 5.0, 7.0, 12.0


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty datagrams a second over two hops; the node between is down from 5 to 7 s."""
    folder = tmp_path_factory.mktemp("programs") / "emulated"
    folder.mkdir()
    (folder / "scenario.toml").write_text(CHAIN)
    sent = [recordings.datagram(1 + n / 20, 0, 2) for n in range(200)]
    # An answer now and then, and a TCP stream that sends a segment again.
    sent += [recordings.datagram(1.01 + n, 2, 0, (5005, 5004)) for n in range(3)]
    stream = [recordings.segment(2.0 + n / 10, 2, 0, 1000 + 100 * n, (80, 40000)) for n in range(4)]
    again = recordings.segment(3.0, 2, 0, 1100, (80, 40000))
    changes = [
        recordings.command(DOWN_S, do="down", node=1),
        recordings.command(UP_S, do="up", node=1),
    ]
    entries = sorted([*sent, *stream, again, *changes], key=lambda entry: entry[0])
    recordings.recording(folder / "inputs.pcapng", [0, 2], entries, END_S)
    return folder


@pytest.fixture(scope="module")
def replayed(emulated: Path) -> Path:
    return replay(emulated, "all", "output.lineage=all")


def replay(folder: Path, name: str, *settings: str) -> Path:
    out = folder.parent / name
    words = [word for setting in settings for word in ("--set", setting)]
    assert main(["replay", str(folder), *words, "--out", str(out)]) == 0
    return out


def explained(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    assert main(["explain", str(folder), *words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_what_conversations_there_were(replayed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = explained(capsys, replayed)
    assert "conversation 0: UDP, node 0 port 5004 and node 2 port 5005" in said
    assert "conversation 1: TCP, node 2 port 80 and node 0 port 40000" in said
    told: Json = json.loads(explained(capsys, replayed, "--json"))
    assert at(told, "open_loop") is False
    assert at(told, "flows") is None
    there, back = items(told, "conversations", 0, "directions")
    summary: Json = json.loads((replayed / "summary.json").read_text())
    counted = {int(amount(each, "node")): each for each in items(summary, "emulation", "attached")}
    assert (amount(there, "packets"), amount(there, "bytes")) == (200, 20_000)
    assert (amount(back, "packets"), amount(back, "lost")) == (3, 0)
    # What comes, comes: counted at the attachments, which know nothing of lineage.
    assert amount(there, "arrived") == amount(counted[2], "received_packets")
    assert amount(there, "arrived") + amount(there, "lost") == 200
    assert sum(amount(there, "losses", cause) for cause in LOSSES) == amount(there, "lost")
    (stream,) = items(told, "conversations", 1, "directions")
    assert (amount(stream, "packets"), amount(stream, "sent_again")) == (5, 1)


LOSSES = ("queue", "contention", "link_failure", "no_route", "channel", "node_down", "other")


def test_why_nothing_came(replayed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: Json = json.loads(
        explained(capsys, replayed, "--conversation", "0", "--at", "6", "--json")
    )
    silence = at(told, "conversations", 0, "directions", 0, "silence")
    assert DOWN_S - 0.1 < amount(silence, "begin_s") < DOWN_S + 0.1
    assert UP_S < amount(silence, "end_s") < UP_S + 3
    lost = items(silence, "lost")
    assert len(lost) > 5
    assert {at(each, "loss") for each in lost} <= {"link_failure", "no_route", "node_down"}
    assert all(DOWN_S - 0.1 < amount(each, "sent_s") < amount(silence, "end_s") for each in lost)
    said = explained(capsys, replayed, "--conversation", "0", "--at", "6")
    assert "nothing arrived for" in said
    assert "went to a node that was down" in said
    assert "how the first of them was lost, the latest event first:" in said
    # The same without saying which conversation: it alone had something on its way.
    assert explained(capsys, replayed, "--at", "6").startswith("conversation 0: UDP")
    assert "conversation 1" not in explained(capsys, replayed, "--at", "6")


def test_the_way_of_a_packet(replayed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: Json = json.loads(explained(capsys, replayed, "--at", "6", "--json"))
    name = str(at(told, "conversations", 0, "directions", 0, "silence", "lost", 0, "packet"))
    said = explained(capsys, replayed, "--packet", name)
    assert f"node 0 dropped packet {name} (UDP to port 5005 of node 2)" in said
    assert f"node 0 sent packet {name}" in said.splitlines()[-1]
    # And of one that came, over both hops.
    said = explained(capsys, replayed, "--packet", "0:1")
    first, second = said.splitlines()[:2]
    assert re.fullmatch(r"event \d+ of packet 0:1, and what led to it, the latest first:", first)
    assert "arrived at node 2" in second
    assert "came to node 1 from node 0" in said


def test_what_delays_are_made_of(replayed: Path) -> None:
    lineage = Lineage.read(replayed)
    for conversation in conversations(lineage):
        for direction in conversation.directions:
            for sent in direction.packets:
                if sent.came is not None:
                    parts = waits(lineage, sent)
                    assert sum(part.length_s for part in parts) == pytest.approx(sent.delay_s)
                    assert {part.what for part in parts} <= {"route", "queue", "tries"}
    # The first packet waits for a route, and nothing else as long.
    first = conversations(lineage)[0].directions[0].packets[0]
    assert waits(lineage, first)[0].what == "route"


def test_a_silence_is_none_while_nobody_sends(replayed: Path) -> None:
    back = conversations(Lineage.read(replayed))[0].directions[1]
    assert back.source.node == 2
    assert longest(back).length_s < 0.1, "a second between packets, and each came at once"


def test_both_scopes_tell_the_same(
    emulated: Path, replayed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    losses = replay(emulated, "losses", "output.lineage=losses")
    for words in ([], ["--at", "6", "--json"]):
        assert explained(capsys, losses, *words) == explained(capsys, replayed, *words)


def test_columns_say_whose_packets_they_are(replayed: Path) -> None:
    columns = read_columns(replayed / "events.parquet")
    rows = zip(columns["kind"], columns["protocol"], columns["tcp_seq"], strict=True)
    assert [seq for kind, protocol, seq in rows if kind == "sent" and protocol == 6] == [
        1000, 1100, 1200, 1300, 1100,
    ]  # fmt: skip
    assert set(columns["tcp_flags"]) == {None, 0x18}
    assert set(columns["destination"]) == {None, 0, 2}


def test_an_open_loop_says_so_first(emulated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ("routing.protocol=olsr", "output.lineage=losses", "output.series=['queue']")
    changed = replay(emulated, "olsr", *settings)
    capsys.readouterr()
    assert explained(capsys, changed).startswith(OPEN_LOOP)
    assert explained(capsys, changed, "--at", "6").startswith(OPEN_LOOP)
    assert main(["explain", str(changed), "--json"]) == 0
    captured = capsys.readouterr()
    assert at(json.loads(captured.out), "open_loop") is True
    assert OPEN_LOOP in captured.err
    # What was changed stays changed when that folder is replayed.
    once_more = replay(changed, "olsr-again")
    summary: Json = json.loads((once_more / "summary.json").read_text())
    assert at(summary, "emulation", "replay", "open_loop") is True
    capsys.readouterr()
    figure = ("plot", str(changed), "topology", "--out", str(changed.parent / "figure"))
    assert main(figure) == 0
    assert OPEN_LOOP in capsys.readouterr().err
    # Programs have no flow, so there are no round trips to make a profile of.
    assert main(["sedlane", "profile", str(changed)]) == 2
    assert OPEN_LOOP in capsys.readouterr().err


def test_a_folder_without_lineage_says_how_to_get_it(
    emulated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(emulated)]) == 2
    error = capsys.readouterr().err
    assert f"'hopwright replay {emulated} --set output.lineage=all --out NEW'" in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--conversation", "9"),
            "--conversation 9: no such conversation; there are 0 to 1",
        ),
        (
            ("--conversation", "0", "--packet", "0:1"),
            "--conversation and --packet: use only one of them",
        ),
        (("--flow", "0", "--conversation", "0"), "--flow and --conversation: use only one of them"),
        (("--packet", "17"), "write it as NODE:NUMBER, such as 0:17"),
        (("--packet", "0:99999"), "--packet 0:99999: the recording has no such packet"),
        (("--packet", "0:1", "--at", "3"), "--packet and --at: use only one of them"),
        (("--conversation", "0", "--full"), "--full"),
        (("--at", "6", "--figure", "x"), "--figure is for the story of an event"),
        (("--figure", "x"), "--figure draws the loss budgets of flows"),
        (
            ("--flow", "0"),
            "--flow 0: the recording has no events of this flow; flows with events: none",
        ),
    ],
)
def test_what_makes_no_sense(
    words: tuple[str, ...], said: str, replayed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["explain", str(replayed), *words]) == 2
    assert said in capsys.readouterr().err


SENDER = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(60):
    s.sendto(bytes(200), ("10.0.0.3", 5004))
    time.sleep(0.05)
"""


@pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))
def test_a_program_that_really_ran(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "live.toml"
    event = '[[events]]\nat_s = {}\nnode = 1\ndo = "{}"\n'
    scenario.write_text(CHAIN + event.format(1.5, "down") + event.format(2.5, "up"))
    out = tmp_path / "out"

    words = ["emulate", str(scenario), "--with", "2:nc -u -l -p 5004", "--at", "0"]
    words += ["--out", str(out), "--", sys.executable, "-c", SENDER]
    done = subprocess.run(
        [sys.executable, "-m", "hopwright", *words],
        capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert main(["explain", str(out)]) == 2
    again = replay(out, "again", "output.lineage=all")
    capsys.readouterr()
    told: Json = json.loads(explained(capsys, again, "--at", "2", "--json"))
    there = at(told, "conversations", 0, "directions", 0)
    assert (amount(there, "packets"), amount(there, "bytes")) == (60, 12_000)
    assert amount(there, "lost") >= 1
    silence = at(there, "silence")
    assert 1.3 < amount(silence, "begin_s") < 1.7
    assert amount(silence, "end_s") > 2.5
