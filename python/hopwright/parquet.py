"""Parquet files, read with one clear error for whatever is wrong with them."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopwright.errors import InputError
from hopwright.files import read_bytes

if TYPE_CHECKING:
    from arro3.core import Table

MAGIC = b"PAR1"
"""What a Parquet file begins and ends with."""


def read_table(path: Path) -> "Table":
    """A file as an Arrow table. Raises `InputError` if it cannot be read or is damaged."""
    from arro3.io import read_parquet

    content = read_bytes(path)
    # Looked at first: of such files the library panics, and writes a page about it.
    has_both = content.startswith(MAGIC) and content.endswith(MAGIC)
    if not has_both or len(content) <= 2 * len(MAGIC):
        raise InputError(f"{path}: is no Parquet file, or not all of one")
    try:
        return read_parquet(io.BytesIO(content)).read_all()
    except BaseException as error:
        # arro3 raises plain `Exception`; some broken files make it panic, which is none.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{path}: cannot be read as Parquet: {error}") from error


def read_columns(path: Path) -> dict[str, list[Any]]:
    """The columns of a file by name; None where there is no value. Raises `InputError`."""
    table = read_table(path)
    return {name: list(table.column(name).to_pylist()) for name in table.column_names}
