"""The documents' statements: all of them listed, each judged, or said why not."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.research.papers import library
from hopwright.research.papers.catalogue import (
    Latest,
    LatestHunt,
    Statement,
    hunts,
    listed,
    statements,
    verdicts,
    wordings,
)
from hopwright.research.papers.claims import OWN_READING
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.judgement import VERDICTS
from hopwright.research.papers.page import pages
from hopwright.research.papers.wording import wording
from tiny_paper import TINY, write

CATALOGUE = Path(__file__).parents[2] / "validation" / "claims.csv"
"""What readers of the five documents listed, the first 222 before anything was run."""

NAME = r"\b(?:pap|gha|ham|zhou|vel)-[0-9][A-Za-z0-9._-]*"
"""Names of claims and of papers' files begin so."""

PENDING: set[str] = set()
"""Statements that runs can judge and no file judges yet."""


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [read(path) for path in library.every().values()]


def test_every_statement_of_the_documents_is_listed() -> None:
    with CATALOGUE.open(newline="") as file:
        theirs = {
            row["id"]: (row["document"], row["headline"] == "yes") for row in csv.DictReader(file)
        }
    ours = {each.id: (each.document, each.headline) for each in statements().values()}
    assert ours == theirs
    assert len(theirs) == 278


def test_every_statement_that_runs_can_judge_is_judged(documents: list[Document]) -> None:
    judged = {claim.statement for document in documents for claim in document.claims}
    by_runs = {each.id for each in statements().values() if each.how == "runs"}
    assert by_runs - judged == PENDING
    assert judged <= by_runs


def test_the_list_for_programs_has_every_claim_and_every_statement_without_runs(
    documents: list[Document], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "--list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    claims = [claim for document in documents for claim in document.claims]
    runs = [each for each in found if each["command"]]
    assert [each["id"] for each in runs] == [claim.id for claim in claims]
    assert {each["verdict"] for each in found} <= {*VERDICTS, None}
    assert all(each["reading"] for each in runs)
    others = Counter(each["verdict"] for each in found if not each["command"])
    assert others["quoted"] == 12
    assert {each["id"] for each in found if each["headline"]} >= {
        each.id for each in statements().values() if each.headline and each.how == "quoted"
    }
    names = {"id", "document", "system", "headline", "verdict", "reading", "command"}
    assert all(names <= each.keys() for each in found)


def test_what_is_listed_is_of_the_papers_that_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reproduce", "zhou-*", "--list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["document"] for each in found} == {"Zhou, Shi, Zou and Shen"}
    assert main(["reproduce", "zhou-7", "--json", "--out", "none"]) == 2
    assert "--json needs --list or --hunt" in capsys.readouterr().err


def test_a_claim_says_what_it_departs_from(tmp_path: Path) -> None:
    text = TINY.replace('[[claims]]\nid = "lost"', '[[claims]]\nid = "lost, all"\ndeparts = ""')
    document = read(write(tmp_path, text.replace("runs = 4", 'runs = 4\ndeparts = "two hops"')))
    falls, lost = document.claims
    assert (falls.reading, lost.reading) == ("two hops", OWN_READING)
    assert (falls.statement, lost.statement) == ("falls", "lost")
    first, second = listed([document], {}, {"falls": Latest("undecided", "", "4")}, {})
    assert (first["verdict"], first["reading"]) == ("undecided", "two hops")
    assert (second["verdict"], second["reading"]) == (None, OWN_READING)
    assert first["command"] == "hopwright reproduce tiny --out DIR"


