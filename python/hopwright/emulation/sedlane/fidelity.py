"""How near an emulated connection is to the trace that its link follows.

Spec      Ghaleb-Seddik (2009), 3.5.4: round-trip times over time and how long each lasts;
          throughput over time; how bytes are distributed over round-trip times, and which share of
          them is lost at each
Deviates  the document shows curves; here stands how far they are apart
Holds     both connections have times from when the link began to follow the profile
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwright import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

CLASSES = 10
"""Of round-trip times: each has about as many of the trace's bytes."""

WINDOW_S = 20.0
"""Of throughput over time."""

NEAR_S = 0.002
"""So near to the trace a round-trip time is as it should be."""


@dataclass(frozen=True, eq=False)
class Connection:
    """Round-trip times of a connection, and what was sent while each was the latest."""

    time_s: "Column"
    """When each was measured, and when the last one's time ended."""
    rtt_s: "Column"
    sent: "Column"
    """Bytes, with those sent again."""
    again: "Column"
    """Of these, bytes sent again."""

    @classmethod
    def of(cls, trace: _core.ConnectionTrace, zero_s: float) -> "Connection":
        """What was recorded, with times from `zero_s` on."""
        import numpy as np

        found = {name: np.frombuffer(data, "<f8") for name, data in trace.samples().items()}
        times = found["time_s"] - zero_s
        return cls(times, found["rtt_s"], found["bytes"], found["again_bytes"])

    @property
    def end_s(self) -> float:
        """When the last round-trip time was over."""
        return float(self.time_s[-1])

    @property
    def lifetimes(self) -> "Column":
        """How long each round-trip time was the latest (eq. 3.10)."""
        import numpy as np

        return np.diff(self.time_s)

    def at(self, times: "Column") -> "Column":
        """The round-trip times that were the latest."""
        import numpy as np

        places = np.searchsorted(self.time_s[:-1], times, side="right") - 1
        return self.rtt_s[np.clip(places, 0, len(self.rtt_s) - 1)]

    def new_bytes(self, edges: "Column") -> "Column":
        """What was sent for the first time between edges; evenly while a round trip lasted."""
        import numpy as np

        total = np.concatenate([[0.0], np.cumsum(self.sent - self.again)])
        return np.diff(np.interp(edges, self.time_s, total, left=0.0))

    def throughput_bps(self, end_s: float) -> float:
        """What was sent for the first time a second, from its begin to its end, or up to then."""
        import numpy as np

        begin, end = max(0.0, float(self.time_s[0] - self.rtt_s[0])), min(end_s, self.end_s)
        return float(8 * self.new_bytes(np.array([0.0, end]))[0] / (end - begin))


def rtt_gaps(trace: Connection, found: Connection) -> "Column":
    """How far round-trip times are from the trace's when their segment left, while it lasted."""
    import numpy as np

    left = found.time_s[:-1] - found.rtt_s
    is_inside = (left >= 0) & (left < trace.end_s)
    return np.abs(found.rtt_s - trace.at(left))[is_inside]


def windows(trace: Connection, found: Connection) -> "tuple[Column, Column, Column]":
    """Ends of windows, and bit/s of both in each, as long as both last."""
    import numpy as np

    end = min(trace.end_s, found.end_s)
    edges = np.arange(0.0, end + 1e-9, min(WINDOW_S, end / 4))
    width = edges[1] - edges[0]
    return edges[1:], 8 * trace.new_bytes(edges) / width, 8 * found.new_bytes(edges) / width


def correlation(first: "Column", second: "Column") -> float:
    """Pearson's; 0 where one of them does not change."""
    import numpy as np

    if first.std() == 0 or second.std() == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def classes(trace: Connection) -> "Column":
    """Edges between classes of round-trip times; fewer where many are the same."""
    import numpy as np

    order = np.argsort(trace.rtt_s, kind="stable")
    share = np.cumsum(trace.sent[order]) / trace.sent.sum()
    places = np.searchsorted(share, np.arange(1, CLASSES) / CLASSES)
    values = np.unique(trace.rtt_s)
    edges = np.unique(trace.rtt_s[order][np.minimum(places, len(order) - 1)])
    # An edge lies between two values of the trace, so that what is near to one is in its class.
    above = np.searchsorted(values, edges, side="right")
    return (edges[above < len(values)] + values[above[above < len(values)]]) / 2


def in_classes(edges: "Column", rtt_s: "Column", amounts: "Column") -> "Column":
    """How much of something each class has."""
    import numpy as np

    places = np.searchsorted(edges, rtt_s)
    return np.bincount(places, weights=amounts, minlength=len(edges) + 1).astype(float)


def shares(amounts: "Column") -> "Column":
    """Of all of it, percent."""
    whole = amounts.sum()
    return 100 * amounts / whole if whole > 0 else amounts


def losses(connection: Connection, edges: "Column") -> "Column":
    """Percent of the bytes of each class that were sent again while it lasted (eq. 3.9)."""
    import numpy as np

    sent = in_classes(edges, connection.rtt_s, connection.sent)
    again = in_classes(edges, connection.rtt_s, connection.again)
    return 100 * np.divide(again, sent, out=np.zeros_like(sent), where=sent > 0)


def given(near: Sequence[tuple[float, bytes, int]], far: dict[bytes, float]) -> "Column":
    """Rows of packets with data: when each left, how long it took (or nan: lost), its bytes."""
    import numpy as np

    rows = [(at, far.get(key, np.nan) - at, size) for at, key, size in near]
    return np.array(rows, dtype=float).reshape(-1, 3)


def applied_lifetimes(pipes: Sequence[tuple[float, float]], rows: "Column") -> "Column":
    """How long each pipe was in force, as steady datagrams found: nan of one that none took.

    Pipes: round trip and lifetime, one after another. From the first datagram that took as long as
    the pipe to the first that took as long as the next.
    """
    import numpy as np

    rtts = np.array([rtt for rtt, _ in pipes])
    starts = np.concatenate([[0.0], np.cumsum([lifetime for _, lifetime in pipes[:-1]])])
    seen = rows[~np.isnan(rows[:, 1])]
    due = np.searchsorted(starts, seen[:, 0], side="right") - 1
    # The pipe of the time, the one before or the one after: whichever is nearest.
    near = np.clip(due[:, None] + np.array([0, -1, 1]), 0, len(pipes) - 1)
    off = np.abs(seen[:, 1][:, None] - rtts[near])
    best = off.argmin(axis=1)
    is_near = off.min(axis=1) < NEAR_S
    taken = near[np.arange(len(near)), best][is_near]
    firsts = np.full(len(pipes), np.inf)
    np.minimum.at(firsts, taken, seen[is_near, 0])
    firsts[np.isinf(firsts)] = np.nan
    applied: Column = np.append(firsts[1:], np.nan) - firsts
    return applied
