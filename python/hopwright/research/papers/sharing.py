"""How the flows of a run share: Jain's index in sliding windows, and seconds without anything."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hopwright._io.errors import InputError
from hopwright._io.parquet import read_columns
from hopwright.research.papers.fields import Value
from hopwright.statistics.fairness import sliding_jain

STEPS = 4
"""Windows begin this often in the length of one."""
INTERVAL_S = 1.0
"""Whether a flow is silent is asked of every second."""

Progress: TypeAlias = Sequence[tuple[Sequence[float], Sequence[float]]]
"""Of each flow: times in seconds, and what it had delivered by then; both rise."""


def jain(progress: Progress, end_s: float, window_s: float, from_s: float) -> float:
    """Jain's index in windows of this length, averaged over those that begin at `from_s` or later.

    Windows in which no flow delivered anything are left out; not a number if all are.
    """
    times = [[*when, end_s] for when, _ in progress]
    counts = [[*count, count[-1] if len(count) else 0.0] for _, count in progress]
    ends, index = sliding_jain(times, counts, window_s, window_s / STEPS)
    known = index[(ends - window_s >= from_s - 1e-9) & ~np.isnan(index)]
    return float(known.mean()) if len(known) else math.nan


def silent_share(
    flow: tuple[Sequence[float], Sequence[float]], from_s: float, to_s: float
) -> float:
    """The share of the seconds from `from_s` to `to_s` in which a flow delivered nothing."""
    return float(np.mean(_by_second(flow, from_s, to_s) == 0))


def variation(flow: tuple[Sequence[float], Sequence[float]], from_s: float, to_s: float) -> float:
    """The standard deviation of what a flow delivered in each second, over the mean.

    0 where it delivered nothing at all: that does not vary.
    """
    delivered = _by_second(flow, from_s, to_s)
    mean = float(delivered.mean())
    return float(delivered.std()) / mean if mean > 0 else 0.0


def _by_second(
    flow: tuple[Sequence[float], Sequence[float]], from_s: float, to_s: float
) -> NDArray[np.float64]:
    """What a flow delivered in each second from `from_s` to `to_s`."""
    times, counts = (np.asarray(each, dtype=np.float64) for each in flow)
    edges = from_s + INTERVAL_S * np.arange(math.floor((to_s - from_s) / INTERVAL_S + 1e-9) + 1)
    # A rounded edge must not miss what came just then.
    by_edge = np.concatenate(([0.0], counts))[np.searchsorted(times, edges + 1e-9, side="right")]
    return np.diff(by_edge)


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: the series of flows, and nothing else."""
    return {"output.series": ["cwnd"]}


def progress_in(path: Path, flows: int) -> Progress:
    """How each flow went on: segments acknowledged at the sender; of datagrams, bytes received.

    Raises:
        InputError: Some flows are of segments and others of datagrams.
    """
    columns = read_columns(path)
    found: list[tuple[list[float], list[float]]] = [([], []) for _ in range(flows)]
    units = set()
    rows = zip(
        *(columns[name] for name in ("time_s", "flow", "acked_segments", "received_bytes")),
        strict=True,
    )
    for time_s, flow, acked, received in rows:
        delivered = acked if received is None else received
        if flow is not None and delivered is not None:
            units.add(received is None)
            found[flow][0].append(time_s)
            found[flow][1].append(delivered)
    if len(units) > 1:
        raise InputError("flows.*: all flows must be over TCP, or all over UDP")
    return found
