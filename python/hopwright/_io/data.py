"""JSON values: safe ways to read them, from JSON and from TOML, and to look into them."""

import json
from typing import Any, TypeAlias, TypeGuard

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Object: TypeAlias = dict[str, Json]

TOO_DEEP = "it is nested too deeply"


def json_of(text: str | bytes) -> Any:  # noqa: ANN401 - what it is, nobody knows
    """What a text in JSON says. Raises `ValueError`, also where it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error


def toml_of(text: str) -> dict[str, Any]:
    """The same of one in TOML. Raises `tomllib.TOMLDecodeError`, which is a `ValueError`."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from error


def at(value: Json, *path: str | int) -> Json:
    """The value at a path of keys and positions; None where there is none."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def number(value: Json, *path: str | int) -> float | None:
    """The number at a path; None where there is none."""
    found = at(value, *path)
    return found if is_number(found) else None


def amount(value: Json, *path: str | int) -> float:
    """The number at a path; 0 where there is none."""
    return number(value, *path) or 0.0


def items(value: Json, *path: str | int) -> list[Json]:
    """The list at a path; empty where there is none."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def table(value: Json, *path: str | int) -> Object:
    """The object at a path; empty where there is none."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def is_number(value: Json) -> TypeGuard[int | float]:
    """Whether a value is a number (a truth value is not)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
