"""Several measures of the same things, a panel each, one above the other.

One number may hide what another shows: the sum over flows of which one starves, say.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hopwright._io.errors import InputError
from hopwright.figures.bars import (
    BAR_IN,
    Bars,
    checked_bars,
    draw_bars,
    limit,
    named_bars,
    values_of,
)
from hopwright.figures.figure import Figure, columns
from hopwright.figures.groups import LONGEST_IN, lying, name_groups, stands
from hopwright.figures.layout import (
    CHARACTERS_PER_IN,
    CLOSE,
    LINE_IN,
    legend_below,
    scale,
    titles,
    whole,
)
from hopwright.figures.lines import Line, checked_line, draw_line, named
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.style import SPLIT, Fill, check_count
from hopwright.figures.words import literal, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

Series = TypeVar("Series", Line, Bars)

PANEL_IN, MARGIN_IN = 1.15, 0.3
"""The height of a panel with its heading, and of what is below all of them."""

MARK: dict[str, Any] = {"ls": (0, (2, 1)), "lw": 1.0, "color": "black"}
"""The look of what values are to be compared with."""


@dataclass(frozen=True, eq=False)
class Panel(Generic[Series]):
    """A measure of all series; each panel has the same ones, in the same order."""

    label: str
    series: Sequence[Series]
    marks: Sequence[Sequence[float | None]] | None = None
    """Of each series' values, what they are to be compared with: the axis has room for it, and bars
    have a dashed line there."""
    marks_name: str = ""


def stacked_lines(
    panels: Sequence[Panel[Line]],
    *,
    x_label: str,
    title: str = "",
    log_x: bool = False,
    look: Look = PLAIN,
) -> Figure:
    """Draws lines as `lines` does, a panel a measure. The data's first column: `measure`.

    Raises what `lines` raises.
    """
    check_count(len(panels[0].series))
    names = [line.name for line in panels[0].series]
    look.check(names, (x_label, title, *(panel.label for panel in panels)))
    strokes = named(look, panels[0].series)[1]
    panels = [
        replace(panel, label=look.text(panel.label), series=named(look, panel.series)[0])
        for panel in panels
    ]
    names = [line.name for line in panels[0].series]
    checked = [[checked_line(line) for line in panel.series] for panel in panels]
    all_x = [x for lines in checked for line in lines for x in line.x]
    if log_x and min(all_x) <= 0:
        raise ValueError(f"a logarithmic axis has no place for x = {min(all_x):g}")

    def draw(drawing: "Drawing") -> None:
        stack = drawing.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
        for axes, panel, lines in zip(stack, panels, checked, strict=True):
            marks = [mark for of in panel.marks or () for mark in of if mark is not None]
            values = [y for line in lines for y in line.extremes]
            scale(axes, "y", values + marks, log=False, zero=True)
            handles = [
                draw_line(axes, line, stroke) for line, stroke in zip(lines, strokes, strict=False)
            ]
            _heading(drawing, axes, panel.label)
        scale(stack[-1], "x", all_x, log=log_x, zero=False)
        if not log_x:
            whole(stack[-1].xaxis, all_x)
        titles(drawing, stack[-1], x_label=x_label, title=title, look=look)
        if len(names) > 1:
            legend_below(drawing, handles, names, handlelength=3.2)

    rows = (
        (panel.label, line.name, x, y, *(ends or (None, None)))
        for panel, lines in zip(panels, checked, strict=True)
        for line in lines
        for x, y, ends in line.points
    )
    data = columns(("measure", "series", "x", "y", "low", "high"), rows)
    return Figure(draw, data, height_in=_height(panels, look.width_in), width_in=look.width_in)


def stacked_bars(
    groups: Sequence[str],
    panels: Sequence[Panel[Bars]],
    *,
    x_label: str = "",
    title: str = "",
    look: Look = PLAIN,
) -> Figure:
    """Draws bars as `bars` does, a panel a measure. The data's first column: `measure`.

    Raises what `bars` raises.
    """
    check_count(len(panels[0].series))
    names = [each.name for each in panels[0].series]
    texts = (each for panel in panels for each in (panel.label, panel.marks_name))
    look.check((*groups, *names), (x_label, title, *texts))
    panels, (groups, fills) = _arranged(look, groups, panels)
    names = [each.name for each in panels[0].series]
    checked = [[checked_bars(each, len(groups)) for each in panel.series] for panel in panels]
    width = look.width_in
    standing = stands(groups, width - 0.7, bars=len(names))
    across = lying(groups, 1.25 * BAR_IN * len(names))
    if not standing and across * len(panels) > LONGEST_IN:
        raise InputError(
            f"{len(groups)} groups of {len(names)} bars in {len(panels)} panels do not fit on a "
            f"page; choose one measure, or {SPLIT}"
        )

    def draw(drawing: "Drawing") -> None:
        stack = drawing.subplots(len(panels), 1, squeeze=False)[:, 0]
        marked = ""
        for axes, panel, bars in zip(stack, panels, checked, strict=True):
            marks = [mark for of in panel.marks or () for mark in of if mark is not None]
            handles = draw_bars(axes, bars, fills, standing=standing)
            name_groups(axes, groups, standing=standing, room_in=width - 0.7)
            limit(axes, values_of(bars) + marks, standing=standing)
            _heading(drawing, axes, panel.label)
            if marks:
                _draw_marks(axes, panel.marks or (), standing=standing)
                marked = panel.marks_name
            if standing and axes is not stack[-1]:
                axes.tick_params(axis="x", labelbottom=False)
        below, beside = (x_label, "") if standing else ("", x_label)
        titles(drawing, stack[-1], x_label=below, y_label=beside, title=title, look=look)
        shown = list(zip(handles, names, strict=True)) if len(names) > 1 else []
        if marked:
            from matplotlib.lines import Line2D

            shown.append((Line2D([], [], **MARK), marked))
        if shown:
            legend_below(drawing, [handle for handle, _ in shown], [name for _, name in shown])

    rows = (
        (panel.label, group, each.name, known.heights[g], *(known.ends[g] or (None, None)))
        for panel, bars in zip(panels, checked, strict=True)
        for g, group in enumerate(groups)
        for each, known in zip(panel.series, bars, strict=True)
    )
    data = columns(("measure", "group", "series", "height", "low", "high"), rows)
    height = _height(panels, width) if standing else len(panels) * (across + 0.4) + MARGIN_IN
    return Figure(draw, data, height_in=height, width_in=width)


def _arranged(
    look: Look, groups: Sequence[str], panels: Sequence[Panel[Bars]]
) -> tuple[list[Panel[Bars]], tuple[list[str], list[list[Fill]]]]:
    """Panels with their series and groups as asked for; then the groups' names, and fills."""
    series_in = look.places([each.name for each in panels[0].series])
    groups_in = look.places(groups)
    names, _, fills = named_bars(look, groups, panels[0].series)
    found = [
        Panel(
            look.text(panel.label),
            named_bars(look, groups, panel.series)[1],
            panel.marks and [[panel.marks[s][g] for g in groups_in] for s in series_in],
            look.text(panel.marks_name),
        )
        for panel in panels
    ]
    return found, (names, fills)


def _draw_marks(axes: "Axes", marks: Sequence[Sequence[float | None]], *, standing: bool) -> None:
    """A line across each bar's place, where its value would be as the mark says."""
    thick = 0.8 / len(marks)
    for s, of in enumerate(marks):
        for g, mark in enumerate(of):
            if mark is not None:
                start = g - 0.4 + s * thick
                ends = ([start, start + thick], [mark, mark])
                axes.plot(*(ends if standing else ends[::-1]), zorder=3, **MARK)


def _heading(drawing: "Drawing", axes: "Axes", label: str) -> None:
    text = _wrapped(label, drawing.get_size_inches()[0])
    axes.set_title(literal(text), loc="left", linespacing=CLOSE)


def _wrapped(label: str, width_in: float) -> str:
    return wrap(label, int((width_in - 0.6) * CHARACTERS_PER_IN))


def _height(panels: Sequence[Panel[Any]], width_in: float) -> float:
    more = sum(_wrapped(panel.label, width_in).count("\n") for panel in panels)
    return MARGIN_IN + PANEL_IN * len(panels) + LINE_IN * more
