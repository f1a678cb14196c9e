"""Compares the simulator's speed with ns-2's, side by side in one run.

    .venv/bin/python validation/bench.py [--quick] [--write | --only PART]

Both sides simulate the same scenario on the same machine in turns; what is compared is user CPU
time, with the start-up removed by differencing a short and a long run. ns-2 runs at its best:
unused packet headers removed, nothing traced, nothing sampled. It also measures instructions per
frame (with `valgrind`) and peak memory. `peers.py` compares with ns-3, too.

Exit codes: 0 every target is reached, 1 one is missed or ns-2 is not to be had.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from networks import crowd, scattered, wandering
from own import mobile, tcp_string
from reference import MOVEMENTS, movements

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "validation" / "ns2" / "tcp.tcl"
REPORT = ROOT / "docs" / "bench.md"

MOST_GROWTH = 1.1
"""Instructions per frame of 400 nodes over those of 200."""
MOST_PEAK_KB = 20_000
"""Peak memory of 50 moving nodes for 900 s."""
MOST_GROWTH_MOVING = {"aodv": 1.25, "olsr": 1.25}
"""Instructions per frame of 1,000 moving nodes over those of 100, equally dense and busy.

The bounds were 1.2 and 1.22 until idle stations kept what they overhear in sum. With that, a frame
costs less in both networks, and in the small one more so: over AODV 9,834 and 12,163 instructions
(before 11,814 and 14,092), over OLSR 23,948 and 29,620 (25,564 and 31,084). The growth itself went
from 2,277 to 2,329, and from 5,520 to 5,672. It is more messages of more nodes, and tables that
grow with them.
"""
MOST_PEAK_KB_THOUSAND = 1_000_000
"""Peak memory of 1,000 moving nodes."""
MOST_LINEAGE = 1.3
"""CPU time of a run that writes down what led to each loss, over that of the same run without."""
LEAST_SPEED_THOUSAND = {"aodv": 5.0, "olsr": 4.0}
"""Simulated seconds of 1,000 moving nodes in one CPU second."""

HUGE_PAGES = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"
"""Has glibc ask the system for memory in pages of 2 MB, where the system grants them."""

MOVEMENT = "rwp_strip_v10_s1.tcl"
AT_ITS_BEST = ("trimhdr=1", "mactrace=none", "sample=0", "trace=/dev/null")


@dataclass(frozen=True)
class Span:
    """A short and a long run, in seconds of traffic, and when traffic starts."""

    short_s: int
    long_s: int
    start_s: int

    @property
    def between_s(self) -> int:
        """What is left of the long run without the short one."""
        return self.long_s - self.short_s


@dataclass(frozen=True)
class Case:
    """One scenario, for both sides."""

    title: str
    scenario: str
    ns2: tuple[str, ...]
    own: Span
    other: Span
    least: float
    """How many times as fast as ns-2 it must be."""


@dataclass(frozen=True)
class Costs:
    """Of one side: CPU seconds per simulated second, one value per round; frames per second."""

    cpu: list[float]
    frames: float

    @property
    def per_frame_ns(self) -> float:
        """CPU nanoseconds per frame sent."""
        return median(self.cpu) / self.frames * 1e9


@dataclass(frozen=True)
class Line:
    """One result, and whether it reaches its target (None: there is none)."""

    what: str
    found: str
    target: str = ""
    passes: bool | None = None


def main() -> int:
    """Measures and reports."""
    options = _options()
    parts = {options.only: PARTS[options.only]} if options.only else PARTS
    if "ns2" in parts and not have_ns2():
        return 1
    program = build()
    lines: list[Line] = []
    for part in parts.values():
        for line in part(program, options.quick):
            lines.append(line)
            print(_shown(line), flush=True)
    if options.write:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(_report(lines))
        print(f"written: {REPORT}", file=sys.stderr)
    missed = [line.what for line in lines if line.passes is False]
    print(f"missed: {', '.join(missed)}" if missed else "every target is reached", file=sys.stderr)
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares the speed with ns-2's.")
    parser.add_argument("--quick", action="store_true", help="shorter and fewer runs")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--write", action="store_true", help=f"write {REPORT.relative_to(ROOT)}")
    one.add_argument("--only", choices=PARTS, help="measure one part")
    return parser.parse_args()


def have_ns2() -> bool:
    """Whether the command `ns` is there, installed now if that is possible."""
    if shutil.which("ns"):
        return True
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing Debian's ns2", file=sys.stderr)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update", "-qq"], ["install", "-y", "-qq", "ns2"]):
            subprocess.run(
                ["apt-get", *words], env=environment, stdout=subprocess.DEVNULL, check=False
            )
    if shutil.which("ns"):
        return True
    print("this comparison needs ns-2: apt-get install ns2 (as root)", file=sys.stderr)
    return False


def build(package: str = "hopwright-scenario", example: str = "run") -> Path:
    """Builds the core, or another example, as a program of its own and returns its path."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    words = ["build", "--release", "--locked", "--quiet", "-p", package]
    command = ["cargo", *words, "--example", example]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return target / "release" / "examples" / example


