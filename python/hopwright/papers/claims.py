"""What a paper concludes: orders and gains of its tables' cells, read and checked."""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from hopwright.errors import InputError, near
from hopwright.papers.fields import Fields, Value


@dataclass(frozen=True)
class Order:
    """`low < high`: the ids of two cells, or a cell and a number."""

    low: str | float
    high: str | float

    def __str__(self) -> str:
        return f"{self.low} < {self.high}"


@dataclass(frozen=True)
class Gain:
    """`high / low: 5 to 12`: a cell is that many percent above another, ends included.

    `high - low: 1 to 3`: it is that much above it. One end may be infinite: `at least -5`.
    """

    high: str
    low: str
    least: float
    most: float
    is_difference: bool = False
    of: str = ""
    """The pair as it is stated, with its star, where it stands for several; empty otherwise."""

    def __str__(self) -> str:
        sign = "-" if self.is_difference else "/"
        return f"{self.high} {sign} {self.low}: {self.stated}"

    @property
    def stated(self) -> str:
        """The range: `5 to 12 %`, `at least 5 %`."""
        if math.isinf(self.most):
            ends = f"at least {self.least:g}"
        elif math.isinf(self.least):
            ends = f"at most {self.most:g}"
        else:
            ends = f"{self.least:g} to {self.most:g}"
        return ends if self.is_difference else f"{ends} %"


OWN_READING = "the document's own"
"""The reading of a claim whose runs are as the document says."""

ABOUT = 1 / 3
LEAST_ABOUT = 2.0
"""A gain printed as one number is a range: a third of it to either side, two points at least."""


Rule = Literal["numbers", "order", "gains", "every run", "settings"]
"""How a claim is judged: `hopwright.papers.RULES`."""


@dataclass(frozen=True)
class Claim:
    """What the paper concludes."""

    id: str
    says: str
    rule: Rule
    cells: tuple[str, ...]
    tolerance: float | None
    orders: tuple[Order, ...]
    because: str
    gains: tuple[Gain, ...] = ()
    settings: Mapping[str, Value] = field(default_factory=dict)
    """Keys of the scenario by their full names, with the values that the document prints."""
    departs: str = ""
    """How what is run departs from the document; empty where it is the document's own."""

    @property
    def reading(self) -> str:
        """What the verdict rests on, in a line."""
        return self.departs or OWN_READING

    @property
    def statement(self) -> str:
        """The id of the document's statement, which several claims may be parts of."""
        return re.split(r"[ ,]", self.id, maxsplit=1)[0]

    @property
    def names(self) -> list[str]:
        """The ids of all cells that it is about, each once."""
        sides = [side for order in self.orders for side in (order.low, order.high)]
        sides += [side for gain in self.gains for side in (gain.low, gain.high)]
        return list(dict.fromkeys([*self.cells, *(s for s in sides if isinstance(s, str))]))


def read_claim(
    values: Mapping[str, Value], path: Path, cells: Sequence[str], departs: str
) -> Claim:
    """One of `[[claims]]`; `cells`: the ids of all; `departs`: how the file does.

    Raises `InputError`.
    """
    known = (
        *("id", "says", "rule", "cells", "tolerance", "order", "gains", "settings"),
        *("because", "departs"),
    )
    fields = Fields(values, f"{path}: [[claims]]", known)
    name = fields.text("id")
    where = f"{path}: [[claims]] {name}"
    rule: Rule = "numbers"
    match fields.word("rule", ("numbers", "order", "gains", "every run", "settings")):
        case "order":
            rule = "order"
        case "gains":
            rule = "gains"
        case "every run":
            rule = "every run"
        case "settings":
            rule = "settings"
    orders = tuple(
        pair for text in fields.texts("order", []) for pair in _orders(text, cells, where)
    )
    if rule in ("order", "every run") and not orders:
        raise InputError(f"{where}: order is missing: such as 'a.Full < a.No'")
    if (rule == "numbers") != ("cells" in fields):
        raise InputError(f"{where}: cells: a claim about numbers names them, no other does")
    if (rule == "gains") != ("gains" in fields):
        raise InputError(f"{where}: gains: a claim about gains states them, no other does")
    if (rule == "settings") != ("settings" in fields):
        raise InputError(f"{where}: settings: a claim about settings gives them, no other does")
    if rule in ("gains", "settings") and orders:
        raise InputError(f"{where}: order: a claim about {rule} has none")
    gains = tuple(gain for text in fields.texts("gains", []) for gain in _gains(text, cells, where))
    return Claim(
        id=name,
        says=fields.text("says").strip(),
        rule=rule,
        cells=chosen(fields.texts("cells"), cells, where) if rule == "numbers" else (),
        gains=gains,
        tolerance=fields.positive("tolerance", 1.0) if "tolerance" in fields else None,
        orders=orders,
        because=fields.text("because", "").strip(),
        settings=fields.table("settings"),
        departs=fields.text("departs", departs).strip(),
    )


