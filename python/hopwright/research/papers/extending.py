"""`extends`: a paper's file that takes all of another and states only what differs.

    extends = "other.toml"
    without = ["claims.*", "measures.lost"]

takes a file beside this one, or one of the program's by its id, but what `without` names. Tables
are merged key by key. Lists of tables that have names (`NAMES`) are merged by these: an entry of
the same name is altered key by key and stays where it is, a new one comes behind the others.
Everything else, other lists too, is replaced; so is a `[scenario]` by one with `file`.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from hopwright._io.data import toml_of
from hopwright._io.errors import InputError, near
from hopwright._io.files import read_text
from hopwright.research.papers.fields import Fields, Part, Value, spot
from hopwright.research.papers.library import FOLDER
from hopwright.research.papers.spots import told

OWN_KEYS = ("extends", "without", "functions")
"""Of one file alone: these are not taken from another."""

NAMES: Mapping[str, str] = {
    "vary": "name",
    "settings": "label",
    **dict.fromkeys(
        ("measures", "tables", "readings", "claims", "comparisons", "figures", "emulations"), "id"
    ),
    "gaps": "id",
}
"""Lists of tables that are merged by name, and the key that holds the name."""

EVERYTHING = tuple(f"{key}.*" for key in NAMES)
"""Whole lists, which `without` may name where the other file has none."""

WHOLE: Mapping[str, Sequence[str]] = {
    "vary": ("key", "settings"),
    "settings": ("set",),
    "measures": ("kind",),
    "tables": ("rows",),
    "readings": ("set",),
    "claims": ("rule",),
    "comparisons": ("axis",),
    "figures": ("kind",),
    "emulations": ("driver",),
    "gaps": ("settings",),
}
"""A key that every whole entry has; what has none of these only alters."""


@dataclass(frozen=True)
class Stated:
    """A file with all that it takes from others."""

    values: Part
    scenario_folder: Path
    """What file names of the scenario are relative to: where that stands which others alter."""
    functions: tuple[Path, ...]
    """Files of functions, the nearest first."""


def stated(path: Path, children: Sequence[Path] = ()) -> Stated:
    """Reads a file, and those that it extends. `children`: those that led to it.

    Raises:
        InputError: One cannot be read or is no TOML, extends itself, or alters what there is not.
    """
    text = read_text(path)
    try:
        own = told(toml_of(text), path, text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from error
    fields = Fields(own, str(path), tuple(own))
    functions = _functions(fields, own, path)
    without = fields.texts("without", [])
    if "extends" not in own:
        if without:
            raise InputError(f"{own.spots['without']}: without: needs extends, which is missing")
        return Stated(_stripped(own), path.parent, functions)
    where = own.spots["extends"]
    base_path = _base(fields.text("extends"), path, where)
    family = [*children, path]
    if any(base_path.samefile(each) for each in family):
        names = " -> ".join(each.name for each in (*family, base_path))
        raise InputError(f"{where}: extends leads back to the same file: {names}")
    base = stated(base_path, family)
    left = base.values
    for words in without:
        left = _leave_out(left, words, own.spots["without"], base_path)
    values = _merged(left, _stripped(own), (), base_path)
    own_scenario = _replaces(left.get("scenario"), own.get("scenario"))
    folder = path.parent if own_scenario else base.scenario_folder
    return Stated(values, folder, (*functions, *base.functions))


def _stripped(own: Part) -> Part:
    return own.kept(key for key in own if key not in OWN_KEYS)


def _functions(fields: Fields, own: Part, path: Path) -> tuple[Path, ...]:
    """The Python file that a file names, or the one of its own name."""
    if "functions" not in own:
        beside = path.with_suffix(".py")
        return (beside,) if beside.is_file() else ()
    named = path.parent / fields.text("functions")
    if not named.is_file():
        raise InputError(f"{own.spots['functions']}: functions: {named}: there is no such file")
    return (named,)


def _base(words: str, path: Path, where: str) -> Path:
    """The file that is extended: beside this one, or of the program's by its id."""
    is_id = not words.endswith(".toml")
    folder = FOLDER if is_id else path.parent
    found = folder / (f"{words}.toml" if is_id else words)
    if not found.is_file():
        files = [each for each in sorted(folder.glob("*.toml")) if each != path]
        names = [each.name.removesuffix(".toml") if is_id else each.name for each in files]
        raise InputError(f"{where}: extends = '{words}': there is no such file{near(words, names)}")
    return found


