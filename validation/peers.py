"""Compares the cost of the same networks in Hopwright, ns-2 and ns-3.

    .venv/bin/python validation/peers.py [--quick] [--write] [--only WORDS]

A network is written once (`shared_networks.py`), and all three programs read it. They run in turns.
A cost is the user CPU time of a long run minus that of a short run, so that the start of the
program does not count. The protocols of the three programs differ in details, and so do the frames
that they send. So the page also shows how much each program delivers. A run that takes longer than
two minutes is stopped, and larger networks of its kind are not tried.

Needs Debian's `ns2`, `libns3-dev` and `libgsl-dev`, and a C++ compiler. `--write` writes
docs/bench-peers.md and docs/img/bench-growth.png.

Exit codes: 0 if every target is reached, 1 if a target is missed, or ns-2 or ns-3 is not installed.
"""

import argparse
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from bench import build, have_ns2
from hopwright.figures.style import COLUMN_IN, STROKES, styled
from pictures import shrink
from shared_networks import Network, anywhere, grid, local, manet, string, strip

ROOT = Path(__file__).resolve().parents[1]
NS2 = ROOT / "validation" / "ns2" / "network.tcl"
NS3 = ROOT / "validation" / "ns3" / "network.cc"
REPORT = ROOT / "docs" / "bench-peers.md"
PICTURE = ROOT / "docs" / "img" / "bench-growth.png"

MOST_S = 120
"""Real time after which a run is stopped."""
NS3_PARTS = (
    *("wifi", "internet", "applications", "mobility", "network", "core"),
    *("aodv", "dsr", "olsr", "dsdv", "traffic-control", "propagation"),
)
LOCAL, ANYWHERE = "static local flows", "100 flows"
"""Series of networks that grow; the picture is drawn of the first."""


PAGE = """# Speed beside ns-2 and ns-3

Written by `.venv/bin/python validation/peers.py --write`; do not edit.

Measured on {system}, {machine}, with Debian's packages of ns-2.35 and ns-3.37.

- `validation/shared_networks.py` writes the movements, the flows and the static routes of each
  network. All three programs read these files. The programs run one after the other, in several
  rounds.
- All three programs use the radio of ns-2 at 2 Mb/s, with RTS before every data frame. A node
  decodes frames up to 250 m, and senses frames up to 550 m.
- Times are CPU time in user mode. Each time is the CPU time of a long run minus the CPU time of a
  short run. So the start of the program does not count. The tables of times show the median of the
  rounds.
- ns-2 runs without tracing, and without the packet headers that the network does not use.
- A *transfer* is a TCP connection that sends all the time. The other flows send datagrams. A *small
  flow* sends 64 bytes four times a second. A *local flow* goes to the nearest node that is more
  than 300 m away.
- *50 moving* means: 50 nodes that move. *100 standing* means: 100 nodes that do not move.
- *Over {most_s} s*: a run of this network took longer than {most_s} s of real time, and was
  stopped. Or the program was stopped in a smaller network of the same kind. Then the program did
  not run this network.
- *Has none*: ns-2 does not have this routing protocol.
- 4.32e+03 means 4,320.

The three programs do not send the same frames, because each program has its own TCP, its own
routing and its own random numbers. So do not compare times alone. Look also at the table
"Delivered" below: it shows how much data arrived.

## CPU time, milliseconds for each simulated second

The number in brackets is the CPU time divided by the CPU time of Hopwright. The target *ns-2 8
times* means that ns-2 needs at least 8 times the CPU time of Hopwright. The target *ns-2 not
faster* means that ns-2 needs at least the CPU time of Hopwright. The targets for ns-3 have the
same form. A program that was stopped does not count as faster. *Not judged*: Hopwright delivered
nothing in the measured time, so its time says nothing.

{cpu}

## CPU time, milliseconds for each megabyte delivered

{per_megabyte}

## Delivered, kb/s

{delivered}

## Peak memory, MiB

{memory}

## Growth

The picture shows the networks with static routes and local flows. The average node has the same
amount of work in each of these networks. If the CPU time of a program is proportional to the number
of nodes, the line of this program is horizontal.

![CPU time for each node and simulated second](img/bench-growth.png)
"""


