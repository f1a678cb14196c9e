"""Measures of `vel-2.5.4-jitter.toml`."""

from statistics import fmean

from hopwright import InputError
from hopwright.research.papers.run import Run


def timeout_in_round_trips(run: Run) -> float:
    """The time-out over the smoothed round-trip time, averaged over the rows of the first flow."""
    columns = run.series("rto_s", "srtt_s")
    ratios = [
        timeout / round_trip
        for timeout, round_trip in zip(columns["rto_s"], columns["srtt_s"], strict=True)
        if isinstance(timeout, float) and isinstance(round_trip, float) and round_trip > 0
    ]
    if not ratios:
        raise InputError("no round trip is measured")
    return fmean(ratios)
