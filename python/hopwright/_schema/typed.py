"""What the classes of `hopwright.scenario` can do: become TOML, be changed, be checked."""

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, get_args

from hopwright._io.data import toml_of
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright._io.keywords import check_words

if TYPE_CHECKING:
    from hopwright import _core
    from hopwright._io.source import Source
    from hopwright._schema.settings import Value


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Table:
    """A table of a scenario. Never changes; `dataclasses.replace` makes another one."""

    TAG: ClassVar[tuple[str, str] | None] = None
    """The key that tells kinds of tables apart, and this kind's word."""
    TABLES: ClassVar[dict[str, tuple[type["Table"], ...]]] = {}
    """The keys that hold tables, and what these may be."""

    def __new__(cls, *_: object, **given: object) -> Self:
        """Before Python refuses a keyword: names the one that may be meant."""
        check_words(cls.__name__, given, (each.name for each in dataclasses.fields(cls)))
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Raises `TypeError` for a table of another kind than a key takes."""
        for key, kinds in self.TABLES.items():
            value = getattr(self, key)
            listed = isinstance(value, (list, tuple))
            for place, each in enumerate(value if listed else [value]):
                if isinstance(each, Table) and not isinstance(each, kinds):
                    raise TypeError(_wrong_table(f"{key}.{place}" if listed else key, kinds, each))

    def to_dict(self) -> "dict[str, Value]":
        """The keys that are stated, as TOML's kinds of values.

        Raises `InputError` for a value that TOML has no form of.
        """
        stated: dict[str, Value] = {self.TAG[0]: self.TAG[1]} if self.TAG else {}
        for key, value in self._stated():
            stated[key] = _plain(key, value)
        return stated

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> Self:
        """The table that says this; `to_dict` backwards.

        Raises `KeyError` or `TypeError` if there is no such table: check what is not your own with
        `hopwright.load`.
        """
        known: dict[str, Any] = {}
        for key, value in stated.items():
            if cls.TAG and key == cls.TAG[0]:
                continue
            name = f"{key}_" if key == "from" else key
            known[name] = _tables(cls.TABLES[key], value) if key in cls.TABLES else value
        return cls(**known)

    def __repr__(self) -> str:
        stated = ", ".join(f"{field}={value!r}" for field, value in _fields(self))
        return f"{type(self).__name__}({stated})"

    def _stated(self) -> Iterator[tuple[str, Any]]:
        for field, value in _fields(self):
            yield field.removesuffix("_"), value


FILES = (
    ("topology", "file"),
    ("energy", "compute"),
    ("links", "trace"),
    ("links", "reverse", "trace"),
    ("links", "changes", "trace"),
    ("links", "changes", "reverse", "trace"),
    ("flows", "transport", "policy"),
)
"""The keys that name files, through any lists on the way."""


def _files_in(stated: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Of a scenario's keys those that name files, each with the table that has it."""
    for path in FILES:
        yield from _files_under(stated, path)


def _files_under(value: object, path: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, list):
        for part in value:
            yield from _files_under(part, path)
    elif isinstance(value, dict) and len(path) > 1:
        yield from _files_under(value.get(path[0]), path[1:])
    elif isinstance(value, dict) and isinstance(value.get(path[0]), str):
        yield value, path[0]


def _with_kinds(stated: dict[str, Any]) -> dict[str, Any]:
    """A scenario's keys, with those of the tables `[mac.dcf]` and such where the MAC has them."""
    mac = stated.get("mac")
    if isinstance(mac, dict):
        for kind in [key for key, value in mac.items() if isinstance(value, dict)]:
            mac |= mac.pop(kind)
    return stated


