"""`events.parquet`, read: events by number, and what led to each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.data import Json, amount, json_of, toml_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_text
from hopwright._io.parquet import read_table
from hopwright._io.paths import wrong_kind
from hopwright._io.plural import many
from hopwright.emulation.folder import INPUTS
from hopwright.results.chosen import Flows, flow_list
from hopwright.results.nodes import names_of_run, with_names
from hopwright.results.said import SAID

if TYPE_CHECKING:
    import numpy as np
    from arro3.core import Array, Schema
    from numpy.typing import NDArray

EVENTS = "events.parquet"
FLOWS = "flows"
"""What of the file's metadata says where the data of each flow go: see docs/lineage.md."""
REACTIONS = ("rto", "fast_retransmit", "cut", "freeze", "thaw", "adapt", "bundle_resent")
"""What a sender, or a receiver that asks, does about what it takes for lost, is told, or has
measured."""
DATA = ("segment", "datagram")
"""What only the source of a flow sends."""
QUEUE = "queue"
"""A loss to whatever keeps packets and had no room, or no time."""
NO_FULL_QUEUE = tuple(SAID["losses_in_waiting"])
"""Drops that are such losses, though no queue was full."""
OF_PROGRAMS = (
    "protocol",
    "source",
    "destination",
    "source_port",
    "destination_port",
    "icmp_id",
    "tcp_seq",
    "tcp_flags",
)
"""Columns of runs with programs attached: whose conversation a packet belongs to."""
OPTIONAL = ("detail", "bundle", *OF_PROGRAMS)
"""Columns that not all files have."""
OF_BUNDLES = "bundle_"
"""What the kinds of events begin with that are of bundles, not of packets."""


class Event(NamedTuple):
    """A row of the file; what it does not have is None. docs/lineage.md says what each field is."""

    id: int
    time_s: float
    kind: str
    node: int
    peer: int | None
    flow: int | None
    packet: int | None
    first_byte: int | None
    bytes: int | None
    carries: str | None
    tries: int | None
    frame: str | None
    cause: str | None
    loss: str | None
    because: int | None
    by_node: int | None
    by_frame: str | None
    by_time_s: float | None
    by_packet: int | None
    relation: str | None
    window_before_segments: float | None
    window_after_segments: float | None
    diagnosis: str | None
    detail: str | None
    """Only in files of runs with triggers."""
    bundle: int | None
    """Only in files of runs with bundles."""
    protocol: int | None
    """This and what follows: only in files of runs with programs, of their packets."""
    source: int | None
    destination: int | None
    source_port: int | None
    destination_port: int | None
    icmp_id: int | None
    tcp_seq: int | None
    tcp_flags: int | None

    @property
    def origin(self) -> int | None:
        """The node that made the packet: its name begins with that."""
        return None if self.packet is None else self.packet >> 40


class Stream(NamedTuple):
    """Where a flow's data come from and go to, and how long its segments are."""

    source: int
    destination: int
    segment_bytes: int
    """The longest that was sent; 0 if none was."""


