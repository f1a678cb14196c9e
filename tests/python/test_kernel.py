"""`hopwright kernel`: algorithms in this machine's kernel, and what is left of them: nothing."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopwright._cli import kernel
from hopwright._cli.arguments import parse
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from kernels import LATEST_S, hopwright, needing, run, until

ROOT = Path(__file__).parents[2]
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

TRANSFER = r"""
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
def take():
    end, _ = listener.accept()
    while end.recv(1 << 16): pass
threading.Thread(target=take, daemon=True).start()
end = socket.create_connection(listener.getsockname())
end.sendall(bytes(1 << 20))
print(end.getsockopt(6, 13, 16).split(b"\0")[0].decode(), flush=True)
sys.stdin.read()
"""
"""Sends a megabyte over lo, says its algorithm (TCP_CONGESTION), and waits."""


loads = needing("list")


def available() -> list[str]:
    return AVAILABLE.read_text().split()


def listed() -> dict[str, dict[str, object]]:
    """The algorithms of ours that can be chosen, by name."""
    rows = json.loads(run("list", "--json"))
    return {row["name"]: row for row in rows if row["selectable"]}


def refused(name: str) -> str | None:
    """Why this machine's kernel shows no connections of an algorithm; None if it does."""
    asked = subprocess.run(
        hopwright("status", name), capture_output=True, text=True, check=False, timeout=60
    )
    # As in `missing`: what the kernel lacks is said with its version.
    assert asked.returncode == 0 or "(Linux " in asked.stderr, asked.stderr
    return asked.stderr.strip() if asked.returncode else None


@contextlib.contextmanager
def loaded(name: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """An owner that runs, and whose algorithm the kernel has."""
    command = hopwright("load", "--name", name, *words)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as owner:
        try:
            until(lambda: name in available() or owner.poll() is not None)
            assert owner.poll() is None, owner.stderr and owner.stderr.read()
            yield owner
        finally:
            owner.kill()


def test_who_has_not_built_it_is_told_how(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel, "PROGRAM", "hopwright-kernel-that-was-not-built")
    monkeypatch.setattr("hopwright._cli.main._leave", lambda _code: None)
    assert main(["kernel", "list"]) == 1
    assert "'make kernel'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["load"], "required"),
        (["load", "sca", "--k", "-1"], "not between"),
        (["load", "sca", "--namespace", "n"], "--namespace needs a program"),
        (["load", "sca", "--", "no-such-program"], "no such command"),
        (["list", "--", "true"], "only 'hopwright kernel load' and 'measure' run a program"),
        (["unload"], "required"),
    ],
)
def test_words_that_make_no_sense(words: list[str], said: str) -> None:
    def do() -> None:
        options = parse(["kernel", *words])
        options.do(options)

    with pytest.raises(InputError, match=said):
        do()


def test_the_page_lists_what_there_is() -> None:
    page = (ROOT / "docs" / "kernel.md").read_text()
    source = (ROOT / "crates" / "kernel" / "src" / "mechanisms.rs").read_text()
    names = re.findall(r'(?:id: |name: |count\(\s*|real\(\s*|word\(\s*)"(\w[\w-]+)"', source)
    assert len(names) > 25
    assert [name for name in names if f"`{name}`" not in page] == []


@loads
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reno"], "no algorithm 'reno'"),
        (["sca", "--set", "q=1"], "no parameter 'q'"),
        (["sca", "--set", "k"], "NAME=VALUE"),
        (["veno", "--set", "veno_beta=-1"], "a number from 0"),
        (["sca", "--name", "cubic"], "name 'cubic': 'hop_'"),
        (["sca", "--name", "hop_a-b"], "name 'hop_a-b': 'hop_'"),
        (["sca", "--name", "hop_much_too_long"], "1 to 11 letters"),
        (["sca", "--namespace", "none-such", "--", "true"], "no network namespace 'none-such'"),
        (["sca", "--record", "/none-such/file"], "cannot make /none-such/file"),
    ],
)
def test_what_cannot_be_loaded_leaves_nothing(words: list[str], said: str) -> None:
    before = available()
    assert said in run("load", *words, code=2)
    assert [name for name in available() if name not in before and name == "hop_sca"] == []


@loads
def test_a_name_that_exists_is_refused() -> None:
    with loaded("hop_t_name", "sca"):
        assert "hop_t_name' already, loaded by process" in run(
            "load", "cwl", "--name", "hop_t_name", code=2
        )
        assert listed()["hop_t_name"]["mechanism"] == "sca"


@loads
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_however_the_owner_ends_nothing_is_left(number: signal.Signals) -> None:
    name = f"hop_t_{int(number)}"
    with loaded(name, "ssca", "--k", "7") as owner:
        row = listed()[name]
        assert row["parameters"] == {"counting": "segments", "k": "7", "ss_k": "7"}
        assert row["owner"] == owner.pid
        owner.send_signal(number)
        assert owner.wait(LATEST_S) == (-number if number == signal.SIGKILL else 0)
        until(lambda: name not in available())
        until(lambda: name not in run("list"))


