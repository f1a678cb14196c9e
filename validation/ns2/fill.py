"""Copies ns-2's numbers from the tables beside this file into the papers' files, which stand alone.

    python validation/ns2/fill.py [--check]

Every cell's row of the table follows from the file: its `[reference]`, the settings of its axes,
its reading; the column from its measure. Only the numbers of `reference = [...]` and the lines
under `[readings.samples]` change. With --check nothing is written, and the exit code is 1 if
something would be.
"""

import argparse
import csv
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from hopwright.research.papers.document import Document, Reading, read
from hopwright.research.papers.tables import Cell

HERE = Path(__file__).resolve().parent
PAPERS = HERE.parents[1] / "scenarios" / "papers"
SAMPLES = re.compile(r'(?<=\[readings\.samples\]\n)(?:".*\n)*')
REFERENCE = re.compile(r"reference = \[(?:\[.*?\](?:, )?)*\] \}")


def filled(document: Document) -> str:
    """The text of the document's file, with ns-2's numbers where it names a table of them."""
    text = document.path.read_text(encoding="utf-8")
    if not document.reference_table:
        return text
    rows = _read(HERE / Path(document.reference_table).name)
    own = tomllib.loads(text)  # what it takes from another file is filled there
    with_rows = {each["id"] for each in own.get("tables", []) if "rows" in each}
    with_samples = {each["id"] for each in own.get("readings", []) if "samples" in each}
    tables = (row for table in document.tables if table.id in with_rows for row in table.rows)
    samples = ([_sample(document, cell, None, rows) for cell in row] for row in tables)
    lists = (
        f"reference = [{', '.join(sample or '[]' for sample in found)}] }}"
        for found in samples
        if any(found)
    )
    text = REFERENCE.sub(lambda _found: next(lists), text)
    readings = (each for each in document.readings if each.id in with_samples)
    return SAMPLES.sub(lambda _found: "".join(_lines(document, next(readings), rows)), text)


def _lines(document: Document, reading: Reading, rows: list[dict[str, str]]) -> Iterator[str]:
    for name in reading.cells:
        sample = _sample(document, document.cells[name], reading, rows)
        if sample:
            yield f'"{name}" = {sample}\n'


def _sample(
    document: Document, cell: Cell, reading: Reading | None, rows: list[dict[str, str]]
) -> str:
    """`[mean, sd, n]`; empty if the measure has no column, or a setting of the cell no rows."""
    column = document.measures[cell.measure].reference
    if not column:
        return ""
    wanted = dict(document.reference_row)
    for axis in document.axes:
        (setting,) = (each for each in axis.settings if each.label == cell.at[axis.name])
        if setting.reference is None:
            return ""
        wanted |= setting.reference
    wanted |= reading.reference_row if reading else {}
    found = [row for row in rows if _is(row, wanted)]
    if len(found) != 1 or not found[0][f"{column}_mean"]:
        raise LookupError(f"{document.path.name}: {cell.id}: no {column} where {wanted}")
    row = found[0]
    return f"[{row[f'{column}_mean']}, {row[f'{column}_sd']}, {row['n']}]"


def _is(row: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    keys = [key for key in row if key != "n" and not key.endswith(("_mean", "_sd"))]
    return all(row[key] == wanted.get(key, "") for key in keys)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Fills all files."""
    parser = argparse.ArgumentParser(description="Copies ns-2's numbers into the papers' files.")
    parser.add_argument("--check", action="store_true", help="only say what would change")
    options = parser.parse_args()
    stale = []
    for path in sorted(PAPERS.glob("*.toml")):
        text = filled(read(path))
        if text != path.read_text(encoding="utf-8"):
            stale.append(path)
            if not options.check:
                path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path.name}: {'differs' if options.check else 'renewed'}")
    raise SystemExit(1 if options.check and stale else 0)


if __name__ == "__main__":
    main()
