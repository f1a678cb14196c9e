"""What the transport's functions cost: measurements turned into joules, and the coefficient file.

Rust measures; here is what turns nanoseconds or instructions into joules, and says so. Scenarios
read the file: `[energy] compute`.
"""

import datetime as dt
import platform
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError
from hopwright.statistics.means import half_width, mean, ten_digits

FORMAT = "hopwright-energy-1"
"""What the file says it is; Rust reads no other (`crates/scenario/src/coefficients.rs`)."""

ASSUMED_WATTS = 15.0
"""What a core is taken to draw where nothing says: the base power that Intel states for the
U-series processors of laptops (Core i5-8250U: 15 W), as though one busy core drew all of it."""

METHOD = (
    "The transport engine alone, driven over a path in memory: 2 Mb/s, 20 ms each way, scripted "
    "losses, route failures and silences; counted bytes, so no copies and no checksums. CPU time "
    "of the thread between changes of function, less the clock's own, the median of all "
    "repetitions; instructions of sampled events, stepped one by one."
)


class Conversion(NamedTuple):
    """How the joules were made: the one coefficient, and where it comes from."""

    kind: Literal["rapl", "watts", "nanojoules_per_instruction"]
    value: float
    source: str

    @property
    def said(self) -> str:
        """A sentence for people."""
        if self.kind == "nanojoules_per_instruction":
            return f"joules = instructions x {self.value:g} nJ ({self.source})"
        return f"joules = CPU time x {self.value:.4g} W ({self.source})"

    def joules(self, ns: float, instructions: float | None) -> float:
        """Of an event. No less than nothing: the clock's own time may be overrated."""
        if self.kind == "nanojoules_per_instruction":
            if instructions is None:
                raise ValueError("no instructions were counted")
            return instructions * self.value * 1e-9
        return max(0.0, ns) * self.value * 1e-9


def report(
    measurements: Sequence[Json], conversion: Conversion, command: str, *, cycles: int
) -> Object:
    """All that was found out, as the file holds it and `--json` prints it."""
    protocols: Object = {}
    totals: Object = {}
    uncounted: str | None = None
    for measurement in measurements:
        match measurement:
            case {"protocol": str(name), "functions": list(functions), "uncounted": why}:
                works = {_name(work): _work(work, conversion) for work in functions}
                protocols[name] = dict(works)
                totals[name] = _total(works)
                uncounted = why if isinstance(why, str) else uncounted
    found: Object = {
        "format": FORMAT,
        "program": _core.version(),
        "build": _core.build(),
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "machine": machine(),
        "command": command,
        "method": METHOD,
        "cycles": cycles,
        "conversion": {**conversion._asdict(), "said": conversion.said},
    }
    if uncounted is not None:
        found["uncounted"] = uncounted
    return {**found, "protocols": protocols, "totals": totals}


def machine() -> str:
    """The processor's name, as it gives it itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def to_toml(found: Object) -> str:
    """The coefficient file."""
    import tomli_w

    head = (
        "# What the functions of transports cost: energy.compute of a scenario names this file.\n"
        "# Of all this a run reads joules_per_event; docs/energy-computation.md explains the rest."
        "\n\n"
    )
    return head + tomli_w.dumps(found)


def _name(work: Json) -> str:
    match work:
        case {"function": str(name)}:
            return name
    raise ValueError("a function without a name")


def _work(work: Json, conversion: Conversion) -> Object:
    match work:
        case {
            "events": int(events),
            "sent_bytes": int(sent_bytes),
            "time_s": int() | float() as time_s,
            "ns_per_event": list(times),
            "instructions": list(counts),
        }:
            ns = [float(each) for each in times if isinstance(each, int | float)]
            counted = [float(each) for each in counts if isinstance(each, int | float)]
        case _:
            raise ValueError("no such measurement")
    instructions = mean(counted) if counted else None
    joules = ten_digits(conversion.joules(median(ns), instructions))
    found: Object = {
        "joules_per_event": joules,
        "events": events,
        "sent_bytes": sent_bytes,
        "seconds": ten_digits(time_s),
        "ns_per_event": ten_digits(median(ns)),
        "ns_per_event_mean": ten_digits(mean(ns)),
    }
    spread = half_width(ns)
    if spread is not None:
        found["ns_per_event_mean_ci95"] = ten_digits(spread)
    if instructions is not None:
        found["instructions_per_event"] = ten_digits(instructions)
        found["instructions_sampled_events"] = len(counted)
        spread = half_width(counted)
        if spread is not None:
            found["instructions_per_event_ci95"] = ten_digits(spread)
    if sent_bytes > 0:
        found["joules_per_sent_byte"] = ten_digits(joules * events / sent_bytes)
    if time_s > 0:
        found["joules_per_second"] = ten_digits(joules * events / time_s)
    return found


def _total(works: dict[str, Object]) -> Object:
    """Of the sender over the whole conversation: what the document calls the cost per sent byte."""

    def summed(key: str, weight: str | None = None) -> float:
        total = 0.0
        for function, work in works.items():
            value, factor = work[key], work[weight] if weight else 1
            if function != "receiver" and isinstance(value, int | float):
                total += value * (factor if isinstance(factor, int | float) else 0)
        return total

    joules, sent = summed("joules_per_event", "events"), summed("sent_bytes")
    return {
        "sender_joules": ten_digits(joules),
        "sender_joules_per_sent_byte": ten_digits(joules / sent),
        "sender_joules_per_second": ten_digits(joules / summed("seconds")),
    }


def check_counted(found: Sequence[Json]) -> None:
    """Raises `InputError` where instructions are wanted and were not counted."""
    for measurement in found:
        match measurement:
            case {"uncounted": str(why)}:
                raise InputError(
                    f"--nanojoules-per-instruction needs instructions; {why}; use --watts instead"
                )
