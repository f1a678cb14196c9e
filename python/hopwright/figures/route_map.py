"""Route maps: over which links packets went."""

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.in_python import in_python
from hopwright.figures.figure import Figure, columns
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.maps import Place, Plan, add_legend, check_look, check_nodes, draw_plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

THINNEST_PT, THICKEST_PT = 0.4, 3.6
LEAST = 0.02
"""Where nodes have moved, a link with a smaller share is not drawn."""
SHARES = (1.0, 0.5, 0.1)
"""What the legend shows the width of."""
SHARE_NAMES = ("all packets", *(f"{100 * share:.0f} %" for share in SHARES[1:]))
BEND = 0.15
"""Of an arrow that has another beside it, of its length."""
BELLY_IN = 0.1
"""How far such an arrow may go from the straight line: less than the margin of a map."""
DARK = "0.2"
DASHES: tuple[float, tuple[float, float]] = (0, (2.5, 1.5))
APART = "out of range at these positions"


@in_python
def route_map(
    positions: Sequence[Place],
    links: Sequence[tuple[int, int, int]],
    *,
    range_m: float,
    flows: Sequence[tuple[int, int]] = (),
    down: Collection[int] = (),
    title: str = "",
    look: Look = PLAIN,
) -> Figure:
    """Draws a topology map, and an arrow over each link that carried packets.

    `links`: from, to, packets, as `_core.RunResult.links` has them. The wider an arrow, the larger
    its share of the packets that left the sources of `flows`; without flows, of the busiest link's.
    An arrow is dashed, as the legend says, where the nodes, at these positions, are out of range,
    or one of them is `down`: they have moved, or it was up at another time. Then links with less
    than 2 % of the packets, of which there may be hundreds, are not drawn. The data's columns, of
    all links: `from`, `to`, `packets`, `share`.

    Raises `ValueError` as `topology_map`, and for links between no nodes.
    """
    plan = Plan.of(positions, flows, down=down, width_in=look.width_in)
    check_look(look, plan, title, (*SHARE_NAMES, APART))
    for start, end, packets in links:
        check_nodes((start, end), len(plan.positions), "links")
        if start == end or packets < 0:
            raise ValueError(f"links: {packets} packets from node {start} to node {end}")
    sources = {source for source, _ in plan.flows}
    left = sum(packets for start, _, packets in links if start in sources)
    most = max((packets for _, _, packets in links), default=0)
    whole = left or most or 1
    joined = _core.links(list(plan.positions), range_m, set(down))
    near = set(joined)
    used = [link for link in links if link[2] > 0]
    has_moved = any(_pair(link) not in near for link in used)
    shown = [link for link in used if not has_moved or link[2] >= LEAST * whole]
    shown.sort(key=lambda link: link[2])
    ends = {(start, end) for start, end, _ in shown}

    def draw(drawing: "Drawing") -> None:
        from matplotlib.lines import Line2D

        axes, handles, names = draw_plan(drawing, plan, joined, title=look.text(title))
        for start, end, packets in shown:
            bend = _bend(plan, (start, end)) if (end, start) in ends else 0.0
            is_near = _pair((start, end)) in near
            _draw_arrow(axes, plan, (start, end), _weight(packets / whole), bend, is_near)
        handles += [Line2D([], [], ls="-", color=DARK, lw=_weight(share)) for share in SHARES]
        names += SHARE_NAMES
        if has_moved:
            handles.append(Line2D([], [], ls=DASHES, color=DARK, lw=_weight(SHARES[-1])))
            names.append(APART)
        add_legend(drawing, plan, axes, handles, names, look)

    rows = ((start, end, packets, packets / whole) for start, end, packets in links)
    data = columns(("from", "to", "packets", "share"), rows)
    return Figure(draw, data, height_in=plan.height_in, width_in=plan.width_in)


def _pair(link: Sequence[int]) -> tuple[int, int]:
    """The two nodes of a link as `_core.links` has them, the lower one first."""
    return min(link[:2]), max(link[:2])


def _bend(plan: Plan, link: Sequence[int]) -> float:
    """How much an arrow beside another is bent: a long one less, so that it stays on the paper."""
    length_in = math.dist(*(plan.positions[node] for node in link)) * plan.scale
    return min(BEND, 2 * BELLY_IN / length_in) if length_in else BEND


def _weight(share: float) -> float:
    return THINNEST_PT + (THICKEST_PT - THINNEST_PT) * min(share, 1.0)


def _draw_arrow(
    axes: "Axes",
    plan: Plan,
    link: tuple[int, int],
    weight: float,
    bend: float,
    is_near: bool,
) -> None:
    from matplotlib.patches import FancyArrowPatch

    start, end = link
    axes.add_patch(
        FancyArrowPatch(
            plan.positions[start],
            plan.positions[end],
            arrowstyle="-|>",
            mutation_scale=5 + 1.6 * weight,
            shrinkA=plan.radius_pt(start) + 0.5,
            shrinkB=plan.radius_pt(end) + 0.5,
            connectionstyle=f"arc3,rad={bend}",
            color=DARK,
            linewidth=weight,
            linestyle="-" if is_near else DASHES,
            joinstyle="miter",
            capstyle="butt",
            zorder=3,
        )
    )
