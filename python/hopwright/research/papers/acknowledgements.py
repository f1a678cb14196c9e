"""When the receiver of a run's only flow sent acknowledgements, and why: from its agents' trace."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright.research.papers.fields import Value
from hopwright.research.papers.recording import recorded

if TYPE_CHECKING:
    from hopwright.research.papers.run import Run

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
            raise InputError(
                f"{TRACE}: '{line.rstrip()}': is not an event of an agent with a segment"
            )
        what, time, kind, number = event.groups()
        time_s, newest = float(time), int(number)
        if (what, kind) == ("r", "tcp"):
            arrived = time_s
        elif (what, kind) == ("s", "ack") and newest > SYN:
            found.append(Acknowledgement(time_s, max(newest - highest, 0), time_s != arrived))
            highest = max(highest, newest)
    return found


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
    _check(scenario)
    return recorded(scenario, seeds, _sent_in, jobs=jobs)


def _sent_in(folder: Path) -> list[Acknowledgement]:
    with (folder / TRACE).open(encoding="utf-8") as lines:
        return sent(lines)


def of_run(run: "Run") -> list[Acknowledgement]:
    """What the receiver of a run sent."""
    _check(run.scenario)
    return _sent_in(run.files(recorded_keys()))


def _check(scenario: _core.Scenario) -> None:
    if scenario.flow_count != 1:
        raise InputError(
            f"acknowledgements: the run must have one flow; it has {scenario.flow_count}"
        )
