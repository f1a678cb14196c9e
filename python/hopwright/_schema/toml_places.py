"""Where the keys of a TOML text stand, which `tomllib` does not say, and errors that show it.

They look as those about scenarios do, which Rust writes.
"""

import re
import tomllib
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from hopwright._io.data import Json, at, toml_of

Path: TypeAlias = Sequence[str | int]
"""Keys, and positions in lists, from the outside in."""

AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


class Place(NamedTuple):
    """Line and column of something, from 1, and how many characters it has."""

    line: int
    column: int
    width: int


def place_of(text: str, path: Path) -> Place:
    """Where a key stands, or the nearest one around it that is there.

    The text is read again up to each of its lines: the first lines that have the key end with it.
    """
    lines = text.splitlines(keepends=True)
    first = 0
    for end in range(1, len(lines) + 1):
        try:
            read: Json = toml_of("".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a value of several lines
        if at(read, *path) is not None:
            return _within(lines, first, end, path)
        first = end
    return place_of(text, path[:-1]) if path else Place(1, 1, 1)


def refused(file: str, text: str, place: Place, reason: str) -> str:
    """The error about a place of a file, with the line that it is about."""
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    number = str(place.line)
    bar = " " * len(number) + " |"
    return (
        f"error: {reason}\n{' ' * len(number)}--> {file}:{place.line}:{place.column}\n"
        f"{bar}\n{number} | {line}\n{bar} {' ' * (place.column - 1)}{'^' * place.width}"
    )


def no_toml(file: str, text: str, error: tomllib.TOMLDecodeError) -> str:
    """The error about a text that is no TOML."""
    found = AT.search(str(error))
    lines = text.splitlines()
    place = Place(len(lines) or 1, len(lines[-1]) + 1 if lines else 1, 1)
    if found and found[1]:
        place = Place(int(found[1]), int(found[2]), 1)
    return refused(file, text, place, f"is not TOML: {AT.sub('', str(error))}")


def _within(lines: Sequence[str], first: int, end: int, path: Path) -> Place:
    """The last key of the path in these lines, looked for behind those around it."""
    text = "".join(lines[first:end])
    here, width = len(text) - len(text.lstrip()), 1
    is_here = False
    for step in path:
        if isinstance(step, int):
            # Its inline table; an entry under a header of its own has none.
            for _ in range(step + 1 if is_here else 0):
                here = max(text.find("{", here + 1), here)
        else:
            found = re.compile(rf"(?<![\w-]){re.escape(step)}(?![\w-])").search(text, here)
            is_here = found is not None
            if found:
                here, width = found.start(), len(step)
    before = text[:here]
    return Place(first + before.count("\n") + 1, here - (before.rfind("\n") + 1) + 1, width)
