"""However a sandbox ends, nothing is left: namespaces, devices, routes, processes, files."""

import contextlib
import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import worlds
from worlds import World

pytestmark = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))

MOMENTS = 10
LATEST_S = 0.8
"""About twice the time to the start of the command where nothing else runs."""

SLEEP = ["sh", "-c", "echo there; exec sleep 100"]
ORPHANS = ["sh", "-c", "setsid sleep 100 & setsid sleep 100 & echo there; exec sleep 100"]


SLOW_CHILD = """
import sys, time
if "hopwright.emulation.sandbox.inside" in sys.orig_argv: time.sleep(1)
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with worlds.world(tmp_path) as made:
        yield made


def test_success_and_failure_leave_nothing(world: World) -> None:
    with world.unchanged():
        for command, code in ((["ping", "-c", "1", "far"], 0), (["false"], 1), (["none-such"], 2)):
            assert world.run("one_command", command=command)[0] == code


def test_what_a_command_left_running_ends_with_it(world: World) -> None:
    with world.unchanged():
        left = ["sh", "-c", "setsid sleep 100 >/dev/null 2>&1 & echo there"]
        assert world.run("one_command", command=left, beside=["sleep", "100"])[:2] == (0, "there\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_parent_ends_all(number: signal.Signals, world: World) -> None:
    with world.unchanged(), world.start("one_command", command=ORPHANS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        os.kill(worlds.child_of(process), number)
        assert process.wait(10) == 128 + number


def test_an_interrupt_of_the_group_reaches_the_command(world: World) -> None:
    care = "trap 'echo cleaned up; exit 5' INT; echo there; sleep 100 & wait"
    command = ["sh", "-c", care]
    with world.unchanged(), world.start("one_command", command=command) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        os.killpg(worlds.child_of(process), signal.SIGINT)
        assert process.stdout.readline() == "cleaned up\n"
        assert process.wait(10) == 5


def test_a_terminals_interrupt_reaches_the_command_once(world: World) -> None:
    """Outside the world: `nsenter` would not survive it."""
    patient = "trap 'echo heard' INT; echo there; sleep 0.6; sleep 0.6; exit 3"
    data = json.dumps({"command": ["sh", "-c", patient]})
    words = ["setsid", "--ctty", sys.executable, str(worlds.SANDBOXED), "one_command", data]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        words, env=world.environment(), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody is there any more
            while text := os.read(ours, 1000):
                said += text
                if text.endswith(b"there\r\n"):
                    os.write(ours, b"\x03")
        os.close(ours)
    assert process.returncode == 3
    assert said.count(b"heard") == 1


def test_a_command_that_does_not_want_to_end_is_killed(world: World) -> None:
    stubborn = ["sh", "-c", "trap '' INT TERM; echo there; sleep 100; sleep 100"]
    with world.unchanged(), world.start("stubborn", command=stubborn) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        os.killpg(worlds.child_of(process), signal.SIGINT)
        assert process.wait(10) == 128 + signal.SIGKILL


def test_killing_the_parent_at_any_moment_ends_all(world: World) -> None:
    moments = random.Random(7)
    with world.unchanged():
        for _ in range(MOMENTS):
            with world.start("one_command", command=ORPHANS, beside=["sleep", "100"]) as process:
                time.sleep(moments.uniform(0, LATEST_S))
                os.kill(worlds.child_of(process), signal.SIGKILL)
                assert process.wait(10) == -signal.SIGKILL


def test_killing_the_parent_before_its_child_has_begun_ends_all(world: World) -> None:
    """The child was told its order, and cannot know yet whose child it was."""
    (world.folder / "sitecustomize.py").write_text(SLOW_CHILD)
    path = f"PYTHONPATH={world.folder}:{world.environment()['PYTHONPATH']}"
    environment = ["env", "PYTHONDONTWRITEBYTECODE=1", path]
    with world.unchanged():
        process = world.start("one_command", through=environment, command=ORPHANS)
        outer = worlds.child_of(process)
        children = Path(f"/proc/{outer}/task/{outer}/children")
        while not (children.read_text() and "inside" in _command_line(children.read_text())):
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(outer, signal.SIGKILL)
        out, _ = process.communicate(timeout=20)
        assert "there" not in out


def test_killing_the_one_in_the_middle_ends_all(world: World) -> None:
    with world.unchanged(), world.start("one_command", command=SLEEP) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        outer = worlds.child_of(process)
        (middle,) = Path(f"/proc/{outer}/task/{outer}/children").read_text().split()
        os.kill(int(middle), signal.SIGKILL)
        assert process.wait(10) == 128 + signal.SIGKILL


def test_two_side_by_side_do_not_meet(world: World) -> None:
    with world.unchanged():
        one = world.start("one_command", command=SLEEP)
        two = world.start("one_command", command=["ping", "-c", "3", "-i", "0.2", "far"])
        out, err = two.communicate(timeout=20)
        assert (two.returncode, err) == (0, "")
        assert "3 received" in out
        assert one.stdout is not None
        assert one.stdout.readline() == "there\n"
        assert one.poll() is None, "the end of the other is none of its business"
        os.kill(worlds.child_of(one), signal.SIGTERM)
        one.communicate(timeout=20)
        assert one.returncode == 128 + signal.SIGTERM


def test_a_world_shows_what_is_left(world: World) -> None:
    """The comparison of these tests sees each kind of rest."""
    before = world.look()
    changes = {
        "links": ["ip", "tuntap", "add", "left", "mode", "tun"],
        "rules": ["ip", "rule", "add", "from", "192.0.2.1", "table", "7"],
        "routes": ["ip", "route", "add", "192.0.2.0/24", "dev", "lo", "table", "7"],
        "netns": ["ip", "netns", "add", "left"],
        "files": ["touch", str(world.folder / "left")],
    }
    prepared = [["mount", "-t", "tmpfs", "none", "/mnt"], ["ip", "link", "set", "lo", "up"]]
    for words in [*prepared, *changes.values()]:
        subprocess.run(world.enter(*words), check=True)
    after = world.look()
    assert {key for key in before if before[key] != after[key]} >= {*changes, "mounts"}


def _command_line(pid: str) -> str:
    return Path(f"/proc/{pid.strip()}/cmdline").read_text()