def _orders(text: str, cells: Sequence[str], where: str) -> list[Order]:
    """`a < b < c` or `c > b > a` as pairs of neighbours; one side may be a number."""
    signs = [sign for sign in "<>" if sign in text]
    words = [word.strip() for word in text.replace(">", "<").split("<")]
    if len(signs) != 1 or not all(words):
        raise InputError(f"{where}: order: '{text}': write it as 'a < b' or 'a > b > c'")
    sides = [_side(word, cells, where) for word in words]
    if signs == [">"]:
        sides.reverse()
    pairs = [Order(low, high) for low, high in itertools.pairwise(sides)]
    if any(isinstance(pair.low, float) and isinstance(pair.high, float) for pair in pairs):
        raise InputError(f"{where}: order: '{text}': one side of each pair is a cell")
    return pairs


def _gains(text: str, cells: Sequence[str], where: str) -> list[Gain]:
    """`a / b: 5 to 12`; with a star on both sides, `a.*.x / a.*.y: 5 to 12`, one for each.

    `a - b: 1 to 3` likewise; the sign has blanks around it, for names may hold one. A range may
    have one end only: `at least 5`, `at most 5`; or be about a number: `about 5`.
    """
    pair, _, ends = text.partition(":")
    is_difference = "/" not in pair
    high, _, low = (part.strip() for part in pair.partition(" - " if is_difference else "/"))
    limits = _limits(ends)
    if not (high and low and limits[0] <= limits[1]):
        raise InputError(
            f"{where}: gains: '{text}': write it as 'a / b: 5 to 12', in percent, or as "
            "'a - b: 1 to 3'; or 'a / b: about 5', 'at least 5', 'at most 5'"
        )
    if high.count("*") != low.count("*") or high.count("*") > 1:
        raise InputError(f"{where}: gains: '{text}': one star on both sides, or none")
    if "*" not in high:
        sides = [_side(word, cells, where) for word in (high, low)]
        if not all(isinstance(side, str) for side in sides):
            raise InputError(f"{where}: gains: '{text}': both sides are cells")
        return [Gain(high, low, *limits, is_difference)]
    before, after = high.split("*")
    found = [
        Gain(
            cell,
            low.replace("*", cell[len(before) : len(cell) - len(after)]),
            *limits,
            is_difference,
            pair.strip(),
        )
        for cell in cells
        if len(cell) > len(before) + len(after) and cell.startswith(before) and cell.endswith(after)
    ]
    if not found:
        raise InputError(f"{where}: no cell called '{high}'{near(high, cells)}")
    for gain in found:
        _side(gain.low, cells, where)
    return found


def _limits(text: str) -> tuple[float, float]:
    """Both ends of `5 to 12`, `about 5`, `at least 5`, `at most 12`; else not numbers."""
    try:
        match text.split():
            case ["about", number]:
                middle = _finite(number)
                reach = max(ABOUT * abs(middle), LEAST_ABOUT)
                return middle - reach, middle + reach
            case ["at", "least", least]:
                return _finite(least), math.inf
            case ["at", "most", most]:
                return -math.inf, _finite(most)
            case [least, "to", most]:
                return _finite(least), _finite(most)
    except ValueError:
        pass
    return math.nan, math.nan


def _finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise ValueError(word)
    return number


def _side(word: str, cells: Sequence[str], where: str) -> str | float:
    try:
        return float(word)
    except ValueError:
        if word not in cells:
            raise InputError(
                f"{where}: order: no cell called '{word}'{near(word, cells)}"
            ) from None
        return word


def chosen(patterns: Sequence[str], cells: Sequence[str], where: str) -> tuple[str, ...]:
    """The cells that patterns such as `segments.*` name, in the tables' order."""
    for pattern in patterns:
        if not any(fnmatchcase(cell, pattern) for cell in cells):
            raise InputError(f"{where}: no cell called '{pattern}'{near(pattern, cells)}")
    return tuple(c for c in cells if any(fnmatchcase(c, pattern) for pattern in patterns))