class Lineage:
    """A run's events, by number.

    They may be millions, of which a question is about a few: columns are looked at, and rows become
    events when somebody asks for them.
    """

    def __init__(
        self,
        columns: "Mapping[str, Array]",
        names: Sequence[str] = (),
        streams: Sequence[Stream] = (),
        warm_up_s: float = 0.0,
    ) -> None:
        """`columns`: those of the file by name, one for each field of an `Event`.

        `names`: of all nodes, if they have any. `streams`: of all flows; empty if the file does not
        say. `warm_up_s`: how long results counted nothing, which events do.
        """
        import numpy as np

        self._columns = columns
        self.names = names
        self.warm_up_s = warm_up_s
        self._streams = streams
        self._ids = columns["id"].to_numpy()
        self._order = np.argsort(self._ids, kind="stable")
        self._rows = dict(zip(self._ids.tolist(), range(len(self._ids)), strict=True))
        self._events: dict[int, Event] = {}
        """By row, as far as they were asked for."""
        self._cut: dict[int, list[Event]] = {}
        """How each flow's bundles were cut, as far as that was asked for."""
        self._guessed: dict[int | None, int | None] = {}
        """The node that sends each flow's data, as far as that had to be guessed."""

    @classmethod
    def read(cls, folder: Path) -> "Lineage":
        """The events of a run's folder. Raises `InputError` if it has none, or no good ones."""
        file = folder / EVENTS
        if not file.is_file():
            raise InputError(_absent(folder))
        table = read_table(file)
        for name in Event._fields:
            if name not in table.column_names and name not in OPTIONAL:
                raise InputError(
                    f"{file}: is not a file that this version of Hopwright wrote: it has no column "
                    f"'{name}'"
                )
        there = [name for name in Event._fields if name in table.column_names]
        columns = {name: table.column(name).combine_chunks() for name in there}
        for name in ("id", "time_s", "kind", "node"):
            if columns[name].null_count:
                raise InputError(f"{file}: is damaged: a row has no '{name}'")
        streams = _streams(file, table.schema)
        return cls(columns, names_of_run(folder), streams, _warm_up_s(folder))

    def __repr__(self) -> str:
        flows = ", ".join(map(str, self.flows)) or "none"
        return f"<Lineage of {many(len(self._ids), 'event')}, flows {flows}>"

    def told(self, sentence: str) -> str:
        """A sentence that calls nodes `node 3`, with their names if they have any."""
        return with_names(sentence, self.names)

    def __getitem__(self, number: int) -> Event:
        return self._at(self._rows[number])

    def __contains__(self, number: object) -> bool:
        return number in self._rows

    def those(self, kinds: Collection[str] | None = None, flows: Flows = None) -> list[Event]:
        """The events of these kinds, and of these flows, in the order of their numbers."""
        import numpy as np

        chosen = np.ones(len(self._ids), dtype=bool)
        if kinds is not None:
            chosen &= self._is("kind", kinds)
        listed = flow_list(flows)
        if listed is not None:
            chosen &= np.isin(self._flow, listed)
        return self._load(self._order[chosen[self._order]].tolist())

    def of_programs(self, kinds: Collection[str]) -> list[Event]:
        """The events of these kinds that packets of programs had; none where none is attached."""
        if "protocol" not in self._columns:
            return []
        chosen = self._is("kind", kinds) & (self._protocol >= 0)
        return self._load(self._order[chosen[self._order]].tolist())

    def of_packet(self, packet: int) -> list[Event]:
        """All that is told of a packet, tries among it."""
        import numpy as np

        chosen = np.asarray(self._packet == packet)
        return self._load(self._order[chosen[self._order]].tolist())

    def before(self, events: Iterable[Event]) -> list[Event | None]:
        """Of each event, what led to it, if that is told of."""
        rows = [None if e.because is None else self._rows.get(e.because) for e in events]
        self._load([row for row in rows if row is not None])
        return [None if row is None else self._at(row) for row in rows]

    def chain(self, event: Event) -> list[Event]:
        """The event, what led to it, what led to that, and so on."""
        return [event, *self._load(list(self._back(event)))]

    def nearest(self, event: Event, kind: str) -> Event | None:
        """The first of this kind in the event's chain; it may be the event."""
        if event.kind == kind:
            return event
        codes, wanted = self._kinds
        row = next((row for row in self._back(event) if codes[row] == wanted.get(kind)), None)
        return None if row is None else self._at(row)

    def at(self, at_s: float, flows: Flows = None) -> Event | None:
        """The event nearest to a time, of any kind, and of these flows."""
        import numpy as np

        listed = flow_list(flows)
        here = np.ones(len(self._ids), bool) if listed is None else np.isin(self._flow, listed)
        rows = np.flatnonzero(here)
        if not len(rows):
            return None
        apart_s = np.abs(self._columns["time_s"].to_numpy()[rows] - at_s)
        return self._at(int(rows[np.argmin(apart_s)]))

    def root(self, event: Event) -> str | None:
        """What the network is to blame with: `loss`, or what broke the route that was missing.

        Where a queue is to blame that was not full, the drop. None where nothing was lost.
        """
        if event.loss == QUEUE:
            lost = self.nearest(event, "dropped")
            return lost.cause if lost is not None and lost.cause in NO_FULL_QUEUE else QUEUE
        if event.loss != "no_route":
            return event.loss
        broke = self.nearest(event, "route_broke")
        if broke is None:
            return event.loss
        return "contention" if broke.cause == "in_range" else "link_failure"

    def sending(self, packet: int | None) -> Event | None:
        """How a packet was sent, by its name; None if that is not told of."""
        row = self._sent.get(packet)
        return None if row is None else self._at(row)

    def is_onward(self, event: Event) -> bool:
        """Whether a packet goes the way of its flow's data. True if nobody knows that."""
        if event.flow is None or event.flow >= len(self._streams):
            return self._guessed_source(event.flow) in (None, event.origin)
        ends = self._streams[event.flow]
        if event.origin in (ends.source, ends.destination):
            return event.origin == ends.source
        # A relay with connections of its own made it, towards one end of the flow or the other.
        sent = self.sending(event.packet)
        return event.carries in DATA or (sent is not None and sent.peer == ends.destination)

    def _guessed_source(self, flow: int | None) -> int | None:
        """The node that sends a flow's data, where the file does not say it: who made such data."""
        import numpy as np

        if flow not in self._guessed:
            rows = np.flatnonzero(self._is("carries", DATA) & (self._flow == flow))
            last = self._load(rows[-1:].tolist())
            self._guessed[flow] = next((event.origin for event in last), None)
        return self._guessed[flow]

    def asks(self, flow: int) -> bool:
        """Whether the receiver of a flow asks for its data: any request is told of."""
        return flow in self._asked

    def bundles(self, flow: int) -> Sequence[int]:
        """The bundles of a flow that anything is told of; none if it is not carried by bundles."""
        return sorted({event.bundle for event in self._cuts(flow) if event.bundle is not None})

    def of_bundle(self, flow: int, bundle: int) -> list[Event]:
        """What happened to a bundle, in the order of time."""
        import numpy as np

        if self._bundle is None:
            return []
        chosen = (
            (self._flow == flow) & (self._bundle == bundle) & self._is("kind", self._happenings)
        )
        return self._load(self._order[np.asarray(chosen)[self._order]].tolist())

    def cut(self, flow: int | None, bundle: int | None) -> Event | None:
        """How a bundle was cut."""
        if flow is None or bundle is None:
            return None
        return next((event for event in self._cuts(flow) if event.bundle == bundle), None)

    def _cuts(self, flow: int) -> list[Event]:
        if flow not in self._cut:
            self._cut[flow] = self.those(("bundle_cut",), flow)
        return self._cut[flow]

    def segment_bytes(self, flow: int) -> int:
        """The length of a flow's segments: the longest; at least 1.

        Of a file that does not say it, the longest that is told of.
        """
        if flow < len(self._streams):
            return max(self._streams[flow].segment_bytes, 1)
        return self._segment_bytes.get(flow, 1)

    @cached_property
    def flows(self) -> Sequence[int]:
        """The flows that anything is told of."""
        import numpy as np

        return [int(flow) for flow in np.unique(self._flow) if flow >= 0]

    @cached_property
    def _flow(self) -> "NDArray[np.int64]":
        """Of each row the flow; -1 for none."""
        return _whole(self._columns["flow"])

    @cached_property
    def _bundle(self) -> "NDArray[np.int64] | None":
        """Of each row the bundle; -1 for none."""
        return _whole(self._columns["bundle"]) if "bundle" in self._columns else None

    @cached_property
    def _protocol(self) -> "NDArray[np.int64]":
        """Of each row the protocol of a program's packet; -1 for none."""
        return _whole(self._columns["protocol"])

    @cached_property
    def _packet(self) -> "NDArray[np.int64]":
        """Of each row the packet; -1 for none."""
        return _whole(self._columns["packet"])

    @cached_property
    def _happenings(self) -> Collection[str]:
        """The kinds of events of bundles that there are."""
        return [word for word in self._coded("kind")[1] if word.startswith(OF_BUNDLES)]

    @cached_property
    def _sent(self) -> Mapping[int | None, int]:
        import numpy as np

        rows = self._order[self._is("kind", ("sent", "resent"))[self._order]]
        packets = self._columns["packet"].take(rows.astype(np.uint64)).to_pylist()
        named = zip(packets, rows.tolist(), strict=True)
        return {packet: row for packet, row in named if packet is not None}

    @cached_property
    def _segment_bytes(self) -> Mapping[int, int]:
        import numpy as np

        rows = np.flatnonzero(self._is("carries", ("segment",)) & (self._flow >= 0))
        lengths = self._columns["bytes"].take(rows.astype(np.uint64)).to_pylist()
        sizes: dict[int, int] = {}
        for flow, length in zip(self._flow[rows].tolist(), lengths, strict=True):
            if length is not None:
                sizes[flow] = max(sizes.get(flow, 0), length)
        return sizes

    @cached_property
    def _asked(self) -> frozenset[int]:
        """The flows of which a request is told of."""
        import numpy as np

        return frozenset(np.unique(self._flow[self._is("carries", ("request",))]).tolist())

    @cached_property
    def _kinds(self) -> tuple[list[int], Mapping[str, int]]:
        """Of each row a number that stands for its kind, and which it is."""
        codes, words = self._coded("kind")
        return codes.tolist(), {word: code for code, word in enumerate(words)}

    def _is(self, column: str, words: Collection[str]) -> "NDArray[np.bool_]":
        """Which rows have one of these words in a column."""
        import numpy as np

        codes, known = self._coded(column)
        found: NDArray[np.bool_] = np.isin(
            codes, [code for code, word in enumerate(known) if word in words]
        )
        return found

    def _coded(self, column: str) -> "tuple[NDArray[np.int64], list[str]]":
        """A column of words as numbers, -1 for none, and what these stand for."""
        from arro3.core import DataType, dictionary_dictionary, dictionary_indices

        words = self._columns[column].cast(DataType.dictionary(DataType.int32(), DataType.utf8()))
        return _whole(dictionary_indices(words)), list(dictionary_dictionary(words).to_pylist())

    def _back(self, event: Event) -> Iterator[int]:
        """The rows of what led to an event, the latest first. None leads to itself."""
        seen = {event.id}
        because = event.because
        while because is not None and because in self._rows and because not in seen:
            seen.add(because)
            row = self._rows[because]
            yield row
            because = self._because[row]

    @cached_property
    def _because(self) -> list[int | None]:
        return list(self._columns["because"].to_pylist())

    def _at(self, row: int) -> Event:
        return self._load([row])[0]

    def _load(self, rows: list[int]) -> list[Event]:
        """The events of these rows."""
        import numpy as np

        missing = [row for row in dict.fromkeys(rows) if row not in self._events]
        if missing:
            places = np.asarray(missing, dtype=np.uint64)
            absent = [None] * len(missing)
            there = self._columns
            columns = [
                there[name].take(places).to_pylist() if name in there else absent
                for name in Event._fields
            ]
            made: Iterator[Event] = map(Event._make, zip(*columns, strict=True))
            self._events.update(zip(missing, made, strict=True))
        return [self._events[row] for row in rows]


