"""How connections progress, in papers' files."""

import math

import pytest

from hopwright._io.errors import InputError
from hopwright.research.papers import progress
from hopwright.research.papers.functions import flows
from made_up import runs

FALLS = [(0.0, 100.0), (1.0, 80.0), (2.0, None), (3.0, 90.0), (4.0, 90.0), (5.0, 10.0)]


def test_the_last_known_value_holds() -> None:
    assert [progress.at(FALLS, t) for t in (0, 0.9, 1, 2.5, 3, 9)] == [100, 100, 80, 80, 90, 10]
    assert math.isnan(progress.at([(0.0, None)], 1))


def test_seconds_that_do_not_end_lower_are_stalled() -> None:
    assert progress.stalled_s(FALLS, 0, 5) == 3  # 1 to 2, 2 to 3, 3 to 4
    assert progress.rises(FALLS, 0, 5) == 1
    assert progress.rises(FALLS, 3, 5) == 0


@pytest.mark.parametrize("protocol", ["newreno", "nctp", "atp"])
def test_a_file_progresses_to_nothing(protocol: str) -> None:
    text = f"""
name = "progress"
duration_s = 20
topology = {{ kind = "chain", hops = 2 }}
[[flows]]
from = 0
to = 2
app = "file"
bytes = 100_000
transport = {{ protocol = "{protocol}" }}
"""
    with runs(text, (1, 2)) as both:
        for run in both:
            assert flows.progress_at(run, 0, 0) == 200_000
            assert flows.progress_at(run, 0, 20) == 0
            assert 10 < flows.progress_stalled_s(run, 0, 0, 20) < 20
            with pytest.raises(InputError, match="at_s = 61: the run ends at 20 s"):
                flows.progress_at(run, 0, 61)
            with pytest.raises(InputError, match="flow = 1: there are only flows 0 to 0"):
                flows.progress_rises(run, 1, 0, 20)
