"""What the senders of emulations compute: joules, bytes and time, by function of the transport.

Named as results of simulations are: `compute_j`, `work_j.recovery`. The kernel's TCP and this
program's TCP behind a TUN device are measured by the clock (docs/kernel-measure.md, docs/host.md).
Joules are CPU time at the power of the scenario's coefficients, which is measured where RAPL is
(docs/energy-computation.md). In simulation each event is charged at these coefficients.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.data import Json, amount, at, items, number
from hopwright._io.errors import InputError, UnfinishedError
from hopwright.research.energy.coefficients import ASSUMED_WATTS

if TYPE_CHECKING:
    from hopwright.research.papers.emulated import Seen

FUNCTIONS = ("slow_start", "congestion_avoidance", "recovery", "timers")
"""Of a sender. What it does as a receiver, nearly nothing, and for news of its route, which real
networks do not tell, is left out."""

PHASES = {"timers": "rto"}
"""What results of simulations call the time of a function, where not by its name."""


@dataclass(frozen=True)
class Cost:
    """Of a function."""

    joules: float
    sent_bytes: float
    seconds: float
    events: float
    interrupted_events: float


def costs(seen: "Seen") -> dict[str, Cost]:
    """What a sender computed. Raises `InputError` where it was not measured."""
    emulation = seen.emulation
    if not emulation.compute:
        raise InputError(f"emulation {emulation.id}: needs compute = true")
    if emulation.driver == "simulation":
        (flow,) = items(seen.summary, "results", 0, "flows")
        return {name: _charged(flow, name) for name in FUNCTIONS}
    of_kernel = emulation.driver == "kernel"
    place = ("compute",) if of_kernel else ("program", "compute")
    watts = _watts(seen.kept.run)
    return {name: _measured(at(seen.said, *place, "functions", name), watts) for name in FUNCTIONS}


@cache
def _watts(run: Path) -> float:
    """What a processor draws while it computes, as the scenario's coefficients have it."""
    scenario: Json = tomllib.loads((run / "scenario.toml").read_text())
    name = at(scenario, "energy", "compute")
    if not isinstance(name, str):
        return ASSUMED_WATTS
    conversion = at(tomllib.loads((run / name).read_text()), "conversion")
    is_power = at(conversion, "kind") in {"rapl", "watts"}
    return amount(conversion, "value") if is_power else ASSUMED_WATTS


def _measured(found: Json, watts: float) -> Cost:
    return Cost(
        joules=_there(found, "cpu_ns") * 1e-9 * watts,
        sent_bytes=_there(found, "sent_bytes"),
        seconds=_there(found, "time_s"),
        events=_there(found, "events"),
        interrupted_events=_there(found, "interrupted_events"),
    )


def _there(found: Json, *path: str) -> float:
    """A number that has to be there. Raises `UnfinishedError`."""
    value = number(found, *path)
    if value is None:
        raise UnfinishedError(f"an emulation did not measure {'.'.join(path)}; make it again")
    return value


def _charged(flow: Json, name: str) -> Cost:
    return Cost(
        joules=_there(flow, "compute", "work_j", name),
        sent_bytes=float("nan"),
        seconds=_there(flow, "phase_time_s", PHASES.get(name, name)),
        events=_there(flow, "compute", "work_events", name),
        interrupted_events=0.0,
    )


def _sum(seen: "Seen", what: Callable[[Cost], float]) -> float:
    return sum(map(what, costs(seen).values()))


def _sent(seen: "Seen") -> float:
    if seen.emulation.driver == "simulation":
        return _there(items(seen.summary, "results", 0, "flows")[0], "compute", "sent_bytes")
    return _sum(seen, lambda cost: cost.sent_bytes)


def _interrupted(seen: "Seen") -> float:
    interrupted = _sum(seen, lambda cost: cost.interrupted_events)
    return 100 * _ratio(interrupted, interrupted + _sum(seen, lambda cost: cost.events))


def _ratio(part: float, whole: float) -> float:
    """0 where there is nothing: a function that never happened took nothing."""
    return part / whole if whole else 0.0


def _of(name: str, what: Callable[[Cost], float]) -> "Callable[[Seen], float]":
    return lambda seen: what(costs(seen)[name])


NUMBERS: "Mapping[str, Callable[[Seen], float]]" = {
    "compute_j": lambda seen: _sum(seen, lambda cost: cost.joules),
    "sent_bytes": _sent,
    "compute_j_per_byte": lambda seen: _ratio(_sum(seen, lambda cost: cost.joules), _sent(seen)),
    "work_events": lambda seen: _sum(seen, lambda cost: cost.events),
    "interrupted_percent": _interrupted,
    **{f"work_j.{name}": _of(name, lambda cost: cost.joules) for name in FUNCTIONS},
    **{f"sent_bytes.{name}": _of(name, lambda cost: cost.sent_bytes) for name in FUNCTIONS},
    **{f"work_events.{name}": _of(name, lambda cost: cost.events) for name in FUNCTIONS},
    **{f"phase_time_s.{name}": _of(name, lambda cost: cost.seconds) for name in FUNCTIONS},
    **{
        f"compute_j_per_byte.{name}": _of(name, lambda cost: _ratio(cost.joules, cost.sent_bytes))
        for name in FUNCTIONS
    },
    **{
        f"compute_w.{name}": _of(name, lambda cost: _ratio(cost.joules, cost.seconds))
        for name in FUNCTIONS
    },
}
