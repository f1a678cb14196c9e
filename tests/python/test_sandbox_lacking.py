"""A sandbox for users without privileges, and what is said where there can be none."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import worlds
from test_sandbox import STATUS
from worlds import World

pytestmark = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))

USER = 1000
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups")

NO_NAMESPACES = (
    "unshare",
    "-U",
    "-r",
    "sh",
    "-c",
    'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"',
    "-",
)
"""In a user namespace that allows no other: root there is nobody outside."""

MAKE = """\
mount -t tmpfs -o dev none /mnt && mknod -m 666 /mnt/tun c 10 200 &&
mount --bind /mnt/tun /dev/net/tun && exec "$@"
"""
OPEN = ("sh", "-c", MAKE, "-")
"""Everybody may open the TUN device: in the mounts of this world alone."""

CLOSED = ("sh", "-c", MAKE.replace("-m 666", "-m 600"), "-")
MISSING = ("sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "-")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with worlds.world(tmp_path) as made:
        for made.python in (sys.executable, "/usr/bin/python3"):  # ours may lie in root's home
            words = (*AS_USER, "sh", "-c", f"exec {made.python} -c 'import hopwright'")
            done = subprocess.run(words, env=made.environment(), capture_output=True, check=False)
            if done.returncode == 0:
                break
        else:
            pytest.skip(f"another user cannot run this interpreter: {done.stderr.decode()}")
        yield made


def test_a_user_needs_no_privilege(world: World) -> None:
    code, out, err = world.run(
        "one_command", (*OPEN, *AS_USER), command=["ping", "-c", "2", "-i", "0.2", "far"]
    )
    assert (code, err) == (0, "")
    assert "2 received" in out
    # The world's mounts have changed by what opened the device; what follows changes nothing.
    with world.unchanged():
        code, out, _ = world.run("one_command", AS_USER, command=["sh", "-c", "id -u; id -g"])
        assert (code, out.split()) == (0, [str(USER)] * 2)
        code, out, _ = world.run("one_command", AS_USER, command=STATUS)
        fields = dict(line.split(":\t", 1) for line in out.splitlines() if ":\t" in line)
        assert {fields[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16}
        change = ["ip", "route", "add", "192.0.2.0/24", "dev", "hw0"]
        assert "Operation not permitted" in world.run("one_command", AS_USER, command=change)[2]
        assert world.run("one_command", AS_USER, command=change, privileged=True)[0] == 0


def test_a_users_files_are_his(world: World) -> None:
    mine = ("sh", "-c", f'mkdir /mnt/mine && chown {USER} /mnt/mine && exec "$@"', "-")
    command = ["sh", "-c", "echo text > /mnt/mine/file && cat /mnt/mine/file"]
    code, out, _ = world.run("one_command", (*OPEN, *mine, *AS_USER), command=command)
    assert (code, out) == (0, "text\n")
    words = world.enter("stat", "-c", "%u", "/mnt/mine/file")
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"%d\n" % USER


def test_a_device_that_is_closed_is_said(world: World) -> None:
    code, out, err = world.run("one_command", (*CLOSED, *AS_USER), command=["true"])
    lack = "this user may not read and write /dev/net/tun (as root: chmod 666 /dev/net/tun)"
    said = f"hopwright: cannot make a network for programs here: {lack}\n"
    assert (code, out, err) == (1, "", said)


def test_a_device_that_is_missing_is_said(world: World) -> None:
    code, out, err = world.run("one_command", MISSING, command=["true"])
    lack = "there is no /dev/net/tun (as root: modprobe tun)"
    said = f"hopwright: cannot make a network for programs here: {lack}\n"
    assert (code, out, err) == (1, "", said)


def test_namespaces_that_are_switched_off_are_said(world: World) -> None:
    through = (*OPEN, *AS_USER, *NO_NAMESPACES, "setpriv", "--bounding-set=-all")
    code, out, err = world.run("one_command", through, command=["true"])
    assert (code, out) == (1, "")
    assert (
        "user namespaces are switched off (as root: sysctl user.max_user_namespaces=10000)" in err
    )
    assert "/dev/net/tun" not in err


def test_all_that_is_missing_is_said_at_once(world: World) -> None:
    through = (*CLOSED, *AS_USER, *NO_NAMESPACES, "setpriv", "--bounding-set=-all")
    code, out, err = world.run("one_command", through, command=["true"])
    assert (code, out) == (1, "")
    assert "may not read and write /dev/net/tun" in err
    assert "; and user namespaces are switched off" in err


def test_root_does_without_user_namespaces(world: World) -> None:
    """Root in a namespace that allows no other is a root to whom those are forbidden."""
    through = (*OPEN, *NO_NAMESPACES)
    code, out, err = world.run("one_command", through, command=STATUS)
    assert (code, err) == (0, "")
    fields = dict(line.split(":\t", 1) for line in out.splitlines() if ":\t" in line)
    assert {fields[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16}
