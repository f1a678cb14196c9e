"""The studies of docs/adaptation.md: their files hold together, and it names all of them."""

from pathlib import Path

import pytest

from hopwright.research.papers.document import read
from hopwright.research.papers.points import overrides, source_of

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "scenarios" / "adaptation").glob("*.toml"))
PAGE = (ROOT / "docs" / "adaptation.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_point_is_a_scenario_and_the_page_has_the_command(path: Path) -> None:
    document = read(path)
    assert document.comparisons
    for point in document.points():
        assert source_of(document).load(overrides(point, {})).flow_count >= 1
    assert f"hopwright reproduce scenarios/adaptation/{path.name}" in PAGE
