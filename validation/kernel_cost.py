"""What congestion control in the kernel costs: nanoseconds per acknowledgement, and throughput.

    .venv/bin/python validation/kernel_cost.py [--pairs N] [--seconds S] [--measuring]

Two network namespaces with a veth pair between them, iperf3 from one to the other, algorithm by
algorithm. The programs' time is the kernel's own count (`kernel.bpf_stats_enabled`), which itself
adds some tens of nanoseconds to each run of a program; it is put back afterwards. Throughput is
measured without it, in pairs: reno, then the algorithm. With --measuring, instead: reno, then reno
while `hopwright kernel measure` looks at it. Needs root, iperf3, `make kernel`.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hopwright._cli import kernel

ALGORITHMS = ("sca", "ssca", "cwl", "adaptive-cwl", "westwood-plus", "veno", "vegas", "welcome")
STATS = Path("/proc/sys/kernel/bpf_stats_enabled")
NEAR, FAR = f"hop-near-{os.getpid()}", f"hop-far-{os.getpid()}"
NAME = "hop_measured"
ADDRESS = "198.18.7.2"


def ip(*words: str) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *words], check=True)


@contextlib.contextmanager
def network() -> Iterator[None]:
    """Two namespaces, a veth pair, and an iperf3 that waits at the far end."""
    for space in (NEAR, FAR):
        ip("netns", "add", space)
    try:
        words = ["name", "v0", "netns", NEAR, "type", "veth", "peer", "name", "v0", "netns", FAR]
        ip("link", "add", *words)
        for space, address in ((NEAR, "198.18.7.1"), (FAR, ADDRESS)):
            ip("-n", space, "addr", "add", f"{address}/24", "dev", "v0")
            ip("-n", space, "link", "set", "v0", "up")
        server = ["ip", "netns", "exec", FAR, "iperf3", "-s"]
        with subprocess.Popen(server, stdout=subprocess.DEVNULL) as far:
            time.sleep(1)
            yield
            far.terminate()
    finally:
        for space in (NEAR, FAR):
            ip("netns", "del", space)


@contextlib.contextmanager
def loaded(algorithm: str) -> Iterator[None]:
    """The algorithm in the kernel, with its defaults; limits of the window limit nothing."""
    words = {"cwl": ["--set", "cwnd_limit_segments=65535"]}.get(algorithm, [])
    command = [kernel.program(), "load", algorithm, "--name", NAME, *words]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as owner:
        while not any(row["name"] == NAME and row["selectable"] for row in listed()):
            if owner.poll() is not None:
                raise SystemExit(f"{algorithm} is not loaded")
            time.sleep(0.05)
        yield
        owner.terminate()


def listed() -> list[dict[str, object]]:
    """What `hopwright kernel list` says."""
    done = subprocess.run(
        [kernel.program(), "list", "--json"], check=True, capture_output=True, text=True
    )
    rows: list[dict[str, object]] = json.loads(done.stdout)
    return rows


def transfer(algorithm: str, seconds: float) -> float:
    """Gigabits a second that arrive."""
    command = ["ip", "netns", "exec", NEAR, "iperf3", "-c", ADDRESS, "-J", "-C", algorithm]
    command += ["-t", str(seconds), "-O", "0"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"]) / 1e9


def cost(seconds: float) -> tuple[float, int]:
    """Nanoseconds of all programs per acknowledgement that opens the window, and how many came."""
    former = STATS.read_text()
    STATS.write_text("1")
    try:
        transfer(NAME, seconds)
        (row,) = (row for row in listed() if row["name"] == NAME and row["selectable"])
    finally:
        STATS.write_text(former)
    costs = row["costs"]
    assert isinstance(costs, list)
    acks = next(each["runs"] for each in costs if each["hook"] == "cong_avoid")
    return sum(each["ns"] for each in costs) / acks, acks


@contextlib.contextmanager
def measured() -> Iterator[None]:
    """`hopwright kernel measure` at work."""
    command = [kernel.program(), "measure"]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdout=null, stderr=pipe, text=True) as it:
        if it.stderr is None or it.stderr.readline() != "measuring\n":
            raise SystemExit("nothing is measured")
        try:
            yield
        finally:
            it.terminate()


def cost_of_measuring(pairs: int, seconds: float) -> str:
    """Throughput while measured, beside that without, as the other table has it."""
    ratios = []
    with network():
        for _ in range(pairs):
            alone = transfer("reno", seconds)
            with measured():
                ratios.append(transfer("reno", seconds) / alone)
    return spread(ratios)


def spread(ratios: list[float]) -> str:
    """Median, least and most."""
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def main() -> int:
    """Prints a row per algorithm."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--pairs", type=int, default=10)
    words.add_argument("--seconds", type=float, default=2)
    words.add_argument("--measuring", action="store_true", help="the cost of measuring, alone")
    options = words.parse_args()
    if options.measuring:
        print(cost_of_measuring(options.pairs, options.seconds))
        return 0
    print("| algorithm | ns per ACK | ACKs | throughput beside reno's, median (least to most) |")
    print("| --- | --- | --- | --- |")
    with network():
        for algorithm in ALGORITHMS:
            with loaded(algorithm):
                ns, acks = cost(options.seconds)
                ratios = []
                for _ in range(options.pairs):
                    reno = transfer("reno", options.seconds)
                    ratios.append(transfer(NAME, options.seconds) / reno)
            print(f"| `{algorithm}` | {ns:.0f} | {acks} | {spread(ratios)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
