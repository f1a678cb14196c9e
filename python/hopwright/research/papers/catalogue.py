"""What the documents state, statement by statement, and what became of each."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright._io.data import Object
from hopwright._io.errors import InputError
from hopwright._io.files import read_text
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.hunting.plan import hunt_wording
from hopwright.research.papers.library import FOLDER
from hopwright.research.papers.wording import wording

STATEMENTS = "statements.csv"
"""All of them.

Of the first 222 it was decided before any runs which are judged by runs, but for six of
Ghaleb-Seddik's, which ask for the joules of a laptop of 2009: a review had named them beforehand,
but they were taken for not testable only after runs had given verdicts. The others were found
later, when many runs had been made (docs/list-of-claims.md).
"""

VERDICTS = "verdicts.csv"
"""The latest verdict of every claim, from full runs."""

AGAIN = "again.csv"
"""The verdict of claims by full runs with other seeds than those of `VERDICTS`."""

HUNTS = "hunts.csv"
"""The latest hunted verdict of every claim that was hunted, from hunts in full."""

HOWS = ("runs", "not testable", "quoted", "later")


@dataclass(frozen=True)
class Statement:
    """What a document says. The claims of papers' files are statements, or parts of them."""

    id: str
    document: str
    section: str
    systems: str
    """What it compares or speaks of."""
    headline: bool
    """Whether a reproduction is judged by it first."""
    how: str
    """How it is judged: one of `HOWS`; `later`: it needs what is not built yet."""
    why: str
    """Not testable, quoted, later: the reason, who is quoted, what it waits for."""


def statements(folder: Path = FOLDER) -> dict[str, Statement]:
    """All statements of the documents, by id, in the documents' order.

    Raises:
        InputError: The list is damaged.
    """
    found = {}
    for row in _rows(folder / STATEMENTS):
        how = row["how"]
        if how not in HOWS or (how != "runs" and not row["why"]):
            raise InputError(
                f"{folder / STATEMENTS}: {row['id']}: how = '{how}' is unknown, or why is missing"
            )
        headline = row.pop("headline") == "yes"
        found[row["id"]] = Statement(headline=headline, **row)
    return found


@dataclass(frozen=True)
class Latest:
    """The verdict of a claim from its latest full runs."""

    verdict: str
    """`undecided` as well if runs with other seeds say something else."""
    doubts: str
    """Of an undecided one: what runs with other seeds would say, or what they said."""
    runs: str
    """Of each point, with one set of seeds."""
    again: str = ""
    """The verdict of runs with other seeds, if there are such."""

    @property
    def is_contradicted(self) -> bool:
        """Whether runs with other seeds took a verdict away."""
        return self.verdict == "undecided" and self.doubts.startswith(CONTRADICTED)


CONTRADICTED = "Runs with two sets of seeds do not agree"

COLUMNS = ("claim", "verdict", "doubts", "runs", "seed", "wording")
"""Of `VERDICTS` and `AGAIN`; `wording` as of the function of that name, when it was judged."""


def verdicts(documents: Iterable[Document], folder: Path = FOLDER) -> dict[str, Latest]:
    """The latest verdicts of the documents' claims, by id.

    A verdict of what a claim said once, with other bars or of other runs, is none of it. A verdict
    that runs with other seeds contradict is undecided.
    """
    words = wordings(documents)
    path = folder / AGAIN
    again = {row["claim"]: row for row in _rows(path)} if path.exists() else {}
    found = {}
    for row in _rows(folder / VERDICTS):
        claim = row["claim"]
        if words.get(claim) != row["wording"]:
            continue
        other = again.get(claim)
        if other and other["wording"] != row["wording"]:
            other = None
        found[claim] = _of_both(row, other)
    return found


