"""Made-up sweeps to compare."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from arro3.core import Table
from arro3.io import write_parquet

from hopwright.comparisons import compare_sweep
from hopwright.comparisons.contrast import Contrast
from hopwright.comparisons.outcome import Comparison
from hopwright.results.tidy import column_of
from hopwright.statistics.intervals import Interval
from hopwright.statistics.sample import Numbers
from hopwright.sweeps.plan import Plan, Rule, to_json
from hopwright.sweeps.points import Point

ROOT = Path(__file__).parents[2]
PROTOCOL = "flows.transport.protocol"
Row: TypeAlias = Mapping[str, object]
Runs: TypeAlias = Mapping[int, Sequence[Row]]
"""Rows of each run's flows, by seed."""


def sweep_of(folder: Path, points: Sequence[tuple[Mapping[str, object], Runs]]) -> Path:
    """A sweep's folder with such results."""
    keys = list(points[0][0])
    rows: list[dict[str, Any]] = [
        {**settings, "point": f"{index:016x}", "seed": seed, "flow": flow, **row}
        for index, (settings, runs) in enumerate(points)
        for seed, flows in runs.items()
        for flow, row in enumerate(flows)
    ]
    plan = Plan(
        version="0",
        build="0" * 12,
        name="made-up",
        base="",
        seed=1,
        axes=tuple(f"{key}=made,up" for key in keys),
        design="product",
        count=None,
        points=tuple(
            Point(f"{index:016x}", dict(settings))  # type: ignore[arg-type]
            for index, (settings, _) in enumerate(points)
        ),
        rule=Rule(1, None, "goodput_bps", 1),
        shard=None,
    )
    folder.mkdir()
    (folder / "sweep.json").write_text(to_json(plan))
    names = dict.fromkeys(name for row in rows for name in row)
    table = Table.from_pydict({name: column_of([row.get(name) for row in rows]) for name in names})
    with (folder / "results.parquet").open("wb") as file:
        write_parquet(table, file)
    return folder


def goodputs(values: Numbers, first: int = 1) -> Runs:
    """A run of one flow for each goodput in kb/s."""
    return {
        seed: [{"protocol": "reno", "goodput_bps": 1000.0 * float(value)}]
        for seed, value in enumerate(values, first)
    }


def protocols(folder: Path, **runs: Runs) -> Path:
    """A sweep over protocols; `sca_reno` stands for `sca-reno`."""
    return sweep_of(folder, [({PROTOCOL: k.replace("_", "-")}, v) for k, v in runs.items()])


def known(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def one(folder: Path, **options: object) -> tuple[Comparison, Contrast, str]:
    """The only comparison in a folder, and its sentence on one line."""
    found = compare_sweep(folder, baseline="reno", **options)  # type: ignore[arg-type]
    assert len(found.contrasts) == 1
    assert len(found.sentences) == 1
    assert all(len(line) <= 80 for line in str(found).splitlines())
    return found, found.contrasts[0], found.sentences[0]


NOISE = np.random.default_rng(1).normal(0, 20, 30)
OWN = np.random.default_rng(2).normal(0, 4, 30)
