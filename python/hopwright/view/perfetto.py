"""The lanes of a run as a trace that ui.perfetto.dev opens: a track for each node and flow."""

import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hopwright._io.out import write_whole
from hopwright.explain import words
from hopwright.explain.events import EVENTS, REACTIONS, Lineage
from hopwright.results.frames import FRAMES, LANES, Frames
from hopwright.results.nodes import name_of, names_in
from hopwright.results.places import SERIES
from hopwright.results.positions import POSITIONS
from hopwright.view.folder import Run
from hopwright.view.trace_file import TraceFile

if TYPE_CHECKING:
    from arro3.core import Table

ZIPPED = ".gz"
OF_FLOWS = {
    "cwnd_segments": ("congestion window (segments)", "segments", 1.0),
    "in_flight_segments": ("data in flight (segments)", "segments", 1.0),
    "rtt_s": ("round-trip time (ms)", "ms", 1e3),
}
"""The counters of a flow, by the column of `series.parquet`: name, unit, factor."""
TOLD = ("to", "carries", "packet", "flow", "tries", "bytes", "rate_bps", "result", "unanswered")
"""What is told of a frame, by its columns."""


def write_trace(run: Run, file: Path) -> None:
    """Writes the trace, whole or not at all; `file` may end with `.gz`.

    If the run is to show some flows, it holds only their frames, counters and losses.

    Raises `InputError` without the library.
    """
    content = io.BytesIO()
    if file.suffix == ZIPPED:
        # Without a time in it, the same run gives the same bytes.
        with gzip.GzipFile(fileobj=content, mode="wb", mtime=0, filename="") as zipped:
            _write(run, zipped)
    else:
        _write(run, content)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, content.getvalue())


def _write(run: Run, file: "IO[bytes] | gzip.GzipFile") -> None:
    told = run.about(run.described(POSITIONS)[1])
    ends: Any = told["flows"]
    flows = run.shown
    names = names_in(run.summary)
    chosen = range(len(ends)) if flows is None else flows
    trace = TraceFile(file)
    losses = Lineage.read(run.folder) if EVENTS in run.more else None
    if SERIES in run.more or losses is not None:
        of_flows = trace.track("flows")
        for flow in chosen:
            of = ends[flow]
            source, destination = name_of(names, of["from"]), name_of(names, of["to"])
            name = f"flow {flow} ({source} → {destination}), {of['protocol']}"
            _flow(trace, trace.track(name, of_flows), run, losses, flow)
    of_nodes = trace.track("nodes")
    count = int(str(told["nodes"]))
    tracks = [trace.track(f"node {name_of(names, node)}", of_nodes) for node in range(count)]
    frames = Frames.read(run.folder)
    _frames(trace, tracks, run.table(FRAMES), flows)
    _waits(trace, tracks, run.table(LANES))
    for node, busy in enumerate(map(frames.carrier, range(count))):
        track = trace.track("medium busy (others' frames)", tracks[node])
        for from_ns, until_ns in busy.tolist():
            trace.slice(track, (from_ns, until_ns - from_ns), "busy", "carrier", {})
    if losses is not None:
        _losses(trace, tracks, losses, flows)
    trace.close()


def _flow(trace: TraceFile, track: int, run: Run, lineage: Lineage | None, flow: int) -> None:
    """Counters of a flow, and what its sender did about losses."""
    if SERIES in run.more:
        table = run.table(SERIES)
        rows = _rows(table, ("time_s", "flow", *OF_FLOWS))
        for column, (name, unit, factor) in OF_FLOWS.items():
            place = (*OF_FLOWS,).index(column) + 2
            known = [
                (round(row[0] * 1e9), row[place] * factor)
                for row in rows
                if row[1] == flow and row[place] is not None
            ]
            if known:
                counter = trace.track(name, track, unit=unit)
                trace.counter(counter, *map(list, zip(*known, strict=True)))
    if lineage is not None:
        done = trace.track("what the sender did", track)
        for event in lineage.those(REACTIONS, flow):
            about = {"event": event.id, "cause": event.cause, "says": words.what(lineage, event)}
            trace.instant(done, round(event.time_s * 1e9), event.kind, "sender", about)


