"""Figures of emulations: the trace, and beside it what connections over its profile met."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright.emulation.sedlane import fidelity
from hopwright.emulation.sedlane.fidelity import Connection
from hopwright.research.papers.document import Document
from hopwright.research.papers.emulated import Seen
from hopwright.research.papers.emulating import Kept
from hopwright.research.papers.recipes import Drawing

if TYPE_CHECKING:
    from hopwright.emulation.sedlane.fidelity import Column
    from hopwright.figures import Figure, Line

STEP_S = 2.0
"""Between points of average throughput."""


def draw(document: Document, drawing: Drawing, folder: Path) -> "Figure":
    """One figure, of the first seed. `folder`: of the point's emulations."""
    kept = Kept(folder / f"seed-{document.seed}")
    seen = [Seen(kept, document.emulations[name]) for name in drawing.emulations]
    match drawing.shows:
        case "rtt":
            trace = seen[0].trace
            lines = [_rtt(trace.time_s[:-1], trace.rtt_s, "trace", trace.end_s)]
            return _over_time(drawing, [*lines, *map(_rtt_of, seen)])
        case "throughput":
            lines = [_throughput(seen[0].trace, "trace", seen[0].trace.end_s)]
            lines += [_throughput(s.found, s.emulation.id, s.trace.end_s) for s in seen]
            return _over_time(drawing, lines)
        case "lifetimes":
            return _lifetimes(drawing, seen)
        case _:
            return _by_class(drawing, seen)


def _over_time(drawing: Drawing, lines: "Sequence[Line]") -> "Figure":
    from hopwright.figures import time_series
    from hopwright.figures.look import Look

    return time_series(lines, y_label=drawing.y_label, title=drawing.title, look=Look(size="page"))


def _rtt_of(seen: Seen) -> "Line":
    """From when their segments left on: that is when they met the pipe."""
    left = seen.found.time_s[:-1] - seen.found.rtt_s
    return _rtt(left, seen.found.rtt_s, seen.emulation.id, seen.trace.end_s)


def _rtt(times: "Column", rtt_s: "Column", name: str, end_s: float) -> "Line":
    import numpy as np

    from hopwright.figures import Line

    order = np.argsort(times, kind="stable")
    times, rtt_s = times[order], rtt_s[order]
    inside = (times >= 0) & (times <= end_s)
    return Line(name, times[inside].tolist(), (1e3 * rtt_s[inside]).tolist())


def _throughput(connection: Connection, name: str, end_s: float) -> "Line":
    """Average from the beginning to each instant."""
    import numpy as np

    from hopwright.figures import Line

    edges = np.arange(0.0, end_s, min(STEP_S, end_s / 20))
    so_far = np.cumsum(connection.new_bytes(edges))
    return Line(name, edges[1:].tolist(), (8e-3 * so_far / edges[1:]).tolist())


def _lifetimes(drawing: Drawing, seen: Sequence[Seen]) -> "Figure":
    """A dot for each round-trip time, at its place in their order, if datagrams saw it."""
    import numpy as np

    from hopwright.figures import Line, time_series

    lines: list[Line] = []
    for each in seen:
        expected, applied = each.lifetimes().T
        known = ~np.isnan(applied) & (applied > 0)
        places = np.arange(1, len(expected) + 1, dtype=float)
        if not lines:
            lines.append(Line("trace", places.tolist(), expected.tolist()))
        if known.any():
            seen_at, took = places[known].tolist(), applied[known].tolist()
            lines.append(Line(each.emulation.id, seen_at, took))
    return time_series(
        lines,
        x_label="round-trip times, in their order",
        y_label=drawing.y_label,
        title=drawing.title,
        log_y=True,
        held=False,
    )


def _by_class(drawing: Drawing, seen: Sequence[Seen]) -> "Figure":
    """Bars for each class of round-trip times: shares of bytes, or of them those that were lost."""
    from hopwright.figures import Bars, bars

    first = seen[0]
    if drawing.shows == "losses":
        groups = [Bars("trace", fidelity.losses(first.trace, first.edges).tolist())]
        groups += [
            Bars(each.emulation.id, fidelity.losses(each.found, each.edges).tolist())
            for each in seen
        ]
    else:
        groups = [Bars("trace", first.shares_of_trace().tolist())]
        for each in seen:
            groups.append(Bars(f"{each.emulation.id}, at the sender", each.shares().tolist()))
            if each.emulation.needs_kernel:
                applied = each.shares_applied().tolist()
                groups.append(Bars(f"{each.emulation.id}, as applied", applied))
    edges = _told_apart([1e3 * float(edge) for edge in first.edges])
    names = [f"to {edge} ms" for edge in edges] + [f"over {edges[-1]} ms" if edges else "all"]
    return bars(names, groups, y_label=drawing.y_label, title=drawing.title)


def _told_apart(values: Sequence[float]) -> list[str]:
    """Numbers with as few decimals as leave them different."""
    texts: list[str] = []
    for decimals in range(7):
        texts = [f"{value:.{decimals}f}" for value in values]
        if len({*texts}) == len(texts):
            break
    return texts
