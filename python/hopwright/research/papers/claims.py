"""What a paper concludes: orders and gains of its tables' cells, read and checked."""

import itertools
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from hopwright import _core
from hopwright._io.data import Json, at, items
from hopwright._io.errors import InputError, near
from hopwright._schema.keys import scenario_keys
from hopwright.research.papers.fields import Fields, Value, spot


@dataclass(frozen=True)
class Compound:
    """A side of an order that is made of several cells.

    `sum of a.*` adds them up; `a / b` is by how many percent one is above another, cells or sums.
    """

    above: tuple[str, ...]
    below: tuple[str, ...]
    """Empty: nothing, it is a sum."""
    text: str

    def __str__(self) -> str:
        return self.text


Side: TypeAlias = "str | float | Compound"
"""The id of a cell, a number, or what is made of several cells."""


@dataclass(frozen=True)
class Order:
    """`low < high`; at most one side is a number."""

    low: Side
    high: Side

    def __str__(self) -> str:
        return f"{self.low} < {self.high}"


Extreme = Literal["most", "least"]


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
    extreme: Extreme | None = None
    """Where the pair is whichever of `pairs` has the largest or the least gain."""
    pairs: tuple[tuple[str, str], ...] = ()
    """High and low; `high` and `low` are those of the first. Of some runs: these of all of them."""

    def __str__(self) -> str:
        sign = "-" if self.is_difference else "/"
        if self.extreme:
            return f"{self.extreme} of {self.of}: {self.stated}"
        if self.pairs:
            return f"{self.of}: {self.stated}"
        return f"{self.high} {sign} {self.low}: {self.stated}"

    @property
    def names(self) -> list[str]:
        """The ids of its cells."""
        pairs = self.pairs or ((self.high, self.low),)
        return [cell for pair in pairs for cell in pair]

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


Rule = Literal["numbers", "order", "gains", "every run", "some runs", "settings"]
"""How a claim is judged: `hopwright.research.papers.RULES`."""

RULES: tuple[Rule, ...] = get_args(Rule)


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
    printed: tuple[str, ...] = ()
    """Of its cells, those that the document prints a number for."""

    @property
    def in_words(self) -> str:
        """What it says; of a claim about numbers also that these are judged, not its words."""
        if self.rule != "numbers":
            return self.says
        numbers = (
            "its printed number"
            if len(self.printed) == 1
            else f"its {len(self.printed)} printed numbers"
        )
        within = "" if self.tolerance is None else f" within {100 * self.tolerance:g} %"
        order = ", and their order" if self.orders else ""
        return f"{self.says} (Judged: {numbers}{within}{order}.)"

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
        names = [*self.cells]
        for order in self.orders:
            names += cells_of(order.low) + cells_of(order.high)
        for gain in self.gains:
            names += gain.names
        return list(dict.fromkeys(names))


def cells_of(side: Side) -> list[str]:
    """The ids of the cells that a side of an order is made of."""
    if isinstance(side, Compound):
        return [*side.above, *side.below]
    return [side] if isinstance(side, str) else []


