"""What became of losses, and what senders took them for; measures of `gha-4-5-all-four.toml`."""

from collections.abc import Sequence

from hopwright.research.papers.run import Run

DATA = ("queue", "contention", "link_failure", "no_route", "channel", "node_down", "other")
TRUTHS = (*DATA, *(f"ack_{cause}" for cause in DATA), "nothing")
"""Why something was lost: data, acknowledgements (`ack_`); or it was not."""
BELIEFS = ("congestion", "channel", "contention", "route")

TRUE = {
    "queue": "congestion",
    "contention": "channel",
    "channel": "channel",
    "link_failure": "route",
    "no_route": "route",
    "node_down": "route",
}
"""What a loss should be taken for: contention counts as the channel."""


def diagnoses(run: Run, of: Sequence[str] = TRUTHS, taken_for: Sequence[str] = BELIEFS) -> float:
    """How often senders took losses of some causes for some others."""
    return sum(run.result(f"diagnoses.{cause}_as_{each}") for cause in of for each in taken_for)


def true_diagnoses(run: Run) -> float:
    """How often they took them for what they were."""
    return sum(
        run.result(f"diagnoses.{kind}{cause}_as_{true}")
        for kind in ("", "ack_")
        for cause, true in TRUE.items()
    )
