"""Compares the bytes that a CPU second moves over TUN with smoltcp's, side by side in one run.

    sudo .venv/bin/python validation/bench_tun.py [--quick]

`hopwright host` and a small program around smoltcp (validation/smoltcp) do the same in turns: send
a file to the kernel's TCP in the same namespace, and write to a file what it sends. Counted is the
CPU time of the whole process, its own and the kernel's on its behalf; the start-up of either is
part of it. Needs root and /dev/net/tun.

Exit codes: 0 the target is reached, or nothing can be measured here; 1 it is missed.
"""

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
NAMESPACE = f"hop-bench-{os.getpid()}"
OURS, THEIRS, KERNEL = "10.8.0.2", "10.8.1.2", "10.8.0.1"
PORT = 9000
BLOCK = 1 << 20

LEAST = 1.0
"""Times smoltcp's bytes per CPU second."""


@dataclass(frozen=True)
class Side:
    """Who is measured, and how it is started to send or to receive a file."""

    name: str
    send: list[str]
    receive: list[str]


def main() -> int:
    """Measures, prints, judges."""
    parser = argparse.ArgumentParser(description="Bytes per CPU second over TUN, against smoltcp.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller files")
    options = parser.parse_args()
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        print("skipped: needs root and /dev/net/tun")
        return 0
    rounds, size = (3, 500_000_000) if options.quick else (5, 2_000_000_000)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, namespace():
        return compare(Path(folder), rounds, size)


def compare(folder: Path, rounds: int, size: int) -> int:
    """Both sides in turns, both directions."""
    file = folder / "data"
    with file.open("wb") as out:
        for _ in range(size // BLOCK):
            out.write(os.urandom(BLOCK))
    size = file.stat().st_size
    sides = (ours(file, folder), theirs(file, folder))
    print(f"{rounds} rounds of {size / 1e6:.0f} MB each way; MB per CPU second (user + system)")
    is_reached = True
    for direction in ("send", "receive"):
        speeds: dict[str, list[float]] = {side.name: [] for side in sides}
        for _ in range(rounds):
            for side in sides:
                seconds = send(side, size) if direction == "send" else receive(side, folder, file)
                speeds[side.name].append(size / 1e6 / seconds)
        ratios = [a / b for a, b in zip(*speeds.values(), strict=True)]
        print(f"\n{direction}")
        for name, values in speeds.items():
            print(f"  {name:10} {median(values):8.0f}   ({min(values):.0f} to {max(values):.0f})")
        print(f"  ratio      {median(ratios):8.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")
        is_reached &= median(ratios) >= LEAST
    verdict = "reached" if is_reached else "missed"
    print(f"\nat least {LEAST:g} times smoltcp each way: {verdict}")
    return 0 if is_reached else 1


def ours(file: Path, folder: Path) -> Side:
    """`hopwright host`."""
    hopwright = str(Path(sys.executable).with_name("hopwright"))
    common = [
        hopwright,
        "host",
        "--tun",
        "hw0",
        "--address",
        f"{OURS}/24",
        "--kernel-address",
        KERNEL,
    ]
    common += ["--protocol", "reno"]
    send = [*common, "--serve", str(file), "--port", str(PORT), "--once"]
    receive = [*common, "--connect", f"{KERNEL}:{PORT}", "--receive", str(folder / "got")]
    return Side("hopwright", send, receive)


def theirs(file: Path, folder: Path) -> Side:
    """smoltcp, built for the occasion; its device stays."""
    target = ROOT / "target" / "smoltcp"
    build = ["cargo", "build", "--quiet", "--release", "--locked", "--target-dir", str(target)]
    subprocess.run(build, cwd=ROOT / "validation" / "smoltcp", check=True)
    ip("-n", NAMESPACE, "tuntap", "add", "dev", "s0", "mode", "tun")
    ip("-n", NAMESPACE, "addr", "add", "10.8.1.1/24", "dev", "s0")
    ip("-n", NAMESPACE, "link", "set", "s0", "up")
    command = [str(target / "release" / "smoltcp-host"), "s0", f"{THEIRS}/24", str(PORT)]
    return Side(
        "smoltcp", [*command, "send", str(file)], [*command, "receive", str(folder / "got")]
    )


def send(side: Side, size: int) -> float:
    """CPU seconds of a side that sends the file to the kernel."""
    process = start(side.send)
    with connect(OURS if side.name == "hopwright" else THEIRS) as peer:
        left, block = size, bytearray(BLOCK)
        while left and (n := peer.recv_into(block)):
            left -= n
    assert left == 0, f"{side.name} sent {left} bytes too few"
    return cpu_seconds(process)


def receive(side: Side, folder: Path, file: Path) -> float:
    """CPU seconds of a side that takes the file from the kernel."""
    if side.name == "hopwright":
        with in_namespace(), socket.create_server(("0.0.0.0", PORT)) as server:  # noqa: S104
            process = start(side.receive)
            peer, _ = server.accept()
            feed(peer, file)
    else:
        process = start(side.receive)
        feed(connect(THEIRS), file)
    seconds = cpu_seconds(process)
    got = folder / "got"
    assert got.stat().st_size == file.stat().st_size, f"{side.name} took too few bytes"
    got.unlink()
    return seconds


def feed(peer: socket.socket, file: Path) -> None:
    """Sends the file and closes."""
    with peer, file.open("rb") as data:
        peer.sendfile(data)


def start(command: list[str]) -> "subprocess.Popen[bytes]":
    """Starts a side in the namespace."""
    inside = ["ip", "netns", "exec", NAMESPACE, *command]
    return subprocess.Popen(inside, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def cpu_seconds(process: "subprocess.Popen[bytes]") -> float:
    """Waits for a process to end and says what CPU time it took."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"exit code {process.returncode}"
    return usage.ru_utime + usage.ru_stime


def connect(address: str) -> socket.socket:
    """Connects from inside the namespace, as soon as somebody listens."""
    deadline = time.monotonic() + 30
    while True:
        with in_namespace():
            peer = socket.socket()
        peer.settimeout(120)
        try:
            peer.connect((address, PORT))
        except OSError:
            peer.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return peer


@contextlib.contextmanager
def in_namespace() -> Iterator[None]:
    """This thread is in the namespace meanwhile: sockets belong where they were made."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    with Path(f"/proc/self/task/{threading.get_native_id()}/ns/net").open() as here:
        with Path(f"/run/netns/{NAMESPACE}").open() as there:
            check(libc.setns(there.fileno(), 0))
        try:
            yield
        finally:
            check(libc.setns(here.fileno(), 0))


def check(result: int) -> None:
    """Raises if a system call failed."""
    if result != 0:
        raise OSError("cannot change the namespace")


@contextlib.contextmanager
def namespace() -> Iterator[None]:
    """A network namespace for the time being."""
    ip("netns", "add", NAMESPACE)
    try:
        ip("-n", NAMESPACE, "link", "set", "lo", "up")
        yield
    finally:
        ip("netns", "del", NAMESPACE)


def ip(*words: str) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *words], check=True)


if __name__ == "__main__":
    sys.exit(main())
