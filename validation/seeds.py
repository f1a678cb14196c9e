"""Runs of ns-2 and ours with seeds that no table has: is a gap there, or was it the seeds?

    .venv/bin/python validation/seeds.py string aodv 7 reno [--first N] [--runs N]
    .venv/bin/python validation/seeds.py square dsr [--files N] [--runs N]

Needs Debian's `ns2`. `string`: one transfer for 300 s, mean segments and time-outs; three of our
runs for one of ns-2's. `square`: one Reno transfer for 300 s among 50 nodes in a square of 1000 m,
random waypoint with 1 to 10 m/s, the same ways and ends in both; two of our runs for one of ns-2's.

A run over DSR carries much or little, depending on whether one recovery succeeds: the mean of a few
runs is no number to divide by. So beside the files' ratios stands how often a run of ours carries
more than one of ns-2 (Mann and Whitney 1947, stratified by file; alike: 0.5), and how far the
median of the ratios strays if both programs are ours.
"""

import argparse
import json
import math
import random
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from hopwright._io.data import Json, items
from hopwright.runs import run as runs
from hopwright.statistics.moments import Moments
from intervals import ratio_of_means
from own import run_text, tcp_string, total

HERE = Path(__file__).resolve().parent
AGENTS = {"reno": "Reno", "newreno": "Newreno"}
OURS_PER_STRING = 3
OURS_PER_FILE = 2
FIRST_FILE = 1000
"""The seed behind the first movement file."""

DRAWS = 4000

SQUARE = """
    profile = "ns2"
    duration_s = 305
    topology = { kind = "random", nodes = 50 }
    area = { width_m = 1000, height_m = 1000 }
    mobility = { model = "random-waypoint", min_speed_mps = 1, max_speed_mps = 10 }
    routing.protocol = "aodv"
    flows = [{ pairs = "random", transport.protocol = "reno" }]
"""


