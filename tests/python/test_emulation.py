"""Real programs over a simulated network, live: what they send arrives, and happens again off line.

Bytes, order and ratios are looked at, never microseconds: the machine may be busy.
"""

import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import recordings
import worlds
from hopwright import Control
from hopwright._cli.main import main
from hopwright._io.data import amount, at, items
from hopwright.emulation.control import listen

live = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))

CHAIN = """
name = "live"
duration_s = 60
topology = { kind = "chain", hops = 2, spacing_m = 200 }
routing = { protocol = "aodv" }
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "live.toml"
    file.write_text(CHAIN)
    return file


def hopwright(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "hopwright", *map(str, words)]


def emulate(*words: str | Path, timeout_s: float = 50) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        hopwright("emulate", *words), capture_output=True, text=True, timeout=timeout_s, check=False
    )


def tshark(file: Path, shown: str, *fields: str) -> list[str]:
    words = ["tshark", "-r", str(file), "-Y", shown, "-T", "fields"]
    for field in fields:
        words += ["-e", field]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


@live
def test_a_ping_goes_over_the_network_and_back(scenario: Path) -> None:
    words = ("--with", "2:sleep 60", "--at", "0", "--", "ping", "-c", "5", "-i", "0.2", "node-2")
    done = emulate(scenario, *words)
    assert done.returncode == 0, done.stderr
    assert "5 received" in done.stdout
    assert "ttl=63" in done.stdout, "one router between"
    # Two frames of 84 bytes and more at 1 and 2 Mb/s, each way, cost more than 2 ms.
    assert min(map(float, re.findall(r"time=([\d.]+) ms", done.stdout))) > 2
    assert "node 0: 5 packets sent, 5 received" in done.stderr


@live
def test_nodes_without_programs_are_seen_by_ping_and_traceroute(scenario: Path) -> None:
    done = emulate(scenario, "--at", "0", "--", "ping", "-c", "3", "-i", "0.2", "node-2")
    assert done.returncode == 0, done.stderr
    assert "3 received" in done.stdout
    if shutil.which("traceroute") is None:
        pytest.skip("not installed: traceroute")
    done = emulate(scenario, "--at", "0", "--", "traceroute", "-n", "-q", "1", "10.0.0.3")
    rows = [line.split()[:2] for line in done.stdout.splitlines()[1:]]
    assert rows == [["1", "10.0.0.2"], ["2", "10.0.0.3"]], done.stdout


@live
def test_a_file_arrives_whole_and_all_of_it_happens_again(scenario: Path, tmp_path: Path) -> None:
    content = random.Random(1).randbytes(200_000)
    (tmp_path / "sent").write_bytes(content)
    receive = f"2:sh -c 'nc -l -p 9000 > {tmp_path}/received'"
    send = f"until nc -N node-2 9000 < {tmp_path}/sent; do sleep 0.2; done"
    out = tmp_path / "out"
    words = ("--with", receive, "--at", "0", "--out", out, "--json", "--", "sh", "-c", send)
    done = emulate(scenario, *words)
    assert done.returncode == 0, done.stderr
    received = (tmp_path / "received").read_bytes()
    assert hashlib.sha256(received).digest() == hashlib.sha256(content).digest()
    summary = json.loads((out / "summary.json").read_text())
    assert json.loads(done.stdout) == summary
    about = summary["emulation"]
    assert [each["node"] for each in about["attached"]] == [0, 2]
    assert about["attached"][0]["sent_bytes"] > len(content)
    assert about["pace"]["lateness"]["packets"] == sum(
        each["received_packets"] for each in about["attached"]
    )
    # An outsider reads the recording: the bytes of the stream, and the handshake.
    rows = tshark(out / "inputs.pcapng", "tcp.flags.syn == 1 && frame.interface_id == 0", "ip.src")
    assert set(rows) == {"10.0.0.1", "10.0.0.3"}
    # Again, twice, off line: the same fingerprint and the same packets at the same times.
    for again in ("again", "once-more"):
        assert main(["replay", str(out), "--out", str(tmp_path / again)]) == 0
        replayed = json.loads((tmp_path / again / "summary.json").read_text())
        assert replayed["results"][0]["fingerprint"] == summary["results"][0]["fingerprint"]
        assert replayed["emulation"]["attached"] == about["attached"]
        replay = replayed["emulation"]["replay"]
        assert replay["first_difference_s"] is None
        assert replay["recorded_packets"] == replay["replayed_packets"] > 200
        assert replay["open_loop"] is False
    # With more recorded, and with something changed.
    assert (
        main(["replay", str(out), "--set", "output.lineage=all", "--out", str(tmp_path / "l")]) == 0
    )
    assert (tmp_path / "l" / "events.parquet").is_file()
    changed = ["replay", str(out), "--set", "routing.protocol=olsr", "--out", str(tmp_path / "o")]
    assert main(changed) == 0
    replay = json.loads((tmp_path / "o" / "summary.json").read_text())["emulation"]["replay"]
    assert replay["open_loop"] is True
    assert replay["first_difference_s"] is not None


@live
def test_a_network_is_changed_while_it_runs(scenario: Path) -> None:
    name = f"test-{random.SystemRandom().random()}"
    words = (
        "--with",
        "2:sleep 60",
        "--control",
        name,
        "--at",
        "0",
        "--",
        "ping",
        "-i",
        "0.2",
        "node-2",
    )
    process = subprocess.Popen(
        hopwright("emulate", scenario, *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        _until(lines, "bytes from")
        with Control(name) as network:
            answer = network.say({"do": "place", "node": 2, "at_m": [5000, 0]})
            assert at(answer, "ok") is True
            with pytest.raises(ValueError, match="there is no node 9"):
                network.say({"do": "down", "node": 9})
            with pytest.raises(ValueError, match="missing field `node`"):
                network.say({"do": "down"})
            with pytest.raises(ValueError, match="there are no links that could change"):
                network.say({"do": "reshape", "link": 0, "set": {"delay_ms": 1}})
            time.sleep(0.5)  # what is on its way, and what is told ten times a second
            seen = _received(network)
            time.sleep(1)
            gone = _received(network)
            assert gone == seen
            network.say({"do": "move", "node": 2, "to_m": [400, 0], "speed_mps": 1e5})
            _until(lines, "bytes from")
            with pytest.raises(ConnectionError):
                Control(f"{name}-other")
            network.say({"do": "stop"})
        _, said = process.communicate(timeout=20)
        assert "the emulation ended before the program: the program is stopped" in said
    finally:
        process.kill()
        process.wait()


LINKS = """
name = "live"
duration_s = 60
topology.kind = "links"
links = [{ from = 0, to = 1, delay_ms = 10 }, { from = 1, to = 2, rate_kbps = 2000 }]
"""


@live
def test_a_link_is_changed_while_it_is_used_and_all_of_it_happens_again(
    scenario: Path, tmp_path: Path
) -> None:
    scenario.write_text(LINKS)
    name = f"test-{random.SystemRandom().random()}"
    out = tmp_path / "out"
    words = ("--with", "2:sleep 60", "--control", name, "--out", out)
    process = subprocess.Popen(
        hopwright("emulate", scenario, *words, "--at", "0", "--", "ping", "-i", "0.2", "node-2"),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        _until(lines, "bytes from")
        with Control(name) as network:
            line: dict[str, object] = {"do": "reshape", "link": 0, "set": {"delay_ms": 150.3}}
            assert at(network.say(line), "ok") is True
            _until(lines, "time=30")
            with pytest.raises(ValueError, match="los_percent: unknown key"):
                network.say({"do": "reshape", "link": 1, "set": {"los_percent": 2}})
            with pytest.raises(ValueError, match="they cannot be moved or switched"):
                network.say({"do": "down", "node": 1})
            network.say({"do": "stop"})
        process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert main(["replay", str(out), "--out", str(tmp_path / "again")]) == 0
    was, again = (
        json.loads((folder / "summary.json").read_text()) for folder in (out, tmp_path / "again")
    )
    assert again["emulation"]["replay"]["first_difference_s"] is None
    assert again["emulation"]["replay"]["refused_commands"] == 0
    assert again["results"][0]["fingerprint"] == was["results"][0]["fingerprint"]


def _until(lines: Iterator[str], word: str) -> None:
    for line in lines:
        if word in line:
            return
    raise AssertionError(f"'{word}' never came")


def test_a_command_that_is_no_text_is_refused() -> None:
    """Those before it are carried out."""
    name = f"test-{random.SystemRandom().random()}"
    told: list[bytes] = []

    def answer() -> None:
        peer, _ = listener.accept()
        with peer, peer.makefile("rwb") as lines:
            for line in lines:
                told.append(line)
                lines.write(b'{"ok": true}\n')
                lines.flush()

    with listen(name) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        done = subprocess.run(
            hopwright("control", name),
            input=b'{"do": "status"}\n\xff\n',
            capture_output=True,
            check=False,
        )
        thread.join()
    assert (done.returncode, done.stdout) == (2, b'{"ok": true}\n')
    assert done.stderr == b"hopwright: standard input:2: is not text in UTF-8\n"
    assert told == [b'{"do": "status"} \n']


def _received(network: Control) -> float:
    answer = network.say({"do": "status"})
    rows = {amount(row, 0): amount(row, 2) for row in items(answer, "status", "attached")}
    return rows[0]


@live
def test_the_exit_code_is_that_of_the_program(scenario: Path) -> None:
    assert emulate(scenario, "--at", "0", "--", "sh", "-c", "exit 7").returncode == 7


@live
def test_programs_that_a_scenario_names(scenario: Path, tmp_path: Path) -> None:
    scenario.write_text(
        CHAIN.replace("60", "3")
        + f"""
