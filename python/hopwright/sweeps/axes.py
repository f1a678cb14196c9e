"""What a sweep varies: keys that go together and their values, or a range to take them from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from hopwright._io.errors import InputError, near
from hopwright._io.plural import many
from hopwright._schema.settings import (
    Settings,
    Step,
    Value,
    equal,
    one_or_each,
    plain,
    shown,
    step_text,
)
from hopwright._schema.written import split, value_of
from hopwright.results.chosen import rows_where

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?:\.\.({NUMBER}))?(:log)?")

MOST_VALUES = 1_000_000
"""Values of one key, and points of one sweep: more than that is a slip of the hand."""


@dataclass(frozen=True)
class Range:
    """All values from `low` to `high`, both included.

    Whole numbers where both ends are, else real ones. With `step`, only every step from `low`; with
    `log`, drawn evenly over the logarithm, which needs `low` above 0.
    """

    low: int | float
    high: int | float
    step: int | float | None = None
    log: bool = False

    def __str__(self) -> str:
        step = "" if self.step is None else f"..{self.step}"
        return f"{self.low}..{self.high}{step}{':log' if self.log else ''}"

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers are meant."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def check(self) -> None:
        """Raises `InputError` where the range makes no sense."""
        if not self.low < self.high:
            raise InputError(f"{self}: the first number must be below the second")
        if self.step is not None and self.step <= 0:
            raise InputError(f"{self}: the step must be above 0")
        if self.log and self.step is not None:
            raise InputError(f"{self}: a range has a step or ':log', not both")
        if self.log and self.low <= 0:
            raise InputError(f"{self}: with ':log' both numbers must be above 0")

    def values(self) -> tuple[int | float, ...]:
        """Every value of a range with steps (of whole numbers: 1 by default).

        Steps are added up in decimals, so that 0.1..0.5..0.1 holds 0.3 and not 0.30000000000000004.
        """
        step = self.step
        if step is None:
            if not self.is_whole or self.log:
                raise InputError(f"{self}: needs a step to be listed, such as {self._example()}")
            step = 1
        low, width = Decimal(str(self.low)), Decimal(str(step))
        count = int((Decimal(str(self.high)) - low) / width) + 1
        if count > MOST_VALUES:
            raise InputError(f"{self}: holds {count} values, more than {MOST_VALUES}")
        number = int if self.is_whole and isinstance(step, int) else float
        return tuple(number(low + i * width) for i in range(count))

    def _example(self) -> str:
        return f"{self.low}..{self.high}..{float(f'{(self.high - self.low) / 4:.3g}')}"


Values: TypeAlias = tuple[Step, ...] | Range

Vary: TypeAlias = Mapping[Any, object]
"""Keys (`str`), or tuples of keys that go together, and their values. A mapping's type is exact in
its keys, so that a literal with both would fit no narrower one."""


@dataclass(frozen=True)
class Axis:
    """Scenario keys that change together, most often one, and what they are set to."""

    keys: tuple[str, ...]
    values: Values

    def __str__(self) -> str:
        if isinstance(self.values, Range):
            return f"{self.name}={self.values}"
        return f"{self.name}={','.join(map(step_text, self.values))}"

    @property
    def name(self) -> str:
        """The keys as `--vary` takes them: `topology.hops,flows.to`."""
        return ",".join(self.keys)

    def steps(self) -> tuple[Step, ...]:
        """The values, those of a range listed."""
        return self.values.values() if isinstance(self.values, Range) else self.values

    def settings(self, step: Step) -> Settings:
        """The keys set to a step."""
        values = step if isinstance(step, tuple) else (step,) * len(self.keys)
        return dict(zip(self.keys, values, strict=True))


def parse_axis(text: str, *, listed: bool) -> Axis:
    """Reads `KEY=a,b,c` or `KEY=low..high`, values being TOML, a bare word a string.

    `KEY,KEY=a,b` sets both keys to `a`, then to `b`; `KEY,KEY=(a,b),(c,d)` sets each to its own.
    With `listed`, a range stands for its values; without, a range that has no step stays one.
    Raises `InputError`.
    """
    name, equals, rest = text.partition("=")
    keys = keys_of(name)
    if not all(keys) or not equals:
        raise InputError(f"--vary {text}: write it as KEY=a,b,c, such as topology.hops=4,8,16")
    is_joint = len(keys) > 1
    try:
        parts = split(rest, "[{(" if is_joint else "[{")
        ranges = [_range(part) for part in parts]
        if not listed and len(parts) == 1 and ranges[0] is not None and ranges[0].step is None:
            ranges[0].check()
            return Axis(keys, ranges[0])
        values: list[Step] = []
        for part, span in zip(parts, ranges, strict=True):
            if is_joint and part.startswith("("):
                values.append(_each(part, keys))
            elif span is None:
                values.append(value_of(part))
            else:
                span.check()
                values.extend(span.values())
    except InputError as error:
        raise InputError(f"--vary {text}: {error}") from error
    return Axis(keys, tuple(values))


def keys_of(name: str) -> tuple[str, ...]:
    """The keys that an axis' name joins."""
    return tuple(key.strip() for key in name.split(","))


