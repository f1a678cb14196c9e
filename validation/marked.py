"""Parts of a page that a program writes, between `<!-- NAME -->` and `<!-- end of NAME -->`."""

from collections.abc import Mapping, Sequence
from pathlib import Path


def fill(page: Path, parts: Mapping[str, str]) -> None:
    """Replaces the parts of a page. Raises `ValueError` for one that it has no place for."""
    text = page.read_text(encoding="utf-8")
    for name, content in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"{page}: has no place for '{name}': {begin} ... {end}")
        text = f"{before}{begin}\n{content.strip()}\n{end}{after}"
    page.write_text(text, encoding="utf-8")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
