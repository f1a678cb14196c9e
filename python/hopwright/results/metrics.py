"""What is measured: the columns of a results table, as people read them.

A key is a column of the tidy table: a field of a flow (`goodput_bps`), or a field of the whole run
(`mac.collisions.total`), which then stands in the row of every flow. Titles, units and the rest are
those of the schema of results (`hopwright schema --results`).
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, cast

from hopwright import _core
from hopwright._io.data import Json, at, items, number, table
from hopwright._io.errors import InputError, near
from hopwright.results.chosen import flows_text
from hopwright.statistics.means import TALLIES


class When(NamedTuple):
    """When a result is there."""

    said: str
    advice: str
    """What to set, if it is a matter of keys."""
    keys: Mapping[str, Sequence[Json]]
    """Keys of which one is enough, in any table of a list, with the values that ask for nothing."""

    def is_in(self, scenario: Json) -> bool:
        """Whether a scenario, with every default filled in, asks for it."""
        return any(
            value not in off
            for key, off in self.keys.items()
            for value in _values(scenario, key.split("."))
        )


class Metric(NamedTuple):
    """A column of the results table."""

    key: str
    """The column's name; its values are in the unit that ends it."""
    title: str
    """What a person calls it, without the unit."""
    unit: str = ""
    """The unit that it is shown in; empty for counts."""
    scale: float = 1.0
    """What a value is multiplied by to be in `unit`."""
    decimals: int = 3
    """Digits after the point that are worth showing."""
    better: Literal["higher", "lower", "neither"] = "neither"
    """Which way is an improvement; `neither` where that depends on what is wanted."""
    sum_over_flows: bool = False
    """Whether a run's value is the sum of its flows' values; else it is their mean."""
    of_run: bool = False
    """Whether it is of the whole run."""
    when: tuple[When, ...] = ()
    """When runs have it: one of these. Nothing: always."""
    over_udp: str | None = None
    """The result that stands for it over UDP."""

    def over_flows(self, flows: Iterable[tuple[object, float | None]]) -> float | None:
        """One number for the flows of a run, given by protocol and value: their sum or mean.

        Nothing acknowledges datagrams, so there is much that UDP has no value of: a flow over UDP
        without one is left out. None if any other flow has no value, or if no flow is left.
        """
        counted = [value for protocol, value in flows if counts(protocol, value)]
        known = [value for value in counted if value is not None]
        if not known or len(known) < len(counted):
            return None
        total = math.fsum(known)
        return total if self.sum_over_flows else total / len(known)

    def fitting(self, values: Iterable[float | None]) -> "Metric":
        """The metric in the multiple of its unit that shows digits of values so large.

        Only joules have one: those of a radio and those of an acknowledgement are far apart.
        """
        if not self.unit.endswith("J"):
            return self
        size = max((abs(value) for value in values if value is not None), default=0.0)
        unit, scale = joules(size)
        if not size or scale == self.scale:
            return self
        return self._replace(unit=unit, scale=scale, decimals=min(self.decimals, 2))

    def label_of_flows(self, chosen: Sequence[int] | None = None) -> str:
        """`goodput (kb/s), all flows`: the label where flows are made one number: all, or some."""
        if self.of_run:
            return self.label
        if chosen is None:
            return f"{self.label}, {'all flows' if self.sum_over_flows else 'mean of flows'}"
        is_mean = len(chosen) > 1 and not self.sum_over_flows
        return f"{self.label}, {'mean of ' if is_mean else ''}{flows_text(chosen)}"

    @property
    def label(self) -> str:
        """`goodput (kb/s)`: for axes and columns."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


JOULES = {"J": 1.0, "mJ": 1e3, "µJ": 1e6, "nJ": 1e9, "pJ": 1e12}
"""Multiples of the joule, and how many of each it has."""


def joules(size: float) -> tuple[str, float]:
    """The largest multiple of which `size` joules are one at least, and how many a joule has."""
    fits = ((unit, scale) for unit, scale in JOULES.items() if abs(size) * scale >= 1)
    return next(fits, ("pJ", JOULES["pJ"]) if size else ("J", 1.0))


GOODPUT = "goodput_bps"
WORST = "fairness.worst_goodput_bps"
JAIN = "fairness.jain"

SHARING = (GOODPUT, WORST, JAIN)
"""How several flows fare, which no single number says: their sum, the worst of them, how even."""


def check_jain(wanted: Iterable[str], flows: int) -> None:
    """Raises `InputError` for Jain's index of runs that have one flow at most: it is always 1."""
    if JAIN in wanted and flows == 1:
        raise InputError(
            f"{JAIN}: each run has one flow; Jain's index compares the shares of several flows"
        )