def _of_both(first: Mapping[str, str], other: Mapping[str, str] | None) -> Latest:
    """What runs with two sets of seeds say of a claim together."""
    if other is None:
        return Latest(first["verdict"], first["doubts"], first["runs"])
    verdict, doubts, said = first["verdict"], first["doubts"], other["verdict"]
    if verdict not in (said, "undecided"):
        doubts = f"{CONTRADICTED}: {verdict} (seeds from {first['seed']}), {said} "
        doubts += f"(from {other['seed']})"
        verdict = "undecided"
    return Latest(verdict, doubts, first["runs"], said)


@dataclass(frozen=True)
class LatestHunt:
    """The hunted verdict of a claim from its latest hunt in full."""

    verdict: str
    reading: str
    """What it is of: the choices that are not the file's own."""
    departures: str
    """How many of them depart from the document's words."""
    runs: str
    """Of each point, on unseen seeds."""

    @property
    def in_words(self) -> str:
        """The verdict and its reading, in a cell of a table."""
        count = int(self.departures)
        departing = f" ({count} depart{'s' if count == 1 else ''})" if count else ""
        return f"{self.verdict}; {REACHED.get(self.verdict, CLOSEST)} {self.reading}{departing}"


REACHED = {"reproduced": "by", "undecided": "tried"}
CLOSEST = "closest"
"""What the reading of a hunted verdict is called, and of all others."""

HUNT_COLUMNS = ("claim", "verdict", "reading", "departures", "runs", "seed", "wording")
"""Of `HUNTS`; `wording` as of `hunt_wording`, when it was hunted."""


def hunts(documents: Iterable[Document], folder: Path = FOLDER) -> dict[str, LatestHunt]:
    """The latest hunted verdicts of the documents' claims, by id.

    One of another list of gaps is none of it, as one of what the claim said once.
    """
    words = hunt_wordings(documents)
    return {
        row["claim"]: LatestHunt(row["verdict"], row["reading"], row["departures"], row["runs"])
        for row in _rows(folder / HUNTS)
        if words.get(row["claim"]) == row["wording"]
    }


def hunt_wordings(documents: Iterable[Document]) -> dict[str, str]:
    """The hash of every claim that may be hunted, by id."""
    return {
        claim.id: hunt_wording(each, claim)
        for each in documents
        if each.gaps
        for claim in each.claims
    }


def wordings(documents: Iterable[Document]) -> dict[str, str]:
    """The hash of every claim, by id."""
    return {claim.id: wording(each, claim) for each in documents for claim in each.claims}


def listed(
    documents: Sequence[Document],
    all_statements: Mapping[str, Statement],
    latest: Mapping[str, Latest],
    hunted: Mapping[str, LatestHunt],
) -> list[Object]:
    """An object for each claim of the documents, and for each statement that needs no runs."""
    found: list[Object] = [
        _object(all_statements.get(claim.statement), document, claim, latest.get(claim.id))
        | {"hunted": _hunt_object(hunted.get(claim.id))}
        for document in documents
        for claim in document.claims
    ]
    named = {document.document for document in documents}
    for each in all_statements.values():
        if each.how != "runs" and each.document in named:
            verdict = None if each.how == "later" else each.how
            found.append(
                {
                    "id": each.id,
                    "statement": each.id,
                    "document": each.document,
                    "section": each.section,
                    "system": each.systems,
                    "headline": each.headline,
                    "verdict": verdict,
                    "hunted": None,
                    "reading": None,
                    "why": each.why,
                    "command": None,
                }
            )
    return found


def _object(
    statement: Statement | None, document: Document, claim: Claim, latest: Latest | None
) -> Object:
    return {
        "id": claim.id,
        "statement": claim.statement,
        "document": document.document,
        "section": statement.section if statement else document.source,
        "system": statement.systems if statement else document.title,
        "headline": statement.headline if statement else False,
        "verdict": latest.verdict if latest else None,
        "reading": claim.reading,
        "why": claim.because or None,
        "command": f"hopwright reproduce {document.id} --out DIR",
    }


def _hunt_object(hunt: LatestHunt | None) -> Object | None:
    if hunt is None:
        return None
    return {
        "verdict": hunt.verdict,
        "reading": hunt.reading,
        "departures": int(hunt.departures),
    }


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(read_text(path).splitlines()))
