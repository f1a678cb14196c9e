"""The picture of the map: the best composition of each cell, by its fill."""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from hopwright._io.errors import InputError
from hopwright.adapt.outcome import Outcome
from hopwright.adapt.policy import Cell
from hopwright.adapt.verdict import Verdict
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import CHARACTERS_PER_IN, CLOSE, LINE_IN, legend_below
from hopwright.figures.style import COLUMN_IN, FILLS, PAGE_IN, Fill, check_count
from hopwright.figures.words import literal, tallest, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

ACROSS = 3
"""Panels side by side, at most."""
MOST_PANELS = 12
ROW_IN, MARGIN_IN = 0.32, 0.55
"""The height of a row of cells, and of what is around a panel's rows."""
BORDER: dict[str, Any] = {"color": "black", "lw": 2.2, "solid_capstyle": "projecting", "zorder": 4}
"""Of the lines where the policy changes."""


def map_figure(outcome: Outcome) -> Figure:
    """Draws the map: the first axis to the right, the second upwards, a panel for the others.

    A cell is filled as its best composition is; if several may be the best, it is divided among
    them. The number is how much better a sure one is than the second, in per cent. Thick lines are
    where the policy changes. The data's columns: the axes; `best`, `sure`, `tied`, `relative`,
    `policy`.

    Raises `InputError` for more panels or compositions than can be told apart.
    """
    request = outcome.request
    grid = list(request.grid.items())
    names = [
        name
        for name in request.candidates
        if any(name in (v.best, *v.tied) for v in outcome.verdicts.values())
    ]
    check_count(len(names))
    fills = dict(zip(names, FILLS, strict=False))
    panels = list(product(*(range(len(values)) for _, values in grid[2:])))
    if len(panels) > MOST_PANELS:
        raise InputError(f"{len(panels)} panels do not fit on a page: at most {MOST_PANELS}")
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    rows = len(grid[1][1]) if len(grid) > 1 else 1
    letters = int(PAGE_IN / across * CHARACTERS_PER_IN) - 6  # beside the panel's ticks
    titles = [wrap(_title(grid, panel), letters) for panel in panels]
    margin_in = MARGIN_IN + LINE_IN * (tallest(titles) - 1)

    def draw(drawing: "Drawing") -> None:
        drawn = drawing.subplots(down, across, squeeze=False)
        for place, axes in enumerate(drawn.flat):
            if place >= len(panels):
                axes.set_visible(False)
                continue
            _panel(axes, outcome, panels[place], fills)
            axes.set_title(literal(titles[place]), loc="left", linespacing=CLOSE)
            if place + across >= len(panels):
                axes.set_xlabel(literal(grid[0][0]))
            if place % across == 0 and len(grid) > 1:
                axes.set_ylabel(literal(grid[1][0]))
        _legend(drawing, fills, with_policy=bool(outcome.policy.rows))

    names_of = (*request.grid, "best", "sure", "tied", "relative", "policy")
    data = columns(
        names_of,
        (
            (
                *request.values(cell).values(),
                verdict.best,
                int(verdict.is_sure),
                " ".join(verdict.tied),
                verdict.relative,
                outcome.policy.at(cell),
            )
            for cell, verdict in outcome.verdicts.items()
        ),
    )
    width_in = PAGE_IN if across > 1 or len(grid[0][1]) > 6 else COLUMN_IN
    return Figure(draw, data, height_in=down * (margin_in + ROW_IN * rows), width_in=width_in)


def _title(grid: Sequence[tuple[str, Sequence[float]]], panel: Sequence[int]) -> str:
    return ", ".join(
        f"{key} {values[place]:g}" for (key, values), place in zip(grid[2:], panel, strict=True)
    )


def _panel(axes: "Axes", outcome: Outcome, panel: tuple[int, ...], fills: dict[str, Fill]) -> None:
    grid = list(outcome.request.grid.items())
    x_values = grid[0][1]
    y_values = grid[1][1] if len(grid) > 1 else ()
    for x, y in product(range(len(x_values)), range(len(y_values) or 1)):
        cell: Cell = (x, y, *panel) if y_values else (x,)
        _cell(axes, x, y, outcome.verdicts[cell], fills)
        for side in range(min(len(grid), 2)):
            _border(axes, outcome, cell, side)
    axes.set_xlim(-0.5, len(x_values) - 0.5)
    axes.set_ylim(-0.5, (len(y_values) or 1) - 0.5)
    axes.set_xticks(range(len(x_values)), [f"{value:g}" for value in x_values])
    if y_values:
        axes.set_yticks(range(len(y_values)), [f"{value:g}" for value in y_values])
    else:
        axes.set_yticks([])
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_visible(False)


def _cell(axes: "Axes", x: int, y: int, verdict: Verdict, fills: dict[str, Fill]) -> None:
    from matplotlib.patches import Rectangle

    shown = [name for name in fills if name in (verdict.best, *verdict.tied)]
    width = 1 / len(shown)
    for place, name in enumerate(shown):
        corner = (x - 0.5 + place * width, y - 0.5)
        axes.add_patch(Rectangle(corner, width, 1, zorder=2, **_look(fills[name], 0.0)))
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, ec="white", lw=1.4, zorder=3))
    if verdict.is_sure and verdict.relative is not None:
        box = {"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none"}
        told = _percent(100 * verdict.relative)
        axes.text(x, y, told, ha="center", va="center", fontsize=6, zorder=5, bbox=box)


def _percent(value: float) -> str:
    if value < 0.05:
        return "<0.1"
    return f"{value:+.0f}" if value >= 0.95 else f"{value:+.1f}"


def _border(axes: "Axes", outcome: Outcome, cell: Cell, side: int) -> None:
    """A line between a cell and the next one to the right or above, if the policy differs."""
    beside = tuple(place + (axis == side) for axis, place in enumerate(cell))
    if beside not in outcome.verdicts or outcome.policy.at(beside) == outcome.policy.at(cell):
        return
    x, y = (*cell, 0)[:2]
    across, up = ([x + 0.5] * 2, [y - 0.5, y + 0.5]), ([x - 0.5, x + 0.5], [y + 0.5] * 2)
    axes.plot(*(up if side else across), ls="-", **BORDER)


def _look(fill: Fill, edge: float) -> dict[str, Any]:
    return {
        "facecolor": fill.grey,
        "hatch": fill.hatch,
        "hatchcolor": fill.ink,
        "edgecolor": "black",
        "linewidth": edge,
    }


def _legend(drawing: "Drawing", fills: dict[str, Fill], *, with_policy: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(**_look(fill, 0.5)) for fill in fills.values()]
    names = list(fills)
    if with_policy:
        handles.append(Line2D([], [], color="black", lw=BORDER["lw"], ls="-"))
        names.append("where the policy changes")
    handles.append(Line2D([], [], ls="", marker="$+9$", ms=7, mew=0, color="black"))
    names.append("better than the second, %")
    legend_below(drawing, handles, names)
