"""Unmodified programs at both ends of a shaped link.

Bytes, order and shares are looked at, never microseconds: the machine may be busy.
"""

import hashlib
import json
import random
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import worlds
from hopwright import Control, _core
from hopwright._cli.main import main
from hopwright._io.data import amount, at
from hopwright.emulation.sedlane import capture

TRANSFER = [sys.executable, "-P", "-m", "hopwright.emulation.sedlane.transfer"]

live = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))


@pytest.fixture
def link(tmp_path: Path) -> Path:
    file = tmp_path / "link.toml"
    file.write_text("delay_ms = 20\nrate_kbps = 20000\n")
    return file


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hopwright", "sedlane", "run", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@live
def test_a_ping_takes_the_delay_there_and_back(link: Path) -> None:
    done = run(link, "--", "ping", "-c", "5", "-i", "0.1", "far")
    assert done.returncode == 0, done.stderr
    assert "5 received" in done.stdout
    assert min(map(float, re.findall(r"time=([\d.]+) ms", done.stdout))) >= 40
    assert "to far: 5 packets, 0 lost, 0 dropped" in done.stderr


@live
@pytest.mark.parametrize("offload", [True, False])
def test_a_file_arrives_whole_though_packets_are_lost(
    link: Path, tmp_path: Path, *, offload: bool
) -> None:
    link.write_text("delay_ms = 2\nloss_percent = 2\nrate_kbps = 100000\n")
    content = random.Random(2).randbytes(3_000_000)
    (tmp_path / "sent").write_bytes(content)
    far = f"sh -c 'nc -l -p 9000 > {tmp_path}/received'"
    near = f"until nc -N server 9000 < {tmp_path}/sent; do sleep 0.2; done"
    words = ["--json", "--far", far, *([] if offload else ["--no-offload"])]
    done = run(link, *words, "--", "sh", "-c", near)
    assert done.returncode == 0, done.stderr
    received = (tmp_path / "received").read_bytes()
    assert hashlib.sha256(received).digest() == hashlib.sha256(content).digest()
    there = json.loads(done.stdout)["there"]
    assert there["offered_packets"] > 2000, "each segment of a burst is a packet"
    share = there["lost_packets"] / (there["offered_packets"] - there["dropped_packets"])
    assert 0.01 < share < 0.03  # three standard deviations of 2,100 packets
    arrived = there["arrived_packets"] + there["lost_packets"] + there["dropped_packets"]
    assert there["offered_packets"] - arrived <= 2, "what was on its way in the end"


NUMBERED = """
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(1000):
    s.sendto(n.to_bytes(4, 'big'), ('far', 9))
    if n % 20 == 0: time.sleep(0.005)
time.sleep(0.3)
"""

LISTEN = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('far', 9))
out = open(sys.argv[1], 'w')
while True:
    print(int.from_bytes(s.recv(100), 'big'), file=out, flush=True)
