"""`hopwright view --perfetto`: a strict reader of the format, and what it finds beside the run."""

import gzip
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from arro3.io import read_parquet

import hopwright as hw
from hopwright._cli.main import main
from hopwright.explain.events import REACTIONS, Lineage
from hopwright.results.frames import Frames

CHAIN = Path(__file__).parents[3] / "scenarios" / "chain.toml"
SETTINGS = {
    "duration_s": 12, "routing.protocol": "aodv", "output.lineage": "losses",
    "output.frames": True, "output.positions": True,
}  # fmt: skip
BACK = """
[[flows]]
from = 8
to = 4
app = "bulk"
[flows.transport]
protocol = "newreno"
"""


@dataclass
class Track:
    """A track with what is on it, in the order of time."""

    name: str
    parent: int | None
    is_counter: bool
    slices: list[tuple[int, int, str, dict[str, Any]]] = field(default_factory=list)
    values: list[tuple[int, float]] = field(default_factory=list)

    @property
    def instants(self) -> list[tuple[int, str, dict[str, Any]]]:
        """What takes no time; nothing else may be on this track."""
        assert all(lasts_ns == 0 for _, lasts_ns, _, _ in self.slices)
        return [(at_ns, name, told) for at_ns, _, name, told in self.slices]


@dataclass
class Trace:
    """What a file says, checked against the rules of the format."""

    tracks: dict[int, Track] = field(default_factory=dict)
    arrows: dict[int, list[int]] = field(default_factory=dict)
    """Of each arrow when the slice begins that it leaves from, and that it ends at."""

    def all(self, name: str) -> list[Track]:
        return [each for each in self.tracks.values() if each.name == name]

    def of(self, *path: str) -> Track:
        """The only track below these."""
        found: list[int | None] = [None]
        for name in path:
            found = [
                uuid
                for uuid, each in self.tracks.items()
                if each.parent in found and each.name.startswith(name)
            ]
        (uuid,) = found
        assert uuid is not None
        return self.tracks[uuid]


