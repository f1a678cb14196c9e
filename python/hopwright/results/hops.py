"""The per-hop report of several runs: what links, nodes and flows had to do with the medium."""

import json
from collections.abc import Sequence

from hopwright import _core
from hopwright._io.data import Json, Object, items, number
from hopwright.statistics.means import means

LINK, NODE, HOP = ("from", "to"), ("node",), ("from", "to")
"""What names a row of each table."""


def hops_of(runs: Sequence[_core.RunResult]) -> Object:
    """`hops`: the report of runs that made one, means over all of them; nothing if none did."""
    reports: list[Json] = [json.loads(text) for run in runs if (text := run.hops_json())]
    return {"hops": joined(reports)} if reports else {}


def joined(reports: Sequence[Json]) -> Json:
    """One report of several: means over the runs.

    A link that a run did not use counts as 0 there, but for its mean service, which is of the runs
    that have one.
    """
    flows: list[Json] = []
    for flow in range(len(items(reports[0], "flows"))):
        hops = _merge([items(report, "flows", flow, "hops") for report in reports], HOP)
        slowest = max(hops, key=lambda hop: number(hop, "service_share") or 0.0, default=None)
        held_back: Json = None if slowest is None else [slowest["from"], slowest["to"]]
        flows.append({"flow": flow, "hops": list(hops), "held_back_by": held_back})
    return {
        "links": list(_merge([items(report, "links") for report in reports], LINK)),
        "nodes": list(_merge([items(report, "nodes") for report in reports], NODE)),
        "flows": flows,
    }


def _merge(tables: Sequence[Sequence[Json]], names: Sequence[str]) -> list[Object]:
    """Rows that have the same name in several runs become one, in the order of the names."""
    by_name: dict[tuple[float, ...], list[Json]] = {}
    for table in tables:
        for row in table:
            name = tuple(number(row, key) or 0 for key in names)
            by_name.setdefault(name, []).append(row)
    merged = []
    for name, rows in sorted(by_name.items()):
        absent = len(tables) - len(rows)
        mean = means([*rows, *(_nothing(rows[0]) for _ in range(absent))])
        named: Object = {key: int(part) for key, part in zip(names, name, strict=True)}
        merged.append({**(mean if isinstance(mean, dict) else {}), **named})
    return merged


def _nothing(row: Json) -> Json:
    """A row of a run in which nothing of the kind happened."""
    if isinstance(row, dict):
        return {
            key: None if key.startswith("mean_service") else _nothing(value)
            for key, value in row.items()
        }
    return 0 if isinstance(row, (int, float)) else row
