"""Time series: values that hold until the next one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import CHARACTERS_PER_IN, LINE_IN, legend_below, scale, titles
from hopwright.figures.lines import Line
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.style import check_count
from hopwright.figures.values import Gaps, check_names, interval, numbers, with_gaps
from hopwright.figures.words import literal, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

TOGETHER = 2
"""Jagged lines that can share axes: dashes would fall to pieces, and there are but two greys."""
PENS = (("black", 0.8, 4), ("0.6", 0.9, 3))
FAINT = ("0.65", 0.4, 3)
"""What an average is drawn over."""
AVERAGE: dict[str, object] = {"color": "black", "ls": "-", "lw": 1.0, "zorder": 5}
DOTS = ("o", "+")
LETTERS_PER_IN = 14
"""Of a row's heading."""
ROW_IN = 0.62
LEGEND_IN = 0.2


@in_python
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
    averages: Sequence[Gaps] = (),
    averages_name: str = "average",
    look: Look = PLAIN,
) -> Figure:
    """Draws up to eight series of values over time, of which each holds until the next.

    One or two share axes; of more, each has a row of its own, all on the same scale. `x` of a
    series: seconds, not descending. Points that no eye could tell apart are left out of the
    drawing, not of the data, whose columns are `series`, `x`, `y`. The last value is drawn up to
    `end_s`, by default the latest of all times. Without `held`, values are of their instants alone,
    and drawn as dots. `averages`, if any, are drawn over the series: of each as many as it has
    values, some of them None; then each series has a row, and the data a column `average`.

    Raises `ValueError` for no data, values that are no numbers, lists of different lengths, times
    that go back, or values that a logarithmic axis cannot show; `InputError` for too many series.
    """
    check_count(len(series))
    look.check((line.name for line in series), (x_label, y_label, title))
    _check_count(averages, series)
    places = look.places([line.name for line in series])
    series = [series[place] for place in places]
    averages = [averages[place] for place in places if averages]
    colours = look.colours([line.name for line in series])
    series = [replace(line, name=look.text(line.name)) for line in series]
    check_names([line.name for line in series], "series")
    known = [_check(line) for line in series]
    start, end = _span([time for time, _ in known], start_s, end_s)
    everything = [value for _, values in known for value in values]
    if log_y and min(everything) <= 0:
        raise ValueError(f"a logarithmic axis has no place for {min(everything):g}")
    over = _check_averages(averages, series, known)
    rows = 1 if len(series) <= (1 if over else TOGETHER) else len(series)

    legend = _legend(series, averages_name if over else None, rows)

    def draw(drawing: "Drawing") -> None:
        grid = drawing.subplots(rows, 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        handles = []
        for place, (time, values) in enumerate(known):
            axes = grid[place if rows > 1 else 0]
            pen, average = _pens(place if rows == 1 else 0, colours[place], has_average=bool(over))
            handles += _draw(axes, time, values, (start, end), _look(pen, place % 2, held=held))
            if over:
                handles += _draw(axes, time, over[place], (start, end), average)
        for axes, line in zip(grid, series, strict=False):
            scale(axes, "y", everything, log=log_y, zero=True)
            axes.set_xlim(start, end)
            if rows > 1:
                axes.set_title(literal(_heading(line, look)), loc="left", pad=2)
        if rows > 1:
            titles(drawing, grid[-1], x_label=x_label, title=title, look=look)
            height = drawing.get_size_inches()[1]
            beside = wrap(look.text(y_label), int((height - 0.2) * CHARACTERS_PER_IN))
            drawing.supylabel(literal(beside), fontsize=8)
        else:
            titles(drawing, grid[0], x_label=x_label, y_label=y_label, title=title, look=look)
        if legend:
            legend_below(drawing, handles[: len(legend)], legend)

    cells = (
        (line.name, x, y)
        for line, (time, values) in zip(series, known, strict=True)
        for x, y in zip(time, values, strict=True)
    )
    data = columns(("series", "x", "y"), cells)
    if over:
        data["average"] = [value for values in over for value in values]
    more = sum(_heading(line, look).count("\n") for line in series)
    height = 2.1 if rows == 1 else 0.6 + ROW_IN * rows + LINE_IN * more
    height += LEGEND_IN if over else 0.0
    return Figure(draw, data, height_in=height, width_in=look.width_in)


def _span(
    times: Sequence[Sequence[float]], start_s: float | None, end_s: float | None
) -> tuple[float, float]:
    start = min(time[0] for time in times) if start_s is None else start_s
    end = max(time[-1] for time in times) if end_s is None else end_s
    if end < start:
        raise ValueError(f"end_s: {end:g} is before the start at {start:g}")
    return start, end if end > start else start + 1.0


def _heading(line: Line, look: Look) -> str:
    """What stands above a row."""
    return wrap(line.name, int(look.width_in * LETTERS_PER_IN))


def _legend(series: Sequence[Line], averages_name: str | None, rows: int) -> list[str]:
    if averages_name is not None:
        return ["each value", averages_name]
    return [line.name for line in series] if rows == 1 < len(series) else []


def _draw(
    axes: "Axes",
    time: Sequence[float],
    values: Sequence[float | None],
    span: tuple[float, float],
    look: Mapping[str, object],
) -> "list[Line2D]":
    import numpy as np

    from hopwright.figures.decimate import visible

    known = np.array([value is not None for value in values])
    x, y = visible(np.array(time)[known], np.array(values)[known].astype(float), *span)
    if look.get("drawstyle"):  # the last value holds to the end
        x, y = np.append(x, max(span[1], x[-1])), np.append(y, y[-1])
    return axes.plot(x, y, **look)  # type: ignore[arg-type]


def _pens(
    place: int, colour: str | None, *, has_average: bool
) -> tuple[tuple[str, float, int], Mapping[str, object]]:
    """What a series and its average are drawn with; a colour is the average's, if there is one."""
    if colour is None:
        return FAINT if has_average else PENS[place], AVERAGE
    _, weight, order = PENS[place]
    return FAINT if has_average else (colour, weight, order), AVERAGE | {"color": colour}


def _look(pen: tuple[str, float, int], place: int, *, held: bool) -> dict[str, object]:
    colour, weight, order = pen
    look: dict[str, object] = {"color": colour, "zorder": order}
    if held:
        return look | {"drawstyle": "steps-post", "ls": "-", "lw": weight}
    return look | {"ls": "", "marker": DOTS[place], "ms": 2.0, "mew": 0.4}


def _check_count(averages: Sequence[Gaps], series: Sequence[Line]) -> None:
    if averages and len(averages) != len(series):
        raise ValueError(f"averages: {len(averages)} for {len(series)} series")


def _check_averages(
    averages: Sequence[Gaps],
    series: Sequence[Line],
    known: Sequence[tuple[list[float], list[float]]],
) -> list[list[float | None]]:
    return [
        with_gaps(of, f"averages of '{line.name}'", count=len(values))
        for of, line, (_, values) in zip(averages, series, known, strict=False)
    ]


def _check(line: Line) -> tuple[list[float], list[float]]:
    time = numbers(line.x, f"x of '{line.name}'")
    values = numbers(line.y, f"y of '{line.name}'", count=len(time))
    if any(later < sooner for sooner, later in pairwise(time)):
        raise ValueError(f"x of '{line.name}': times go back")
    if any(interval(line.low, line.high, values, f"y of '{line.name}'")):
        raise ValueError(f"'{line.name}': a time series has no intervals; use lines")
    return time, values
