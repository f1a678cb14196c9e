"""Heat maps: a result over two settings at once."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.groups import LONGEST_IN
from hopwright.figures.layout import CHARACTERS_PER_IN, CLOSE, LINE_IN, plain, titles, words_below
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.style import SPLIT, luminance
from hopwright.figures.values import Gaps, check_names, with_gaps
from hopwright.figures.words import fit, is_cut, literal, tallest, widest, wrap

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure as Drawing
    from numpy.typing import NDArray

Rows: TypeAlias = "Sequence[Gaps] | NDArray[np.floating] | NDArray[np.integer]"

LIGHTEST, DARKEST = 0.97, 0.25
"""Greys of the smallest and the largest value: neither hides the text in a cell."""
BAR_IN = 0.09
THINNEST_IN = 0.1
MORE_DIGITS = 2
"""Of numbers that are close to each other, beside the three that each has."""
LABEL = 16
"""Characters of a line of a name beside its row."""


@in_python
def heat_map(  # noqa: PLR0913 - each a choice of its own
    x: Sequence[str | float],
    y: Sequence[str | float],
    values: Rows,
    *,
    x_label: str,
    y_label: str,
    value_label: str,
    title: str = "",
    decimals: int | None = None,
    look: Look = PLAIN,
) -> Figure:
    """Draws values, one row per entry of `y` from the bottom up, as greys and as numbers.

    The darker, the larger: greys are in proportion to the values from the smallest to the largest.
    A number stands in each cell where there is room, rounded to `decimals`, or to three digits and
    as many more, up to two, as tell the smallest from the largest. None is a missing value: a
    crossed cell. The data's columns: `x`, `y`, `value`.

    Raises `ValueError` for no data, values that are no numbers, or rows of the wrong number or
    length; `InputError` for more cells than fit on a page.
    """
    x_names, y_names = [_name(each) for each in x], [_name(each) for each in y]
    check_names(x_names, "columns")
    check_names(y_names, "rows")
    if len(values) != len(y):
        raise ValueError(f"values: {len(values)} rows where {len(y)} are needed")
    cells = [
        with_gaps(row, f"row '{name}'", count=len(x))
        for name, row in zip(y_names, values, strict=True)
    ]
    known = [cell for row in cells for cell in row if cell is not None]
    if not known:
        raise ValueError("no cell has a value")
    texts = _texts(cells, decimals)
    look.check((*x_names, *y_names), (x_label, y_label, value_label, title))
    colours = look.colour_map()
    columns_in, rows_in = look.places(x_names), look.places(y_names)
    cells = [[cells[row][column] for column in columns_in] for row in rows_in]
    texts = [[texts[row][column] for column in columns_in] for row in rows_in]
    x_names = [look.text(x_names[column]) for column in columns_in]
    y_names = [look.text(y_names[row]) for row in rows_in]

    width = look.width_in
    beside = [wrap(name, LABEL) for name in y_names]
    cell_in = (width - 1.15 - widest(beside) / CHARACTERS_PER_IN) / len(x)
    below, upright = _below(x_names, cell_in)
    row_in = max(0.19, LINE_IN * tallest(beside) + 0.05, min(0.6 * cell_in, 0.6))
    height = max(len(y) * row_in, 0.8)
    if height > LONGEST_IN or cell_in < THINNEST_IN:
        raise InputError(f"{len(y)} rows of {len(x)} cells do not fit on a page; {SPLIT}")
    fits = widest(text for row in texts for text in row) <= cell_in * CHARACTERS_PER_IN
    names_in = widest(below) / CHARACTERS_PER_IN if upright else LINE_IN * tallest(below)

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        titles(drawing, axes, x_label=x_label, y_label=y_label, title=title, look=look)
        mesh = _draw(axes, cells, colours)
        _draw_scale(drawing, axes, mesh, look.text(value_label), height_in=height)
        if fits:
            _write(axes, mesh, cells, texts, size=7 if cell_in > 0.3 else 6)
        if upright:
            names = [literal(name) for name in below]
            axes.set_xticks(range(len(below)), names, rotation=90, linespacing=CLOSE)
        else:
            words_below(axes, range(len(below)), below)
        axes.set_yticks(range(len(beside)), [literal(name) for name in beside], linespacing=CLOSE)

    rows = (
        (x_name, y_name, cells[row][column])
        for row, y_name in enumerate(y_names)
        for column, x_name in enumerate(x_names)
    )
    return Figure(
        draw, columns(("x", "y", "value"), rows), height_in=height + names_in + 0.4, width_in=width
    )


def _name(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _texts(cells: Sequence[Sequence[float | None]], decimals: int | None) -> list[list[str]]:
    known = [cell for row in cells for cell in row if cell is not None]
    if decimals is None:
        most = max(map(abs, known))
        spread = max(known) - min(known)
        decimals = 0 if most >= 100 else 1 if most >= 10 else 2
        if most and not 0.01 <= most < 1e5:
            return [["" if cell is None else f"{cell:.2g}" for cell in row] for row in cells]
        if spread and not all(cell.is_integer() for cell in known):
            telling = 1 - math.floor(math.log10(spread))
            decimals = min(max(decimals, telling), decimals + MORE_DIGITS)
    return [["" if cell is None else f"{cell:.{decimals}f}" for cell in row] for row in cells]


def _draw(
    axes: "Axes", cells: Sequence[Sequence[float | None]], colours: "Colormap | None"
) -> "QuadMesh":
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    grid = np.array([[np.nan if cell is None else cell for cell in row] for row in cells])
    # One hue, from light to dark: the order of values survives any printer.
    colours = colours or LinearSegmentedColormap.from_list("greys", [str(LIGHTEST), str(DARKEST)])
    edges_x, edges_y = np.arange(grid.shape[1] + 1) - 0.5, np.arange(grid.shape[0] + 1) - 0.5
    least, most = float(np.nanmin(grid)), float(np.nanmax(grid))
    mesh = axes.pcolormesh(
        edges_x,
        edges_y,
        np.ma.masked_invalid(grid),
        cmap=colours,
        vmin=least,
        vmax=most if most > least else least + (abs(least) or 1.0),
        edgecolor="white",
        linewidth=0.6,
    )
    for row, column in np.argwhere(np.isnan(grid)):
        for slope in (0.5, -0.5):
            ends = [column - 0.5, column + 0.5], [row - slope, row + slope]
            axes.plot(*ends, color="0.6", lw=0.5, ls="-")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    return mesh


def _draw_scale(
    drawing: "Drawing", axes: "Axes", mesh: "QuadMesh", value_label: str, *, height_in: float
) -> None:
    bar = drawing.colorbar(mesh, ax=axes, pad=0.02, aspect=height_in / BAR_IN)
    bar.ax.yaxis.grid(visible=False)
    bar.outline.set_linewidth(0.5)
    bar.set_label(
        literal(wrap(value_label, max(int(height_in * CHARACTERS_PER_IN), 12))), linespacing=CLOSE
    )
    known = mesh.get_array()
    if known is not None and known.min() == known.max():
        bar.set_ticks([float(known.min())])
    plain(bar.ax, "y")


def _write(
    axes: "Axes",
    mesh: "QuadMesh",
    cells: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
    *,
    size: float,
) -> None:
    import numpy as np

    for row, (line, words) in enumerate(zip(cells, texts, strict=True)):
        for column, (cell, text) in enumerate(zip(line, words, strict=True)):
            if cell is None:
                continue
            red, green, blue, _ = mesh.to_rgba(np.array([cell]))[0]
            # Half of the light that a screen or paper gives back is at a grey of about 0.55.
            colour = "white" if luminance((red, green, blue)) < 0.55 else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=colour)


def _below(names: Sequence[str], cell_in: float) -> tuple[list[str], bool]:
    """The names below their columns, and whether they stand on end because there is little room."""
    line = int(cell_in * CHARACTERS_PER_IN)
    if line and not any(is_cut(name, line) for name in names):
        return [wrap(name, line) for name in names], False
    return [fit(name, max(int(cell_in / LINE_IN), 1)) for name in names], True