def _ns2(arguments: Mapping[str, object]) -> dict[str, float]:
    """What a run of ns-2 counted."""
    words = [f"{key}={value}" for key, value in arguments.items()]
    command = ["ns", str(HERE / "ns2" / "tcp.tcl"), *words, "mactrace=none", "sample=0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    lines = (line.split() for line in done.stdout.splitlines())
    found = {words[1]: words[2] for words in lines if words[:1] == ["RESULT"]}
    return {"segments": float(found["segments"]), "rto": float(found["rto"])}


def string(routing: str, hops: int, protocol: str, seeds: range) -> None:
    """Prints the ratios of our means and ns-2's."""
    fixed = {"topo": "string", "hops": hops, "agent": AGENTS[protocol], "rt": routing.upper()}
    theirs = [_ns2({**fixed, "dur": 300, "seed": seed}) for seed in seeds]
    mine = range(seeds.start * OURS_PER_STRING, seeds.stop * OURS_PER_STRING)
    ours = run_text(tcp_string(hops, protocol, routing), mine, 1)
    for title, key, name in (
        ("segments", "segments", "goodput_segments"),
        ("time-outs", "rto", "rto_count"),
    ):
        own = Moments.of([total(result, "flows", name) for result in ours])
        other = Moments.of([run[key] for run in theirs])
        found = ratio_of_means(own, other)
        print(
            f"{title}: {own.mean:.1f} ({own.n}), ns-2 {other.mean:.1f} ({other.n}): "
            f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
        )


def square(routing: str, files: int, count: int) -> None:
    """Prints the files' means, and what all runs together say."""
    own: list[list[float]] = []
    other: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for place in range(files):
            movement, source, target = _movement(Path(folder), FIRST_FILE + place)
            moving = {"topo": "rwp", "xmax": 1000, "ymax": 1000, "movement": movement}
            fixed = {**moving, "src": source, "dst": target, "agent": "Reno", "rt": routing.upper()}
            seeds = range(1, count + 1)
            theirs = [_ns2({**fixed, "warm": 5, "dur": 300, "seed": seed}) for seed in seeds]
            scenario = _scenario(movement, source, target, routing)
            ours = run_text(scenario, range(1, OURS_PER_FILE * count + 1), 1)
            own.append([total(result, "flows", "goodput_segments") for result in ours])
            other.append([run["segments"] for run in theirs])
            means = (fmean(own[-1]), fmean(other[-1]))
            print(f"file {place}: {means[0]:.0f}, ns-2 {means[1]:.0f}: {_ratio(*means):.3f}")
    print(f"median of the ratios {_median(own, other):.3f}; {_strays(own, count)}")
    print(f"all segments {_ratio(sum(map(fmean, own)), sum(map(fmean, other))):.3f}")
    share, z = ranks(own, other)
    print(f"ours carries more in {share:.3f} of the pairs (z = {z:.2f})")


def _movement(folder: Path, seed: int) -> tuple[Path, Json, Json]:
    """A file with the ways of a run of ours, and the ends of its flow."""
    source = folder / "square.toml"
    source.write_text(f"seed = {seed}\n{SQUARE}")
    scenario = runs.load(source).check()
    movement = folder / f"{seed}.tcl"
    movement.write_text(scenario.movement_as("ns2"))
    network: Json = json.loads(scenario.network_json(seed))
    (pair,) = items(network, "flows")
    start, end = items(pair)
    return movement, start, end


def _scenario(movement: Path, source: Json, target: Json, routing: str) -> str:
    return f"""
        profile = "ns2"
        duration_s = 305
        topology = {{ kind = "ns2", file = '{movement}' }}
        routing.protocol = "{routing}"
        [[flows]]
        from = {source}
        to = {target}
        start_s = 5
        transport.protocol = "reno"
    """


def _ratio(own: float, other: float) -> float:
    return own / other if other else math.inf


def _median(own: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> float:
    pairs = zip(own, other, strict=True)
    return median(_ratio(fmean(mine), fmean(theirs)) for mine, theirs in pairs)


def _strays(own: Sequence[Sequence[float]], count: int) -> str:
    """The median of the ratios where both sides are drawn from our runs."""
    stream = random.Random(1)  # noqa: S311 - resampling, nothing secret

    def drawn(size: int) -> list[list[float]]:
        return [stream.choices(file, k=size) for file in own]

    both = (OURS_PER_FILE * count, count)
    found = sorted(_median(drawn(both[0]), drawn(both[1])) for _ in range(DRAWS))
    low, high = (found[int(DRAWS * share)] for share in (0.025, 0.975))
    return f"ours against ours {low:.3f} to {high:.3f} in 95 of 100 draws"


def ranks(own: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> tuple[float, float]:
    """How often a run of ours carries more, and by how many deviations that is off a half."""
    shares, variance = [], 0.0
    for mine, theirs in zip(own, other, strict=True):
        above = sum((a > b) + (a == b) / 2 for a in mine for b in theirs)
        shares.append(above / (len(mine) * len(theirs)))
        variance += (len(mine) + len(theirs) + 1) / (12 * len(mine) * len(theirs))
    z = (sum(shares) - len(shares) / 2) / math.sqrt(variance)
    return fmean(shares), z


def main() -> None:
    """Runs both programs and prints what they carried."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    strings = kinds.add_parser("string")
    strings.add_argument("routing", choices=("aodv", "dsr"))
    strings.add_argument("hops", type=int)
    strings.add_argument("protocol", choices=tuple(AGENTS))
    strings.add_argument("--first", type=int, default=41, metavar="N", help="seed [41]")
    strings.add_argument("--runs", type=int, default=40, metavar="N", help="of ns-2 [40]")
    squares = kinds.add_parser("square")
    squares.add_argument("routing", choices=("aodv", "dsr"))
    squares.add_argument("--files", type=int, default=20, metavar="N", help="[20]")
    squares.add_argument("--runs", type=int, default=3, metavar="N", help="of ns-2 [3]")
    options = parser.parse_args()
    if options.kind == "string":
        seeds = range(options.first, options.first + options.runs)
        string(options.routing, options.hops, options.protocol, seeds)
    else:
        square(options.routing, options.files, options.runs)


if __name__ == "__main__":
    main()
