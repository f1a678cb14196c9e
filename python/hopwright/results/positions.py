"""`positions.parquet`, read: where a run's nodes were at any moment, and which were down."""

from bisect import bisect_right
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.errors import InputError
from hopwright._io.parquet import read_format

if TYPE_CHECKING:
    import numpy as np
    from arro3.core import Table
    from numpy.typing import NDArray

POSITIONS = "positions.parquet"
FORMAT = "hopwright.positions 1"


class _Stretch(NamedTuple):
    """A row of the file: a node goes straight on, or is down."""

    from_ns: int
    until_ns: int | None
    x_m: float
    y_m: float
    vx_mps: float
    vy_mps: float


class Tracks:
    """Where nodes were.

    Attributes:
        table: The file as it is, an Arrow table (`arro3.core.Table`): see docs/frames.md.
        nodes: How many nodes there are.
        end_s: When the scenario ends.
        reception_range_m: How far a frame can be received; obstacles and chance aside.
        carrier_sense_range_m: How far it is sensed.
    """

    def __init__(self, table: "Table", about: dict[str, str]) -> None:
        """`about`: what the file says about itself."""
        self.table = table
        self.nodes = int(about["nodes"])
        self.end_s = int(about["end_ns"]) / 1e9
        self.reception_range_m = float(about["reception_range_m"])
        self.carrier_sense_range_m = float(about["carrier_sense_range_m"])
        self._stretches: dict[tuple[str, int], list[_Stretch]] = {}
        columns = [table.column(name).to_pylist() for name in ("kind", "node", *_Stretch._fields)]
        for kind, node, *row in zip(*columns, strict=True):
            self._stretches.setdefault((kind, node), []).append(_Stretch(*row))
        for those in self._stretches.values():
            those.sort(key=itemgetter(0))

    @classmethod
    def read(cls, folder: Path) -> "Tracks":
        """The positions of a run's folder.

        Raises `InputError` if it has none, or none that this program reads.
        """
        return cls(*read_format(folder / POSITIONS, FORMAT, "output.positions = true"))

    def at(self, time_s: float) -> "NDArray[np.float64]":
        """Where each node was at a time: x and y in metres, a row for each node.

        It is what the simulator computed with, bit for bit.
        """
        import numpy as np

        now_ns = self._instant(time_s)
        places = np.empty((self.nodes, 2))
        for node in range(self.nodes):
            leg = self._found("leg", node, now_ns)
            if leg is None:
                raise InputError(f"{POSITIONS}: is damaged: node {node} is nowhere at {time_s:g} s")
            since_s = (now_ns - leg.from_ns) / 1e9
            places[node] = leg.x_m + leg.vx_mps * since_s, leg.y_m + leg.vy_mps * since_s
        return places

    def up(self, time_s: float) -> "NDArray[np.bool_]":
        """Whether each node was up at a time."""
        import numpy as np

        now_ns = self._instant(time_s)
        return np.array([self._found("down", n, now_ns) is None for n in range(self.nodes)])

    def __repr__(self) -> str:
        return f"<Tracks of {self.nodes} nodes over {self.end_s:g} s>"

    def _instant(self, time_s: float) -> int:
        if not 0 <= time_s <= self.end_s:
            raise InputError(f"{time_s:g} s: must lie within the run, 0 to {self.end_s:g} s")
        return int(time_s * 1e9 + 0.5)  # as the simulator rounds

    def _found(self, kind: str, node: int, now_ns: int) -> _Stretch | None:
        """The stretch of a node that holds at a time, if one does."""
        those = self._stretches.get((kind, node), [])
        place = bisect_right(those, now_ns, key=itemgetter(0))
        if not place:
            return None
        last = those[place - 1]
        return last if last.until_ns is None or now_ns < last.until_ns else None
