"""docs/questions.md: what it quotes is what its commands print."""

import re
import shlex
from pathlib import Path

import pytest

from hopwright.arguments import dispatch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "questions.md").read_text()
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All that the commands of the page print, one after the other, in a terminal 80 wide."""
    folder = tmp_path_factory.mktemp("questions")
    (folder / "scenarios").symlink_to(ROOT / "scenarios")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        texts = [_output(words) for block in BLOCKS for words in _commands(block)]
    assert len(texts) >= 8
    return "".join(texts)


def _commands(block: str) -> list[list[str]]:
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("hopwright ")]


def _output(words: list[str]) -> str:
    import contextlib
    import io

    kept = io.StringIO()
    with contextlib.redirect_stdout(kept):
        dispatch(words)
    return kept.getvalue()


def test_what_is_quoted_is_printed(printed: str) -> None:
    lines = {line.rstrip() for line in printed.splitlines()}
    quoted = [line for block in BLOCKS if not _commands(block) for line in block.splitlines()]
    assert len(quoted) > 40
    assert [line for line in quoted if line.rstrip() not in lines] == []


def test_numbers_of_the_text_are_printed(printed: str) -> None:
    known = set(re.findall(r"\d+(?:\.\d+)?", printed))
    text = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    numbers = re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", text)
    assert len(numbers) > 15
    derived = {"5.2", "4.6"}  # quotients, which stand there with both numbers
    assert [number for number in numbers if number not in known | derived] == []
