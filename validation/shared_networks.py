"""Networks that Hopwright, ns-2 and ns-3 all read: written once, as files that each understands."""

import random
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reference import MOVEMENTS, movements

Place = tuple[float, float]

SPACING_M = 200
RANGE_M = 250
"""Nodes that are this near decode each other's frames."""
SQUARE_M = 9000
"""Area for each node, square metres: that of 50 nodes in the usual strip of 1500 m by 300 m."""


@dataclass(frozen=True)
class Flow:
    """A transfer by TCP NewReno or, if it has a rate, datagrams."""

    source: int
    destination: int
    start_s: float
    rate_bps: int | None = None
    payload_bytes: int = 1460

    def line(self) -> str:
        """As the scripts of ns-2 and ns-3 read it."""
        ends = f"{self.source} {self.destination} {self.start_s:.3f}"
        if self.rate_bps is None:
            return f"tcp {ends}"
        return f"udp {ends} {self.rate_bps} {self.payload_bytes}"

    def table(self) -> str:
        """As a scenario has it."""
        ends = f"from = {self.source}\nto = {self.destination}\nstart_s = {self.start_s:.3f}"
        if self.rate_bps is None:
            transport = "protocol = 'newreno', segment_bytes = 1460, window_limit_segments = 64"
            return f"[[flows]]\n{ends}\ntransport = {{ {transport} }}\n"
        rate = f"rate_kbps = {self.rate_bps / 1000}\npayload_bytes = {self.payload_bytes}"
        return f"[[flows]]\n{ends}\napp = 'cbr'\n{rate}\njitter = 0.5\ntransport.protocol = 'udp'\n"


@dataclass(frozen=True)
class Network:
    """Who is where, who sends what to whom, and who finds the way."""

    movements: str
    """In ns-2's format: also of nodes that stand still."""
    nodes: int
    area: Place
    routing: str
    flows: tuple[Flow, ...]
    routes: str = ""
    """Lines "node destination next", if routing is static."""

    def write(self, folder: Path) -> None:
        """The files: `movements.tcl`, `flows`, `routes` and `scenario.toml`."""
        (folder / "movements.tcl").write_text(self.movements)
        (folder / "routes").write_text(self.routes)
        (folder / "flows").write_text("".join(f"{flow.line()}\n" for flow in self.flows))
        tables = "".join(flow.table() for flow in self.flows)
        (folder / "scenario.toml").write_text(f"""
            profile = "ns2"
            duration_s = 12
            topology = {{ kind = "ns2", file = '{folder / "movements.tcl"}' }}
            routing.protocol = "{self.routing}"
            {tables}
        """)


def string(hops: int) -> Network:
    """A transfer from one end of a string to the other."""
    places = [(10.0 + SPACING_M * node, 50.0) for node in range(hops + 1)]
    return _standing(places, [Flow(0, hops, 1.0)])


