"""This project's TCP against the kernel's, over a wire that loses, reorders and duplicates."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hopwright import _core
from interop import network as net

MISSING = net.missing()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

MEGABYTES_10 = 10_000_000

WIRES = {
    "clean": [],
    "loss 1 %": ["--loss", "1", "--delay-ms", "2"],
    "loss 5 %": ["--loss", "5", "--delay-ms", "1"],
    "reordering": ["--reorder", "5"],
    "duplication": ["--duplicate", "5"],
    "everything": ["--loss", "1", "--reorder", "2", "--duplicate", "2"],
}

FETCH = """
import hashlib, socket, sys
digest = hashlib.sha256()
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as peer:
    while block := peer.recv(65536):
        digest.update(block)
print(digest.hexdigest())
"""
"""Fetches everything from ADDRESS PORT, prints its checksum."""

SINK = """
import hashlib, socket, sys
with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    print("listening", flush=True)
    peer, _ = server.accept()
    digest = hashlib.sha256()
    with peer:
        while block := peer.recv(65536):
            digest.update(block)
    print(digest.hexdigest())
"""
"""Takes everything one client sends to ADDRESS PORT, prints its checksum."""


def make_file(folder: Path, size: int = MEGABYTES_10) -> tuple[Path, str]:
    """A file of random bytes, and its checksum."""
    file = folder / "data"
    content = random.Random(size).randbytes(size)
    file.write_bytes(content)
    return file, hashlib.sha256(content).hexdigest()


def checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def output(command: list[str], timeout: float = 120) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def finish(process: "subprocess.Popen[bytes]", timeout: float = 120) -> tuple[int, str, str]:
    out, errors = process.communicate(timeout=timeout)
    return process.returncode, out.decode(), errors.decode()


def await_line(process: "subprocess.Popen[bytes]", line: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().decode().strip() == line


@pytest.fixture(params=list(WIRES))
def wire(request: pytest.FixtureRequest) -> Iterator[net.Network]:
    with net.network([*WIRES[request.param], "--seed", "7"]) as built:
        yield built


@pytest.fixture
def clean() -> Iterator[net.Network]:
    with net.network() as built:
        yield built


def test_serves_a_file_to_the_kernel(wire: net.Network, tmp_path: Path) -> None:
    file, expected = make_file(tmp_path)
    wire.start_host("--protocol", "newreno", "--serve", file, "--port", str(net.PORT))
    fetched = output(wire.in_kernel(sys.executable, "-c", FETCH, net.HOST, str(net.PORT)))
    assert fetched == expected


def test_sends_a_file_to_the_kernel(wire: net.Network, tmp_path: Path) -> None:
    file, expected = make_file(tmp_path)
    sink = wire.start_kernel(sys.executable, "-c", SINK, net.KERNEL, str(net.PORT))
    await_line(sink, "listening")
    host = wire.start_host(
        "--protocol", "newreno", "--connect", f"{net.KERNEL}:{net.PORT}", "--send", file
    )
    assert finish(host)[0] == 0
    assert finish(sink)[1].strip() == expected


def test_fetches_from_pythons_web_server(wire: net.Network, tmp_path: Path) -> None:
    _, expected = make_file(tmp_path)
    web = wire.start_kernel(
        sys.executable,
        "-u",
        "-m",
        "http.server",
        "--bind",
        net.KERNEL,
        "--directory",
        tmp_path,
        "8000",
    )
    assert web.stdout is not None
    assert b"Serving HTTP" in web.stdout.readline()
    request, response = tmp_path / "request", tmp_path / "response"
    request.write_bytes(b"GET /data HTTP/1.0\r\n\r\n")
    host = wire.start_host(
        *("--protocol", "newreno", "--connect", f"{net.KERNEL}:8000"),
        *("--send", request, "--receive", response),
    )
    code, _, errors = finish(host)
    assert code == 0, errors
    head, _, body = response.read_bytes().partition(b"\r\n\r\n")
    assert b"200 OK" in head.splitlines()[0]
    assert hashlib.sha256(body).hexdigest() == expected


PROTOCOLS = [row["id"] for row in json.loads(_core.protocols_json()) if row["slots"]]
COMPOSED = [
    *((protocol, ()) for protocol in PROTOCOLS),
    *((protocol, ("acking=every",)) for protocol in ("tahoe", "reno", "newreno", "sack")),
    ("newreno", ("timeout=frto",)),
    ("sack", ("timeout=frto", "duplicate_sacks=true")),
    ("sack", ("timeout=eifel",)),
    ("newreno", ("place=receiver", "acking=every")),
]
"""Every protocol, and what the kernel must get along with beside their own mechanisms."""


@pytest.mark.parametrize(("protocol", "settings"), COMPOSED)
def test_every_protocol_serves(protocol: str, settings: Sequence[str], tmp_path: Path) -> None:
    file, expected = make_file(tmp_path, 400_000)
    with net.network(["--loss", "2", "--seed", "3"]) as wire:
        wire.start_host(
            *("--protocol", protocol),
            *(word for setting in settings for word in ("--set", setting)),
            *("--serve", file, "--port", str(net.PORT)),
        )
        fetch = wire.in_kernel(sys.executable, "-c", FETCH, net.HOST, str(net.PORT))
        assert output(fetch) == expected


def test_it_changes_its_mechanisms_under_way(tmp_path: Path) -> None:
    """The kernel skips the option that names a receiver's mechanism: it knows nothing of it."""
    file, expected = make_file(tmp_path, 4_000_000)
    triggers = tmp_path / "triggers.toml"
    triggers.write_text("""
trigger_hold_s = 0.1
loss_window_segments = 100
[[triggers]]
when = [{ monitor = "loss", above = 1, until = 0.5 }]
set = { avoidance = "vegas", diagnosis = "blame-channel", response = "spare", acking = "every" }
back = true
[[triggers]]
when = [{ monitor = "delay", above = 0 }]
set = { timeout = "eifel" }
""")
    with net.network(["--loss", "2", "--seed", "3", "--delay-ms", "1"]) as wire:
        host = wire.start_host(
            *("--protocol", "sack", "--triggers", triggers, "--once", "--json"),
            *("--serve", file, "--port", str(net.PORT)),
        )
        fetch = wire.in_kernel(sys.executable, "-c", FETCH, net.HOST, str(net.PORT))
        assert output(fetch) == expected
        code, summary, errors = finish(host, timeout=60)
        assert code == 0, errors
        assert json.loads(summary)["changes"] >= 2


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_fetches(clean: net.Network, tmp_path: Path) -> None:
    body, _ = make_file(tmp_path)
    answer = tmp_path / "answer"
    length = body.stat().st_size
    head = f"HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()
    answer.write_bytes(head + body.read_bytes())
    clean.start_host("--protocol", "newreno", "--serve", answer, "--port", "80")
    fetched = tmp_path / "fetched"
    url = f"http://{net.HOST}/data"
    output(clean.in_kernel("curl", "--silent", "--show-error", "--fail", "--output", fetched, url))
    assert checksum(fetched) == checksum(body)


