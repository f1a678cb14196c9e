"""Lines through points with intervals: how a result depends on a number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import legend_below, scale, titles, whole
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.style import STROKES, Stroke, check_count
from hopwright.figures.values import Gaps, Numbers, check_names, interval, numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D


MOST_MARKERS = 30
"""Of a series: more of them would be a band."""


@dataclass(frozen=True, eq=False)
class Line:
    """One series: values `y` at places `x`, of one length, in any order.

    `low` and `high`: the ends of each value's interval, None where it has none.
    """

    name: str
    x: Numbers
    y: Numbers
    low: "Gaps | None" = None
    high: "Gaps | None" = None


@dataclass(frozen=True)
class CheckedLine:
    """A line whose points can be drawn, in the order of x: x, y, and the ends of y's interval."""

    name: str
    points: list[tuple[float, float, tuple[float, float] | None]]

    @property
    def x(self) -> list[float]:
        """The places of the points."""
        return [x for x, _, _ in self.points]

    @property
    def y(self) -> list[float]:
        """Their values."""
        return [y for _, y, _ in self.points]

    @property
    def extremes(self) -> list[float]:
        """All that the axis of y must have room for."""
        return self.y + [end for _, _, ends in self.points for end in ends or ()]


@in_python
def lines(  # noqa: PLR0913 - each a choice of its own
    series: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    from_zero: bool = True,
    counts: bool = False,
    intervals: Literal["bars", "band"] = "bars",
    look: Look = PLAIN,
) -> Figure:
    """Draws up to eight series as lines with markers.

    Of a series with more than 30 points, only some have one: markers side by side are a band.
    Intervals are bars with caps; as a `band`, an area between dotted edges, for many points close
    together. `from_zero`: the linear axis of y begins at zero if no value is below. `counts`: its
    ticks are whole. The data's columns: `series`, `x`, `y`, `low`, `high`.

    Raises `ValueError` for no data, values that are no numbers, lists of different lengths, or
    values that a logarithmic axis cannot show; `InputError` for too many series.
    """
    check_count(len(series))
    look.check((line.name for line in series), (x_label, y_label, title))
    series, strokes = named(look, series)
    checked = [checked_line(line) for line in series]
    all_x = [x for line in checked for x in line.x]
    all_y = [y for line in checked for y in line.extremes]
    for is_log, values, which in ((log_x, all_x, "x"), (log_y, all_y, "y")):
        if is_log and min(values) <= 0:
            raise ValueError(f"a logarithmic axis has no place for {which} = {min(values):g}")

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        titles(drawing, axes, x_label=x_label, y_label=y_label, title=title, look=look)
        scale(axes, "y", all_y, log=log_y, zero=from_zero, counts=counts)
        scale(axes, "x", all_x, log=log_x, zero=False)
        if not log_x:
            whole(axes.xaxis, all_x)
        handles = [
            draw_line(axes, line, stroke, intervals)
            for line, stroke in zip(checked, strokes, strict=False)
        ]
        if len(checked) > 1:
            legend_below(drawing, handles, [line.name for line in checked], handlelength=3.2)

    rows = (
        (line.name, x, y, *(ends or (None, None))) for line in checked for x, y, ends in line.points
    )
    data = columns(("series", "x", "y", "low", "high"), rows)
    return Figure(draw, data, height_in=2.1, width_in=look.width_in)


def named(look: Look, series: Sequence[Line]) -> tuple[list[Line], list[Stroke]]:
    """The lines in their order and under their names, and how each is drawn.

    Raises `ValueError` if two are called the same.
    """
    ordered = [series[place] for place in look.places([line.name for line in series])]
    strokes = look.in_colours([line.name for line in ordered], STROKES)
    renamed = [replace(line, name=look.text(line.name)) for line in ordered]
    check_names([line.name for line in renamed], "series")
    return renamed, strokes


def checked_line(line: Line) -> CheckedLine:
    """A line that can be drawn. Raises `ValueError` if it cannot."""
    x = numbers(line.x, f"x of '{line.name}'")
    y = numbers(line.y, f"y of '{line.name}'", count=len(x))
    ends = interval(line.low, line.high, y, f"y of '{line.name}'")
    points = sorted(zip(x, y, ends, strict=True), key=lambda point: point[0])
    return CheckedLine(line.name, points)


def draw_line(
    axes: "Axes", line: CheckedLine, stroke: Stroke, intervals: Literal["bars", "band"] = "bars"
) -> "Line2D":
    """Draws a line; returns what a legend shows of it."""
    known = [(x, *ends) for x, _, ends in line.points if ends]
    errors = None
    if known and intervals == "bars":
        below = [y - ends[0] if ends else 0.0 for _, y, ends in line.points]
        above = [ends[1] - y if ends else 0.0 for _, y, ends in line.points]
        errors = [below, above]
    elif known:
        place, low, high = zip(*known, strict=True)
        axes.fill_between(place, low, high, color=stroke.colour, alpha=0.12, lw=0)
        for edge in (low, high):
            axes.plot(place, edge, ls=":", color=stroke.colour, lw=0.5)
    drawn = axes.errorbar(
        line.x,
        line.y,
        yerr=errors,
        ls=stroke.dashes,
        color=stroke.colour,
        marker=stroke.marker,
        ms=stroke.size,
        mew=0.7,
        mfc=stroke.colour if stroke.is_filled else "white",
        markevery=-(-len(line.x) // MOST_MARKERS),
        lw=0.9,
        elinewidth=0.6,
        capsize=1.8,
        capthick=0.6,
        clip_on=False,
        zorder=3,
    )
    curve: Line2D = drawn.lines[0]
    return curve
