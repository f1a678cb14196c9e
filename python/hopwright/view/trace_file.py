"""A trace of Perfetto's: tracks, slices of time, instants, counters, arrows, as Protocol Buffers.

Texts are written once and referred to by number (interned), which makes the file a third as large.
"""

from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, TypeAlias

from hopwright._io.errors import InputError

if TYPE_CHECKING:
    from gzip import GzipFile

    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket

Told: TypeAlias = Mapping[str, "int | float | str | None"]
"""What is told of an event when it is chosen; None: nothing."""

SEQUENCE = 1
"""All packets are of one writer."""
PIECE = 10_000
"""Packets that are in memory at a time."""


class TraceFile:
    """Writes a trace. Times are whole nanoseconds; tracks are numbered as they come."""

    def __init__(self, file: "IO[bytes] | GzipFile") -> None:
        """Raises `InputError` without the library."""
        try:
            from perfetto.protos.perfetto.trace import perfetto_trace_pb2
            from perfetto.trace_builder.proto_builder import TraceProtoBuilder
        except ImportError as error:
            raise InputError(
                "--perfetto needs the package 'perfetto': pip install 'hopwright[perfetto]'"
            ) from error
        self._names = perfetto_trace_pb2
        self._builder_of = TraceProtoBuilder
        self._builder = TraceProtoBuilder()
        self._file = file
        self._count = 0
        self._tracks = 0
        self._flows = 0
        self._interned: dict[str, dict[str, int]] = {
            "event_names": {},
            "event_categories": {},
            "debug_annotation_names": {},
            "debug_annotation_string_values": {},
        }
        first = self._packet()
        first.sequence_flags = self._names.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        first.first_packet_on_sequence = True

    def track(self, name: str, parent: int | None = None, *, unit: str | None = None) -> int:
        """A new track below another one, in the order in which they come; `unit`: of a counter."""
        self._tracks += 1
        packet = self._packet()
        about = packet.track_descriptor
        about.uuid = self._tracks
        about.name = name
        about.child_ordering = self._names.TrackDescriptor.EXPLICIT
        about.sibling_order_rank = self._tracks
        if parent is not None:
            about.parent_uuid = parent
        if unit is not None:
            about.counter.unit_name = unit
        return self._tracks

    def slice(
        self,
        track: int,
        span: tuple[int, int],
        name: str,
        category: str,
        told: Told,
        *,
        begins: int | None = None,
        ends: int | None = None,
    ) -> None:
        """A slice of time: from when on, and for how long; arrows that leave from it, or end."""
        from_ns, lasts_ns = span
        event = self._event(from_ns, track, self._names.TrackEvent.TYPE_SLICE_BEGIN)
        self._describe(event, name, category, told)
        if begins is not None:
            event.track_event.flow_ids.append(begins)
        if ends is not None:
            event.track_event.terminating_flow_ids.append(ends)
        self._event(from_ns + lasts_ns, track, self._names.TrackEvent.TYPE_SLICE_END)

    def instant(self, track: int, at_ns: int, name: str, category: str, told: Told) -> None:
        """Something that happens in an instant: a slice of no length.

        An event of type instant would become the parent of the next on its track at the same time,
        that one the parent of the next, and Perfetto drops what has 512 ancestors.
        """
        self.slice(track, (at_ns, 0), name, category, told)

    def counter(self, track: int, times_ns: Sequence[int], values: Sequence[float]) -> None:
        """A value that holds until the next."""
        kind = self._names.TrackEvent.TYPE_COUNTER
        for at_ns, value in zip(times_ns, values, strict=True):
            event = self._event(at_ns, track, kind).track_event
            if float(value).is_integer():
                event.counter_value = int(value)
            else:
                event.double_counter_value = value

    def arrow(self) -> int:
        """A new arrow, for the slice where it begins and the one where it ends."""
        self._flows += 1
        return self._flows

    def close(self) -> None:
        """Writes what is in memory still."""
        self._file.write(self._builder.serialize())
        self._builder = self._builder_of()

    def _packet(self) -> "TracePacket":
        self._count += 1
        if self._count % PIECE == 0:
            self.close()
        packet = self._builder.add_packet()
        packet.trusted_packet_sequence_id = SEQUENCE
        return packet

    def _event(self, at_ns: int, track: int, kind: int) -> "TracePacket":
        packet = self._packet()
        packet.timestamp = at_ns
        packet.sequence_flags = self._names.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        packet.track_event.type = kind
        packet.track_event.track_uuid = track
        return packet

    def _describe(self, packet: "TracePacket", name: str, category: str, told: Told) -> None:
        event = packet.track_event
        event.name_iid = self._number(packet, "event_names", name)
        event.category_iids.append(self._number(packet, "event_categories", category))
        for key, value in told.items():
            if value is None:
                continue
            said = event.debug_annotations.add()
            said.name_iid = self._number(packet, "debug_annotation_names", key)
            if isinstance(value, str):
                of = "debug_annotation_string_values"
                said.string_value_iid = self._number(packet, of, value)
            elif isinstance(value, float):
                said.double_value = value
            else:
                said.int_value = value

    def _number(self, packet: "TracePacket", of: str, text: str) -> int:
        """The number of a text; the packet that needs it first says what it stands for."""
        known = self._interned[of]
        number = known.get(text)
        if number is None:
            number = known[text] = len(known) + 1
            entry = getattr(packet.interned_data, of).add()
            entry.iid = number
            if of == "debug_annotation_string_values":
                entry.str = text.encode()
            else:
                entry.name = text
        return number
