"""Sweeps as the tests make them, and what they look at."""

import json
from pathlib import Path
from typing import Any

import polars as pl

import hopwright as hw
from hopwright.sweeps import Sweep
from tables import untimed

SHORT = {"duration_s": 2.0}
VARY = {"topology.hops": [3, 4], "flows.transport.protocol": ["reno", "vegas", "sack"]}


DATAGRAMS = """
[[flows]]
from = 3
to = 0
app = "cbr"
rate_kbps = 50
[flows.transport]
protocol = "udp"
"""


def swept(chain: Path, out: Path | None = None, **options: object) -> Sweep:
    """Six points with three runs each, unless said otherwise."""
    settings: dict[str, Any] = {"runs": 3, "overrides": SHORT} | options
    vary = settings.pop("vary", VARY)
    return hw.sweep(chain, vary, out=out, **settings)


def frame(sweep: Sweep) -> pl.DataFrame:
    """The table, without the time that runs took."""
    return untimed(sweep.table)


def lines(folder: Path) -> list[str]:
    """The journal's lines, each of which is whole."""
    found = (folder / "runs.jsonl").read_text().splitlines()
    assert all(isinstance(json.loads(line), dict) for line in found)
    return found