[[attach]]
node = 0
namespace = "here"
command = ["sh", "-c", "ping -c 2 there > {tmp_path}/seen"]
[[attach]]
node = 2
namespace = "there"
"""
    )
    done = emulate(scenario)
    assert done.returncode == 0, done.stderr
    assert "2 received" in (tmp_path / "seen").read_text()


@live
def test_what_may_not_enter_is_counted(scenario: Path, tmp_path: Path) -> None:
    send = (
        "import socket; s = socket.socket(2, 2); "
        "[s.sendto(b'x', (f'10.0.0.{n}', 9)) for n in (9, 2)]"
    )
    out = tmp_path / "out"
    done = emulate(scenario, "--out", out, "--at", "0", "--", sys.executable, "-c", send)
    assert done.returncode == 0, done.stderr
    attached = json.loads((out / "summary.json").read_text())["emulation"]["attached"][0]
    assert attached["refused_packets"]["outside"] == 1
    assert attached["sent_packets"] == 1


FRAMES = """
[[attach]]
node = {node}
layer = "ethernet"
"""


@live
def test_neighbours_find_each_other_by_arp_over_the_mac(scenario: Path, tmp_path: Path) -> None:
    frames = "".join(FRAMES.format(node=node) for node in (0, 1, 2))
    scenario.write_text(CHAIN + "[output]\npcap = [1]\n" + frames)
    out = tmp_path / "out"
    look = "ping -c 3 -i 0.2 -W 2 node-1 && ip neigh && ! ping -c 1 -W 1 node-2"
    words = ("--with", "1:sleep 60", "--with", "2:sleep 60", "--out", out)
    done = emulate(scenario, *words, "--at", "0", "--", "sh", "-c", look)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 received" in done.stdout
    assert "10.0.0.2 dev hop0 lladdr 02:00:00:00:00:01" in done.stdout
    # An outsider sees frames that programs sent, and what was on the air: no IP of ours.
    sent = tshark(out / "inputs.pcapng", "arp.opcode == 1 && frame.interface_id == 0", "eth.src")
    assert set(sent) == {"02:00:00:00:00:00"}
    air = tshark(out / "node-1.pcapng", "arp.opcode == 2", "wlan.sa", "arp.src.hw_mac")
    assert "02:00:00:00:00:01\t02:00:00:00:00:01" in air
    assert main(["replay", str(out), "--out", str(tmp_path / "again")]) == 0
    summary, replayed = (
        json.loads((folder / "summary.json").read_text()) for folder in (out, tmp_path / "again")
    )
    assert replayed["results"][0]["fingerprint"] == summary["results"][0]["fingerprint"]
    assert replayed["emulation"]["replay"]["first_difference_s"] is None
    assert replayed["emulation"]["attached"] == summary["emulation"]["attached"]


HEAR = """
import socket, struct, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("228.1.2.3", 5009))
s.setsockopt(0, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("228.1.2.3") + bytes(4))
s.settimeout(20)
file = open(sys.argv[1], "w")
while True:
    print(s.recv(100).decode(), file=file, flush=True)
