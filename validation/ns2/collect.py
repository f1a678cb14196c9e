"""Runs ns-2.35 and renews the reference tables beside this file.

    python validation/ns2/collect.py [--only FILE] [--jobs N]

Needs Debian's `ns2` (the command `ns`). Every run's counts go to `results/ns2/` first: a run that
is already there is not repeated. Rows of a table that no plan below names stay as they are.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

HERE = Path(__file__).resolve().parent
MOVEMENTS = HERE.parent / "movements"
RAW = HERE.parents[1] / "results" / "ns2"

KINDS = {
    "RTS": "rts",
    "CTS": "cts",
    "ACK": "macack",
    "tcp": "data",
    "cbr": "data",
    "udp": "data",
    "ack": "tcpack",
    "AODV": "rtg",
    "ARP": "arp",
}
"""Names of packet kinds: in ns-2's trace, in the tables."""

CAUSES = {"COL": "col", "RET": "ret"}
"""Reasons for which the MAC drops a frame: collided at its addressee; out of tries."""

Counts = dict[str, float]


@dataclass(frozen=True)
class Plan:
    """Rows of one table: a script, its arguments, the seeds."""

    table: str
    script: str
    row: tuple[tuple[str, str], ...]
    """The row's columns, which are arguments of the script as well."""
    fixed: tuple[tuple[str, str], ...]
    """Further arguments."""
    seeds: range

    def arguments(self, seed: int) -> list[str]:
        """What stands on the command line after `ns`; it also names the result."""
        words = [f"{key}={value}" for key, value in (*self.fixed, *self.row) if key != "movement"]
        return [self.script, *words, f"seed={seed}"]

    def movement(self) -> list[str]:
        """The movement file, whose path is of this machine."""
        return [f"movement={MOVEMENTS / file}" for key, file in self.row if key == "movement"]


def plans() -> Iterator[Plan]:
    """All rows that the validation compares with."""
    yield from _strings()
    yield from _saturation()
    yield from _windows()
    yield from _udp_strings()
    yield from _mobile()


def _strings() -> Iterator[Plan]:
    static = ("STATIC", range(1, 21), ("Reno", "Newreno", "Sack1", "Vegas"))
    for routing, seeds, agents in (static, ("AODV", range(1, 31), ("Reno", "Newreno"))):
        for agent in agents:
            for hops in range(1, 9):
                row = {"hops": hops, "agent": agent, "rt": routing, "rts": 0, "delack": 0}
                fixed = {"topo": "string", "dur": 300}
                # Vegas resends so little that its counts vary by a quarter and more.
                chosen = range(1, 121) if agent == "Vegas" and hops >= 4 else seeds
                yield Plan("strings.csv", "tcp.tcl", _words(row), _words(fixed), chosen)


def _windows() -> Iterator[Plan]:
    for hops in (4, 8):
        for window in (*range(1, 11), 64):
            row = {"hops": hops, "agent": "Newreno", "rt": "STATIC", "rts": 0, "delack": 0}
            row["window"] = window
            fixed = {"topo": "string", "dur": 300}
            yield Plan("window-limits.csv", "tcp.tcl", _words(row), _words(fixed), range(1, 21))


def _saturation() -> Iterator[Plan]:
    for rts in (0, 3000):
        for senders in (1, 2, 3, 5, 10, 20):
            row = {"nn": senders, "rts": rts}
            fixed = {"topo": "star", "rate": "2e6", "rt": "STATIC", "dur": 60}
            yield Plan("saturation.csv", "udp.tcl", _words(row), _words(fixed), range(1, 21))


def _udp_strings() -> Iterator[Plan]:
    for old in _read(HERE / "udp-strings.csv"):
        if old["rt"] == "STATIC":
            row = {key: old[key] for key in ("hops", "rate", "rt", "rts")}
            fixed = {"topo": "string", "dur": 60}
            yield Plan("udp-strings.csv", "udp.tcl", _words(row), _words(fixed), range(1, 11))


