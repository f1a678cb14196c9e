"""Lengths of queues in a part of a run, as papers' files ask for them."""

import pytest

from hopwright._io.errors import InputError
from hopwright.research.papers import queues
from hopwright.research.papers.functions import flows
from made_up import runs

TEXT = """
name = "queues"
duration_s = 10
topology = { kind = "chain", hops = 4 }
flows = [{ from = 0, to = 4 }]
"""

ROWS: list[queues.Row] = [(1.0, 0, 2.0), (2.0, 1, 1.0), (3.0, 0, 0.0), (6.0, 1, 4.0)]


def test_time_before_and_after_the_part_does_not_count() -> None:
    # Node 0 holds two packets for 2 s, node 1 one for 4 s and four for 2 s.
    assert queues.mean_packets(ROWS, 2, 0.0, 8.0) == (2 * 2 + 4 * 1 + 2 * 4) / 2 / 8
    assert queues.mean_packets(ROWS, 2, 2.5, 3.5) == (0.5 * 2 + 1 * 1) / 2
    assert queues.mean_packets(ROWS, 2, 7.0, 9.0) == 4 / 2
    assert queues.mean_packets([], 3, 0.0, 1.0) == 0.0


def test_over_the_whole_run_it_is_the_summarys() -> None:
    with runs(TEXT, (1, 2)) as both:
        for run in both:
            mean = run.result("mac.mean_queue_packets")
            assert flows.queued_packets(run) == pytest.approx(mean, rel=1e-9)
            assert flows.queued_packets(run, 0, 10) == flows.queued_packets(run)


def test_a_part_ends_with_the_run() -> None:
    with runs(TEXT) as (run,), pytest.raises(InputError, match="which ends at 10 s"):
        flows.queued_packets(run, 2, 11)
