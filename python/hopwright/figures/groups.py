"""Names of groups along an axis: below what stands, beside what lies."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright.figures.layout import CHARACTERS_PER_IN, CLOSE, LINE_IN, words_below
from hopwright.figures.words import is_cut, literal, tallest, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_IN = 8.0
"""As high as a page has room for."""
THINNEST_IN = 0.085
"""A standing bar of less would have no room for its hatch."""
LABEL = 24
"""Characters of a line of a name beside its group."""
MOST_LINES = 3
"""Of a name below its group."""


def stands(groups: Sequence[str], room_in: float, *, bars: int = 1) -> bool:
    """Whether the names fit below, and each bar of a group has room for its hatch."""
    each = room_in / len(groups)
    if each * 0.8 / bars < THINNEST_IN:
        return False
    line = _line(each)
    names = [wrap(group, line) for group in groups]
    return tallest(names) <= MOST_LINES and not any(is_cut(group, line) for group in groups)


def lying(groups: Sequence[str], bars_in: float) -> float:
    """Inches that groups take from top to bottom, so much of it for the bars of each."""
    return len(groups) * max(bars_in, LINE_IN * tallest(_beside(groups)) + 0.06)


def name_groups(axes: "Axes", groups: Sequence[str], *, standing: bool, room_in: float) -> None:
    """Writes the names, one group a unit from the next; the first is on the left, or on top."""
    places = range(len(groups))
    if standing:
        width = _line(room_in / len(groups))
        words_below(axes, places, [wrap(group, width) for group in groups])
        axes.set_xlim(-0.5, len(groups) - 0.5)
    else:
        names = [literal(name) for name in _beside(groups)]
        axes.set_yticks(places, names, linespacing=CLOSE)
        axes.set_ylim(len(groups) - 0.5, -0.5)
    axis = axes.xaxis if standing else axes.yaxis
    axis.set_tick_params(length=0)
    axis.grid(visible=False)


def _line(inches: float) -> int:
    return max(int(inches * CHARACTERS_PER_IN) - 1, 1)


def _beside(groups: Sequence[str]) -> list[str]:
    return [wrap(group, LABEL) for group in groups]
