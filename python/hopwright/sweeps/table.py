"""The tidy table of a sweep: a row a flow a run, as Arrow and as Parquet."""

import io
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.out import write_whole
from hopwright._schema.settings import Value, shown
from hopwright.results.tidy import Cell, Row, tidy
from hopwright.sweeps.plan import Plan
from hopwright.sweeps.schedule import Schedule

if TYPE_CHECKING:
    from arro3.core import Table

COMPRESSION = "zstd(3)"


def table_of(plan: Plan, schedule: Schedule, chosen: Collection[int] | None = None) -> "Table":
    """The finished runs as a table, ordered by point, seed and flow: all flows or the chosen ones.

    Columns: the varied keys under their full names; `point`, `seed`; then those of `tidy`. The
    schema's metadata name the program's version and build, and the scenario.
    """
    table = tidy([*plan.keys, "point", "seed"], _rows(plan, schedule), chosen)
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


def _rows(plan: Plan, schedule: Schedule) -> Iterator[Row]:
    """The finished runs with what names them."""
    varied = {key: _simple(point.settings[key] for point in plan.points) for key in plan.keys}
    for index, point in enumerate(plan.points):
        settings = {key: cells[index] for key, cells in varied.items()}
        for run in schedule.runs_of(point.id):
            text = schedule.results.get(run)
            if text is not None:
                yield Row({**settings, "point": run.point, "seed": run.seed}, json.loads(text))


def _simple(values: Iterable[Value]) -> list[Cell]:
    """Values of a varied key, as cells: lists and tables, and values of mixed kinds, as TOML."""
    given = list(values)
    kinds = {float if type(value) is int else type(value) for value in given}
    if len(kinds) > 1 or not kinds <= {bool, float, str}:
        return [shown(value) for value in given]
    return [value for value in given if not isinstance(value, (list, dict))]
