"""Arrow tables as data frames of libraries that a user may have: the program needs neither."""

from typing import TYPE_CHECKING

from hopwright._io.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from arro3.core import Table


def to_polars(table: "Table") -> "pl.DataFrame":
    """The table, not copied. Raises `InputError` where polars is not installed."""
    try:
        import polars as pl
    except ImportError as error:
        raise InputError(f"to_polars needs polars ({error}): pip install polars") from error
    return pl.DataFrame(table)


def to_pandas(table: "Table") -> "pd.DataFrame":
    """The table. Raises `InputError` where pandas is not installed, or is too old."""
    try:
        import pandas as pd

        return pd.DataFrame.from_arrow(table)
    except (ImportError, AttributeError) as error:  # pandas before 3 has no `from_arrow`
        raise InputError(
            f"to_pandas needs pandas 3 and pyarrow ({error}): pip install 'pandas>=3' pyarrow"
        ) from error
