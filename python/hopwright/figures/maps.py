"""A network seen from above: nodes at their places, links, the ends of flows, a scale."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwright.figures.layout import head, legend_below
from hopwright.figures.look import Look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

POINTS = 72.0
"""Points of an inch."""
NODE_PT, DOT_PT, END_PT = 10.0, 3.2, 9.0
"""Diameters: of a node with its number inside, of one with its number beside, of a flow's end."""
MARGIN_IN = 0.14
TALLEST_IN = 4.5
BELOW_IN = 0.22
"""For the scale."""
LETTER_PT = 5.5

Place = tuple[float, float]


@dataclass(frozen=True)
class Plan:
    """Nodes on paper."""

    positions: Sequence[Place]
    """Metres."""
    flows: Sequence[tuple[int, int]]
    """From, to."""
    width_in: float
    height_in: float
    """With its scale, without title and legend."""
    scale: float
    """Inches on paper of a metre."""
    down: frozenset[int]
    """Nodes whose radio is off."""

    @classmethod
    def of(
        cls,
        positions: Sequence[Place],
        flows: Sequence[tuple[int, int]],
        *,
        down: Collection[int],
        width_in: float,
    ) -> "Plan":
        """Lays it out as large as the paper allows.

        Raises `ValueError` where there are no nodes, a place is no number, or a flow's end or what
        is down no node.
        """
        places = [(float(x), float(y)) for x, y in positions]
        if not places:
            raise ValueError("positions: there are no nodes")
        for node, place in enumerate(places):
            if not all(math.isfinite(metres) for metres in place):
                raise ValueError(f"positions: node {node} is at {place}, which cannot be drawn")
        for ends in flows:
            check_nodes(ends, len(places), "flows")
        check_nodes(down, len(places), "down")
        across = max(x for x, _ in places) - min(x for x, _ in places)
        upward = max(y for _, y in places) - min(y for _, y in places)
        room = width_in - 2 * MARGIN_IN
        scale = min(room / across if across else math.inf, TALLEST_IN / upward if upward else 1e300)
        if not math.isfinite(scale) or scale > 1e200:
            scale = 0.01  # a single place
        height = max(upward * scale, 0.1) + 2 * MARGIN_IN + BELOW_IN
        ends_of = [(int(a), int(b)) for a, b in flows]
        return cls(places, ends_of, width_in, height, scale, frozenset(down))

    @property
    def is_roomy(self) -> bool:
        """Whether nodes are far enough apart to have their numbers inside."""
        nearest = min(
            (math.dist(a, b) for n, a in enumerate(self.positions) for b in self.positions[:n]),
            default=math.inf,
        )
        return nearest * self.scale * POINTS >= NODE_PT * 1.15

    def role(self, node: int) -> str:
        """What a node is to the flows: `source`, `destination`, `both`, or nothing."""
        sends = any(node == source for source, _ in self.flows)
        receives = any(node == sink for _, sink in self.flows)
        return "both" if sends and receives else "source" if sends else "destination" * receives

    def radius_pt(self, node: int) -> float:
        """Half the size of the node's mark."""
        if self.is_roomy:
            return NODE_PT / 2
        return (END_PT if self.role(node) else DOT_PT) / 2


def check_nodes(nodes: Collection[int], count: int, what: str) -> None:
    """Raises `ValueError` for a number that is no node's."""
    for node in nodes:
        if not 0 <= node < count:
            raise ValueError(f"{what}: there is no node {node}; nodes are 0 to {count - 1}")


def draw_plan(
    drawing: "Drawing",
    plan: Plan,
    links: Sequence[tuple[int, int]],
    *,
    title: str,
) -> "tuple[Axes, list[Artist], list[str]]":
    """Draws links, nodes, ends and a scale; returns the axes and what the legend is to say."""
    from matplotlib.collections import LineCollection

    # Laid out by hand: a metre is as long upwards as across.
    drawing.set_layout_engine("none")
    head(drawing, title)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    xs, ys = [x for x, _ in plan.positions], [y for _, y in plan.positions]
    left, low = min(xs), min(ys)
    half = plan.width_in / plan.scale / 2
    axes.set_xlim((left + max(xs)) / 2 - half, (left + max(xs)) / 2 + half)
    bottom = low - (MARGIN_IN + BELOW_IN) / plan.scale
    axes.set_ylim(bottom, bottom + plan.height_in / plan.scale)
    places = plan.positions
    axes.add_collection(
        LineCollection(
            [(places[a], places[b]) for a, b in links], colors="0.75", linewidths=0.5, zorder=1
        ),
        autolim=False,
    )
    _draw_scale(axes, plan, left, bottom + BELOW_IN / plan.scale * 0.5)
    _draw_nodes(axes, plan)
    return axes, *_legend(plan)