def _mobile() -> Iterator[Plan]:
    for file in _read(MOVEMENTS / "index.csv"):
        row = {"movement": file["file"], "src": file["src"], "dst": file["dst"]}
        row |= {"agent": "Reno", "rt": "AODV"}
        fixed = {"topo": "rwp", "warm": 5, "dur": 890}
        yield Plan("random-waypoint.csv", "tcp.tcl", _words(row), _words(fixed), range(1, 4))


def _words(arguments: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((key, str(value)) for key, value in arguments.items())


def counts_of(plan: Plan, seed: int) -> Counts:
    """What one run counted: from the store, or else from ns-2."""
    name = " ".join([*plan.arguments(seed), *(f for k, f in plan.row if k == "movement")])
    stored = RAW / (name.replace("/", "-") + ".json")
    if stored.exists():
        counts: Counts = json.loads(stored.read_text())
        return counts
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        command = ["ns", *plan.arguments(seed), *plan.movement(), f"trace={trace}"]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        counts = {**_results(done.stdout), **_dropped(trace)}
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(counts))
    return counts


def _results(output: str) -> Counts:
    lines = (line.split() for line in output.splitlines())
    pairs = (words[1:] for words in lines if words[:1] == ["RESULT"])
    return {key: float(value) for key, value in pairs if key != "per_flow"}


def _dropped(trace: Path) -> Counts:
    """Frames that the MACs dropped, by cause and kind."""
    counted: Counter[str] = Counter()
    for cause in CAUSES.values():
        counted.update({f"{cause}_{kind}": 0 for kind in ("total", *KINDS.values())})
    with trace.open() as lines:
        for line in lines:
            words = line.split()
            if words[0] == "D" and words[3] == "MAC" and words[4] in CAUSES:
                cause = CAUSES[words[4]]
                counted.update([f"{cause}_total", f"{cause}_{KINDS[words[6]]}"])
    return {key: float(count) for key, count in counted.items()}


def _renew(table: str, planned: Sequence[Plan], counts: Mapping[tuple[Plan, int], Counts]) -> None:
    """Puts means and standard deviations into the table's rows."""
    rows = _read(HERE / table)
    columns = list(rows[0])
    for plan in planned:
        runs = [counts[plan, seed] for seed in plan.seeds]
        row = next((r for r in rows if all(r[k] == v for k, v in plan.row)), None)
        if row is None:
            raise SystemExit(f"{table}: no row {plan.row}")
        row["n"] = str(len(runs))
        for column in columns:
            if column.endswith("_mean"):
                values = [run[column.removesuffix("_mean")] for run in runs]
                row[column] = f"{fmean(values):.8g}"
                row[column.removesuffix("_mean") + "_sd"] = f"{stdev(values):.6g}"
    with (HERE / table).open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Runs what is missing and rewrites the tables."""
    parser = argparse.ArgumentParser(description="Runs ns-2 and renews the reference tables.")
    parser.add_argument("--only", metavar="FILE", help="one table, such as strings.csv")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time [2]")
    options = parser.parse_args()
    planned = [plan for plan in plans() if options.only in (None, plan.table)]
    for table in dict.fromkeys(plan.table for plan in planned):
        _collect(table, [plan for plan in planned if plan.table == table], options.jobs)


def _collect(table: str, planned: Sequence[Plan], jobs: int) -> None:
    """Runs what one table still lacks and rewrites it."""
    tasks = [(plan, seed) for plan in planned for seed in plan.seeds]
    counts: dict[tuple[Plan, int], Counts] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for task, found in zip(tasks, pool.map(lambda task: counts_of(*task), tasks), strict=True):
            counts[task] = found
            print(f"\r{table}: {len(counts)} of {len(tasks)} runs", end="", file=sys.stderr)
    print(file=sys.stderr)
    _renew(table, planned, counts)


if __name__ == "__main__":
    main()
