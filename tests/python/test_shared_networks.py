"""Networks that ns-2 and ns-3 read, too: what stands in their files."""

import sys
from pathlib import Path

import pytest

from hopwright._io.data import items, number

sys.path.insert(0, str(Path(__file__).parents[2] / "validation"))

from own import run_text
from shared_networks import RANGE_M, Network, anywhere, grid, local, manet, string


def places(network: Network) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for line in network.movements.splitlines():
        if " set " in line:
            node, rest = line.split(")")
            _, axis, metres = rest.split()
            found.setdefault(int(node.split("(")[1]), {})[axis] = float(metres)
    return found


@pytest.mark.parametrize(
    "network", [string(1), string(8), grid(5), local(300, 0, "static")], ids=lambda n: str(n.nodes)
)
def test_static_routes_lead_there_and_back_by_links_that_are_there(network: Network) -> None:
    at = places(network)
    assert sorted(at) == list(range(network.nodes))
    steps = {}
    for line in network.routes.splitlines():
        node, end, step = map(int, line.split())
        squares = [(at[node][axis] - at[step][axis]) ** 2 for axis in ("X_", "Y_")]
        assert sum(squares) <= RANGE_M**2
        steps[node, end] = step
    reached = 0
    for flow in network.flows:
        for source, end in ((flow.source, flow.destination), (flow.destination, flow.source)):
            node = source
            while node != end and (node, end) in steps:
                node = steps[node, end]
            reached += node == end
    # Scattered nodes may have no way; a string and a grid have all.
    assert reached >= (1.9 if network.nodes == 300 else 2) * len(network.flows)


@pytest.mark.parametrize(
    "network",
    [string(2), manet("aodv"), anywhere(100, 10, 12), local(100, 6, "aodv")],
    ids=["transfer", "small", "anywhere", "local"],
)
def test_a_network_runs_and_delivers(network: Network, tmp_path: Path) -> None:
    network.write(tmp_path)
    lines = (tmp_path / "flows").read_text().splitlines()
    assert len(lines) == len(network.flows)
    kinds = {"tcp" if flow.rate_bps is None else "udp" for flow in network.flows}
    assert {line.split()[0] for line in lines} == kinds
    (result,) = run_text((tmp_path / "scenario.toml").read_text(), [1], jobs=1)
    flows = items(result, "flows")
    assert len(flows) == len(network.flows)
    assert sum(number(flow, "received_bps") or 0 for flow in flows) > 0


def test_movements_stay_in_the_area() -> None:
    network = local(100, 6, "aodv")
    width, height = network.area
    walks = [line.split() for line in network.movements.splitlines() if "setdest" in line]
    assert len(walks) >= network.nodes
    for words in walks:
        assert 0 <= float(words[-3]) <= width
        assert 0 <= float(words[-2]) <= height
