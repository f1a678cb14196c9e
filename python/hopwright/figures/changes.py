"""When the triggers of a flow changed its mechanisms."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright.figures.frozen import FROZEN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Change = tuple[float, str]
"""Seconds, and what `series.parquet` says: `0`, `0 back`, `0 refused`."""

CHANGES = "changes"
LINES = {"": "-", "back": "--", "refused": ":"}
"""How a line is drawn, by what else than firing a trigger did."""
NAMES = {"": "trigger", "back": "back", "refused": "refused"}
MOST_NUMBERS = 12
"""Above so many lines there is no room for the triggers' numbers."""


def mark(panels: "Sequence[Axes]", changes: Sequence[Change]) -> None:
    """Draws a line for each change through all panels; a legend above the first says which."""
    from matplotlib.lines import Line2D

    kinds = [_kind(said) for _, said in changes]
    for axis in panels:
        for (time, _), kind in zip(changes, kinds, strict=True):
            line = axis.axvline(time, ls=LINES[kind], color="0.35", lw=0.8, zorder=1)
            line.set_gid(CHANGES)
    first = panels[0]
    if len(changes) <= MOST_NUMBERS:
        for (time, said), kind in zip(changes, kinds, strict=True):
            if kind == "":
                first.annotate(
                    said,
                    (time, 1.0),
                    xycoords=first.get_xaxis_transform(),
                    xytext=(1.5, -1),
                    textcoords="offset points",
                    va="top",
                    fontsize="x-small",
                )
    others = first.get_legend()
    is_beside = others is not None and FROZEN in [text.get_text() for text in others.get_texts()]
    shown = [kind for kind in LINES if kind in kinds]
    keys = [Line2D([], [], ls=LINES[kind], color="0.35", lw=0.8) for kind in shown]
    names = [NAMES[kind] for kind in shown]
    place = (0, 1.1 if is_beside else 1)
    first.legend(
        keys,
        names,
        loc="lower left",
        bbox_to_anchor=place,
        ncols=len(shown),
        handlelength=1.5,
        columnspacing=1,
    )
    if others is not None:
        first.add_artist(others)


def _kind(said: str) -> str:
    return said.rpartition(" ")[2] if " " in said else ""
