"""A TOML table taken apart: every key is known, every value is of its kind."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from hopwright._io.errors import InputError, near

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value]"


class Part(dict[str, Value]):
    """A table that knows where it stands: maybe parts of it in one file, parts in another."""

    def __init__(
        self,
        values: "Mapping[str, Value] | Iterable[tuple[str, Value]]" = (),
        where: str = "",
        spots: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(values)
        self.spot = where
        """File and line."""
        self.spots = {**dict.fromkeys(self, where), **(spots or {})}
        """Those of each key."""

    def kept(self, keys: Iterable[str]) -> "Part":
        """With some keys only."""
        names = [*keys]
        spots = {key: self.spots[key] for key in names}
        return Part({key: self[key] for key in names}, self.spot, spots)

    def having(self, key: str, value: Value, where: str) -> "Part":
        """With a key that is another, or new."""
        return Part({**self, key: value}, self.spot, {**self.spots, key: where})

    def below(self, other: "Part") -> "Part":
        """The same, about to be altered by another."""
        return Part(self, f"{other.spot} (over {self.spot})", self.spots)


def spot(values: Mapping[str, Value], file: object, key: str | None = None) -> str:
    """Where a table stands, or a key of it, as far as that is known; else only in which file."""
    if not isinstance(values, Part):
        return str(file)
    return values.spot if key is None else values.spots.get(key, values.spot)


class Fields:
    """The keys of one table. Whatever is wrong is an `InputError` that says where."""

    def __init__(self, values: Mapping[str, Value], where: str, known: Sequence[str]) -> None:
        self._values = values
        self.where = where
        for key in values:
            if key not in known:
                raise InputError(f"{self.at(key)}: no key called '{key}'{near(key, known)}")

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
            raise InputError(f"{self.at(key)}: {key} = '{value}'{near(value, known)}")
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

    def at(self, key: str) -> str:
        """Where a key stands; a missing one, where the table does."""
        if not isinstance(self._values, Part):
            return self.where
        rest = self.where.removeprefix(self._values.spot)
        is_own = self.where.startswith(self._values.spot) and rest[:1] in ("", ":")
        return self._values.spots[key] + rest if is_own and key in self._values else self.where

    def _wrong(self, key: str, wanted: str) -> InputError:
        if key not in self._values:
            return InputError(f"{self.where}: {key} is missing: write {wanted}")
        return InputError(f"{self.at(key)}: {key} = {self._values[key]!r}: write {wanted}")


def is_real(value: Value) -> TypeGuard[int | float]:
    """Whether a value is a number, and a finite one."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
