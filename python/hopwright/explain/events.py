"""`events.parquet`, read: events by number, and what led to each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hopwright.errors import InputError
from hopwright.parquet import read_table

EVENTS = "events.parquet"
REACTIONS = ("rto", "fast_retransmit", "cut", "freeze", "thaw")
"""What a sender does about what it takes for lost, or is told."""
DATA = ("segment", "datagram")
"""What only the source of a flow sends."""


@dataclass(frozen=True, kw_only=True)
class Event:
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

    @property
    def origin(self) -> int | None:
        """The node that made the packet: its name begins with that."""
        return None if self.packet is None else self.packet >> 40

    @property
    def is_spurious(self) -> bool:
        """Whether it answers a loss that was none."""
        asks = self.kind in ("rto", "fast_retransmit", "resent")
        return asks and self.loss is None


class Lineage(Mapping[int, Event]):
    """A run's events, by number."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = {event.id: event for event in sorted(events, key=lambda event: event.id)}

    @classmethod
    def read(cls, folder: Path) -> "Lineage":
        """The events of a run's folder. Raises `InputError` if it has none, or no good ones."""
        file = folder / EVENTS
        if not file.is_file():
            raise InputError(_absent(folder))
        table = read_table(file)
        names = list(Event.__dataclass_fields__)
        if missing := [name for name in names if name not in table.column_names]:
            raise InputError(f"{file}: is no {EVENTS} of this program: no column '{missing[0]}'")
        columns = [table.column(name).to_pylist() for name in names]
        rows: Iterator[tuple[Any, ...]] = zip(*columns, strict=True)
        return cls([Event(**dict(zip(names, row, strict=True))) for row in rows])

    def __repr__(self) -> str:
        return f"<Lineage of {len(self)} events, flows {', '.join(map(str, self.flows)) or 'none'}>"

    def __getitem__(self, number: int) -> Event:
        return self._events[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def chain(self, event: Event) -> list[Event]:
        """The event, what led to it, what led to that, and so on."""
        found = [event]
        while (because := found[-1].because) is not None and because in self._events:
            found.append(self._events[because])
        return found

    def root(self, event: Event) -> str | None:
        """What the network is to blame with: `loss`, but for want of a route, what broke it.

        None where nothing was lost.
        """
        if event.loss != "no_route":
            return event.loss
        broke = next((each for each in self.chain(event) if each.kind == "route_broke"), None)
        if broke is None:
            return event.loss
        return "contention" if broke.cause == "in_range" else "link_failure"

    @cached_property
    def packets(self) -> Mapping[int, Event]:
        """How each packet that is told of was sent, by its name."""
        return {
            event.packet: event
            for event in self.values()
            if event.kind in ("sent", "resent") and event.packet is not None
        }

    @cached_property
    def sources(self) -> Mapping[int, int]:
        """The node that sends each flow's data."""
        return {
            event.flow: event.origin
            for event in self.values()
            if event.flow is not None and event.origin is not None and event.carries in DATA
        }

    @cached_property
    def _segment_bytes(self) -> Mapping[int, int]:
        sizes: dict[int, int] = {}
        for event in self.values():
            if event.flow is not None and event.carries == "segment" and event.bytes is not None:
                sizes[event.flow] = max(sizes.get(event.flow, 0), event.bytes)
        return sizes

    def segment_bytes(self, flow: int) -> int:
        """The length of a flow's segments: the longest that is told of."""
        return self._segment_bytes.get(flow, 1)

    @cached_property
    def flows(self) -> Sequence[int]:
        """The flows that anything is told of."""
        return sorted({event.flow for event in self.values() if event.flow is not None})


def _absent(folder: Path) -> str:
    if not folder.is_dir():
        return f"{folder}: there is no such folder"
    runs = sorted(folder.glob(f"seed-*/{EVENTS}"))
    if runs:
        return f"{folder}: holds several runs; name one of them, such as {runs[0].parent}"
    if (folder / "scenario.toml").is_file():
        return f"{folder}: has no {EVENTS}; run the scenario with --set output.lineage=losses"
    return f"{folder}: is no folder that 'hopwright run' wrote"