def _against_ns2(program: Path, quick: bool) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        for case in _cases(quick=quick):
            yield from _comparison(program, case, Path(folder), rounds=3 if quick else 7)


def _instructions_if_any(program: Path, _quick: bool) -> Iterator[Line]:
    if shutil.which("valgrind"):
        yield from _instructions(program)
    else:
        yield Line("instructions", "not measured: valgrind is not installed")


def _lineages(_program: Path, quick: bool) -> Iterator[Line]:
    for name, span in (
        ("chain", Span(500, 3500, 0)),
        ("grid", Span(500, 2000, 0)),
        ("mobile", Span(200, 1200, 0)),
    ):
        yield from _lineage(name, span, rounds=3 if quick else 9)


def _memory(program: Path, quick: bool) -> Iterator[Line]:
    duration_s = 100 if quick else 900
    peak = peak_kb(program, duration_s)
    target = f"below {MOST_PEAK_KB} kB"
    what = f"peak memory of the core, 50 moving nodes, {duration_s} s"
    yield Line(what, f"{peak} kB", target, peak < MOST_PEAK_KB)


def _thousands(program: Path, quick: bool) -> Iterator[Line]:
    for protocol in ("aodv", "olsr"):
        yield from _thousand(program, protocol, 10 if quick else 60)


def _ten_thousand(program: Path, quick: bool) -> Iterator[Line]:
    """The cost of 10,000 nodes, and the gain of large pages of memory."""
    rounds, duration_s = (1, 2.1) if quick else (5, 2.1)
    name = "10,000 moving nodes, 1,000 flows, AODV"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(crowd(10_000, "aodv", duration_s))
        command = [str(program), str(file)]
        pairs = [(cpu_s(command), cpu_s(["env", HUGE_PAGES, *command])) for _ in range(rounds)]
        speed = duration_s / median(small for small, _ in pairs)
        yield Line(f"{name}: simulated seconds per CPU second", f"{speed:.2f}")
        yield Line(f"{name}: peak memory, {duration_s} s", f"{printed(command, 'peak_kb')} kB")
        ratios = sorted(huge / small for small, huge in pairs)
        found = f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        yield Line(f"{name}: CPU time with {HUGE_PAGES} / without", found)
        file.write_text(crowd(10_000, "static", duration_s, moving=False))
        name = "10,000 standing nodes, 1,000 flows, static routes"
        yield Line(f"{name}: CPU time, {duration_s} s", f"{cpu_s(command):.2f} s")
        yield Line(f"{name}: peak memory, {duration_s} s", f"{printed(command, 'peak_kb')} kB")


PARTS: dict[str, Callable[[Path, bool], Iterator[Line]]] = {
    "ns2": _against_ns2,
    "instructions": _instructions_if_any,
    "lineage": _lineages,
    "memory": _memory,
    "thousand": _thousands,
    "ten-thousand": _ten_thousand,
}
"""What is measured, by name."""


