"""Values as people write them in options: TOML, where a bare word is a string."""

import re

from hopwright._io.data import toml_of
from hopwright._io.errors import InputError
from hopwright._schema.settings import Value, plain, shown, toml_text

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
"""A TOML string in its quotation marks."""


def split(text: str, opening: str = "[{") -> list[str]:
    """Cuts at commas that stand in no bracket and no quotation marks. Raises `InputError`."""
    closing = opening.translate(str.maketrans("[{(", "]})"))
    parts, depth, at = [""], 0, 0
    while at < len(text):
        found = QUOTED.match(text, at)
        piece = found[0] if found else text[at]
        if piece in "\"'":
            raise InputError(f"a quotation mark ({piece}) is not closed")
        depth += (piece in opening) - (piece in closing)
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
        at += len(piece)
        if depth < 0:
            raise InputError("a bracket is closed that is not open")
    if depth:
        raise InputError("a bracket is not closed")
    parts = [part.strip() for part in parts]
    if not all(parts):
        raise InputError("a value is missing")
    return parts


def unquoted(text: str) -> str:
    """A value as text, without the quotation marks that one with a comma must stand in."""
    if not QUOTED.fullmatch(text):
        return text
    value = value_of(text)
    return value if isinstance(value, str) else text


def value_of(text: str) -> Value:
    """Reads a value. Raises `InputError` for what begins as TOML and is none."""
    import tomllib

    try:
        value = toml_of(f"value = {text}")["value"]
        return plain(value)
    except tomllib.TOMLDecodeError as error:
        if text.startswith(('"', "'", "[", "{")):
            raise InputError(f"{text} is not TOML: {error}") from error
        return text
    except InputError:
        return text  # a date or a time: scenarios have none, so it is a name


def stands_for(text: str, value: object) -> bool:
    """Whether a text means a value: a number, a list or a table however it is written.

    `value` may be a cell of a table of results, which has lists and tables as texts.
    """
    if value is None or isinstance(value, bool):
        return text == {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        try:
            return float(text) == value
        except ValueError:
            return False
    if isinstance(value, str) and text in (value, shown(value), toml_text(value)):
        return True
    wanted, found = _composed(text), _composed(value)
    return wanted is not None and found is not None and same(wanted, found)


def same(one: Value, other: Value) -> bool:
    """Whether values are equal; `true` is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _composed(value: object) -> Value | None:
    """The list or the table that a value is, or that its text writes; None if it is neither."""
    if isinstance(value, str):
        try:
            return value_of(value) if value.startswith(("[", "{")) else None
        except InputError:
            return None
    return plain(value)
