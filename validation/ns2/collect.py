"""Runs ns-2.35 and renews the reference tables beside this file.

    python validation/ns2/collect.py [--only FILE] [--jobs N]

Needs Debian's `ns2` (the command `ns`). Every run's counts go to `results/ns2/` first: a run that
is already there is not repeated. Rows of a table that no plan below names stay as they are; a table
of `MADE` gets a row for every plan.
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
from itertools import product
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
    "DSR": "rtg",
    "ARP": "arp",
}
"""Names of packet kinds: in ns-2's trace, in the tables."""

CAUSES = {"COL": "col", "RET": "ret"}
"""Reasons for which the MAC drops a frame: collided at its addressee; out of tries."""

Counts = dict[str, float]

SUMS = {
    "col_rts_cts": ("col_rts", "col_cts"),
    "col_printed": ("col_rts", "col_cts", "col_data", "col_tcpack"),
    "lost": ("ret_data", "ret_tcpack"),
    "fail_total": ("ret_rts", "ret_data", "ret_tcpack"),
    "packets_in_flight": ("data_in_flight", "acks_in_flight"),
    "segments_outer": ("segments_1", "segments_3"),
    "window_error": ("cwnd_avg", "-data_in_flight"),
}
"""Columns that are sums of numbers of each run, some with the other sign."""

POLICIES = (0, 1000, 3000)
"""Thresholds: RTS/CTS before data and acknowledgements, before data, never."""

MADE = {
    "papers.csv": (
        ("topo", "hops", "flows", "lines", "agent", "rt", "rts", "delack", "basicrate", "dur"),
        (
            *("segments", "rto", "rto_time_s", "rto_wait_s", "retransmits"),
            *("cwnd_avg", "window_error"),
            *("col_rts_cts", "col_data", "col_tcpack", "col_printed", "col_total"),
            *("ret_rts", "ret_data", "ret_tcpack", "lost", "fail_total"),
            *("data_in_flight", "acks_in_flight", "packets_in_flight"),
        ),
    ),
    "contention.csv": (
        (
            *("topo", "hops", "connections", "flows", "lines", "agent", "rt", "rts", "delack"),
            *("tick", "basicrate", "dur"),
        ),
        (
            *("segments", "segments_1", "segments_2", "segments_3", "segments_outer"),
            *("rto", "retransmits"),
            *("cwnd_avg", "col_rts_cts", "col_data", "col_tcpack", "col_printed", "col_total"),
            *("ret_rts", "ret_data", "ret_tcpack", "lost", "fail_total"),
        ),
    ),
    "energy.csv": (
        ("hops", "interval", "rts", "powers"),
        ("packets", *(f"node_{node}_j" for node in range(6))),
    ),
    "dsr-uu-strings.csv": (
        ("hops", "agent", "rt", "increase"),
        ("goodput_bps", "segments", "rto", "retransmits"),
    ),
    "dsr-uu-moving.csv": (
        ("movement", "src", "dst", "agent", "rt"),
        ("goodput_bps", "segments", "rto", "retransmits"),
    ),
}
"""Tables that hold nothing but planned rows: the columns that tell rows apart, the counts."""


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
        given = [(key, value) for key, value in (*self.fixed, *self.row) if value]
        words = [f"{key}={value}" for key, value in given if key != "movement"]
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
    yield from _papers()
    yield from _contention()
    yield from _energy()
    yield from _dsr_uu()


def _strings() -> Iterator[Plan]:
    static = ("STATIC", range(1, 21), ("Reno", "Newreno", "Sack1", "Vegas"))
    found = [(routing, range(1, 31), ("Reno", "Newreno")) for routing in ("AODV", "DSR")]
    for routing, seeds, agents in (static, *found):
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
    for routing, file in product(("AODV", "DSR"), _read(MOVEMENTS / "index.csv")):
        row = {"movement": file["file"], "src": file["src"], "dst": file["dst"]}
        row |= {"agent": "Reno", "rt": routing}
        fixed = {"topo": "rwp", "warm": 5, "dur": 890}
        yield Plan("random-waypoint.csv", "tcp.tcl", _words(row), _words(fixed), range(1, 4))


def _papers() -> Iterator[Plan]:
    """The cells of a paper's tables (`scenarios/papers`), and other readings of its set-up.

    The readings that no verdict is about have fewer runs.
    """
    for routing, agent in product(("AODV", "STATIC"), ("Reno", "Newreno", "Sack1", "Vegas")):
        yield _cell({"hops": 5, "agent": agent, "rt": routing, "dur": 140})
    for setting, rts in product(
        (
            {"rt": "STATIC", "dur": 180},
            {"rt": "STATIC", "dur": 120},
            {"rt": "AODV", "dur": 120},
            {"rt": "STATIC", "dur": 180, "basicrate": "2Mb"},
        ),
        POLICIES,
    ):
        yield _cell({"hops": 4, "rts": rts, **setting})
    lengths = list(product((4, 5, 8, 11), (0, 3000)))
    grids = list(product(("h3", "h3v3"), (0, 1), POLICIES))
    for hops, rts in lengths:
        yield _cell({"hops": hops, "rts": rts, "rt": "STATIC", "delack": 1})
    for flows, delack, rts in grids:
        setting = {"flows": flows, "rt": "STATIC", "rts": rts, "delack": delack}
        yield _cell({"lines": "0/2/4", **setting}, 8, watched=False)
    for hops, rts in lengths:
        yield _cell({"hops": hops, "rts": rts, "rt": "AODV", "delack": 1}, 3, watched=False)


