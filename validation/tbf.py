"""Compares a shaped link with the kernel's token bucket (tc tbf), side by side.

    sudo .venv/bin/python validation/tbf.py

Datagrams at a steady rate, more than the link carries, go over a pair of virtual interfaces whose
sending side has `tbf`, and over a shaped link of the same rate and the same room. tbf counts the
Ethernet header, and what waits for tokens is in its queue: the shaped link has the rate less these
headers, and room for one packet less. The bucket holds four packets, for with one tbf loses the
tokens of the time by which it wakes late; the three that it lets go at once are not counted.
Compared are how many datagrams arrive, and the rate at which they do. Needs root, `ip` and `tc`;
skips without.

Exit codes: 0 both agree within 1 %, or nothing can be measured here; 1 they do not.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Object, number

MOST = 0.01
"""How far the two may be apart."""
SPACE = f"hop-tbf-{os.getpid()}"
OURS, THEIRS, PORT = "10.77.0.1", "10.77.0.2", 9000
ETHERNET, IP_UDP = 14, 28
SECONDS = 5
BUCKET = 4
SO_TIMESTAMPNS = 35  # Linux; the socket module has no name for it


@dataclass(frozen=True)
class Setting:
    """A link and what is offered to it."""

    kbps: int
    payload: int
    room: int
    """Packets."""
    offered: float
    """Times the rate."""

    @property
    def frame(self) -> int:
        """Bytes of a packet as tbf counts them."""
        return self.payload + IP_UDP + ETHERNET

    @property
    def packets(self) -> int:
        """How many are sent."""
        return int(SECONDS * self.kbps * 125 * self.offered / self.frame)


SETTINGS = (
    Setting(500, 1000, 20, 1.5),
    Setting(1000, 1400, 50, 1.2),
    Setting(2000, 500, 30, 2.0),
    Setting(8000, 1400, 100, 1.1),
)


def main() -> int:
    """Measures, prints, judges."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--receive", action="store_true", help=argparse.SUPPRESS)
    if parser.parse_args().receive:
        receive()
        return 0
    if os.geteuid() != 0 or not shutil.which("tc") or not shutil.which("ip"):
        print("skipped: needs root, ip and tc")
        return 0
    print("kb/s  payload  room  sent | arrived: tbf  ours  off % | kb/s: tbf    ours  off %")
    worst = 0.0
    for setting in SETTINGS:
        theirs, ours = measured(setting), simulated(setting)
        off = [one / other - 1 for one, other in zip(ours, theirs, strict=True)]
        worst = max(worst, *map(abs, off))
        print(
            f"{setting.kbps:4}  {setting.payload:7}  {setting.room:4}  {setting.packets:4} |"
            f" {theirs[0]:12.0f} {ours[0]:5.0f} {100 * off[0]:+6.2f} |"
            f" {theirs[1] / 1e3:9.1f} {ours[1] / 1e3:7.1f} {100 * off[1]:+6.2f}"
        )
    print(f"at most {100 * worst:.2f} % apart; {100 * MOST:.0f} % are allowed")
    return int(worst > MOST)


def simulated(setting: Setting) -> tuple[float, float]:
    """Datagrams that arrive over a shaped link, and bits per second while it is overloaded."""
    interval = SECONDS / setting.packets
    scenario = f"""
        duration_s = {{duration_s}}
        warm_up_s = {{warm_up_s}}
        topology.kind = "links"
        [[links]]
        from = 0
        to = 1
        rate_kbps = {setting.kbps * (setting.frame - ETHERNET) / setting.frame}
        queue_packets = {setting.room - 1}
        [output]
        series = []
        [[flows]]
        from = 0
        to = 1
        app = "cbr"
        rate_kbps = {setting.payload * 8 / interval / 1e3}
        payload_bytes = {setting.payload}
        stop_s = {SECONDS - interval / 2}
    """
    whole = result(scenario.format(duration_s=SECONDS + 5, warm_up_s=0))
    assert abs(number_of(whole, "flows", 0, "segments_sent") - setting.packets) <= 1, whole
    busy = result(scenario.format(duration_s=SECONDS, warm_up_s=1))
    return number_of(whole, "links", 0, "packets"), number_of(busy, "links", 0, "carried_bps")


