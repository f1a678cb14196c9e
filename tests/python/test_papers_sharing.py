"""Numbers of papers' files that say how the flows of a run share."""

import math
from typing import TYPE_CHECKING

import pytest

from hopwright._io.errors import InputError
from hopwright.research.papers import sharing
from hopwright.research.papers.functions import flows
from made_up import runs

if TYPE_CHECKING:
    from hopwright.research.papers.sharing import Progress

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
    assert sharing.variation(TURNS[1], 2.0, 8.0) > 0


TEXT = """
name = "sharing"
duration_s = 12
topology = { kind = "chain", hops = 2 }
flows = [
    { from = 0, to = 2 },
    { from = 2, to = 0, start_s = 6 },
    { from = 1, to = 0 },
]
"""


def test_of_a_flow_that_starts_late_the_seconds_before_are_silent() -> None:
    with runs(TEXT, (1, 2)) as both:
        for run in both:
            assert flows.silent_share(run, 1, 0, 6) == 1
            assert flows.variation(run, 0, 6, 12) > 0
            assert 1 / 3 <= flows.jain(run, 12) <= 1


def test_what_lies_in_no_run_is_refused() -> None:
    with runs(TEXT) as (run,):
        for window_s, from_s in ((0, 0), (13, 0), (6, 7), (1, -1)):
            with pytest.raises(
                InputError, match="the window must lie in the run, which ends at 12 s"
            ):
                flows.jain(run, window_s, from_s)
        for from_s, to_s in ((5, 13), (5, 5), (5, 5.5), (-1, 3)):
            with pytest.raises(InputError, match="a part of the run, 1 s or more, which ends at"):
                flows.silent_share(run, 0, from_s, to_s)
        with pytest.raises(InputError, match="flow = 3: there are only flows 0 to 2"):
            flows.silent_share(run, 3, 0, 5)


def test_datagrams_and_segments_are_not_compared() -> None:
    mixed = 'app = "cbr", rate_kbps = 50, transport = { protocol = "udp" }'
    text = TEXT.replace("to = 0 }", f"to = 0, {mixed} }}")
    with runs(text) as (run,), pytest.raises(InputError, match="must be over TCP, or all over UDP"):
        flows.jain(run, 12)