@pytest.mark.skipif(shutil.which("nc") is None, reason="nc is not installed")
def test_netcat_both_ways(clean: net.Network, tmp_path: Path) -> None:
    file, expected = make_file(tmp_path)
    served = clean.start_host("--protocol", "newreno", "--serve", file, "--port", str(net.PORT))
    fetched = tmp_path / "fetched"
    with fetched.open("wb") as out:
        fetch = clean.in_kernel("nc", "-d", net.HOST, str(net.PORT))
        subprocess.run(fetch, stdout=out, stdin=subprocess.DEVNULL, timeout=60, check=True)
    assert checksum(fetched) == expected
    net.end(served)

    taken = tmp_path / "taken"
    with taken.open("wb") as out:
        listen = clean.in_kernel("nc", "-l", net.KERNEL, "9001")
        listener = subprocess.Popen(listen, stdout=out, stdin=subprocess.DEVNULL)
    time.sleep(0.5)
    host = clean.start_host(
        "--protocol", "newreno", "--connect", f"{net.KERNEL}:9001", "--send", file
    )
    assert finish(host)[0] == 0
    assert listener.wait(timeout=60) == 0
    assert checksum(taken) == expected


STORM = """
import socket, sys
from concurrent.futures import ThreadPoolExecutor
def fetch(_):
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as peer:
        data = b""
        while block := peer.recv(65536):
            data += block
        return data
with ThreadPoolExecutor(32) as pool:
    print(len(set(pool.map(fetch, range(1000)))))
"""