def read_claim(
    values: Mapping[str, Value],
    path: Path,
    cells: Sequence[str],
    printed: Collection[str],
    departs: str,
) -> Claim:
    """One of `[[claims]]`; `departs`: how the file does.

    `cells`: the ids of all; `printed`: of those that have a printed number. Raises `InputError`.
    """
    known = (
        *("id", "says", "rule", "cells", "tolerance", "order", "gains", "settings"),
        *("because", "departs"),
    )
    fields = Fields(values, f"{spot(values, path)}: [[claims]]", known)
    name = fields.text("id")
    where = f"{spot(values, path)}: [[claims]] {name}"
    word = fields.word("rule", RULES)
    rule = next(each for each in RULES if each == word)
    orders = tuple(
        pair for text in fields.texts("order", []) for pair in _orders(text, cells, where)
    )
    _check_orders(rule, orders, where)
    if (rule == "numbers") != ("cells" in fields):
        raise InputError(f"{where}: cells: needed with rule = 'numbers', not allowed otherwise")
    if (rule in ("gains", "some runs")) != ("gains" in fields):
        raise InputError(
            f"{where}: gains: needed with rule = 'gains' or 'some runs', not allowed otherwise"
        )
    if (rule == "settings") != ("settings" in fields):
        raise InputError(f"{where}: settings: needed with rule = 'settings', not allowed otherwise")
    if rule in ("gains", "some runs", "settings") and orders:
        raise InputError(f"{where}: order: not allowed with rule = '{rule}'")
    gains = tuple(
        gain
        for text in fields.texts("gains", [])
        for gain in _gains(text, cells, where, pooled=rule == "some runs")
    )
    if rule == "some runs" and any(gain.extreme for gain in gains):
        raise InputError(
            f"{where}: gains: 'most of' and 'least of' are not allowed with rule = 'some runs'"
        )
    patterns = fields.texts("cells", [])
    numbers = chosen(patterns, cells, where)
    _check_printed(patterns, printed, where)
    settings = fields.table("settings")
    if rule == "settings" and not settings:
        raise InputError(f"{where}: settings: write keys of the scenario")
    _check_settings(settings, path, f"[[claims]] {name}: settings")
    return Claim(
        id=name,
        says=fields.text("says").strip(),
        rule=rule,
        cells=numbers,
        gains=gains,
        tolerance=fields.positive("tolerance", 1.0) if "tolerance" in fields else None,
        orders=orders,
        because=fields.text("because", "").strip(),
        settings=settings,
        departs=fields.text("departs", departs).strip(),
        printed=tuple(cell for cell in numbers if cell in printed),
    )


def _check_printed(patterns: Sequence[str], printed: Collection[str], where: str) -> None:
    """Whether there is a number to judge by each of a claim's cells. Raises `InputError`."""
    for pattern in patterns:
        if not any(fnmatchcase(cell, pattern) for cell in printed):
            raise InputError(
                f"{where}: cells: '{pattern}' has no printed number: write it into printed of a "
                "row of [[tables]], or omit these cells"
            )


def _check_settings(settings: Mapping[str, Value], path: Path, what: str) -> None:
    """Whether a scenario may have all these keys. Raises `InputError`."""
    schema: Json = json.loads(_core.schema_json()) if settings else None
    for key, value in settings.items():
        where = f"{spot(settings, path, key)}: {what}"
        if not _has_key(schema, key.split(".")):
            raise InputError(
                f"{where}: no key of a scenario is called '{key}'{near(key, scenario_keys(schema))}"
            )
        if isinstance(value, dict):
            raise InputError(
                f"{where}: {key} is a table: write each of its keys in full and in quotation "
                f'marks, such as "{".".join((key, *list(value)[:1]))}"'
            )


def _has_key(schema: Json, steps: Sequence[str]) -> bool:
    """Whether tables of a schema have a key of these steps; a list has those of its tables."""
    if not steps:
        return True
    table = at(schema, "items") or schema
    return any(
        (inner := at(branch, "properties", steps[0])) is not None and _has_key(inner, steps[1:])
        for branch in (table, *items(table, "oneOf"))
    )


def _orders(text: str, cells: Sequence[str], where: str) -> list[Order]:
    """`a < b < c` or `c > b > a` as pairs of neighbours; one side may be a number."""
    signs = [sign for sign in "<>" if sign in text]
    words = [word.strip() for word in text.replace(">", "<").split("<")]
    if len(signs) != 1 or not all(words):
        raise InputError(f"{where}: order: '{text}': write it as 'a < b' or 'a > b > c'")
    sides = [_side_of_order(word, cells, where) for word in words]
    if signs == [">"]:
        sides.reverse()
    pairs = [Order(low, high) for low, high in itertools.pairwise(sides)]
    if any(isinstance(pair.low, float) and isinstance(pair.high, float) for pair in pairs):
        raise InputError(f"{where}: order: '{text}': one side of each pair must be a cell")
    return pairs


def _check_orders(rule: Rule, orders: Sequence[Order], where: str) -> None:
    """Whether a claim has orders where its rule wants some. Raises `InputError`."""
    if rule in ("order", "every run") and not orders:
        raise InputError(f"{where}: order is missing: write for example ['a.Full < a.No']")
    sides = [side for order in orders for side in (order.low, order.high)]
    if rule == "every run" and any(isinstance(side, Compound) and side.below for side in sides):
        # A run that delivers nothing has no gain.
        raise InputError(f"{where}: order: gains ('a / b') are not allowed with rule = 'every run'")


