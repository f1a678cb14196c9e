"""What a server tells the page of a run whose files stay as the run wrote them."""

import io
from pathlib import Path

from hopwright._io.data import Json, Object
from hopwright._io.parquet import batches, check_complete, read_format
from hopwright.results.frames import FRAMES, LANES
from hopwright.results.positions import POSITIONS
from hopwright.view import columns
from hopwright.view.columns import BLOCK, HEARING, Spans
from hopwright.view.folder import NEEDED, Run
from hopwright.view.packed import HEARD

NS = 1e-9
HEARING_COLUMNS = ("kind", "node", "peer", "from_ns", "lasts_ns")


def indexed(run: Run) -> tuple[Object, bytes]:
    """What the page is told, and who hears whom as a file.

    When the rows of each part of the large files are, the page must know before it reads them.
    Files are read part by part: they may be larger than the memory.
    """
    _, about = read_format(run.folder / POSITIONS, NEEDED[POSITIONS], "output.positions = true")
    frames, _ = _scanned(run.folder, FRAMES)
    lanes, heard = _scanned(run.folder, LANES)
    for name in run.more:
        check_complete(run.folder / name)
    spans: Json = {"frames": frames, "lanes": lanes}
    return {**run.about(about), "block": BLOCK, "spans": spans, "shapes": None}, heard


def _scanned(folder: Path, name: str) -> tuple[list[Json], bytes]:
    """When the rows of each part are that are no hearing, and the rows that are."""
    import numpy as np
    from arro3.core import Table
    from arro3.io import write_parquet

    spans: list[Json] = []
    heard: list[Table] = []
    for batch in batches(folder / name, NEEDED[name], BLOCK):
        table = Table.from_batches([batch])
        rows = np.arange(table.num_rows)
        if name == LANES:
            is_hearing = columns.are(table, HEARING)
            chosen = np.flatnonzero(is_hearing)
            heard.append(columns.taken(table, chosen, HEARING_COLUMNS))
            rows = np.flatnonzero(~is_hearing)
        begins, lasts = (
            columns.whole_numbers(table, column)[rows] for column in ("from_ns", "lasts_ns")
        )
        # A part without any is nowhere.
        spans += Spans.of(begins, lasts, NS).spans[:1] or [[0.0, 0.0]]
    file = io.BytesIO()
    if heard:
        together = Table.from_batches([batch for part in heard for batch in part.to_batches()])
        write_parquet(together, file, compression="zstd(3)", max_row_group_size=2 * BLOCK)
    return spans, file.getvalue()


def addresses(number: int, run: Run) -> dict[str, str]:
    """Of each file of a run where the page finds it."""
    names = [*NEEDED, HEARD, *run.more]
    return {name: f"files/{number}/{name}" for name in names}
