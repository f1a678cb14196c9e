"""Takes verdicts from the folders of `hopwright reproduce` into the list that is shipped.

    .venv/bin/python validation/verdicts.py DIR...

Of each folder: every report.json in it, of full runs. Claims that are in no folder keep the verdict
that they have; claims of no paper's file go.
"""

import argparse
import csv
import io
import json
import sys
from pathlib import Path

from hopwright.papers.catalogue import VERDICTS
from hopwright.papers.document import read
from hopwright.papers.library import FOLDER, every

COLUMNS = ("claim", "file", "verdict", "reading", "runs", "seed")


def main() -> None:
    """Reads the reports, writes the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    options = parser.parse_args()
    path = FOLDER / VERDICTS
    rows: dict[str, dict[str, str]] = {}
    if path.exists():
        rows = {row["claim"]: row for row in csv.DictReader(path.read_text().splitlines())}
    known = {claim.id for file in every().values() for claim in read(file).claims}
    for report in sorted(
        found for folder in options.folders for found in folder.rglob("report.json")
    ):
        content = json.loads(report.read_text())
        if "reports" in content:
            continue  # of several papers, whose own lie beside it
        if content["quick"]:
            sys.exit(f"{report}: of quick runs, which give no verdicts to keep")
        for claim in content["claims"]:
            rows[claim["id"]] = {
                "claim": claim["id"],
                "file": content["id"],
                "verdict": claim["verdict"],
                "reading": claim["reading"],
                "runs": str(content["runs"]),
                "seed": str(content["seed"]),
            }
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        sorted((r for r in rows.values() if r["claim"] in known), key=lambda r: r["claim"])
    )
    path.write_text(text.getvalue())
    print(f"{len(rows)} claims in {path}")


if __name__ == "__main__":
    main()
