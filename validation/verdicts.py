"""Takes verdicts from the folders of `hopwright reproduce` into the list that is shipped.

    .venv/bin/python validation/verdicts.py [--again] [DIR...]

Of each folder: every report.json in it, of full runs, and of hunts with all the runs that the file
asks for, whose verdicts have a list of their own. Claims that are in no folder keep the verdict
that they have; claims of no paper's file go, and so do verdicts of what a claim no longer says.
With --again the folders are of other seeds (reproduce --seed N), and their verdicts go into the
list beside it: where the two lists differ, a claim is undecided.
Then writes the pages, docs/claims-DOCUMENT.md, anew.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopwright.research.papers.catalogue import (
    AGAIN,
    COLUMNS,
    HUNT_COLUMNS,
    HUNTS,
    VERDICTS,
    hunt_wordings,
    hunts,
    statements,
    verdicts,
    wordings,
)
from hopwright.research.papers.document import read
from hopwright.research.papers.library import FOLDER, every
from hopwright.research.papers.page import pages

DOCS = Path(__file__).parents[1] / "docs"

Rows = dict[str, dict[str, str]]
"""By claim."""

Report = dict[str, Any]
"""A report.json, or a claim's part of it."""


def main() -> None:
    """Reads the reports, writes the lists and the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--again", action="store_true", help="the folders are of other seeds")
    options = parser.parse_args()
    documents = [read(file) for file in every().values()]
    words, hunt_words = wordings(documents), hunt_wordings(documents)
    rows, again_rows = known(FOLDER / VERDICTS), known(FOLDER / AGAIN)
    hunt_rows = known(FOLDER / HUNTS)
    found = sorted(report for folder in options.folders for report in folder.rglob("report.json"))
    for report in found:
        content = json.loads(report.read_text())
        if "reports" in content:
            continue  # of several papers, whose own lie beside it
        if "hunted" in content:
            if not content["full"]:
                sys.exit(f"{report}: of a hunt with few runs, which gives no verdicts to keep")
            hunt_rows |= rows_of(report, content["hunted"], hunt_words, hunt_row, content)
            continue
        if content["quick"]:
            sys.exit(f"{report}: of quick runs, which give no verdicts to keep")
        new = rows_of(report, content["claims"], words, verdict_row, content)
        if options.again:
            again_rows |= {name: row for name, row in new.items() if is_again(row, rows.get(name))}
        else:
            rows |= new
    again_count = write(FOLDER / AGAIN, COLUMNS, again_rows, words)
    count = write(FOLDER / VERDICTS, COLUMNS, rows, words)
    hunt_count = write(FOLDER / HUNTS, HUNT_COLUMNS, hunt_rows, hunt_words)
    lists = (statements(), verdicts(documents), hunts(documents))
    for name, page in pages(documents, *lists).items():
        (DOCS / name).write_text(page)
    print(
        f"{count} of {len(words)} claims have a verdict, {again_count} a second one by other "
        f"seeds, {hunt_count} a hunted one"
    )


def is_again(row: Mapping[str, str], first: Mapping[str, str] | None) -> bool:
    """Whether it is of no seed of the first verdict, and of at least as many runs as that.

    Of fewer where these decide the claim: runs of a claim end as soon as it is decided.
    """
    if first is None:
        print(f"{row['claim']}: has no first verdict")
        return False
    seed, runs = int(row["seed"]), int(row["runs"])
    first_seed, first_runs = int(first["seed"]), int(first["runs"])
    if seed < first_seed + first_runs and first_seed < seed + runs:
        print(f"{row['claim']}: seeds from {seed} are seeds of the first verdict")
        return False
    if runs < first_runs and row["verdict"] == "undecided":
        print(f"{row['claim']}: {runs} runs, the first verdict is of {first_runs}: --most-runs")
        return False
    return True


def known(path: Path) -> Rows:
    """The rows of a list, by claim."""
    if not path.exists():
        return {}
    return {row["claim"]: row for row in csv.DictReader(path.read_text().splitlines())}


def rows_of(
    report: Path,
    claims: list[Report],
    words: Mapping[str, str],
    row: Callable[[Report, Report], dict[str, str]],
    content: Report,
) -> Rows:
    """The rows of a report's claims, of those that read now as they did then."""
    rows = {}
    for claim in claims:
        if claim["id"] not in words:
            continue  # of no file any more
        if claim.get("wording") != words[claim["id"]]:
            print(f"{report}: {claim['id']}: is not judged as it reads now; reproduce --resume")
            continue
        rows[claim["id"]] = row(claim, content)
    return rows


def verdict_row(claim: Report, content: Report) -> dict[str, str]:
    """A claim's row of the list of verdicts."""
    return {
        "claim": claim["id"],
        "verdict": claim["verdict"],
        "doubts": "; ".join(claim["doubts"]),
        "runs": str(claim.get("runs_a_point", content["runs"])),
        "seed": str(content["seed"]),
        "wording": claim["wording"],
    }


def hunt_row(claim: Report, content: Report) -> dict[str, str]:
    """A claim's row of the list of hunted verdicts."""
    answer = claim["answer"]
    return {
        "claim": claim["id"],
        "verdict": claim["hunted"],
        "reading": answer["words"],
        "departures": str(len(answer["departs"])),
        "runs": str(content["unseen"]["runs"]),
        "seed": str(content["unseen"]["seed"]),
        "wording": claim["wording"],
    }


def write(path: Path, columns: Sequence[str], rows: Rows, words: Mapping[str, str]) -> int:
    """Writes a list anew, without what no claim says any more; how many are in it."""
    kept = [row for row in rows.values() if words.get(row["claim"]) == row["wording"]]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(kept, key=lambda row: row["claim"]))
    path.write_text(text.getvalue())
    return len(kept)


if __name__ == "__main__":
    main()
