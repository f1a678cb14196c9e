"""Path-length histograms: how many hops apart the nodes of a network are."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.in_python import in_python
from hopwright.figures.figure import Cell, Figure, columns
from hopwright.figures.intervals import draw_interval
from hopwright.figures.layout import legend_below, titles, words_below
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.maps import Place
from hopwright.figures.style import FILLS, STROKES, check_count
from hopwright.figures.values import check_names, numbers

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure as Drawing

X_LABEL, Y_LABEL = "hops", "share of pairs of nodes (%)"
MOST_TICKS = 12
ROW = 0.1
"""From the mark of one flow to the next, of the highest bar."""


@in_python
def path_lengths(
    snapshots: Sequence[Sequence[Place]],
    *,
    range_m: float,
    down: Sequence[Collection[int]] = (),
    taken: Sequence[tuple[str, float]] = (),
    title: str = "",
    look: Look = PLAIN,
) -> Figure:
    """Draws which share of all pairs of nodes is how many hops apart, by the shortest path.

    `snapshots`: the positions of the same nodes (metres) at one or more times; of several, bars are
    means, and intervals reach from the least to the most. `range_m`: how far a frame can be
    received. `down`: of each snapshot, the nodes whose radio is off; empty: none, ever. Pairs that
    no path joins have a bar of their own. `taken`: names and mean hops of up
    to eight flows, marked above the bars. The data's columns: `series` (`pairs`, or a flow), `hops`
    (empty: no path), `share`, `low`, `high`.

    Raises `ValueError` for fewer than two nodes or values that are no numbers; `InputError` for too
    many flows.
    """
    if not snapshots or min(len(snapshot) for snapshot in snapshots) < 2:
        raise ValueError("snapshots: at least two nodes are needed for a path")
    check_count(len(taken))
    look.check((name for name, _ in taken), (X_LABEL, Y_LABEL, title))
    taken = [taken[place] for place in look.places([name for name, _ in taken])]
    strokes = look.in_colours([name for name, _ in taken], STROKES)
    taken = [(look.text(name), hops) for name, hops in taken]
    if taken:
        check_names([name for name, _ in taken], "flows")
        numbers([hops for _, hops in taken], "hops of flows")
    shares = _shares(snapshots, range_m, down or [()] * len(snapshots))
    lengths = [length for length in shares if length is not None]
    last = max(lengths, default=0)

    def draw(drawing: "Drawing") -> None:
        axes = drawing.subplots()
        titles(drawing, axes, x_label=X_LABEL, y_label=Y_LABEL, title=title, look=look)
        ticks = _ticks(last)
        labels = [f"{tick:g}" for tick in ticks]
        top = 1.0
        for length, values in shares.items():
            place = last + 1.5 if length is None else length
            fill = FILLS[1] if length is None else FILLS[2]
            mean = 100 * sum(values) / len(values)
            axes.bar(
                [place],
                [mean],
                width=0.8,
                facecolor=fill.grey,
                hatch=fill.hatch,
                edgecolor="black",
                lw=0.5,
                zorder=2,
            )
            if len(values) > 1:
                draw_interval(axes, place, mean, (100 * min(values), 100 * max(values)))
            top = max(top, 100 * max(values))
        if None in shares:
            ticks.append(last + 1.5)
            labels.append("no\npath")
        handles: list[Artist] = []
        for row, ((_, hops), stroke) in enumerate(zip(taken, strokes, strict=False)):
            handles += axes.plot(
                [hops],
                [top * (1.1 + ROW * row)],
                ls="",
                marker=stroke.marker,
                ms=stroke.size + 1,
                color=stroke.colour,
                mfc=stroke.colour if stroke.is_filled else "white",
                zorder=5,
            )
            axes.axvline(hops, ls=stroke.dashes, color=stroke.colour, lw=0.5, zorder=1.5)
        words_below(axes, ticks, labels)
        axes.grid(visible=False, axis="x")
        farthest = max((hops for _, hops in taken), default=0.0)
        axes.set_xlim(0.4, max(last + (2.1 if None in shares else 0.6), farthest + 0.3))
        axes.set_ylim(0, top * (1.1 + ROW * len(taken) if taken else 1.06))
        if taken:
            legend_below(drawing, handles, [f"{name}: mean hops taken" for name, _ in taken])

    rows: list[tuple[Cell, ...]] = [
        ("pairs", length, sum(values) / len(values), min(values), max(values))
        for length, values in shares.items()
    ]
    rows += [(name, hops, None, None, None) for name, hops in taken]
    data = columns(("series", "hops", "share", "low", "high"), rows)
    return Figure(draw, data, height_in=2.1, width_in=look.width_in)


def _shares(
    snapshots: Sequence[Sequence[Place]], range_m: float, down: Sequence[Collection[int]]
) -> dict[int | None, list[float]]:
    """Of each path length the share of pairs, one a snapshot."""
    counted = [
        _core.hop_counts(list(snapshot), range_m, set(off))
        for snapshot, off in zip(snapshots, down, strict=True)
    ]
    pairs = [sum(counts) + apart for counts, apart in counted]
    longest = max(len(counts) for counts, _ in counted)
    shares: dict[int | None, list[float]] = {}
    for hops in range(1, longest + 1):
        of_length = [counts[hops - 1] if hops <= len(counts) else 0 for counts, _ in counted]
        if any(of_length):
            shares[hops] = [n / count for n, count in zip(of_length, pairs, strict=True)]
    if any(apart for _, apart in counted):
        shares[None] = [apart / count for (_, apart), count in zip(counted, pairs, strict=True)]
    return shares


def _ticks(last: int) -> list[float]:
    step = next((step for step in (1, 2, 5, 10, 20, 50) if last <= step * MOST_TICKS), 100)
    return [float(tick) for tick in range(1 if step == 1 else step, last + 1, step)]
