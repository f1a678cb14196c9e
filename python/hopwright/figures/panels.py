"""The panels of a flow's figure: each draws some columns of the flow on an axis.

A panel takes what is there: a column that was not recorded is not drawn.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hopwright.figures.decimate import Column, ranges, skyline, visible
from hopwright.figures.layout import whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADROOM = 1.08
"""How much higher than the largest value an axis ends."""

MOST_QUEUES = 6
"""Queues that the panel has room for: more would be too low to read."""

FAINT = "0.5"


@dataclass(frozen=True)
class ShownQueues:
    """The queues that have a row, and what is said of those that have none."""

    rows: Mapping[int, tuple[Column, Column]] = field(default_factory=dict)
    """By node: times, and packets that waited from then on."""
    left_out: str = ""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What is known of a flow over time."""

    columns: Mapping[str, Column]
    queues: ShownQueues = field(default_factory=ShownQueues)
    start_s: float
    end_s: float

    def has(self, *names: str) -> bool:
        """Whether one of these columns was recorded."""
        return any(name in self.columns for name in names)

    def curve(self, name: str) -> tuple[Column, Column]:
        """What can be seen of a column: times and values."""
        return visible(self.columns["time_s"], self.columns[name], self.start_s, self.end_s)


class Panel(NamedTuple):
    """One kind of panel."""

    is_there: Callable[[Recorded], bool]
    draw: Callable[["Axes", Recorded], None]
    height: Callable[[Recorded], float]
    """Beside others, in usual panels."""


def _draw_window(axis: "Axes", data: Recorded) -> None:
    time, cwnd = data.curve("cwnd_segments")
    axis.step(time, cwnd, where="post", label="cwnd", ls="-", color="black", zorder=3)
    top = float(cwnd.max(initial=1.0))
    if data.has("ssthresh_segments"):
        time, ssthresh = data.curve("ssthresh_segments")
        # Before the first loss the threshold is as good as infinite: not drawn.
        threshold = np.where(ssthresh <= 4 * top, ssthresh, np.nan)
        if np.isfinite(threshold).any():
            axis.step(time, threshold, where="post", label="ssthresh", ls="--", color=FAINT)
            top = max(top, min(float(np.nanmax(threshold)), 1.5 * top))
    axis.set_ylim(0, top * HEADROOM)
    axis.set_ylabel("window (segments)")
    axis.yaxis.set_major_locator(whole_numbers())
    _legend(axis)


def _draw_sequence(axis: "Axes", data: Recorded) -> None:
    name, unit, scale = next(known for known in PROGRESS if data.has(known[0]))
    top = 1.0
    if data.has("sent_segments"):
        time, sent = data.curve("sent_segments")
        axis.step(time, sent, where="post", label="sent", ls="--", color=FAINT)
        top = float(sent.max(initial=top))
    time, progress = data.curve(name)
    verb = "acknowledged" if name.startswith("acked") else "received"
    axis.step(time, progress * scale, where="post", label=verb, ls="-", color="black", zorder=3)
    top = max(top, float(progress.max(initial=0.0)) * scale)
    if data.has("retransmitted_segments"):
        _mark_retransmissions(axis, data, name)
    axis.set_ylim(0, top * HEADROOM)
    if unit == "segments":
        axis.yaxis.set_major_locator(whole_numbers())
    if len(axis.get_lines()) > 1:
        axis.set_ylabel(f"progress ({unit})")
        _legend(axis)
    else:
        axis.set_ylabel(f"{verb} ({unit})")


def _mark_retransmissions(axis: "Axes", data: Recorded, progress: str) -> None:
    """A tick below the curve of progress wherever a segment was sent again."""
    time, count = data.columns["time_s"], data.columns["retransmitted_segments"]
    again = np.flatnonzero(np.diff(count, prepend=0.0) > 0)
    at, reached, _ = ranges(time[again], data.columns[progress][again], data.start_s, data.end_s)
    axis.plot(
        at, reached, ls="", marker=3, ms=5, mew=0.5, color="black", zorder=4, label="sent again"
    )


