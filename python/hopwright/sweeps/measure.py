"""One number of a run: what adaptive sweeps look at, and what is shown at the end."""

from collections.abc import Sequence

from hopwright._io.data import Json, at, items, number
from hopwright.results.metrics import is_of_run, metric, over
from hopwright.statistics.means import TALLIES


def run_value(result: Json, key: str, chosen: Sequence[int] | None = None) -> float | None:
    """A column of the table of all the run's flows together, or the run's own value.

    The flows' values are added up or averaged, as `Metric.over_flows` does it: those of the
    `chosen` ones alone, if there are some. None if a chosen flow is not there.
    """
    if is_of_run(key):
        return number(result, *key.split("."))
    flows = items(result, "flows")
    numbers = range(len(flows)) if chosen is None else chosen
    if not all(flow < len(flows) for flow in numbers):
        return None
    of = ((at(flows[flow], "protocol"), _flow_value(flows[flow], key)) for flow in numbers)
    return metric(key).over_flows(of)


def _flow_value(flow: Json, key: str) -> float | None:
    head, *rest = over(at(flow, "protocol"), key).split(".")
    if head in TALLIES and isinstance(at(flow, head), dict):
        return number(flow, head, *rest) or 0.0
    return number(flow, head, *rest)
