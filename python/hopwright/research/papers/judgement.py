"""The verdict of a claim: what our runs say of it, and whether they would say it again."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from hopwright._io.plural import many
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.fields import Value
from hopwright.research.papers.measures import Kind
from hopwright.research.papers.repeated import REPETITIONS, redrawn, repeated
from hopwright.research.papers.verdicts import Compared, Finding, finding
from hopwright.statistics.moments import CONFIDENCE

Verdict = Literal[
    "reproduced", "same direction", "not reproduced", "undecided", "not testable", "quoted"
]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

LEAST_SHARE = 0.01
"""Rarer findings are not told."""

MOST_MORE = 64
"""Up to so many times as many runs it is asked whether they would decide."""

MOST_REPETITIONS = 4_000
"""They are all in memory, each with all runs."""

MOST_COUNTED = 12_800
"""Of rules that count runs, up to so many runs: each is looked at."""


@dataclass(frozen=True)
class Judgement:
    """What became of a claim."""

    claim: Claim
    verdict: Verdict
    finding: Finding
    repetitions: Mapping[str, float]
    """What runs with other seeds would say: shares. Empty where runs do not differ, or are one."""
    runs_to_decide: int | None
    """Of an undecided claim: about how many runs of each point would decide it; None: too many."""

    def doubts(self) -> list[str]:
        """Of an undecided claim: what runs with other seeds would say, and how many decide it."""
        if self.verdict != "undecided":
            return []
        words = {"open": "neither shown nor excluded"}
        shares = [
            f"{words.get(name, name)} in {share:.0%}"
            for name, share in self.repetitions.items()
            if share >= LEAST_SHARE
        ]
        if not shares:
            return ["A single run, or equal runs, neither show nor exclude the claim"]
        count = self.runs_to_decide
        enough = (
            f"about {many(count, 'run')} of each point"
            if count
            else "no number of runs that was tried"
        )
        return [f"With other seeds: {', '.join(shares)}; {enough} would decide it"]


def judge_settings(claim: Claim, scenarios: Iterable[Mapping[str, Value]]) -> Judgement:
    """The verdict of a claim about settings, which takes no runs.

    `scenarios`: of every point, whole and written out. A key may be in some only, as those of a
    router are; wherever it is, it has to have the value.
    """
    had: dict[str, list[Value]] = {key: [] for key in claim.settings}
    for scenario in scenarios:
        for key in claim.settings:
            had[key] += values_at(scenario, key)
    within = {
        key: bool(had[key]) and all(each == value for each in had[key])
        for key, value in claim.settings.items()
    }
    found: Literal["reproduced", "not reproduced"]
    found = "reproduced" if all(within.values()) else "not reproduced"
    own = Finding(found, within, (), Compared((), (), ()))
    return Judgement(claim, found, own, {}, None)


def values_at(scenario: Mapping[str, Value], key: str) -> list[Value]:
    """What a key by its full name has; `flows.transport.k`: in every flow that has it."""
    found: list[Value] = [dict(scenario)]
    for name in key.split("."):
        entries = [each for one in found for each in (one if isinstance(one, list) else [one])]
        found = [each[name] for each in entries if isinstance(each, dict) and name in each]
    return found


def printed_and_kinds(document: Document) -> tuple[dict[str, float], dict[str, Kind]]:
    """Of a file's cells, by id: what is printed, where something is; and what kind they are."""
    cells = document.cells
    printed = {name: cell.printed for name, cell in cells.items() if cell.printed is not None}
    kinds = {name: document.measures[cell.measure].kind for name, cell in cells.items()}
    return printed, kinds


def judge(
    claim: Claim,
    printed: Mapping[str, float],
    kinds: Mapping[str, Kind],
    values: Mapping[str, Sequence[float]],
    confidence: float = CONFIDENCE,
) -> Judgement:
    """The verdict of a claim; arguments as of `finding`.

    `confidence` is also the share of repetitions with other seeds that must say what ours say. The
    less it leaves, the more repetitions there are: as many say otherwise at its edge.
    """
    own = finding(claim, printed, kinds, values, confidence)
    used = {name: values[name] for name in claim.names if name in values}
    runs = min(map(len, used.values()), default=1)
    if runs < 2 or all(len(set(each)) == 1 for each in used.values()):
        verdict: Verdict = "undecided" if own.found == "open" else own.found
        return Judgement(claim, verdict, own, {}, None)

    counts_runs = claim.rule in ("every run", "some runs")
    often = min(round(REPETITIONS * (1 - CONFIDENCE) / (1 - confidence)), MOST_REPETITIONS)

    def again(more: float, repetitions: int = REPETITIONS) -> dict[str, float]:
        draw = redrawn if counts_runs else repeated
        drawn = draw(used, more=more, repetitions=repetitions)
        found = Counter(finding(claim, printed, kinds, each, confidence).found for each in drawn)
        return {name: count / len(drawn) for name, count in found.most_common()}

    shares = again(1, often)
    if own.found != "open" and shares.get(own.found, 0.0) >= confidence:
        return Judgement(claim, own.found, own, shares, None)
    more = 1.0
    while more <= MOST_MORE and (not counts_runs or runs * more < MOST_COUNTED):
        more *= 2
        most, share = next(iter(again(more).items()))
        if most != "open" and share >= confidence:
            return Judgement(claim, "undecided", own, shares, round(runs * more))
    return Judgement(claim, "undecided", own, shares, None)
