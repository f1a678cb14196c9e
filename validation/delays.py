"""Compares delays under a live emulation, as a capture at both ends has them, with simulated ones.

    .venv/bin/python validation/delays.py [--packets N] [--rate N] [--json]

Echo requests go over two hops and come back, while `dumpcap` listens at both ends. A packet's delay
between the captures, less the one between its two entries in the recording (`inputs.pcapng`), is
what the emulation added: until it had read the packet, and after the packet's time had come. That
is set beside the lateness that the emulation itself reports, which has the second part alone.

Nothing is judged: the machine may be busy. Exit codes: 0; 1 a packet is missing, or went another
way; 2 nothing can be measured here.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SCENARIO = """
name = "delays"
duration_s = 600
topology = {{ kind = "chain", hops = 2, spacing_m = 200 }}
routing = {{ protocol = "static" }}

[[attach]]
node = 0
privileged = true

[[attach]]
node = 2
privileged = true
command = ["dumpcap", "-q", "-i", "hop0", "-w", "{folder}/far.pcapng"]
"""

PROGRAM = """
dumpcap -q -i hop0 -w {folder}/near.pcapng & listening=$!
sleep 1; ping -q -i {interval} -c {packets} node-2; sleep 1; kill $listening; wait $listening
"""

REQUEST, REPLY = 8, 0
OUT, IN = 2, 1
"""Directions of packets, as pcapng has them."""

Key = tuple[int, int]
"""Type and sequence number of an echo."""


@dataclass(frozen=True)
class Times:
    """When echoes were seen at the two ends, seconds."""

    near: dict[Key, float]
    far: dict[Key, float]

    def delay_s(self, key: Key) -> float:
        """From the end where it began to the other one."""
        delay = self.far[key] - self.near[key]
        return delay if key[0] == REQUEST else -delay


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packets", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=50, help="requests per second [50]")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lacking = [word for word in ("dumpcap", "tshark", "ping") if shutil.which(word) is None]
    if lacking:
        print(f"skipped: not installed: {', '.join(lacking)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reported = emulate(folder, options.packets, 1 / options.rate)
        captured = Times(echoes(folder / "near.pcapng"), echoes(folder / "far.pcapng"))
        recording = folder / "out" / "inputs.pcapng"
        near = {**recorded(recording, 0, OUT, REQUEST), **recorded(recording, 0, IN, REPLY)}
        far = {**recorded(recording, 1, IN, REQUEST), **recorded(recording, 1, OUT, REPLY)}
    simulated = Times(near, far)
    wanted = {(kind, n) for kind in (REQUEST, REPLY) for n in range(1, options.packets + 1)}
    for times in (captured, simulated):
        if not set(times.near) == set(times.far) == wanted:
            print("packets are missing at one end", file=sys.stderr)
            return 1
    added = sorted(captured.delay_s(key) - simulated.delay_s(key) for key in wanted)
    shown = {
        "packets": len(added),
        "simulated_ms": [
            1e3 * min(map(simulated.delay_s, wanted)),
            1e3 * max(map(simulated.delay_s, wanted)),
        ],
        "added_us": {f"p{p}": 1e6 * quantile(added, p / 100) for p in (0, 50, 99, 100)},
        "reported": reported,
    }
    print(json.dumps(shown, indent=2) if options.json else told(shown))
    return 0


def emulate(folder: Path, packets: int, interval_s: float) -> object:
    """Runs it; what the emulation says of lateness."""
    file = folder / "delays.toml"
    file.write_text(SCENARIO.format(folder=folder))
    program = PROGRAM.format(folder=folder, interval=interval_s, packets=packets)
    words = ["emulate", file, "--at", "0", "--out", folder / "out", "--", "sh", "-c", program]
    command = [sys.executable, "-m", "hopwright", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stderr}exit code {done.returncode}")
    summary = json.loads((folder / "out" / "summary.json").read_text())
    return summary["emulation"]["pace"]["lateness"]


def echoes(file: Path, shown: str = "icmp") -> dict[Key, float]:
    """When each echo was seen in a capture."""
    fields = ("icmp.type", "icmp.seq", "frame.time_epoch")
    words = ["tshark", "-r", str(file), "-Y", shown, "-T", "fields"]
    for field in fields:
        words += ["-e", field]
    rows = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    return {(int(kind), int(n)): float(at) for kind, n, at in (row.split("\t") for row in rows)}


def recorded(file: Path, interface: int, direction: int, kind: int) -> dict[Key, float]:
    """When each echo of a kind passed one end, in the recording of the emulation."""
    where = f"frame.interface_id == {interface} && frame.packet_flags_direction == {direction}"
    return echoes(file, f"icmp.type == {kind} && {where}")


def quantile(ordered: list[float], part: float) -> float:
    """The value below which a part of them are."""
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def told(shown: dict[str, object]) -> str:
    """A line each."""
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in shown.items())


if __name__ == "__main__":
    sys.exit(main())
