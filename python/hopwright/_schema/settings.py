"""Settings of a point: keys of the scenario and their values, as TOML and as people read them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from hopwright._io.errors import InputError

Value: TypeAlias = bool | int | float | str | list["Value"] | dict[str, "Value"]
"""A value of a scenario key."""

Settings: TypeAlias = Mapping[str, Value]
"""A point of a sweep: values by their full keys, such as `topology.hops`."""

Step: TypeAlias = Value | tuple[Value, ...]
"""What the keys of an axis are set to at once: one value for all, or a tuple with a value each."""

BARE = re.compile(r"[\w./:+-]+")
"""Strings that people need no quotation marks to see the ends of."""


def plain(value: object) -> Value:
    """A value as TOML knows it: NumPy's scalars become numbers, its arrays and tuples lists.

    Raises `InputError` for what TOML has no form of.
    """
    if type(value) in {bool, int, float, str}:
        return cast("Value", value)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    listed = getattr(value, "tolist", None)  # of a NumPy number, what Python has for it
    if callable(listed) and type(found := listed()) is not type(value):
        return plain(found)
    for kind in (str, int, float):
        if isinstance(value, kind):  # of a derived class, such as an enumeration
            return kind(value)
    raise InputError(f"{value!r}: cannot be the value of a scenario key")


def toml_text(value: Value) -> str:
    """A value as TOML writes it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's; JSON leaves DEL alone, which TOML does not take.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{toml_text(k)} = {toml_text(v)}' for k, v in value.items())}}}"
    return repr(value)


def shown(value: Value) -> str:
    """A value as people read it: `reno`, `4`, `[1, 2]`."""
    if isinstance(value, str) and BARE.fullmatch(value):
        return value
    return toml_text(value)


def step_text(step: Step) -> str:
    """A step as `--vary` takes it: `4`, or `(2,3)` of keys that have a value each."""
    return f"({','.join(map(shown, step))})" if isinstance(step, tuple) else shown(step)


def step_of(settings: Settings, keys: Sequence[str]) -> Step:
    """What these keys of one axis are set to; a value that all of them have stands alone."""
    return one_or_each([settings[key] for key in keys])


def one_or_each(values: Sequence[Value]) -> Step:
    """Values of keys that go together, as a step."""
    is_shared = len({toml_text(value) for value in values}) == 1
    return values[0] if is_shared else tuple(values)


def settings_text(settings: Settings) -> str:
    """`topology.hops=4, flows.transport.protocol=reno`."""
    return ", ".join(f"{key}={shown(value)}" for key, value in settings.items())


def overrides_of(settings: Settings) -> list[tuple[str, str]]:
    """The settings as keys and TOML texts, as `Source.load` takes them."""
    return [(key, toml_text(value)) for key, value in settings.items()]


def equal(steps: Iterable[Step]) -> Step | None:
    """The first step that is there twice; None if there is none. 1 and 1.0 differ, as in TOML."""
    seen = set()
    for step in steps:
        text = step_text(step)
        if text in seen:
            return step
        seen.add(text)
    return None


def named(key: str, value: str) -> str:
    """`reno`, `(reno,beb)`; but `topology.hops=4`, as a number alone could be anything."""
    parts = value.removeprefix("(").removesuffix(")").split(",")
    is_name = all(part[:1].isalpha() and part not in {"true", "false"} for part in parts)
    return value if is_name else f"{key}={value}"
