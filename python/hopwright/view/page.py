"""One HTML file with a run in it, or two: it opens from a disk, without a server or a network."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.out import probe, write_whole
from hopwright._io.paths import no_place
from hopwright.view.folder import Run
from hopwright.view.packed import packed
from hopwright.view.text import to_text

PLACE = '<script type="application/json" id="hopwright-runs">null</script>'
"""Where the page is told what it shows: viewer/index.html."""

PAGE = ".html"
"""How the name of a page ends."""


def page(runs: Sequence[Run]) -> bytes:
    """The page with these runs in it."""
    told: list[Json] = []
    parts: list[str] = []
    for number, run in enumerate(runs):
        about, contents = packed(run)
        told.append({**about, "files": {name: len(held) for name, held in contents.items()}})
        parts += [
            f'<script type="text/plain" id="file-{number}-{name}">{to_text(held)}</script>'
            for name, held in contents.items()
        ]
    return filled(told, "\n".join(parts))


def page_of_addresses(told: Sequence[Object]) -> bytes:
    """The page for runs whose files lie on a server: their addresses stand in `files`."""
    return filled(list(told), "")


def filled(told: Sequence[Json], more: str) -> bytes:
    """The built page with what it is told, and more behind that."""
    empty = (files("hopwright") / "view" / "page.html").read_text(encoding="utf-8")
    if empty.count(PLACE) != 1:
        raise UnfinishedError(
            "view/page.html has no place for runs: build it again with 'make viewer'"
        )
    # No `<` in there: nothing ends the element before its end.
    runs = json.dumps(told, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    before, after = empty.split(PLACE)
    return "\n".join([before + PLACE.replace("null", runs), more, after.lstrip()]).encode()


def write_page(runs: Sequence[Run], file: Path) -> None:
    """Writes the page, whole or not at all; makes its folder if it is not there."""
    content = page(runs)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, content)


def check_page(file: Path, *, overwrite: bool) -> None:
    """Raises `InputError` if no page can be written there, or its name is not that of a page."""
    check_file(file, overwrite=overwrite)
    if file.suffix.lower() != PAGE:
        raise InputError(f"{file}: the page is HTML; name a file that ends with {PAGE}")


def check_file(file: Path, *, overwrite: bool) -> None:
    """Raises `InputError` if no file can be written there. Leaves no trace."""
    if file.is_dir():
        raise InputError(f"{file}: is a folder; name a file with --out")
    if file.exists() and not overwrite:
        raise InputError(f"{file}: exists already; add --overwrite or name another file")
    try:
        probe(file.parent)
    except OSError as error:
        raise no_place(file, error) from error
