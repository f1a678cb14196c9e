"""A flow over time, as an SVG file's bytes. The same data gives the same bytes."""

import io
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from hopwright.decimate import Column
from hopwright.panels import PANELS, Recorded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CENTS = re.compile(rb"(\.\d\d)\d+")
"""A coordinate's decimals: a hundredth of a point is the finest that anybody sees."""


def flow_figure(
    columns: Mapping[str, Column],
    *,
    title: str,
    start_s: float = 0.0,
    end_s: float,
    panels: Sequence[str] = tuple(PANELS),
    queues: Mapping[int, tuple[Column, Column]] | None = None,
) -> bytes:
    """Draws a flow's columns, see `_core.RunResult.series`, and its nodes' queues.

    `panels` says which, from the top; one that nothing was recorded for is left out.
    """
    data = Recorded(columns=columns, queues=queues or {}, start_s=start_s, end_s=end_s)
    chosen = [PANELS[name] for name in panels if PANELS[name].is_there(data)]
    heights = [panel.height(data) for panel in chosen] or [1.0]

    def draw(figure: "Figure") -> None:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height * (0.25 + 0.75 * sum(heights) / 2))
        axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[
            :, 0
        ]
        for axis, panel in zip(axes, chosen, strict=False):
            panel.draw(axis, data)
        if not chosen:
            axes[0].set_yticks([])
            axes[0].text(
                0.5,
                0.5,
                "nothing was recorded",
                transform=axes[0].transAxes,
                ha="center",
                va="center",
            )
        figure.suptitle(title)
        figure.align_ylabels(axes)
        axes[-1].set_xlabel("time (s)")
        axes[-1].set_xlim(start_s, end_s)

    return _svg(draw)


def _svg(draw: Callable[["Figure"], None]) -> bytes:
    # Figure instead of pyplot: no global state, no window system.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from matplotlib import style
    from matplotlib.figure import Figure

    with (
        as_file(files("hopwright") / "style.mplstyle") as sheet,
        style.context(["default", str(sheet)]),
    ):
        figure = Figure()
        draw(figure)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "hopwright"})
    return re.sub(rb' d="[^"]*"', lambda path: _shorter(path[0]), buffer.getvalue())


def _shorter(path: bytes) -> bytes:
    """A path as before, in fewer letters; with curves in it, as it is: letters are drawn so."""
    if b"Q" in path or b"C" in path:
        return path
    return CENTS.sub(rb"\1", path).replace(b" \nL ", b" ")
