"""Where a profile comes from: a folder of results, or a file that another program wrote."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopwright import _core
from hopwright._io.data import Json, at, items, number, toml_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes, read_text
from hopwright._io.warn import warn
from hopwright.emulation.folder import INPUTS, OPEN_LOOP, is_open_loop

KINDS = ("result", "csv", "ns2-variables", "ns2-packets", "pcap")
SERIES, EVENTS = "series.parquet", "events.parquet"
MOST_LISTED = 20


@dataclass(frozen=True)
class Request:
    """What is to be read, in the words of the command."""

    place: Path
    kind: str | None = None
    flow: str | None = None
    drops: Path | None = None
    tick_s: float | None = None
    segment_bytes: int | None = None
    wants_drops: bool = False


def read(request: Request) -> _core.ConnectionTrace:
    """The connection. Raises `InputError`, which names the file and what is wrong in it."""
    if request.place.is_dir():
        if request.kind not in {None, "result"}:
            raise InputError(f"{request.place}: is a folder, not {request.kind}")
        if is_open_loop(request.place):
            warn(OPEN_LOOP)
        return _of_result(request)
    if request.kind == "result":
        raise InputError(f"{request.place}: is not a folder of results")
    content = read_bytes(request.place)
    dropped = None if request.drops is None else read_bytes(request.drops)
    try:
        return _core.read_connection(
            content,
            kind=request.kind,
            flow=request.flow,
            tick_s=request.tick_s,
            segment_bytes=request.segment_bytes,
            dropped=dropped,
        )
    except KeyError:
        what = "not a capture (pcap, pcapng), a trace of ns-2, or CSV with time_s and rtt_ms"
        raise InputError(f"{request.place}: is {what}; give --from KIND") from None
    except ValueError as error:
        is_drops = error.args[0] == "dropped" and len(error.args) > 1
        raise InputError(
            f"{request.drops if is_drops else request.place}: {error.args[-1]}"
        ) from None


def _of_result(request: Request) -> _core.ConnectionTrace:
    folder = request.place
    for word, value in (
        ("--drops", request.drops),
        ("--tick", request.tick_s),
        ("--segment-bytes", request.segment_bytes),
    ):
        if value is not None:
            raise InputError(f"{word} is about traces of ns-2, and {folder} is a folder of results")
    if not (folder / SERIES).is_file():
        several = sorted(each.name for each in folder.glob("seed-*") if each.is_dir())
        if several:
            raise InputError(f"{folder}: has several runs: name one, such as {folder / several[0]}")
        raise _without_flow(folder, f"has no {SERIES}: run with [output] series = ['rtt']")
    columns = _columns(folder / SERIES)
    flow = _chosen(folder, columns, request.flow)
    if "rtt_s" not in columns:
        raise InputError(
            f"{folder / SERIES}: has no round-trip times: run with 'rtt' in [output] series"
        )
    import numpy as np

    wanted = ("time_s", "rtt_s", "sent_segments", "retransmitted_segments")
    rows = np.flatnonzero(np.asarray(columns["flow"]) == flow)
    table = {name: np.asarray(columns[name], dtype=float)[rows] for name in wanted}
    # Rows of what only the network knows come before the sender's first.
    known = np.isfinite(table["sent_segments"])
    table = {name: values[known] for name, values in table.items()}
    size = _segment_bytes(folder / "scenario.toml", flow)
    dropped = _dropped(folder, flow) if request.wants_drops else None
    try:
        return _core.counted_connection(
            f"flow {flow}",
            time_s=table["time_s"].astype("<f8").tobytes(),
            rtt_s=table["rtt_s"].astype("<f8").tobytes(),
            new_bytes=np.rint(table["sent_segments"] * size).astype("<f8").tobytes(),
            again_bytes=np.rint(table["retransmitted_segments"] * size).astype("<f8").tobytes(),
            dropped=dropped,
        )
    except ValueError as error:
        raise InputError(f"{folder / SERIES}: of flow {flow}: {error}") from None


def _columns(path: Path, *needed: str) -> dict[str, Any]:
    from hopwright._io.parquet import read_columns

    columns = read_columns(path)
    if missing := [name for name in needed if name not in columns]:
        raise InputError(f"{path}: has no column {missing[0]}: it describes no flow")
    return columns


def _without_flow(folder: Path, what: str) -> InputError:
    """What says that no simulated flow can be read, and what there is of programs."""
    inputs = folder / INPUTS
    hint = f"; for a connection of programs, name {inputs}" if inputs.is_file() else ""
    return InputError(f"{folder}: {what}{hint}")


def _chosen(folder: Path, columns: dict[str, Any], text: str | None) -> int:
    flows = sorted({each for each in columns.get("flow", ()) if each is not None})
    listed = ", ".join(map(str, flows[:MOST_LISTED])) + (
        ", ..." if len(flows) > MOST_LISTED else ""
    )
    if not flows:
        raise _without_flow(folder, "its series have no flow")
    if text is None:
        if len(flows) != 1:
            raise InputError(f"{folder}: has {len(flows)} flows: say which with --flow N: {listed}")
        return int(flows[0])
    if not text.isdecimal() or int(text) not in flows:
        raise InputError(f"--flow {text}: {folder} has no such flow; there are: {listed}")
    return int(text)


def _segment_bytes(path: Path, flow: int) -> float:
    """The data in a segment of a flow; flows that run in parallel stand there once."""
    try:
        scenario: Json = toml_of(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    each = [
        entry
        for entry in items(scenario, "flows")
        for _ in range(int(number(entry, "parallel") or 1))
    ]
    transport = at(each[flow], "transport") if flow < len(each) else None
    if at(transport, "protocol") == "udp":
        raise InputError(f"{path}: flow {flow} is a UDP flow, which measures no round-trip times")
    size = number(transport, "segment_bytes")
    if size is None:
        raise InputError(f"{path}: does not say how large segments of flow {flow} are")
    return size


def _dropped(folder: Path, flow: int) -> tuple[bytes, bytes]:
    """When data of a flow was dropped, and how many bytes."""
    import numpy as np

    path = folder / EVENTS
    if not path.is_file():
        raise InputError(
            f"{folder}: has no {EVENTS}, which lists drops: run with [output] lineage = "
            "'losses', or say --lost retransmitted"
        )
    columns = _columns(path, "kind", "flow", "carries", "bytes", "time_s")
    rows = zip(
        *(columns[name] for name in ("kind", "flow", "carries", "time_s", "bytes")), strict=True
    )
    found = sorted(
        (time_s, size or 0)
        for kind, of, carries, time_s, size in rows
        if kind == "dropped" and of == flow and carries == "segment"
    )
    times, sizes = ([row[place] for row in found] for place in (0, 1))
    return np.array(times, dtype="<f8").tobytes(), np.array(sizes, dtype="<f8").tobytes()
