"""Datagrams over a shaped link, by sockets alone: bytes, order, counts, how it ends.

Never microseconds: the machine may be busy.
"""

import json
import random
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hopwright import Control
from hopwright._cli.main import main
from hopwright._io.data import amount, at

PATIENCE_S = 20


@pytest.fixture
def link(tmp_path: Path) -> Path:
    file = tmp_path / "link.toml"
    file.write_text("delay_ms = 5\nrate_kbps = 20000\n")
    return file


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with _socket("127.0.0.1") as server:
        yield server


def _socket(host: str) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((host, 0))
    made.settimeout(PATIENCE_S)
    return made


@contextmanager
def _relay(
    link: Path, to: str, *words: str, host: str = "127.0.0.1"
) -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    """A relay that listens, and where it does."""
    command = [sys.executable, "-m", "hopwright", "sedlane", "relay", str(link)]
    with subprocess.Popen(
        [*command, "--listen", f"{host}:0", "--to", to, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.match(r"hopwright: datagrams to (\S+):(\d+) go to (\S+) over", line)
            assert found, line + process.stderr.read()
            assert found[3] == to.replace("localhost", "127.0.0.1")
            yield process, (found[1].strip("[]"), int(found[2]))
        finally:
            process.kill()


def _name(of: socket.socket) -> str:
    host, port = of.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_datagrams_go_there_and_back_until_a_signal_comes(
    number: int, code: int, link: Path, server: socket.socket
) -> None:
    with (
        _relay(link, f"localhost:{server.getsockname()[1]}", "--json") as (process, near),
        _socket("127.0.0.1") as client,
    ):
        sent = [random.Random(n).randbytes(n * 97) for n in range(15)]
        for each in sent:
            client.sendto(each, near)
            came, source = server.recvfrom(70_000)
            assert came == each
            server.sendto(came[::-1], source)
            assert client.recvfrom(70_000) == (each[::-1], near)
        process.send_signal(number)
        out, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == code, said
    summary = json.loads(out)
    assert summary["there"]["arrived_packets"] == summary["back"]["arrived_packets"] == 15
    assert summary["there"]["offered_bytes"] == sum(map(len, sent)) + 15 * 28
    assert (summary["clients"], summary["refused_packets"]) == (1, 0)
    assert isinstance(summary["valid"], bool)
    assert "to far: 15 datagrams, 0 lost, 0 dropped" in said
    assert "clients: 1" in said
    assert "Traceback" not in said
    assert "no result" not in said


def test_ipv6(link: Path) -> None:
    with (
        _socket("::1") as server,
        _relay(link, _name(server), host="[::1]") as (_, near),
        _socket("::1") as client,
    ):
        client.sendto(b"there", near)
        came, source = server.recvfrom(100)
        server.sendto(b"back", source)
        assert (came, client.recv(100)) == (b"there", b"back")


def test_it_ends_by_itself(link: Path, server: socket.socket) -> None:
    with _relay(link, _name(server), "--for", "1") as (process, _):
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, said
        assert "to far: 0 datagrams, 0 lost, 0 dropped from the queue" in said


def test_the_link_is_changed_while_it_is_used(link: Path, server: socket.socket) -> None:
    name = f"test-{random.SystemRandom().random()}"
    with (
        _relay(link, _name(server), "--control", name) as (process, near),
        Control(name) as network,
        _socket("127.0.0.1") as client,
    ):
        client.sendto(b"first", near)
        assert server.recv(100) == b"first"
        network.say({"do": "reshape", "link": 0, "set": {"loss_percent": 100}})
        client.sendto(b"lost", near)
        while not amount(
            network.say({"do": "status"}), "status", "there", "lost_packets"
        ):  # it is under way
            pass
        network.say({"do": "reshape", "link": 0, "set": {"loss_percent": 0}})
        client.sendto(b"last", near)
        assert server.recv(100) == b"last"
        assert at(network.say({"do": "stop"}), "ok") is True
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
        assert "to far: 3 datagrams, 1 lost" in said


def test_descriptors_that_run_out_end_nothing(link: Path, server: socket.socket) -> None:
    """Clients without a socket are counted; the others go on."""
    with _relay(link, _name(server), "--json") as (process, near):
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (30, 30))
        clients = [_socket("127.0.0.1") for _ in range(40)]
        for client in clients:
            client.sendto(b"x", near)
        for _ in range(10):
            clients[0].sendto(b"again", near)
        while server.recv(100) != b"again":
            pass
        for client in clients:
            client.close()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, said
    summary = json.loads(out)
    assert 0 < summary["clients"] < 30
    assert summary["clients"] + summary["refused_packets"] == 40


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--to", "127.0.0.1:9"), "the following arguments are required: --listen"),
        (("--listen", "5000", "--to", "127.0.0.1:9"), "--listen 5000: write it as HOST:PORT"),
        (("--listen", "::1:5000", "--to", "127.0.0.1:9"), "--listen ::1:5000: write it as"),
        (("--listen", "127.0.0.1:0", "--to", "127.0.0.1:0"), "--to 127.0.0.1:0: 0 is not a port"),
        (
            ("--listen", "127.0.0.1:99999", "--to", "a:9"),
            "--listen 127.0.0.1:99999: 99999 is not a port",
        ),
        (
            ("--listen", "127.0.0.1:0", "--to", "no.such.host.invalid:9"),
            "--to no.such.host.invalid",
        ),
        (("--listen", "192.0.2.1:0", "--to", "127.0.0.1:9"), "--listen 192.0.2.1:0: Cannot assign"),
        (
            ("--listen", "127.0.0.1:0", "--to", "224.0.0.1:9"),
            "--to 224.0.0.1:9: is not the address",
        ),
        (("--listen", "127.0.0.1:0", "--to", "127.0.0.1:9", "--for", "0"), "0 is not between 1"),
    ],
)
def test_what_makes_no_sense(
    words: tuple[str, ...], said: str, link: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sedlane", "relay", str(link), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("hopwright: ")
    assert said in error
    assert error.count("\n") == 1


def test_what_is_taken_or_not_there(
    link: Path, server: socket.socket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--listen", _name(server), "--to", "127.0.0.1:9"]
    assert main(["sedlane", "relay", str(link), *words]) == 2
    said = capsys.readouterr().err
    assert said == f"hopwright: --listen {_name(server)}: Address already in use\n"
    assert main(["sedlane", "relay", str(tmp_path / "none.toml"), *words]) == 2
    assert "none.toml: does not exist; name the file of a link\n" in capsys.readouterr().err
    link.write_text("dealy_ms = 5\n")
    assert main(["sedlane", "relay", str(link), *words]) == 2
    assert "did you mean 'delay_ms'?" in capsys.readouterr().err
