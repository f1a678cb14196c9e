"""Numbers of papers' files that say how the flows of a run share."""

import math
from typing import TYPE_CHECKING

import pytest

from hopwright.errors import InputError
from hopwright.papers import sharing
from hopwright.source import Source

if TYPE_CHECKING:
    from hopwright.papers.sharing import Progress

TURNS: "Progress" = (
    ([0.5, 1.5, 4.5, 5.5], [1.0, 2.0, 3.0, 4.0]),
    ([2.5, 3.5, 6.5, 7.5], [1.0, 2.0, 3.0, 4.0]),
)
"""Two flows that take turns of two seconds, in each of which they deliver something."""


def test_short_windows_see_one_flow_and_long_ones_both() -> None:
    assert sharing.jain(TURNS, 8.0, 1.0, 0.0) == pytest.approx(0.5, abs=0.05)
    assert sharing.jain(TURNS, 8.0, 8.0, 0.0) == 1.0
    middle = sharing.jain(TURNS, 8.0, 2.0, 0.0)
    assert 0.5 < middle < 1.0


def test_windows_before_a_time_do_not_count() -> None:
    late: Progress = (([1.0, 11.0, 12.0], [1.0, 2.0, 3.0]), ([11.5, 12.5], [1.0, 2.0]))
    assert sharing.jain(late, 13.0, 2.0, 0.0) < sharing.jain(late, 13.0, 2.0, 10.9)
    assert math.isnan(sharing.jain(late, 13.0, 2.0, 12.0))


def test_silent_seconds_are_those_in_which_nothing_comes() -> None:
    assert sharing.silent_share(TURNS[0], 0.0, 8.0) == 0.5
    assert sharing.silent_share(TURNS[1], 0.0, 2.0) == 1.0
    assert sharing.silent_share(TURNS[1], 2.0, 4.0) == 0.0
    assert sharing.silent_share(([], []), 0.0, 4.0) == 1.0


def test_what_is_delivered_varies_from_second_to_second_or_not() -> None:
    assert sharing.variation(([0.5, 1.5, 2.5], [2.0, 4.0, 6.0]), 0.0, 3.0) == 0.0
    assert sharing.variation(TURNS[0], 0.0, 8.0) == 1.0  # in half of the seconds nothing
    assert sharing.variation(([], []), 0.0, 4.0) == 0.0
    reckon = sharing.number_called("flows.variation.1@2:8", 2, 20.0)
    assert reckon(TURNS, 20.0) == sharing.variation(TURNS[1], 2.0, 8.0) > 0


@pytest.mark.parametrize(
    "name",
    [
        "flows.jain",
        "flows.jain@0",
        "flows.jain@one",
        "flows.jain@1:2:3",
        "flows.jain.0@1",
        "flows.silent_share@1:2",
        "flows.silent_share.2@1:9",
        "flows.silent_share.²@1:9",
        "flows.silent_share.0@1",
        "flows.silent_share.0@5:5",
        "flows.jane@1",
    ],
)
def test_what_is_no_such_number_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"write it as jain@WINDOW.*flows are 0 to 1"):
        sharing.number_called(name, 2, 20.0)


@pytest.mark.parametrize("name", ["flows.jain@21", "flows.jain@6:15", "flows.silent_share.0@5:21"])
def test_nothing_is_said_of_time_beyond_the_run(name: str) -> None:
    with pytest.raises(InputError, match="the run ends at 20 s"):
        sharing.number_called(name, 2, 20.0)


def test_numbers_of_runs_agree_with_the_summary() -> None:
    """Two flows of which one starts late; over the whole run the index is the summary's."""
    text = """
name = "sharing"
duration_s = 12
topology = { kind = "chain", hops = 2 }
flows = [
    { from = 0, to = 2 },
    { from = 2, to = 0, start_s = 6 },
    { from = 1, to = 0 },
]
"""
    scenario = Source(text, "test", ".").load([])
    names = ["flows.silent_share.1@0:6", "flows.jain@12"]
    found = sharing.numbers(scenario, names, [1, 2], jobs=1)
    assert found["flows.silent_share.1@0:6"] == [1.0, 1.0]
    assert all(1 / 3 <= value <= 1 for value in found["flows.jain@12"])
    mixed = 'app = "cbr", rate_kbps = 50, transport = { protocol = "udp" }'
    scenario = Source(text.replace("to = 0 }", f"to = 0, {mixed} }}"), "test", ".").load([])
    with pytest.raises(InputError, match="all flows are to be of TCP, or all of UDP"):
        sharing.numbers(scenario, names, [1], jobs=1)
