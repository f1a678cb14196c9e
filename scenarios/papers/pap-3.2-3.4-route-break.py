"""Measures of `pap-3.2-3.4-route-break.toml`."""

import math
from collections.abc import Sequence

from hopwright.research.papers.functions.series import column_at
from hopwright.research.papers.run import Run


def srtt_added_up(run: Run, at_s: Sequence[float]) -> float:
    """The smoothed round-trip times at some moments, added up."""
    return math.fsum(column_at(run, "srtt_s", each) for each in at_s)
