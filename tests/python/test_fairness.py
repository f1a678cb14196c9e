"""Jain's index, of a run and in sliding windows."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from arro3.io import read_parquet

import hopwright
from hopwright._io.data import items, number
from hopwright.statistics.fairness import jain, sliding_jain


def test_jain_by_hand() -> None:
    assert jain([3, 3]) == 1
    assert jain([4, 0, 0, 0]) == 0.25
    assert jain([1, 2, 3]) == pytest.approx(36 / (3 * 14))
    assert jain([0, 0]) == 1
    with pytest.raises(ValueError, match="not negative"):
        jain([1, -1])
    with pytest.raises(ValueError, match="at least one"):
        jain([])


@pytest.mark.parametrize("seed", range(50))
def test_jain_has_bounds_and_no_unit(seed: int) -> None:
    stream = random.Random(seed)
    shares = [stream.expovariate(1) * 10 ** stream.uniform(-9, 9) for _ in range(seed % 9 + 1)]
    index = jain(shares)
    assert 1 / len(shares) - 1e-12 <= index <= 1
    assert jain([1e200 * x for x in shares]) == pytest.approx(index)
    assert jain(sorted(shares)) == pytest.approx(index)
    assert jain([*shares, *shares]) == pytest.approx(index)


def test_windows_by_hand() -> None:
    # The flows take turns of 2 s: a window over a turn each is fair, one inside a turn is not.
    first = ([1.0, 2.0, 5.0, 6.0], [10.0, 20.0, 30.0, 40.0])
    second = ([3.0, 4.0, 7.0, 8.0], [10.0, 20.0, 30.0, 40.0])
    times, counts = zip(first, second, strict=True)
    ends, index = sliding_jain(times, counts, 4.0, 2.0)
    assert list(ends) == [4.0, 6.0, 8.0]
    assert list(index) == [1.0, 1.0, 1.0]
    ends, index = sliding_jain(times, counts, 2.0, 1.0)
    assert list(ends) == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert list(index) == [0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5]


def test_a_window_without_deliveries_is_neither_fair_nor_unfair() -> None:
    _, index = sliding_jain([[0.5, 3.5], [0.5, 3.5]], [[1, 2], [1, 2]], 1.0, 1.0)
    assert index[0] == 1
    assert np.isnan(index[1])
    assert np.isnan(index[2])
    # All flows' times may as well be one array.
    series = np.asarray([[0.5, 3.5], [0.5, 3.5]])
    _, again = sliding_jain(series, np.asarray([[1.0, 2.0], [1.0, 2.0]]), 1.0, 1.0)
    assert np.array_equal(index, again, equal_nan=True)


def test_a_flow_that_never_delivers_counts() -> None:
    _, index = sliding_jain([[1.0, 2.0], []], [[5, 9], []], 1.0, 1.0)
    assert list(index) == [0.5, 0.5]
    ends, index = sliding_jain([[], []], [[], []], 1.0, 1.0)
    assert (len(ends), len(index)) == (0, 0)
    assert len(sliding_jain([[1.0]], [[5]], 2.0, 1.0)[0]) == 0


@pytest.mark.parametrize("step", [0.1, 0.3, 1.0])
def test_rounded_steps_lose_no_delivery(step: float) -> None:
    """Windows that touch, added up, are the whole."""
    instants = [step * (i + 1) for i in range(100)]
    ends, index = sliding_jain([instants, instants[::2]], [range(1, 101), range(50)], step, step)
    assert len(ends) == 100
    assert index == pytest.approx([0.5] + [0.5, 1.0] * 49 + [0.5])


@pytest.mark.parametrize(
    ("times", "counts", "window", "step", "message"),
    [
        ([[1]], [[1]], 0, 1, "above 0"),
        ([[1]], [[1]], 1, -1, "above 0"),
        ([[1]], [[1]], float("inf"), 1, "finite"),
        ([[1]], [[1]], 1, float("inf"), "finite"),
        ([[1]], [[1]], float("nan"), 1, "above 0"),
        ([[9]], [[1]], 1, 1e-12, "step 1e-12 s: makes more than 10,000,000 windows in 9 s"),
        ([[1]], [], 1, 1, "1 flows have times and 0"),
        ([], [], 1, 1, "0 flows"),
        ([[1, 2]], [[1]], 1, 1, "flow 0 has 2 times and 1 counts"),
        ([[2, 1]], [[1, 2]], 1, 1, "never fall"),
        ([[1, 2]], [[2, 1]], 1, 1, "never fall"),
        ([[1]], [[-1]], 1, 1, "negative"),
        ([[1, 2]], [[1, float("nan")]], 1, 1, "value 1 is nan"),
    ],
)
def test_what_makes_no_windows(
    times: list[list[float]], counts: list[list[float]], window: float, step: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        sliding_jain(times, counts, window, step)


TWO_FLOWS = """
name = "two"
duration_s = 20
seed = 7
[topology]
kind = "chain"
hops = 3
spacing_m = 200
[routing]
protocol = "static"
[[flows]]
from = 0
to = 3
[flows.transport]
protocol = "newreno"
[[flows]]
from = 3
to = 1
[flows.transport]
protocol = "newreno"
"""


def test_one_window_over_a_run_is_the_runs_index(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TWO_FLOWS)
    summary = hopwright.run(file, out=tmp_path / "out").summary
    columns = {
        name: read_parquet(tmp_path / "out" / "series.parquet").read_all().column(name).to_pylist()
        for name in ("time_s", "flow", "acked_segments")
    }
    rows = [row for row in zip(*columns.values(), strict=True) if row[2] is not None]
    times, counts = (
        [[row[place] for row in rows if row[1] == flow] for flow in (0, 1)] for place in (0, 2)
    )
    last = max(when[-1] for when in times)
    _, index = sliding_jain(times, counts, last, last)
    whole = number(json.loads(json.dumps(summary)), "results", 0, "fairness", "jain")
    flows = items(summary, "results", 0, "flows")
    got = [number(flow, "goodput_bps") or 0.0 for flow in flows]
    assert jain(got) == pytest.approx(whole)
    assert index[0] == pytest.approx(whole, rel=1e-3)
    ends, moving = sliding_jain(times, counts, 2.0, 0.5)
    assert len(ends) == int((last - 2.0) / 0.5) + 1
    assert ((moving >= 0.5) & (moving <= 1)).all()
