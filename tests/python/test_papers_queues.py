"""Lengths of queues in a part of a run, as papers' files ask for them."""

import pytest

from hopwright.data import number
from hopwright.errors import InputError
from hopwright.papers import queues
from hopwright.runs import execute, result_of
from hopwright.source import Source

ROWS: list[queues.Row] = [(1.0, 0, 2.0), (2.0, 1, 1.0), (3.0, 0, 0.0), (6.0, 1, 4.0)]


def test_time_before_and_after_the_part_does_not_count() -> None:
    # Node 0 holds two packets for 2 s, node 1 one for 4 s and four for 2 s.
    assert queues.mean_packets(ROWS, 2, 0.0, 8.0) == (2 * 2 + 4 * 1 + 2 * 4) / 2 / 8
    assert queues.mean_packets(ROWS, 2, 2.5, 3.5) == (0.5 * 2 + 1 * 1) / 2
    assert queues.mean_packets(ROWS, 2, 7.0, 9.0) == 4 / 2
    assert queues.mean_packets([], 3, 0.0, 1.0) == 0.0


def test_over_the_whole_run_it_is_the_summarys() -> None:
    text = """
name = "queues"
duration_s = 10
topology = { kind = "chain", hops = 4 }
flows = [{ from = 0, to = 4 }]
"""
    scenario = Source(text, "test", ".").load([])
    found = queues.numbers(scenario, ["queues.mean_packets@0:10"], [1, 2], jobs=1)
    runs = [result_of(run) for run in execute(scenario, [1, 2], jobs=1)]
    means = [number(run, "mac", "mean_queue_packets") for run in runs]
    assert found["queues.mean_packets@0:10"] == pytest.approx(means, rel=1e-9)


@pytest.mark.parametrize(
    "name", ["mean_packets", "mean_packets@3:1", "mean_packets@1", "longest@1:2"]
)
def test_what_is_no_such_number_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="write it as mean_packets@FROM:TO"):
        queues.part_called(f"queues.{name}", 10.0)


def test_a_part_ends_with_the_run() -> None:
    assert queues.part_called("queues.mean_packets@2:10", 10.0) == (2.0, 10.0)
    with pytest.raises(InputError, match="the run ends at 10 s"):
        queues.part_called("queues.mean_packets@2:11", 10.0)