def read(content: bytes) -> Trace:
    """Reads a trace as docs.perfetto.dev describes track events; anything else is an error."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as names

    whole = names.Trace()
    whole.ParseFromString(content)
    assert whole.SerializeToString() == content  # nothing that the schema does not know
    found = Trace()
    texts: dict[str, dict[int, Any]] = {}
    events: list[tuple[int, int, Any, dict[str, dict[int, Any]]]] = []
    packets = list(whole.packet)
    assert packets[0].sequence_flags == names.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    for number, packet in enumerate(packets):
        assert packet.trusted_packet_sequence_id == 1
        for descriptor, entries in packet.interned_data.ListFields():
            for entry in entries:
                known = texts.setdefault(descriptor.name, {})
                assert entry.iid > 0
                assert entry.iid not in known
                known[entry.iid] = entry.str.decode() if hasattr(entry, "str") else entry.name
        if packet.HasField("track_descriptor"):
            about = packet.track_descriptor
            assert about.uuid not in found.tracks
            parent = about.parent_uuid if about.HasField("parent_uuid") else None
            assert parent is None or parent in found.tracks
            found.tracks[about.uuid] = Track(about.name, parent, about.HasField("counter"))
        elif packet.HasField("track_event"):
            assert packet.sequence_flags == names.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
            assert packet.track_event.track_uuid in found.tracks
            events.append((packet.timestamp, number, packet.track_event, texts))
    _play(found, events, names.TrackEvent)
    return found


def _play(found: Trace, events: list[tuple[int, int, Any, dict[str, Any]]], kinds: Any) -> None:  # noqa: ANN401
    open_slices: dict[int, tuple[int, str, dict[str, Any]]] = {}
    for at_ns, _, event, texts in sorted(events, key=lambda each: each[:2]):
        track = found.tracks[event.track_uuid]
        if event.type == kinds.TYPE_COUNTER:
            assert track.is_counter
            is_whole = event.HasField("counter_value")
            value = event.counter_value if is_whole else event.double_counter_value
            track.values.append((at_ns, value))
            continue
        assert not track.is_counter
        if event.type == kinds.TYPE_SLICE_END:
            began_ns, name, told = open_slices.pop(event.track_uuid)
            track.slices.append((began_ns, at_ns - began_ns, name, told))
            continue
        name = texts["event_names"][event.name_iid]
        told = dict(_told(event, texts))
        assert event.type == kinds.TYPE_SLICE_BEGIN
        assert event.track_uuid not in open_slices  # nothing on these tracks is inside another
        open_slices[event.track_uuid] = (at_ns, name, told)
        for arrow in event.flow_ids:
            assert arrow not in found.arrows
            found.arrows[arrow] = [at_ns]
        for arrow in event.terminating_flow_ids:
            assert len(found.arrows[arrow]) == 1
            found.arrows[arrow].append(at_ns)
    assert not open_slices


def _told(event: Any, texts: dict[str, Any]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    for said in event.debug_annotations:
        name = texts["debug_annotation_names"][said.name_iid]
        if said.HasField("string_value_iid"):
            yield name, texts["debug_annotation_string_values"][said.string_value_iid]
        else:
            yield name, getattr(said, said.WhichOneof("value"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("perfetto") / "run"
    file = out.with_suffix(".toml")
    file.write_text(CHAIN.read_text() + BACK)
    hw.run(hw.load(file, SETTINGS), out=out)
    return out


@pytest.fixture(scope="module")
def trace(run: Path) -> Trace:
    pytest.importorskip("perfetto")
    file = run.parent / "run.pftrace"
    assert main(["view", str(run), "--perfetto", str(file)]) == 0
    return read(file.read_bytes())


def rows(file: Path, *names: str) -> list[tuple[Any, ...]]:
    table = read_parquet(file).read_all()
    return list(zip(*(table.column(name).to_pylist() for name in names), strict=True))


def test_every_frame_is_where_and_when_it_was(run: Path, trace: Trace) -> None:
    names = ("node", "from_ns", "lasts_ns", "kind", "packet", "tries", "result")
    frames = rows(run / "frames.parquet", *names)
    assert len(frames) > 1000
    for node in range(9):
        of = trace.of("nodes", f"node {node}", "on the air").slices
        wanted = [row[1:3] for row in frames if row[0] == node]
        assert [each[:2] for each in of] == wanted
        told = [(each[3].get("packet"), each[3].get("tries"), each[3].get("result")) for each in of]
        assert told == [row[4:] for row in frames if row[0] == node]
    lost = {row[6] for row in frames if row[6] not in (None, "received")}
    named = {each[2].partition(", ")[2] for t in trace.all("on the air") for each in t.slices}
    assert lost
    assert named - {""} == lost


def test_an_arrow_leads_from_each_answered_frame_to_its_acknowledgement(
    run: Path, trace: Trace
) -> None:
    frames = rows(run / "frames.parquet", "kind", "from_ns", "node", "to", "packet", "lasts_ns")
    acks = {(row[3], row[2], row[4], row[1]) for row in frames if row[0] == "ack"}
    data = {row[1]: row for row in frames if row[0] == "data"}
    complete = [each for each in trace.arrows.values() if len(each) == 2]
    assert len(complete) == len(acks) > 300
    for began_ns, ended_ns in complete:
        _, _, node, to, packet, lasts_ns = data[began_ns]
        assert (node, to, packet, ended_ns) in acks
        assert 0 < ended_ns - began_ns - lasts_ns < 100_000  # SIFS and the way


def test_waits_and_queues_are_those_of_the_lanes(run: Path, trace: Trace) -> None:
    lanes = rows(run / "lanes.parquet", "kind", "node", "from_ns", "lasts_ns", "packets")
    for kind, name in (("backoff", "back-off"), ("reserved", "medium reserved")):
        for node in range(9):
            wanted = sorted(row[2:4] for row in lanes if row[:2] == (kind, node))
            of = trace.of("nodes", f"node {node}", name).slices
            assert [each[:2] for each in of] == wanted
    for node in range(9):
        values = trace.of("nodes", f"node {node}", "queue").values
        queued = sum(row[3] * row[4] for row in lanes if row[:2] == ("queue", node))
        area = sum(n * (b - a) for (a, n), (b, _) in pairwise(values))
        assert area == queued
        busy = [each[:2] for each in trace.of("nodes", f"node {node}", "medium busy").slices]
        carrier = Frames.read(run).carrier(node).tolist()
        assert busy == [(begin, end - begin) for begin, end in carrier]


def test_counters_and_losses_are_those_of_the_run(run: Path, trace: Trace) -> None:
    series = rows(run / "series.parquet", "flow", "time_s", "cwnd_segments")
    lineage = Lineage.read(run)
    for flow in (0, 1):
        window = trace.of("flows", f"flow {flow}", "congestion window").values
        known = [row[1:] for row in series if row[0] == flow and row[2] is not None]
        assert window == [(round(time * 1e9), value) for time, value in known]
        done = trace.of("flows", f"flow {flow}", "what the sender did").instants
        assert [each[2]["event"] for each in done] == [e.id for e in lineage.those(REACTIONS, flow)]
    dropped = [event for event in lineage.those(("dropped",)) if event.loss]
    lost = sorted(
        (at_ns, name, told["event"])
        for track in trace.all("packets lost")
        for at_ns, name, told in track.instants
    )
    assert lost
    assert lost == sorted((round(e.time_s * 1e9), f"lost: {e.loss}", e.id) for e in dropped)


def test_one_flow_alone(run: Path, tmp_path: Path, trace: Trace) -> None:
    file = tmp_path / "new" / "one.pftrace.gz"
    assert main(["view", str(run), "--perfetto", str(file), "--flow", "1"]) == 0
    one = read(gzip.decompress(file.read_bytes()))
    assert [each.name for each in one.tracks.values() if each.name.startswith("flow ")] == [
        "flow 1 (8 → 4), newreno"
    ]

    def of(whose: Trace) -> list[int]:
        tracks = whose.all("on the air")
        return sorted(e[0] for each in tracks for e in each.slices if e[3].get("flow") == 1)

    assert of(one) == of(trace)
    assert sum(len(each.slices) for each in one.all("on the air")) == len(of(one)) > 0
    first = file.read_bytes()
    again = ["view", str(run), "--perfetto", str(file), "--flow", "1", "--overwrite"]
    assert main(again) == 0
    assert file.read_bytes() == first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "page.html"], "--perfetto and --out: use only one of them"),
        (["--port", "8000"], "--perfetto and --port: use only one of them"),
        (["--flow", "5"], "flow 5: there is none; flows: 0, 1"),
        (["RUN"], "a trace shows one run"),
    ],
)
def test_nonsense_writes_nothing(
    words: list[str], said: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(run) if word == "RUN" else word for word in words]
    assert main(["view", str(run), *words, "--perfetto", str(tmp_path / "trace")]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_trace_that_is_there_is_kept(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trace"
    file.write_text("mine")
    assert main(["view", str(run), "--perfetto", str(file)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_without_the_library_it_is_named(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "perfetto.protos.perfetto.trace", None)
    assert main(["view", str(run), "--perfetto", str(tmp_path / "trace")]) == 2
    assert "pip install 'hopwright[perfetto]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