def _cell(given: Mapping[str, object], runs: int = 20, *, watched: bool = True) -> Plan:
    """Rows of `papers.csv`; to watch time-outs and packets in the network takes twice the time."""
    row: dict[str, object] = dict.fromkeys(MADE["papers.csv"][0], "")
    usual = {"agent": "Newreno", "rts": 0, "delack": 0, "basicrate": "1Mb", "dur": 300}
    row |= {"topo": "grid" if "flows" in given else "string"} | usual | dict(given)
    fixed = {"watch": 0.01, "agenttrace": 1} if watched else {}
    return Plan("papers.csv", "tcp.tcl", _words(row), _words(fixed), range(1, runs + 1))


def _contention() -> Iterator[Plan]:
    """What the policies of RTS/CTS, the acknowledgements and the clock's tick do over strings.

    And three flows in a grid, each counted by itself.
    """
    for hops, delack, rts in product(range(3, 12), (0, 1), POLICIES):
        row: dict[str, object] = {"hops": hops, "connections": 1, "delack": delack, "rts": rts}
        # With RTS/CTS before all, data and acknowledgements collide a few dozen times in a run.
        runs = 30 if rts == 0 else 20
        yield _contending(row, runs if 4 <= hops <= 8 else 8)
    for delack, rts in product((0, 1), POLICIES):
        row = {"flows": "h3", "lines": "0/2/4", "delack": delack, "rts": rts}
        yield _contending(row, 16)
    for tick, hops in product((0.001, 0.01, 0.05, 0.2, 0.5), range(3, 12)):
        row = {"hops": hops, "connections": 1, "tick": tick, "dur": 180}
        yield _contending(row, 5)
    lengths = (3, 4, 6, 11)
    for connections, hops, delack, rts in product((2, 3, 6), lengths, (0, 1), POLICIES):
        row = {"hops": hops, "connections": connections, "delack": delack, "rts": rts}
        yield _contending(row, 3)


def _contending(given: Mapping[str, object], runs: int) -> Plan:
    """Rows of `contention.csv`."""
    row: dict[str, object] = dict.fromkeys(MADE["contention.csv"][0], "")
    usual = {"agent": "Newreno", "rt": "STATIC", "rts": 0, "delack": 0, "tick": 0.01}
    usual |= {"topo": "grid" if "flows" in given else "string", "basicrate": "1Mb", "dur": 300}
    row |= usual | dict(given)
    return Plan("contention.csv", "tcp.tcl", _words(row), (), range(1, runs + 1))


def _energy() -> Iterator[Plan]:
    """What each radio takes: where frames never meet, and where the source has always one."""
    waiting = [(3, 0.1, "1.6,1.2,1.15", 3)]
    saturated = [(hops, 0.005, "1.6,1.2,0", 20) for hops in (3, 5)]
    for (hops, interval, powers, runs), rts in product(waiting + saturated, (0, 3000)):
        row = {"hops": hops, "interval": interval, "rts": rts, "powers": powers}
        fixed = {"dur": 60}
        yield Plan("energy.csv", "energy.tcl", _words(row), _words(fixed), range(1, runs + 1))


def _dsr_uu() -> Iterator[Plan]:
    """DSR-UU itself, which takes an ns-2 with it (`--dsr-uu`). `increase`: 1/(k + 1) is SCA."""
    for agent, hops, increase in product(("Reno", "Newreno"), range(1, 9), ("1.0", "0.2")):
        row = {"hops": hops, "agent": agent, "rt": "DSRUU", "increase": increase}
        fixed = {"topo": "string", "dur": 300}
        yield Plan("dsr-uu-strings.csv", "tcp.tcl", _words(row), _words(fixed), range(1, 21))
    for file in _read(MOVEMENTS / "index.csv"):
        row = {"movement": file["file"], "src": file["src"], "dst": file["dst"]}
        row |= {"agent": "Reno", "rt": "DSRUU"}
        fixed = {"topo": "rwp", "warm": 5, "dur": 890}
        yield Plan("dsr-uu-moving.csv", "tcp.tcl", _words(row), _words(fixed), range(1, 7))


def _words(arguments: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((key, str(value)) for key, value in arguments.items())


def counts_of(plan: Plan, seed: int, ns2: str) -> Counts:
    """What one run counted: from the store, or else from ns-2, whose program is `ns2`."""
    name = " ".join([*plan.arguments(seed), *(f for k, f in plan.row if k == "movement")])
    stored = RAW / (name.replace("/", "-") + ".json")
    if stored.exists():
        counts: Counts = json.loads(stored.read_text())
        return counts
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        command = [ns2, *plan.arguments(seed), *plan.movement(), f"trace={trace}"]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        counts = {**_results(done.stdout), **_dropped(trace)}
        options = dict(plan.fixed) | dict(plan.row)
        if options.get("agenttrace"):
            counts |= _in_flight(trace, float(options["dur"]))
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(counts))
    return counts


