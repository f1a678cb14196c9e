"""Where things that are not data go: legends beside it, labels that fit, ticks that say enough."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from hopwright.figures.look import PLAIN, Look
from hopwright.figures.words import literal, tallest, wrap

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

CHARACTERS_PER_IN = 17
"""Of 8-point letters, on average, with some to spare."""
LINE_IN = 0.13
"""From one line of a text to the next, with this spacing."""
CLOSE = 1.0
MOST_TICKS = 10
FEW_DECADES = 200.0
"""A logarithmic axis over less has ticks at 2 and 5 as well."""
LONG_DIGITS = 6
"""So many digits make labels of ticks long."""
ROOM_DIGITS = 21
"""So many digits of labels fit side by side on the narrowest axis."""
HEADROOM = 1.06
"""How much farther than the values an axis goes."""


def titles(
    figure: "Figure",
    axes: "Axes",
    *,
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    look: Look = PLAIN,
) -> None:
    """The figure's title and its axes' labels, in as many lines as they need.

    The figure grows by what is more than a line below and none above: the axes keep their size.
    """
    width, height = figure.get_size_inches()
    below = wrap(look.text(x_label), int((width - 0.8) * CHARACTERS_PER_IN))
    axes.set_xlabel(literal(below), linespacing=CLOSE)
    beside = wrap(look.text(y_label), max(int((height - 0.6) * CHARACTERS_PER_IN), 12))
    axes.set_ylabel(literal(beside), linespacing=CLOSE)
    figure.set_size_inches(width, height + below.count("\n") * LINE_IN)
    head(figure, look.text(title))


def head(figure: "Figure", title: str, *, first_in: float = 0.2) -> None:
    """The figure's title, if it has one; the figure grows by its height.

    `first_in`: what a title of one line adds.
    """
    if title:
        width, height = figure.get_size_inches()
        text = wrap(title, int((width - 0.3) * CHARACTERS_PER_IN))
        figure.suptitle(literal(text), linespacing=CLOSE)
        figure.set_size_inches(width, height + text.count("\n") * LINE_IN + first_in)


def keep_on_paper(figure: "Figure") -> None:
    """Moves labels of axes that are longer than their axis, and would leave the paper, back on it.

    To be called when all is laid out.
    """
    from matplotlib.text import Text

    width, height = figure.bbox.size
    for axes in figure.axes:
        frame = axes.bbox
        own = (each for each in axes.get_children() if isinstance(each, Text))
        headings = [each for each in own if each not in axes.texts]
        for label in (axes.xaxis.label, *headings):
            box = label.get_window_extent()
            label.set_x(label.get_position()[0] + _back(box.x0, box.x1, width) / frame.width)
        label = axes.yaxis.label
        box = label.get_window_extent()
        label.set_y(label.get_position()[1] + _back(box.y0, box.y1, height) / frame.height)


def _back(low: float, high: float, most: float) -> float:
    """How far a span must move to be within 0 and `most`, or in their middle if it is longer."""
    if high - low > most:
        return (most - high - low) / 2
    return max(-low, 0.0) + min(most - high, 0.0)


def legend_below(
    figure: "Figure",
    handles: "Sequence[Artist]",
    names: Sequence[str],
    *,
    handlelength: float = 2.2,
) -> None:
    """A legend under the axes, where it cannot cover data, in as many columns as fit.

    The figure grows by its height.
    """
    width, height = figure.get_size_inches()
    labels = [literal(wrap(name, int((width - 0.8) * CHARACTERS_PER_IN))) for name in names]
    for count in _column_counts(len(labels)):
        legend = figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=count,
            columnspacing=1.2,
            handlelength=handlelength,
        )
        # Not laid out yet, it has its size all the same.
        extent = legend.get_window_extent()
        if extent.width <= figure.bbox.width * 0.98 or count == 1:
            for text in legend.get_texts():
                text.set_linespacing(CLOSE)
            figure.set_size_inches(width, height + extent.height / figure.dpi + 0.11)
            return
        legend.remove()


def _column_counts(entries: int) -> list[int]:
    """How many columns a legend may have, the most first; rows are as full as they can be."""
    rows = range(1, entries + 1)
    return list(dict.fromkeys(math.ceil(entries / count) for count in rows))


def scale(
    axes: "Axes",
    which: Literal["x", "y"],
    values: Sequence[float],
    *,
    log: bool,
    zero: bool,
    counts: bool = False,
) -> None:
    """Sets the scale and the limits of an axis that shows these values.

    A logarithmic axis shows whole decades where there would be few ticks else; with `zero`, a
    linear one begins at zero if no value is below. Of `counts`, and of whole numbers, ticks are
    whole where there is room for two.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    limit = axes.set_xlim if which == "x" else axes.set_ylim
    least, most = min(values), max(values)
    if log:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        # At least one decade, so that there are two ticks.
        low, high = least / 1.3, most * 1.3
        if high < 10 * low:
            low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
        limit(low, high)
        few = high < FEW_DECADES * low
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=8))
        axis.set_major_formatter(FuncFormatter(_power))
        axis.set_minor_formatter(NullFormatter())
        return
    plain(axes, which)
    if which == "x" and (digits := _digits(least, most)) >= LONG_DIGITS:
        # Matplotlib takes labels for three letters wide; so long ones would stand on each other.
        axis.set_major_locator(MaxNLocator(nbins=max(1, ROOM_DIGITS // digits)))
    elif counts or all(value.is_integer() for value in values):
        axis.set_major_locator(whole_numbers())
    if zero and least >= 0:
        limit(0, (most or 1.0) * HEADROOM)
    elif zero and most <= 0:
        limit(least * HEADROOM, 0)
    else:
        room = (most - least) * (HEADROOM - 1) or abs(most) * 0.1 or 1.0
        limit(least - room, most + room)


def _digits(least: float, most: float) -> int:
    """How many digits tell ticks between these values apart."""
    largest = max(abs(least), abs(most))
    return 2 + math.floor(math.log10(largest / (most - least))) if most > least else 0


def words_below(axes: "Axes", places: Sequence[float], names: Sequence[str]) -> None:
    """Writes names below an axis, the first lines of all on one line.

    With a spacing of one's own, lines are as high as their letters: `as` would be above `bd`. And
    Matplotlib sets the first of several lines lower than a line that is alone, by half the gap
    between lines: where a name has several lines, all have.
    """
    alone = "" if tallest(names) == 1 else "\n"
    shown = [literal(name) + ("" if "\n" in name else alone) for name in names]
    axes.set_xticks(places, shown, linespacing="normal")
    axes.xaxis.set_tick_params(length=0)


def plain(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Large and small numbers are multiples of a power of ten, which stands once."""
    from matplotlib.ticker import ScalarFormatter

    class Numbers(ScalarFormatter):
        """Ticks are text; the power of ten alone is a formula, of which each letter is a text."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return super().__call__(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$")

    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(Numbers(useMathText=True))
    axes.ticklabel_format(axis=which, scilimits=(-3, 5), useOffset=False)


def whole(axis: "Axis", values: Sequence[float]) -> None:
    """A tick at each value if they are few and whole; whole ticks at least if they are whole."""
    from matplotlib.ticker import FixedLocator

    if not all(value.is_integer() for value in values):
        return
    seen = sorted(set(values))
    if len(seen) <= MOST_TICKS and seen[-1] - seen[0] < 2 * MOST_TICKS:
        axis.set_major_locator(FixedLocator(seen))
    else:
        axis.set_major_locator(whole_numbers())


def whole_numbers() -> "Locator":
    """Ticks at whole numbers alone, where at least two of them fit."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins="auto", steps=[1, 2, 5, 10], integer=True)


def _power(value: float, _place: int | None) -> str:
    """0.01, 0.2, 1, 50, 100 as they are, powers of ten beyond."""
    if 1e-3 < value < 1e5:
        return f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    factor = round(value / 10**power)
    return f"$10^{{{power}}}$" if factor == 1 else f"${factor}\\times 10^{{{power}}}$"
