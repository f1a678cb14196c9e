"""Results of a run added up: what `sum` and `per` of a measure mean."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from hopwright._io.data import Json, is_number
from hopwright._io.errors import InputError, near
from hopwright.research.papers.measures import Measure
from hopwright.results.metrics import is_of_run
from hopwright.statistics.means import TALLIES

Flows: TypeAlias = Sequence[Mapping[str, Json]]
"""The results of a run, a table for each flow."""


class NoNumberError(InputError):
    """A measure has no number in some run, as a round-trip time where nothing arrived."""


def number_of(each: Measure, flows: Flows) -> float:
    """What a measure that is made of results is in a run. Raises `InputError`."""
    where = each.where
    check_flow(each, len(flows))
    if each.flow is not None:
        of_all = flows
        flows = flows[each.flow : each.flow + 1]
        if each.is_share:
            has = [f for f in of_all if all(_has(f, name) for _, name in each.terms)]
            whole = total(each.terms, has, where)
            if whole == 0:
                raise NoNumberError(f"{where}: share: the sum over all flows is 0 in a run")
            return 100 * total(each.terms, flows, where) / whole
    found = total(each.terms, flows, where)
    if not each.per:
        return found
    divisor = total(each.per, flows, where)
    if divisor == 0:
        divisors = " + ".join(name for _, name in each.per)
        raise NoNumberError(f"{where}: per: {divisors} is 0 in a run")
    return found / divisor


def check_flow(each: Measure, flows: int) -> None:
    """Raises `InputError` if a measure is of a flow that is not among so many."""
    if each.flow is not None and each.flow >= flows:
        raise InputError(f"{each.where}: flow = {each.flow}: there are only flows 0 to {flows - 1}")


def total(terms: Sequence[tuple[int, str]], flows: Flows, where: str) -> float:
    """Signed results of a run, added up; those of flows over the flows."""
    found = 0.0
    for sign, name in terms:
        names = [one for one in name.split("|") if one in flows[0]]
        if not names:
            if name.partition(".")[0] in TALLIES:
                continue
            raise InputError(f"{where}: no result called '{name}'{near(name, flows[0])}")
        counted = flows[:1] if is_of_run(names[0]) else flows
        values = [next((f[one] for one in names if is_number(f[one])), None) for f in counted]
        known = [value for value in values if is_number(value)]
        if len(known) < len(values):
            raise NoNumberError(f"{where}: some flow has no value of {name}")
        found += sign * sum(known)
    return found


def _has(flow: Mapping[str, Json], name: str) -> bool:
    """Whether a flow has such a result, or one of those between bars."""
    return any(flow.get(one, 0) is not None for one in name.split("|"))
