"""A hunt: the plan is written, readings are run, claims judged by them, reports written."""

from dataclasses import dataclass
from pathlib import Path

from hopwright._io.data import json_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes
from hopwright._io.out import write_whole
from hopwright._io.paths import no_place
from hopwright._run.workers import Workers
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.hunting.gaps import Reading, distance
from hopwright.research.papers.hunting.needs import Need, needs
from hopwright.research.papers.hunting.plan import Plan
from hopwright.research.papers.hunting.screening import Effects
from hopwright.research.papers.hunting.search import Search
from hopwright.research.papers.hunting.trials import Trials
from hopwright.research.papers.judgement import Judgement, Verdict, judge, printed_and_kinds
from hopwright.results.summary import to_json
from hopwright.statistics.moments import CONFIDENCE
from hopwright.sweeps.run_plan import RunPlan

PLAN = "hunt.json"
"""The plan; also says that a folder is of a hunt."""

RUNS = "runs"

TRAINING, UNSEEN = "training", "unseen"


@dataclass(frozen=True)
class Trial:
    """A reading that was tried for a claim."""

    reading: Reading
    step: str
    """`own`, `screening`, `step`, `promised` or `part`: what asked for it."""
    needs: list[Need]
    """On the training seeds; empty where it has no numbers."""
    holds: bool
    failed: str
    """Why it has none."""


@dataclass(frozen=True)
class Confirmed:
    """A reading on the unseen seeds."""

    reading: Reading
    judgement: Judgement | None
    """None where it has no numbers there."""
    needs: list[Need]


@dataclass(frozen=True)
class Hunted:
    """What became of a claim's hunt."""

    claim: Claim
    level: float
    """Of the confirmation's intervals."""
    tried: list[Trial]
    effects: list[Effects | None]
    """Of the screening, on each of the needs."""
    confirmed: list[Confirmed]
    """The nearest first; where none had what the claim needs, the closest."""

    @property
    def verdict(self) -> Verdict:
        """The hunted verdict."""
        found = [each.judgement.verdict if each.judgement else None for each in self.confirmed]
        if "reproduced" in found:
            return "reproduced"
        if not found or None in found or "undecided" in found:
            return "undecided"
        return "same direction" if "same direction" in found else "not reproduced"

    @property
    def answer(self) -> Confirmed | None:
        """The reading that the verdict is of; None where none was confirmed.

        The nearest that reproduces the claim, else the first.
        """
        for each in self.confirmed:
            if each.judgement and each.judgement.verdict == "reproduced":
                return each
        return next(iter(self.confirmed), None)


@dataclass(frozen=True)
class Hunt:
    """All that came of a plan."""

    plan: Plan
    hunted: list[Hunted]
    comparisons: int
    """Pairs of a claim and a reading that were confirmed: what the level is corrected for."""


def hunt(plan: Plan, how: RunPlan) -> Hunt:
    """Does what a plan says, and writes `report.md`, `report.json` and `results.parquet`.

    Args:
        plan: What `hopwright.research.papers.hunting.plan.plan_of` made.
        how: How runs are made. Its folder is new or empty; with `resume`, one of the same plan.

    Raises:
        InputError: The folder is somebody else's, or of another plan.
    """
    from hopwright.research.papers.hunting.report import as_json, as_markdown
    from hopwright.research.papers.reproduce import write_results

    how.check()
    out = how.folder
    _claim_folder(out, plan, resume=how.resume)
    try:
        with Workers(how.cores) as workers:
            found, trials = _hunt(plan, how.within(RUNS), workers)
    except BaseException as error:
        if not getattr(error, "__notes__", None):
            error.add_note(
                f"the plan and the finished runs are kept in {out}; continue with --resume"
            )
        raise
    parts = {
        f"{each.stage} {'-'.join(map(str, reading))}": measured
        for each in trials
        for reading, measured in each.measured.items()
    }
    write_results(out / "results.parquet", plan.document, parts)
    write_whole(out / "report.md", as_markdown(found).encode())
    write_whole(out / "report.json", to_json(as_json(found)).encode())
    return found


def _claim_folder(out: Path, plan: Plan, *, resume: bool) -> None:
    """Makes the folder this hunt's own, and writes the plan. Raises `InputError`."""
    path = out / PLAN
    wanted = plan.as_json()
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            if not path.is_file():
                raise InputError(f"{out}: has other files in it; name another folder with --out")
            if not resume:
                raise InputError(f"{out}: has a hunt already; add --resume or name another folder")
            begun = json_of(read_bytes(path))
            if begun != wanted:
                raise InputError(f"{path}: {_differs(begun, wanted)}; name another folder")
            return
        out.mkdir(parents=True, exist_ok=True)
        write_whole(path, to_json(wanted).encode())
    except ValueError as error:
        raise InputError(f"{path}: is damaged ({error}); name another folder with --out") from error
    except OSError as error:
        raise no_place(out, error) from error


def _differs(begun: object, wanted: dict[str, object] | object) -> str:
    """What of two plans is not the same."""
    if not isinstance(begun, dict) or not isinstance(wanted, dict):
        return "is not the plan of a hunt"
    keys = [key for key in {**begun, **wanted} if begun.get(key) != wanted.get(key)]
    return f"was begun with another plan: {', '.join(keys)}"


def _hunt(plan: Plan, how: RunPlan, workers: Workers) -> tuple[Hunt, list[Trials]]:
    training = Trials(plan, how, TRAINING, plan.training, workers)
    unseen = Trials(plan, how, UNSEEN, plan.unseen, workers)
    training.run_design()
    searches = [Search(plan, training, claim) for claim in plan.claims]
    for search in searches:
        search.run()
    # All that is to be confirmed is settled before any of it is run: the level hangs on how many.
    candidates = [search.candidates() for search in searches]
    comparisons = sum(map(len, candidates))
    level = 1 - (1 - CONFIDENCE) / max(comparisons, 1)
    for reading in dict.fromkeys(each for some in candidates for each in some):
        unseen.run(reading)
    hunted = [
        Hunted(
            search.claim,
            level,
            [_trial(search, training, each) for each in search.tried],
            search.screened(),
            [_confirmed(plan, search.claim, unseen, each, level) for each in some],
        )
        for search, some in zip(searches, candidates, strict=True)
    ]
    return Hunt(plan, hunted, comparisons), [training, unseen]


def _trial(search: Search, training: Trials, reading: Reading) -> Trial:
    return Trial(
        reading,
        search.tried[reading],
        search.needs(reading) or [],
        search.holds(reading),
        training.failed.get(reading, "") if search.needs(reading) is None else "",
    )


def _confirmed(
    plan: Plan, claim: Claim, unseen: Trials, reading: Reading, level: float
) -> Confirmed:
    values = unseen.values(reading, claim)
    if values is None:
        return Confirmed(reading, None, [])
    judgement = judge(claim, *printed_and_kinds(plan.document), values, level)
    return Confirmed(reading, judgement, needs(claim, plan.document, values, level))


def how_far(plan: Plan, reading: Reading) -> str:
    """A reading's departures and changes, in words."""
    count, changes, _ = distance(plan.document.gaps, reading)
    departing = f"{count} of them {'departs' if count == 1 else 'depart'}"
    if not changes:
        return "no change"
    many = f"{changes} change{'s' if changes > 1 else ''}"
    return f"{many}, {departing if count else 'none of them departs'}"
