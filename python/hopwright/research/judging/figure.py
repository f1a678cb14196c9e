"""The picture of a judgement: how often each differentiator is right, a panel a scenario."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import legend_below
from hopwright.figures.style import COLUMN_IN, PAGE_IN
from hopwright.figures.words import literal
from hopwright.research.judging.cases import BOUND
from hopwright.research.judging.judgement import Judgement
from hopwright.research.judging.report import READINGS
from hopwright.statistics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

ACROSS = 4
"""Panels side by side, at most."""

ROW_IN, MARGIN_IN = 0.2, 0.42
"""The height of a differentiator, and of what is around a panel's rows."""


class _Mark(NamedTuple):
    """How a reading is drawn: offset within the row, marker, filling, grey."""

    offset: float
    marker: str
    filling: str
    colour: str


MARKS = (
    _Mark(-0.26, "o", "0.0", "0.0"),
    _Mark(0.0, "s", "1.0", "0.0"),
    _Mark(0.26, "^", "0.6", "0.45"),
)
"""By the readings' places."""

BOUND_LOOK: dict[str, Any] = {"lw": 1.2, "ls": (0, (4, 1.6))}
"""Of the line that nobody passes."""


def accuracy_figure(judgement: Judgement) -> Figure | None:
    """Draws shares of right diagnoses with their intervals, in all readings; None if there is none.

    The line at 1 is the bound. The data's columns: `scenario`, `differentiator`, `reading`,
    `accuracy`, `low`, `high`, `runs`, `bound`.
    """
    rows = [
        (row.scenario, row.differentiator, reading.value, e.estimate, e.low, e.high, e.n)
        for row in judgement.rows
        for reading in READINGS
        if (e := row.accuracy[reading.value])
    ]
    if not rows:
        return None
    bounds = {(r[0], r[2]): r[3] for r in rows if r[1] == BOUND}
    names = ("scenario", "differentiator", "reading", "accuracy", "low", "high", "runs", "bound")
    data = columns(names, ((*r, bounds.get((r[0], r[2]))) for r in rows))
    shown = [name for name in judgement.scenarios if any(r[0] == name for r in rows)]
    who = [name for name in judgement.differentiators if name != BOUND]
    across = min(ACROSS, len(shown))
    down = math.ceil(len(shown) / across)

    def draw(drawing: "Drawing") -> None:
        panels = drawing.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for place, axes in enumerate(panels.flat):
            if place >= len(shown):
                axes.set_visible(False)
                continue
            _panel(axes, judgement, shown[place], who)
            axes.set_title(literal(shown[place]), loc="left")
            is_last = place + across >= len(shown)
            axes.tick_params(axis="x", labelbottom=is_last)
            if is_last:
                axes.set_xlabel("share that is right")
        legend_below(drawing, *_legend())

    height_in = down * (MARGIN_IN + ROW_IN * len(who)) + 0.3
    return Figure(draw, data, height_in=height_in, width_in=PAGE_IN if across > 1 else COLUMN_IN)


def _panel(axes: "Axes", judgement: Judgement, scenario: str, who: list[str]) -> None:
    for row in judgement.of(scenario):
        if row.differentiator == BOUND:
            continue
        line = who.index(row.differentiator)
        for reading, mark in zip(READINGS, MARKS, strict=True):
            estimate = row.accuracy[reading.value]
            if estimate is not None:
                _point(axes, line + mark.offset, estimate, mark)
    axes.axvline(1.0, color="black", zorder=1.5, **BOUND_LOOK)
    axes.set_yticks(range(len(who)), who)
    axes.set_ylim(len(who) - 0.5, -0.5)
    axes.set_xlim(-0.04, 1.06)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    for edge in range(1, len(who)):
        axes.axhline(edge - 0.5, color="0.85", lw=0.5, zorder=0.5)


def _point(axes: "Axes", at: float, estimate: Interval, mark: _Mark) -> None:
    if estimate.ends is not None:
        axes.plot(estimate.ends, [at, at], color=mark.colour, ls="-", lw=0.8, zorder=2)
    axes.plot(
        [estimate.estimate],
        [at],
        marker=mark.marker,
        ms=2.8,
        mfc=mark.filling,
        mec=mark.colour,
        mew=0.6,
        ls="",
        zorder=3,
        clip_on=False,
    )


def _legend() -> "tuple[list[Line2D], list[str]]":
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"ls": "-", "lw": 0.8, "ms": 3.4}
    handles = [
        Line2D([], [], marker=m.marker, mfc=m.filling, mec=m.colour, color=m.colour, **look)
        for m in MARKS
    ]
    handles.append(Line2D([], [], color="black", **BOUND_LOOK))
    return handles, [*(reading.value for reading in READINGS), f"bound: {BOUND}"]
