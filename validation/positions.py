"""Measures what it costs to feed a live emulation with the positions of all its nodes.

    .venv/bin/python validation/positions.py [--nodes N] [--hz N] [--seconds N]

A flight simulator's part is played by a thread that moves 50 nodes ten times a second over the
control socket, each on a circle of its own, while five namespaces ping each other over AODV. Said
are the placements per second that took effect, how long each answer took, what 100 ms of simulated
time cost the processor at most, and how late packets were.

Exit codes: 0 no 100 ms cost more than 50 ms of the processor, and every position was taken; 1 not
so; 2 nothing can be measured here.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hopwright import Control
from hopwright._io.data import Json, amount, at

MOST_S = 0.05
"""Of the processor, for 100 ms of simulated time."""

ATTACHED = (0, 10, 20, 30, 40)
WIDTH_M, HEIGHT_M = 1000, 600

SCENARIO = """
name = "positions"
duration_s = {seconds}
area = {{ width_m = {width}, height_m = {height} }}
topology = {{ kind = "random", nodes = {nodes} }}
mobility = {{ model = "scripted" }}
routing = {{ protocol = "aodv" }}
"""

ATTACH = """
[[attach]]
node = {node}
command = ["ping", "-q", "-i", "0.1", "node-{peer}"]
"""


def main() -> int:
    """Feeds, and says what it cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--hz", type=float, default=10)
    parser.add_argument("--seconds", type=int, default=30)
    options = parser.parse_args()
    peers = dict(zip(ATTACHED, (*ATTACHED[1:], ATTACHED[0]), strict=True))
    text = SCENARIO.format(
        seconds=options.seconds, nodes=options.nodes, width=WIDTH_M, height=HEIGHT_M
    )
    text += "".join(ATTACH.format(node=node, peer=peer) for node, peer in peers.items())
    name = f"positions-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "positions.toml"
        file.write_text(text)
        words = [sys.executable, "-m", "hopwright", "emulate", str(file)]
        with subprocess.Popen(
            [*words, "--control", name, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            sent, taken, waits_s = feed(name, options.nodes, 1 / options.hz, options.seconds)
            out, err = process.communicate()
    if process.returncode:
        print(err, file=sys.stderr)
        return 2
    summary = json.loads(out[out.index("{\n") :])
    pace = summary["emulation"]["pace"]
    waits_s.sort()
    print(f"{sent} positions, {taken} taken: {taken / options.seconds:.0f} a second")
    print(f"answers after {1e6 * waits_s[len(waits_s) // 2]:.0f} us (median)")
    worst_s = amount(pace, "worst_window_cpu_s")
    print(f"100 ms of simulated time cost {1e3 * worst_s:.1f} ms at most")
    print(f"lateness: {json.dumps(pace['lateness'])}")
    return 0 if sent == taken and worst_s <= MOST_S else 1


def feed(name: str, nodes: int, period_s: float, seconds: float) -> tuple[int, int, list[float]]:
    """Moves all nodes, until just before the end; what was sent, what took effect, and waits."""
    waits_s, taken = [], 0
    control = connect(name)
    with control as network:
        begun = time.monotonic()
        step = 0
        while step * period_s < seconds - 1:
            time.sleep(max(0.0, begun + step * period_s - time.monotonic()))
            for node in range(nodes):
                at_m: Json = place(node, step)
                before = time.monotonic()
                answer = network.say({"do": "place", "node": node, "at_m": at_m})
                waits_s.append(time.monotonic() - before)
                taken += at(answer, "ok") is True
            step += 1
    return len(waits_s), taken, waits_s


def connect(name: str) -> Control:
    """The control socket, as soon as it listens."""
    for _ in range(200):
        try:
            return Control(name)
        except Exception:  # noqa: BLE001 - it is asked again, and the last error is shown
            time.sleep(0.05)
    return Control(name)


def place(node: int, step: int) -> list[Json]:
    """On a circle of 100 m around a place of a grid, once around in 60 s at 10 Hz."""
    angle = 2 * math.pi * (step / 600 + node / 7)
    x, y = 100 + 80 * (node % 10), 100 + 80 * (node // 10)
    return [x + 100 * math.cos(angle), y + 100 * math.sin(angle)]


if __name__ == "__main__":
    sys.exit(main())
