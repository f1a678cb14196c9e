"""Numbers of emulations: how near they are to the trace that they follow."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, amount, items, json_of, number, toml_of
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.files import read_bytes
from hopwright.emulation.sedlane import fidelity, sources
from hopwright.emulation.sedlane.capture import first_s, name_of, packets
from hopwright.emulation.sedlane.fidelity import Connection
from hopwright.emulation.sedlane.shaper import NAMES
from hopwright.emulation.sedlane.transfer import ENGINE
from hopwright.research.papers import emulated_compute
from hopwright.research.papers.emulating import Kept, Wanted, make
from hopwright.research.papers.emulations import Emulation
from hopwright.research.papers.fields import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hopwright.research.papers.run import Load, Point


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: what a profile is made of."""
    return {"output.series": ["rtt"]}


@dataclass(frozen=True)
class Seen:
    """An emulation, and the trace that its link followed."""

    kept: Kept
    emulation: Emulation

    @cached_property
    def trace(self) -> Connection:
        """The simulated connection, from its first round-trip time on."""
        trace = self.kept.trace()
        first = Connection.of(trace, 0.0).time_s[0]
        return Connection.of(trace, float(first))

    @cached_property
    def said(self) -> Json:
        """What the programs and the link said."""
        said: Json = json_of(read_bytes(self.kept.said(self.emulation)))
        return said

    @cached_property
    def summary(self) -> Json:
        """What the simulation of an emulation says."""
        summary: Json = json_of(read_bytes(self.kept.place(self.emulation) / "summary.json"))
        return summary

    @cached_property
    def found(self) -> Connection:
        """The emulated connection, from when its link began to follow the profile."""
        place = self.kept.place(self.emulation)
        if self.emulation.driver == "simulation":
            return Connection.of(sources.read(sources.Request(place=place)), 0.0)
        if self.emulation.driver == "datagrams":
            raise InputError(f"emulation {self.emulation.id}: datagrams have no round-trip times")
        file = name_of("near", place)
        try:
            captured = _core.read_connection(read_bytes(file), kind="pcap")
        except ValueError as error:
            raise UnfinishedError(f"{file}: {error.args[-1]}") from error
        # Times of a trace are counted from the connection's first packet.
        return Connection.of(captured, self.began_s - first_s(file))

    @property
    def began_s(self) -> float:
        """When the link began to follow the profile, since 1970."""
        return amount(self.said, "link", "began_s")

    @cached_property
    def rows(self) -> "NDArray[np.float64]":
        """Packets with data: when each left, how long it took, nan if it was lost; its bytes."""
        if not self.emulation.needs_kernel:
            raise InputError(f"emulation {self.emulation.id}: a simulation has no captured packets")
        place = self.kept.place(self.emulation)
        sender = ENGINE if self.emulation.driver == "engine" else NAMES["near"]
        arrived = {each.key: each.at_s for each in packets(name_of("far", place), sender)}
        sent = [(p.at_s, p.key, p.data_bytes) for p in packets(name_of("near", place), sender)]
        rows = fidelity.given(sent, arrived)
        rows[:, 0] -= self.began_s
        return rows

    @cached_property
    def pipes(self) -> list[tuple[float, float]]:
        """Round trip and lifetime of each, seconds."""
        text: Json = toml_of(self.kept.link(self.emulation).read_text())
        return [
            (amount(pipe, "rtt_ms") / 1e3, number(pipe, "lifetime_s") or 0.0)
            for pipe in items(text, "profile", "pipes")
        ]

    @cached_property
    def edges(self) -> "NDArray[np.float64]":
        """Between the classes of the trace's round-trip times."""
        return fidelity.classes(self.trace)

    def shares_of_trace(self) -> "NDArray[np.float64]":
        """Percent of the trace's bytes in each class."""
        return fidelity.shares(fidelity.in_classes(self.edges, self.trace.rtt_s, self.trace.sent))

    def shares(self, from_s: float = 0.0) -> "NDArray[np.float64]":
        """Percent of the bytes in each class, as the sender measured round trips."""
        found = self.found
        sent = found.sent * (found.time_s[:-1] >= from_s)
        return fidelity.shares(fidelity.in_classes(self.edges, found.rtt_s, sent))

    def shares_applied(self) -> "NDArray[np.float64]":
        """The same of what packets took that arrived."""
        import numpy as np

        rows = self.rows[~np.isnan(self.rows[:, 1])]
        late_s = amount(self.said, "link", "lateness", "median_us") / 1e6
        return fidelity.shares(fidelity.in_classes(self.edges, rows[:, 1] - late_s, rows[:, 2]))

    def lifetimes(self) -> "NDArray[np.float64]":
        """Of each pipe but the last: its lifetime, and how long it was in force, seconds."""
        import numpy as np

        lifetimes = np.array([lifetime for _, lifetime in self.pipes])
        applied = fidelity.applied_lifetimes(self.pipes, self.rows)
        return np.column_stack([lifetimes, applied])[:-1]


