"""What is compared with what: the varied key that makes the difference, and its baseline."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hopwright.errors import InputError, near
from hopwright.sweeps.points import Point
from hopwright.sweeps.settings import Settings, Value, shown, toml_text


class Treatment(NamedTuple):
    """The key whose values are compared, and the one that the others are compared with."""

    key: str
    baseline: str
    """As it is shown; values of a key differ in that."""


class Block(NamedTuple):
    """What is compared with each other: points that differ in the treatment alone."""

    settings: Settings
    """The other keys' values, the same in the whole block."""
    points: dict[str, str]
    """Ids of points by the treatment's value, as it is shown."""


def values_of(points: Sequence[Point]) -> dict[str, list[Value]]:
    """The varied keys of a sweep, each with its values in the order in which they come."""
    found: dict[str, dict[str, Value]] = {}
    for point in points:
        for key, value in point.settings.items():
            found.setdefault(key, {}).setdefault(toml_text(value), value)
    return {key: list(values.values()) for key, values in found.items()}


def treatment_of(values: Mapping[str, Sequence[Value]], baseline: object) -> Treatment:
    """Finds the key that the baseline is a value of.

    Args:
        values: The varied keys and their values.
        baseline: A value; or `KEY=VALUE`, which decides where several keys have that value.

    Raises:
        InputError: It is a value of no key or of several, or its key has no other value.
    """
    wanted, keys = baseline, list(values)
    if isinstance(baseline, str) and "=" in baseline:
        key, _, rest = (part.strip() for part in baseline.partition("="))
        if key in values:
            wanted, keys = rest, [key]
        elif not any(_is(value, baseline) for each in values.values() for value in each):
            raise InputError(f"baseline {baseline}: '{key}' is not varied{near(key, values)}")
    matches = [
        Treatment(key, shown(value)) for key in keys for value in values[key] if _is(value, wanted)
    ]
    if not matches:
        known = [shown(value) for key in keys for value in values[key]]
        name = wanted if isinstance(wanted, str) else repr(wanted)
        raise InputError(f"baseline '{name}' is not among the variants{near(name, known)}")
    if len(matches) > 1:
        ways = " or ".join(f"{key}={value}" for key, value in matches)
        raise InputError(f"baseline '{wanted}' is a value of several keys; write {ways}")
    if len(values[matches[0].key]) < 2:
        key, value = matches[0]
        raise InputError(f"{key}: has no other value to compare {value} with; add one to --vary")
    return matches[0]


def blocks_of(points: Sequence[Point], treatment: Treatment) -> list[Block]:
    """The blocks that have the baseline and something to compare with it, in the points' order.

    Raises `InputError` if there is none.
    """
    blocks: dict[str, Block] = {}
    for point in points:
        others = {key: value for key, value in point.settings.items() if key != treatment.key}
        name = ",".join(f"{key}={toml_text(value)}" for key, value in others.items())
        block = blocks.setdefault(name, Block(others, {}))
        block.points[shown(point.settings[treatment.key])] = point.id
    usable = [
        block
        for block in blocks.values()
        if treatment.baseline in block.points and len(block.points) > 1
    ]
    if not usable:
        raise InputError(
            f"no two points of the sweep differ in {treatment.key} alone, one of them with "
            f"{treatment.baseline}: there is nothing to compare"
        )
    return usable


def _is(value: Value, wanted: object) -> bool:
    if isinstance(wanted, str):
        if wanted in (value, shown(value), toml_text(value)):
            return True
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        try:
            return float(wanted) == value
        except ValueError:
            return False
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)