def _leave_out(table: Part, words: str, where: str, base: Path) -> Part:
    """The table without what the words name: `claims.*`, `measures.lost`, `scenario.energy`."""
    found = _without(table, words)
    if found is None and words in EVERYTHING:
        return table
    if found is None:
        raise InputError(
            f"{where}: without: '{words}': {base.name} has nothing with this name"
            f"{near(words, [*_names(table)])}"
        )
    return found


def _names(table: Part) -> Iterator[str]:
    """What of a file can be left out, without what is further inside."""
    for key, value in table.items():
        yield key
        for each in value if isinstance(value, list) and key in NAMES else []:
            if isinstance(each, dict) and NAMES[key] in each:
                yield f"{key}.{each[NAMES[key]]}"


def _without(value: Value, words: str) -> Part | None:
    """A table without what words name in it; None if that is nothing."""
    if not isinstance(value, Part):
        return None
    gone = [each for each in value if fnmatchcase(each, words)]
    if gone:
        return value.kept(each for each in value if each not in gone)
    for each in value:
        if words.startswith(f"{each}."):
            rest = words.removeprefix(f"{each}.")
            inside = value[each]
            left: Value | None = (
                _without_entry(inside, rest, NAMES[each])
                if isinstance(inside, list) and each in NAMES
                else _without(inside, rest)
            )
            if left is not None:
                return value.having(each, left, value.spots[each])
    return None


def _without_entry(entries: list[Value], words: str, named: str) -> list[Value] | None:
    """A list without the entries that words name, or one of them without a key."""
    left = [each for each in entries if not fnmatchcase(_name(each, named), words)]
    if len(left) < len(entries):
        return left
    for place, each in enumerate(entries):
        name = _name(each, named)
        if name and words.startswith(f"{name}."):
            rest = _without(each, words.removeprefix(f"{name}."))
            if rest is not None:
                return [*entries[:place], rest, *entries[place + 1 :]]
    return None


def _name(entry: Value, named: str) -> str:
    name = entry.get(named) if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def _merged(base: Part, own: Part, inside: Sequence[str], base_path: Path) -> Part:
    """The base with what is stated of its own."""
    found = base.below(own)
    for key, value in own.items():
        under = base.get(key)
        new: Value = value
        if isinstance(value, Part) and isinstance(under, Part):
            if not (key == "scenario" and not inside and _replaces(under, value)):
                new = _merged(under, value, (*inside, key), base_path)
        elif isinstance(value, list) and isinstance(under, list) and key in NAMES:
            new = _merged_entries(under, value, (*inside, key), base_path)
        found = found.having(key, new, own.spots[key])
    return found


def _merged_entries(
    base: list[Value], own: list[Value], inside: Sequence[str], base_path: Path
) -> list[Value]:
    key = inside[-1]
    named = NAMES[key]
    found = [*base]
    names = [_name(each, named) for each in base]
    for each in own:
        name = _name(each, named)
        if not (name and isinstance(each, Part)):
            found.append(each)
        elif name in names:
            place = names.index(name)
            under = found[place]
            if isinstance(under, Part):
                found[place] = _merged(under, each, (*inside, name), base_path)
        elif not any(one in each for one in WHOLE[key]):
            raise InputError(
                f"{spot(each, base_path)}: {'.'.join(inside)}: {base_path.name} has no '{name}' to "
                f"change{near(name, names)}; a new one needs {' or '.join(WHOLE[key])}"
            )
        else:
            found.append(each)
    return found


def _replaces(base: "Value | None", own: "Value | None") -> bool:
    """Whether a scenario is another one, not the base's with changes."""
    return isinstance(own, dict) and ("file" in own or not isinstance(base, dict))
