"""Measures of `zhou-7.toml`."""

from hopwright.research.papers.functions.series import share_of_time_in
from hopwright.research.papers.run import Run


def slow_start_or_timeout(run: Run, from_s: float, to_s: float) -> float:
    """The share of a part of the run that the sender is in slow start or waits for its timer.

    What follows a time-out is slow start; the paper counts both as one.
    """
    slow_start = share_of_time_in(run, "slow_start", from_s, to_s)
    return slow_start + share_of_time_in(run, "rto", from_s, to_s)
