"""Numbers of flows: how evenly they share, how the transfer of files progresses, queue lengths."""

import math

from hopwright._io.errors import InputError
from hopwright.research.papers import progress, queues, sharing
from hopwright.research.papers.run import Run
from hopwright.results.places import SERIES


def _deliveries(run: Run) -> sharing.Progress:
    folder = run.files(sharing.recorded_keys())
    return run.kept("deliveries", lambda: sharing.progress_in(folder / SERIES, run.flows))


def jain(run: Run, window_s: float, from_s: float = 0.0) -> float:
    """Jain's index of the data that the flows delivered in time windows of length `window_s`.

    The index is averaged over all windows after `from_s` in which at least one flow delivered data.
    """
    if window_s <= 0 or from_s < 0 or window_s + from_s > run.duration_s:
        raise InputError(
            f"window_s = {window_s:g}, from_s = {from_s:g}: the window must lie in the run, which "
            f"ends at {run.duration_s:g} s"
        )
    return sharing.jain(_deliveries(run), run.duration_s, window_s, from_s)


def silent_share(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """Share of the seconds from `from_s` to `to_s` in which a flow delivered nothing."""
    part = run.part(from_s, to_s, least_s=sharing.INTERVAL_S)
    return sharing.silent_share(_deliveries(run)[run.flow(flow)], *part)


def variation(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """Standard deviation of the data that a flow delivered in each second, divided by the mean.

    0 if the flow delivered nothing.
    """
    part = run.part(from_s, to_s, least_s=sharing.INTERVAL_S)
    return sharing.variation(_deliveries(run)[run.flow(flow)], *part)


def _progress(run: Run, flow: int) -> progress.Progress:
    folder = run.files(progress.recorded_keys())
    found = run.kept("progress", lambda: progress.progress_in(folder / SERIES, run.flows))
    return found[run.flow(flow)]


def progress_at(run: Run, flow: int, at_s: float) -> float:
    """Remaining work of a file (`app = "file"`): bytes that have not arrived, times their hops.

    The hops of a byte are the hops that the byte still has to travel at `at_s`. If there is no path
    to the destination at `at_s`, the function returns the last value before `at_s`
    (docs/results.md).
    """
    if not 0 <= at_s <= run.duration_s:
        raise InputError(f"at_s = {at_s:g}: the run ends at {run.duration_s:g} s")
    return progress.at(_progress(run, flow), at_s)


def progress_stalled_s(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """Number of seconds from `from_s` to `to_s` in which `progress_at` does not decrease."""
    return progress.stalled_s(_progress(run, flow), *run.part(from_s, to_s, least_s=1.0))


def progress_rises(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """How often `progress_at` increases from `from_s` to `to_s`."""
    return progress.rises(_progress(run, flow), *run.part(from_s, to_s, least_s=1.0))


def queued_packets(run: Run, from_s: float = 0.0, to_s: float = math.inf) -> float:
    """Length of the interface queue in packets, averaged over time and nodes."""
    part = run.part(from_s, min(to_s, run.duration_s) if math.isinf(to_s) else to_s)
    folder = run.files(queues.recorded_keys())
    rows = run.kept("queues", lambda: queues.rows_in(folder / SERIES))
    return queues.mean_packets(rows, run.nodes, *part)
