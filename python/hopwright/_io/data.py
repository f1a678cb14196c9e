"""JSON values, and a safe way to look into them."""

from typing import TypeAlias, TypeGuard

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Object: TypeAlias = dict[str, Json]


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
