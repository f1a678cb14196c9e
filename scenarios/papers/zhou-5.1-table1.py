"""The steps of table 1, each a time that something takes; some of them several times over."""

import math

from hopwright.research.papers.functions.events import seconds_until
from hopwright.research.papers.functions.series import column_at
from hopwright.research.papers.run import Run

BREAKS_S = 30.0
RETURNS_S = 31.0
ENDS_S = 35.0


def smoothed_round_trips(run: Run, times: int = 1) -> float:
    """So many smoothed round-trip times, as they are before the break."""
    return times * column_at(run, "srtt_s", 29.9)


def noticed(run: Run, times: int = 1) -> float:
    """From the break until node 1 takes the route out of use, so many times."""
    return times * seconds_until(run, "route_broke", BREAKS_S, RETURNS_S, node=1)


def told(run: Run, times: int = 1) -> float:
    """From then until the sender is frozen."""
    frozen = seconds_until(run, "freeze", BREAKS_S, RETURNS_S)
    return _less(frozen, noticed(run), times)


def woken(run: Run, times: int = 1) -> float:
    """From the answer to the search for a route until the sender thaws."""
    thawed = seconds_until(run, "thaw", RETURNS_S, ENDS_S)
    return _less(thawed, seconds_until(run, "rrep", RETURNS_S, ENDS_S), times)


def retransmits(run: Run, times: int = 1) -> float:
    """From then until it retransmits fast."""
    again = seconds_until(run, "fast_retransmit", RETURNS_S, ENDS_S)
    return _less(again, seconds_until(run, "thaw", RETURNS_S, ENDS_S), times)


def _less(until: float, since: float, times: int) -> float:
    return math.fsum([until] * times + [-since] * times)