"""

SPEAK = """
import os, socket, sys, time
while not all(os.path.exists(file) for file in sys.argv[1:]):
    time.sleep(0.1)
for ttl in (8, 1):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(0, socket.IP_MULTICAST_TTL, ttl)
    for n in range(3):
        s.sendto(f"{ttl} {n}".encode(), ("228.1.2.3", 5009))
        time.sleep(0.3)
time.sleep(0.5)
"""


@live
@pytest.mark.parametrize("floods", [True, False])
def test_a_packet_to_a_group_is_heard_everywhere_once_if_the_scenario_says_so(
    floods: bool, scenario: Path, tmp_path: Path
) -> None:
    for name, text in (("hear", HEAR), ("speak", SPEAK)):
        (tmp_path / name).write_text(text)
    if floods:
        scenario.write_text(CHAIN.replace('"aodv"', '"aodv", multicast = "flood"'))
    hear = f"{sys.executable} {tmp_path}/hear {tmp_path}"
    words = ("--with", f"1:{hear}/at-1", "--with", f"2:{hear}/at-2", "--json", "--at", "0", "--")
    heard = (tmp_path / "at-1", tmp_path / "at-2")
    done = emulate(scenario, *words, sys.executable, tmp_path / "speak", *heard)
    assert done.returncode == 0, done.stderr
    near, far = (file.read_text().splitlines() for file in heard)
    refused = json.loads(done.stdout)["emulation"]["attached"][0]["refused_packets"]
    if floods:
        assert near == ["8 0", "8 1", "8 2", "1 0", "1 1", "1 2"]
        assert far == ["8 0", "8 1", "8 2"], "a time to live of 1 is one hop"
        assert "multicast" not in refused
    else:
        assert (near, far) == ([], [])
        assert refused["multicast"] >= 6
        assert done.stderr.count('routing.multicast = "flood" lets them') == 1


LAST_WORD = """
import signal, socket, sys
def say(*_):
    socket.socket(2, 2).sendto(b"x", ("228.1.2.3", 5009))
    sys.exit()
