"""The picture of a story: nodes from left to right, events in their order from top to bottom."""

from typing import TYPE_CHECKING

from hopwright.explain import words
from hopwright.explain.events import Event
from hopwright.explain.story import UNFINISHED, Story
from hopwright.figures.figure import Figure, columns
from hopwright.figures.style import PAGE_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

ROW_IN, MARGIN_IN = 0.19, 0.75
MOST_ROWS = 60
"""Of a longer story, the end is drawn."""
WELL, VAIN, OTHER = "0.1", "#b2182b", "#2166ac"


def story_figure(story: Story) -> Figure:
    """Draws a story as a sequence chart.

    An arrow is a try of a station, from the node to the one that should have got the packet; it
    ends in a cross where it came to nothing, and has no head where the run ended first. A square is
    the node whose frame stood in the way. A dot is anything else. Times stand on the left, words on
    the right. The data's columns: `time_s`, `kind`, `node`, `peer`, `cause`, `by_node`,
    `by_time_s`, `relation`.
    """
    events = [event for step in story.steps for event in step.tries[::-1] or (step.event,)]
    events = events[:MOST_ROWS][::-1]
    nodes = sorted({node for event in events for node in _drawn(event)})
    column = {node: place for place, node in enumerate(nodes)}

    def draw(drawing: "Drawing") -> None:
        from matplotlib.lines import Line2D

        axes = drawing.subplots()
        for row, event in enumerate(events):
            _draw_event(axes, event, row, column)
            axes.annotate(
                _short(event),
                (1.01, row),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize="x-small",
            )
        axes.set_xticks(range(len(nodes)), [str(node) for node in nodes])
        axes.xaxis.set_ticks_position("top")
        axes.xaxis.set_label_position("top")
        axes.set_xlabel("node")
        axes.set_yticks(
            range(len(events)), [f"{event.time_s:.6f} s" for event in events], fontsize="x-small"
        )
        axes.set_xlim(-0.5, len(nodes) - 0.5)
        axes.set_ylim(len(events) - 0.5, -0.6)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        for place in column.values():
            axes.axvline(place, color="0.85", lw=0.8, zorder=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        handles = [
            Line2D([], [], color=WELL, marker=">", ms=4, label="handed over"),
            Line2D([], [], color=VAIN, marker="x", ms=4, label="failed"),
            Line2D([], [], color=OTHER, marker="s", ms=4, ls=":", label="in the way"),
        ]
        drawing.legend(handles=handles, loc="outside lower center", ncols=3)

    names = ("time_s", "kind", "node", "peer", "cause", "by_node", "by_time_s", "relation")
    data = columns(names, ([getattr(event, name) for name in names] for event in events))
    return Figure(draw, data, height_in=MARGIN_IN + ROW_IN * len(events), width_in=PAGE_IN)


def _drawn(event: Event) -> list[int]:
    """The nodes that an event is drawn at."""
    ends = (event.node, event.peer, event.by_node) if event.kind == "try" else (event.node,)
    return [node for node in ends if node is not None]


def _draw_event(axes: "Axes", event: Event, row: int, column: dict[int, int]) -> None:
    node = column[event.node]
    if event.kind != "try" or event.peer is None:
        axes.plot(node, row, "o", color="k", ms=3.5)
        return
    peer = column[event.peer]
    has_failed = event.cause not in (None, UNFINISHED)
    axes.annotate(
        "",
        (peer, row),
        (node, row),
        arrowprops={
            "arrowstyle": "-|>" if event.cause is None else "-",
            "color": VAIN if has_failed else WELL,
            "lw": 0.9,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
    if has_failed:
        axes.plot(peer, row, "x", color=VAIN, ms=4.5, mew=1.2)
    if event.by_node is not None:
        other = column[event.by_node]
        axes.plot([other, peer], [row, row], color=OTHER, lw=0.8, ls=":", zorder=1)
        axes.plot(other, row, "s", color=OTHER, ms=3.5)


def _short(event: Event) -> str:
    """A few words for the margin."""
    if event.kind != "try":
        return _NAMES.get(event.kind, event.kind.replace("_", " ")) + (
            f" ({event.cause.replace('_', ' ')})" if event.cause and event.kind != "resent" else ""
        )
    if event.cause is None:
        return "handed over" if event.peer is not None else "sent as a broadcast"
    said = f"try {event.tries}: {event.cause.replace('_', ' ')}"
    if event.by_frame is not None:
        said += f", {words.FRAMES[event.by_frame]} of {event.by_node}"
    if event.relation == "hidden":
        said += ", hidden"
    return said


_NAMES = {"rto": "time-out", "resent": "sent again", "gave_up": "gave up"}
