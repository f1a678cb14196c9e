"""Time series: values that hold until the next one."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import legend_below, scale, titles
from hopwright.figures.lines import Line
from hopwright.figures.style import check_count
from hopwright.figures.values import check_names, interval, numbers
from hopwright.figures.words import literal, wrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

TOGETHER = 2
"""Jagged lines that can share axes: dashes would fall to pieces, and there are but two greys."""
PENS = (("black", 0.8, 4), ("0.6", 0.9, 3))
DOTS = ("o", "+")
ROW_IN = 0.62


def time_series(  # noqa: PLR0913 - each a choice of its own
    series: Sequence[Line],
    *,
    y_label: str,
    x_label: str = "time (s)",
    title: str = "",
    start_s: float | None = None,
    end_s: float | None = None,
    log_y: bool = False,
    held: bool = True,
    wide: bool = False,
) -> Figure:
    """Draws up to eight series of values over time, of which each holds until the next.

    One or two share axes; of more, each has a row of its own, all on the same scale. `x` of a
    series: seconds, not descending. Points that no eye could tell apart are left out of the
    drawing, not of the data, whose columns are `series`, `x`, `y`. The last value is drawn up to
    `end_s`, by default the latest of all times. Without `held`, values are of their instants alone,
    and drawn as dots.

    Raises `ValueError` for no data, values that are no numbers, lists of different lengths, times
    that go back, or values that a logarithmic axis cannot show; `InputError` for too many series.
    """
    check_count(len(series))
    check_names([line.name for line in series], "series")
    known = [_check(line) for line in series]
    start, end = _span([time for time, _ in known], start_s, end_s)
    everything = [value for _, values in known for value in values]
    if log_y and min(everything) <= 0:
        raise ValueError(f"a logarithmic axis has no place for {min(everything):g}")
    rows = 1 if len(series) <= TOGETHER else len(series)

    def draw(drawing: "Drawing") -> None:
        import numpy as np

        from hopwright.figures.decimate import visible

        grid = drawing.subplots(rows, 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        handles = []
        for place, (time, values) in enumerate(known):
            axes = grid[place if rows > 1 else 0]
            x, y = visible(np.array(time), np.array(values), start, end)
            if held:
                x, y = np.append(x, max(end, x[-1])), np.append(y, y[-1])
            look = _look(place if rows == 1 else 0, held=held)
            handles += axes.plot(x, y, **look)
        for axes, line in zip(grid, series, strict=False):
            scale(axes, "y", everything, log=log_y, zero=True)
            axes.set_xlim(start, end)
            if rows > 1:
                axes.set_title(literal(wrap(line.name, 100 if wide else 50)), loc="left", pad=2)
        if rows > 1:
            titles(drawing, grid[-1], x_label=x_label, title=title)
            drawing.supylabel(literal(wrap(y_label, 16 * rows)), fontsize=8)
        else:
            titles(drawing, grid[0], x_label=x_label, y_label=y_label, title=title)
        if rows == 1 and len(series) > 1:
            legend_below(drawing, handles, [line.name for line in series])

    cells = (
        (line.name, x, y)
        for line, (time, values) in zip(series, known, strict=True)
        for x, y in zip(time, values, strict=True)
    )
    height = 2.1 if rows == 1 else 0.6 + ROW_IN * rows
    return Figure(draw, columns(("series", "x", "y"), cells), height_in=height, wide=wide)


def _span(
    times: Sequence[Sequence[float]], start_s: float | None, end_s: float | None
) -> tuple[float, float]:
    start = min(time[0] for time in times) if start_s is None else start_s
    end = max(time[-1] for time in times) if end_s is None else end_s
    if end < start:
        raise ValueError(f"end_s: {end:g} is before the start at {start:g}")
    return start, end if end > start else start + 1.0


def _look(place: int, *, held: bool) -> dict[str, object]:
    colour, weight, order = PENS[place]
    look: dict[str, object] = {"color": colour, "zorder": order}
    if held:
        return look | {"drawstyle": "steps-post", "ls": "-", "lw": weight}
    return look | {"ls": "", "marker": DOTS[place], "ms": 2.0, "mew": 0.4}


def _check(line: Line) -> tuple[list[float], list[float]]:
    time = numbers(line.x, f"x of '{line.name}'")
    values = numbers(line.y, f"y of '{line.name}'", count=len(time))
    if any(later < sooner for sooner, later in pairwise(time)):
        raise ValueError(f"x of '{line.name}': times go back")
    if any(interval(line.low, line.high, values, f"y of '{line.name}'")):
        raise ValueError(f"'{line.name}': a time series has no intervals; use lines")
    return time, values