"""


@live
@pytest.mark.parametrize("reorders", [False, True])
def test_order_is_kept_unless_asked_otherwise(
    link: Path, tmp_path: Path, *, reorders: bool
) -> None:
    more = "reorder = true\n" if reorders else ""
    link.write_text(f"delay_ms = 10\njitter_percent = 90\nqueue_packets = 2000\n{more}")
    (tmp_path / "listen.py").write_text(LISTEN)
    (tmp_path / "numbered.py").write_text(f"import time\ntime.sleep(0.5)\n{NUMBERED}")
    far = f"{sys.executable} {tmp_path}/listen.py {tmp_path}/seen"
    done = run(link, "--far", far, "--", sys.executable, tmp_path / "numbered.py")
    assert done.returncode == 0, done.stderr
    seen = [int(line) for line in (tmp_path / "seen").read_text().split()]
    assert len(seen) > 900, "a busy machine may lose some at the sockets"
    assert (seen == sorted(seen)) is not reorders


@live
def test_a_profile_is_followed(link: Path) -> None:
    """Sequential pipes: later pings take as long as the pipe of their time."""
    link.write_text(
        "[profile]\nmode = 'sequential'\n"
        "[[profile.pipes]]\nrtt_ms = 20\nlifetime_s = 1.5\n"
        "[[profile.pipes]]\nrtt_ms = 120\n"
    )
    done = run(link, "--", "ping", "-c", "16", "-i", "0.2", "far")
    times = list(map(float, re.findall(r"time=([\d.]+) ms", done.stdout)))
    assert min(times) >= 20
    assert min(times) < 100, "the first pipe was there"
    assert min(times[-3:]) >= 120


@live
def test_a_timeline_is_followed(link: Path) -> None:
    """What a file says of later times holds from then on."""
    link.write_text(
        "delay_ms = 1\n[[changes]]\nat_s = 1.5\ndelay_ms = 60\n"
        "[[changes]]\nat_s = 3.5\nloss_percent = 100\n"
    )
    done = run(link, "--json", "--", "ping", "-c", "24", "-i", "0.2", "-W", "1", "far")
    times = list(map(float, re.findall(r"time=([\d.]+) ms", done.stdout)))
    assert min(times) < 50, "it was short in the beginning"
    assert min(times[-3:]) >= 120
    assert len(times) < 24, "in the end nothing comes through"
    summary = json.loads(done.stdout[done.stdout.index("\n{") :])
    assert summary["changes"] == 2
    assert summary["there"]["lost_packets"] >= 24 - len(times) - 1


@live
def test_a_link_is_changed_while_it_is_used(link: Path) -> None:
    name = f"test-{random.SystemRandom().random()}"
    words = [sys.executable, "-m", "hopwright", "sedlane", "run", str(link), "--control", name]
    with subprocess.Popen(
        [*words, "--", "ping", "-i", "0.2", "far"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        try:
            next(line for line in lines if "bytes from" in line)
            with Control(name) as network:
                answer = network.say({"do": "reshape", "link": 0, "set": {"delay_ms": 100}})
                assert at(answer, "ok") is True
                slow = (line for line in lines if re.search(r"time=2\d\d", line))
                assert next(slow), "later pings take 200 ms and more"
                with pytest.raises(ValueError, match="loss_percent: must be from 0 to 100"):
                    network.say({"do": "reshape", "link": 0, "set": {"loss_percent": 200}})
                with pytest.raises(ValueError, match="there is no link 1; the only link is 0"):
                    network.say({"do": "reshape", "link": 1, "set": {"loss_percent": 2}})
                with pytest.raises(ValueError, match="here there is one link, without nodes"):
                    network.say({"do": "down", "node": 1})
                status = network.say({"do": "status"})
                assert amount(status, "status", "changes") == 1
                assert amount(status, "status", "there", "offered_packets") > 0
                network.say({"do": "stop"})
            process.wait(timeout=20)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("delay_ms = 'long'\n", ("--", "true"), "link.toml:1:12"),
        ("[[changes]]\nrate_kbps = 5\n", ("--", "true"), "changes.0.at_s: this key is missing"),
        ("delay_ms = 5\n", ("--control", "", "--", "true"), "'' is not a name: write 1 to 64"),
        ("dealy_ms = 5\n", ("--", "true"), "did you mean 'delay_ms'?"),
        ("delay_ms = 5\n", (), "no program: write it after --, such as -- ping far"),
        ("delay_ms = 5\n", ("--", "no-such-program"), "no-such-program: no such command"),
        ("delay_ms = 5\n", ("--far", "'", "--", "true"), "--far ': No closing quotation"),
    ],
)
def test_what_makes_no_sense(
    text: str, words: tuple[str, ...], said: str, link: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link.write_text(text)
    assert main(["sedlane", "run", str(link), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sedlane", "run", str(tmp_path / "none.toml"), "--", "true"]) == 2
    assert "none.toml: does not exist; name the file of a link" in capsys.readouterr().err


@live
def test_captures_have_what_both_ends_saw(link: Path, tmp_path: Path) -> None:
    """Of each packet with data: when it left and when it came, and which never came."""
    link.write_text("[profile]\ndelays = 'forward'\n[[profile.pipes]]\nrtt_ms = 80\n")
    send = [*TRANSFER, "send", "--bytes", "100000", "--congestion", "reno"]
    far = " ".join([*TRANSFER, "receive"])
    words = ["--json", "--no-offload", "--capture", str(tmp_path), "--far", far, "--", *send]
    done = run(link, *words)
    assert done.returncode == 0, done.stderr
    program_said, end = json.JSONDecoder().raw_decode(done.stdout)
    assert (program_said["sent_bytes"], program_said["whole"]) == (100_000, True)
    said = json.loads(done.stdout[end:])
    assert said["capture_missed_packets"] == 0
    near = [*capture.packets(tmp_path / "near.pcap", "10.0.0.1")]
    far_saw = {each.key: each.at_s for each in capture.packets(tmp_path / "far.pcap", "10.0.0.1")}
    assert sum(each.data_bytes for each in near) >= 100_000
    took = [far_saw[each.key] - each.at_s for each in near]
    assert min(took) >= 0.08, "all of the round trip"
    assert 0 < capture.first_s(tmp_path / "near.pcap") - said["began_s"] < 60
    trace = _core.read_connection((tmp_path / "near.pcap").read_bytes())
    rtts = struct.unpack(f"<{len(trace.samples()['rtt_s']) // 8}d", trace.samples()["rtt_s"])
    assert min(rtts) >= 0.08
    again = run(link, *words)
    assert again.returncode == 2
    assert "near.pcap: exists already" in again.stderr


def test_captures_need_a_folder(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sedlane", "run", str(link), "--capture", str(tmp_path / "none"), "--", "true"]
    assert main(words) == 2
    assert "none: must be a folder that can be written" in capsys.readouterr().err


@live
def test_our_own_tcp_ends_in_time_where_interrupts_are_ignored(
    link: Path,
) -> None:
    """As they are for all that a shell starts in the background."""
    link.write_text("delay_ms = 5\nrate_kbps = 1000\n")
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        far = " ".join([*TRANSFER, "receive"])
        send = [*TRANSFER, "engine", "--bytes", "100000000", "--seconds", "3"]
        done = run(link, "--json", "--no-offload", "--privileged", "--far", far, "--", *send)
    finally:
        signal.signal(signal.SIGINT, ignored)
    assert done.returncode == 0, done.stderr
    said, _ = json.JSONDecoder().raw_decode(done.stdout)
    assert 0 < said["sent_bytes"] < 10_000_000
    assert said["seconds"] < 30
