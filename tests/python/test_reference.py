"""The reference page: up to date, and complete."""

import json
import re
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._schema.reference import reference_page

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_the_page_is_up_to_date() -> None:
    page = reference_page(json.loads(_core.schema_json()))
    assert PAGE.read_text() == page, "docs/reference.md is out of date: make reference"


def test_every_key_is_on_the_page() -> None:
    page = PAGE.read_text()
    missing = [key for key in keys(json.loads(_core.schema_json())) if f"`{key}`" not in page]
    assert missing == []


def test_every_row_has_the_cells_of_its_header() -> None:
    rows = 0
    cells = 0
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        if not line.startswith("|"):
            assert not line.endswith("|"), f"line {number}: the rest of a row"
            cells = 0  # between tables
            continue
        assert line.endswith(" |"), f"line {number}: a row that goes on in the next line"
        found = len(re.findall(r"(?<!\\)\|", line)) - 1
        cells = cells or found
        assert found == cells, f"line {number}: {found} cells below a header of {cells}"
        rows += 1
    assert rows > 300


def test_a_text_of_several_lines_becomes_one_cell() -> None:
    key: Json = {"type": "number", "description": "One | two,\nand so\n\non.", "default": 1}
    page = reference_page({"properties": {"size": key}})
    assert "| `size` | number | `1` | One \\| two, and so on. |\n" in page


def keys(schema: Json) -> list[str]:
    """The names of all keys that hold a value."""
    if isinstance(schema, list):
        return [key for branch in schema for key in keys(branch)]
    if not isinstance(schema, dict):
        return []
    properties = schema.get("properties")
    table: Object = properties if isinstance(properties, dict) else {}
    own = [key for key, inner in table.items() if not keys(inner)]
    below = [key for inner in table.values() for key in keys(inner)]
    return own + below + keys(schema.get("items")) + keys(schema.get("oneOf"))
