"""Box plots: how values are spread, of several things side by side."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.groups import LONGEST_IN, lying, name_groups, stands
from hopwright.figures.layout import scale, titles
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.samples import Samples
from hopwright.figures.style import SPLIT, Fill
from hopwright.figures.values import check_names, numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


BOX = Fill("0.85", "", "0.85")
LEAST = 5
"""Values of a box: quartiles of fewer are made of the values themselves."""
VALUE: dict[str, Any] = {"marker": "o", "ms": 4, "mew": 0.5, "mfc": "none", "mec": "black"}
MEAN: dict[str, Any] = {"marker": "D", "ms": 3.2, "mew": 0.6, "mfc": "white", "mec": "black"}


@in_python
def boxes(
    series: Sequence[Samples],
    *,
    y_label: str,
    title: str = "",
    x_label: str = "",
    log_y: bool = False,
    from_zero: bool = False,
    look: Look = PLAIN,
) -> Figure:
    """Draws a box for each series: quartiles and median, and a diamond at the mean.

    Of fewer than five values each is a circle: they have no quartiles. Whiskers reach to the
    farthest values within 1.5 times the box's length (Tukey 1977); what is beyond is a circle.
    Quartiles are NumPy's, interpolated linearly. Boxes stand where names fit below them, else they
    lie. The data's columns: `series`, `value`, in the order given.

    Raises `ValueError` for no data, values that are no numbers, or ones that a logarithmic axis
    cannot show; `InputError` for more boxes than fit on a page.
    """
    look.check((each.name for each in series), (x_label, y_label, title))
    series = [series[place] for place in look.places([each.name for each in series])]
    fills = look.in_colours([each.name for each in series], [BOX] * len(series))
    series = [replace(each, name=look.text(each.name)) for each in series]
    check_names([each.name for each in series], "series")
    known = [numbers(each.values, f"values of '{each.name}'") for each in series]
    everything = [value for values in known for value in values]
    if log_y and min(everything) <= 0:
        raise ValueError(f"a logarithmic axis has no place for {min(everything):g}")
    names = [each.name for each in series]
    width = look.width_in
    standing = stands(names, width - 0.7)
    height = 2.1 if standing else 0.5 + lying(names, 0.24)
    if height > LONGEST_IN:
        raise InputError(f"{len(names)} boxes do not fit on a page; {SPLIT}")

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        pen = {"color": "black", "linewidth": 0.7}
        boxed = [place for place, values in enumerate(known) if len(values) >= LEAST]
        if boxed:
            drawn = axes.boxplot(
                [known[place] for place in boxed],
                positions=boxed,
                orientation="vertical" if standing else "horizontal",
                widths=0.55,
                patch_artist=True,
                showmeans=True,
                boxprops={"edgecolor": "black", "linewidth": 0.7},
                medianprops={"color": "black", "linewidth": 1.4},
                whiskerprops=pen,
                capprops=pen,
                flierprops={**VALUE, "ms": 3},
                meanprops=MEAN,
                manage_ticks=False,
            )
            for place, box in zip(boxed, drawn["boxes"], strict=True):
                box.set_facecolor(fills[place].grey)
        for place in set(range(len(known))) - set(boxed):
            mean = sum(known[place]) / len(known[place])
            for values, mark in ((known[place], VALUE), ([mean], MEAN)):
                ends = [place] * len(values), values
                axes.plot(*(ends if standing else ends[::-1]), ls="", **mark)
        if standing:
            titles(drawing, axes, x_label=x_label, y_label=y_label, title=title, look=look)
        else:
            titles(drawing, axes, x_label=y_label, y_label=x_label, title=title, look=look)
        scale(axes, "y" if standing else "x", everything, log=log_y, zero=from_zero)
        name_groups(axes, names, standing=standing, room_in=width - 0.7)

    rows = ((name, value) for name, values in zip(names, known, strict=True) for value in values)
    return Figure(draw, columns(("series", "value"), rows), height_in=height, width_in=width)
