"""How evenly flows share: Jain's index, of a whole run or in windows that slide over it."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hopwright.statistics.sample import Numbers, sample

MOST_WINDOWS = 10_000_000
"""More would take all memory rather than be looked at."""


def jain(shares: Numbers) -> float:
    """Jain's index of what each flow got.

    It is 1 if all got the same, and k/n if k of n flows got the same and the others nothing. If
    nobody got anything nobody was preferred: 1, as in a run's summary.

    Source: Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination for resource
    allocation in shared computer systems", DEC TR-301 (1984).
    """
    got = np.asarray(sample(shares))
    if not len(got) or (got < 0).any():
        raise ValueError("Jain's index is of shares that are not negative, at least one")
    return float(_jain(got[:, None])[0]) if got.any() else 1.0


def sliding_jain(
    times: Sequence[Numbers] | NDArray[np.float64],
    cumulative: Sequence[Numbers] | NDArray[np.float64],
    window_s: float,
    step_s: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jain's index in windows that slide over a run: how fair the flows are over `window_s`.

    Args:
        times: Of each flow, when its count changed, in s, rising: in `series.parquet`, the
            `time_s` of the rows of a flow.
        cumulative: Of each flow, what it had delivered by then, never falling, in a unit common to
            all flows: bytes; or segments (`acked_segments`), where all flows' are of one size. It
            is zero before the first of its times, and holds between them.
        window_s: Length of a window, in s.
        step_s: From one window to the next, in s.

    Returns:
        The ends of the windows in s, and the index in each: between 1/flows and 1, and NaN where
        no flow delivered anything, which is neither fair nor unfair: `numpy.nanmean` is the mean of
        all windows but these. A window holds what came
        after its start, up to and at its end. The first starts at 0; only windows that end by the
        last of all times are there, so there may be none.

    Raises:
        ValueError: Lengths do not match, times or counts fall, a window or step is not a finite
            time above 0, or there are more windows than anybody looks at.
    """
    if not (0 < window_s < math.inf and 0 < step_s < math.inf):
        raise ValueError(f"window {window_s} s and step {step_s} s: both must be above 0, finite")
    if len(times) != len(cumulative) or not len(times):
        raise ValueError(f"{len(times)} flows have times and {len(cumulative)} have counts")
    flows = [
        _checked(index, when, count)
        for index, (when, count) in enumerate(zip(times, cumulative, strict=True))
    ]
    last = max((float(when[-1]) for when, _ in flows if len(when)), default=0.0)
    # A little over, so that a run of a whole number of steps keeps its last window.
    if (last - window_s) / step_s > MOST_WINDOWS:
        raise ValueError(f"step {step_s} s: makes more than {MOST_WINDOWS:,} windows in {last:g} s")
    windows = max(int(np.floor((last - window_s) / step_s + 1e-9)) + 1, 0)
    ends = np.asarray(window_s + step_s * np.arange(windows), dtype=np.float64)
    shares = np.stack([_by(ends, flow) - _by(ends - window_s, flow) for flow in flows])
    return ends, _jain(shares)


def _jain(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The index of each column; NaN where it is of zeros only."""
    largest = shares.max(axis=0)
    # Parts of the largest: squares of very small or large shares would leave the range of floats.
    parts = np.divide(shares, largest, out=np.full_like(shares, np.nan), where=largest > 0)
    index: NDArray[np.float64] = parts.sum(axis=0) ** 2 / (len(parts) * (parts**2).sum(axis=0))
    return np.minimum(index, 1.0)  # rounding can lead a little over


def _by(
    instants: NDArray[np.float64], flow: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """What a flow had delivered by each instant, the instant included."""
    times, counts = flow
    # A rounded end of a window must not miss what came just then.
    position = np.searchsorted(times, instants + 1e-9, side="right")
    return np.concatenate(([0.0], counts))[position]


def _checked(
    index: int, times: Numbers, counts: Numbers
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    when, count = np.asarray(sample(times)), np.asarray(sample(counts))
    if len(when) != len(count):
        raise ValueError(f"flow {index} has {len(when)} times and {len(count)} counts")
    if (np.diff(when) < 0).any() or (np.diff(count) < 0).any() or (count < 0).any():
        raise ValueError(f"flow {index}: times and counts must never fall, counts not be negative")
    return when, count