def test_a_thousand_short_connections(clean: net.Network, tmp_path: Path) -> None:
    file, _ = make_file(tmp_path, 3_000)
    host = clean.start_host(
        "--protocol", "newreno", "--serve", file, "--port", str(net.PORT), "--json"
    )
    storm = clean.in_kernel(sys.executable, "-c", STORM, net.HOST, str(net.PORT))
    assert output(storm) == "1"  # all the same, and nothing else
    host.send_signal(2)
    _, out, errors = finish(host)
    assert json.loads(out)["connections"] == 1000, errors


def test_a_peer_that_dies_ends_a_transfer(clean: net.Network, tmp_path: Path) -> None:
    sink = clean.start_kernel(sys.executable, "-c", SINK, net.KERNEL, str(net.PORT))
    await_line(sink, "listening")
    file, _ = make_file(tmp_path, 200_000_000)
    host = clean.start_host(
        *("--protocol", "newreno", "--connect", f"{net.KERNEL}:{net.PORT}"),
        *("--send", file, "--set", "user_timeout_s=2"),
    )
    time.sleep(0.3)
    clean.set_loss(100)
    code, _, errors = finish(host, timeout=30)
    assert code == 1
    assert "does not answer" in errors


def test_a_client_that_dies_does_not_harm_the_next(clean: net.Network, tmp_path: Path) -> None:
    file, expected = make_file(tmp_path)
    clean.start_host(
        *("--protocol", "newreno", "--set", "user_timeout_s=1"),
        *("--serve", file, "--port", str(net.PORT)),
    )
    fetch = clean.in_kernel(sys.executable, "-c", FETCH, net.HOST, str(net.PORT))
    with subprocess.Popen(fetch, stdout=subprocess.DEVNULL) as victim:
        time.sleep(0.2)
        clean.set_loss(100)
        victim.kill()
    time.sleep(2.5)
    clean.set_loss(0)
    assert output(fetch) == expected


SLOW = """
import hashlib, socket, sys, time
digest, peer = hashlib.sha256(), socket.socket()
peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
peer.settimeout(60)
peer.connect((sys.argv[1], int(sys.argv[2])))
time.sleep(1)
while block := peer.recv(512):
    digest.update(block)
print(digest.hexdigest())
"""


def test_a_peer_with_a_tiny_window(clean: net.Network, tmp_path: Path) -> None:
    file, expected = make_file(tmp_path, 300_000)
    clean.start_host("--protocol", "newreno", "--serve", file, "--port", str(net.PORT))
    slow = clean.in_kernel(sys.executable, "-c", SLOW, net.HOST, str(net.PORT))
    assert output(slow, timeout=110) == expected


def test_a_refused_connection_says_so(clean: net.Network, tmp_path: Path) -> None:
    host = clean.start_host(
        *("--protocol", "newreno", "--connect", f"{net.KERNEL}:1"),
        *("--receive", tmp_path / "never"),
    )
    code, _, errors = finish(host, timeout=20)
    assert code == 1
    assert "refused" in errors
    assert not list(tmp_path.iterdir())


def test_ctrl_c_leaves_nothing_behind(clean: net.Network, tmp_path: Path) -> None:
    file, _ = make_file(tmp_path, 1000)
    host = clean.start_host("--protocol", "newreno", "--serve", file, "--port", str(net.PORT))
    host.send_signal(2)
    code, _, errors = finish(host, timeout=10)
    assert code in (0, 130), errors
    assert "Traceback" not in errors
    shown = subprocess.run(
        ["ip", "-n", clean.host, "link", "show", "hw0"], capture_output=True, check=False
    )
    assert shown.returncode != 0


