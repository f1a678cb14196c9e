"""docs/questions.md: what it quotes and says is what the commands of that section print."""

import contextlib
import io
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from hopwright._cli.arguments import dispatch
from hopwright._io.data import Json, at, items, number
from hopwright.explain.budget import SPURIOUS, budget
from hopwright.explain.events import Lineage

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "questions.md").read_text()
SECTIONS: dict[str, str] = dict(
    re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
)
COLLAPSE, STARVES, SCA, WHY = SECTIONS
del SECTIONS[WHY]  # test_why.py looks at it
COMPARED = {SCA: COLLAPSE}
"""The section whose results another one compares with its own."""
GIVEN = {STARVES: {"300", "60"}}
"""What the scenario gives, and no command prints: the measured time, the longest time-out."""
NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-]|\.\d)")


@dataclass(frozen=True)
class Commands:
    """The commands of the page, carried out."""

    folder: Path
    printed: dict[str, str]
    """By section, in a terminal 80 wide."""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    folder = tmp_path_factory.mktemp("questions")
    (folder / "scenarios").symlink_to(ROOT / "scenarios")
    printed = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        for title, text in SECTIONS.items():
            lines = [words for block in _blocks(text) for words in _commands(block)]
            assert len(lines) >= 3
            printed[title] = "".join(_output(words) for words in lines)
    return Commands(folder, printed)


def _blocks(text: str) -> list[str]:
    return re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _prose(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def _commands(block: str) -> list[list[str]]:
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("hopwright ")]


def _output(words: list[str]) -> str:
    kept = io.StringIO()
    with contextlib.redirect_stdout(kept):
        dispatch(words)
    return kept.getvalue()


@pytest.mark.parametrize(("title", "least"), [(COLLAPSE, 18), (STARVES, 13), (SCA, 8)])
def test_what_is_quoted_is_printed(title: str, least: int, done: Commands) -> None:
    lines = {line.rstrip() for line in done.printed[title].splitlines()}
    blocks = _blocks(SECTIONS[title])
    quoted = [line for block in blocks if not _commands(block) for line in block.splitlines()]
    assert len(quoted) >= least
    assert [line for line in quoted if line.rstrip() not in lines] == []


@pytest.mark.parametrize(("title", "least"), [(COLLAPSE, 13), (STARVES, 15), (SCA, 20)])
def test_numbers_of_the_text_are_printed(title: str, least: int, done: Commands) -> None:
    printed = done.printed[title]
    if title in COMPARED:
        printed += done.printed[COMPARED[title]]
    known = set(NUMBER.findall(printed)) | GIVEN.get(title, set())
    # Quotients stand there with both numbers, and are looked at below.
    numbers = NUMBER.findall(re.sub(r"= [\d.]+", "", _prose(SECTIONS[title])))
    assert len(numbers) >= least
    assert [each for each in numbers if each not in known] == []


def test_the_table_of_sca_is_of_its_runs(done: Commands) -> None:
    """Whole numbers as small as these are printed somewhere whatever the page says."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in _prose(SECTIONS[SCA]).splitlines()
        if line.startswith("|")
    ]
    runs = [_cells(done.folder / "results" / name) for name in ("aodv-8", "sca-8")]
    assert [row[1] for row in rows[2:]] == runs[0]
    assert [row[2] for row in rows[2:]] == runs[1]


def _cells(folder: Path) -> list[str]:
    summary: Json = json.loads((folder / "summary.json").read_text())
    result, links = at(summary, "results", 0), items(summary, "hops", "links")
    flow = at(result, "flows", 0)
    collisions = number(result, "mac", "collisions", "total") or 0
    last = next(number(link, "handed_over") or 0 for link in links if number(link, "to") == 8)
    spurious = budget(Lineage.read(folder), 0).counts["rto"][SPURIOUS]
    return [
        f"{(number(flow, 'goodput_bps') or 0) / 1e3:.1f} kb/s",
        f"{number(flow, 'mean_data_in_flight'):.2f}",
        f"{collisions:.0f} / {last:.0f} = {collisions / last:.1f}",
        f"{sum(number(link, 'given_up') or 0 for link in links):.0f}",
        f"{number(result, 'routing', 'false_route_breaks')}",
        f"{number(flow, 'rto_count')}, {spurious}",
        f"{number(flow, 'phase_time_s', 'rto'):.1f} s",
    ]
