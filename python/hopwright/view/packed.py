"""The files of a run as they lie in a page: as small as they can be, and all that it shows.

Times are rounded to microseconds, lanes stand in the order of time: that halves the files.
"""

import io
from typing import TYPE_CHECKING, Any

from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError
from hopwright.explain.events import EVENTS, FLOWS
from hopwright.results.frames import FRAMES, LANES
from hopwright.results.places import SERIES
from hopwright.results.positions import POSITIONS
from hopwright.view import columns
from hopwright.view.columns import BLOCK, HEARING, Spans
from hopwright.view.folder import Run

if TYPE_CHECKING:
    import numpy as np
    from arro3.core import Table
    from numpy.typing import NDArray

HEARD = "hearing.parquet"
"""Who hears whom: rows of lanes, in a file of their own."""
LEVEL = "zstd(9)"
"""Of 50 moving nodes over 900 s, 19 takes 9.3 s of CPU time, this 3.5 s; the page is 6 % larger."""
TIME = "time_s"
NS_PER_US = 1000
US = 1e-6
OF_FRAMES = (
    *("node", "to", "carries", "packet", "flow", "tries"),
    *("result", "unanswered", "by", "relation"),
)
SHAPE = ("kind", "bytes", "rate_bps", "lasts_ns")
"""What few kinds of frames differ in: a frame has the number of its kind."""
OF_WAITS = ("kind", "node", "slots", "packets", "frame", "cause", "by", "relation")
OF_HEARING = ("kind", "node", "peer")
OF_SERIES = ("flow", "node", "cwnd_segments", "rtt_s", "queue_packets")
"""What the time line draws, if a run has it."""
DELTAS = ("from_us", "time_us", "by", "frame")
"""Columns that grow from row to row."""


def packed(run: Run) -> tuple[Object, dict[str, bytes]]:
    """What the page is told, and the files that lie in it."""
    tracks, about = run.described(POSITIONS)
    frames, shapes, spans_of_frames = _frames(run)
    waits, heard, spans_of_waits = _lanes(run)
    files = {
        FRAMES: frames,
        LANES: waits,
        HEARD: heard,
        POSITIONS: _written(tracks),
    }
    for name in run.more:
        table = run.table(name)
        if TIME not in table.column_names:
            raise InputError(
                f"{run.folder / name}: is not one that a run wrote: no column '{TIME}'"
            )
        files[name] = _written(_series(table) if name == SERIES else table, whole=name == EVENTS)
    spans: Json = {"frames": spans_of_frames.spans, "lanes": spans_of_waits.spans}
    return {**run.about(about), "block": BLOCK, "spans": spans, "shapes": shapes}, files


def _frames(run: Run) -> tuple[bytes, list[Json], Spans]:
    """Frames, the kinds of them that there are, and when they were."""
    import numpy as np

    table = run.table(FRAMES)
    begins, lasts = _microseconds(table)
    shapes, numbers = _shapes(table)
    # Frames are in the order in which they left: rounding keeps it.
    chosen = columns.taken(table, np.arange(table.num_rows), OF_FRAMES)
    chosen = columns.with_column(chosen, "from_us", _narrow(begins))
    chosen = columns.with_column(chosen, "shape", numbers)
    return _written(chosen), shapes, Spans.of(begins, lasts, US)


def _shapes(table: "Table") -> "tuple[list[Json], NDArray[np.int32]]":
    """The different frames that there are, and of each row which it is."""
    import numpy as np

    words, kinds = columns.coded(table, SHAPE[0])
    numbers = [columns.whole_numbers(table, name) for name in SHAPE[1:]]
    rows = np.column_stack([kinds, *numbers])
    # A number for each row, in the order of rows: `unique` of whole rows takes twice as long.
    codes = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, places = np.unique(column, return_inverse=True)
        codes = codes * len(values) + places
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    different = rows[first]
    shapes: list[Json] = [
        {"kind": words[kind], "bytes": length, "rate_bps": rate, "lasts_us": lasts_ns / NS_PER_US}
        for kind, length, rate, lasts_ns in different.tolist()
    ]
    return shapes, which.reshape(-1).astype(np.int32)


def _lanes(run: Run) -> tuple[bytes, bytes, Spans]:
    """Waits, who hears whom, and when the waits were."""
    import numpy as np

    table = run.table(LANES)
    begins, lasts = _microseconds(table)
    hears = columns.are(table, HEARING)
    parts = []
    for wanted, names in ((~hears, OF_WAITS), (hears, OF_HEARING)):
        rows = np.flatnonzero(wanted)
        rows = rows[np.argsort(begins[rows], kind="stable")]
        part = columns.taken(table, rows, names)
        parts.append((_timed(part, begins[rows], lasts[rows]), rows))
    (waits, rows), (heard, _) = parts
    spans = Spans.of(begins[rows], lasts[rows], US)
    return _written(waits), _written(heard), spans


def _series(table: "Table") -> "Table":
    import numpy as np

    names = [name for name in OF_SERIES if name in table.column_names]
    chosen = columns.taken(table, np.arange(table.num_rows), names)
    times = table.column(TIME).combine_chunks().to_numpy()
    return columns.with_column(chosen, "time_us", np.rint(times * 1e6).astype(np.int64))


def _microseconds(table: "Table") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """When rows begin, and how long they last: both ends are rounded."""
    begins = columns.whole_numbers(table, "from_ns")
    ends = begins + columns.whole_numbers(table, "lasts_ns")
    half = NS_PER_US // 2
    begins, ends = (begins + half) // NS_PER_US, (ends + half) // NS_PER_US
    return begins, ends - begins


def _timed(table: "Table", begins: "NDArray[Any]", lasts: "NDArray[Any]") -> "Table":
    for name, numbers in (("from_us", begins), ("lasts_us", lasts)):
        table = columns.with_column(table, name, _narrow(numbers))
    return table


def _narrow(numbers: "NDArray[Any]") -> "NDArray[Any]":
    """In 32 bits where they fit, which pages read much faster."""
    import numpy as np

    fits = not len(numbers) or numbers.max() < 2**31
    return numbers.astype(np.int32 if fits else np.int64)


def _written(table: "Table", *, whole: bool = False) -> bytes:
    """`whole`: as the run wrote it, in its own encodings."""
    from arro3.io import write_parquet

    deltas = [name for name in DELTAS if name in table.column_names and not whole]
    # One key: the order of several would be another one each time.
    flows = (table.schema.metadata_str or {}).get(FLOWS)
    file = io.BytesIO()
    write_parquet(
        table,
        file,
        compression=LEVEL,
        column_encoding=dict.fromkeys(deltas, "delta_binary_packed"),
        column_dictionary_enabled=dict.fromkeys(deltas, False),
        max_row_group_size=BLOCK,
        skip_arrow_metadata=True,
        key_value_metadata={FLOWS: flows} if flows is not None else None,
    )
    return file.getvalue()
