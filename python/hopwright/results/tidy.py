"""Results of runs as a tidy Arrow table: a row a flow a run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hopwright._io.data import Json, items
from hopwright.statistics.means import TALLIES

if TYPE_CHECKING:
    from arro3.core import Array, Table

Cell = bool | int | float | str | None
"""What a table holds; None is null."""

NAMED: Mapping[str, type] = {"point": str, "seed": int, "flow": int}
"""What names a row, and is of this type even where there are no rows."""


class Row(NamedTuple):
    """A run: what names it, and an element of the summary's `results`."""

    names: Mapping[str, Cell]
    """The first columns, the same for all runs of a table: the seed, varied keys."""
    result: Json


def tidy(
    keys: Sequence[str], runs: Iterable[Row], chosen: Collection[int] | None = None
) -> "Table":
    """A table with a row for each flow of each run; `keys` are those of the runs' names.

    `chosen`: the only flows that have rows; None: all.

    Columns: the runs' names; `flow`; the fields of the flow's summary, then of the run's, with dots
    between the steps (`drops.queue_full`, `mac.collisions.total`). Lists of nodes, of links
    and of relays are left out: points may differ in how many there are, and `links.0.to` is a
    setting. What a run has no value of is null; tallies that leave out what did not occur are 0
    there. Whole numbers are 64 bits wide.
    """
    from arro3.core import Table

    names: list[Mapping[str, Cell]] = []
    flows: list[int] = []
    of_flows: list[dict[str, Cell]] = []
    of_runs: list[dict[str, Cell]] = []
    for name, result in runs:
        of_run = _flat(result, besides=("seed", "flows", "links", "relays"))
        for index, flow in enumerate(items(result, "flows")):
            if chosen is not None and index not in chosen:
                continue
            names.append(name)
            flows.append(index)
            of_flows.append(_flat(flow))
            of_runs.append(of_run)
    columns: dict[str, Any] = {key: column_of([name[key] for name in names], key) for key in keys}
    columns["flow"] = column_of(flows, "flow")
    for fields in (of_flows, of_runs):
        found: dict[str, None] = {}
        for row in fields:
            found.update(dict.fromkeys(row))
        for key in found:
            absent = 0 if key.partition(".")[0] in TALLIES else None
            columns[key] = column_of([row.get(key, absent) for row in fields], key)
    return Table.from_pydict(columns)


def tidy_runs(results: Mapping[int, Json]) -> "Table":
    """The same of runs by their seeds, which alone name them."""
    return tidy(["seed"], [Row({"seed": seed}, result) for seed, result in results.items()])


def _flat(value: Json, besides: Sequence[str] = ()) -> dict[str, Cell]:
    """The leaves of an object with their dotted names, but for those of single nodes."""
    found: dict[str, Cell] = {}
    if isinstance(value, dict):
        _fill(found, "", [part for part in value.items() if part[0] not in besides])
    return found


def _fill(found: dict[str, Cell], before: str, parts: Iterable[tuple[object, Json]]) -> None:
    """Adds leaves under what is `before` them. Not a generator: there are thousands of them."""
    for key, part in parts:
        if key == "nodes":
            continue
        if isinstance(part, dict):
            _fill(found, f"{before}{key}.", part.items())
        elif isinstance(part, list):
            _fill(found, f"{before}{key}.", enumerate(part))
        else:
            found[f"{before}{key}"] = part


def column_of(cells: Sequence[Cell], name: str = "") -> "Array":
    """A column of the narrowest type that holds all its cells."""
    from arro3.core import Array, DataType

    known = NAMED.get(name)
    kinds = {known} if known else {type(cell) for cell in cells} - {type(None)}
    if kinds == {bool}:
        return Array(cells, type=DataType.bool())
    if kinds == {int}:
        return Array(cells, type=DataType.int64())
    if kinds <= {int, float}:
        numbers = [None if cell is None else float(cell) for cell in cells]
        return Array(numbers, type=DataType.float64())
    return Array([None if cell is None else str(cell) for cell in cells], type=DataType.utf8())
