"""One number of a run: what adaptive sweeps look at, and what is shown at the end."""

from collections.abc import Sequence

from hopwright._io.data import Json, at, items, number
from hopwright.results.metrics import metric, over
from hopwright.statistics.means import TALLIES


def run_value(result: Json, key: str, chosen: Sequence[int] | None = None) -> float | None:
    """A column of the table of all the run's flows together, or the run's own value.

    The flows' values are added up or averaged, as `Metric.over_flows` does it: those of the
    `chosen` ones alone, if there are some. None if it is unknown for some flow.
    """
    path = key.split(".")
    flows = items(result, "flows")
    if chosen is not None:
        flows = [flows[flow] if flow < len(flows) else None for flow in chosen]
    values = [_flow_value(flow, key) for flow in flows]
    if any(value is not None for value in values):
        known = [value for value in values if value is not None]
        return metric(key).over_flows(known) if len(known) == len(flows) else None
    return number(result, *path)


def _flow_value(flow: Json, key: str) -> float | None:
    head, *rest = over(at(flow, "protocol"), key).split(".")
    if head in TALLIES and isinstance(at(flow, head), dict):
        return number(flow, head, *rest) or 0.0
    return number(flow, head, *rest)
