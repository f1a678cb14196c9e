"""A page per document: what became of its statements."""

from collections import Counter
from collections.abc import Mapping, Sequence

from hopwright.research.papers.catalogue import Latest, LatestHunt, Statement
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.judgement import VERDICTS

COMMAND = ".venv/bin/python validation/verdicts.py DIR..."
NOT_RUN = "not run yet"
FILES = {
    "Papanastasiou 2006": "claims-papanastasiou.md",
    "Ghaleb-Seddik 2009": "claims-ghaleb.md",
    "Hamadani and Rakocevic": "claims-hamadani.md",
    "Zhou, Shi, Zou and Shen": "claims-zhou.md",
    "Velayutham 2005": "claims-velayutham.md",
}


def pages(
    documents: Sequence[Document],
    all_statements: Mapping[str, Statement],
    latest: Mapping[str, Latest],
    hunted: Mapping[str, LatestHunt],
) -> dict[str, str]:
    """The text of every page, by the file's name."""
    return {
        name: _page(
            of,
            [document for document in documents if document.document == of],
            [each for each in all_statements.values() if each.document == of],
            latest,
            hunted,
        )
        for of, name in FILES.items()
    }


def _page(
    of: str,
    documents: Sequence[Document],
    of_it: Sequence[Statement],
    latest: Mapping[str, Latest],
    hunted: Mapping[str, LatestHunt],
) -> str:
    claims = [(document, claim) for document in documents for claim in document.claims]
    headlines = {each.id for each in of_it if each.headline}
    own = [(document, claim) for document, claim in claims if claim.statement in headlines]
    lines = [
        f"# What became of {of}'s statements",
        "",
        f"Written by `{COMMAND}` from full runs of `hopwright reproduce`; do not edit.",
        "`hopwright reproduce --list` prints the rules for verdicts. The column *hunted* has what",
        "`hopwright reproduce --hunt` found: verdicts of readings that were searched among the",
        "choices that the document leaves open. They are not the verdicts of the claims.",
        "",
        *_counts([claim for _, claim in claims], of_it, latest, hunted),
        "",
        "## Headlines",
        "",
        *_table(own, latest, hunted),
        "",
        "## All claims",
        "",
        *_table(claims, latest, hunted),
        "",
        "## Why",
        "",
        "The reasons why claims are not reproduced and, for undecided claims, what runs with other",
        "seeds would say.",
        "",
    ]
    for document, claim in claims:
        found = latest.get(claim.id)
        if found is None or found.verdict == "reproduced":
            continue
        why = " ".join(text for text in (_sentence(found.doubts), claim.because) if text)
        if why:
            lines += [f"**{claim.id}** (`{document.id}`): {' '.join(why.split())}", ""]
    rest = [each for each in of_it if each.how != "runs"]
    if rest:
        lines += ["## Without runs", "", "| statement | section | verdict | why |"]
        lines += ["| --- | --- | --- | --- |"]
        verdicts = {"later": "not built yet"}
        lines += [
            f"| {each.id} | {each.section} | {verdicts.get(each.how, each.how)} | {each.why} |"
            for each in rest
        ]
    return "\n".join(lines).rstrip() + "\n"


def _counts(
    claims: Sequence[Claim],
    of_it: Sequence[Statement],
    latest: Mapping[str, Latest],
    hunted: Mapping[str, LatestHunt],
) -> list[str]:
    """How many claims have which verdict; those that depart apart, and hunted ones by themselves.

    A claim that was hunted is in one of the first two columns as well, with its own verdict.
    """
    found = Counter((_verdict(claim, latest), bool(claim.departs)) for claim in claims)
    without = Counter(each.how for each in of_it)
    sought = Counter(hunted[claim.id].verdict for claim in claims if claim.id in hunted)
    lines = [
        "| verdict | the document's own reading | another | hunted |",
        "| --- | ---: | ---: | ---: |",
    ]
    for verdict in (*VERDICTS, NOT_RUN):
        own, other = found[verdict, False] + without[verdict], found[verdict, True]
        if own or other or sought[verdict]:
            lines.append(f"| {verdict} | {own} | {other} | {sought[verdict]} |")
    return [*lines, *_again([latest[claim.id] for claim in claims if claim.id in latest])]


def _again(latest: Sequence[Latest]) -> list[str]:
    """How many claims were judged again by runs with other seeds, and of how many both agree."""
    both = [each for each in latest if each.again]
    if not both:
        return []
    count = sum(each.is_contradicted for each in both)
    return [
        "",
        (
            f"Judged again, by runs of other seeds: {len(both)} of {len(latest)} claims. (There "
            "are at least as many runs as before, or fewer if fewer decided the claim.)"
        ),
        f"With another verdict than at first, so that they count as undecided: {count}.",
    ]


def _table(
    claims: Sequence[tuple[Document, Claim]],
    latest: Mapping[str, Latest],
    hunted: Mapping[str, LatestHunt],
) -> list[str]:
    lines = [
        "| claim | verdict | reading | hunted | runs | what it says |",
        "| --- | --- | --- | --- | ---: | --- |",
    ]
    for _, claim in claims:
        found = latest.get(claim.id)
        runs = found.runs if found else ""
        sought = hunted[claim.id].in_words if claim.id in hunted else ""
        words = [claim.id, _verdict(claim, latest), claim.reading, sought, runs, claim.in_words]
        cells = (word.replace("|", "\\|").replace("\n", " ") for word in words)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _verdict(claim: Claim, latest: Mapping[str, Latest]) -> str:
    found = latest.get(claim.id)
    return found.verdict if found else NOT_RUN


def _sentence(doubts: str) -> str:
    return f"{doubts}." if doubts else ""
