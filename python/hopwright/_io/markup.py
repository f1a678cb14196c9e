"""HTML for notebooks: tables and paragraphs, everything in them escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape

PARTING = re.compile(r"(?<!time)-\n")
"""A hyphen that only parts a word at the end of a line; `time-out` has one of its own."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table; what stands in several lines of a head stands in one here."""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{escape(in_one_line(each))}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and what is to be said of each."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(said)}</td></tr>'
        for name, said in rows
    )
    return f"<table><tbody>{body}</tbody></table>" if body else ""


def paragraph(text: str, *, bold: bool = False) -> str:
    """A paragraph; its line feeds are kept."""
    lines = "<br>".join(escape(line) for line in text.splitlines())
    return f"<p><b>{lines}</b></p>" if bold else f"<p>{lines}</p>"


def bullets(texts: Iterable[str]) -> str:
    """A list; empty without texts."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def in_one_line(head: str) -> str:
    """A word that was parted at the end of a line is one again; other lines are separate words."""
    return PARTING.sub("", head).replace("-\n", "-").replace("\n", " ")
