"""A TOML table taken apart: every key is known, every value is of its kind."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard

from hopwright.errors import InputError, near

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value]"


class Fields:
    """The keys of one table. Whatever is wrong is an `InputError` that says where."""

    def __init__(self, values: Mapping[str, Value], where: str, known: Sequence[str]) -> None:
        for key in values:
            if key not in known:
                raise InputError(f"{where}: no key called '{key}'{near(key, known)}")
        self._values = values
        self.where = where

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        """A string; `default` where it is missing and there is one."""
        value = self._values.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self._wrong(key, "a text")
        return value

    def word(self, key: str, known: Sequence[str]) -> str:
        """One of some words."""
        value = self.text(key)
        if value not in known:
            raise InputError(f"{self.where}: {key} = '{value}'{near(value, known)}")
        return value

    def whole(self, key: str, least: int, default: int | None = None) -> int:
        """A whole number, `least` or more."""
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self._wrong(key, f"a whole number, at least {least}")
        return value

    def positive(self, key: str, default: float) -> float:
        """A number above 0."""
        value = self._values.get(key, default)
        if not is_real(value) or value <= 0:
            raise self._wrong(key, "a number above 0")
        return float(value)

    def not_negative(self, key: str, default: float) -> float:
        """A number, 0 or more."""
        value = self._values.get(key, default)
        if not is_real(value) or value < 0:
            raise self._wrong(key, "a number, 0 or more")
        return float(value)

    def flag(self, key: str) -> bool:
        """True or false; false where it is missing."""
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """A list of strings, not empty unless `default` is."""
        value = self._values.get(key)
        if value is None and default is not None:
            return tuple(default)
        if not isinstance(value, list) or not value:
            raise self._wrong(key, "a list of texts")
        if not all(isinstance(each, str) and each for each in value):
            raise self._wrong(key, "a list of texts")
        return tuple(str(each) for each in value)

    def table(self, key: str) -> dict[str, Value]:
        """A table; empty where it is missing."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, "a table")
        return value

    def tables(self, key: str) -> list[dict[str, Value]]:
        """A list of tables; empty where it is missing."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list of tables")
        tables = [each for each in value if isinstance(each, dict)]
        if len(tables) != len(value):
            raise self._wrong(key, "a list of tables")
        return tables

    def values(self, key: str) -> list[Value]:
        """A list, not empty."""
        value = self.listed(key)
        if not value:
            raise self._wrong(key, "a list")
        return value

    def listed(self, key: str) -> list[Value]:
        """A list; empty where it is missing."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return value

    def _wrong(self, key: str, wanted: str) -> InputError:
        if key not in self._values:
            return InputError(f"{self.where}: {key} is missing: {wanted}")
        return InputError(f"{self.where}: {key} = {self._values[key]!r}: write {wanted}")


def is_real(value: Value) -> TypeGuard[int | float]:
    """Whether a value is a number, and a finite one."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
