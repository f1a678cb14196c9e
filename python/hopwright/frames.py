"""`frames.parquet` and `lanes.parquet`, read: frames on the air, and what stations waited for."""

from pathlib import Path
from typing import TYPE_CHECKING

from hopwright.parquet import read_format

if TYPE_CHECKING:
    from arro3.core import Table

FRAMES = "frames.parquet"
LANES = "lanes.parquet"
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

    def __repr__(self) -> str:
        return f"<{self.table.num_rows} frames>"
