"""docs/where-it-runs.md says of each protocol what its mechanisms say that they need."""

import json
import re
from pathlib import Path

import pytest

from hopwright._cli.main import main
from hopwright._io.data import Json, at, items

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "where-it-runs.md").read_text()
KERNEL = (ROOT / "crates" / "kernel" / "src" / "mechanisms.rs").read_text()

OF_ANY_PEER = {"sent-times", "rounds", "selective-acks", "timestamps"}
OF_BOTH_ENDS = {"order", "notices", "requests", "rates", "spacing"}
"""What an end needs that it can have by itself, and what it must be told by a peer of its kind."""


def said(capsys: pytest.CaptureFixture[str], *words: str) -> list[Json]:
    assert main(["protocols", *words, "--json"]) == 0
    found: list[Json] = json.loads(capsys.readouterr().out)
    return found


def test_every_protocol_is_there_with_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    needs = {
        (at(slot, "slot"), at(each, "id")): {str(need) for need in items(each, "needs")}
        for slot in said(capsys, "--slots")
        for each in items(slot, "mechanisms")
    }
    programs = {
        protocol: algorithm
        for algorithm, protocol in re.findall(
            r'Mechanism \{\s+id: "([^"]+)",.*?protocol: "([^"]+)"', KERNEL, re.DOTALL
        )
    }
    assert len(programs) == KERNEL.count("Mechanism {\n        id:")
    expected = []
    for protocol in said(capsys):
        name, source = at(protocol, "id"), at(protocol, "source")
        slots = at(protocol, "slots")
        if isinstance(slots, dict) and slots:
            wanted: set[str] = set().union(*(needs[place] for place in slots.items()))
            untold = sorted(wanted - OF_ANY_PEER - OF_BOTH_ENDS)
            words = [f"never told: {', '.join(untold)}"] if untold else []
            words += ["both ends"] if wanted & OF_BOTH_ENDS else []
            runs = "; ".join(words) or "whole"
        elif name == "udp":
            continue
        else:
            runs = "no: nodes between take part"
        kernel = f"`{programs[name]}`" if name in programs else ""
        expected.append(f"| `{name}` | {source} | {runs} | {kernel} |")
    assert [line for line in PAGE.splitlines() if line.startswith("| `")] == expected
