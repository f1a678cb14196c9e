"""Of flows: how they share, how files that are sent progress, how full the queues are."""

import math

from hopwright._io.errors import InputError
from hopwright.research.papers import progress, queues, sharing
from hopwright.research.papers.run import Run
from hopwright.results.places import SERIES


def _deliveries(run: Run) -> sharing.Progress:
    folder = run.files(sharing.recorded_keys())
    return run.kept("deliveries", lambda: sharing.progress_in(folder / SERIES, run.flows))


def jain(run: Run, window_s: float, from_s: float = 0.0) -> float:
    """Jain's index of what the flows delivered in windows of this length.

    Averaged over all windows in which any did, from a moment on.
    """
    if window_s <= 0 or from_s < 0 or window_s + from_s > run.duration_s:
        raise InputError(
            f"window_s = {window_s:g}, from_s = {from_s:g}: a window lies in the run, which ends "
            f"at {run.duration_s:g} s"
        )
    return sharing.jain(_deliveries(run), run.duration_s, window_s, from_s)


def silent_share(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """The share of the seconds of a part of the run in which a flow delivered nothing."""
    part = run.part(from_s, to_s, least_s=sharing.INTERVAL_S)
    return sharing.silent_share(_deliveries(run)[run.flow(flow)], *part)


def variation(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """The standard deviation of what a flow delivered in each second, over the mean.

    0 if it delivered nothing.
    """
    part = run.part(from_s, to_s, least_s=sharing.INTERVAL_S)
    return sharing.variation(_deliveries(run)[run.flow(flow)], *part)


def _progress(run: Run, flow: int) -> progress.Progress:
    folder = run.files(progress.recorded_keys())
    found = run.kept("progress", lambda: progress.progress_in(folder / SERIES, run.flows))
    return found[run.flow(flow)]


def progress_at(run: Run, flow: int, at_s: float) -> float:
    """Bytes of a file (`app = "file"`) that have not arrived, times the hops that each has to go.

    At a time, or when a path led to the destination last (docs/results.md).
    """
    if not 0 <= at_s <= run.duration_s:
        raise InputError(f"at_s = {at_s:g}: the run ends at {run.duration_s:g} s")
    return progress.at(_progress(run, flow), at_s)


def progress_stalled_s(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """How many of the seconds of a part it ends no lower than it began."""
    return progress.stalled_s(_progress(run, flow), *run.part(from_s, to_s, least_s=1.0))


def progress_rises(run: Run, flow: int, from_s: float, to_s: float) -> float:
    """How often it rises in a part of the run."""
    return progress.rises(_progress(run, flow), *run.part(from_s, to_s, least_s=1.0))


def queued_packets(run: Run, from_s: float = 0.0, to_s: float = math.inf) -> float:
    """The length of an interface queue, averaged over time and nodes."""
    part = run.part(from_s, min(to_s, run.duration_s) if math.isinf(to_s) else to_s)
    folder = run.files(queues.recorded_keys())
    rows = run.kept("queues", lambda: queues.rows_in(folder / SERIES))
    return queues.mean_packets(rows, run.nodes, *part)
