"""How the tests look at results tables."""

from pathlib import Path

import polars as pl
from arro3.core import Table


def untimed(table: Table | Path) -> pl.DataFrame:
    """A table, or a file with one, without the only column that may differ between equal runs."""
    read = pl.read_parquet(table) if isinstance(table, Path) else pl.DataFrame(table)
    return read.drop("wall_s")