def _results(output: str) -> Counts:
    lines = (line.split() for line in output.splitlines())
    found = dict(words[1:] for words in lines if words[:1] == ["RESULT"])
    flows = found.pop("per_flow").split("/") if "per_flow" in found else []
    by_flow = {f"segments_{place}": value for place, value in enumerate(flows, start=1)}
    return {key: float(value) for key, value in {**found, **by_flow}.items()}


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


def _in_flight(trace: Path, duration_s: float) -> Counts:
    """Mean packets in the network: sent by an agent, and neither arrived nor, at last, dropped."""
    sent: dict[str, tuple[str, float]] = {}
    gone: dict[str, float] = {}
    arrived: set[str] = set()
    with trace.open() as lines:
        for line in lines:
            what, when, _, layer, cause, packet, kind, *_ = line.split()
            if kind not in ("tcp", "ack"):
                continue
            if what == "s" and layer == "AGT":
                sent[packet] = (kind, float(when))
            elif what == "r" and layer == "AGT":
                gone[packet] = float(when)
                arrived.add(packet)
            elif what == "D" and cause != "COL" and packet not in arrived:
                gone[packet] = float(when)
    begin = min(time for _, time in sent.values())
    total = {"tcp": 0.0, "ack": 0.0}
    for packet, (kind, start) in sent.items():
        total[kind] += gone.get(packet, begin + duration_s) - start
    return {
        "data_in_flight": total["tcp"] / duration_s,
        "acks_in_flight": total["ack"] / duration_s,
    }


def _renew(table: str, planned: Sequence[Plan], counts: Mapping[tuple[Plan, int], Counts]) -> None:
    """Puts means and standard deviations into the table's rows."""
    if table in MADE:
        keys, names = MADE[table]
        rows = [dict(plan.row) for plan in planned]
        columns = [*keys, "n", *(f"{name}_{part}" for name in names for part in ("mean", "sd"))]
    else:
        rows = _read(HERE / table)
        columns = list(rows[0])
    for plan in planned:
        runs = [_with_sums(counts[plan, seed]) for seed in plan.seeds]
        row = next((r for r in rows if all(r[k] == v for k, v in plan.row)), None)
        if row is None:
            raise SystemExit(f"{table}: no row {plan.row}")
        row["n"] = str(len(runs))
        for column in columns:
            if column.endswith("_mean") and column.removesuffix("_mean") in runs[0]:
                values = [run[column.removesuffix("_mean")] for run in runs]
                row[column] = f"{fmean(values):.8g}"
                row[column.removesuffix("_mean") + "_sd"] = f"{stdev(values):.6g}"
    with (HERE / table).open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _with_sums(counts: Counts) -> Counts:
    """The counts and what `SUMS` makes of them, where a run has what that takes."""
    found = dict(counts)
    for name, parts in SUMS.items():
        names = [part.removeprefix("-") for part in parts]
        if all(part in counts for part in names):
            signs = [-1 if part.startswith("-") else 1 for part in parts]
            found[name] = sum(sign * counts[part] for sign, part in zip(signs, names, strict=True))
    return found


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Runs what is missing and rewrites the tables."""
    parser = argparse.ArgumentParser(description="Runs ns-2 and renews the reference tables.")
    parser.add_argument("--only", metavar="FILE", help="one table, such as strings.csv")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time [2]")
    parser.add_argument("--dsr-uu", metavar="NS", help="an ns-2 with DSR-UU; runs its tables too")
    options = parser.parse_args()
    if (options.only or "").startswith("dsr-uu") and not options.dsr_uu:
        parser.error(f"{options.only} needs --dsr-uu NS, an ns-2 with DSR-UU (README.md)")
    planned = [plan for plan in plans() if options.only in (None, plan.table)]
    for table in dict.fromkeys(plan.table for plan in planned):
        ns2 = options.dsr_uu if table.startswith("dsr-uu") else "ns"
        if ns2:
            rows = [plan for plan in planned if plan.table == table]
            _collect(table, rows, options.jobs, ns2)


def _collect(table: str, planned: Sequence[Plan], jobs: int, ns2: str) -> None:
    """Runs what one table still lacks and rewrites it."""
    tasks = [(plan, seed) for plan in planned for seed in plan.seeds]
    counts: dict[tuple[Plan, int], Counts] = {}
    with ThreadPoolExecutor(jobs) as pool:
        every = pool.map(lambda task: counts_of(task[0], task[1], ns2), tasks)
        for task, found in zip(tasks, every, strict=True):
            counts[task] = found
            print(f"\r{table}: {len(counts)} of {len(tasks)} runs", end="", file=sys.stderr)
    print(file=sys.stderr)
    _renew(table, planned, counts)


if __name__ == "__main__":
    main()
