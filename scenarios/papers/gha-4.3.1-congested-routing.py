"""A measure of `gha-4.3.1-congested-routing.toml`."""

import math

from hopwright.research.papers.functions.series import recoveries
from hopwright.research.papers.run import Run


def congestion_actions(run: Run) -> float:
    """How often senders took losses for congestion: time-outs and fast recoveries, of all flows."""
    return math.fsum([run.result("rto_count"), *(recoveries(run, f) for f in range(run.flows))])
