"""Takes verdicts from the folders of `hopwright reproduce` into the list that is shipped.

    .venv/bin/python validation/verdicts.py [DIR...]

Of each folder: every report.json in it, of full runs. Claims that are in no folder keep the verdict
that they have; claims of no paper's file go, and so do verdicts of what a claim no longer says.
Then writes the pages, docs/claims-DOCUMENT.md, anew.
"""

import argparse
import csv
import io
import json
import sys
from pathlib import Path

from hopwright.papers.catalogue import COLUMNS, VERDICTS, statements, verdicts, wordings
from hopwright.papers.document import read
from hopwright.papers.library import FOLDER, every
from hopwright.papers.page import pages

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    """Reads the reports, writes the list and the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    options = parser.parse_args()
    path = FOLDER / VERDICTS
    documents = [read(file) for file in every().values()]
    words = wordings(documents)
    rows: dict[str, dict[str, str]] = {}
    if path.exists():
        rows = {row["claim"]: row for row in csv.DictReader(path.read_text().splitlines())}
    found = sorted(report for folder in options.folders for report in folder.rglob("report.json"))
    for report in found:
        content = json.loads(report.read_text())
        if "reports" in content:
            continue  # of several papers, whose own lie beside it
        if content["quick"]:
            sys.exit(f"{report}: of quick runs, which give no verdicts to keep")
        for claim in content["claims"]:
            if claim["id"] not in words:
                continue  # of no file any more
            if claim.get("wording") != words[claim["id"]]:
                print(f"{report}: {claim['id']}: is not judged as it reads now; reproduce --resume")
                continue
            rows[claim["id"]] = {
                "claim": claim["id"],
                "verdict": claim["verdict"],
                "doubts": "; ".join(claim["doubts"]),
                "runs": str(content["runs"]),
                "seed": str(content["seed"]),
                "wording": claim["wording"],
            }
    kept = [row for row in rows.values() if words.get(row["claim"]) == row["wording"]]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(kept, key=lambda row: row["claim"]))
    path.write_text(text.getvalue())
    for name, page in pages(documents, statements(), verdicts(documents)).items():
        (DOCS / name).write_text(page)
    print(f"{len(kept)} of {len(words)} claims have a verdict")


if __name__ == "__main__":
    main()
