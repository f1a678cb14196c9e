"""Measures of `vel-5.3-cpm.toml`."""

from hopwright.research.papers.functions.events import path_failures, stalled_s
from hopwright.research.papers.run import Run


def stalled_beyond_two_seconds_each(run: Run) -> float:
    """The time without new data after path failures, less two seconds for each of these."""
    return stalled_s(run) - 2 * path_failures(run)
