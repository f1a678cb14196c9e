"""The plan of a hunt: all that is decided before the first run, and the file that it stands in."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError, near
from hopwright._run.execute import LARGEST_SEED
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.fields import Value
from hopwright.research.papers.hunting import RULES
from hopwright.research.papers.hunting.gaps import Choice, Reading, axes_of, in_words, keys_of
from hopwright.research.papers.hunting.screening import screening
from hopwright.research.papers.points import check_flows, scenario_at, source_of
from hopwright.research.papers.wording import DIGITS, plain, wording

MOST_TRIED = 48
"""Readings that are tried for a claim beside the design's: steps, promised ones, parts of these."""

MOST_PROMISED = 4
"""Of these, so many because the main effects promise most of them."""

MOST_CONFIRMED = 3
"""Readings of a claim that are confirmed on unseen seeds."""


@dataclass(frozen=True)
class Plan:
    """What is hunted, and how."""

    document: Document
    claims: tuple[Claim, ...]
    design: tuple[Reading, ...]
    """The readings of the screening."""
    training: tuple[int, int]
    """The first seed, and how many."""
    unseen: tuple[int, int]
    """Likewise, of the confirmation."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells that the claims are about; the others' points and measures are not run."""
        names = [name for claim in self.claims for name in claim.names]
        return tuple(dict.fromkeys(names))

    @property
    def counts(self) -> list[int]:
        """How many choices each gap has."""
        return [len(gap.choices) for gap in self.document.gaps]

    @property
    def is_full(self) -> bool:
        """Whether it has all the runs that the file asks for."""
        asked = (self.document.training_runs, self.document.runs)
        return (self.training[1], self.unseen[1]) == asked

    def as_json(self) -> Object:
        """The content of `hunt.json`."""
        gaps = self.document.gaps
        return {
            "id": self.document.id,
            "version": _core.version(),
            "claims": [
                {
                    "id": claim.id,
                    "says": claim.says,
                    "wording": hunt_wording(self.document, claim),
                }
                for claim in self.claims
            ],
            "gaps": [*gaps_json(self.document)],
            "design": [[*reading] for reading in self.design],
            "design_in_words": [in_words(gaps, reading) for reading in self.design],
            "training": {"seed": self.training[0], "runs": self.training[1]},
            "unseen": {"seed": self.unseen[0], "runs": self.unseen[1]},
            "most_tried": MOST_TRIED,
            "most_promised": MOST_PROMISED,
            "most_confirmed": MOST_CONFIRMED,
            "rules": RULES,
        }


def gaps_json(document: Document) -> list[Object]:
    """The list of what is left open."""
    return [
        {
            "id": gap.id,
            "why": gap.why,
            "settings": [
                {
                    "label": each.label,
                    "set": plain(each.keys),
                    "departs": each.departs or None,
                    **({"at": plain(each.at)} if each.at else {}),
                }
                for each in gap.choices
            ],
        }
        for gap in document.gaps
    ]


def hunt_wording(document: Document, claim: Claim) -> str:
    """The hash of what a hunted verdict hangs on: the claim's, and the list of gaps.

    Not how the gaps are told, nor what each departs from: the words are shown with it.
    """
    settings = [[_set(each) for each in gap.choices] for gap in document.gaps]
    text = json.dumps([wording(document, claim), settings], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _set(choice: Choice) -> Json:
    """What a choice sets, and where if not everywhere."""
    keys = plain(choice.keys)
    return [keys, plain(choice.at)] if choice.at else keys


def read_as(document: Document, reading: Reading) -> tuple[Document, dict[str, Value]]:
    """The document as a reading has it, and the keys that this sets at all points."""
    gaps = document.gaps
    axes = axes_of(document.axes, gaps, reading)
    return replace(document, axes=axes), keys_of(gaps, reading)


def plan_of(
    document: Document,
    names: Sequence[str],
    known: Mapping[str, str],
    *,
    seed: int | None = None,
    runs: int | None = None,
) -> Plan:
    """What a hunt will do.

    Args:
        document: A file with gaps.
        names: Ids of claims; none: all that runs judge, but those that `known` has as reproduced.
        known: The latest verdicts, by claim.
        seed: The first training seed, instead of the file's.
        runs: Of every point in the confirmation, instead of the file's; training has no more.

    Raises:
        InputError: There are no gaps or no such claim, or some reading is no scenario.
    """
    if not document.gaps:
        raise InputError(
            f"{document.path}: [[gaps]] is missing: it lists what the document leaves open"
        )
    claims = _claims(document, names, known)
    plan = Plan(
        document,
        claims,
        tuple(screening([len(gap.choices) for gap in document.gaps])),
        _training(document, seed, runs),
        _unseen(document, seed, runs),
    )
    _check(plan)
    return plan


def _training(document: Document, seed: int | None, runs: int | None) -> tuple[int, int]:
    count = document.training_runs if runs is None else min(document.training_runs, runs)
    return document.seed if seed is None else seed, count


def _unseen(document: Document, seed: int | None, runs: int | None) -> tuple[int, int]:
    """Behind those of the training, and those that the file's own verdicts were given on."""
    first, count = _training(document, seed, runs)
    behind = max(first + count, document.seed + document.runs)
    wanted = document.runs if runs is None else runs
    if behind + wanted - 1 > LARGEST_SEED:
        raise InputError(
            f"--seed {first}: fewer than {wanted} unseen seeds are left up to {LARGEST_SEED}"
        )
    return behind, wanted


def _claims(
    document: Document, names: Sequence[str], known: Mapping[str, str]
) -> tuple[Claim, ...]:
    by_id = {claim.id: claim for claim in document.claims}
    for number, name in enumerate(names):
        if name not in by_id:
            raise InputError(f"{document.path}: no claim called '{name}'{near(name, by_id)}")
        if by_id[name].rule == "settings":
            raise InputError(
                f"{document.path}: {name}: a claim about settings needs no runs, so there is "
                "nothing to hunt"
            )
        if name in names[:number]:
            raise InputError(f"--hunt: {name} is named twice")
    chosen = [by_id[name] for name in names] or [
        claim
        for claim in document.claims
        if claim.rule != "settings" and known.get(claim.id) != "reproduced"
    ]
    if not chosen:
        raise InputError(
            f"{document.path}: all claims that runs judge are reproduced already; name the claims "
            "to hunt"
        )
    return tuple(chosen)


def _check(plan: Plan) -> None:
    """Whether every reading of the design, and every single change, is a scenario at every point.

    Raises `InputError`.
    """
    document, gaps = plan.document, plan.document.gaps
    source = source_of(document)
    single = [
        tuple(choice if place == number else 0 for place in range(len(gaps)))
        for number, gap in enumerate(gaps)
        for choice in range(len(gap.choices))
    ]
    for reading in dict.fromkeys([*single, *plan.design]):
        read, keys = read_as(document, reading)
        for point in read.points():
            try:
                check_flows(read, scenario_at(read, source, point, keys))
            except (InputError, _core.ScenarioError) as error:
                words = in_words(gaps, reading)
                raise InputError(f"{document.path}: [[gaps]]: {words}: {error}") from error