def grid(side: int) -> Network:
    """Transfers along the outer rows of a grid and the middle one."""
    places = [
        (10.0 + SPACING_M * column, 10.0 + SPACING_M * row)
        for row in range(side)
        for column in range(side)
    ]
    rows = (0, side // 2, side - 1)
    return _standing(places, [Flow(row * side, row * side + side - 1, 1.0) for row in rows])


def strip(routing: str, *, file: str = "rwp_strip_v10_s1.tcl") -> Network:
    """A transfer between two of 50 nodes that move in a strip of 1500 m by 300 m."""
    (row,) = (row for row in movements() if row["file"] == file)
    flows = (Flow(int(row["src"]), int(row["dst"]), 5.0),)
    return Network((MOVEMENTS / file).read_text(), 50, (1500.0, 300.0), routing, flows)


def manet(routing: str) -> Network:
    """Ten flows of small datagrams among 50 nodes at 20 m/s in a strip of 1500 m by 300 m.

    As ns-3's example `manet-routing-compare` has it: 64 bytes, four times a second.
    """
    stream = random.Random(1)  # noqa: S311 - a drawing, not a secret
    area = (1500.0, 300.0)
    starts = [stream.uniform(10, 11) for _ in range(10)]
    flows = [Flow(node, node + 10, start, 2048, 64) for node, start in enumerate(starts)]
    lines = _walks(stream, _scattered(stream, 50, area), area, until_s=120, speeds=(19, 20))
    return Network("\n".join(lines) + "\n", 50, area, routing, tuple(flows))


def anywhere(nodes: int, flows: int, until_s: float, routing: str = "aodv") -> Network:
    """Datagrams between nodes that may be anywhere in a square; all move by random waypoint."""
    stream = random.Random(1)  # noqa: S311 - a drawing, not a secret
    side = (SQUARE_M * nodes) ** 0.5
    area = (side, side)
    pairs = [stream.sample(range(nodes), 2) for _ in range(flows)]
    sending = [_datagrams(source, there, stream.uniform(0, 2)) for source, there in pairs]
    lines = _walks(stream, _scattered(stream, nodes, area), area, until_s, speeds=(4, 10))
    return Network("\n".join(lines) + "\n", nodes, area, routing, tuple(sending))


def local(nodes: int, until_s: float, routing: str) -> Network:
    """Datagrams from one node in ten to the nearest beyond 300 m.

    Over static routes all stand still, otherwise they move about their homes.
    """
    stream = random.Random(1)  # noqa: S311 - a drawing, not a secret
    side = (SQUARE_M * nodes) ** 0.5
    area = (side, side)
    homes = _scattered(stream, nodes, area)
    near = _Near(homes, 300)
    sending = []
    for source in range(0, nodes, 10):
        found = ((near.square(source, other), other) for other in near.around(source, cells=3))
        there = min((square, other) for square, other in found if square > 300**2)[1]
        sending.append(_datagrams(source, there, stream.uniform(0, 1)))
    if routing == "static":
        return _standing(homes, sending)
    lines = _walks(stream, homes, area, until_s, speeds=(4, 10), within_m=50)
    return Network("\n".join(lines) + "\n", nodes, area, routing, tuple(sending))


def _datagrams(source: int, there: int, start_s: float) -> Flow:
    """Four of 500 bytes a second."""
    return Flow(source, there, start_s, 16_000, 500)


def _scattered(stream: random.Random, nodes: int, area: Place) -> list[Place]:
    return [(stream.uniform(0, area[0]), stream.uniform(0, area[1])) for _ in range(nodes)]


def _standing(places: list[Place], flows: list[Flow]) -> Network:
    """Nodes that stand still, over the shortest ways."""
    text = "\n".join(line for node, place in enumerate(places) for line in _at(node, place)) + "\n"
    width, height = (max(axis) + 50 for axis in zip(*places, strict=True))
    routes = "".join(f"{node} {to} {step}\n" for node, to, step in _shortest(places, flows))
    return Network(text, len(places), (width, height), "static", tuple(flows), routes)


def _at(node: int, place: Place) -> Iterator[str]:
    for axis, metres in zip("XYZ", (*place, 0.0), strict=True):
        yield f"$node_({node}) set {axis}_ {metres:.3f}"


def _walks(
    stream: random.Random,
    places: Iterable[Place],
    area: Place,
    until_s: float,
    speeds: Place,
    within_m: float | None = None,
) -> Iterator[str]:
    """Random waypoints without pauses, in all of the area or `within_m` of where a node began."""
    for node, home in enumerate(places):
        yield from _at(node, home)
        now, here = 0.0, home
        while now < until_s:
            low, high = (0.1, 0.1), area
            if within_m is not None:
                low = (max(home[0] - within_m, 0.1), max(home[1] - within_m, 0.1))
                high = (min(home[0] + within_m, area[0]), min(home[1] + within_m, area[1]))
            to = (stream.uniform(low[0], high[0]), stream.uniform(low[1], high[1]))
            speed = stream.uniform(*speeds)
            yield f'$ns_ at {now:.3f} "$node_({node}) setdest {to[0]:.3f} {to[1]:.3f} {speed:.3f}"'
            now += ((to[0] - here[0]) ** 2 + (to[1] - here[1]) ** 2) ** 0.5 / speed + 0.001
            here = to


class _Near:
    """Who is near whom: nodes by the cell in which they are."""

    def __init__(self, places: list[Place], cell_m: float) -> None:
        self.places = places
        self._cell_m = cell_m
        self._cells: dict[tuple[int, int], list[int]] = {}
        for node, place in enumerate(places):
            self._cells.setdefault(self._cell(place), []).append(node)

    def _cell(self, place: Place) -> tuple[int, int]:
        return int(place[0] / self._cell_m), int(place[1] / self._cell_m)

    def around(self, node: int, cells: int = 1) -> Iterator[int]:
        """Nodes in cells that are at most so many away."""
        column, row = self._cell(self.places[node])
        steps = range(-cells, cells + 1)
        for x in steps:
            for y in steps:
                yield from self._cells.get((column + x, row + y), ())

    def square(self, a: int, b: int) -> float:
        """Their distance's square, square metres."""
        (ax, ay), (bx, by) = self.places[a], self.places[b]
        return (ax - bx) ** 2 + (ay - by) ** 2


def _shortest(places: list[Place], flows: Iterable[Flow]) -> Iterator[tuple[int, int, int]]:
    """On each flow's way there and back: node, destination, next node. No way: none."""
    near = _Near(places, RANGE_M)
    found = {}
    for flow in flows:
        for source, end in ((flow.source, flow.destination), (flow.destination, flow.source)):
            steps = _towards(end, source, near)
            node = source
            while node in steps:
                found[node, end] = steps[node]
                node = steps[node]
    for (node, end), step in sorted(found.items()):
        yield node, end, step


def _towards(end: int, source: int, near: _Near) -> Mapping[int, int]:
    """The next node of each that is no farther from the end than the source, breadth first."""
    steps: dict[int, int] = {}
    ahead = deque([end])
    while ahead and source not in steps:
        node = ahead.popleft()
        for other in sorted(near.around(node)):
            if other != end and other not in steps and near.square(node, other) <= RANGE_M**2:
                steps[other] = node
                ahead.append(other)
    return steps
