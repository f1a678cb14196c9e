"""What nodes do when their station gives a packet up, in traces of ns-2 and ours: Markdown tables.

    .venv/bin/python validation/reactions.py string aodv 5 [--runs N]
    .venv/bin/python validation/reactions.py moving dsr rwp_strip_v10_s2.tcl [--runs N]

Needs Debian's `ns2`. The two programs draw other random numbers, so that their traces part at the
first back-off. What does not depend on chance is aligned instead: the instants at which a station
gives a packet up (`D ... MAC RET`). What the node's router does in that very instant - packets that
it drops, sends another way, messages that it sends - is counted, and the shares are compared.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from own import mobile, tcp_string
from reference import MOVEMENTS, movements

HERE = Path(__file__).resolve().parent
RUNS = 8
STRING_S = 300
MOVING_S = 890
MANY = 3
"""So many packets and more are one class."""

FEW = 10
"""Rows with fewer cases in both together are left out of the test."""

LAYERS = ("RTR", "IFQ", "MAC")
MESSAGES = ("AODV", "DSR")
WORDS = 8
"""Of a line, the last of which is its rest."""

OUTPUT = """
        [output]
        ns2_trace = "old"
        ns2_trace_layers = ["router", "mac"]
        series = []
"""


class Line(NamedTuple):
    """What a line of ns-2's old format says, as far as it matters here."""

    what: str
    layer: str
    cause: str
    kind: str
    message: str


def reactions(trace: Path) -> Counter[str]:
    """How often a router did what at the instants at which its station gave a packet up."""
    instants: defaultdict[tuple[str, str], list[Line]] = defaultdict(list)
    with trace.open() as lines:
        for line in lines:
            words = line.split(maxsplit=7)
            if len(words) < WORDS or words[3] not in LAYERS:
                continue  # DSR in ns-2 writes lines of its own between the others
            what, when, node, layer, cause, _, kind, rest = words
            message = rest.rsplit("(", 1)[1].strip(")\n") if kind == "AODV" else kind
            if layer != "MAC" or cause == "RET":
                instants[node, when].append(Line(what, layer, cause, kind, message))
    found: Counter[str] = Counter()
    for at_once in instants.values():
        given_up = [line.kind for line in at_once if line.cause == "RET" and line.kind != "RTS"]
        if given_up:
            found[_said(given_up[0], [line for line in at_once if line.layer != "MAC"])] += 1
    return found


def _said(given_up: str, router: list[Line]) -> str:
    """A reaction as a row's title."""
    parts = []
    dropped = Counter(
        line.cause for line in router if line.what == "D" and line.kind not in MESSAGES
    )
    parts += [f"{_many(count)} dropped ({cause})" for cause, count in sorted(dropped.items())]
    on = sum(line.what in "sf" and line.kind not in MESSAGES for line in router)
    parts += [f"{_many(on)} sent another way"] if on else []
    messages = {line.message for line in router if line.what in "sf" and line.kind in MESSAGES}
    parts += [f"{message} sent" for message in sorted(messages)]
    return f"{given_up}: " + (", ".join(parts) or "nothing")


def _many(count: int) -> str:
    return str(count) if count < MANY else f"{MANY} or more"


def _of_ns2(arguments: list[str], seed: int, folder: Path) -> Counter[str]:
    trace = folder / "ns2.tr"
    fixed = ["agent=Reno", "mactrace=drop", "routertrace=1", "sample=0", f"trace={trace}"]
    command = ["ns", str(HERE / "ns2" / "tcp.tcl"), *arguments, *fixed, f"seed={seed}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return reactions(trace)


def _of_ours(scenario: str, seed: int, folder: Path) -> Counter[str]:
    source = folder / "scenario.toml"
    source.write_text(scenario + OUTPUT)
    out = folder / "ours"
    where = ["--seed", str(seed), "--out", str(out), "--overwrite"]
    command = [sys.executable, "-m", "hopwright", "run", str(source), *where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return reactions(out / "trace.tr")


def _table(ns2: Counter[str], ours: Counter[str]) -> str:
    """The shares, and chi-square of all rows that are not rare."""
    totals = (ns2.total(), ours.total())
    lines = ["| given up: what the router does | ns-2 | ours |", "| --- | ---: | ---: |"]
    chi_square, rows = 0.0, 0
    for said, both in (ns2 + ours).most_common():
        counts = (ns2[said], ours[said])
        shares = (f"{100 * n / total:.1f} % ({n})" for n, total in zip(counts, totals, strict=True))
        lines.append(f"| {said} | {' | '.join(shares)} |")
        if both >= FEW:
            rows += 1
            for count, total in zip(counts, totals, strict=True):
                expected = both * total / sum(totals)
                chi_square += (count - expected) ** 2 / expected
    lines += [
        "",
        f"Chi-square {chi_square:.1f}; {limit(rows - 1):.1f} is passed once in 20 times.",
    ]
    return "\n".join(lines)


def limit(freedom: int) -> float:
    """The 95 % quantile of chi-square (Wilson and Hilferty 1931)."""
    if freedom < 1:
        return 0.0
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + 1.6449 * part**0.5) ** 3)


def main() -> None:
    """Runs both programs and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topology", choices=("string", "moving"))
    parser.add_argument("routing", choices=("aodv", "dsr"))
    parser.add_argument("place", help="hops of the string, or a file of validation/movements")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"of each [{RUNS}]")
    options = parser.parse_args()
    routing = f"rt={options.routing.upper()}"
    if options.topology == "string":
        scenario = tcp_string(int(options.place), "reno", options.routing)
        arguments = ["topo=string", f"hops={options.place}", routing, f"dur={STRING_S}"]
    else:
        known = {row["file"]: (int(row["src"]), int(row["dst"])) for row in movements()}
        if options.place not in known:
            parser.error(f"{options.place}: not in validation/movements/index.csv")
        source, target = known[options.place]
        scenario = mobile(options.place, source, target, options.routing)
        movement = f"movement={MOVEMENTS / options.place}"
        arguments = ["topo=rwp", routing, "warm=5", f"dur={MOVING_S}", movement]
        arguments += [f"src={source}", f"dst={target}"]
    ns2, ours = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, options.runs + 1):
            ns2 += _of_ns2(arguments, seed, Path(folder))
            ours += _of_ours(scenario, seed, Path(folder))
    print(_table(ns2, ours))


if __name__ == "__main__":
    main()
