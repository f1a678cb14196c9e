"""Compares the simulator with ns-2 and with closed forms, and writes `docs/validation.md`.

    .venv/bin/python validation/validate.py [--only PREFIX] [--quick] [--jobs N]

Exit codes: 0 all rows pass, 1 some fail.
"""

import argparse
import sys
from pathlib import Path

import hopwright
from checks import sections
from hopwright._run.execute import core_count
from own import Lab
from report import read_gaps, report
from rows import Entry, Row, verdict

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "validation.md"


def main() -> int:
    """Makes the rows and writes the report."""
    options = _options()
    lab = Lab(options.jobs, quick=options.quick)
    parts = list(sections())
    entries = [entry for part in parts for entry in part.entries]
    wanted = [entry for entry in entries if entry.name.startswith(options.only)]
    if not wanted:
        print(f"no row's name begins with {options.only!r}", file=sys.stderr)
        return 2
    rows = _make(wanted, lab)
    gaps = read_gaps((HERE / "gaps.md").read_text())
    differences = (HERE / "differences.md").read_text()
    text = "\n".join(report(hopwright.__version__, parts, rows, gaps, differences)) + "\n"
    if options.only or options.quick:
        print(text, end="")
    else:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(text)
    failed = [name for name, row in rows.items() if row.passes is False]
    print(f"{len(rows)} rows, {len(failed)} failed", file=sys.stderr)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares with ns-2 and with closed forms.")
    parser.add_argument(
        "--only",
        default="",
        metavar="PREFIX",
        help="only rows whose name begins so, such as static/goodput; prints, writes no file",
    )
    parser.add_argument(
        "--quick", action="store_true", help="three runs of each scenario; prints, writes no file"
    )
    parser.add_argument(
        "--jobs", type=int, default=core_count(), metavar="N", help="runs at a time [one per core]"
    )
    return parser.parse_args()


def _make(entries: list[Entry], lab: Lab) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for number, entry in enumerate(entries, start=1):
        row = entry.make(lab)
        rows[entry.name] = row
        shown = f"{entry.name}: {row.said()}: {verdict(row).strip('*')}"
        print(f"[{number}/{len(entries)}] {shown}", file=sys.stderr)
    return rows


if __name__ == "__main__":
    sys.exit(main())
