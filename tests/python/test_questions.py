"""docs/questions.md: what it quotes and says is what the commands of that section print."""

import contextlib
import io
import json
import re
import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl
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
FIVE, COLLAPSE, STARVES, SCA, WHY = SECTIONS
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
    return [shlex.split(line)[2:] for line in lines if line.startswith("$ hopwright ")]


def _output(words: list[str]) -> str:
    kept = io.StringIO()
    with contextlib.redirect_stdout(kept):
        dispatch(words)
    return kept.getvalue()


@pytest.mark.parametrize(("title", "least"), [(FIVE, 18), (COLLAPSE, 18), (STARVES, 13), (SCA, 8)])
def test_what_is_quoted_is_printed(title: str, least: int, done: Commands) -> None:
    lines = {line.rstrip() for line in done.printed[title].splitlines()} | {"..."}
    blocks = _blocks(SECTIONS[title])
    quoted = [line for block in blocks if not _commands(block) for line in block.splitlines()]
    assert len(quoted) >= least
    assert [line for line in quoted if line.rstrip() not in lines] == []


@pytest.mark.parametrize(("title", "least"), [(FIVE, 5), (COLLAPSE, 13), (STARVES, 15), (SCA, 20)])
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


def test_the_five_answers_are_right(done: Commands) -> None:
    """By the results themselves, not by what is said of them."""
    results = done.folder / "results"
    vegas = _table(results / "vegas")
    outer = vegas.filter(pl.col("flow").is_in([0, 2]))
    means = outer.group_by(PROTOCOL).agg(
        pl.mean("goodput_bps", "mean_data_in_flight", "sender_time_s.congestion_window")
    )
    reno, other = (means.filter(pl.col(PROTOCOL) == name).row(0, named=True) for name in BOTH)
    assert other["goodput_bps"] < reno["goodput_bps"]
    assert other["mean_data_in_flight"] < reno["mean_data_in_flight"] / 2
    window = "sender_time_s.congestion_window"
    assert reno[window] < other[window]

    lineage = Lineage.read(results / "grid-101")
    hops = Counter(
        (event.node, event.peer) for event in lineage.those(("gave_up",), 1) if event.peer
    )
    assert hops.most_common(1)[0][0] == (11, 12)

    rts = _table(results / "rts").group_by("mac.rts", "flow").agg(pl.mean("goodput_bps"))
    cost = {key: float(rts.filter(pl.col("mac.rts") == key)["goodput_bps"].sum()) for key in RTS}
    assert cost["all"] / cost["none"] - 1 == pytest.approx(-0.1789, abs=5e-5)
    middle = {row["mac.rts"]: row["goodput_bps"] for row in rts.filter(flow=1).to_dicts()}
    assert middle["all"] < middle["none"]

    limit = "flows.transport.window_limit_segments"
    by_window = _table(results / "window").group_by(limit).agg(pl.mean("goodput_bps"))
    assert by_window.sort("goodput_bps")[limit].to_list()[-2:] == [4, 3]
    answer = results / "rts" / "against-none-fairness.jain" / "comparison.json"
    indices = [each["mean"] for each in json.loads(answer.read_text())["variants"]]
    assert indices == pytest.approx([2 / 3] * 2, abs=0.01)


BOTH, RTS = ("newreno", "vegas"), ("all", "none")
PROTOCOL = "flows.transport.protocol"


def _table(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "results.parquet")


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
