"""`hopwright kernel measure`: the time of this machine's own TCP, beside what its sockets say."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hopwright._cli.arguments import parse
from hopwright._io.errors import InputError
from kernels import LATEST_S, hopwright, needing, run, started, until

measures = needing("measure")

ENDS = r"""
import json, socket, struct, sys, threading, time

def told(end):
    info = end.getsockopt(6, 11, 232)  # TCP_INFO
    acked, received = struct.unpack_from("QQ", info, 120)
    sent, again = struct.unpack_from("QQ", info, 200)
    cookie = struct.unpack("Q", end.getsockopt(socket.SOL_SOCKET, 57, 8))[0]  # SO_COOKIE
    return {"cookie": cookie, "acked": acked, "received": received, "sent": sent, "again": again}

def take(listener):
    end, _ = listener.accept()
    with end:
        while end.recv(1 << 16): pass
        return told(end)

def give(end, count):
    with end:
        for _ in range(count >> 16): end.sendall(bytes(1 << 16))
        while told(end)["acked"] < count: time.sleep(0.01)
        return told(end)
"""

BOTH = (
    ENDS
    + r"""
family = socket.AF_INET6 if ":" in sys.argv[2] else socket.AF_INET
listener = socket.create_server((sys.argv[2], 0), family=family)
of = {}
far = threading.Thread(target=lambda: of.update(take(listener)))
far.start()
near = give(socket.create_connection(listener.getsockname()[:2]), int(sys.argv[1]))
far.join()
print(json.dumps([near, of]), file=open(sys.argv[3], "w"))
"""
)
"""A sender and a receiver over lo; each says what its socket counted."""

FAR = ENDS + "take(socket.create_server(('', 7007)))\n"

NEAR = (
    ENDS
    + r"""
for _ in range(100):
    try: end = socket.create_connection(("far", 7007)); break
    except ConnectionRefusedError: time.sleep(0.05)
print(json.dumps(give(end, 1 << 20)))
"""
)

NETWORK = Path("/proc/self/ns/net").stat().st_ino if sys.platform == "linux" else 0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def both(count: int, file: Path, address: str = "127.0.0.1") -> list[str]:
    return ["--", sys.executable, "-c", BOTH, str(count), address, str(file)]


def busy_s() -> float:
    """How long this machine's processors have worked, all of them."""
    user, nice, system, _idle, _waiting, *others = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return (user + nice + system + sum(others[:3])) * TICK_S


def total(connection: dict[str, dict[str, dict[str, int]]], key: str) -> int:
    return sum(spent[key] for spent in connection["functions"].values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--overwrite"], "--overwrite needs a file"),
        (["--network-of", "0"], "not between"),
        (["--connections", "many"], "whole number"),
        (["--", "no-such-program"], "no such command"),
    ],
)
def test_words_that_make_no_sense(words: list[str], said: str) -> None:
    def do() -> None:
        options = parse(["kernel", "measure", *words])
        options.do(options)

    with pytest.raises(InputError, match=said):
        do()


@measures
def test_what_cannot_be_measured_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "there"
    file.write_text("kept")
    assert f"{file} exists" in run("measure", "--out", str(file), code=2)
    assert file.read_text() == "kept"
    assert "cannot make" in run("measure", "--out", "/none-such/file", code=2)
    none = str(2**22 + 1)
    words = ["--network-of", none, "--out", str(tmp_path / "new")]
    assert f"--network-of {none}: this process does not exist" in run("measure", *words, code=2)
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


@measures
@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_transfer_is_measured_as_its_sockets_count(tmp_path: Path, address: str) -> None:
    file = tmp_path / "ends"
    before, began = busy_s(), time.monotonic()
    found = json.loads(run("measure", "--json", *both(256 << 20, file, address)))
    spent, passed = busy_s() - before, time.monotonic() - began
    assert set(found) == {"empty_ns", "connections", "without_room", "missed_events"}
    assert 0 < found["empty_ns"] < 2000
    ends = json.loads(file.read_text())
    by_cookie = {each["cookie"]: each for each in found["connections"]}
    near, far = (by_cookie[end["cookie"]] for end in ends)
    for end, connection in zip(ends, (near, far), strict=True):
        assert connection["local"] == connection["remote"] == address
        assert connection["family"] == ("ipv6" if ":" in address else "ipv4")
        assert connection["network"] == NETWORK
        assert connection["sent_bytes"] == end["sent"]
        assert connection["retransmitted_bytes"] == end["again"]
        assert connection["received_bytes"] - end["received"] in {0, 1}  # a FIN counts for one
        assert total(connection, "sent_bytes") == end["sent"]
        assert total(connection, "retransmitted_bytes") == end["again"]
        assert total(connection, "time_s") <= passed
    assert near["local_port"] == far["remote_port"]
    # All that the receiver does is the receiver's, and nothing of the sender's is.
    assert [name for name, each in far["functions"].items() if each["events"]] == ["receiver"]
    assert near["functions"]["receiver"]["events"] == 0
    assert near["functions"]["slow_start"]["events"] > 0
    # It cannot have been longer than the processors worked; and no memory is copied faster than 50
    # bytes in a nanosecond.
    in_tcp = total(near, "cpu_ns") + total(far, "cpu_ns")
    below = total(near, "transmit_ns") + total(far, "transmit_ns")
    assert (in_tcp + below) / 1e9 <= spent + 2 * (os.cpu_count() or 1) * TICK_S
    # A busy machine interrupts some: their time is apart.
    took = total(near, "cpu_ns") + total(near, "interrupted_ns")
    assert took > 0.02 * near["sent_bytes"]


