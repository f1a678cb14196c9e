"""One number of a run: what adaptive sweeps look at, and what is shown at the end."""

from hopwright.data import Json, at, is_number, items, number
from hopwright.errors import InputError, near
from hopwright.metrics import metric, over
from hopwright.statistics.means import TALLIES
from hopwright.sweeps.features import is_possible


def run_value(result: Json, key: str) -> float | None:
    """A column of the table of all the run's flows together, or the run's own value.

    The flows' values are added up or averaged, as `Metric.over_flows` does it. None if it is
    unknown for some flow.
    """
    path = key.split(".")
    flows = items(result, "flows")
    values = [_flow_value(flow, key) for flow in flows]
    if any(value is not None for value in values):
        known = [value for value in values if value is not None]
        return metric(key).over_flows(known) if len(known) == len(flows) else None
    return number(result, *path)


def check_measure(result: Json, key: str) -> None:
    """Raises `InputError` if no run can have such a value, with the nearest right name."""
    if is_possible(key):
        return
    names = [*leaves(items(result, "flows")[:1]), *leaves(result)]
    if key not in names:
        raise InputError(f"no result called '{key}'{near(key, names)}")


def leaves(value: Json) -> list[str]:
    """Names of the numbers in a result, dots between the steps; lists' positions are left out."""
    if isinstance(value, list):
        return leaves(value[0]) if value else []
    if not isinstance(value, dict):
        return []
    names: list[str] = []
    for key, part in value.items():
        if is_number(part):
            names.append(key)
        elif isinstance(part, dict):
            names += [f"{key}.{rest}" for rest in leaves(part)]
    return names


def _flow_value(flow: Json, key: str) -> float | None:
    head, *rest = over(at(flow, "protocol"), key).split(".")
    if head in TALLIES and isinstance(at(flow, head), dict):
        return number(flow, head, *rest) or 0.0
    return number(flow, head, *rest)