def number_of(result: Object, *path: str | int) -> float:
    """A number that is there."""
    found = number(result, *path)
    assert found is not None, path
    return found


def result(text: str) -> Object:
    """What a run of a scenario says."""
    run = _core.run(_core.parse(text, "tbf", []), [1], 1, _core.Progress())[0]
    found: Object = json.loads(run.summary_json())
    return found


def measured(setting: Setting) -> tuple[float, float]:
    """The same over tbf, without what the full bucket lets go at the start."""
    with interfaces(setting):
        receiver = subprocess.Popen(
            ["ip", "netns", "exec", SPACE, sys.executable, __file__, "--receive"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            # Nobody waits for room in the socket: what finds the queue full is dropped.
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
            start = time.perf_counter_ns()
            for number in range(setting.packets):
                due = start + number * SECONDS * 1_000_000_000 // setting.packets
                while time.perf_counter_ns() < due:
                    pass
                # A full queue is told to the sender on some kernels: that is a drop.
                with contextlib.suppress(OSError):
                    sender.sendto(bytes(setting.payload), (THEIRS, PORT))
        out, _ = receiver.communicate(timeout=30)
    arrived, seconds = int(out.split()[0]), float(out.split()[1])
    return arrived, (arrived - 1) * (setting.payload + IP_UDP) * 8 / seconds


def receive() -> None:
    """Counts datagrams until none comes for two seconds; prints how many, and in what time."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        receiver.bind((THEIRS, PORT))
        print("ready", flush=True)
        receiver.settimeout(10)
        times: list[float] = []
        with contextlib.suppress(TimeoutError):
            while True:
                _, extra, _, _ = receiver.recvmsg(2000, 64)
                seconds, nanoseconds = struct.unpack("@ll", extra[0][2][:16])
                times.append(seconds + nanoseconds / 1e9)
                receiver.settimeout(2)
        counted = times[BUCKET - 1 :]
        print(len(counted), counted[-1] - counted[0])


@contextlib.contextmanager
def interfaces(setting: Setting) -> Iterator[None]:
    """Two interfaces, one of them in a namespace of its own, with tbf before the wire."""
    near, far = f"hop{os.getpid() % 100_000}a", f"hop{os.getpid() % 100_000}b"
    run("ip", "netns", "add", SPACE)
    try:
        run("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", SPACE)
        run("ip", "addr", "add", f"{OURS}/24", "dev", near)
        run("ip", "link", "set", near, "up")
        inside = ("ip", "netns", "exec", SPACE)
        run(*inside, "ip", "addr", "add", f"{THEIRS}/24", "dev", far)
        run(*inside, "ip", "link", "set", far, "up")
        address = Path(f"/sys/class/net/{near}/address").read_text().strip()
        other = subprocess.run(
            [*inside, "cat", f"/sys/class/net/{far}/address"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        run("ip", "neigh", "replace", THEIRS, "lladdr", other, "dev", near, "nud", "permanent")
        run(*inside, "ip", "neigh", "replace", OURS, "lladdr", address, "dev", far)
        run(
            *("tc", "qdisc", "add", "dev", near, "root", "tbf"),
            *("rate", f"{setting.kbps}kbit", "burst", str(BUCKET * setting.frame)),
            *("limit", str(setting.room * setting.frame)),
        )
        yield
    finally:
        subprocess.run(["ip", "link", "del", near], check=False, stderr=subprocess.DEVNULL)
        run("ip", "netns", "del", SPACE)


def run(*words: str) -> None:
    """Runs a command that must succeed."""
    subprocess.run(words, check=True)


if __name__ == "__main__":
    raise SystemExit(main())
