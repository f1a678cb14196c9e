"""Multipoint relays of a string of six nodes beside those that table 3.4 prints."""

import math

from hopwright.research.papers.functions.network import is_relay, relay_count
from hopwright.research.papers.run import Run

PRINTED = ((0, 1), (1, 2), (2, 1), (2, 3), (3, 2), (4, 3), (5, 3))
"""Nodes and their relays, A being 0."""


def relays_as_printed(run: Run, at_s: float) -> float:
    """How many of the printed relays are there at a time."""
    return math.fsum(is_relay(run, of, node, at_s) for of, node in PRINTED)


def relays_not_printed(run: Run, at_s: float) -> float:
    """How many others there are."""
    there = math.fsum(relay_count(run, node, at_s) for node in range(6))
    return there - relays_as_printed(run, at_s)