def name_of(keys: tuple[str, ...]) -> str | tuple[str, ...]:
    """What stands for an axis where Python names it: its key, or the tuple of several."""
    return keys[0] if len(keys) == 1 else keys


def axes_of(vary: Vary, *, listed: bool) -> list[Axis]:
    """Axes from Python values: sequences, `Range`s; without `listed`, a tuple is (low, high).

    Of several keys, a value that is a tuple has one for each of them.
    """
    if not isinstance(vary, Mapping):
        raise InputError(
            f"{vary!r}: expected keys and their values, such as {{'topology.hops': [4, 8]}}"
        )
    axes = []
    for given_keys, given in vary.items():
        keys = given_keys if isinstance(given_keys, tuple) else (given_keys,)
        if not all(isinstance(key, str) for key in keys):
            raise InputError(f"{given_keys!r}: is neither a key of a scenario nor a tuple of keys")
        try:
            axes.append(Axis(keys, _values(given, keys, listed=listed)))
        except InputError as error:
            raise InputError(f"{','.join(keys)}: {error}") from error
    return axes


def check_axes(
    axes: Sequence[Axis], taken: Sequence[str] = (), *, may_repeat: bool = False
) -> None:
    """Raises `InputError` for keys that are varied twice or set as well.

    And for equal values on an axis, unless they `may_repeat`: side by side with those of another
    axis, they make different points.
    """
    seen: set[str] = set()
    for axis in axes:
        for key in axis.keys:
            _check_key(key, seen, taken)
            seen.add(key)
        if not axis.keys:
            raise InputError("name a key, or several, for each list of values")
        if isinstance(axis.values, Range):
            continue
        if not axis.values:
            raise InputError(f"{axis.name}: has no values")
        twice = None if may_repeat else equal(axis.values)
        if twice is not None:
            raise InputError(f"{axis.name}: has the value {step_text(twice)} twice")


def check_where(where: Mapping[str, Sequence[str]], axes: Sequence[Axis]) -> None:
    """Raises `InputError` if no point can be what `where` asks for: its keys are the varied ones.

    Of values that are drawn nobody knows yet.
    """
    of_keys = {key: axis for axis in axes for key in axis.keys}
    for key, texts in where.items():
        if key not in of_keys:
            raise InputError(f"--where {key}: is not varied{near(key, of_keys)}")
        axis = of_keys[key]
        if not isinstance(axis.values, Range):
            cells = [axis.settings(step)[key] for step in axis.values]
            rows_where({key: cells}, {key: texts})


def _check_key(key: str, seen: set[str], taken: Sequence[str]) -> None:
    if key == "seed":
        raise InputError("seed: is not varied; all points share the seeds of --seed and --runs")
    if key in seen:
        raise InputError(f"{key}: is varied twice")
    if key in taken:
        raise InputError(f"{key}: is set and varied; omit one of the two")


def _values(given: object, keys: Sequence[str], *, listed: bool) -> Values:
    if isinstance(given, Range):
        given.check()
        return given if not listed and given.step is None else given.values()
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        if hasattr(given, "tolist"):
            return tuple(plain(value) for value in given.tolist())
        raise InputError(f"{given!r} is not a list of values")
    if isinstance(given, tuple) and not listed and len(given) == 2:
        low, high = map(plain, given)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)):
            span = Range(low, high)
            span.check()
            return span
    if len(keys) > 1:
        return tuple(_step(value, keys) for value in given)
    return tuple(plain(value) for value in given)


def _step(given: object, keys: Sequence[str]) -> Step:
    """A step of keys that go together."""
    if not isinstance(given, tuple):
        return plain(given)
    return _fitting([plain(value) for value in given], keys)


def _each(text: str, keys: Sequence[str]) -> Step:
    """Reads `(a,b)`."""
    if not text.endswith(")"):
        raise InputError(f"{text}: write it as (a,b), or in quotation marks if it is a string")
    parts = split(text[1:-1])
    for part in parts:
        if _range(part) is not None:
            raise InputError(f"{text}: a range cannot stand within ( and )")
    return _fitting([value_of(part) for part in parts], keys)


def _fitting(values: Sequence[Value], keys: Sequence[str]) -> Step:
    if len(values) != len(keys):
        told = ",".join(map(shown, values))
        raise InputError(f"({told}) has {many(len(values), 'value')} for {len(keys)} keys")
    return one_or_each(values)


def _range(text: str) -> Range | None:
    found = RANGE.fullmatch(text)
    if found is None:
        return None
    low, high, step, log = found.groups()
    return Range(_number(low), _number(high), None if step is None else _number(step), bool(log))


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