@in_python
class ScenarioTable(Table):
    """What a whole scenario can do besides."""

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], settings: Mapping[str, object] | None = None
    ) -> Self:
        """Reads a scenario file; holds the keys that it states, and its name.

        A scenario that states no name has that of its file; `to_toml` and `save` state it, so that
        it is the same scenario wherever it is written. `settings` sets keys by their full names, as
        `with_settings` does. Paths of files that it names become ones from where we stand. Raises
        `ScenarioError` if anything is wrong with it, `InputError` if the file cannot be read.
        """
        from hopwright._io.source import Source

        source = Source.read(path)
        name = source.load().name
        stated = {"name": name, **toml_of(source.text)}
        for keys, key in _files_in(stated):
            keys[key] = str(Path(source.folder, str(keys[key])))
        scenario = cls.from_dict(_with_kinds(stated))
        return scenario.with_settings(settings) if settings else scenario

    def with_settings(self, settings: Mapping[str, object]) -> Self:
        """The same with other values: `{"topology.hops": 4, "flows.transport.protocol": "reno"}`.

        A key of `flows` without a number is set in all flows. Raises `ScenarioError` if a key or a
        value is wrong.
        """
        from hopwright._schema.settings import overrides_of

        if not isinstance(settings, Mapping):
            raise TypeError(
                f"settings: expected keys and values, such as {{'topology.hops': 4}}, found "
                f"{settings!r}"
            )
        given = {key: _plain(key, value) for key, value in settings.items()}
        self.source().load(overrides_of(given))
        stated = self.to_dict()
        for key, value in given.items():
            _set(stated, key.split("."), value)
        return self.from_dict(_with_kinds(stated))

    def to_toml(self) -> str:
        """The scenario as a file: the keys that it states."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scenario file; what was there is lost.

        Paths of files that it names, which are ones from where we stand, become ones from the file.
        Raises `OSError` if it cannot be written; then what was there is there still.
        """
        import tomli_w

        from hopwright._io.out import write_whole

        file = Path(path)
        stated = self.to_dict()
        for keys, key in _files_in(stated):
            named = Path(str(keys[key]))
            if not named.is_absolute():
                keys[key] = os.path.relpath(named, file.parent)
        write_whole(file, tomli_w.dumps(stated).encode())

    def check(self) -> "_core.Scenario":
        """The scenario with every default filled in.

        Warns of parameters that have no effect, and of numbers that look like those of another
        unit. Raises `ScenarioError`, which says what is wrong
        with it and what would be right.
        """
        from hopwright._io.warn import doubts, to_caller

        checked = self.source().load()
        for line in doubts(checked):
            to_caller(line)
        return checked

    def source(self) -> "Source":
        """The scenario as the text that runs read."""
        from hopwright._io.source import Source

        return Source(self.to_toml(), self._origin(), "")

    def _origin(self) -> str:
        return str(getattr(self, "name", None) or "scenario")

    def _repr_html_(self) -> str:
        """For notebooks: the scenario's text."""
        import html

        return f"<pre>{html.escape(self.to_toml())}</pre>"


def _fields(table: Table) -> Iterator[tuple[str, Any]]:
    """The fields that are stated."""
    for field in dataclasses.fields(table):
        value = getattr(table, field.name)
        if value is not None:
            yield field.name, value


def _plain(key: str, value: object) -> "Value":
    """The value of a key as TOML knows it. Raises `InputError` where TOML has no form of it."""
    from hopwright._schema.settings import plain

    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(f"{key}.{place}", each) for place, each in enumerate(value)]
    try:
        return plain(value)
    except InputError as error:
        raise InputError(f"{key}: {error}") from None


def _wrong_table(key: str, kinds: Sequence[type[Table]], found: Table) -> str:
    """What is said of a table of another kind than a key takes, and where it would be right."""
    *first, last = (kind.__name__ for kind in kinds)
    expected = f"{', '.join(first)} or {last}" if first else last
    name = type(found).__name__
    inner = [
        f"; write {kind.__name__}({_choosing(kind, each)}{each}={name}(...))"
        for kind in kinds
        for each, known in kind.TABLES.items()
        if isinstance(found, known)
    ]
    return f"{key}: expected {expected}, found {name}{''.join(inner[:1])}"


def _choosing(kind: type[Table], key: str) -> str:
    """`protocol="aodv", `: what has the table of a key count; empty where it always does."""
    for field in dataclasses.fields(kind):
        if any(key in get_args(part) for part in (field.type, *get_args(field.type))):
            return f'{field.name}="{key}", '
    return ""


def _tables(kinds: tuple[type[Table], ...], value: object) -> Table | list[Table] | str:
    """The table, or the tables, that a key holds, or the word that stands for one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_table(kinds, each) for each in value]
    return _table(kinds, cast("Mapping[str, Any]", value))


def _table(kinds: tuple[type[Table], ...], stated: Mapping[str, Any]) -> Table:
    """Of the kind that it names; of the first, if it names none. A flow's transport may decide."""
    for kind in kinds:
        if kind.TAG and stated.get(kind.TAG[0]) == kind.TAG[1]:
            return kind.from_dict(stated)
    return kinds[0].from_dict(stated)


def _set(stated: "Value", path: list[str], value: "Value") -> None:
    """Sets a key in the tables of a scenario that has passed the check with it."""
    key, *rest = path
    if isinstance(stated, list) and key.isdecimal():
        _set(stated[int(key)], rest, value)
    elif isinstance(stated, list):
        for each in stated:
            _set(each, path, value)
    elif isinstance(stated, dict) and rest:
        _set(stated.setdefault(key, {}), rest, value)
    elif isinstance(stated, dict):
        stated[key] = value
