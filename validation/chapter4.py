"""Chapter 4 of Papanastasiou 2006, compared with ns-2: results and CPU times of cells.

    .venv/bin/python validation/chapter4.py [--write] [--runs N] [--only TEXT]

Needs Debian's `ns2`. A cell is a point of one of the chapter's files in `scenarios/papers`, over
AODV or DSR as ns-2 has them. Both programs run every seed, in turns: on moving nodes along the same
ways and between the same pairs. SCA is in ns-2 what `increase_num_` = 1/(k + 1) makes of Reno: as
much growth, spread over all acknowledgements. ns-2 has no slow start slowed down and no limits that
adapt: these cells have no counterpart.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench import build
from hopwright._io.data import Json, items
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.fields import Value
from hopwright.research.papers.library import every
from hopwright.research.papers.points import overrides, source_of
from hopwright.statistics.moments import Moments, ratio

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "chapter4-ns2.md"

RUNS = 5
MOST_COST = 0.1
"""Of ns-2's CPU time."""

DSR_AS_IN_NS2: Mapping[str, Value] = {"routing.dsr": {"profile": "ns2"}}
AODV_AS_IN_NS2: Mapping[str, Value] = {"routing.aodv": {"profile": "ns2"}}


@dataclass(frozen=True)
class Cell:
    """A point of a paper's file that both programs run."""

    document: str
    labels: tuple[str, ...]
    routing: str
    ns2: dict[str, str] = field(default_factory=dict)
    """What ns-2 is told beyond routing, nodes, time and seed."""


def increase(k: int) -> dict[str, str]:
    """ns-2's `increase_num_` of SCA with parameter k."""
    return {"increase": f"{1 / (k + 1):.10f}"}


def cells() -> Iterator[Cell]:
    """A sample of every table and figure of the chapter that ns-2 can run."""
    for hops in ("4", "8", "11"):
        string = {"topo": "string", "hops": hops}
        yield Cell("pap-4.3-strings", (hops, "Reno"), "DSR", {**string, "agent": "Reno"})
        sca = {**string, "agent": "Reno", **increase(4)}
        yield Cell("pap-4.3-strings", (hops, "SCA Reno"), "DSR", sca)
        sca = {**string, "agent": "Newreno", **increase(4)}
        yield Cell("pap-4.3-strings", (hops, "SCA NewReno"), "DSR", sca)
    for routing in ("DSR", "AODV"):
        file = f"pap-4.4-moving-{routing.lower()}"
        for speed in ("2", "10"):
            one = {"topo": "rwp", "maxrto": "240"}
            yield Cell(file, ("0", speed, "Reno"), routing, {**one, "agent": "Reno"})
            sca = {**one, "agent": "Reno", **increase(10)}
            yield Cell(file, ("0", speed, "SCA 10"), routing, sca)
        vegas = {"topo": "rwp", "maxrto": "240", "agent": "Vegas", "segsize": "1420"}
        yield Cell(file, ("0", "2", "Vegas"), routing, vegas)
        for label, more in (("Reno", {}), ("SCA 10", increase(10))):
            five = {"topo": "rwp", "maxrto": "240", "agent": "Reno", **more}
            yield Cell(f"{file}-5flows", ("0", "2", label), routing, five)


@dataclass(frozen=True)
class Run:
    """What one run of one program gave and took."""

    segments: float
    cpu_s: float


@dataclass(frozen=True)
class Row:
    """A cell and its runs."""

    cell: Cell
    ours: Sequence[Run]
    ns2: Sequence[Run]

    def cost(self) -> float:
        """Our CPU time over ns-2's, of all runs."""
        return sum(run.cpu_s for run in self.ours) / sum(run.cpu_s for run in self.ns2)

    def line(self) -> str:
        """A row of the table."""
        both = (self.ours, self.ns2)
        ours, theirs = (Moments.of([run.segments for run in runs]) for runs in both)
        compared = ratio(ours, theirs)
        found = "–"
        if compared is not None and compared.ends is not None:
            found = f"{compared.estimate:.3f} ({compared.ends[0]:.3f} to {compared.ends[1]:.3f})"
        cpu = [sum(run.cpu_s for run in runs) / len(runs) for runs in (self.ours, self.ns2)]
        return (
            f"| {self.cell.document} | {', '.join(self.cell.labels)} | {ours.mean:.0f} "
            f"| {theirs.mean:.0f} | {found} | {cpu[0]:.3f} | {cpu[1]:.3f} | {self.cost():.3f} |"
        )


def compare(cell: Cell, program: Path, runs: int) -> Row:
    """Runs a cell in both programs, in turns."""
    document = read(every()[cell.document])
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, runs + 1):
            file, words = _prepared(document, cell, seed, Path(folder))
            ours.append(_run([str(program), str(file)], r"^segments (\d+)$"))
            theirs.append(_run(words, r"^RESULT segments (\d+)$"))
    return Row(cell, ours, theirs)