@dataclass(frozen=True)
class Case:
    """A network, and the simulated times between which its cost is taken."""

    name: str
    network: Callable[[], Network]
    short_s: float
    long_s: float
    targets: Mapping[str, float]
    """By peer: so many times our CPU time its own must be at least."""
    series: str = ""
    """Networks of a series grow: who takes too long for one is not asked for the next."""


@dataclass(frozen=True)
class Cost:
    """For each simulated second; the whole process's peak memory."""

    cpu_s: float
    delivered_bytes: float
    peak_kb: int


@dataclass(frozen=True)
class Simulator:
    """What is called to run a network's files to a time, and the routings that it has."""

    name: str
    routings: frozenset[str]
    command: Callable[[Network, Path, float], Sequence[str | Path]]

    def run(self, network: Network, folder: Path, until_s: float) -> Cost:
        """Costs of a whole run. Raises `subprocess.TimeoutExpired` if it takes too long."""
        command = [str(word) for word in self.command(network, folder, until_s)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_S, check=False)
        cpu_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr}")
        delivered, peak_kb = (
            float(re.findall(rf"^(?:RESULT )?{name} ([\d.e+]+)$", done.stdout, re.MULTILINE)[0])
            for name in ("bytes", "(?:peak|vmhwm)_kb")
        )
        return Cost(cpu_s, delivered, int(peak_kb))


Found = Mapping[str, Cost | None]
"""By simulator; `None` if a run was stopped."""


def main() -> int:
    """Measures, prints and writes."""
    options = _options()
    if not have_ns2() or not _have_ns3():
        return 1
    cases = [case for case in _cases() if options.only in case.name]
    if not cases:
        sys.exit(f"no network's name has {options.only!r}: {', '.join(c.name for c in _cases())}")
    found: dict[str, Found] = {}
    with tempfile.TemporaryDirectory() as folder:
        simulators = _simulators(Path(folder))
        for case in cases:
            late = {
                name
                for each in cases
                if each.series == case.series != ""
                for name, cost in found.get(each.name, {}).items()
                if cost is None
            }
            found[case.name] = _costs(case, simulators, late, 1 if options.quick else 3)
            print(_shown(case, found[case.name]), flush=True)
    if options.write:
        REPORT.write_text(_report(cases, found))
        _draw(cases, found)
        print(f"written: {REPORT}, {PICTURE}", file=sys.stderr)
    missed = [case.name for case in cases if not _reached(case, found[case.name])]
    print(f"missed: {'; '.join(missed)}" if missed else "every target is reached", file=sys.stderr)
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares what networks cost with ns-2 and ns-3.")
    parser.add_argument("--quick", action="store_true", help="one round in place of three")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--write", action="store_true", help=f"write {REPORT.relative_to(ROOT)}")
    one.add_argument(
        "--only", default="", metavar="WORDS", help="networks whose names have these words"
    )
    return parser.parse_args()


def _cases() -> Iterator[Case]:
    ns2, both = {"ns-2": 1.0}, {"ns-2": 1.0, "ns-3": 1.0}
    for hops, until_s in ((1, 130), (4, 130), (8, 230), (15, 230)):
        name = f"string of {hops} hop{'' if hops == 1 else 's'}, 1 transfer"
        targets = {"ns-2": 8.0, "ns-3": 1.0} if hops == 8 else both
        yield Case(name, partial(string, hops), 30, until_s, targets)
    yield Case("grid of 5 by 5, 3 transfers", partial(grid, 5), 30, 130, both)
    for routing, targets in (
        ("aodv", {"ns-2": 12.0, "ns-3": 1.0}),
        ("dsr", {"ns-2": 12.0, "ns-3": 1.0}),
        ("olsr", both),
    ):
        name = f"50 moving, 1 transfer, {routing.upper()}"
        # Over DSR next to nothing is sent between 100 and 400 s.
        short_s, long_s = (20, 95) if routing == "dsr" else (100, 395)
        yield Case(name, partial(strip, routing), short_s, long_s, targets)
    for routing in ("aodv", "olsr", "dsdv", "dsr"):
        # ns-3's own example: 100 times is asked of three of them.
        name = f"50 at 20 m/s, 10 small flows, {routing.upper()}"
        targets = {**ns2, "ns-3": 1.0 if routing == "dsr" else 100.0}
        yield Case(name, partial(manet, routing), 20, 110, targets)
    yield Case("100 moving, 50 flows, AODV", partial(anywhere, 100, 50, 12), 2, 12, both)
    for nodes, until_s in ((1000, 6), (10_000, 4)):
        name = f"{nodes:,} moving, {ANYWHERE}, AODV"
        yield Case(name, partial(anywhere, nodes, 100, until_s), 2, until_s, both, ANYWHERE)
    for nodes in (1000, 10_000):
        name = f"{nodes:,} moving, local flows, AODV"
        yield Case(name, partial(local, nodes, 6, "aodv"), 2, 6, both, "local flows")
    for nodes in (100, 300, 1000, 3000, 10_000):
        name = f"{nodes:,} standing, {LOCAL}"
        until_s = 12 if nodes < 1000 else 6
        yield Case(name, partial(local, nodes, 0, "static"), 2, until_s, both, LOCAL)


