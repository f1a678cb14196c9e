"""More runs for claims that the file's runs leave undecided, of the points that they compare."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hopwright.research.papers.calling import EMULATION
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.judgement import Judgement, judge, printed_and_kinds
from hopwright.research.papers.measured import Effort, Measured, measure


@dataclass(frozen=True)
class Longer:
    """A claim that was judged again from more runs."""

    judgement: Judgement
    runs: int
    """Of each point that it compares."""
    looks: int
    """How often it was judged; the first time from the file's runs."""


@dataclass
class _Pending:
    """A claim under way."""

    judgement: Judgement
    values: dict[str, list[float]]
    """Of its cells."""
    looks: int = 1

    @property
    def claim(self) -> Claim:
        return self.judgement.claim

    def wants(self, most: int) -> bool:
        """Whether it is undecided, and runs that would decide it are not above `most`."""
        enough = self.judgement.runs_to_decide
        return self.judgement.verdict == "undecided" and enough is not None and enough <= most


def decide(
    document: Document,
    measured: Measured,
    judgements: Sequence[Judgement],
    most: int,
    effort: Callable[[int, int], Effort],
) -> dict[str, Longer]:
    """Goes on with claims that some `most` runs of each point would decide; by their ids.

    A claim that is undecided gets as many runs as its judgement says would decide it, and is judged
    again from all: the file's runs and the new ones. That goes on until it is decided, or would
    take more than `most`. Runs are doubled at each step, and of the new ones only points are made
    that a claim under way compares. Emulations, which take real time, get no more runs.

    Args:
        document: The paper's file.
        measured: What its runs gave.
        judgements: The verdicts of these.
        most: The most runs of a point, the file's among them.
        effort: Of a step: takes the number of its first new run, and how many there are.
    """
    pending = [
        _Pending(each, {name: [*measured.of(document.cells[name])] for name in each.claim.names})
        for each in judgements
        if each.claim.names and not _is_emulated(document, each.claim)
    ]
    pending = [each for each in pending if each.wants(most)]
    printed, kinds = printed_and_kinds(document)
    done: dict[str, Longer] = {}
    runs = len(measured.seeds)
    while pending:
        cells = [*dict.fromkeys(name for each in pending for name in each.claim.names)]
        later = replace(document, seed=document.seed + runs)
        new = measure(later, {}, effort(runs, runs), cells)
        runs *= 2
        for each in pending:
            for name in each.values:
                each.values[name] += new.of(document.cells[name])
            if each.judgement.runs_to_decide == runs:
                each.judgement = judge(each.claim, printed, kinds, each.values)
                each.looks += 1
                done[each.claim.id] = Longer(each.judgement, runs, each.looks)
        pending = [each for each in pending if each.wants(most)]
    return done


def _is_emulated(document: Document, claim: Claim) -> bool:
    """Whether it compares what is measured in real time."""
    measures = (document.measures[document.cells[name].measure] for name in claim.names)
    return any(EMULATION in each.arguments for each in measures)


def judged(judgements: Sequence[Judgement], longer: Mapping[str, Longer]) -> list[Judgement]:
    """The judgements, each from the most runs that there are of it."""
    return [
        longer[each.claim.id].judgement if each.claim.id in longer else each for each in judgements
    ]
