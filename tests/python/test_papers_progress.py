"""How connections progress, in papers' files."""

import math

import pytest

from hopwright.errors import InputError
from hopwright.papers import progress
from hopwright.source import Source

FALLS = [(0.0, 100.0), (1.0, 80.0), (2.0, None), (3.0, 90.0), (4.0, 90.0), (5.0, 10.0)]


def test_the_last_known_value_holds() -> None:
    assert [progress.at(FALLS, t) for t in (0, 0.9, 1, 2.5, 3, 9)] == [100, 100, 80, 80, 90, 10]
    assert math.isnan(progress.at([(0.0, None)], 1))


def test_seconds_that_do_not_end_lower_are_stalled() -> None:
    assert progress.stalled_s(FALLS, 0, 5) == 3  # 1 to 2, 2 to 3, 3 to 4
    assert progress.rises(FALLS, 0, 5) == 1
    assert progress.rises(FALLS, 3, 5) == 0


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("progress.at.0@61", "times up to 60 s"),
        ("progress.at.1@5", "flows are 0 to 0"),
        ("progress.stalled_s.0@5", "stalled_s.FLOW@FROM:TO"),
        ("progress.rise.0@1:5", "did you mean 'rises'"),
    ],
)
def test_wrong_names_are_refused(name: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        progress.number_called(name, 1, 60.0)


@pytest.mark.parametrize("protocol", ["newreno", "nctp", "atp"])
def test_a_file_progresses_to_nothing(protocol: str) -> None:
    text = f"""
name = "progress"
duration_s = 20
topology = {{ kind = "chain", hops = 2 }}
output = {{ series = ["connection-progress"], figures = [] }}
[[flows]]
from = 0
to = 2
app = "file"
bytes = 100_000
transport = {{ protocol = "{protocol}" }}
"""
    scenario = Source(text, "test", ".").load([])
    names = ["progress.at.0@0", "progress.at.0@20", "progress.stalled_s.0@0:20"]
    found = progress.numbers(scenario, names, [1, 2], jobs=1)
    assert found["progress.at.0@0"] == [200_000, 200_000]
    assert found["progress.at.0@20"] == [0, 0]
    assert all(10 < stalled < 20 for stalled in found["progress.stalled_s.0@0:20"])