def _have_ns3() -> bool:
    asked = ["pkg-config", "--exists", *(f"ns3-{part}" for part in NS3_PARTS)]
    if shutil.which("pkg-config") and subprocess.run(asked, check=False).returncode == 0:
        return True
    print("this comparison needs ns-3: apt-get install libns3-dev libgsl-dev", file=sys.stderr)
    return False


def _simulators(folder: Path) -> list[Simulator]:
    own, ns3 = build(), _built_ns3(folder)

    def ours(_network: Network, files: Path, until_s: float) -> Sequence[str | Path]:
        return [own, files / "scenario.toml", f"duration_s={until_s:g}"]

    def in_ns2(network: Network, files: Path, until_s: float) -> Sequence[str | Path]:
        width, height = network.area
        words = {
            "movement": files / "movements.tcl",
            "nodes": network.nodes,
            "xmax": int(width) + 1,
            "ymax": int(height) + 1,
            "rt": network.routing.upper(),
            "flows": files / "flows",
            "routes": files / "routes",
            "dur": f"{until_s:g}",
            "mactrace": "none",
        }
        return ["ns", NS2, *(f"{key}={value}" for key, value in words.items())]

    def in_ns3(network: Network, files: Path, until_s: float) -> Sequence[str | Path]:
        who: list[str | Path] = [files / "movements.tcl", str(network.nodes), network.routing]
        return [ns3, *who, files / "routes", files / "flows", f"{until_s:g}"]

    every = frozenset({"static", "aodv", "dsr", "dsdv", "olsr"})
    return [
        Simulator("Hopwright", every, ours),
        Simulator("ns-2", every - {"olsr"}, in_ns2),
        Simulator("ns-3", every, in_ns3),
    ]


def _built_ns3(folder: Path) -> Path:
    program = folder / "network"
    flags = ["pkg-config", "--cflags", "--libs", *(f"ns3-{part}" for part in NS3_PARTS)]
    found = subprocess.run(flags, check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["g++", "-O2", "-std=c++17", NS3, "-o", program, *found], check=True)
    return program


def _costs(
    case: Case, simulators: Sequence[Simulator], late: AbstractSet[str], rounds: int
) -> Found:
    """In turns; who was late for a smaller network is not asked."""
    network = case.network()
    pairs: dict[str, list[tuple[Cost, Cost]]] = {}
    able = [each for each in simulators if network.routing in each.routings]
    stopped = set(late)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        network.write(folder)
        for _ in range(rounds):
            for each in able:
                if each.name in stopped:
                    continue
                try:
                    pair = tuple(each.run(network, folder, s) for s in (case.short_s, case.long_s))
                except subprocess.TimeoutExpired:
                    stopped.add(each.name)
                    continue
                pairs.setdefault(each.name, []).append((pair[0], pair[1]))
    seconds = case.long_s - case.short_s
    return {
        each.name: None if each.name in stopped else _between(pairs[each.name], seconds)
        for each in able
    }


def _between(pairs: Sequence[tuple[Cost, Cost]], seconds: float) -> Cost:
    """Long runs less short ones: the median of the time, and what is the same in each round."""
    (short, long), *_ = pairs
    return Cost(
        median(long.cpu_s - short.cpu_s for short, long in pairs) / seconds,
        (long.delivered_bytes - short.delivered_bytes) / seconds,
        max(long.peak_kb for _, long in pairs),
    )


def _times(found: Found, peer: str) -> float | None:
    """A peer's CPU time over ours."""
    own, other = found["Hopwright"], found.get(peer)
    return None if own is None or other is None else other.cpu_s / own.cpu_s