signal.signal(15, say)
open(sys.argv[1], "w")
signal.pause()
"""


@live
def test_a_packet_to_a_group_is_told_of_however_late_it_comes(
    scenario: Path, tmp_path: Path
) -> None:
    (tmp_path / "say").write_text(LAST_WORD)
    ready = tmp_path / "ready"
    other = f"1:{sys.executable} {tmp_path}/say {ready}"
    wait = f"until test -e {ready}; do sleep 0.1; done"
    done = emulate(scenario, "--with", other, "--at", "0", "--", "sh", "-c", wait)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count('routing.multicast = "flood" lets them') == 1


@live
def test_an_emulation_says_that_it_ended_before_its_warm_up(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario.write_text("warm_up_s = 5\n" + CHAIN)
    out = tmp_path / "out"
    done = emulate(scenario, "--out", out, "--at", "0", "--", "true")
    said = "before warm_up_s (5 s): nothing was measured of the simulated flows"
    assert (done.returncode, done.stderr.count(said)) == (0, 1)
    assert main(["replay", str(out)]) == 0
    assert capsys.readouterr().err.count(said) == 1


BABEL = """
[[attach]]
node = {node}
layer = "ethernet"
prefix_length = 32
privileged = true
"""

UNREACHABLE = 65535
"""babeld's metric of what has no way."""
INTERFACE = "interface hop0 type wireless hello-interval 0.5 update-interval 2"