def _whole(column: "Array") -> "NDArray[np.int64]":
    """A column of whole numbers that are not below zero; -1 where there is none."""
    import numpy as np

    if not column.null_count:
        return column.to_numpy().astype(np.int64)
    cells = column.to_pylist()
    return np.fromiter((-1 if cell is None else cell for cell in cells), np.int64, len(cells))


def _streams(file: Path, schema: "Schema") -> list[Stream]:
    """What the file says of flows; empty if it is of a version that does not say it."""
    said = schema.metadata_str.get(FLOWS)
    if said is None:
        return []
    try:
        return [Stream(*map(each.__getitem__, _ENDS)) for each in json_of(said)]
    except (ValueError, TypeError, LookupError) as error:
        raise InputError(f"{file}: is damaged: it does not say which flows it has") from error


_ENDS = ("from", "to", "segment_bytes")


def _warm_up_s(folder: Path) -> float:
    """How long a run went on before its results began to count; 0 if nobody knows."""
    try:
        scenario: Json = toml_of(read_text(folder / "scenario.toml"))
    except (InputError, ValueError):
        return 0.0
    return amount(scenario, "warm_up_s")


def _absent(folder: Path) -> str:
    if not folder.is_dir():
        return wrong_kind(
            folder,
            "name the folder of a run, such as 'hopwright run FILE --set output.lineage=losses "
            "--out DIR' writes",
        )
    runs = sorted(folder.glob(f"seed-*/{EVENTS}"))
    if runs:
        return f"{folder}: holds several runs; name one of them, such as {runs[0].parent}"
    plans = [*folder.glob("sweep.json"), *sorted(folder.glob("*/sweep.json"))]
    if plans:
        from hopwright.sweeps.folder import GIVEN

        what = "is a sweep" if plans[0].parent == folder else "holds several sweeps"
        return (
            f"{folder}: {what} without events. 'hopwright explain {folder} --against VALUE' "
            "compares how flows spent their time in its variants. For the events of one run, "
            f"repeat this run alone: 'hopwright run {plans[0].parent / GIVEN} --set "
            "KEY=VALUE --seed N --set output.lineage=losses --out NEW'"
        )
    if (folder / INPUTS).is_file():
        return (
            f"{folder}: has no {EVENTS}; "
            f"'hopwright replay {folder} --set output.lineage=all --out NEW' writes a folder with "
            "this file"
        )
    if (folder / "scenario.toml").is_file():
        return f"{folder}: has no {EVENTS}; run the scenario with --set output.lineage=losses"
    return f"{folder}: is not a folder that 'hopwright run' wrote"