def _reached(case: Case, found: Found) -> bool:
    """A peer whose run was stopped, or that lacks the routing, is not ahead."""
    if _is_idle(found):
        return True
    times = ((_times(found, peer), least) for peer, least in case.targets.items())
    return found["Hopwright"] is not None and all(n is None or n >= least for n, least in times)


def _shown(case: Case, found: Found) -> str:
    parts = [f"{name} {_cell(found, name, _cpu)}" for name in ("Hopwright", "ns-2", "ns-3")]
    return f"{case.name}: CPU ms a simulated second: {', '.join(parts)}"


def _cpu(cost: Cost) -> str:
    return f"{cost.cpu_s * 1000:.3g}"


def _per_megabyte(cost: Cost) -> str:
    if not cost.delivered_bytes:
        return "nothing delivered"
    return f"{cost.cpu_s / cost.delivered_bytes * 1e9:.3g}"


def _delivered(cost: Cost) -> str:
    return f"{cost.delivered_bytes * 8 / 1000:.4g}"


def _memory(cost: Cost) -> str:
    return f"{cost.peak_kb / 1024:.3g}"


def _cell(found: Found, name: str, show: Callable[[Cost], str]) -> str:
    if name not in found:
        return "has none"
    cost = found[name]
    if cost is None:
        return f"over {MOST_S} s"
    times = "" if name == "Hopwright" else _times(found, name)
    return f"{show(cost)} ({times:.3g} times)" if times and show is _cpu else show(cost)


def _report(cases: Sequence[Case], found: Mapping[str, Found]) -> str:
    names = ("Hopwright", "ns-2", "ns-3")

    def table(show: Callable[[Cost], str]) -> list[str]:
        rows = [
            f"| {case.name} | "
            + " | ".join(_cell(found[case.name], name, show) for name in names)
            + (f" | {_verdict(case, found[case.name])} |" if show is _cpu else " |")
            for case in cases
        ]
        head, line = f"| network | {' | '.join(names)} |", "| --- | ---: | ---: | ---: |"
        return (
            [f"{head} targets |", f"{line} --- |", *rows] if show is _cpu else [head, line, *rows]
        )

    return PAGE.format(
        system=platform.system(),
        machine=platform.machine(),
        most_s=MOST_S,
        cpu="\n".join(table(_cpu)),
        per_megabyte="\n".join(table(_per_megabyte)),
        delivered="\n".join(table(_delivered)),
        memory="\n".join(table(_memory)),
    )


def _is_idle(found: Found) -> bool:
    """Whether our program has delivered nothing, and so cannot be compared."""
    own = found["Hopwright"]
    return own is not None and not own.delivered_bytes


def _verdict(case: Case, found: Found) -> str:
    if _is_idle(found):
        return "not judged"
    wanted = ", ".join(
        f"{peer} {f'{least:g} times' if least > 1 else 'not faster'}"
        for peer, least in case.targets.items()
        if peer in found
    )
    return f"{wanted}: {'reached' if _reached(case, found) else '**missed**'}"


def _draw(cases: Sequence[Case], found: Mapping[str, Found]) -> None:
    """CPU time for each node and simulated second, against the number of nodes."""
    from matplotlib import pyplot as plt

    growing = [case for case in cases if case.series == LOCAL]
    with styled():
        figure, axes = plt.subplots(figsize=(COLUMN_IN, 0.75 * COLUMN_IN))
        for name, stroke in zip(("Hopwright", "ns-2", "ns-3"), STROKES, strict=False):
            points = [
                (int(case.name.split()[0].replace(",", "")), cost.cpu_s)
                for case in growing
                if (cost := found[case.name].get(name)) is not None
            ]
            axes.loglog(
                [nodes for nodes, _ in points],
                [cpu_s / nodes * 1e6 for nodes, cpu_s in points],
                label=name,
                color=stroke.colour,
                linestyle=stroke.dashes,
                marker=stroke.marker,
                markersize=stroke.size,
                markerfacecolor=stroke.colour if stroke.is_filled else "white",
            )
        axes.set_xlabel("nodes")
        axes.set_ylabel("CPU time per node\nand simulated second (µs)")
        axes.legend()
        figure.savefig(PICTURE, dpi=200)
        plt.close(figure)
    shrink(PICTURE)


if __name__ == "__main__":
    sys.exit(main())
