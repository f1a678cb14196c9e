"""Tables as the page wants them: in the order of time, and who hears whom apart from the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopwright._io.data import Json

if TYPE_CHECKING:
    import numpy as np
    from arro3.core import Table
    from numpy.typing import NDArray

BLOCK = 65_536
"""So many rows the page reads at a time: a row group of what a run writes."""
HEARING = ("decodes", "senses")
"""The kinds of lanes that last from one move of a node to another. The page has all of them."""


def whole_numbers(table: "Table", name: str) -> "NDArray[np.int64]":
    """A column without nulls."""
    import numpy as np

    return np.asarray(table.column(name).combine_chunks().to_numpy(), dtype=np.int64)


def coded(table: "Table", name: str) -> "tuple[list[str], NDArray[np.int64]]":
    """The words of a column, and of each row which it is."""
    import numpy as np
    from arro3.core import DataType, dictionary_dictionary, dictionary_indices

    cells = table.column(name).combine_chunks()
    cells = cells.cast(DataType.dictionary(DataType.int32(), DataType.utf8()))
    words = [str(word) for word in dictionary_dictionary(cells).to_pylist()]
    return words, np.asarray(dictionary_indices(cells).to_numpy(), dtype=np.int64)


def are(table: "Table", kinds: Sequence[str]) -> "NDArray[np.bool_]":
    """Which rows are of one of these kinds."""
    import numpy as np

    words, codes = coded(table, "kind")
    found: NDArray[np.bool_] = np.isin(codes, [n for n, word in enumerate(words) if word in kinds])
    return found


def taken(table: "Table", rows: "NDArray[Any]", columns: Sequence[str]) -> "Table":
    """Some rows of some columns, in this order."""
    import numpy as np
    from arro3.core import Table

    places = rows.astype(np.uint64)
    arrays = [table.column(name).combine_chunks().take(places) for name in columns]
    return Table.from_arrays(arrays, names=list(columns))


def with_column(table: "Table", name: str, numbers: "NDArray[Any]") -> "Table":
    """The table with one column more."""
    import numpy as np
    from arro3.core import Array, ChunkedArray

    return table.append_column(name, ChunkedArray([Array(np.ascontiguousarray(numbers))]))


@dataclass(frozen=True)
class Spans:
    """From when until when the rows of each block of `BLOCK` rows last, seconds."""

    spans: list[Json]

    @classmethod
    def of(cls, begins: "NDArray[np.int64]", lasts: "NDArray[np.int64]", unit_s: float) -> "Spans":
        """`begins`, `lasts`: in the order of the file, in units of so many seconds."""
        ends = begins + lasts
        blocks = range(0, len(begins), BLOCK)
        return cls(
            [
                [
                    float(begins[first : first + BLOCK].min()) * unit_s,
                    float(ends[first : first + BLOCK].max()) * unit_s,
                ]
                for first in blocks
            ]
        )
