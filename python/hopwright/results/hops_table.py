"""The per-hop report as a person reads it."""

from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopwright._io.console import Whole, standard_output
from hopwright._io.data import Json, items, number
from hopwright.results.nodes import name_of
from hopwright.results.table import show

Cell = tuple[str, str, float, int]
"""Title, key, scale, decimals."""

LINK_CELLS: tuple[Cell, ...] = (
    ("tries", "tries", 1, 0),
    ("handed\nover", "handed_over", 1, 0),
    ("given\nup", "given_up", 1, 0),
    ("lost\nRTS", "lost.rts", 1, 0),
    ("lost\nCTS", "lost.cts", 1, 0),
    ("lost\ndata", "lost.data", 1, 0),
    ("lost\nACK", "lost.ack", 1, 0),
    ("air\n%", "airtime_share", 100, 1),
    ("service\nms", "mean_service_s", 1e3, 1),
    ("false\nbreaks", "false_route_breaks", 1, 0),
)
NODE_CELLS: tuple[Cell, ...] = (
    ("sent\n%", "sent_share", 100, 1),
    ("busy\n%", "busy_share", 100, 1),
    ("mean\nqueue", "mean_queue_packets", 1, 2),
    ("longest\nqueue", "longest_queue_packets", 1, 0),
)
HOP_CELLS: tuple[Cell, ...] = (
    ("packets", "packets", 1, 0),
    ("mean\ntries", "mean_tries", 1, 2),
    ("service\nms", "mean_service_s", 1e3, 1),
    ("in service\n%", "service_share", 100, 1),
)
MOST_ROWS = 40
"""Of larger networks, those with the most to do are shown."""


def print_hops(hops: Json, names: Sequence[str] = (), console: Console | None = None) -> None:
    """Prints the report on standard output. `names`: of all nodes, if they have any."""
    console = console or standard_output()

    def node(row: Json, key: str = "node") -> str:
        return name_of(names, int(number(row, key) or 0))

    def link(row: Json) -> str:
        return f"{node(row, 'from')} → {node(row, 'to')}"

    console.print()
    console.print(Whole(_table("link", items(hops, "links"), LINK_CELLS, link, "tries")))
    console.print()
    console.print(Whole(_table("node", items(hops, "nodes"), NODE_CELLS, node, "busy_share")))
    for flow in items(hops, "flows"):
        table = _table("hop", items(flow, "hops"), HOP_CELLS, link, "service_share")
        table.title, table.title_justify = f"flow {show(number(flow, 'flow'))}, data", "left"
        console.print()
        console.print(Whole(table))
        held_back = items(flow, "held_back_by") if _is_held_back(flow) else None
        if held_back:
            hop = link({"from": held_back[0], "to": held_back[1]})
            console.print(f"held back by the hop {hop}", markup=False)


def _is_held_back(flow: Json) -> bool:
    return isinstance(flow, dict) and isinstance(flow.get("held_back_by"), list)


def _table(
    what: str,
    rows: list[Json],
    cells: tuple[Cell, ...],
    name: Callable[[Json], str],
    weight: str,
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column(what, vertical="bottom", no_wrap=True)
    for title, *_ in cells:
        table.add_column(title, justify="right", no_wrap=True)
    heaviest = sorted(rows, key=lambda row: -(number(row, weight) or 0.0))[:MOST_ROWS]
    for row in (row for row in rows if row in heaviest):
        values = (
            show(number(row, *key.split(".")), scale=scale, decimals=decimals)
            for _, key, scale, decimals in cells
        )
        table.add_row(Text(name(row)), *values)
    if len(rows) > MOST_ROWS:
        table.caption = f"the {MOST_ROWS} with the most to do, of {len(rows)}; summary.json has all"
    return table