def _frames(
    trace: TraceFile, nodes: Sequence[int], table: "Table", flows: Sequence[int] | None
) -> None:
    """What nodes send, with an arrow from a data frame to its acknowledgement."""
    tracks = [trace.track("on the air", node) for node in nodes]
    names = ("from_ns", "lasts_ns", "node", "kind", "by", "relation", *TOLD)
    waiting: dict[tuple[int, int, int], int] = {}
    for row in _rows(table, names):
        from_ns, lasts_ns, node, kind, by, relation, *rest = row
        told = dict(zip(TOLD, rest, strict=True))
        if flows is not None and told["flow"] not in flows:
            continue
        begins = ends = None
        if kind == "data" and told["to"] is not None and told["result"] in (None, "received"):
            begins = waiting[node, told["to"], told["packet"]] = trace.arrow()
        elif kind == "ack":
            ends = waiting.pop((told["to"], node, told["packet"]), None)
        lost = told["result"] not in (None, "received") and f", {told['result']}"
        name = f"{kind.upper()}{lost or ''}"
        if kind == "data":
            name = f"data: {told['carries']}{lost or ''}"
        trace.slice(
            tracks[node],
            (from_ns, lasts_ns),
            name,
            kind,
            {**told, "disturbed_by": by, "relation": relation},
            begins=begins,
            ends=ends,
        )


def _waits(trace: TraceFile, nodes: Sequence[int], table: "Table") -> None:
    """What stations waited for, and their queues."""
    kinds = {"backoff": "back-off", "reserved": "medium reserved (NAV)", "queue": "queue (packets)"}
    found: dict[str, list[list[Any]]] = {kind: [[] for _ in nodes] for kind in kinds}
    names = ("kind", "node", "from_ns", "lasts_ns", "slots", "left", "packets")
    for kind, node, *rest in _rows(table, names):
        if kind in found:
            found[kind][node].append(rest)
    for node, parent in enumerate(nodes):
        for kind, name in kinds.items():
            rows = sorted(found[kind][node], key=lambda row: row[0])
            if kind == "queue":
                _queue(trace, trace.track(name, parent, unit="packets"), rows)
                continue
            track = trace.track(name, parent)
            for from_ns, lasts_ns, slots, left, _ in rows:
                about = {"slots": slots, "left": left}
                trace.slice(track, (from_ns, lasts_ns), kind, kind, about)


def _queue(trace: TraceFile, track: int, rows: Sequence[Sequence[int]]) -> None:
    """While there is no row, the queue is empty."""
    times, values = [0], [0]
    for number, (from_ns, lasts_ns, _, _, packets) in enumerate(rows):
        times.append(from_ns)
        values.append(packets)
        end_ns = from_ns + lasts_ns
        if number + 1 == len(rows) or rows[number + 1][0] > end_ns:
            times.append(end_ns)
            values.append(0)
    trace.counter(track, times, values)


def _losses(
    trace: TraceFile, nodes: Sequence[int], lineage: Lineage, flows: Sequence[int] | None
) -> None:
    """Packets that were lost, where they were, with the cause."""
    tracks: dict[int, int] = {}
    for event in lineage.those(("dropped",), flows):
        if event.loss is None:
            continue
        if event.node not in tracks:
            tracks[event.node] = trace.track("packets lost", nodes[event.node])
        about = {
            "event": event.id,
            "flow": event.flow,
            "packet": event.packet,
            "drop": event.cause,
            "says": words.what(lineage, event),
        }
        name = f"lost: {event.loss}"
        trace.instant(tracks[event.node], round(event.time_s * 1e9), name, "loss", about)


def _rows(table: "Table", names: Sequence[str]) -> list[tuple[Any, ...]]:
    there = set(table.column_names)
    none = [None] * table.num_rows
    columns = [table.column(name).to_pylist() if name in there else none for name in names]
    return list(zip(*columns, strict=True))
