"""A flow over time, as an SVG file's bytes. The same data gives the same bytes."""

import io
import logging
from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Column: TypeAlias = "NDArray[np.float64]"

HEADROOM = 1.08
"""How much higher than the largest value an axis ends."""


def flow_figure(
    series: Mapping[str, bytes], *, title: str, start_s: float = 0.0, end_s: float
) -> bytes:
    """Draws a flow's columns, see `_core.RunResult.series`.

    A flow with a congestion window gets the window above its progress; another one its
    progress alone.
    """
    columns = {name: np.frombuffer(data, dtype="<f8") for name, data in series.items()}
    panels: list[Callable[[Axes, Mapping[str, Column]], None]] = []
    if "cwnd_segments" in columns:
        panels.append(_draw_window)
    panels.append(_draw_progress)

    def draw(figure: "Figure") -> None:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height * (0.25 + 0.75 * len(panels) / 2))
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, panel in zip(axes, panels, strict=True):
            panel(axis, columns)
        figure.suptitle(title)
        figure.align_ylabels(axes)
        axes[-1].set_xlabel("time (s)")
        axes[-1].set_xlim(start_s, end_s)

    return _svg(draw)


def _draw_window(axis: "Axes", columns: Mapping[str, Column]) -> None:
    from matplotlib.ticker import MaxNLocator

    time, cwnd = columns["time_s"], columns["cwnd_segments"]
    axis.step(time, cwnd, where="post", label="cwnd", zorder=3)
    top = float(cwnd.max(initial=1.0))
    if "ssthresh_segments" in columns:
        # Before the first loss the threshold is as good as infinite: not drawn.
        threshold = np.where(
            columns["ssthresh_segments"] <= 4 * top, columns["ssthresh_segments"], np.nan
        )
        if np.isfinite(threshold).any():
            axis.step(time, threshold, where="post", label="ssthresh")
            top = max(top, min(float(np.nanmax(threshold)), 1.5 * top))
    axis.set_ylim(0, top * HEADROOM)
    axis.set_ylabel("window (segments)")
    axis.yaxis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10], integer=True))
    # Above the panel: inside, it would cover the curve.
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def _draw_progress(axis: "Axes", columns: Mapping[str, Column]) -> None:
    for name, label, scale in (
        ("acked_segments", "acknowledged (segments)", 1.0),
        ("received_segments", "received (segments)", 1.0),
        ("received_bytes", "received (kB)", 1e-3),
    ):
        if name in columns:
            axis.step(columns["time_s"], columns[name] * scale, where="post")
            axis.set_ylim(0, max(float(columns[name].max(initial=0.0)) * scale, 1.0) * HEADROOM)
            axis.set_ylabel(label)
            return
    axis.set_yticks([])
    axis.text(0.5, 0.5, "nothing was recorded", transform=axis.transAxes, ha="center", va="center")


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
    return buffer.getvalue()
