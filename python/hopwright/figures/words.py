"""Texts that fit: broken where a reader would break them."""

import re
from collections.abc import Iterable

from hopwright.figures.letters import room, visible

BREAKS = re.compile(r"(?<=[\s._=,:–-])")


def wrap(text: str, width: int) -> str:
    """The text in lines of at most `width` characters, of wide ones less.

    Lines end at blanks, or after the dots, dashes and underscores of names such as
    `flows.transport.protocol`; a piece without any is cut.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for part in BREAKS.split(paragraph):
            if line and room(line + part.rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            rest = part
            while room(rest.rstrip()) > width:
                count = _fitting(rest, width)
                lines.append(rest[:count])
                rest = rest[count:]
            line += rest
        lines.append(line.rstrip())
    return "\n".join(lines)


def _fitting(text: str, width: int) -> int:
    """How many characters of the text have room; one at least."""
    count = min(width, len(text))
    while count > 1 and room(text[:count]) > width:
        count -= 1
    return count


def is_cut(text: str, width: int) -> bool:
    """Whether `wrap` would have to cut a piece of the text."""
    return any(room(part.rstrip()) > width for part in BREAKS.split(text))


def fit(text: str, lines: int, *, least: int = 8) -> str:
    """The text in at most so many lines, as narrow as that can be, but not below `least`."""
    width = least
    while wrap(text, width).count("\n") >= lines:
        width += 1
    return wrap(text, width)


def widest(texts: Iterable[str]) -> int:
    """Characters that the longest line needs room for."""
    return max(room(line) for text in texts for line in text.split("\n"))


def tallest(texts: Iterable[str]) -> int:
    """The most lines that one has."""
    return max(text.count("\n") for text in texts) + 1


def literal(text: str) -> str:
    """The text as a figure can show it: a dollar sign begins no formula.

    All text that a user may have written goes through here.
    """
    return visible(text).replace("$", r"\$")