def check_look(look: Look, plan: Plan, title: str, legend: Sequence[str] = ()) -> None:
    """Raises `InputError` for labels of what a map has not, and for colours."""
    look.check((), (title, *_legend(plan)[1], *legend))
    look.check_grey("a map")


def add_legend(
    drawing: "Drawing",
    plan: Plan,
    axes: "Axes",
    handles: "Sequence[Artist]",
    names: Sequence[str],
    look: Look,
) -> None:
    """Puts a legend below, if there is anything to say, and the axes between it and the title."""
    above = drawing.get_size_inches()[1]
    if names:
        legend_below(drawing, handles, [look.text(name) for name in names])
    whole = drawing.get_size_inches()[1]
    axes.set_position((0, (whole - above) / whole, 1, plan.height_in / whole))


def _draw_scale(axes: "Axes", plan: Plan, left: float, y: float) -> None:
    length = 10 ** math.floor(math.log10((plan.width_in / 3) / plan.scale))
    for step in (5, 2):
        if step * length * plan.scale <= plan.width_in / 3:
            length *= step
            break
    tick = 0.025 / plan.scale
    axes.plot(
        [left, left, left, left + length, left + length, left + length],
        [y - tick, y + tick, y, y, y - tick, y + tick],
        color="black",
        ls="-",
        lw=0.8,
    )
    axes.text(left + length + 2 * tick, y, f"{length:g} m", va="center", ha="left", fontsize=7)


MARKS = {
    "": ("o", "white", "black", 0.6),
    "source": ("s", "black", "white", 0.6),
    "destination": ("s", "white", "black", 1.6),
    "both": ("s", "0.5", "white", 1.6),
}
"""Of a node by its role: form, filling, colour of its number, weight of its edge."""
DOWN = "0.6"
"""Colour of the edge and the number of a node that is down, which is hollow."""


def _draw_nodes(axes: "Axes", plan: Plan) -> None:
    roomy = plan.is_roomy
    for node, (x, y) in enumerate(plan.positions):
        role = plan.role(node)
        form, filling, ink, edge = MARKS[role]
        inside = roomy or bool(role)
        is_down = node in plan.down
        if is_down:
            filling, ink = "white", DOWN
        elif not inside:
            filling = "0.35"
        axes.plot(
            [x],
            [y],
            marker=form,
            ms=2 * plan.radius_pt(node),
            mfc=filling,
            mec=DOWN if is_down else "black",
            mew=edge if inside else 0.6 * is_down,
            ls="",
            zorder=6 if role else 5,
        )
        if inside:
            size = 6.0 if node < 100 else 4.5
            axes.text(
                x,
                y,
                str(node),
                ha="center",
                va="center_baseline",
                fontsize=size,
                color=ink,
                zorder=7,
            )
    if not roomy:
        _number_beside(axes, plan)


def _number_beside(axes: "Axes", plan: Plan) -> None:
    """Numbers where they cover neither nodes nor each other; without room for it, none."""
    points = plan.scale * POINTS
    taken = [
        (x * points - r, y * points - r, x * points + r, y * points + r)
        for node, (x, y) in enumerate(plan.positions)
        for r in (plan.radius_pt(node),)
    ]
    for node, (x, y) in enumerate(plan.positions):
        if plan.role(node):
            continue
        width, height = 0.52 * LETTER_PT * len(str(node)), 0.75 * LETTER_PT
        away = DOT_PT / 2 + 0.8
        for side, up in ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)):
            slant = 0.6 if side and up else 1.0
            left = x * points + side * (away * slant + width / 2) - width / 2
            bottom = y * points + up * (away * slant + height / 2) - height / 2
            box = (left, bottom, left + width, bottom + height)
            if any(_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            axes.text(
                (left + width / 2) / points,
                (bottom + height / 2) / points,
                str(node),
                ha="center",
                va="center_baseline",
                fontsize=LETTER_PT,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.2},
                zorder=4,
            )
            break


Box = tuple[float, float, float, float]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend(plan: Plan) -> "tuple[list[Artist], list[str]]":
    from matplotlib.lines import Line2D

    roles = {plan.role(node) for node in range(len(plan.positions))}
    words = {"source": "source", "destination": "destination", "both": "source and destination"}
    shown = [role for role in words if role in roles]
    handles: list[Artist] = []
    for role in shown:
        form, filling, _, edge = MARKS[role]
        handles.append(Line2D([], [], ls="", marker=form, ms=6, mfc=filling, mec="black", mew=edge))
    names = [words[role] for role in shown]
    if plan.down:
        handles.append(Line2D([], [], ls="", marker="o", ms=6, mfc="white", mec=DOWN, mew=0.6))
        names.append("down")
    return handles, names