SUM = "sum of "


def _side_of_order(word: str, cells: Sequence[str], where: str) -> Side:
    high, is_gain, low = word.partition(" / ")
    if not is_gain or word in cells:
        if not word.startswith(SUM):
            return _side(word, cells, where)
        return Compound(_added_up(word, cells, where), (), word)
    return Compound(_added_up(high, cells, where), _added_up(low, cells, where), word)


def _added_up(word: str, cells: Sequence[str], where: str) -> tuple[str, ...]:
    """A cell, or all that `sum of PATTERN` names."""
    if word.startswith(SUM):
        return chosen([word.removeprefix(SUM)], cells, where)
    side = _side(word, cells, where)
    if not isinstance(side, str):
        raise InputError(f"{where}: order: '{word}': both sides of a gain must be cells or sums")
    return (side,)


def _gains(text: str, cells: Sequence[str], where: str, *, pooled: bool = False) -> list[Gain]:
    """`a / b: 5 to 12`; with a star on both sides, `a.*.x / a.*.y: 5 to 12`, one for each.

    `a - b: 1 to 3` likewise; the sign has blanks around it, for names may hold one. A range may
    have one end only: `at least 5`, `at most 5`; or be about a number: `about 5`. `most of a.* /
    b: 5 to 12` is about the largest gain of those that the stars stand for, `least of` the least.
    `pooled`: what stars stand for is one gain, of all their runs.
    """
    pair, _, ends = text.partition(":")
    extreme: Extreme | None = None
    if pair.startswith("most of "):
        extreme = "most"
    elif pair.startswith("least of "):
        extreme = "least"
    pair = pair.removeprefix(f"{extreme} of ")
    is_difference = "/" not in pair
    high, _, low = (part.strip() for part in pair.partition(" - " if is_difference else "/"))
    limits = _limits(ends, f"{where}: gains: '{text}'")
    if not (high and low) or math.isnan(limits[0]):
        raise InputError(
            f"{where}: gains: '{text}': write it as 'a / b: 5 to 12', in percent, or as "
            "'a - b: 1 to 3'; or 'a / b: about 5', 'at least 5', 'at most 5'"
        )
    if extreme or (pooled and "*" in pair):
        pairs = _pairs(high, low, cells, where)
        return [Gain(*pairs[0], *limits, is_difference, pair.strip(), extreme, pairs)]
    if high.count("*") != low.count("*") or high.count("*") > 1:
        raise InputError(f"{where}: gains: '{text}': write one star on each side, or no star")
    if "*" not in high:
        sides = [_side(word, cells, where) for word in (high, low)]
        if not all(isinstance(side, str) for side in sides):
            raise InputError(f"{where}: gains: '{text}': both sides must be cells")
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


def _pairs(high: str, low: str, cells: Sequence[str], where: str) -> tuple[tuple[str, str], ...]:
    """All pairs of cells that two patterns name, whose stars stand for the same on both sides.

    Where one side has none, for whatever there is on the other but that cell itself.
    """
    many, other = (high, low) if "*" in high else (low, high)
    if "*" not in many or other.count("*") not in (0, many.count("*")):
        raise InputError(
            f"{where}: gains: '{high}', '{low}': with most and least, write the same number "
            "of stars on both sides, or stars on one side only"
        )
    wanted = re.compile("(.*?)".join(re.escape(part) for part in many.split("*")))
    found = []
    for cell in cells:
        if match := wanted.fullmatch(cell):
            parts = other.split("*")
            stars = ["", *match.groups()] if len(parts) > 1 else [""]
            its = "".join(star + part for star, part in zip(stars, parts, strict=True))
            _side(its, cells, where)
            if its != cell:
                found.append((cell, its) if many is high else (its, cell))
    if not found:
        raise InputError(f"{where}: no cell called '{many}'{near(many, cells)}")
    return tuple(found)


def _limits(text: str, where: str) -> tuple[float, float]:
    """Both ends of `5 to 12`, `about 5`, `at least 5`, `at most 12`; else not numbers.

    Raises `InputError` for `12 to 5`.
    """
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
                if _finite(least) > _finite(most):
                    raise InputError(
                        f"{where}: the smaller number comes first: write '{most} to {least}'"
                    )
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