@pytest.mark.skipif(shutil.which("ping") is None, reason="ping is not installed")
def test_ping(clean: net.Network, tmp_path: Path) -> None:
    file, _ = make_file(tmp_path, 10)
    clean.start_host("--protocol", "newreno", "--serve", file, "--port", str(net.PORT))
    output(clean.in_kernel("ping", "-c", "2", "-W", "2", net.HOST))


def test_nobody_listens_there(clean: net.Network, tmp_path: Path) -> None:
    file, _ = make_file(tmp_path, 10)
    clean.start_host("--protocol", "newreno", "--serve", file, "--port", str(net.PORT))
    probe = (
        "import socket, sys\n"
        "try: socket.create_connection((sys.argv[1], 1), timeout=10)\n"
        "except ConnectionRefusedError: print('refused')"
    )
    assert output(clean.in_kernel(sys.executable, "-c", probe, net.HOST)) == "refused"


def test_needs_root_and_says_so() -> None:
    command = [*net.HOPWRIGHT, "host", "--tun", "hw0", "--address", "10.9.0.2/24"]
    command += ["--protocol", "newreno", "--serve", "/etc/passwd", "--port", "9000"]
    drop = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all", "--"]
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    done = subprocess.run([*drop, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "that needs root, or the capability CAP_NET_ADMIN" in done.stderr or (
        "this user may not open /dev/net/tun; root may" in done.stderr
    )


def threads_of(process: "subprocess.Popen[bytes]") -> list[dict[str, list[str]]]:
    """What `/proc` says of each thread of the host that `ip netns exec` has become."""
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    lines = [(task / "status").read_text().splitlines() for task in tasks]
    return [
        {key: rest.split() for key, _, rest in (t.partition(":") for t in task)} for task in lines
    ]


def await_privileges_gone(process: "subprocess.Popen[bytes]") -> None:
    """Until the threads are those that serve: the last thing before is that privileges go."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        threads = threads_of(process)
        if len(threads) > 1 and all(thread["NoNewPrivs"] == ["1"] for thread in threads):
            return
        time.sleep(0.02)
    raise AssertionError(threads)


@pytest.mark.parametrize("user", [None, "nobody"])
def test_no_thread_keeps_a_privilege_and_the_device_goes_all_the_same(
    clean: net.Network, tmp_path: Path, user: str | None
) -> None:
    file, expected = make_file(tmp_path)
    file.chmod(0o600)  # opened while it may be
    become = [] if user is None else ["--user", user]
    host = clean.start_host("--serve", file, "--port", str(net.PORT), *become)
    await_privileges_gone(host)
    for thread in threads_of(host):
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert int(thread[kind][0], 16) == 0, kind
        assert (thread["Uid"] == ["0"] * 4) == (user is None)
        if user is not None:
            assert set(thread["Uid"]) == set(thread["Gid"]) == {"65534"}
            assert "0" not in thread["Groups"]
    fetch = clean.in_kernel(sys.executable, "-c", FETCH, net.HOST, str(net.PORT))
    assert output(fetch) == expected
    host.send_signal(signal.SIGHUP)
    code, _, errors = finish(host, timeout=10)
    assert code == 128 + signal.SIGHUP, errors
    for words in (["link", "show", "hw0"], ["route", "show", "dev", "hw0"]):
        gone = subprocess.run(["ip", "-n", clean.host, *words], capture_output=True, check=False)
        assert gone.returncode != 0 or gone.stdout == b""


GREET = """
import socket, sys
with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    print("listening", flush=True)
    peer, _ = server.accept()
    with peer:
        peer.sendall(b"received")
"""
"""Sends a word to one client of ADDRESS PORT."""


def test_received_as_root_it_follows_no_planted_link(clean: net.Network, tmp_path: Path) -> None:
    folder, victim = tmp_path / "open", tmp_path / "victim"
    folder.mkdir()
    folder.chmod(0o777)
    victim.write_text("years of work")
    for number in range(40_000):  # more than the next processes
        (folder / f".got.partial-{number}").symlink_to(victim)
    (folder / "link").symlink_to(tmp_path / "new")
    greeter = clean.start_kernel(sys.executable, "-c", GREET, net.KERNEL, str(net.PORT))
    await_line(greeter, "listening")
    connect = ("--connect", f"{net.KERNEL}:{net.PORT}")
    code, _, errors = finish(clean.start_host(*connect, "--receive", folder / "link"))
    assert (code, "a symbolic link that others may have made" in errors) == (2, True), errors
    code, _, errors = finish(clean.start_host(*connect, "--receive", folder / "got"))
    assert code == 0, errors
    assert (folder / "got").read_text() == "received"
    assert victim.read_text() == "years of work"
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing")
def test_what_was_received_is_on_the_disk_before_it_has_its_name(
    clean: net.Network, tmp_path: Path
) -> None:
    greeter = clean.start_kernel(sys.executable, "-c", GREET, net.KERNEL, str(net.PORT))
    await_line(greeter, "listening")
    calls = tmp_path / "calls"
    traced = ("strace", "--follow-forks", "--trace=fsync,/^rename", "-y", f"--output={calls}")
    words = ("--connect", f"{net.KERNEL}:{net.PORT}", "--receive", tmp_path / "got")
    code, _, errors = finish(clean.start_host(*words, through=traced))
    assert code == 0, errors
    made = [line.split(maxsplit=1)[1] for line in calls.read_text().splitlines()]
    made = [call for call in made if str(tmp_path) in call and call.endswith("= 0")]
    assert [call.split("(")[0] for call in made] == ["fsync", "renameat", "fsync"], made
    assert ".partial" in made[0]
    assert f"<{tmp_path}>" in made[2]


def test_root_says_so_if_it_may_not_write_in_a_folder_any_more(
    clean: net.Network, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    for place in (tmp_path, *tmp_path.parents):
        if place == Path(tempfile.gettempdir()):
            break
        place.chmod(0o755)  # pytest's folders are their user's alone
    greeter = clean.start_kernel(sys.executable, "-c", GREET, net.KERNEL, str(net.PORT))
    await_line(greeter, "listening")
    words = ("--connect", f"{net.KERNEL}:{net.PORT}", "--receive", folder / "got")
    code, _, errors = finish(clean.start_host(*words))
    assert (code, "its folder belongs to the user 65534" in errors) == (2, True), errors
    code, _, errors = finish(clean.start_host(*words, "--user", "nobody"))
    assert code == 0, errors
    assert (folder / "got").stat().st_uid == 65534


FETCH_LATE = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as peer:
    peer.recv(1, socket.MSG_PEEK)
    print("begun", flush=True)
    sys.stdin.readline()
    try:
        while peer.recv(65536):
            pass
        print("end")
    except ConnectionResetError:
        print("reset")
"""


def test_a_file_that_is_truncated_under_way_is_an_error(clean: net.Network, tmp_path: Path) -> None:
    file, _ = make_file(tmp_path, 30_000_000)
    host = clean.start_host("--serve", file, "--port", str(net.PORT), "--json")
    fetch = clean.in_kernel(sys.executable, "-c", FETCH_LATE, net.HOST, str(net.PORT))
    with subprocess.Popen(fetch, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        await_line(client, "begun")
        os.truncate(file, 20_000_000)
        assert client.communicate(b"\n", timeout=60)[0].strip() == b"reset"
    host.send_signal(signal.SIGTERM)
    code, out, errors = finish(host, timeout=10)
    assert code == 1
    assert json.loads(out)["changed_connections"] == 1
    assert "1 failed (1 got a file that changed during the transfer)" in errors
    assert errors.rstrip().endswith("data: it changed while it was sent")
    assert "Traceback" not in errors
