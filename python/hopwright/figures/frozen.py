"""When a sender was frozen: told that its route had failed, it stood still."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.parquet import read_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Span = tuple[float, float]
"""From, to: seconds."""
FROZEN = "frozen"
SHADE = "0.85"


def frozen_spans(series: Path, flow: int, end_s: float) -> list[Span]:
    """When a flow was frozen, as a run's series tells; nothing if they do not speak of phases."""
    columns = read_columns(series)
    if "phase" not in columns:
        return []
    rows = zip(columns["time_s"], columns["flow"], columns["phase"], strict=True)
    phases = [(time, phase) for time, whose, phase in rows if whose == flow and phase is not None]
    spans: list[Span] = []
    since: float | None = None
    for time, phase in [*phases, (end_s, "")]:
        if phase == FROZEN:
            since = time if since is None else since
        elif since is not None:
            spans.append((since, time))
            since = None
    return spans


def shade(panels: "Sequence[Axes]", spans: Sequence[Span]) -> None:
    """Shades these times in all panels; a legend above the first says what it means."""
    from matplotlib.patches import Patch

    for axis in panels:
        bars = axis.broken_barh(
            [(start, end - start) for start, end in spans],
            (0, 1),
            transform=axis.get_xaxis_transform(),
            facecolor=SHADE,
            edgecolor=SHADE,
            lw=0.3,  # the shortest is seen, too
            zorder=0,
        )
        bars.set_gid(FROZEN)
    first = panels[0]
    others = first.get_legend()
    patch = Patch(facecolor=SHADE)
    first.legend([patch], [FROZEN], loc="lower left", bbox_to_anchor=(0, 1))
    if others is not None:
        first.add_artist(others)  # an axis has one legend by itself
