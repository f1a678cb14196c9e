"""A measure of `gha-4.3.2.1-vegas-sooner.toml`."""

from hopwright.research.papers.functions.events import noticed_after_s
from hopwright.research.papers.run import Run


def noticed(run: Run, times: int) -> float:
    """The times from a segment's loss to a full queue to its sender's reaction, so many times."""
    return times * noticed_after_s(run, ["queue"])