def _draw_rtt(axis: "Axes", data: Recorded) -> None:
    lowest, highest = np.inf, 0.0
    if data.has("rtt_s"):
        time, least, most = ranges(
            data.columns["time_s"], data.columns["rtt_s"], data.start_s, data.end_s
        )
        # One path of short strokes: a single sample is a dot, several in a column are a line.
        gap = np.full_like(time, np.nan)
        x = np.column_stack([time, time, gap]).ravel()
        y = np.column_stack([least, np.maximum(most, least * 1.03), gap]).ravel()
        axis.plot(
            x, y, ls="-", color="0.75", lw=1.2, label="measured", solid_capstyle="round", zorder=1
        )
        lowest, highest = float(least.min(initial=lowest)), float(most.max(initial=highest))
    # Jagged lines are told apart by level and weight: dashes would fall to pieces.
    for name, label, colour, weight in (
        ("srtt_s", "smoothed", "black", 0.8),
        ("rto_s", "RTO", FAINT, 0.6),
    ):
        if data.has(name):
            time, values = data.curve(name)
            values = np.where(values > 0, values, np.nan)  # nothing measured yet
            axis.step(
                time, values, where="post", label=label, ls="-", color=colour, lw=weight, zorder=3
            )
            known = values[np.isfinite(values)]
            lowest, highest = float(known.min(initial=lowest)), float(known.max(initial=highest))
    axis.set_ylabel("round trip (s)")
    if highest > 8 * lowest > 0:
        # Backed off, the RTO would press all else to the ground.
        _logarithmic(axis, lowest / 1.3, highest * 1.3)
    else:
        axis.set_ylim(0, max(highest, 1e-3) * HEADROOM)
    _legend(axis)


def _draw_queues(axis: "Axes", data: Recorded) -> None:
    """A row for each queue, all on the same scale."""
    queues = data.queues.rows
    nodes = sorted(queues)
    top = max(float(queues[node][1].max(initial=1.0)) for node in nodes)
    for row, node in enumerate(nodes):
        time, packets = skyline(*queues[node], data.start_s, data.end_s)
        time = np.append(time, data.end_s)
        packets = np.append(packets, packets[-1:] if len(packets) else 0.0)
        base = len(nodes) - 1 - row
        height = base + 0.85 * packets / top
        axis.fill_between(time, base, height, step="post", color="0.25", lw=0, zorder=2)
    axis.set_yticks([len(nodes) - 0.6 - row for row in range(len(nodes))], [str(n) for n in nodes])
    axis.tick_params(axis="y", length=0)
    axis.grid(visible=False, axis="y")
    axis.hlines(range(1, len(nodes)), data.start_s, data.end_s, color="0.85", lw=0.4, zorder=1)
    axis.set_ylim(0, len(nodes))
    axis.set_ylabel("queue of node")
    said = f"highest: {top:g} packets"
    if data.queues.left_out:
        said = f"{data.queues.left_out}; {said}"
    axis.set_title(said, loc="right", pad=2, fontsize=7)


def _legend(axis: "Axes") -> None:
    # Above the panel: inside, it would cover the curve.
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3)


def _logarithmic(axis: "Axes", least: float, most: float) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_yscale("log")
    axis.set_ylim(least, most)
    steps = (1.0, 2.0, 5.0) if most < 200 * least else (1.0,)
    axis.yaxis.set_major_locator(LogLocator(subs=steps))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter("{x:g}")


def _usual(_data: Recorded) -> float:
    return 1.0


PROGRESS = (
    ("acked_segments", "segments", 1.0),
    ("received_segments", "segments", 1.0),
    ("received_bytes", "kB", 1e-3),
)
"""Columns that say how far a flow has come, their unit, and what to multiply with."""

PANELS = {
    "cwnd": Panel(lambda data: data.has("cwnd_segments"), _draw_window, _usual),
    "sequence": Panel(
        lambda data: data.has(*(name for name, _, _ in PROGRESS)), _draw_sequence, _usual
    ),
    "rtt": Panel(lambda data: data.has("rtt_s", "srtt_s", "rto_s"), _draw_rtt, _usual),
    "queue": Panel(
        lambda data: bool(data.queues.rows),
        _draw_queues,
        lambda data: 0.25 + 0.15 * len(data.queues.rows),
    ),
}
"""The panels by their names in `[output] figures`."""
