"""Bars with intervals: a result of several things side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.groups import LONGEST_IN, lying, name_groups, stands
from hopwright.figures.intervals import draw_interval
from hopwright.figures.layout import legend_below, plain, titles, whole_numbers
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.style import ALONE, FILLS, SPLIT, Fill, check_count
from hopwright.figures.values import Gaps, check_names, interval, with_gaps

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

BAR_IN = 0.13
"""The thickness of a lying bar."""


@dataclass(frozen=True, eq=False)
class Bars:
    """One series: a bar in each group; None where it has none.

    `low` and `high`: the ends of each height's interval, None where it has none.
    """

    name: str
    heights: Gaps
    low: "Gaps | None" = None
    high: "Gaps | None" = None


@in_python
def bars(
    groups: Sequence[str],
    series: Sequence[Bars],
    *,
    y_label: str,
    title: str = "",
    x_label: str = "",
    counts: bool = False,
    look: Look = PLAIN,
) -> Figure:
    """Draws up to eight series as bars, side by side in each group.

    Bars stand where the groups' names fit below them, else they lie. The axis includes zero: a
    bar's length is its value; of `counts` its ticks are whole. The data's columns: `group`,
    `series`, `height`, `low`, `high`.

    Raises `ValueError` for no data, values that are no numbers, or lists of different lengths;
    `InputError` for too many series or groups.
    """
    check_count(len(series))
    look.check((*groups, *(each.name for each in series)), (x_label, y_label, title))
    groups, series, fills = named_bars(look, groups, series)
    checked = [checked_bars(each, len(groups)) for each in series]
    values = values_of(checked)

    width = look.width_in
    standing = stands(groups, width - 0.7, bars=len(series))
    across = lying(groups, 1.25 * BAR_IN * len(series))
    if not standing and across > LONGEST_IN:
        of = f" groups of {len(series)}" if len(series) > 1 else ""
        raise InputError(f"{len(groups)}{of} bars do not fit on a page; {SPLIT}")

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        if standing:
            titles(drawing, axes, x_label=x_label, y_label=y_label, title=title, look=look)
        else:
            titles(drawing, axes, x_label=y_label, y_label=x_label, title=title, look=look)
        handles = draw_bars(axes, checked, fills, standing=standing)
        name_groups(axes, groups, standing=standing, room_in=width - 0.7)
        limit(axes, values, standing=standing, counts=counts)
        if len(series) > 1:
            legend_below(drawing, handles, [each.name for each in series])

    rows = (
        (group, each.name, known.heights[g], *(known.ends[g] or (None, None)))
        for g, group in enumerate(groups)
        for each, known in zip(series, checked, strict=True)
    )
    data = columns(("group", "series", "height", "low", "high"), rows)
    return Figure(draw, data, height_in=2.1 if standing else 0.5 + across, width_in=width)


def named_bars(
    look: Look, groups: Sequence[str], series: Sequence[Bars]
) -> tuple[list[str], list[Bars], list[list[Fill]]]:
    """Groups and series in their order and under their names; of each series its fills by group.

    A series alone has no legend: colours are then those of the groups. Raises `ValueError` if two
    are called the same.
    """
    places = look.places(groups)
    ordered = [series[place] for place in look.places([each.name for each in series])]
    if len(ordered) == 1:
        fills = [look.in_colours([groups[g] for g in places], [ALONE] * len(places))]
    else:
        of_series = look.in_colours([each.name for each in ordered], FILLS)
        fills = [[fill] * len(groups) for fill in of_series[: len(ordered)]]
    renamed = [_arranged(look, each, places) for each in ordered]
    texts = [look.text(groups[g]) for g in places]
    check_names(texts, "groups")
    check_names([each.name for each in renamed], "series")
    return texts, renamed, fills


def _arranged(look: Look, series: Bars, places: Sequence[int]) -> Bars:
    def sorted_(values: "Gaps | None") -> "list[float | None] | None":
        if values is None or len(values) != len(places):
            return None if values is None else list(values)  # refused later, with its length
        return [values[g] for g in places]

    return Bars(
        look.text(series.name),
        sorted_(series.heights) or [],
        sorted_(series.low),
        sorted_(series.high),
    )


class CheckedBars(NamedTuple):
    """A series that can be drawn."""

    heights: list[float | None]
    ends: list[tuple[float, float] | None]


def checked_bars(series: Bars, groups: int) -> CheckedBars:
    """A series that can be drawn. Raises `ValueError` if it cannot."""
    what = f"heights of '{series.name}'"
    heights = with_gaps(series.heights, what, count=groups)
    return CheckedBars(heights, interval(series.low, series.high, heights, what))


def values_of(checked: Sequence[CheckedBars]) -> list[float]:
    """All that the axis must have room for. Raises `ValueError` if there is nothing."""
    values = [height for each in checked for height in each.heights if height is not None]
    if not values:
        raise ValueError("no bar has a height")
    return values + [end for each in checked for pair in each.ends if pair for end in pair]


def draw_bars(
    axes: "Axes", checked: Sequence[CheckedBars], fills: Sequence[Sequence[Fill]], *, standing: bool
) -> "list[Artist]":
    """Draws bars, those of a group side by side; returns what a legend shows of them.

    `fills`: of each series, of each group.
    """
    from matplotlib.patches import Patch, Rectangle

    handles: list[Artist] = []
    thick = 0.8 / len(checked)
    for s, ((known, pairs), of_groups) in enumerate(zip(checked, fills, strict=True)):
        looks: list[dict[str, Any]] = [
            {
                "facecolor": fill.grey,
                "hatch": fill.hatch,
                "hatchcolor": fill.ink,
                "edgecolor": "black",
                "linewidth": 0.5,
            }
            for fill in of_groups
        ]
        handles.append(Patch(**looks[0]))
        for g, height in enumerate(known):
            if height is None:
                continue
            start = g - 0.4 + s * thick
            corner, size = ((start, 0.0), (thick, height))
            if not standing:
                corner, size = (corner[1], corner[0]), (size[1], size[0])
            axes.add_patch(Rectangle(corner, *size, zorder=2, **looks[g]))
            pair = pairs[g]
            if pair is not None:
                draw_interval(axes, start + thick / 2, height, pair, standing=standing)
    return handles


def limit(axes: "Axes", values: Sequence[float], *, standing: bool, counts: bool = False) -> None:
    """An axis that holds zero and these values; of `counts` its ticks are whole."""
    least, most = min(0.0, *values), max(0.0, *values)
    if least == most:
        most = 1.0
    room = 0.06 * (most - least)
    span = (least - room if least < 0 else 0.0, most + room if most > 0 else 0.0)
    if standing:
        axes.set_ylim(*span)
        plain(axes, "y")
    else:
        axes.set_xlim(*span)
        plain(axes, "x")
    if counts or all(float(value).is_integer() for value in values):
        (axes.yaxis if standing else axes.xaxis).set_major_locator(whole_numbers())
    if least < 0:
        (axes.axhline if standing else axes.axvline)(0, color="black", lw=0.6, zorder=2.5)