@measures
def test_losses_are_repaired_in_recovery(tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.write_text(
        '[profile]\nmode = "sequential"\nrepeat = true\n[[profile.pipes]]\nrtt_ms = 10\n'
        "lifetime_s = 60\nloss_percent = 2\nrate_kbps = 20000\nprobability = 1\n"
    )
    programs = [
        "--far",
        f"{sys.executable} {script(tmp_path, FAR)}",
        "--bound-us",
        "1000000",
        str(link),
    ]
    near = ["--", sys.executable, str(script(tmp_path, NEAR, "near.py"))]
    file = tmp_path / "measured"
    words = ["--out", str(file), "--", sys.executable, "-m", "hopwright", "sedlane", "run"]
    end = json.loads(
        next(
            line
            for line in run("measure", *words, *programs, *near).splitlines()
            if line.startswith("{")
        )
    )
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    (sender,) = (row for row in rows if row["cookie"] == end["cookie"])
    assert (sender["sent_bytes"], sender["retransmitted_bytes"]) == (end["sent"], end["again"])
    assert end["again"] > 0
    recovery = sender["functions"]["recovery"]
    assert recovery["events"] > 0
    assert recovery["retransmitted_bytes"] > 0
    assert recovery["time_s"] > 0
    assert sender["network"] != NETWORK


def script(folder: Path, text: str, name: str = "far.py") -> Path:
    file = folder / name
    file.write_text(text)
    return file


@measures
def test_connections_are_told_of_as_they_close_until_an_interrupt(tmp_path: Path) -> None:
    file = tmp_path / "measured"
    words = ["--out", str(file), "--network-of", str(os.getpid()), "--json"]
    with started("measure", *words) as it:
        assert it.stderr is not None
        assert it.stdout is not None
        assert it.stderr.readline() == "measuring\n"
        transfer = both(1 << 20, tmp_path / "ends")[1:]
        subprocess.run(transfer, check=True)
        cookies = {end["cookie"] for end in json.loads((tmp_path / "ends").read_text())}

        def told() -> set[int]:
            return {json.loads(line)["cookie"] for line in file.read_text().splitlines()}

        until(lambda: cookies <= told())
        it.send_signal(signal.SIGINT)
        assert it.wait(LATEST_S) == 0
        found = json.loads(it.stdout.read())
    assert cookies <= {each["cookie"] for each in found["connections"]}
    assert {each["network"] for each in found["connections"]} == {NETWORK}
    before = file.read_text()
    run("measure", "--out", str(file), "--overwrite", *both(1 << 20, tmp_path / "ends"))
    assert file.read_text() != before


@measures
def test_one_that_measures_ends_with_what_fails_beside_it() -> None:
    began = time.monotonic()
    with pytest.raises(AssertionError), started("measure") as it:
        raise AssertionError
    assert it.returncode == -signal.SIGKILL
    assert time.monotonic() - began < LATEST_S


@measures
def test_who_finds_no_room_is_counted(tmp_path: Path) -> None:
    words = ["--connections", "1", "--json", *both(1 << 20, tmp_path / "ends")]
    done = subprocess.run(hopwright("measure", *words), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["without_room"] > 0
    assert "were not measured, as there was room for 1" in done.stderr


@measures
def test_the_exit_code_is_the_programs() -> None:
    assert run("measure", "--", "sh", "-c", "exit 7", code=7) == "measuring\n"


def loaded() -> set[int]:
    """The kernel's numbers of one of the programs, for each process that measures."""
    words = ["bpftool", "--json", "prog", "list"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return {row["id"] for row in json.loads(done.stdout) if row.get("name") == "hop_arrival"}


@measures
@pytest.mark.skipif(shutil.which("bpftool") is None, reason="needs bpftool")
def test_nothing_is_left_of_one_that_was_killed() -> None:
    before = loaded()
    with started("measure") as it:
        assert it.stderr is not None
        assert it.stderr.readline() == "measuring\n"
        added = loaded() - before  # other tests' among them, which end, too
        it.kill()
    assert added
    until(lambda: not added & loaded())
