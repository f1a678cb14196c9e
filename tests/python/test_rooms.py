"""The rooms of the Python package: each imports from itself and from those below it."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "hopwright"
ROOMS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hopwright"][
    "rooms"
]
MOST_ENTRIES = 20
"""At the top of the package: more are not taken in at a glance."""

LOADED, CALLED, TYPES, NAMED = "when it is loaded", "when it is called", "for types", "by its name"
"""When a module imports another one; or it names it in a text, which somebody imports or runs."""

NAME = re.compile(r"hopwright(\.\w+)+(:\w+)?")


class Import(NamedTuple):
    """A module that another one imports."""

    name: str
    when: str


def imports(text: str, package: str) -> Iterator[Import]:
    """All imports of a module that lies in `package`, wherever in the module they stand."""
    yield from _below(ast.parse(text), LOADED, package)


def _below(tree: ast.AST, when: str, package: str) -> Iterator[Import]:
    if isinstance(tree, ast.If) and ast.unparse(tree.test).endswith("TYPE_CHECKING"):
        for each in tree.body:
            yield from _below(each, TYPES, package)
        for each in tree.orelse:
            yield from _below(each, when, package)
        return
    if isinstance(tree, ast.Import):
        yield from (Import(alias.name, when) for alias in tree.names)
    elif isinstance(tree, ast.ImportFrom):
        above = package.rsplit(".", tree.level - 1)[0] if tree.level else ""
        home = ".".join(filter(None, [above, tree.module]))
        yield from (Import(f"{home}.{alias.name}", when) for alias in tree.names)
    elif isinstance(tree, ast.Constant) and NAME.fullmatch(str(tree.value)):
        yield Import(str(tree.value).partition(":")[0], NAMED)
    if isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef) and when == LOADED:
        when = CALLED
    for child in ast.iter_child_nodes(tree):
        yield from _below(child, when, package)


def entries() -> set[str]:
    """The files with code, and the folders, at the top of the package."""
    code = {path.stem for path in PACKAGE.iterdir() if path.suffix in {".py", ".pyi"}}
    return code | {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}


def room_of(name: str) -> str | None:
    """The room of a module, or of what a module has; None if it is none of the package's."""
    top, *rest = name.split(".")
    if top != "hopwright":
        return None
    return rest[0] if rest and rest[0] in ROOMS else "__init__"


@cache
def upward() -> list[tuple[str, Import]]:
    """The imports from a room that is above the importer's, each with the importer's file."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] == "scenarios":
            continue
        own = ROOMS.index(place.parts[0].removesuffix(".py"))
        package = ".".join(["hopwright", *place.parent.parts])
        for each in imports(path.read_text(encoding="utf-8"), package):
            room = room_of(each.name)
            # A text such as `hopwright.version` is a column's name.
            is_module = each.when != NAMED or room != "__init__"
            if room is not None and is_module and ROOMS.index(room) > own:
                found.append((str(place), each))
    return found


def test_every_entry_at_the_top_has_a_place_in_the_order() -> None:
    assert entries() <= set(ROOMS)
    assert len(ROOMS) == len(set(ROOMS))
    assert len(entries()) <= MOST_ENTRIES


@pytest.mark.parametrize("when", [LOADED, CALLED, TYPES, NAMED])
def test_no_room_imports_from_one_above_it(when: str) -> None:
    assert [(place, each.name) for place, each in upward() if each.when == when] == []


def test_imports_are_found_wherever_they_stand() -> None:
    text = """
import os
from typing import TYPE_CHECKING
from hopwright import _core as core
if TYPE_CHECKING:
    from hopwright.figures.figure import Figure
else:
    from hopwright import figures

class Kind:
    from . import near

    def draw(self):
        if self:
            import hopwright._cli.plot
        return run("hopwright.runs.run:run"), "hopwright.figures draw"

async def later():
    from ..statistics.means import mean
"""
    assert set(imports(text, "hopwright.results")) == {
        Import("os", LOADED),
        Import("typing.TYPE_CHECKING", LOADED),
        Import("hopwright._core", LOADED),
        Import("hopwright.figures.figure.Figure", TYPES),
        Import("hopwright.figures", LOADED),
        Import("hopwright.results.near", LOADED),
        Import("hopwright._cli.plot", CALLED),
        Import("hopwright.runs.run", NAMED),
        Import("hopwright.statistics.means.mean", CALLED),
    }


def test_a_name_belongs_to_a_room() -> None:
    assert room_of("hopwright._io.data.at") == "_io"
    assert room_of("hopwright.run") == "__init__"
    assert room_of("numpy.ndarray") is None
