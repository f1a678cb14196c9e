"""Histograms: how many values are in each of some classes, side by side."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hopwright._io.in_python import in_python
from hopwright.figures.figure import Cell, Figure
from hopwright.figures.layout import HEADROOM, titles, whole
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.style import ALONE
from hopwright.figures.values import numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@in_python
def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    x_label: str,
    y_label: str = "share of values (%)",
    title: str = "",
    look: Look = PLAIN,
) -> Figure:
    """Draws which share of all values is in each class.

    `edges`: where classes begin and end, ascending, one more than `counts`. The data's columns:
    `low`, `high`, `count`, `share`.

    Raises `ValueError` for no data, edges that do not ascend, or counts that do not fit them.
    """
    look.check((), (x_label, y_label, title))
    look.check_grey("a histogram")
    places = numbers(edges, "edges")
    heights = numbers(counts, "counts", count=len(places) - 1)
    if any(low >= high for low, high in pairwise(places)):
        raise ValueError("edges: each must be above the one before")
    total = sum(heights)
    if total <= 0 or min(heights) < 0:
        raise ValueError("counts: at least one value is needed, and none can be negative")
    shares = [100 * height / total for height in heights]

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        titles(drawing, axes, x_label=x_label, y_label=y_label, title=title, look=look)
        axes.bar(
            places[:-1],
            shares,
            width=[high - low for low, high in pairwise(places)],
            align="edge",
            facecolor=ALONE.grey,
            edgecolor="black",
            lw=0.4,
            zorder=2,
        )
        axes.grid(visible=False, axis="x")
        axes.set_xlim(places[0], places[-1])
        axes.set_ylim(0, max(shares) * HEADROOM)
        whole(axes.xaxis, places)

    data: dict[str, list[Cell]] = {
        "low": [*places[:-1]],
        "high": [*places[1:]],
        "count": [int(height) for height in heights],
        "share": [share / 100 for share in shares],
    }
    return Figure(draw, data, height_in=2.1, width_in=look.width_in)
