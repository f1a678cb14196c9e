"""`[[emulations]]` of a paper's file: the path of its first flow, played to another connection."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, get_args

from hopwright import _core
from hopwright._io.data import Json, at, items
from hopwright._io.errors import InputError
from hopwright.emulation.sedlane.transfer import BUFFER_BYTES, BUFFERS
from hopwright.emulation.sedlane.ways import DELAYS, Delays
from hopwright.research.papers.fields import Fields, Value, spot

Driver = Literal["kernel", "engine", "datagrams", "simulation"]
"""Who sends: a program over the kernel's TCP, this program's TCP behind a TUN device, or steady
datagrams, all in real time; or this program's TCP, in simulation."""

Mode = Literal["sequential", "simultaneous"]

LEAST_SEGMENT = 88
"""That the kernel lets a program ask for (TCP_MAXSEG), in bytes."""

DRIVERS: tuple[Driver, ...] = get_args(Driver)
MODES: tuple[Mode, ...] = get_args(Mode)
Word = TypeVar("Word", bound=str)

KEYS = (
    *("id", "driver", "mode", "pipes", "reduce", "averaging", "delays", "reorder", "rate"),
    *("losses", "bytes", "congestion", "lasts"),
    *("mechanism", "protocol", "sack", "segment_bytes", "receive_buffer_bytes", "compute"),
)
OF_DRIVERS: Mapping[str, Sequence[Driver]] = {
    "congestion": ("kernel",),
    "mechanism": ("kernel",),
    "sack": ("kernel",),
    "protocol": ("engine", "simulation"),
    "segment_bytes": ("kernel", "engine"),
    "receive_buffer_bytes": ("kernel", "engine"),
    "compute": ("kernel", "engine", "simulation"),
}
"""Keys that are for some drivers alone."""


@dataclass(frozen=True)
class Emulation:
    """A profile of the run's first flow, and what is sent over a link that follows it."""

    id: str
    driver: Driver
    mode: Mode
    pipes: int
    """At most so many; 0: one for each round-trip time of the trace."""
    reduce: str
    averaging: str
    delays: Delays
    reorder: bool
    rate: bool
    losses: bool
    size: int
    """Bytes that are sent."""
    congestion: str
    """The kernel's congestion control."""
    lasts: float
    """It is ended after so many times the trace's duration."""
    mechanism: str = ""
    """What `hopwright kernel load` gives the kernel, in place of `congestion`."""
    protocol: str = ""
    """Of this program's TCP, in place of the traced flow's."""
    sack: bool = True
    """Whether the kernel's TCP has selective acknowledgements."""
    segment_bytes: int = 0
    """The most that the receiver takes in a segment; 0: what its device carries."""
    receive_buffer_bytes: int = 0
    """What its socket keeps (SO_RCVBUF), and offers for the most part; 0: what the kernel likes."""
    compute: bool = False
    """Whether what the sender computes is measured."""

    @property
    def needs_kernel(self) -> bool:
        """Whether it takes namespaces, and real time."""
        return self.driver != "simulation"


def read_emulation(values: Mapping[str, Value], path: Path) -> Emulation:
    """One of `[[emulations]]`. Raises `InputError`."""
    fields = Fields(values, f"{spot(values, path)}: [[emulations]]", KEYS)
    name = fields.text("id")
    if "." in name:
        raise InputError(f"{fields.where} {name}: the name must not contain '.'")
    driver = _one_of(fields, "driver", DRIVERS)
    for key, drivers in OF_DRIVERS.items():
        if key in fields and driver not in drivers:
            raise InputError(
                f"{fields.where} {name}: {key} has no meaning for the driver '{driver}', only for "
                f"{' and '.join(drivers)}"
            )
    if "protocol" in fields:
        fields.word("protocol", _protocols())
    if "congestion" in fields and "mechanism" in fields:
        raise InputError(f"{fields.where} {name}: give either congestion or mechanism, not both")
    return Emulation(
        id=name,
        driver=driver,
        mode=_one_of(fields, "mode", MODES),
        pipes=fields.whole("pipes", 0, 0),
        reduce=fields.word("reduce", ("pairwise", "least-error"))
        if "reduce" in fields
        else "pairwise",
        averaging=fields.word("averaging", ("overlapping", "disjoint"))
        if "averaging" in fields
        else "overlapping",
        delays=_one_of(fields, "delays", DELAYS) if "delays" in fields else "both",
        reorder=fields.flag("reorder"),
        rate=fields.flag("rate"),
        losses=fields.flag("losses") if "losses" in fields else True,
        size=fields.whole("bytes", 1, BUFFERS * BUFFER_BYTES),
        congestion=fields.text("congestion", "reno"),
        lasts=fields.positive("lasts", 1.0),
        mechanism=fields.text("mechanism") if "mechanism" in fields else "",
        protocol=fields.text("protocol") if "protocol" in fields else "",
        sack=fields.flag("sack") if "sack" in fields else True,
        segment_bytes=fields.whole("segment_bytes", LEAST_SEGMENT, 0)
        if "segment_bytes" in fields
        else 0,
        receive_buffer_bytes=fields.whole("receive_buffer_bytes", 0, 0),
        compute=fields.flag("compute"),
    )


def _protocols() -> list[str]:
    """Those that two ends can speak with nothing of this project between them."""
    known: Json = json.loads(_core.protocols_json())
    return [str(at(each, "id")) for each in items(known) if at(each, "slots")]


def _one_of(fields: Fields, key: str, known: Sequence[Word]) -> Word:
    word = fields.word(key, known)
    return next(each for each in known if each == word)
