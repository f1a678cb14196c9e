"""The tidy table of a sweep: a row a flow a run, as Arrow and as Parquet."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopwright.data import Json, items
from hopwright.out import write_whole
from hopwright.statistics.means import TALLIES
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.schedule import Run, Schedule
from hopwright.sweeps.settings import Value, shown

if TYPE_CHECKING:
    from arro3.core import Array, Table

COMPRESSION = "zstd(3)"

Cell = bool | int | float | str | None


def table_of(plan: Plan, schedule: Schedule) -> "Table":
    """The finished runs as a table, ordered by point, seed and flow.

    Columns: the varied keys under their full names; `point`, `seed`, `flow`; the fields of the
    flow's summary, then of the run's, with dots between the steps (`drops.queue_full`,
    `mac.collisions.total`). What a run has no value of is null; tallies that leave out what did not
    occur are 0 there. The schema's metadata name the program's version and build, and the scenario.
    """
    from arro3.core import Table

    rows = list(_rows(plan, schedule))
    names = dict.fromkeys(name for row in rows for name in row[0])
    names |= dict.fromkeys(name for row in rows for name in row[1])
    columns: dict[str, Any] = {
        **{key: _typed(_simple(row[2][key] for row in rows)) for key in plan.keys},
        "point": _typed([row[3].point for row in rows], of=str),
        "seed": _typed([row[3].seed for row in rows], of=int),
        "flow": _typed([row[4] for row in rows], of=int),
    }
    for name in names:
        absent = 0 if name.partition(".")[0] in TALLIES else None
        cells = [row[0].get(name, row[1].get(name, absent)) for row in rows]
        columns[name] = _typed(cells)
    table = Table.from_pydict(columns)
    return table.with_schema(table.schema.with_metadata(metadata_of(plan)))


def metadata_of(plan: Plan) -> dict[str, str]:
    """What a table says about where it comes from."""
    return {
        "hopwright.version": plan.version,
        "hopwright.build": plan.build,
        "hopwright.scenario": plan.base,
    }


def write_table(table: "Table", path: Path, plan: Plan) -> None:
    """Writes the table as Parquet; what is there already stays until all of it is written."""
    from arro3.io import write_parquet

    # In memory first: the library panics where a file cannot be written.
    buffer = io.BytesIO()
    write_parquet(table, buffer, compression=COMPRESSION, key_value_metadata=metadata_of(plan))
    write_whole(path, buffer.getvalue())


_Row = tuple[dict[str, Cell], dict[str, Cell], Mapping[str, Value], Run, int]


def _rows(plan: Plan, schedule: Schedule) -> Iterator[_Row]:
    """Of each flow of each run: the flow's fields, the run's, the settings, the run, the flow."""
    for point in plan.points:
        for run in schedule.runs_of(point.id):
            text = schedule.results.get(run)
            if text is None:
                continue
            result = json.loads(text)
            of_run = dict(_flat(result, besides=("seed", "flows")))
            for index, flow in enumerate(items(result, "flows")):
                yield dict(_flat(flow)), of_run, point.settings, run, index


def _flat(value: Json, name: str = "", besides: Sequence[str] = ()) -> Iterator[tuple[str, Cell]]:
    """The leaves of a value with their dotted names."""
    parts: Iterable[tuple[str, Json]]
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = ((str(index), each) for index, each in enumerate(value))
    else:
        yield name, value
        return
    for key, part in parts:
        if key not in besides:
            yield from _flat(part, f"{name}.{key}" if name else key)


def _simple(values: Iterable[Value]) -> list[Cell]:
    """Values of a varied key, as cells: lists and tables, and values of mixed kinds, as TOML."""
    given = list(values)
    kinds = {float if type(value) is int else type(value) for value in given}
    if len(kinds) > 1 or not kinds <= {bool, float, str}:
        return [shown(value) for value in given]
    return [value for value in given if not isinstance(value, (list, dict))]


def _typed(cells: Sequence[Cell], of: type | None = None) -> "Array":
    """A column of the narrowest type that holds all its cells."""
    from arro3.core import Array, DataType

    kinds = {of} if of else {type(cell) for cell in cells} - {type(None)}
    if kinds == {bool}:
        return Array(cells, type=DataType.bool())
    if kinds == {int}:
        return Array(cells, type=DataType.int64())
    if kinds <= {int, float}:
        numbers = [None if cell is None else float(cell) for cell in cells]
        return Array(numbers, type=DataType.float64())
    return Array([None if cell is None else str(cell) for cell in cells], type=DataType.utf8())
