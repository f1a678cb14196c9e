"""Parquet files, read with one clear error for whatever is wrong with them."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes

if TYPE_CHECKING:
    from arro3.core import Schema, Table

MAGIC = b"PAR1"
"""What a Parquet file begins and ends with."""
BATCH = 65_536
"""Rows that are decoded at once. With the library's 1,024, all work on a long table takes twice as
long: each column is in thousands of pieces."""


def read_table(path: Path) -> "Table":
    """A file as an Arrow table. Raises `InputError` if it cannot be read or is damaged."""
    from arro3.io import read_parquet

    content = read_bytes(path)
    # Looked at first: of such files the library panics, and writes a page about it.
    has_both = content.startswith(MAGIC) and content.endswith(MAGIC)
    if not has_both or len(content) <= 2 * len(MAGIC):
        raise InputError(f"{path}: is not a complete Parquet file")
    try:
        table = read_parquet(io.BytesIO(content), batch_size=BATCH).read_all()
    except BaseException as error:
        # arro3 raises plain `Exception`; some broken files make it panic, which is none.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise InputError(
            f"{path}: is damaged; copy it again, or make it again with the command that wrote it"
        ) from error
    return table if table.num_rows else _without_rows(table.schema)


def _without_rows(schema: "Schema") -> "Table":
    """A table whose columns are one empty array each: of none at all, the library combines none."""
    from arro3.core import Array, Table

    empty = [Array([], type=schema.field(name).type) for name in schema.names]
    return Table.from_arrays(empty, schema=schema)


def read_format(path: Path, form: str, key: str) -> "tuple[Table, dict[str, str]]":
    """A file of a format with a version, and what it says about itself.

    `form`: name and version of the format. `key`: what of a scenario has runs write the file.
    Raises `InputError` if it is not there, is damaged, or is of another version.
    """
    if not path.is_file():
        raise InputError(f"{path}: is not there; a run writes it with {key}, see docs/frames.md")
    table = read_table(path)
    about = {_text(name): _text(value) for name, value in table.schema.metadata.items()}
    found = about.get("format")
    if found != form:
        said = "says no format" if found is None else f"is of format '{found}'"
        raise InputError(f"{path}: {said}; this program reads '{form}': run again")
    return table, about


def _text(said: bytes | str) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said


def read_columns(path: Path) -> dict[str, list[Any]]:
    """The columns of a file by name; None where there is no value. Raises `InputError`."""
    table = read_table(path)
    return {name: list(table.column(name).to_pylist()) for name in table.column_names}
