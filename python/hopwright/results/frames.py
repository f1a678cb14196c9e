"""`frames.parquet` and `lanes.parquet`, read: frames on the air, and what stations waited for."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.parquet import read_format
from hopwright._io.plural import many

if TYPE_CHECKING:
    import numpy as np
    from arro3.core import Table
    from numpy.typing import NDArray

FRAMES = "frames.parquet"
LANES = "lanes.parquet"
_HEARING = ("kind", "node", "peer", "from_ns", "lasts_ns")
FORMATS = {FRAMES: "hopwright.frames 1", LANES: "hopwright.lanes 1"}


class Frames:
    """The frames of a run.

    Both tables are Arrow tables (`arro3.core.Table`), as `Results.series` gives them: see
    docs/frames.md for their columns.

    Attributes:
        table: A row for each frame, in the order in which they left.
        lanes: A row for each stretch of time in which a station waited for something.
    """

    def __init__(self, table: "Table", lanes: "Table") -> None:
        self.table = table
        self.lanes = lanes

    @classmethod
    def read(cls, folder: Path) -> "Frames":
        """The frames of a run's folder.

        Raises `InputError` if it has none, or none that this program reads.
        """
        table, lanes = (
            read_format(folder / name, form, "output.frames = true")[0]
            for name, form in FORMATS.items()
        )
        return cls(table, lanes)

    def carrier(self, node: int) -> "NDArray[np.int64]":
        """When others' frames were on the air that a node hears: from, until, ns, a row for each.

        As they left: the time that light needs to the node is not in it.
        """
        import numpy as np

        hears = self._hears.get(node, ())
        sender, begins, lasts = (
            self.table.column(name).combine_chunks().to_numpy()
            for name in ("node", "from_ns", "lasts_ns")
        )
        heard = np.zeros(len(begins), dtype=bool)
        for peer, from_ns, lasts_ns in hears:
            first, last = np.searchsorted(begins, (from_ns, from_ns + lasts_ns))
            heard[first:last] |= sender[first:last] == peer
        begins, ends = begins[heard], (begins + lasts)[heard]
        if not len(begins):
            return np.empty((0, 2), dtype=np.int64)
        # A stretch begins where nothing that began before is on the air any more.
        last_end = np.maximum.accumulate(ends)
        apart = np.flatnonzero(begins[1:] > last_end[:-1])
        return np.column_stack(
            [begins[np.append(0, apart + 1)], last_end[np.append(apart, len(ends) - 1)]]
        )

    @cached_property
    def _hears(self) -> dict[int, list[tuple[int, int, int]]]:
        """By node: whose frames it hears, from when on, and for how long."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        lanes = (self.lanes.column(name).to_pylist() for name in _HEARING)
        for kind, node, *rest in zip(*lanes, strict=True):
            if kind in ("decodes", "senses"):
                found.setdefault(node, []).append((rest[0], rest[1], rest[2]))
        return found

    def __repr__(self) -> str:
        return f"<{many(self.table.num_rows, 'frame')}>"
