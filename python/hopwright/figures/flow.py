"""A flow over time, as an SVG file's bytes. The same data gives the same bytes."""

from collections.abc import Mapping, Sequence

from hopwright.figures.changes import Change, mark
from hopwright.figures.decimate import Column
from hopwright.figures.frozen import Span, shade
from hopwright.figures.layout import head
from hopwright.figures.panels import PANELS, Recorded, ShownQueues
from hopwright.figures.style import styled
from hopwright.figures.svg import svg


def flow_figure(
    columns: Mapping[str, Column],
    *,
    title: str,
    start_s: float = 0.0,
    end_s: float,
    panels: Sequence[str] = tuple(PANELS),
    queues: ShownQueues | None = None,
    frozen: Sequence[Span] = (),
    changes: Sequence[Change] = (),
) -> bytes:
    """Draws a flow's columns, see `_core.RunResult.series`, and its nodes' queues.

    `panels` says which, from the top; one that nothing was recorded for is left out.
    `frozen`: when the sender stood still; shaded. `changes`: what its triggers did; a line each.
    """
    data = Recorded(columns=columns, queues=queues or ShownQueues(), start_s=start_s, end_s=end_s)
    chosen = [PANELS[name] for name in panels if PANELS[name].is_there(data)]
    heights = [panel.height(data) for panel in chosen] or [1.0]

    # Figure instead of pyplot: no global state, no window system.
    with styled():
        from matplotlib.figure import Figure

        figure = Figure()
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height * (0.25 + 0.75 * sum(heights) / 2))
        axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[
            :, 0
        ]
        for axis, panel in zip(axes, chosen, strict=False):
            panel.draw(axis, data)
        if chosen and frozen:
            shade(list(axes), frozen)
        if chosen and changes:
            mark(list(axes), changes)
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
        head(figure, title, first_in=0.0)
        figure.align_ylabels(axes)
        axes[-1].set_xlabel("time (s)")
        axes[-1].set_xlim(start_s, end_s)

        return svg(figure)
