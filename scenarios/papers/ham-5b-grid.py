"""Measures of `ham-5b-grid.toml`."""

import math

from hopwright.research.papers.functions.flows import variation
from hopwright.research.papers.run import Run


def mean_variation(run: Run, from_s: float, to_s: float) -> float:
    """How much what a connection delivers goes up and down from second to second, on average.

    That is the standard deviation over the mean, 0 of one that delivers nothing.
    """
    return math.fsum(variation(run, each, from_s, to_s) for each in range(run.flows)) / run.flows