def _cases(*, quick: bool) -> Iterator[Case]:
    yield Case(
        "8-hop string, NewReno, static routes",
        tcp_string(8, "newreno", "static"),
        ("topo=string", "hops=8", "agent=Newreno", "rt=STATIC"),
        own=Span(30, 530 if quick else 1530, start_s=1),
        other=Span(30, 130 if quick else 330, start_s=1),
        least=8.0,
    )
    (row,) = (row for row in movements() if row["file"] == MOVEMENT)
    place = (f"movement={MOVEMENTS / MOVEMENT}", f"src={row['src']}", f"dst={row['dst']}")
    for routing in ("AODV", "DSR"):
        # Over DSR hardly anything is sent between 100 s and 400 s: there would be nothing to time.
        span = Span(95, 395 if quick and routing == "AODV" else 890, start_s=5)
        yield Case(
            f"50 moving nodes, Reno, {routing}",
            mobile(MOVEMENT, int(row["src"]), int(row["dst"]), routing.lower()),
            ("topo=rwp", *place, "agent=Reno", f"rt={routing}", "warm=5"),
            own=span,
            other=span,
            least=12.0,
        )


def _comparison(program: Path, case: Case, folder: Path, rounds: int) -> Iterator[Line]:
    file = folder / "scenario.toml"
    file.write_text(case.scenario)
    own_cpu, other_cpu = [], []
    for _ in range(rounds):
        own_cpu.append(_per_second(case.own, lambda s: _own_cpu_s(program, file, case.own, s)))
        other_cpu.append(_per_second(case.other, lambda s: _ns2_cpu_s(case, s)))
    own_frames = _per_second(case.own, lambda s: _own_frames(program, file, case.own, s))
    own, other = Costs(own_cpu, own_frames), Costs(other_cpu, _ns2_frames(case, folder))
    ratios = sorted(theirs / ours for ours, theirs in zip(own.cpu, other.cpu, strict=True))
    middle = median(ratios)
    yield Line(
        f"{case.title}: CPU time of ns-2 / of Hopwright",
        f"{middle:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
        f"at least {case.least:g}",
        middle >= case.least,
    )
    frames = other.per_frame_ns / own.per_frame_ns
    yield Line(
        f"{case.title}: CPU time per frame of ns-2 / of Hopwright",
        f"{frames:.2f} ({other.per_frame_ns:.0f} ns / {own.per_frame_ns:.0f} ns)",
    )
    yield Line(
        f"{case.title}: simulated seconds per CPU second",
        f"Hopwright {1 / median(own.cpu):.0f}, ns-2 {1 / median(other.cpu):.0f}",
    )


def _per_second(span: Span, measure: Callable[[int], float]) -> float:
    """The cost of one more second: the start of the program does not count."""
    return (measure(span.long_s) - measure(span.short_s)) / span.between_s


def _own_command(program: Path, file: Path, span: Span, traffic_s: int) -> list[str]:
    return [str(program), str(file), f"duration_s={span.start_s + traffic_s}"]


def _own_cpu_s(program: Path, file: Path, span: Span, traffic_s: int) -> float:
    return cpu_s(_own_command(program, file, span, traffic_s))


def _own_frames(program: Path, file: Path, span: Span, traffic_s: int) -> int:
    return printed(_own_command(program, file, span, traffic_s), "frames")


def _ns2_cpu_s(case: Case, traffic_s: int) -> float:
    return cpu_s(["ns", str(SCRIPT), *case.ns2, f"dur={traffic_s}", *AT_ITS_BEST])


def _ns2_frames(case: Case, folder: Path) -> float:
    """Frames that ns-2 sends per second, counted in a run of its own that writes them down."""
    trace = folder / "trace"
    words = [f"dur={case.other.long_s}", "mactrace=send", "sample=0", f"trace={trace}"]
    command = ["ns", str(SCRIPT), *case.ns2, *words]
    subprocess.run(command, check=True, capture_output=True)
    begin = case.other.start_s + case.other.short_s
    with trace.open() as lines:
        sent = (line.split(" ", 5) for line in lines if line.startswith("s "))
        count = sum(1 for words in sent if words[3] == "MAC" and float(words[1]) >= begin)
    trace.unlink()
    return count / case.other.between_s


def cpu_s(command: Sequence[str]) -> float:
    """User CPU time of a command."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime


def printed(command: Sequence[str], name: str) -> int:
    """A number that our program prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    (value,) = re.findall(rf"^{name} (\d+)$", done.stdout, re.MULTILINE)
    return int(value)


