"""`[[gaps]]` of a paper's file: what its document leaves open, and the choices that there are."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hopwright._io.errors import InputError, near
from hopwright._io.plural import many
from hopwright.research.papers.fields import Fields, Value, spot

if TYPE_CHECKING:
    from hopwright.research.papers.axes import Axis

MOST_CHOICES = 8
"""Of a gap; three columns of a design."""

MOST_READINGS = 65_536
"""All combinations: what the main effects promise is worked out for each."""


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to fill a gap."""

    label: str
    keys: Mapping[str, Value]
    """Keys of the scenario and their values."""
    departs: str
    """How it departs from the document's words; empty where these allow it."""
    at: Mapping[str, tuple[str, ...]]
    """An axis and those of its labels that the keys are set at; empty: at all points."""


@dataclass(frozen=True, eq=False)
class Gap:
    """What the document leaves open."""

    id: str
    why: str
    choices: tuple[Choice, ...]
    """The first is the file's own."""


Reading: TypeAlias = tuple[int, ...]
"""The number of the choice for each gap; all 0 is the file's own reading."""


def read_gaps(
    tables: Sequence[Mapping[str, Value]], path: Path, axes: "Sequence[Axis]"
) -> tuple[Gap, ...]:
    """All of `[[gaps]]` of a file with these axes. Raises `InputError`."""
    labels = {axis.name: [each.label for each in axis.settings] for axis in axes}
    gaps = tuple(_gap(each, path, labels) for each in tables)
    varied = (key for axis in axes for setting in axis.settings for key in setting.keys)
    owner = dict.fromkeys(varied, "[[vary]]")
    for number, gap in enumerate(gaps):
        where = f"{path}: [[gaps]] {gap.id}"
        if gap.id in {each.id for each in gaps[:number]}:
            raise InputError(f"{path}: [[gaps]]: two have the id '{gap.id}'")
        for key in sorted({key for choice in gap.choices for key in choice.keys}):
            if key in owner:
                raise InputError(
                    f"{where}: sets {key}, but {owner[key]} also sets it; only one may"
                )
            owner[key] = f"'{gap.id}'"
    count = math.prod(len(gap.choices) for gap in gaps)
    if count > MOST_READINGS:
        raise InputError(
            f"{path}: [[gaps]]: {count} combinations; at most {MOST_READINGS} are allowed"
        )
    return gaps


def _gap(values: Mapping[str, Value], path: Path, axes: Mapping[str, Collection[str]]) -> Gap:
    fields = Fields(values, f"{spot(values, path)}: [[gaps]]", ("id", "why", "settings"))
    name = fields.text("id")
    where = f"{fields.where} {name}"
    choices = tuple(
        _choice(each, f"{where}: settings", axes, is_own=number == 0)
        for number, each in enumerate(fields.tables("settings"))
    )
    if not 2 <= len(choices) <= MOST_CHOICES:
        raise InputError(
            f"{where}: {many(len(choices), 'setting')}: write 2 to {MOST_CHOICES}, the file's own "
            "first"
        )
    labels = [choice.label for choice in choices]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"{where}: settings: the label '{label}' is there twice")
    for choice in choices[1:]:
        missing = sorted(choices[0].keys.keys() - choice.keys.keys())
        if missing:
            raise InputError(
                f"{where}: '{choice.label}' does not set {', '.join(missing)}, which "
                f"'{choices[0].label}' sets"
            )
        if choices[0].keys and choice.at != choices[0].at:
            raise InputError(
                f"{where}: '{choice.label}' sets keys at other points than '{choices[0].label}', "
                "which also sets keys: set keys at the same points, or omit the set of the first"
            )
    return Gap(name, fields.text("why").strip(), choices)


def _choice(
    values: Mapping[str, Value], where: str, axes: Mapping[str, Collection[str]], *, is_own: bool
) -> Choice:
    fields = Fields(values, where, ("label", "set", "departs", "at"))
    label = fields.text("label")
    keys = fields.table("set")
    if not keys and not is_own:
        raise InputError(f"{where}: '{label}': set is missing: write keys of the scenario")
    at = _places(fields.table("at"), f"{where}: '{label}': at", axes)
    return Choice(label, keys, fields.text("departs", "").strip(), at)


def _places(
    values: Mapping[str, Value], where: str, axes: Mapping[str, Collection[str]]
) -> dict[str, tuple[str, ...]]:
    """An axis, if any, and some of its labels."""
    if len(values) > 1:
        raise InputError(f"{where}: names {len(values)} axes; name only one")
    fields = Fields(values, where, tuple(axes))
    found = {name: fields.texts(name) for name in values}
    for name, labels in found.items():
        for label in labels:
            if label not in axes[name]:
                raise InputError(f"{where}: no '{label}' in {name}{near(label, axes[name])}")
    return found


def own_reading(gaps: Sequence[Gap]) -> Reading:
    """The file's own: the first choice of each."""
    return (0,) * len(gaps)


def choices_of(gaps: Sequence[Gap], reading: Reading) -> list[Choice]:
    """What a reading chooses for each gap."""
    return [gap.choices[number] for gap, number in zip(gaps, reading, strict=True)]


def keys_of(gaps: Sequence[Gap], reading: Reading) -> dict[str, Value]:
    """The keys of the scenario that a reading sets at all points."""
    chosen = (each for each in choices_of(gaps, reading) if not each.at)
    return {key: value for each in chosen for key, value in each.keys.items()}


def axes_of(axes: "Sequence[Axis]", gaps: Sequence[Gap], reading: Reading) -> "tuple[Axis, ...]":
    """The axes, with what a reading sets at some of their labels alone."""
    found = {axis.name: axis for axis in axes}
    for choice in choices_of(gaps, reading):
        for name, labels in choice.at.items():
            settings = tuple(
                replace(each, keys={**each.keys, **choice.keys}) if each.label in labels else each
                for each in found[name].settings
            )
            found[name] = replace(found[name], settings=settings)
    return tuple(found.values())


def departures(gaps: Sequence[Gap], reading: Reading) -> dict[str, str]:
    """How a reading departs from the document's words, by gap."""
    chosen = zip(gaps, choices_of(gaps, reading), strict=True)
    return {gap.id: choice.departs for gap, choice in chosen if choice.departs}


def changed(gaps: Sequence[Gap], reading: Reading) -> dict[str, str]:
    """The labels of what is not the file's own, by gap."""
    return {
        gap.id: gap.choices[number].label
        for gap, number in zip(gaps, reading, strict=True)
        if number
    }


def distance(gaps: Sequence[Gap], reading: Reading) -> tuple[int, int, Reading]:
    """How far off a reading is: departures, changes; the rest makes the order definite."""
    return len(departures(gaps, reading)), sum(number > 0 for number in reading), reading


def in_words(gaps: Sequence[Gap], reading: Reading) -> str:
    """A reading, by what it changes."""
    found = changed(gaps, reading)
    return "; ".join(f"{gap}: {label}" for gap, label in found.items()) or "the file's own"