@live
@pytest.mark.skipif(shutil.which("babeld") is None, reason="no babeld (Debian: babeld)")
def test_a_routing_daemon_finds_its_ways_over_five_nodes(scenario: Path, tmp_path: Path) -> None:
    attached = "".join(BABEL.format(node=node) for node in range(5))
    scenario.write_text(CHAIN.replace("hops = 2", "hops = 4") + attached)

    def babeld(node: int) -> str:
        files = f"-I {tmp_path}/{node}.pid -S {tmp_path}/{node}.state -L {tmp_path}/{node}.log"
        return f"babeld {files} -g 33123 -C '{INTERFACE}' hop0"

    # A route to each of the four others, of whichever babeld hears last.
    routes = "test $(ip -4 route show proto babel | grep -c via) -eq 4"
    look = (
        f"{babeld(0)} & until {routes} && ping -c 1 -W 1 node-4; do sleep 0.2; done; "
        "ping -c 3 -i 0.2 node-4; ip -4 route; echo dump | nc -q 1 ::1 33123; kill $!"
    )
    others = [word for node in range(1, 5) for word in ("--with", f"{node}:{babeld(node)}")]
    out = tmp_path / "out"
    done = emulate(scenario, *others, "--out", out, "--at", "0", "--", "sh", "-c", look)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ttl=61" in done.stdout, "three routers between"
    # The kernel's routes, and babeld's own word: all over node 1.
    route = r"^10\.0\.0\.(\d) via 10\.0\.0\.2 dev hop0 proto babel onlink"
    assert re.findall(route, done.stdout, re.MULTILINE) == ["2", "3", "4", "5"], done.stdout
    route = r"prefix 10\.0\.0\.(\d)/32 .* installed yes .* metric (\d+) .* via (\S+) if hop0"
    said = sorted((int(n), int(metric), via) for n, metric, via in re.findall(route, done.stdout))
    assert [n for n, _, _ in said] == [2, 3, 4, 5], done.stdout
    assert {via for _, _, via in said} == {"fe80::ff:fe00:1"}
    # Each metric is of the last word that came. On a busy machine that of a nearer node may be the
    # newer one, and worse.
    assert all(0 < metric < UNREACHABLE for _, metric, _ in said)
    assert main(["replay", str(out), "--out", str(tmp_path / "again")]) == 0
    again = json.loads((tmp_path / "again" / "summary.json").read_text())
    assert again["emulation"]["replay"]["first_difference_s"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing is attached: add --at N -- PROGRAM, or [[attach]] to the scenario"),
        (("--at", "9", "--", "true"), "there is no node 9: there are 3 nodes, numbered 0 to 2"),
        (("--at", "0", "--", ""), "the name of the program is empty"),
        (("--at", "0", "--", "no-such-program"), "no-such-program: no such command"),
        (("--", "true"), "--at N is missing"),
        (("--at", "0"), "no program: write it after --"),
        (("--at", "0", "true"), "'true' is one argument too many; write a program and its words"),
        (("--with", "4", "--at", "0", "--", "true"), "--with 4: write it as N:PROGRAM"),
        (
            ("--with", "0:true", "--at", "0", "--", "true"),
            "node 0 has a program already: true; to run two there, write one that starts both: sh",
        ),
        (("--overwrite", "--at", "0", "--", "true"), "--overwrite needs --out"),
        (("--control", "", "--at", "0", "--", "true"), "'' is not a name"),
    ],
)
def test_what_makes_no_sense(
    words: tuple[str, ...], said: str, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emulate", str(scenario), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"hopwright: {said}")
    assert error.count("\n") == 1


def test_folders_that_cannot_be_replayed(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(tmp_path)]) == 2
    assert "is not the folder of an emulation" in capsys.readouterr().err
    (tmp_path / "scenario.toml").write_text(scenario.read_text())
    (tmp_path / "inputs.pcapng").write_bytes(b"nothing of the kind, though it is long enough")
    assert main(["replay", str(tmp_path), "--out", str(tmp_path / "new")]) == 2
    assert "inputs.pcapng: " in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "is_open"),
    [
        ((), False),
        (("--seed", "1"), False),
        (("--set", "routing.protocol=aodv"), False),
        (("--set", "output={lineage='losses'}"), False),
        (("--seed", "2"), True),
        (("--set", "routing.protocol=olsr"), True),
    ],
)
def test_a_replay_is_an_open_loop_if_it_changes_what_happens(
    words: tuple[str, ...], is_open: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scenario.toml").write_text(CHAIN)
    sent = [recordings.datagram(0.1, 0, 2)]
    recordings.recording(tmp_path / "inputs.pcapng", [0, 2], sent, 1)
    assert main(["replay", str(tmp_path), "--json", *words]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["emulation"]["replay"]["open_loop"] is is_open
    # What had come for a program is not recorded here: that is told, where nothing explains it.
    assert ("or somebody changed scenario.toml or inputs.pcapng" in told.err) is not is_open
