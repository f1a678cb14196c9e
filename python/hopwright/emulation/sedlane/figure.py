"""A trace and the pipes that stand for it, in one picture."""

from typing import TYPE_CHECKING, Any

from hopwright import _core
from hopwright._io.data import Json, items, number
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import legend_below, scale, titles
from hopwright.figures.style import COLUMN_IN, PAGE_IN

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure as Drawing
    from numpy.typing import NDArray

TRACE: dict[str, Any] = {"color": "0.68", "lw": 0.5, "ls": "-", "zorder": 2}
PAIRWISE: dict[str, Any] = {"color": "0.35", "lw": 1.1, "ls": (0, (3, 1.2)), "zorder": 3}
LEAST: dict[str, Any] = {"color": "0.0", "lw": 1.2, "ls": "-", "zorder": 4}
WAYS = (("pairwise", "pairwise", PAIRWISE), ("least_error", "least error", LEAST))


def profile_figure(trace: _core.ConnectionTrace, answer: Json, mode: str) -> Figure:
    """Round-trip times over time, or how they are distributed over bytes: trace and both ways.

    The data's columns: `series`, `x`, `y`.
    """
    import numpy as np

    found = {name: np.frombuffer(column, "<f8") for name, column in trace.samples().items()}
    lines = [("trace", *_of_trace(found, mode), TRACE)]
    for key, name, look in WAYS:
        pipes = items(answer, key, "pipes")
        lines.append((name, *_of_pipes(pipes, found["time_s"], mode), look))
    is_time = mode == "sequential"
    x_label = "time (s)" if is_time else "round-trip time (ms)"
    y_label = "round-trip time (ms)" if is_time else "share of bytes"

    def draw(drawing: "Drawing") -> None:
        from hopwright.figures.decimate import visible

        axes = drawing.subplots()
        titles(drawing, axes, x_label=x_label, y_label=y_label)
        everything = np.concatenate([x for _, x, _, _ in lines])
        start, end = float(everything.min()), float(everything.max())
        handles = []
        for _, x, y, look in lines:
            seen = visible(x, y, start, end)
            handles += axes.plot(*seen, drawstyle="steps-post", **look)
        if is_time:
            axes.set_xlim(start, end)
            scale(
                axes,
                "y",
                [float(v) for _, _, y, _ in lines for v in (y.min(), y.max())],
                log=False,
                zero=True,
            )
        else:
            scale(axes, "x", [start, end], log=False, zero=False)
            axes.set_ylim(0, 1.03)
        legend_below(drawing, handles, [name for name, *_ in lines])

    rows = (
        (name, float(x), float(y))
        for name, all_x, all_y, _ in lines
        for x, y in zip(all_x, all_y, strict=True)
    )
    return Figure(
        draw,
        columns(("series", "x", "y"), rows),
        height_in=2.1,
        width_in=PAGE_IN if is_time else COLUMN_IN,
    )


Curve = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def _of_trace(found: "dict[str, NDArray[np.float64]]", mode: str) -> Curve:
    import numpy as np

    rtt_ms = 1e3 * found["rtt_s"]
    if mode == "sequential":
        return found["time_s"], np.append(rtt_ms, rtt_ms[-1])
    weights = found["bytes"] if found["bytes"].sum() > 0 else np.diff(found["time_s"])
    return _distribution(rtt_ms, weights)


def _of_pipes(pipes: list[Json], times: "NDArray[np.float64]", mode: str) -> Curve:
    import numpy as np

    rtt_ms, lifetimes, shares = (
        np.array([number(pipe, key) for pipe in pipes], dtype=float)
        for key in ("rtt_ms", "lifetime_s", "probability")
    )
    if mode == "simultaneous":
        return _distribution(rtt_ms, shares)
    # The last one stays until the trace ends; what begins later is not seen.
    edges = times[0] + np.concatenate([[0.0], np.cumsum(lifetimes)])
    edges[-1] = max(edges[-1], times[-1])
    seen = edges < times[-1]
    return np.append(edges[seen], times[-1]), np.append(
        rtt_ms[seen[:-1]], rtt_ms[int(seen[:-1].sum()) - 1]
    )


def _distribution(values: "NDArray[np.float64]", weights: "NDArray[np.float64]") -> Curve:
    import numpy as np

    order = np.argsort(values, kind="stable")
    shares = np.cumsum(weights[order]) / weights.sum()
    return np.concatenate([values[order][:1], values[order]]), np.concatenate([[0.0], shares])