@cache
def metrics() -> Mapping[str, Metric]:
    """All that runs may have, in the order of the schema: of flows, then of the run."""
    result = at(results_schema(), "properties", "results", "items")
    flow = at(result, "properties", "flows", "items")
    found: dict[str, Metric] = {}
    for schema, of_run in ((flow, False), (result, True)):
        for key, described in _numbers(schema):
            found.setdefault(key, _metric(key, described, of_run=of_run))
    return found


def results_schema() -> Json:
    """The JSON schema of a summary."""
    return cast("Json", json.loads(_core.results_schema_json()))


def whens() -> list[When]:
    """What a scenario may ask for, each once."""
    asked = (when for each in metrics().values() for when in each.when if when.keys)
    return list({when.advice: when for when in asked}.values())


def counts(protocol: object, value: float | None) -> bool:
    """Whether a flow is one of those that make a run's value: see `Metric.over_flows`."""
    return value is not None or protocol != "udp"


def over(protocol: object, key: str) -> str:
    """The result that stands for another over a protocol.

    Nothing acknowledges datagrams: goodput of UDP is what was received.
    """
    found = metrics().get(key) if protocol == "udp" else None
    return (found.over_udp if found else None) or key


def is_of_run(key: str) -> bool:
    """Whether a column holds a result of the whole run, not of a flow."""
    return key.partition(".")[0] in _of_runs()


def metric(key: str, known: tuple[str, ...] | None = None) -> Metric:
    """The metric of a column.

    Raises `InputError` with the nearest right spelling where `known` columns are given and this is
    none of them.
    """
    if known is not None and key not in known:
        raise InputError(f"no result called '{key}'{near(key, known)}")
    is_count = key.partition(".")[0] in TALLIES
    unknown = Metric(key, key, decimals=0 if is_count else 3, sum_over_flows=is_count)
    return metrics().get(key, unknown)


@cache
def _of_runs() -> frozenset[str]:
    """How the keys of results begin that are of the whole run: every flow's row repeats them."""
    return frozenset(key.partition(".")[0] for key, each in metrics().items() if each.of_run)


def _numbers(schema: Json, before: str = "") -> Iterator[tuple[str, Json]]:
    """The numbers in what a schema describes, but for names and those in lists: keys, schemas.

    What only some kinds have comes first.
    """
    for kind in items(schema, "anyOf"):
        yield from _numbers(kind, before)
    for name, part in table(schema, "properties").items():
        if at(part, "x-shown") is not None and name not in NO_RESULTS:
            yield f"{before}{name}", part
        elif at(part, "type") == "object":
            yield from _numbers(part, f"{before}{name}.")


NO_RESULTS = frozenset({"point", "flow", "wall_s"})
"""Columns that say where a row is from, or how busy the machine was."""


def _metric(key: str, schema: Json, *, of_run: bool) -> Metric:
    over_udp = at(schema, "x-over-udp")
    return Metric(
        key,
        title=str(at(schema, "title")),
        unit=str(at(schema, "x-shown", "unit")),
        scale=number(schema, "x-shown", "scale") or 1.0,
        decimals=int(number(schema, "x-shown", "decimals") or 0),
        better=cast('Literal["higher", "lower", "neither"]', at(schema, "x-better")),
        sum_over_flows=at(schema, "x-over-flows") == "sum",
        of_run=of_run,
        when=tuple(_when(each) for each in items(schema, "x-when")),
        over_udp=over_udp if isinstance(over_udp, str) else None,
    )


def _when(said: Json) -> When:
    keys = {key: items(off) for key, off in table(said, "keys").items()}
    return When(str(at(said, "if")), str(at(said, "set") or ""), keys)


def _values(value: Json, path: Sequence[str]) -> Iterator[Json]:
    """What is under a path, in each table of the lists on the way; None where there is nothing."""
    if isinstance(value, list) and path:
        for part in value:
            yield from _values(part, path)
    elif path:
        yield from _values(at(value, path[0]), path[1:])
    else:
        yield value