def _most(values: "NDArray[np.float64]") -> float:
    return float(abs(values).max())


def _gap(seen: Seen) -> float:
    return 1e3 * float(fidelity.rtt_gaps(seen.trace, seen.found).mean())


def _gap_median(seen: Seen) -> float:
    import numpy as np

    return 1e3 * float(np.median(fidelity.rtt_gaps(seen.trace, seen.found)))


def _near(seen: Seen) -> float:
    gaps = fidelity.rtt_gaps(seen.trace, seen.found)
    return 100 * float((gaps <= fidelity.NEAR_S).mean())


def _gap_applied(seen: Seen) -> float:
    """Of what packets took, in place of what the sender measured."""
    import numpy as np

    rows = seen.rows[~np.isnan(seen.rows[:, 1])]
    rows = rows[(rows[:, 0] >= 0) & (rows[:, 0] < seen.trace.end_s)]
    return 1e3 * float(abs(rows[:, 1] - seen.trace.at(rows[:, 0])).mean())


def _correlation(seen: Seen) -> float:
    _, theirs, ours = fidelity.windows(seen.trace, seen.found)
    return fidelity.correlation(theirs, ours)


def _loss_points(seen: Seen) -> float:
    return _most(fidelity.losses(seen.found, seen.edges) - fidelity.losses(seen.trace, seen.edges))


def _loss_applied(seen: Seen) -> float:
    import numpy as np

    return 100 * float(np.isnan(seen.rows[:, 1]) @ seen.rows[:, 2] / seen.rows[:, 2].sum())


def _lifetime_ms(seen: Seen) -> float:
    import numpy as np

    expected, applied = seen.lifetimes().T
    return 1e3 * float(np.nanmean(abs(applied - expected)))


def _lifetimes_seen(seen: Seen) -> float:
    import numpy as np

    return 100 * float((~np.isnan(seen.lifetimes()[:, 1])).mean())


def _again_percent(connection: Connection) -> float:
    return 100 * float(connection.again.sum() / connection.sent.sum())


NUMBERS: Mapping[str, Callable[[Seen], float]] = {
    "trace_kbps": lambda seen: seen.trace.throughput_bps(seen.trace.end_s) / 1e3,
    "trace_rtts": lambda seen: float(len(seen.trace.rtt_s)),
    "trace_loss_percent": lambda seen: _again_percent(seen.trace),
    "kbps": lambda seen: seen.found.throughput_bps(seen.trace.end_s) / 1e3,
    "loss_percent": lambda seen: _again_percent(seen.found),
    "gap_ms": _gap,
    "gap_median_ms": _gap_median,
    "near_percent": _near,
    "gap_applied_ms": _gap_applied,
    "correlation": _correlation,
    "points": lambda seen: _most(seen.shares() - seen.shares_of_trace()),
    "points_later": lambda seen: _most(seen.shares(seen.trace.end_s) - seen.shares_of_trace()),
    "points_applied": lambda seen: _most(seen.shares_applied() - seen.shares_of_trace()),
    "loss_points": _loss_points,
    "loss_applied_percent": _loss_applied,
    "lifetime_ms": _lifetime_ms,
    "lifetimes_seen_percent": _lifetimes_seen,
    "late_p99_us": lambda seen: number(seen.said, "link", "lateness", "p99_us") or 0.0,
    "megabytes": lambda seen: float((seen.found.sent - seen.found.again).sum()) / 1e6,
    "lasted_s": lambda seen: seen.found.end_s,
    **emulated_compute.NUMBERS,
}


def number_of(seen: Seen, what: str) -> float:
    """One of `NUMBERS`. Raises `UnfinishedError` where nothing was measured."""
    found = NUMBERS[what](seen)
    if not math.isfinite(found):
        raise UnfinishedError(
            f"{seen.emulation.id}: {what}: a run has no such number: nothing was measured"
        )
    return found


def played(
    point: "Point", asked: Sequence[Emulation], load: "Load", folder: Path
) -> dict[str, list[Seen]]:
    """Emulations of every seed of a point. What is made is kept in `folder`."""
    wanted = Wanted(load(recorded_keys()), asked, point.seeds, folder)
    make([wanted], jobs=point.jobs)
    return {each.id: [Seen(one, each) for one in wanted.kept] for each in asked}
