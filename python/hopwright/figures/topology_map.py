"""Topology maps: where nodes are, and who can hear whom."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.in_python import in_python
from hopwright.figures.figure import Cell, Figure
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.maps import Place, Plan, add_legend, check_look, draw_plan

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@in_python
def topology_map(
    positions: Sequence[Place],
    *,
    range_m: float,
    flows: Sequence[tuple[int, int]] = (),
    down: Collection[int] = (),
    title: str = "",
    look: Look = PLAIN,
) -> Figure:
    """Draws nodes at their positions (metres), and a line between any that can hear each other.

    Both axes have the same scale. `range_m`: how far a frame can be received. `flows`: the numbers
    of sources and destinations. `down`: nodes whose radio is off: hollow and grey, without links.
    Where nodes crowd, numbers stand beside them; one without room is
    left out, but is in the data, whose columns are `node`, `x_m`, `y_m`, `neighbours`: the numbers
    of all that hear it.

    Raises `ValueError` for no nodes, positions that are no numbers, or flows or `down` of no nodes.
    """
    plan = Plan.of(positions, flows, down=down, width_in=look.width_in)
    check_look(look, plan, title)
    joined = _core.links(list(plan.positions), range_m, set(down))

    def draw(drawing: "Drawing") -> None:
        axes, handles, names = draw_plan(drawing, plan, joined, title=look.text(title))
        add_legend(drawing, plan, axes, handles, names, look)

    return Figure(draw, nodes(plan, joined), height_in=plan.height_in, width_in=plan.width_in)


def nodes(plan: Plan, joined: Sequence[tuple[int, int]]) -> dict[str, list[Cell]]:
    """The data of a map: a row a node."""
    near: list[list[int]] = [[] for _ in plan.positions]
    for one, other in joined:
        near[one].append(other)
        near[other].append(one)
    return {
        "node": list(range(len(near))),
        "x_m": [x for x, _ in plan.positions],
        "y_m": [y for _, y in plan.positions],
        "neighbours": [" ".join(map(str, sorted(each))) for each in near],
    }
