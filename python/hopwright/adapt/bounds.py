"""The bounds of a policy's conditions, in what monitors say.

The grid's values are those of a link, and a monitor need not say the same: there are other links on
the way, other flows beside, and what a sender measures of itself in delays. So a few runs on both
sides of each bound, with the mechanisms that the flow would have there, tell what monitors say.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from hopwright.adapt.policy import Cell, Policy, Row, Split
from hopwright.statistics.means import mean

Source = Literal["measured", "told"]
"""Where a monitor's values come from: `monitor_source` of a flow."""

DIGITS = 3
"""Of a bound: more would say more than is known."""


class Bound(NamedTuple):
    """A condition of a trigger, and what it is made from."""

    split: Split
    monitor: str
    bound: float
    until: float
    outside: float
    """What the monitor said beyond the bound, with the composition to begin with."""
    inside: float
    is_trap: bool
    """Whether the monitor, with the row's own composition, does not say beyond the bound that the
    way back is there: a slow composition can make a network look slow."""

    def condition(self) -> dict[str, str | float]:
        """As a trigger has it."""
        return {"monitor": self.monitor, self.split.side: self.bound, "until": self.until}


class Unseen(NamedTuple):
    """A condition that the monitor does not tell apart."""

    split: Split
    monitor: str
    outside: float | None
    inside: float | None


Reading = Callable[[Cell, str], float | None]
"""What a monitor says in a cell, with a composition; None if nothing."""


def edge(row: Row, split: Split) -> tuple[list[Cell], list[Cell]]:
    """The cells of a row next to a bound, and those beyond it."""
    near = split.place + (split.side == "above")
    beyond = split.place + (split.side == "below")
    inside = sorted(cell for cell in row.cells if cell[split.axis] == near)
    outside = [(*cell[: split.axis], beyond, *cell[split.axis + 1 :]) for cell in inside]
    return inside, outside


def wanted(policy: Policy) -> list[tuple[Cell, str]]:
    """The cells and compositions whose readings `bound_of` asks for."""
    found = {}
    for row in policy.rows:
        for split in row.when:
            for cell in (each for part in edge(row, split) for each in part):
                found.update(dict.fromkeys([(cell, policy.base), (cell, row.composition)]))
    return list(found)


def bound_of(row: Row, split: Split, base: str, monitor: str, reading: Reading) -> Bound | Unseen:
    """Half way between what the monitor says on both sides, with the composition to begin with.

    The way back (`until`) is a quarter of the way from outside to inside, as they are with the
    row's own composition, and at least a quarter of the way from the bound to outside: a value that
    lingers about the bound changes nothing.
    """
    inside, outside = edge(row, split)
    sign = 1.0 if split.side == "above" else -1.0
    ends = [_mean(reading(cell, base) for cell in part) for part in (outside, inside)]
    low, high = ends
    if low is None or high is None or sign * (high - low) <= 0:
        return Unseen(split, monitor, low, high)
    bound = _digits(_between(low, high, 1 / 2))
    if not sign * low < sign * bound < sign * high:
        return Unseen(split, monitor, low, high)  # closer than a bound has digits
    own = [_mean(reading(cell, row.composition) for cell in part) for part in (outside, inside)]
    back = _between(low, high, 1 / 4)
    if own[0] is not None and own[1] is not None and sign * (own[1] - own[0]) > 0:
        back = _between(own[0], own[1], 1 / 4)
    room = _between(bound, low, 1 / 4)
    until = _digits(min(back, room) if sign > 0 else max(back, room))
    is_trap = own[0] is None or sign * (own[0] - until) >= 0
    return Bound(split, monitor, bound, until, low, high, is_trap)


def bounds_of(
    policy: Policy, monitors: Mapping[int, str], readings: Mapping[str, Reading]
) -> list[list[Bound | Unseen]]:
    """The conditions of each row. `monitors`: by axis; `readings`: by monitor."""
    return [
        [
            bound_of(row, split, policy.base, monitors[split.axis], readings[monitors[split.axis]])
            for split in row.when
        ]
        for row in policy.rows
    ]


def _between(start: float, end: float, part: float) -> float:
    """Part of the way: by ratios, so that 100 is half way from 10 to 1000, unless one is zero."""
    if min(start, end) > 0:
        return start * math.pow(end / start, part)
    return start + part * (end - start)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
