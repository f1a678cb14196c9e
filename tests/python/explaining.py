"""The runs whose lineage the tests look at."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args, get_type_hints

import polars as pl

from hopwright import _core
from hopwright._io.data import Json, at
from hopwright._run.recorded import run_into
from hopwright.explain.events import EVENTS, OPTIONAL, Event, Lineage

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios" / "chain.toml"
SETTINGS = {
    "profile": "ns2",
    "routing.protocol": "aodv",
    "duration_s": "60",
    "output.series": "[]",
    "output.figures": "[]",
}


def recorded(
    folder: Path,
    scope: str,
    changed: Mapping[str, str] | None = None,
    more: str = "",
    seed: int = 1,
) -> tuple[Path, Json]:
    """NewReno over eight hops and AODV: false breaks, losses of both ways, spurious time-outs."""
    file = folder / "scenario.toml"
    file.write_text(SCENARIO.read_text() + more)
    settings = SETTINGS | {"output.lineage": scope} | dict(changed or {})
    scenario = _core.load(str(file), list(settings.items()))
    summary = run_into(folder / scope, scenario, [seed], jobs=1, overwrite=False)
    return folder / scope, at(summary, "results", 0)


def told_in(folder: Path, text: str, scope: str) -> Lineage:
    """The events of a run of a scenario's text."""
    scenario = _core.parse(text, "told.toml", [("output.lineage", scope)])
    run_into(folder / scope, scenario, [1], jobs=1, overwrite=False)
    return Lineage.read(folder / scope)


TYPES = {int: pl.Int64, float: pl.Float64, str: pl.String}


def made_up(
    folder: Path, rows: Sequence[Mapping[str, object]], flows: Sequence[Mapping[str, int]] = ()
) -> Lineage:
    """Events that never were, in the order of their numbers.

    `flows`: what the file says of them, as docs/lineage.md has it; empty: nothing.
    """
    columns = {}
    for name, hint in get_type_hints(Event).items():
        kind = next(kind for kind in (get_args(hint) or (hint,)) if kind in TYPES)
        cells = [row.get(name) for row in rows]
        if name == "id":
            cells = [*range(len(rows))]
        if name == "time_s":
            cells = [row.get(name, float(place)) for place, row in enumerate(rows)]
        if name not in OPTIONAL:
            columns[name] = pl.Series(cells, dtype=TYPES[kind])
    about = {"flows": json.dumps(flows)} if flows else {}
    folder.mkdir(exist_ok=True)
    pl.DataFrame(columns).write_parquet(folder / EVENTS, metadata=about)
    return Lineage.read(folder)
