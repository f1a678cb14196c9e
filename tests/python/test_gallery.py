"""docs/gallery.md: its commands draw what it shows, and it shows each kind that `plot` draws."""

import contextlib
import io
import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from hopwright._cli.arguments import dispatch
from hopwright.figures.of_run import RUN_KINDS, SCENARIO_KINDS
from hopwright.figures.of_sweep import KINDS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text()
COMMANDS = [
    shlex.split(line.replace("\\\n", " "))[1:]
    for line in re.findall(r"^    \$ (hopwright (?:.*\\\n)*.*)$", PAGE, re.MULTILINE)
]
PICTURES = re.findall(r"\]\(img/(gallery/[^)]*)\)", PAGE)
MOST_BYTES = 1_000_000
"""Of all pictures: everybody who clones the project gets them."""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all commands of the page were carried out."""
    folder = tmp_path_factory.mktemp("gallery")
    (folder / "scenarios").symlink_to(ROOT / "scenarios")
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.chdir(folder)
        for words in COMMANDS:
            dispatch(words)
    return folder


def test_the_gallery_has_each_kind() -> None:
    kinds = {words[2] for words in COMMANDS if words[0] == "plot"}
    assert kinds == {*KINDS, *RUN_KINDS, *SCENARIO_KINDS}
    assert {words[0] for words in COMMANDS} >= {"run", "compare", "explain", "topology"}
    kept = [path for path in (ROOT / "docs/img/gallery").rglob("*") if path.is_file()]
    names = {path.relative_to(ROOT / "docs/img").as_posix() for path in kept}
    assert names == set(PICTURES)
    assert sum(path.stat().st_size for path in kept) < MOST_BYTES


@pytest.mark.filterwarnings("ignore::hopwright.StarvationWarning")
@pytest.mark.parametrize("picture", PICTURES)
def test_the_commands_draw_what_is_shown(picture: str, drawn: Path) -> None:
    shown = ROOT / "docs/img" / picture
    if picture.endswith(".svg"):
        assert words(drawn / picture) == words(shown)
        return
    now, then = pixels(drawn / picture), pixels(shown)
    assert now.shape == then.shape
    # Another version of a library may set a letter a little differently.
    assert float(np.abs(now - then).mean()) < 2.0


def words(path: Path) -> list[str | None]:
    return [each.text for each in ET.parse(path).iter() if each.tag.endswith("}text")]


def pixels(path: Path) -> "np.ndarray":
    from PIL import Image

    return np.asarray(Image.open(path).convert("L"), dtype=float)
