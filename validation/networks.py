"""Networks of any size to measure speed with: scenarios as text."""

import random
from collections.abc import Iterator
from pathlib import Path

RANDOM_WAYPOINT = "mobility = { model = 'random-waypoint', min_speed_mps = 4, max_speed_mps = 10 }"


def scattered(nodes: int) -> str:
    """Nodes in a strip that is as long as there are nodes, one in five with something to send.

    A strip 300 m wide, 30 m of it per node: a node hears 36 others wherever it is, but for the
    ends; in a square, the margins would make the networks differ. Each sends to the nearest node
    beyond 300 m, so that routes have two hops or three in a network of any size.
    """
    stream = random.Random(1)  # noqa: S311 - a drawing, not a secret
    places = [(stream.uniform(0, 30 * nodes), stream.uniform(0, 300)) for _ in range(nodes)]
    text = [
        "duration_s = 6",
        "routing.protocol = 'static'",
        "[topology]",
        "kind = 'positions'",
        f"list = {[list(place) for place in places]}",
    ]
    for source in range(0, nodes, 5):
        x, y = places[source]
        squares = [(there[0] - x) ** 2 + (there[1] - y) ** 2 for there in places]
        beyond = (node for node in range(nodes) if squares[node] > 300**2)
        nearest = min(beyond, key=squares.__getitem__)
        text += _datagrams(source, nearest, stream.uniform(0, 1))
    return "\n".join(text) + "\n"


def wandering(nodes: int, protocol: str, movements_file: Path) -> str:
    """Nodes that wander about their homes in a strip, one in ten with something to send.

    The strip is that of `scattered`, for its reason. Each sends to the nearest node beyond
    600 m, which is three hops away or four in a network of any size; and AODV's searches end after
    eight hops, or the small network would be flooded with less.
    """
    stream = random.Random(1)  # noqa: S311 - a drawing, not a secret
    length = 30 * nodes
    homes = [(stream.uniform(0, length), stream.uniform(0, 300)) for _ in range(nodes)]
    lines = []
    for node, (x, y) in enumerate(homes):
        lines += [
            f"$node_({node}) set {axis}_ {place:.3f}"
            for axis, place in zip("XYZ", (x, y, 0), strict=True)
        ]
        lines += _walk(stream, node, (x, y), length)
    movements_file.write_text("\n".join(lines) + "\n")
    text = [
        "duration_s = 9",
        f"routing.protocol = '{protocol}'",
        *(["routing.aodv.net_diameter = 8"] if protocol == "aodv" else []),
        f"topology = {{ kind = 'ns2', file = '{movements_file}' }}",
    ]
    for source in range(0, nodes, 10):
        x, y = homes[source]
        squares = [(there[0] - x) ** 2 + (there[1] - y) ** 2 for there in homes]
        beyond = (node for node in range(nodes) if squares[node] > 600**2)
        nearest = min(beyond, key=squares.__getitem__)
        text += _datagrams(source, nearest, stream.uniform(0, 2))
    return "\n".join(text) + "\n"


def _walk(
    stream: random.Random, node: int, home: tuple[float, float], length: float
) -> Iterator[str]:
    """Random waypoints within 250 m along the strip, at 4 to 10 m/s, for ten seconds."""
    now, (x, y) = 0.0, home
    while now < 10:
        to = (
            stream.uniform(max(0, home[0] - 250), min(length, home[0] + 250)),
            stream.uniform(0, 300),
        )
        speed = stream.uniform(4, 10)
        yield f'$ns_ at {now:.3f} "$node_({node}) setdest {to[0]:.3f} {to[1]:.3f} {speed:.3f}"'
        now += ((to[0] - x) ** 2 + (to[1] - y) ** 2) ** 0.5 / speed + 0.001
        x, y = to


def crowd(nodes: int, protocol: str, duration_s: float, *, moving: bool = True) -> str:
    """Nodes that move by random waypoint in a square, one in ten with something to send.

    Who gets it may be anywhere. The density is that of 50 nodes in the usual strip of 1500 m by
    300 m: 9000 square metres each.
    """
    stream = random.Random(1)  # noqa: S311 - a drawing, not a secret
    side = (9000 * nodes) ** 0.5
    text = [
        f"duration_s = {duration_s}",
        f"routing.protocol = '{protocol}'",
        f"topology = {{ kind = 'random', nodes = {nodes} }}",
        f"area = {{ width_m = {side:.0f}, height_m = {side:.0f} }}",
        *([RANDOM_WAYPOINT] if moving else []),
    ]
    for source in range(0, nodes, 10):
        there = stream.choice([node for node in range(nodes) if node != source])
        text += _datagrams(source, there, stream.uniform(0, 2))
    return "\n".join(text) + "\n"


def _datagrams(source: int, destination: int, start_s: float) -> list[str]:
    """Four datagrams a second."""
    return [
        "[[flows]]",
        f"from = {source}",
        f"to = {destination}",
        "app = 'cbr'",
        "rate_kbps = 16",
        "payload_bytes = 500",
        "jitter = 0.5",
        f"start_s = {start_s}",
        "transport.protocol = 'udp'",
    ]
