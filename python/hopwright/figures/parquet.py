"""Parquet files, read with one clear error for whatever is wrong with them."""

from pathlib import Path
from typing import Any

from hopwright.errors import InputError

MAGIC = b"PAR1"
"""What a Parquet file begins and ends with."""


def read_columns(path: Path) -> dict[str, list[Any]]:
    """The columns of a table by name; None where there is no value. Raises `InputError`."""
    from arro3.io import read_parquet

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error.strerror}") from error
    if not (content.startswith(MAGIC) and content.endswith(MAGIC)):
        raise InputError(f"{path}: is no Parquet file, or not all of one")
    try:
        table = read_parquet(str(path)).read_all()
        return {name: list(table.column(name).to_pylist()) for name in table.column_names}
    except BaseException as error:
        # arro3 raises plain `Exception`; some broken files make it panic, which is none.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{path}: cannot be read as Parquet: {error}") from error