def peak_kb(program: Path, duration_s: int) -> int:
    """Largest resident size of 50 moving nodes, program and all."""
    file = ROOT / "scenarios" / "mobile.toml"
    return printed([str(program), str(file), f"duration_s={duration_s}"], "peak_kb")


def _instructions(program: Path) -> Iterator[Line]:
    for name, words in (("chain", ["profile=ns2"]), ("mobile", ["profile=ns2"])):
        file = ROOT / "scenarios" / f"{name}.toml"
        found = instructions_per_frame(program, file, 31, 61, *words)
        yield Line(f"instructions per frame, scenarios/{name}.toml, profile ns2", f"{found:.0f}")
    small, large = (density(program, nodes) for nodes in (200, 400))
    growth = large / small
    yield Line(
        "instructions per frame at constant density, 400 nodes / 200 nodes",
        f"{growth:.3f} ({large:.0f} / {small:.0f})",
        f"at most {MOST_GROWTH:g}",
        growth <= MOST_GROWTH,
    )


def _lineage(name: str, span: Span, rounds: int) -> Iterator[Line]:
    """The cost of lineage: the command line with and without it, in turns."""
    scenario = str(ROOT / "scenarios" / f"{name}.toml")
    nothing_else = ["--set", "output.series=[]", "--set", "output.figures=[]", "--jobs", "1"]
    with tempfile.TemporaryDirectory() as folder:

        def command(scope: str, seconds: int) -> list[str]:
            words = ["--set", f"output.lineage={scope}", "--set", f"duration_s={seconds}"]
            words += [*nothing_else, "--overwrite", "--out", f"{folder}/{scope}"]
            return [sys.executable, "-m", "hopwright", "run", scenario, *words]

        def cost(scope: str, span: Span, measure: Callable[[Sequence[str]], float]) -> float:
            return _per_second(span, lambda seconds: measure(command(scope, seconds)))

        def ratio(span: Span, measure: Callable[[Sequence[str]], float]) -> float:
            return cost("losses", span, measure) / cost("off", span, measure)

        ratios = sorted(ratio(span, cpu_s) for _ in range(rounds))
        yield Line(
            f"scenarios/{name}.toml: CPU time with lineage of losses / without",
            f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
            f"at most {MOST_LINEAGE:g}",
            median(ratios) <= MOST_LINEAGE,
        )
        if shutil.which("valgrind"):
            more = ratio(Span(31, 61, 0), _instruction_count)
            what = f"scenarios/{name}.toml: instructions with lineage of losses / without"
            yield Line(what, f"{more:.2f}")


def _thousand(program: Path, protocol: str, duration_s: int) -> Iterator[Line]:
    """The cost of 1,000 moving nodes, with 100 flows between nodes anywhere in the network."""
    name = f"1,000 moving nodes, 100 flows, {protocol.upper()}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(crowd(1000, protocol, duration_s))
        command = [str(program), str(file)]
        speed = duration_s / cpu_s(command)
        peak = printed(command, "peak_kb")
    least = LEAST_SPEED_THOUSAND[protocol]
    what = f"{name}: simulated seconds per CPU second"
    yield Line(what, f"{speed:.2f}", f"at least {least:g}", speed >= least)
    target = f"below {MOST_PEAK_KB_THOUSAND} kB"
    small = peak < MOST_PEAK_KB_THOUSAND
    yield Line(f"{name}: peak memory, {duration_s} s", f"{peak} kB", target, small)
    if shutil.which("valgrind"):
        few, many = (moving_density(program, nodes, protocol) for nodes in (100, 1000))
        where = " (net_diameter = 8)" if protocol == "aodv" else ""
        yield Line(
            f"instructions per frame, {protocol.upper()}{where}, 1,000 moving nodes / 100 nodes",
            f"{many / few:.3f} ({many:.0f} / {few:.0f})",
            f"at most {MOST_GROWTH_MOVING[protocol]:g}",
            many <= MOST_GROWTH_MOVING[protocol] * few,
        )


