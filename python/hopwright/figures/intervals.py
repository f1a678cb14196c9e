"""Intervals on bars."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
