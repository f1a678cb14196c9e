"""What is compared with what: the varied key that makes the difference, and its baseline.

Keys that go together (`topology.hops,flows.to`) are one here, under the name of their axis.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from hopwright._io.errors import InputError, near
from hopwright._schema.settings import Settings, Step, Value, step_of, step_text, toml_text
from hopwright._schema.written import same, split, stands_for
from hopwright.sweeps.axes import keys_of
from hopwright.sweeps.points import Point

PAIR = re.compile(r"\s*([\w., -]+?)\s*=\s*(.*?)\s*", re.DOTALL)
"""`KEY=VALUE`. A value may have an equals sign of its own: `[{from=0,to=1}]`."""


class Treatment(NamedTuple):
    """The key whose values are compared, and the one that the others are compared with."""

    key: str
    baseline: str
    """As it is shown; values of a key differ in that."""


class Block(NamedTuple):
    """What is compared with each other: points that differ in the treatment alone."""

    settings: Settings
    """The other keys' values, the same in the whole block; of keys that go together and always have
    the same value, the first alone."""
    points: dict[str, str]
    """Ids of points by the treatment's value, as it is shown."""


def values_of(
    points: Sequence[Point], joint_keys: Sequence[Sequence[str]]
) -> dict[str, list[Step]]:
    """The axes of a sweep, each with its values in the order in which they come."""
    found: dict[str, list[Step]] = {}
    for keys in joint_keys:
        steps = [step_of(point.settings, keys) for point in points]
        found[",".join(keys)] = list({step_text(step): step for step in steps}.values())
    return found


def treatment_of(values: Mapping[str, Sequence[Step]], baseline: object) -> Treatment:
    """Finds the key that the baseline is a value of.

    Args:
        values: The varied keys, those that go together by their common name, and their values.
        baseline: A value; or `KEY=VALUE`, which decides where several keys have that value.

    Raises:
        InputError: It is a value of no key or of several, or its key has no other value.
    """
    wanted, keys = baseline, list(values)
    if isinstance(baseline, str) and (pair := PAIR.fullmatch(baseline)):
        key, rest = pair.groups()
        axis = next((name for name in values if key in (name, *keys_of(name))), None)
        if axis is not None:
            wanted, keys = rest, [axis]
        elif not any(_is(value, baseline) for each in values.values() for value in each):
            raise InputError(f"baseline {baseline}: '{key}' is not varied{near(key, values)}")
    matches = [
        Treatment(key, step_text(value))
        for key in keys
        for value in values[key]
        if _is(value, wanted)
    ]
    if not matches:
        known = [step_text(value) for key in keys for value in values[key]]
        name = wanted if isinstance(wanted, str) else repr(wanted)
        raise InputError(f"baseline '{name}' is not among the variants{near(name, known)}")
    if len(matches) > 1:
        ways = " or ".join(f"{key}={value}" for key, value in matches)
        raise InputError(f"baseline '{wanted}' is a value of several keys; write {ways}")
    if len(values[matches[0].key]) < 2:
        key, value = matches[0]
        raise InputError(f"{key}: has no other value to compare {value} with; add one to --vary")
    return matches[0]


def blocks_of(
    points: Sequence[Point], joint_keys: Sequence[Sequence[str]], treatment: Treatment
) -> list[Block]:
    """The blocks that have the baseline and something to compare with it, in the points' order.

    Raises `InputError` if there is none.
    """
    treated = keys_of(treatment.key)
    naming = [
        key
        for keys in joint_keys
        if tuple(keys) != treated
        for key in (keys if _differ(points, keys) else keys[:1])
    ]
    blocks: dict[str, Block] = {}
    for point in points:
        others = {key: point.settings[key] for key in naming}
        name = ",".join(f"{key}={toml_text(value)}" for key, value in others.items())
        block = blocks.setdefault(name, Block(others, {}))
        block.points[step_text(step_of(point.settings, treated))] = point.id
    usable = [
        block
        for block in blocks.values()
        if treatment.baseline in block.points and len(block.points) > 1
    ]
    if not usable:
        raise InputError(
            f"nothing to compare: no point of the sweep differs from a point with "
            f"{treatment.key}={treatment.baseline} in {treatment.key} alone"
        )
    return usable


def _differ(points: Sequence[Point], keys: Sequence[str]) -> bool:
    """Whether keys that go together have different values at some point."""
    return any(isinstance(step_of(point.settings, keys), tuple) for point in points)


def _is(value: Step, wanted: object) -> bool:
    """Whether a step is what was asked for: as a value, or as a text that stands for it."""
    if not isinstance(value, tuple):
        if isinstance(wanted, str):
            return stands_for(wanted, value)
        return same(value, cast("Value", wanted))
    given = _parts(wanted) if isinstance(wanted, str) else wanted
    return isinstance(given, tuple) and len(given) == len(value) and all(map(_is, value, given))


def _parts(text: str) -> tuple[str, ...]:
    """`(a,b)` as texts of its parts; nothing of any other text."""
    if not (text.startswith("(") and text.endswith(")")):
        return ()
    try:
        return tuple(split(text[1:-1]))
    except InputError:
        return ()