@loads
def test_an_algorithm_is_unloaded_by_its_name() -> None:
    with loaded("hop_t_un", "veno") as owner:
        assert "hop_t_un is unloaded" in run("unload", "hop_t_un")
        assert "hop_t_un" not in available()
        assert owner.wait(LATEST_S) == 0
    assert "no algorithm 'hop_t_un' of Hopwright" in run("unload", "hop_t_un", code=2)


@loads
@pytest.mark.parametrize(
    "mechanism", ["sca", "ssca", "cwl", "adaptive-cwl", "westwood-plus", "veno", "vegas", "welcome"]
)
def test_a_programs_connections_have_it_by_default(mechanism: str) -> None:
    name = f"hop_d_{mechanism[:9].replace('-', '_')}"
    with loaded(name, mechanism, "--", sys.executable, "-c", TRANSFER) as owner:
        assert owner.stdout is not None
        assert owner.stdin is not None
        assert owner.stdout.readline().strip() == name
        why = refused(name)
        if why is None:
            rows = json.loads(run("status", name, "--json"))
            sender = max(rows, key=lambda row: row["acks"])
            assert sender["local"].startswith("127.0.0.1:")
            assert sender["acks"] > 0
            assert sender["cwnd_segments"] >= 1
            assert set(sender["diagnosed"]) == {"congestion", "channel", "route"}
            assert name in run("status", name)
        assert AVAILABLE.with_name("tcp_congestion_control").read_text().strip() != name
        owner.stdin.close()
        assert owner.wait(LATEST_S) == 0
    assert name not in available()
    if why is not None:
        pytest.skip(why)  # the rest holds


@loads
def test_the_exit_code_is_the_programs() -> None:
    before = available()
    words = hopwright("load", "sca", "--name", "hop_t_code", "--", "sh", "-c", "exit 7")
    assert subprocess.run(words, capture_output=True, check=False).returncode == 7
    assert "hop_t_code" not in set(available()) - set(before)


@loads
def test_a_program_does_not_outlive_its_owner() -> None:
    words = ["--", sys.executable, "-c", TRANSFER]
    with loaded("hop_t_orphan", "cwl", *words) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline().strip() == "hop_t_orphan"
        owner.kill()
        owner.wait(LATEST_S)
        assert owner.stdout.read() == ""  # its end of the pipe is closed
        until(lambda: "hop_t_orphan" not in available())
        until(lambda: "hop_t_orphan" not in run("list"))


@loads
@pytest.mark.parametrize("number", [None, signal.SIGKILL, signal.SIGTERM])
def test_a_namespace_has_its_former_default_back(number: signal.Signals | None) -> None:
    space, name = f"hop-test-{os.getpid()}", f"hop_ns_{int(number or 0)}"
    default = ["ip", "netns", "exec", space, "cat", "/proc/sys/net/ipv4/tcp_congestion_control"]

    def now() -> str:
        return subprocess.run(default, capture_output=True, text=True, check=True).stdout.strip()

    subprocess.run(["ip", "netns", "add", space], check=True)
    try:
        subprocess.run(["ip", "-n", space, "link", "set", "lo", "up"], check=True)
        former = now()
        words = ["--namespace", space, "--", sys.executable, "-c", TRANSFER]
        with loaded(name, "sca", *words) as owner:
            assert owner.stdout is not None
            assert owner.stdin is not None
            assert owner.stdout.readline().strip() == name
            assert now() == name
            if number is None:
                owner.stdin.close()
            else:
                owner.send_signal(number)
            owner.wait(LATEST_S)
            until(lambda: now() == former)
            until(lambda: name not in run("list"))
    finally:
        subprocess.run(["ip", "netns", "del", space], check=True)


@loads
def test_what_happens_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "windows.csv"
    words = ["--record", str(file), "--", sys.executable, "-c", TRANSFER]
    with loaded("hop_t_rec", "sca", *words) as owner:
        assert owner.stdout is not None
        assert owner.stdin is not None
        assert owner.stdout.readline().strip() == "hop_t_rec"
        assert "already" not in run("list")
        owner.stdin.close()
        assert owner.wait(LATEST_S) == 0
    header, *rows = file.read_text().splitlines()
    assert header.split(",")[:2] == ["time_s", "event"]
    assert rows
    assert all(row.split(",")[1] == "ack" for row in rows)
    windows = [float(row.split(",")[5]) for row in rows]
    assert windows[0] >= 10
    assert "cannot make" in run("load", "sca", "--record", str(file), code=2)
    assert file.read_text().splitlines() == [header, *rows]
