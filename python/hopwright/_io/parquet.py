"""Parquet files, read with one clear error for whatever is wrong with them."""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes

if TYPE_CHECKING:
    from arro3.core import RecordBatch, Schema, Table

MAGIC = b"PAR1"
"""What a Parquet file begins and ends with."""
BATCH = 65_536
"""Rows that are decoded at once. With the library's 1,024, all work on a long table takes twice as
long: each column is in thousands of pieces."""


def read_table(path: Path) -> "Table":
    """A file as an Arrow table. Raises `InputError` if it cannot be read or is damaged."""
    from arro3.io import read_parquet

    content = read_bytes(path)
    _check_ends(path, content[: len(MAGIC)], content[-len(MAGIC) :], len(content))
    with _undamaged(path):
        table = read_parquet(io.BytesIO(content), batch_size=BATCH).read_all()
    return table if table.num_rows else _without_rows(table.schema)


def check_complete(path: Path) -> None:
    """Raises `InputError` if a file is no complete Parquet file; reads no more than both ends."""
    try:
        with path.open("rb") as file:
            first = file.read(len(MAGIC))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - len(MAGIC), 0))
            last = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error.strerror}") from error
    _check_ends(path, first, last, size)


def _check_ends(path: Path, first: bytes, last: bytes, size: int) -> None:
    # Looked at first: of such files the library panics, and writes a page about it.
    if not first == last == MAGIC or size <= 2 * len(MAGIC):
        raise InputError(f"{path}: is not a complete Parquet file")


@contextlib.contextmanager
def _undamaged(path: Path) -> Iterator[None]:
    """Raises `InputError` for whatever the library says of a file."""
    try:
        yield
    except BaseException as error:
        # arro3 raises plain `Exception`; some broken files make it panic, which is none.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise InputError(
            f"{path}: is damaged; copy it again, or make it again with the command that wrote it"
        ) from error


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
    return table, _about(path, table.schema, form)


def batches(path: Path, form: str, rows: int) -> "Iterator[RecordBatch]":
    """The rows of a file of a format, so many at a time: it may be larger than the memory.

    Raises `InputError` as `read_format`.
    """
    from arro3.io import read_parquet

    check_complete(path)
    with _undamaged(path):
        reader = read_parquet(path, batch_size=rows)
    _about(path, reader.schema, form)
    while True:
        with _undamaged(path):
            batch = next(reader, None)
        if batch is None:
            return
        yield batch


def _about(path: Path, schema: "Schema", form: str) -> dict[str, str]:
    """What a file says about itself. Raises `InputError` if it is not of this format."""
    about = {_text(name): _text(value) for name, value in schema.metadata.items()}
    found = about.get("format")
    if found != form:
        said = "says no format" if found is None else f"is of format '{found}'"
        raise InputError(f"{path}: {said}; this program reads '{form}': run again")
    return about


def _text(said: bytes | str) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said


def read_columns(path: Path) -> dict[str, list[Any]]:
    """The columns of a file by name; None where there is no value. Raises `InputError`."""
    table = read_table(path)
    return {name: list(table.column(name).to_pylist()) for name in table.column_names}
