"""Compares this machine's TCP over an emulated string with this program's over the simulated one.

    .venv/bin/python validation/kernel.py [--mb N] [--hops N] [--runs N]

A file goes over four hops of 2 Mb/s, by the kernel's Reno (with its selective acknowledgements) and
by its CUBIC, in real time: a run takes 26 s per MB. The same file goes over the same string between
transports of this program that are set as the kernel's are: segments of 1448 bytes with time
stamps, ten of them at first, acknowledgements delayed by 40 ms at most, slow start by what is
acknowledged. What the kernel does besides, and these do not: RACK with tail loss probes, HyStart,
proportional rate reduction.

Runs of the kernel go side by side, all sharing the machine. Exit codes: 0 mean goodput agrees
within 10 % and every file arrived as it was sent; 1 not so; 2 nothing can be measured here.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hopwright
from hopwright._io.data import items, number

MOST = 0.1
"""How far mean goodputs may be apart."""

TWINS = {"reno": "sack", "cubic": "cubic"}
"""What stands for the kernel's here."""

SIMULATED_RUNS = 20

SCENARIO = """
name = "kernel"
duration_s = {limit_s}
topology = {{ kind = "chain", hops = {hops}, spacing_m = 200 }}
routing = {{ protocol = "static" }}
"""

ATTACH = """
[[attach]]
node = 0
privileged = true      # CUBIC need not be allowed to everybody

[[attach]]
node = {hops}
"""

FLOW = """
[[flows]]
from = 0
to = {hops}
app = "file"
bytes = {size}

[flows.transport]
protocol = "{protocol}"
segment_bytes = 1448
timestamps = true
initial_window_segments = 10
window_limit_segments = 4000
slow_start_limit_segments = 0
limited_transmit = true
acking = "delayed"
delayed_ack_ms = 40
granularity_ms = 4
"""

ENDS = """
import hashlib, json, random, socket, sys, time
role, control, size, peer = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3]), sys.argv[4]
data = random.Random(size).randbytes(size)
if role == "send":
    end = socket.socket()
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
    while end.connect_ex((peer, 9000)):
        time.sleep(0.1)
        end.close()
        end = socket.socket()
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
    begun = time.monotonic()
    end.sendall(data)
    end.shutdown(socket.SHUT_WR)
    same = end.recv(100) == hashlib.sha256(data).digest()
    print(json.dumps({"same": same, "s": time.monotonic() - begun}))
else:
    listening = socket.create_server(("", 9000))
    end, _ = listening.accept()
    got = hashlib.sha256()
    while part := end.recv(65536):
        got.update(part)
    end.sendall(got.digest())
    end.close()
    time.sleep(60)
"""


def main() -> int:
    """Measures, prints, judges."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=float, default=1.0)
    parser.add_argument("--hops", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    size, agree = int(options.mb * 1e6), True
    jobs = [(control, seed) for control in TWINS for seed in range(1, options.runs + 1)]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(jobs)) as pool:
        folder = Path(name)
        (folder / "ends.py").write_text(ENDS)
        live = pool.map(lambda job: emulated_kbps(folder, options.hops, size, *job), jobs)
        measured = dict(zip(jobs, live, strict=True))
        ours = {each: simulated_kbps(folder, options.hops, size, each) for each in TWINS.values()}
    print(f"{options.mb:g} MB over {options.hops} hops, kb/s: mean (least to most)")
    for control, protocol in TWINS.items():
        theirs = [kbps for (of, _), kbps in measured.items() if of == control]
        ratio = statistics.mean(ours[protocol]) / statistics.mean(theirs)
        agree &= abs(ratio - 1) <= MOST
        here = f"{protocol} here {spread(ours[protocol])}, ratio {ratio:.3f}"
        print(f"{control}: kernel {spread(theirs)}, {here}")
    return 0 if agree else 1


def emulated_kbps(folder: Path, hops: int, size: int, control: str, seed: int) -> float:
    """Goodput of a file by the kernel's TCP."""
    limit_s = 30 + size / 5e3
    file = folder / f"{control}-{seed}.toml"
    file.write_text(SCENARIO.format(hops=hops, limit_s=limit_s) + ATTACH.format(hops=hops))
    ends = [sys.executable, str(folder / "ends.py")]
    receive = " ".join([*ends, "receive", control, str(size), "-"])
    words = ["emulate", str(file), "--seed", str(seed), "--at", "0", "--with", f"{hops}:{receive}"]
    send = [*ends, "send", control, str(size), f"node-{hops}"]
    command = [sys.executable, "-m", "hopwright", *words, "--", *send]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"skipped: {done.stderr.strip()}", file=sys.stderr)
        raise SystemExit(2)
    said = json.loads(done.stdout)
    if not said["same"]:
        raise SystemExit(f"{control}, seed {seed}: the file arrived otherwise than it was sent")
    return float(size * 8e-3 / said["s"])


def simulated_kbps(folder: Path, hops: int, size: int, protocol: str) -> list[float]:
    """Goodputs of the same file in simulations."""
    flow = FLOW.format(hops=hops, size=size, protocol=protocol)
    scenario = SCENARIO.format(hops=hops, limit_s=30 + size / 5e3) + flow
    file = folder / f"{protocol}.toml"
    file.write_text(scenario)
    results = hopwright.run(file, runs=SIMULATED_RUNS)
    took_s = [number(run, "flows", 0, "completed_s") for run in items(results.summary["results"])]
    return [size * 8e-3 / each for each in took_s if each]


def spread(values: list[float]) -> str:
    """Mean, least and most."""
    return f"{statistics.mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


if __name__ == "__main__":
    sys.exit(main())
