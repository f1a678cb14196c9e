"""Compares this build's runs, bit for bit, with those of the build that the manifest was made with.

    .venv/bin/python validation/manifest.py [--only WORD]
    .venv/bin/python validation/manifest.py --make COMMIT

What is run: every file in scenarios/, a sample of the points of every paper's file, and the 300
random scenarios of validation/manifest/worlds.json. Each runs without traces, cut to 60 s where its
flows begin by then, and once more with every trace on, cut to 10 s; those that cannot be cut to
100 s run without traces alone. A row of validation/manifest/manifest.csv holds the fingerprint and
a hash of the results of both, and a hash of the trace files.

For changes that must not change results. `--make` builds a commit in a folder of its own and writes
the manifest with it: do so in a commit of its own, with the reason, and never in one that changes
the simulator.

Exit codes: 0 all is the same, 1 something differs.
"""

import argparse
import contextlib
import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import hopwright as hw
from hopwright import _core
from hopwright._io.data import at, items
from hopwright._io.source import Source
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.library import every
from hopwright.research.papers.points import overrides, source_of

HERE = Path(__file__).parents[1]
MANIFEST = HERE / "validation" / "manifest" / "manifest.csv"
WORLDS = HERE / "validation" / "manifest" / "worlds.json"

ROOT = Path(hw.__file__).resolve().parents[2]
"""Of the build that runs: this one, or with `--make` that of the commit."""
WORLDS_FOLDER = ROOT / "crates" / "scenario" / "tests" / "files"
"""Where paths in random scenarios start."""

MEMORY = Path("/dev/shm")  # noqa: S108
"""Where traces are written: the disk is slower than the runs."""

MOST_POINTS = 6
"""Of a paper's file."""
LENGTHS_S = (60.0, 200.0)
"""To how many simulated seconds a run is cut: the first at which its flows have begun."""
TRACED_LENGTHS_S = (10.0, 40.0, 100.0)
"""The same with traces, which take longer to write than runs take; longer ones run without."""

SERIES = ["cwnd", "ssthresh", "rtt", "rto", "in-flight", "in-network", "queue", "backoff"]
TRACED = {
    "output.pcap": '"all"',
    "output.lineage": '"all"',
    "output.ns2_trace": '"old"',
    "output.series": json.dumps(SERIES),
    "output.figures": "[]",
}
OF_FRAMES = ("output.pcap", "output.ns2_trace")
"""What links have none of; nor have they back-offs."""
FILES = ("*.parquet", "*.pcapng", "*.tr")
"""What is hashed of a run's folder, beside the summary."""

OF_THE_MACHINE = ("wall_s",)
"""What of a run's results is no result."""

COLUMNS = ("case", "fingerprint", "results", "traced_fingerprint", "traced_results", "files")


@dataclass(frozen=True)
class Case:
    """A scenario, as text that says everything."""

    name: str
    text: str
    folder: str


