"""The tables of ns-2 runs in `ns2/`."""

import csv
from pathlib import Path

from hopwright.statistics.moments import Moments

HERE = Path(__file__).resolve().parent
MOVEMENTS = HERE / "movements"


def rows(table: str, **wanted: object) -> list[dict[str, str]]:
    """The rows of `ns2/<table>.csv` whose columns have the wanted values."""
    return [row for row in read(HERE / "ns2" / f"{table}.csv") if matches(row, wanted)]


def sample(table: str, column: str, **wanted: object) -> Moments:
    """One column of the only row with the wanted values."""
    found = rows(table, **wanted)
    if len(found) != 1:
        raise LookupError(f"{table}.csv: {len(found)} rows with {wanted}")
    return sample_of(found[0], column)


def sample_of(row: dict[str, str], column: str) -> Moments:
    """A column's mean and deviation; a single run has none."""
    return Moments(float(row[f"{column}_mean"]), float(row[f"{column}_sd"] or "nan"), int(row["n"]))


def movements() -> list[dict[str, str]]:
    """The movement files, with the ends of the flow in each."""
    return read(MOVEMENTS / "index.csv")


def read(path: Path) -> list[dict[str, str]]:
    """A table with a heading."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def matches(row: dict[str, str], wanted: dict[str, object]) -> bool:
    """Whether a row has the wanted values."""
    return all(row[key] == str(value) for key, value in wanted.items())
