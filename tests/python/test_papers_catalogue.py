"""The documents' statements: all of them listed, each judged, or said why not."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from hopwright.cli import main
from hopwright.errors import InputError
from hopwright.papers import library
from hopwright.papers.catalogue import Latest, Statement, listed, statements, verdicts
from hopwright.papers.claims import OWN_READING
from hopwright.papers.document import Document, read
from hopwright.papers.judgement import VERDICTS
from hopwright.papers.page import pages
from tiny_paper import TINY, write

CATALOGUE = Path(__file__).parents[2] / "validation" / "claims.csv"
"""What readers of the five documents listed, before anything was run."""

PENDING = {
    *("pap-3.4-table3.4", "gha-4.3.3-functions-per-byte", "zhou-4.2-long-failures-rare"),
    *("zhou-5.1-table1", "vel-5.3-cpm", "vel-5.4-reverse", "vel-5.5-mac-flows"),
    *("vel-6.6.1-ratio", "vel-6.6.1-short-bias"),
}
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
    assert len(theirs) == 222


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
    assert "--json: of --list only" in capsys.readouterr().err


def test_a_claim_says_what_it_departs_from(tmp_path: Path) -> None:
    text = TINY.replace('[[claims]]\nid = "lost"', '[[claims]]\nid = "lost, all"\ndeparts = ""')
    document = read(write(tmp_path, text.replace("runs = 4", 'runs = 4\ndeparts = "two hops"')))
    falls, lost = document.claims
    assert (falls.reading, lost.reading) == ("two hops", OWN_READING)
    assert (falls.statement, lost.statement) == ("falls", "lost")
    first, second = listed([document], {}, {"falls": Latest("undecided", "", "4")})
    assert (first["verdict"], first["reading"]) == ("undecided", "two hops")
    assert (second["verdict"], second["reading"]) == (None, OWN_READING)
    assert first["command"] == "hopwright reproduce tiny --out DIR"


def test_verdicts_that_are_shipped_are_of_claims_that_there_are(documents: list[Document]) -> None:
    claims = {claim.id for document in documents for claim in document.claims}
    assert verdicts().keys() <= claims
    assert {each.verdict for each in verdicts().values()} <= set(VERDICTS)


def test_a_damaged_list_is_refused(tmp_path: Path) -> None:
    head = "id,document,section,systems,headline,how,why\n"
    (tmp_path / "statements.csv").write_text(head + "a,b,c,d,,quoted,\n")
    with pytest.raises(InputError, match="a: how 'quoted' makes no sense"):
        statements(tmp_path)


def test_the_pages_are_those_of_the_list(documents: list[Document]) -> None:
    docs = CATALOGUE.parents[1] / "docs"
    written = pages(documents, statements(), verdicts())
    assert {name: (docs / name).read_text(encoding="utf-8") for name in written} == written


def test_a_page_counts_departures_apart_and_says_why(tmp_path: Path) -> None:
    text = TINY.replace('document = "Nobody 2026"', 'document = "Velayutham 2005"')
    text = text.replace("runs = 4", 'runs = 4\ndeparts = "two hops"', 1)
    latest = {"falls": Latest("undecided", "With other seeds: a coin", "4")}
    quoted = Statement("x", "Velayutham 2005", "2", "", headline=True, how="quoted", why="who")
    page = pages([read(write(tmp_path, text))], {"x": quoted}, latest)["claims-velayutham.md"]
    assert "| undecided | 0 | 1 |" in page
    assert "| quoted | 1 | 0 |" in page
    assert "| not run yet | 0 | 1 |" in page
    assert "| falls | undecided | two hops | 4 | More hops, fewer segments. |" in page
    assert "**falls** (`tiny`): With other seeds: a coin." in page
    assert "| x | 2 | quoted | who |" in page