def main() -> int:
    """Runs everything, compares or writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", metavar="COMMIT", help="write the manifest with a commit's build")
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose names have WORD")
    options = parser.parse_args()
    if options.make:
        return make(options.make)
    chosen = [case for case in cases() if options.only in case.name]
    expected: dict[str, dict[str, str]] = {}
    if not options.write:
        with MANIFEST.open(encoding="utf-8", newline="") as file:
            expected = {row["case"]: row for row in csv.DictReader(file)}
        new = [case.name for case in chosen if case.name not in expected]
        print(f"{len(new)} cases are new since, and not looked at")
        chosen = [case for case in chosen if case.name in expected]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(row_of, chosen, chunksize=4))
    if options.write:
        write(rows)
        print(f"{len(rows)} cases written")
        return 0
    different = 0
    for row in rows:
        before = expected[row["case"]]
        columns = [name for name in COLUMNS if row[name] != before[name]]
        if columns:
            different += 1
            print(f"{row['case']}: {', '.join(columns)}")
    gone = [
        name for name in expected if options.only in name and name not in {r["case"] for r in rows}
    ]
    for name in gone:
        print(f"{name}: is not run any more")
    print(f"{len(rows)} cases, {different} differ, {len(gone)} are gone")
    return 1 if different or gone else 0


def make(commit: str) -> int:
    """Builds a commit beside this one, and writes the manifest with what it gives."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place, "tree")
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            target = f"CARGO_TARGET_DIR={place}/target"
            subprocess.run(["make", "-C", str(tree), "setup", target], check=True)
            python = tree / ".venv" / "bin" / "python"
            return subprocess.run([python, __file__, "--write"], check=False, cwd=tree).returncode
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def write(rows: list[dict[str, str]]) -> None:
    """The manifest's file."""
    with MANIFEST.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def cases() -> Iterator[Case]:
    """All of them, always in the same order."""
    for path in sorted((ROOT / "scenarios").rglob("*.toml")):
        text = path.read_text(encoding="utf-8")
        if "papers" not in path.parts and "[topology]" in text:
            yield Case(str(path.relative_to(ROOT)), text, str(path.parent))
    for name, path in sorted(every().items()):
        yield from points_of(name, read(path))
    for number, text in enumerate(json.loads(WORLDS.read_text(encoding="utf-8"))):
        yield Case(f"world {number}", text, str(WORLDS_FOLDER))


def points_of(name: str, document: Document) -> Iterator[Case]:
    """Points of a paper's file, evenly over all of them, the first and the last among them."""
    source = source_of(document)
    points = document.points()
    count = min(MOST_POINTS, len(points))
    for number in range(count):
        place = number * (len(points) - 1) // max(1, count - 1)
        scenario = source.load(overrides(points[place], {}))
        yield Case(f"{name}, point {place}", scenario.to_toml(), str(document.scenario_folder))


def row_of(case: Case) -> dict[str, str]:
    """Runs a case as it is, and with traces. Says so of one that is not a scenario any more."""
    warnings.simplefilter("ignore")
    source = Source(case.text, case.name, case.folder)
    try:
        scenario = cut(source, {}, LENGTHS_S)
    except hw.ScenarioError as error:
        print(error, file=sys.stderr)
        return {name: case.name if name == "case" else "refused" for name in COLUMNS}
    plain = result(scenario, None)
    traces = TRACED
    if tomllib.loads(scenario.to_toml())["topology"]["kind"] == "links":
        traces = {key: value for key, value in TRACED.items() if key not in OF_FRAMES}
        traces["output.series"] = json.dumps(SERIES[:-1])
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as place:
        folder = Path(place, "out")
        scenario = cut(source, traces, TRACED_LENGTHS_S)
        # Gigabytes, where that could not be cut.
        is_short = scenario.duration_s <= TRACED_LENGTHS_S[-1]
        traced = result(scenario, folder) if is_short else ("", "")
        files = hashlib.sha256()
        for path in sorted(path for pattern in FILES for path in folder.glob(pattern)):
            files.update(f"{path.name}\n".encode())
            files.update(path.read_bytes())
    return {
        "case": case.name,
        "fingerprint": plain[0],
        "results": plain[1],
        "traced_fingerprint": traced[0],
        "traced_results": traced[1],
        "files": files.hexdigest()[:16],
    }


def cut(source: Source, keys: Mapping[str, str], lengths_s: Sequence[float]) -> _core.Scenario:
    """The scenario with keys set, as short as may be."""
    whole = source.load([*keys.items()])
    for length_s in (each for each in lengths_s if each < whole.duration_s):
        for ends in (["duration_s"], ["duration_s", "flows.stop_s"]):
            with contextlib.suppress(hw.ScenarioError):
                return source.load([*keys.items(), *((key, repr(length_s)) for key in ends)])
    return whole


def result(scenario: _core.Scenario, out: Path | None) -> tuple[str, str]:
    """The fingerprint of a run, and a hash of its results."""
    (found,) = items(hw.run(scenario, jobs=1, out=out).summary, "results")
    assert isinstance(found, dict)
    kept = {key: value for key, value in found.items() if key not in OF_THE_MACHINE}
    text = json.dumps(kept, sort_keys=True)
    return str(at(found, "fingerprint")), hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
