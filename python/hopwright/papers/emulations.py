"""`[[emulations]]` of a paper's file: the path of its first flow, played to another connection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, get_args

from hopwright.errors import InputError
from hopwright.papers.fields import Fields, Value
from hopwright.sedlane.transfer import BUFFER_BYTES, BUFFERS
from hopwright.sedlane.ways import DELAYS, Delays

Driver = Literal["kernel", "datagrams", "simulation"]
"""Who sends: a program over the kernel's TCP, or steady datagrams, both in real time; or this
program's TCP, in simulation."""

Mode = Literal["sequential", "simultaneous"]

PREFIX = "emulated."
"""What the names of numbers of emulations begin with."""

DRIVERS: tuple[Driver, ...] = get_args(Driver)
MODES: tuple[Mode, ...] = get_args(Mode)
Word = TypeVar("Word", bound=str)

KEYS = (
    *("id", "driver", "mode", "pipes", "reduce", "averaging", "delays", "reorder", "rate"),
    *("losses", "bytes", "congestion", "lasts"),
)


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

    @property
    def needs_kernel(self) -> bool:
        """Whether it takes namespaces, and real time."""
        return self.driver != "simulation"


def read_emulation(values: Mapping[str, Value], path: Path) -> Emulation:
    """One of `[[emulations]]`. Raises `InputError`."""
    fields = Fields(values, f"{path}: [[emulations]]", KEYS)
    name = fields.text("id")
    if "." in name:
        raise InputError(f"{path}: [[emulations]] {name}: a name without '.'")
    return Emulation(
        id=name,
        driver=_one_of(fields, "driver", DRIVERS),
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
    )


def _one_of(fields: Fields, key: str, known: Sequence[Word]) -> Word:
    word = fields.word(key, known)
    return next(each for each in known if each == word)
