"""`[[vary]]` of a paper's file: what the columns and rows of its tables differ in."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright._io.errors import InputError, near
from hopwright._io.plural import many
from hopwright.research.papers.fields import Fields, Part, Value, spot


@dataclass(frozen=True, eq=False)
class Setting:
    """One value of an axis."""

    label: str
    keys: Mapping[str, Value]
    """Keys of the scenario and their values."""
    reference: Mapping[str, str] | None
    """Columns of the reference table and their values; None: the reference has no such setting."""


@dataclass(frozen=True, eq=False)
class Axis:
    """What is varied, in the order of the paper."""

    name: str
    title: str
    settings: tuple[Setting, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the values."""
        return tuple(setting.label for setting in self.settings)

    def series(self, label: str) -> str:
        """What a series of this label is called: a bare number needs the title, `hops 3`."""
        if not is_number(label):
            return label
        word, _, unit = self.title.removesuffix(")").replace(" (", ", ").partition(", ")
        return f"{word} {label} {unit}".rstrip()


def is_number(label: str) -> bool:
    """Whether a label is a number that an axis can show."""
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


def read_axis(values: Mapping[str, Value], path: Path) -> Axis:
    """One of `[[vary]]`. Raises `InputError`."""
    where = f"{spot(values, path)}: [[vary]]"
    known = ("name", "title", "settings", "key", "values", "labels", "reference")
    fields = Fields(values, where, known)
    name = fields.text("name")
    where = f"{where} {name}"
    if "key" in fields:
        settings = _of_one_key(fields, where, spot(values, path, "key"))
    else:
        settings = [_setting(each, where) for each in fields.tables("settings")]
    if not settings:
        raise InputError(f"{where}: give key and values, or settings")
    for setting in settings:
        if setting.keys.keys() != settings[0].keys.keys():
            raise InputError(
                f"{where}: '{setting.label}' sets other keys than '{settings[0].label}'"
            )
    names_are_unlike(where, "settings", [each.label for each in settings])
    return Axis(name, fields.text("title", name), tuple(settings))


def _of_one_key(fields: Fields, where: str, key_at: str) -> list[Setting]:
    """Settings of an axis of one key, which stands `key_at`."""
    if "settings" in fields:
        raise InputError(f"{where}: give either key and values, or settings, not both")
    key = fields.text("key")
    values = fields.values("values")
    labels = fields.texts("labels", [str(value) for value in values])
    if len(labels) != len(values):
        raise InputError(
            f"{where}: {many(len(values), 'value')}, but {many(len(labels), 'label')}: write one "
            "for each"
        )
    column = fields.text("reference", "")
    return [
        Setting(label, Part({key: value}, key_at), {column: str(value)} if column else {})
        for label, value in zip(labels, values, strict=True)
    ]


def _setting(values: Mapping[str, Value], where: str) -> Setting:
    fields = Fields(values, f"{where}: settings", ("label", "set", "reference"))
    keys = fields.table("set")
    if not keys:
        raise InputError(f"{where}: settings: set is missing: write keys of the scenario")
    has_reference = values.get("reference") is not False
    reference = words(fields.table("reference")) if has_reference else None
    return Setting(fields.text("label"), keys, reference)


def words(values: Mapping[str, Value]) -> dict[str, str]:
    """The values as text."""
    return {key: str(value) for key, value in values.items()}


def axis_called(axes: Sequence[Axis], name: str, where: str) -> Axis:
    """The axis of this name. Raises `InputError`."""
    found = next((axis for axis in axes if axis.name == name), None)
    if found is None:
        raise InputError(f"{where}: no axis called '{name}'{near(name, [a.name for a in axes])}")
    return found


def names_are_unlike(where: str, what: str, names: Sequence[str]) -> None:
    """Raises `InputError` where two of a list have one name."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{where}: {what}: the name '{name}' is there twice")
