"""Where the tables and keys of a paper's file stand, which `tomllib` does not say.

Errors about a scenario say these places, too, instead of those of the text that it was read from.

Unlike `_schema/toml_places.py`, which looks for one key once something is wrong with it, all of a
file's headers and keys are found at once: parts of several files make one document.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from hopwright.research.papers.fields import Part, Value, spot

Steps: TypeAlias = tuple[str | int, ...]
"""Keys, and positions in lists, from the outside in."""

HEADER = re.compile(r"\s*(\[\[?)\s*([\w\s.\"-]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r'\s*("[^"]*"|[\w-]+)\s*=')
MARKS = ('"""', "'''")
"""Around texts of several lines, in which nothing is a header."""
ERROR = re.compile(r"error: ([^\s:]*)")
"""How an error about a scenario begins, with the key that it is about."""
PLACE = re.compile(r" *(?:-->|:::) (.+):\d+:\d+")
"""The line of such an error that has its place."""
SHOWN = re.compile(r" *\d* \|(?: .*)?|\.\.\.")
"""Lines below that show it."""


def told(values: Mapping[str, Value], path: Path, text: str) -> Part:
    """The tables of a file, each with its place."""
    return _part(values, str(path), lines_of(text), (), None)


def lines_of(text: str) -> dict[Steps, int]:
    """The line, from 1, of every header and of every key that begins a line."""
    found: dict[Steps, int] = {}
    counts: Counter[Steps] = Counter()
    here: Steps = ()
    ends_with = ""
    for number, line in enumerate(text.splitlines(), 1):
        if ends_with:
            ends_with = "" if ends_with in line else ends_with
            continue
        if header := HEADER.match(line):
            here = _steps(header[2], counts)
            if header[1] == "[[":
                counts[here] += 1
                here = (*here, counts[here] - 1)
            found[here] = number
        elif key := KEY.match(line):
            found.setdefault((*here, key[1].strip('"')), number)
        ends_with = next((mark for mark in MARKS if line.count(mark) % 2), "")
    return found


def placed(error: str, place: Callable[[str, str], str | None]) -> str:
    """Errors about a scenario that say places of a paper's file.

    `place`: for the text that an error is about, which is a file or `--set KEY=VALUE`, and the key,
    the place to say; None: the text is a file of its own, and stays.
    """
    lines: list[str] = []
    key, is_moved = "", False
    for line in error.split("\n"):
        if begins := ERROR.match(line):
            key, is_moved = begins[1], False
        elif found := PLACE.fullmatch(line):
            where = place(found[1], key)
            is_moved = where is not None
            if where is not None:
                moved = f" --> {where}"
                lines += [moved] if lines[-1] != moved else []
                continue
        elif is_moved and SHOWN.fullmatch(line):
            continue
        lines.append(line)
    return "\n".join(lines)


def spot_within(table: Mapping[str, Value], key: str, file: object) -> str:
    """Where a key by its full name stands, such as `flows.0.to`, or the nearest around it."""
    where = spot(table, file)
    found: Value | Mapping[str, Value] = table
    for step in key.split("."):
        if isinstance(found, Part) and step in found:
            where, found = found.spots[step], found[step]
        elif isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
            where = found.spot if isinstance(found, Part) else where
        else:
            break
    return where


def _steps(words: str, counts: Mapping[Steps, int]) -> Steps:
    """`claims.settings` as the settings of the claim that was begun last."""
    steps: Steps = ()
    parts = [part.strip().strip('"') for part in words.split(".")]
    for place, part in enumerate(parts):
        steps = (*steps, part)
        if counts.get(steps) and place < len(parts) - 1:
            steps = (*steps, counts[steps] - 1)
    return steps


def _part(
    values: Mapping[str, Value],
    file: str,
    lines: Mapping[Steps, int],
    steps: Steps,
    around: int | None,
) -> Part:
    """A table; what has no line of its own stands in that of what is around it."""
    own = lines.get(steps, around)
    places = {key: lines.get((*steps, key), own) for key in values}
    return Part(
        {
            key: _value(value, file, lines, (*steps, key), places[key])
            for key, value in values.items()
        },
        _spot(file, own),
        {key: _spot(file, line) for key, line in places.items()},
    )


def _value(
    value: Value, file: str, lines: Mapping[Steps, int], steps: Steps, around: int | None
) -> Value:
    if isinstance(value, dict):
        return _part(value, file, lines, steps, around)
    if isinstance(value, list):
        return [
            _value(each, file, lines, (*steps, number), around) for number, each in enumerate(value)
        ]
    return value


def _spot(file: str, line: int | None) -> str:
    return file if line is None else f"{file}:{line}"
