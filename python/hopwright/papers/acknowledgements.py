"""When the receiver of a run's only flow sent acknowledgements, and why: from its agents' trace."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright import _core
from hopwright.errors import InputError, near
from hopwright.papers.fields import Value
from hopwright.papers.recording import recorded

PREFIX = "acks."
"""What the names of such numbers begin with."""

TRACE = "trace.tr"
SYN = 0
"""The number that ns-2 gives the packet that opens the connection; data begin with 1."""
EVENT = re.compile(r"([rs]) (\S+) _\d+_ AGT  --- \d+ (tcp|ack) .*\[(-?\d+) \d+\] \d+ \d+$")
DROP = "D "
ROUNDING_S = 1e-6
"""Seconds that a time may be off a tick by: the trace has nanoseconds."""


@dataclass(frozen=True)
class Acknowledgement:
    """One that the receiver sent."""

    time_s: float
    covered: int
    """Segments that it is the first to acknowledge; 0: out of order or repeated."""
    is_by_timer: bool
    """Whether no segment arrived in the instant in which it was sent."""

    def is_off(self, tick_s: float) -> bool:
        """Whether it left between two ticks of a clock that began to tick at 0 s."""
        return abs(self.time_s - round(self.time_s / tick_s) * tick_s) > ROUNDING_S


def sent(lines: Iterable[str]) -> list[Acknowledgement]:
    """All in a trace of the agents in ns-2's old format; without that of the connection's begin."""
    found: list[Acknowledgement] = []
    arrived, highest = math.nan, SYN
    for line in lines:
        if line.startswith(DROP):
            continue
        event = EVENT.match(line.rstrip())
        if event is None:
            raise InputError(f"{TRACE}: '{line.rstrip()}': no event of an agent with a segment")
        what, time, kind, number = event.groups()
        time_s, newest = float(time), int(number)
        if (what, kind) == ("r", "tcp"):
            arrived = time_s
        elif (what, kind) == ("s", "ack") and newest > SYN:
            found.append(Acknowledgement(time_s, max(newest - highest, 0), time_s != arrived))
            highest = max(highest, newest)
    return found


def numbers(
    scenario: _core.Scenario, names: Sequence[str], seeds: Sequence[int], *, jobs: int
) -> dict[str, list[float]]:
    """Numbers of every run, in the order of the seeds. `scenario`: with `recorded_keys`."""
    taken = {name: number_called(name) for name in names}
    found = record(scenario, seeds, jobs=jobs)
    return {name: [float(sum(map(counts, run))) for run in found] for name, counts in taken.items()}


Kind = Callable[[Acknowledgement], bool]
"""Whether an acknowledgement is one of those that a number counts."""

KINDS: Mapping[str, Kind] = {
    "sent": lambda _each: True,
    "by_timer": lambda each: each.is_by_timer,
}


def number_called(name: str) -> Kind:
    """`acks.sent`, `acks.by_timer`, `acks.by_timer_off@0.2`: those off a tick of 0.2 s.

    Raises:
        InputError: There is no such number.
    """
    bare, is_at, tick = name.removeprefix(PREFIX).partition("@")
    if bare == "by_timer_off" and is_at:
        try:
            tick_s = float(tick)
        except ValueError:
            tick_s = math.nan
        if not (tick_s > 0 and math.isfinite(tick_s)):
            raise InputError(f"{name}: write it as '{PREFIX}by_timer_off@0.2', seconds")
        return lambda each: each.is_by_timer and each.is_off(tick_s)
    if bare not in KINDS or is_at:
        known = [*KINDS, "by_timer_off@0.2"]
        raise InputError(f"no number of acknowledgements called '{bare}'{near(bare, known)}")
    return KINDS[bare]


def recorded_keys() -> dict[str, Value]:
    """The keys of a scenario whose runs write the agents' trace and nothing else."""
    return {
        "output.ns2_trace": "old",
        "output.ns2_trace_layers": ["agent"],
        "output.series": [],
        "output.figures": [],
    }


def record(
    scenario: _core.Scenario, seeds: Sequence[int], *, jobs: int
) -> list[list[Acknowledgement]]:
    """What the receiver sent in every run. The files are gone afterwards."""
    if scenario.flow_count != 1:
        raise InputError(f"{PREFIX}* are of one flow; the scenario has {scenario.flow_count}")
    return recorded(scenario, seeds, _sent_in, jobs=jobs)


def _sent_in(folder: Path) -> list[Acknowledgement]:
    with (folder / TRACE).open(encoding="utf-8") as lines:
        return sent(lines)