def _prepared(document: Document, cell: Cell, seed: int, folder: Path) -> tuple[Path, list[str]]:
    """Our scenario's file, and ns-2's command line."""
    point = next(
        point for point in document.points() if tuple(each.label for each in point) == cell.labels
    )
    as_in_ns2 = DSR_AS_IN_NS2 if cell.routing == "DSR" else AODV_AS_IN_NS2
    scenario = source_of(document).load(overrides(point, {**as_in_ns2, "seed": seed}))
    file = folder / "scenario.toml"
    file.write_text(scenario.to_toml())
    arguments = {"rt": cell.routing, "dur": f"{scenario.duration_s:g}", "warm": "0"}
    arguments |= {"mactrace": "none", "sample": "0", "seed": str(seed), **cell.ns2}
    if cell.ns2["topo"] == "rwp":
        movement = folder / "movement.tcl"
        movement.write_text(scenario.movement_as("ns2"))
        arguments |= {"movement": str(movement), "pairs": _pairs(scenario.network_json(1))}
    words = [f"{key}={value}" for key, value in arguments.items()]
    return file, ["ns", str(HERE / "ns2" / "tcp.tcl"), *words]


def _pairs(network: str) -> str:
    found: Json = json.loads(network)
    pairs = [list(items(flow)) for flow in items(found, "flows")]
    return ",".join(f"{one}-{other}" for one, other in pairs)


def _run(command: Sequence[str], pattern: str) -> Run:
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{errors}")
        out.seek(0)
        (segments,) = re.findall(pattern, out.read(), re.MULTILINE)
    return Run(float(segments), usage.ru_utime)


HEAD = """# Chapter 4 of Papanastasiou 2006 beside ns-2

Written by `.venv/bin/python validation/chapter4.py --write`; do not edit.

This page compares Hopwright with ns-2.35: the number of acknowledged segments, and the CPU time.
Chapter 4 of the thesis (Papanastasiou 2006) has tables and figures with many cells. This page has
a sample of the cells that ns-2 can run. Each cell is a point of a file in `scenarios/papers`.
Both programs make {runs} runs of each cell, in turns. Hopwright uses the settings of its profile
`ns2` for AODV and DSR. If nodes move, both programs use the same movement and the same pairs of
nodes.

- **Cells.** A cell of `pap-4.3-strings` is named by the number of hops and the transport. A cell of
  any other file is named by the pause in s, the highest speed in m/s, and the transport.
- **Columns.** Segments and CPU time are means over the runs. CPU time is the user time of the whole
  process. A ratio is Hopwright's value divided by ns-2's value. The range after a ratio is its
  95 % interval.
- **SCA.** ns-2 does not have slow congestion avoidance (SCA). In place of SCA with parameter k,
  ns-2 runs Reno or NewReno with `increase_num_` = 1/(k + 1). Then the window grows equally fast in
  both programs. SCA increases the window after one of k + 1 acknowledgements. ns-2 increases it by
  a small amount after each acknowledgement.
- **Not compared.** ns-2 has no slowed-down slow start (SS) and no adaptive limits (adaptive CWL,
  adaptive SCA). So this page has no cells with these mechanisms.
- **DSR.** The thesis used another implementation of DSR than that of ns-2. On this page, both
  programs use DSR as in ns-2.

| file | cell | segments, Hopwright | ns-2 | ratio (95 %) | CPU s, Hopwright | ns-2 | CPU ratio |
| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |
"""


def main() -> None:
    """Runs the cells and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"rewrite {PAGE.name}")
    parser.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help=f"runs of each cell [{RUNS}]"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only cells of files whose names contain TEXT"
    )
    options = parser.parse_args()
    if shutil.which("ns") is None:
        sys.exit("this comparison needs ns-2: apt-get install ns2 (as root)")
    program = build()
    rows = []
    for cell in cells():
        if options.only in cell.document:
            rows.append(compare(cell, program, options.runs))
            print(rows[-1].line(), flush=True)
    costs = [row.cost() for row in rows]
    within = sum(cost <= MOST_COST for cost in costs)
    last = (
        f"\nThe CPU ratio is {min(costs):.3f} to {max(costs):.3f}, and its median is "
        f"{median(costs):.3f}. In {within} of {len(costs)} cells it is at most {MOST_COST:g}.\n"
    )
    print(last)
    if options.write:
        lines = "".join(row.line() + "\n" for row in rows)
        PAGE.write_text(HEAD.format(runs=options.runs) + lines + last)


if __name__ == "__main__":
    main()
