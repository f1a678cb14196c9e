"""What the flows' ends send and receive on the way there and back: from their agents' trace."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright import _core
from hopwright.errors import InputError, near
from hopwright.papers import acknowledgements
from hopwright.papers.fields import Value
from hopwright.papers.recording import recorded

PREFIX = "ends."
"""What the names of such numbers begin with."""

EVENT = re.compile(r"([rs]) \S+ _\d+_ AGT  --- \d+ (tcp|ack) (\d+) ")


@dataclass
class Traffic:
    """Packets of all flows of TCP together, and their bytes with all headers from IP's on."""

    packets: int = 0
    bytes: int = 0


def traffic(lines: Iterable[str]) -> dict[tuple[str, str], Traffic]:
    """Of a trace in ns-2's old format: by `s` or `r`, and `tcp` or `ack`."""
    found = {(what, kind): Traffic() for what in "sr" for kind in ("tcp", "ack")}
    for line in lines:
        event = EVENT.match(line)
        if event is not None:
            what, kind, size = event.groups()
            found[what, kind].packets += 1
            found[what, kind].bytes += int(size)
    return found


Reckoning = Callable[[Mapping[tuple[str, str], Traffic], float], float]
"""A number of a run's traffic and its end, seconds."""

NUMBERS: Mapping[str, Reckoning] = {
    "data_bps": lambda found, end_s: 8 * found["r", "tcp"].bytes / end_s,
    "data_packets": lambda found, _end_s: float(found["r", "tcp"].packets),
    "acks_bps": lambda found, end_s: 8 * found["s", "ack"].bytes / end_s,
    "acks_packets": lambda found, _end_s: float(found["s", "ack"].packets),
}
"""Data that reached receivers, and acknowledgements that these sent."""


def number_called(name: str) -> Reckoning:
    """What a name stands for.

    Raises:
        InputError: There is no such number.
    """
    bare = name.removeprefix(PREFIX)
    if bare not in NUMBERS:
        raise InputError(f"no number of ends called '{bare}'{near(bare, NUMBERS)}")
    return NUMBERS[bare]


recorded_keys: Callable[[], dict[str, Value]] = acknowledgements.recorded_keys


def numbers(
    scenario: _core.Scenario, names: Sequence[str], seeds: Sequence[int], *, jobs: int
) -> dict[str, list[float]]:
    """Numbers of every run, in the order of the seeds."""
    taken = {name: number_called(name) for name in names}
    runs = recorded(scenario, seeds, _traffic_in, jobs=jobs)
    return {name: [of(run, scenario.duration_s) for run in runs] for name, of in taken.items()}


def _traffic_in(folder: Path) -> dict[tuple[str, str], Traffic]:
    with (folder / acknowledgements.TRACE).open(encoding="utf-8") as lines:
        return traffic(lines)
