"""Programs in a sandbox: what they reach, what they may do, what is left of them."""

import hashlib
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import worlds
from hopwright.emulation.sandbox.command import Command
from worlds import World

pytestmark = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))

STATUS = ("cat", "/proc/self/status")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with worlds.world(tmp_path) as made:
        yield made


def noise(bytes_: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(bytes_)


def test_a_name_is_pinged(world: World) -> None:
    code, out, err = world.run("one_command", command=["ping", "-c", "3", "-i", "0.2", "far"])
    assert (code, err) == (0, "")
    assert "3 received" in out
    assert "(10.0.0.2)" in out


def test_files_go_both_ways_at_once(world: World) -> None:
    sent = {name: noise(1_000_000, seed) for seed, name in enumerate(["one", "two"])}
    for name, content in sent.items():
        (world.folder / name).write_bytes(content)
    code, _, err = world.run("poured", folder=str(world.folder))
    assert (code, err) == (0, "")
    assert (world.folder / "one-there").read_bytes() == sent["one"]
    assert (world.folder / "two-here").read_bytes() == sent["two"]


def test_a_server_is_fetched_from(world: World) -> None:
    content = noise(1_000_000, 3)
    (world.folder / "page").write_bytes(content)
    fetch = ["curl", "-sf", "-o", str(world.folder / "copy"), "http://far:8000/page"]
    code, _, err = world.run("served", folder=str(world.folder), command=fetch)
    assert (code, err) == (0, "")
    copy = (world.folder / "copy").read_bytes()
    assert hashlib.sha256(copy).digest() == hashlib.sha256(content).digest()


def test_a_command_has_no_privileges(world: World) -> None:
    code, out, _ = world.run("one_command", command=STATUS)
    fields = dict(line.split(":\t", 1) for line in out.splitlines() if ":\t" in line)
    assert code == 0
    assert {fields[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16}
    assert fields["NoNewPrivs"] == "1"
    assert fields["Uid"].split() == [str(os.getuid())] * 4
    assert fields["SigBlk"] == "0" * 16
    change = ["ip", "route", "add", "192.0.2.0/24", "dev", "hw0"]
    code, _, err = world.run("one_command", command=change)
    assert code != 0
    assert "Operation not permitted" in err


def test_a_privileged_command_may_change_its_network_alone(world: World) -> None:
    change = "ip route add 192.0.2.0/24 dev hw0 && ip route; mount -t tmpfs none /mnt; echo $?"
    with world.unchanged():
        code, out, err = world.run("one_command", command=["sh", "-c", change], privileged=True)
    assert code == 0
    assert "192.0.2.0/24 dev hw0" in out
    assert out.splitlines()[-1] != "0", "it may mount"
    assert "mount" in err


def test_others_may_look_into_a_network(world: World) -> None:
    process = world.start("seen")
    assert process.stdout is not None
    thread = process.stdout.readline().strip()
    words = world.enter("nsenter", f"--net=/proc/{thread}/ns/net", "ip", "-o", "addr")
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "hw0    inet 10.0.0.1/24" in shown
    os.kill(worlds.child_of(process), 15)
    assert process.wait(10) == 0
    process.communicate()


def test_exit_codes_are_the_commands(world: World) -> None:
    with world.unchanged():
        assert world.run("one_command", command=["sh", "-c", "exit 7"])[0] == 7
        assert world.run("one_command", command=["sh", "-c", "kill -9 $$"])[0] == 137


def test_a_command_that_is_not_there_is_said_before_anything_is_made(world: World) -> None:
    with world.unchanged():
        said = world.run("one_command", command=["no-such-program"])
    assert said == (2, "", "hopwright: no-such-program: no such command\n")
    (world.folder / "text").write_text("no program")
    code, _, err = world.run("one_command", command=[str(world.folder / "text")])
    assert (code, err.endswith("text: exists, but cannot be executed\n")) == (2, True)


def test_what_a_job_raises_is_one_message(world: World) -> None:
    with world.unchanged():
        assert world.run("wrong") == (2, "", "hopwright: this is wrong\n")


def test_a_signal_to_a_command_that_has_just_been_reaped_is_nothing() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    Command(child.pid).send(signal.SIGTERM)  # nobody has told the command yet