def test_verdicts_that_are_shipped_are_of_claims_as_they_are(documents: list[Document]) -> None:
    """validation/verdicts.py takes others out."""
    with (library.FOLDER / "verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    words = wordings(documents)
    assert {row["claim"]: row["wording"] for row in rows}.items() <= words.items()
    latest = verdicts(documents)
    assert len(latest) == len(rows)
    assert {each.verdict for each in latest.values()} <= set(VERDICTS)


def test_a_verdict_of_another_wording_is_none(tmp_path: Path) -> None:
    """Whatever is judged makes another claim of it; how it is told does not."""
    document = read(write(tmp_path))
    falls, lost = document.claims
    rows = [
        "claim,verdict,doubts,runs,seed,wording",
        *(f"{each.id},reproduced,,4,1,{wording(document, each)}" for each in document.claims),
    ]
    (tmp_path / "verdicts.csv").write_text("\n".join(rows) + "\n")

    def known(old: str, new: str) -> set[str]:
        assert old in TINY
        return {*verdicts([read(write(tmp_path, TINY.replace(old, new)))], tmp_path)}

    both = {falls.id, lost.id}
    assert known("More hops, fewer", "The more hops, the fewer") == both
    assert known("runs = 4", 'runs = 8\ndeparts = "two hops"') == both
    assert known("duration_s = 3", "duration_s = 4") == set()
    assert known("segments.1.2 > 0", "segments.1.2 > 1") == {lost.id}
    assert known("printed = [0, 1000]", "printed = [0, 100]") == {falls.id}
    assert known('cells = ["lost.*"]', 'cells = ["lost.*"]\ntolerance = 0.2') == {falls.id}
    assert known('sum = ["goodput_segments"]', 'sum = ["segments_sent"]') == {lost.id}
    assert known("values = [1, 8]", "values = [1, 9]\nlabels = ['1', '8']") == {falls.id}


@pytest.mark.parametrize(
    ("first", "other", "both"),
    [
        ("reproduced", "reproduced", "reproduced"),
        ("reproduced", "undecided", "undecided"),
        ("not reproduced", "same direction", "undecided"),
        ("undecided", "reproduced", "undecided"),
    ],
)
def test_a_verdict_that_other_seeds_contradict_is_undecided(
    first: str, other: str, both: str, tmp_path: Path
) -> None:
    document = read(write(tmp_path))
    falls, lost = document.claims
    head = "claim,verdict,doubts,runs,seed,wording"

    def row(verdict: str, seed: int, words: str) -> str:
        return f"{falls.id},{verdict},,4,{seed},{words}"

    words = wording(document, falls)
    (tmp_path / "verdicts.csv").write_text(f"{head}\n{row(first, 1, words)}\n")
    (tmp_path / "again.csv").write_text(f"{head}\n{row(other, 100, words)}\n")
    found = verdicts([document], tmp_path)[falls.id]
    assert (found.verdict, found.again) == (both, other)
    assert found.is_contradicted == (first not in (other, "undecided"))
    if found.is_contradicted:
        assert found.doubts.endswith(f": {first} (seeds from 1), {other} (from 100)")
    # Seeds that judged another wording say nothing.
    (tmp_path / "again.csv").write_text(f"{head}\n{row(other, 100, 'another')}\n")
    assert verdicts([document], tmp_path)[falls.id] == Latest(first, "", "4")
    assert lost.id not in verdicts([document], tmp_path)


def test_second_verdicts_that_are_shipped_are_of_other_seeds(documents: list[Document]) -> None:
    def rows(name: str) -> dict[str, dict[str, str]]:
        with (library.FOLDER / name).open(newline="") as file:
            return {row["claim"]: row for row in csv.DictReader(file)}

    first, words = rows("verdicts.csv"), wordings(documents)
    for claim, row in rows("again.csv").items():
        assert row["wording"] == words[claim]
        seed, first_seed = int(row["seed"]), int(first[claim]["seed"])
        assert seed >= first_seed + int(first[claim]["runs"]) or first_seed >= seed + int(
            row["runs"]
        )
        # Runs of a claim end as soon as it is decided.
        assert row["verdict"] != "undecided" or int(row["runs"]) >= int(first[claim]["runs"])


PAGES = [
    page
    for page in sorted((CATALOGUE.parents[1] / "docs").glob("*.md"))
    if not page.name.startswith("claims-")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_names_a_claim_that_no_file_has(page: Path, documents: list[Document]) -> None:
    text = page.read_text(encoding="utf-8")
    claims = {claim.id for document in documents for claim in document.claims}
    assert {*re.findall(r"^\*\*((?:pap|gha|ham|zhou|vel)-.*)\*\*$", text, re.MULTILINE)} <= claims
    words = {word.rstrip(".-") for word in re.findall(NAME, text)}
    names = {claim.partition(" ")[0].rstrip(",") for claim in claims}
    names |= {document.id for document in documents}
    assert {word for word in words if not any(n.startswith(word) for n in names)} == set()


def test_pages_of_numbers_give_no_verdicts() -> None:
    """What became of a claim stands on the pages that are made of the list."""
    for page in PAGES:
        if page.name.startswith("reproductions"):
            text = page.read_text(encoding="utf-8")
            assert re.search(r"not reproduced|same direction|undecided", text) is None, page.name


def test_a_damaged_list_is_refused(tmp_path: Path) -> None:
    head = "id,document,section,systems,headline,how,why\n"
    (tmp_path / "statements.csv").write_text(head + "a,b,c,d,,quoted,\n")
    with pytest.raises(InputError, match="a: how = 'quoted' is unknown, or why is missing"):
        statements(tmp_path)


def test_the_pages_are_those_of_the_list(documents: list[Document]) -> None:
    docs = CATALOGUE.parents[1] / "docs"
    written = pages(documents, statements(), verdicts(documents), hunts(documents))
    assert {name: (docs / name).read_text(encoding="utf-8") for name in written} == written


def test_a_page_counts_departures_apart_and_says_why(tmp_path: Path) -> None:
    text = TINY.replace('document = "Nobody 2026"', 'document = "Velayutham 2005"')
    text = text.replace("runs = 4", 'runs = 4\ndeparts = "two hops"', 1)
    latest = {"falls": Latest("undecided", "With other seeds: a coin", "4")}
    quoted = Statement("x", "Velayutham 2005", "2", "", headline=True, how="quoted", why="who")
    document = read(write(tmp_path, text))
    sought = {"falls": LatestHunt("reproduced", "rate: 1 Mb/s; RTS: never", "1", "4")}
    page = pages([document], {"x": quoted}, latest, sought)["claims-velayutham.md"]
    assert "| reproduced | 0 | 0 | 1 |" in page
    assert "| undecided | 0 | 1 | 0 |" in page
    assert "| quoted | 1 | 0 | 0 |" in page
    assert "| not run yet | 0 | 1 | 0 |" in page
    found = "reproduced; by rate: 1 Mb/s; RTS: never (1 departs)"
    assert f"| falls | undecided | two hops | {found} | 4 | More hops, fewer segments. |" in page
    assert "**falls** (`tiny`): With other seeds: a coin." in page
    assert "| x | 2 | quoted | who |" in page
