"""Flows that are alike: as many for every pair, drawn or named."""

from pathlib import Path

import hopwright as hw
from hopwright import _core
from hopwright.results.network import network_of

RANDOM = """
duration_s = 5
topology = { kind = "random", nodes = 12 }
area = { width_m = 400, height_m = 400 }
routing.protocol = "aodv"
[[flows]]
pairs = "random"
count = 3
"""

CHAIN = """
duration_s = 20
topology = { kind = "chain", hops = 2 }
[[flows]]
from = 0
to = 2
parallel = 2
transport.cwnd_limit_segments = 4
"""


def ends(text: str) -> list[tuple[int, int]]:
    return list(network_of(_core.parse(text, "a.toml", [])).flows)


def measured(folder: Path, **overrides: object) -> dict[str, list[float]]:
    """Columns of the table of flows of one run."""
    (folder / "chain.toml").write_text(CHAIN)
    names = {name.replace("__", "."): value for name, value in overrides.items()}
    flows = hw.run(hw.load(folder / "chain.toml", names), jobs=1).flows
    columns = ("from", "to", "goodput_bps", "max_cwnd_segments", "mean_cwnd_segments")
    return {name: [float(value) for value in flows[name].to_pylist()] for name in columns}


def test_each_drawn_pair_has_as_many_flows_and_the_pairs_stay() -> None:
    single = ends(RANDOM)
    assert len(set(single)) == 3
    assert ends(RANDOM + "parallel = 2\n") == [pair for pair in single for _ in range(2)]


def test_parallel_flows_share_what_one_would_have(tmp_path: Path) -> None:
    both, alone = measured(tmp_path), measured(tmp_path, flows__parallel=1)
    assert (both["from"], both["to"]) == ([0, 0], [2, 2])
    assert alone["from"] == [0]
    total = sum(both["goodput_bps"])
    assert 0.8 < total / alone["goodput_bps"][0] < 1.2
    assert min(both["goodput_bps"]) > 0.2 * total


def test_the_largest_window_is_the_limit_where_nothing_is_lost(tmp_path: Path) -> None:
    found = measured(tmp_path, flows__parallel=1)
    assert found["max_cwnd_segments"] == [4]
    assert found["mean_cwnd_segments"][0] < 4
    late = measured(tmp_path, flows__parallel=1, warm_up_s=10)
    assert late["max_cwnd_segments"] == late["mean_cwnd_segments"] == [4]
