"""Whom nodes choose as multipoint relays, as papers' files ask for it."""

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from hopwright._io.errors import InputError
from hopwright._io.source import Source
from hopwright._run.execute import execute
from hopwright._schema.settings import overrides_of
from hopwright.research.papers import relays
from hopwright.research.papers.functions import network
from hopwright.research.papers.relays import Hello
from made_up import runs

HELLOS = [
    Hello(1.0, 0, {1: False, 2: False}),
    Hello(2.0, 0, {1: True}),
    Hello(2.5, 1, {0: True}),
    Hello(3.0, 0, {}),
    Hello(4.0, 0, {1: False, 2: True}),
]

STRING = """
name = "relays"
duration_s = 12

[topology]
kind = "positions"
list = [[0, 0], [200, 0], [400, 0], [600, 0], [800, 0], [750, 100]]

[routing]
protocol = "olsr"

[[flows]]
from = 0
to = 4
start_s = 11
"""
"""A to F of Papanastasiou's section 3.4: F in reach of D and E."""


def test_a_relay_is_one_until_its_node_says_otherwise() -> None:
    assert relays.chosen(HELLOS, 0, 0.5) == set()
    assert relays.chosen(HELLOS, 0, 1.5) == set()
    assert relays.chosen(HELLOS, 0, 3.5) == {1}
    assert relays.chosen(HELLOS, 0, 4.0) == {2}
    assert relays.chosen(HELLOS, 1, 4.0) == {0}


def test_where_one_choice_covers_all_two_hop_neighbours_it_is_made() -> None:
    # RFC 3626, section 8.3.1, by hand: who alone reaches a two-hop neighbour is a relay.
    right = {0: {1}, 1: {2}, 2: {1, 3}, 3: {2}, 4: {3}, 5: {3}}
    with runs(STRING) as (run,):
        for node, its in right.items():
            assert network.relay_count(run, node, 10) == len(its)
            assert {r for r in range(6) if network.is_relay(run, node, r, 10)} == its
        with pytest.raises(InputError, match="node 6: there are only nodes 0 to 5"):
            network.relay_count(run, 6, 1)
        with pytest.raises(InputError, match="node 6: there are only nodes 0 to 5"):
            network.is_relay(run, 1, 6, 1)
        with pytest.raises(InputError, match="at_s = 13: the run ends at 12 s"):
            network.relay_count(run, 2, 13)


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")
def test_hellos_are_read_as_tshark_reads_them(tmp_path: Path) -> None:
    scenario = Source(STRING, "test", ".").load(overrides_of(relays.recorded_keys()))
    execute(scenario, [1], jobs=1, folders=[tmp_path])
    ours: dict[str, set[str]] = defaultdict(set)
    for node in range(6):
        for each in relays.hellos((tmp_path / f"node-{node}.pcapng").read_bytes()):
            assert each.node == node
            named = {f"10.0.0.{n + 1}" for n, is_relay in each.relays.items() if is_relay}
            ours[f"10.0.0.{node + 1}"] |= named
    theirs: dict[str, set[str]] = defaultdict(set)
    for node in range(6):
        text = subprocess.run(
            ["tshark", "-r", tmp_path / f"node-{node}.pcapng", "-n", "-Y", "olsr", "-V"],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        address, is_hello, is_relay = "", False, False
        for line in text.splitlines():
            words = line.split()
            if "Originator Address:" in line:
                address = words[-1]
            elif "Message:" in line and "(" in line:
                is_hello = "HELLO" in line
            elif "Link Type:" in line:
                is_relay = "MPR Link" in line or int(words[-1].strip("()")) >> 2 == 2
            elif "Neighbor Address:" in line and is_hello and is_relay:
                theirs[address].add(words[-1])
    assert ours == theirs
    assert ours["10.0.0.3"] == {"10.0.0.2", "10.0.0.4"}
