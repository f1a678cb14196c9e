"""Intervals of what is drawn."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bounded(mean: float, half_width: float) -> tuple[float, float]:
    """The ends of a mean's interval.

    No result of a run is negative: an interval of a mean that is not ends at zero.
    """
    low = mean - half_width
    return (max(low, 0.0) if mean >= 0 else low), mean + half_width


def draw_interval(
    axes: "Axes",
    at: float,
    height: float,
    pair: tuple[float, float],
    *,
    standing: bool = True,
) -> None:
    """Draws the interval of a bar at a place; a white rim parts it from a dark filling."""
    below, above = [height - pair[0]], [pair[1] - height]
    for colour, weight, order in (("white", 2.0, 3), ("black", 0.7, 4)):
        look: dict[str, Any] = {
            "ls": "",
            "ecolor": colour,
            "elinewidth": weight,
            "capthick": weight,
            "capsize": 1.8,
            "zorder": order,
        }
        if standing:
            axes.errorbar([at], [height], yerr=[below, above], **look)
        else:
            axes.errorbar([height], [at], xerr=[below, above], **look)
