"""What the table of `Why` says, as a sentence of which every number stands in the table."""

from hopwright._schema.settings import named
from hopwright.explain.why import FlowWhy, Line, Value, Why
from hopwright.results.table import show

LEAST = 0.01
"""The smallest change of a share that a sentence tells, of the flow's time."""
MOST_TOLD = 2
"""Parts of each account that a sentence tells: those that changed most."""


def sentence(of: Why, flow: FlowWhy, side: int) -> str:
    """What differs between a side and the baseline, the largest changes first.

    Of several seeds it tells only differences whose interval leaves zero out, and goodput.
    """
    name, base = (named(of.key, of.sides[each]) if of.key else of.sides[each] for each in (side, 0))
    where = f"flow {flow.flow} ({flow.ends})"
    goodput = _line(flow, "goodput_bps")
    said = [f"{where}, {name} against {base}"]
    if goodput is not None:
        said[0] += f": {_told(goodput, side)}"
    at_first = len(said)
    for account, whose in ((flow.sender, "the sender"), (flow.network, "the packets")):
        changed = _largest(account, side)
        if changed:
            parts = ", and ".join(_part(each, side) for each in changed)
            said.append(f"Time of {whose}: {parts}")
    for key in ("mean_data_in_flight", "rto_count", "rto_time_s"):
        line = _line(flow, key)
        if line is not None and _is_told(line.values[side]):
            said.append(_capital(_told(line, side)))
    lost = [
        each
        for each in flow.told
        if each.metric.key.startswith("losses.") and _is_told(each.values[side])
    ]
    worst = max(lost, key=lambda each: abs(each.values[side].change), default=None)
    if worst is not None:
        said.append(_capital(_told(worst, side)))
    if len(said) == at_first and len(of.seeds) > 1:
        said.append("No difference in the flow's time is sure; more seeds may show one")
    return f"{'. '.join(said)}."


def number(line: Line, value: Value) -> str:
    """A value with its interval, in the unit that it is shown in."""
    shown = line.metric
    return show(value.mean, value.half_width, scale=shown.scale, decimals=shown.decimals)


def _told(line: Line, side: int) -> str:
    """`goodput 41.2 instead of 83.9 kb/s`."""
    unit = f" {line.metric.unit}" if line.metric.unit else ""
    here, there = line.values[side], line.values[0]
    values = f"{_bare(line, here)} instead of {_bare(line, there)}{unit}"
    return f"{line.metric.title} {values}{_doubt(here)}"


def _part(line: Line, side: int) -> str:
    here, there = line.values[side], line.values[0]
    return f"{line.metric.title} {_bare(line, here)} % instead of {_bare(line, there)} %"


def _bare(line: Line, value: Value) -> str:
    return show(value.mean, scale=line.metric.scale, decimals=line.metric.decimals)


def _doubt(value: Value) -> str:
    """Of several seeds, whether the difference may be chance."""
    return " (this difference may be chance)" if value.may_be_chance else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_told(value: Value) -> bool:
    """Whether a sentence may tell of a difference: one seed shows it as it is, several if sure."""
    return bool(value.change) and not value.may_be_chance


def _largest(account: list[Line], side: int) -> list[Line]:
    told = [each for each in account if _is_told(each.values[side])]
    by_size = sorted(told, key=lambda each: -abs(each.values[side].change))
    return [each for each in by_size if abs(each.values[side].change) >= LEAST][:MOST_TOLD]


def _line(flow: FlowWhy, key: str) -> Line | None:
    return next((each for each in flow.told if each.metric.key == key), None)
