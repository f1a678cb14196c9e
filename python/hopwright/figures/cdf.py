"""Cumulative distributions: which share of the values is at most so large."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import legend_below, scale, titles
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.samples import Samples
from hopwright.figures.style import STROKES, check_count
from hopwright.figures.values import check_names, numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

SHARE = "share of values"
MARKS = 6
"""Markers on a curve: enough to tell it from others, few enough to see its steps."""


@in_python
def cdf(
    series: Sequence[Samples],
    *,
    x_label: str,
    title: str = "",
    log_x: bool = False,
    look: Look = PLAIN,
) -> Figure:
    """Draws the empirical distribution functions of up to eight series.

    Each is a staircase that rises by 1/n at each of its n values. The data's columns: `series`,
    `value` in ascending order, `share` of values that are at most so large.

    Raises `ValueError` for no data, values that are no numbers, or ones that a logarithmic axis
    cannot show; `InputError` for too many series.
    """
    check_count(len(series))
    look.check((each.name for each in series), (x_label, SHARE, title))
    series = [series[place] for place in look.places([each.name for each in series])]
    strokes = look.in_colours([each.name for each in series], STROKES)
    series = [replace(each, name=look.text(each.name)) for each in series]
    check_names([each.name for each in series], "series")
    known = [sorted(numbers(each.values, f"values of '{each.name}'")) for each in series]
    everything = [value for values in known for value in values]
    if log_x and min(everything) <= 0:
        raise ValueError(f"a logarithmic axis has no place for {min(everything):g}")

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        titles(drawing, axes, x_label=x_label, y_label=SHARE, title=title, look=look)
        scale(axes, "x", everything, log=log_x, zero=False)
        start, end = axes.get_xlim()
        axes.set_ylim(0, 1.03)
        handles = []
        for place, (values, stroke) in enumerate(zip(known, strokes, strict=False)):
            count = len(values)
            # To both edges of the axes: before its first value a share is 0, after the last 1.
            x = [start, *values, end]
            y = [0.0, *((n + 1) / count for n in range(count)), 1.0]
            # Curves that lie on one another have their markers at different places.
            step = max(count // MARKS, 1)
            first = 1 + (place * step // len(known) if count > MARKS else 0)
            axes.step(x, y, where="post", ls=stroke.dashes, color=stroke.colour, lw=0.9, zorder=3)
            mark: dict[str, Any] = {
                "color": stroke.colour,
                "marker": stroke.marker,
                "ms": stroke.size,
                "mew": 0.7,
                "mfc": stroke.colour if stroke.is_filled else "white",
            }
            marked = slice(first, count + 1, step)
            axes.plot(x[marked], y[marked], ls="", zorder=4, **mark)
            handles += axes.plot([], [], ls=stroke.dashes, lw=0.9, **mark)
        if len(known) > 1:
            legend_below(drawing, handles, [each.name for each in series], handlelength=3.2)

    rows = (
        (each.name, value, (n + 1) / len(values))
        for each, values in zip(series, known, strict=True)
        for n, value in enumerate(values)
    )
    data = columns(("series", "value", "share"), rows)
    return Figure(draw, data, height_in=2.1, width_in=look.width_in)