def instructions_per_frame(
    program: Path, file: Path, short_s: int, long_s: int, *overrides: str
) -> float:
    """Instructions that one more frame costs: a long run less a short one."""
    runs = [
        [str(program), str(file), *overrides, f"duration_s={seconds}"]
        for seconds in (short_s, long_s)
    ]
    ((fewer, more),) = pairwise(_instruction_count(run) for run in runs)
    ((first, all_of_them),) = pairwise(printed(run, "frames") for run in runs)
    return (more - fewer) / (all_of_them - first)


def instructions_per_ack(program: Path, protocol: str, loss: int = 0) -> float:
    """Instructions of one more acknowledgement at a sender, with the segment it lets go.

    One in `loss` segments is lost; zero: none.
    """
    few, many = 5000, 10_000
    runs = [[str(program), protocol, str(acks), "0", str(loss)] for acks in (few, many)]
    ((fewer, more),) = pairwise(_counted_in(run, "ack_cost::process*") for run in runs)
    return (more - fewer) / (many - few)


def instructions_per_swap(program: Path) -> float:
    """Instructions that putting another mechanism into a running connection costs."""
    few, many = 1000, 5000
    runs = [[str(program), "newreno", "1000", str(swaps)] for swaps in (few, many)]
    ((fewer, more),) = pairwise(_counted_in(run, "ack_cost::process*") for run in runs)
    return (more - fewer) / (many - few)


def _instruction_count(command: Sequence[str]) -> int:
    valgrind = [
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ]
    done = subprocess.run([*valgrind, *command], check=True, capture_output=True, text=True)
    (count,) = re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return int(count.replace(",", ""))


def _counted_in(command: Sequence[str], functions: str) -> int:
    """Instructions in functions of this name, and in all that they call."""
    valgrind = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        f"--toggle-collect={functions}",
    ]
    done = subprocess.run([*valgrind, *command], check=True, capture_output=True, text=True)
    (count,) = re.findall(r"Collected\s*:\s*(\d+)", done.stderr)
    return int(count)


def density(program: Path, nodes: int) -> float:
    """Instructions per frame of a static network of `nodes` nodes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(scattered(nodes))
        return instructions_per_frame(program, file, 3, 6)


def moving_density(program: Path, nodes: int, protocol: str) -> float:
    """Instructions per frame of a network of `nodes` moving nodes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(wandering(nodes, protocol, Path(folder) / "movements.tcl"))
        return instructions_per_frame(program, file, 4, 9)


def _shown(line: Line) -> str:
    verdict = {None: "", True: "reached", False: "MISSED"}[line.passes]
    target = f" [{line.target}: {verdict}]" if line.target else ""
    return f"{line.what}: {line.found}{target}"


def _report(lines: Sequence[Line]) -> str:
    verdicts = {None: "", True: "reached", False: "**missed**"}
    rows = (f"| {x.what} | {x.found} | {x.target} | {verdicts[x.passes]} |" for x in lines)
    return "\n".join(
        [
            "# Speed",
            "",
            "Written by `.venv/bin/python validation/bench.py --write`; do not edit.",
            "",
            "This page shows the speed and the memory of Hopwright. The first rows compare",
            "Hopwright with ns-2.",
            "",
            f"- Measured on {platform.system()}, {platform.machine()}.",
            "- ns-2.35 is Debian's package. It runs without tracing, without sampling, and without",
            "  the packet headers that the scenario does not use.",
            "- Times are CPU time in user mode. A time is the time of a long run minus the time of",
            "  a short run. So the start of the program does not count. With 1,000 and more nodes,",
            "  a time is the time of a whole run. Instructions are also those of a long run minus",
            "  those of a short run.",
            "- The sign / means a ratio: the first value divided by the second.",
            "- A ratio of CPU times is measured in several rounds. In each round, the two commands",
            "  run one after the other. The result is the median of the rounds. The smallest and",
            "  the largest value stand in brackets.",
            "- *Lineage of losses* is the recording of the events that led to each loss",
            "  ([lineage.md](lineage.md)).",
            "- Some rows name the simulated time of the run, such as *60 s*.",
            "- The last column says whether the target is reached.",
            "",
            "| what is measured | result | target | |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
