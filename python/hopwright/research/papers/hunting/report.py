"""The report of a hunt: JSON for programs, Markdown for people."""

import math
from collections.abc import Sequence

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.plural import many
from hopwright.research.papers.hunting import RULES
from hopwright.research.papers.hunting.gaps import Reading, changed, departures, in_words
from hopwright.research.papers.hunting.hunt import Confirmed, Hunt, Hunted, Trial, how_far
from hopwright.research.papers.hunting.needs import Need
from hopwright.research.papers.hunting.plan import Plan, gaps_json, hunt_wording
from hopwright.research.papers.report import interval_json, show, with_ends


def as_json(hunt: Hunt) -> Object:
    """The content of `report.json`."""
    plan = hunt.plan
    return {
        "id": plan.document.id,
        "document": plan.document.document,
        "title": plan.document.title,
        "source": plan.document.source,
        "version": _core.version(),
        "full": plan.is_full,
        "gaps": [*gaps_json(plan.document)],
        "design": [_reading_json(plan, reading) for reading in plan.design],
        "training": {"seed": plan.training[0], "runs": plan.training[1]},
        "unseen": {"seed": plan.unseen[0], "runs": plan.unseen[1]},
        "confirmed": hunt.comparisons,
        "rules": RULES,
        "hunted": [_hunted_json(plan, each) for each in hunt.hunted],
    }


def _hunted_json(plan: Plan, hunted: Hunted) -> Object:
    answer = hunted.answer
    effects: list[Json] = []
    for need, found in zip(_needs(hunted), hunted.effects, strict=False):
        added = {} if found is None else found.added
        effects.append(
            {
                "of": need.of,
                "effects": [
                    {
                        "gap": plan.document.gaps[gap].id,
                        "setting": plan.document.gaps[gap].choices[choice].label,
                        "adds": interval_json(interval),
                    }
                    for (gap, choice), interval in added.items()
                ],
            }
        )
    return {
        "id": hunted.claim.id,
        "says": hunted.claim.says,
        "wording": hunt_wording(plan.document, hunted.claim),
        "hunted": hunted.verdict,
        "level": hunted.level,
        "answer": None if answer is None else _confirmed_json(plan, answer),
        "confirmed": [_confirmed_json(plan, each) for each in hunted.confirmed],
        "effects": effects,
        "readings": math.prod(plan.counts),
        "tried": [_trial_json(plan, each) for each in hunted.tried],
    }


def _reading_json(plan: Plan, reading: Reading) -> Object:
    gaps = plan.document.gaps
    return {
        "reading": "-".join(map(str, reading)),
        "changes": dict(changed(gaps, reading)),
        "departs": dict(departures(gaps, reading)),
        "words": in_words(gaps, reading),
    }


def _trial_json(plan: Plan, trial: Trial) -> Object:
    return {
        **_reading_json(plan, trial.reading),
        "step": trial.step,
        "holds": trial.holds,
        "failed": trial.failed or None,
        "needs": [_need_json(need) for need in trial.needs],
    }


def _confirmed_json(plan: Plan, confirmed: Confirmed) -> Object:
    judgement = confirmed.judgement
    return {
        **_reading_json(plan, confirmed.reading),
        "verdict": judgement.verdict if judgement else None,
        "repetitions": dict(judgement.repetitions) if judgement else {},
        "runs_to_decide": judgement.runs_to_decide if judgement else None,
        "needs": [_need_json(need) for need in confirmed.needs],
    }


def _need_json(need: Need) -> Object:
    return {
        "of": need.of,
        "least": need.least if math.isfinite(need.least) else None,
        "most": need.most if math.isfinite(need.most) else None,
        "ours": interval_json(need.own),
        "met": need.is_met,
    }


def as_markdown(hunt: Hunt) -> str:
    """The content of `report.md`."""
    plan = hunt.plan
    document = plan.document
    level = hunt.hunted[0].level
    lines = [
        *(f"# Readings hunted: {document.title}", ""),
        *(
            f"{document.document}, {document.source}. `hopwright reproduce --hunt {document.id}`",
            "",
        ),
        (
            f"Training: {_seeds(plan.training)} a point. Unseen: {_seeds(plan.unseen)} a point. "
            f"Confirmed: {many(hunt.comparisons, 'pair')} of a claim and a reading, so intervals "
            f"of {100 * level:.5g} %. Hopwright {_core.version()}."
        ),
        "",
        (
            "These verdicts are about readings that were searched for. They stand beside the "
            "verdicts of the claims and never replace them."
        ),
        "",
        "| claim | hunted verdict | reading | distance | what it says |",
        "| --- | --- | --- | --- | --- |",
    ]
    for hunted in hunt.hunted:
        words = [hunted.claim.id, hunted.verdict, *_by(plan, hunted), hunted.claim.in_words]
        lines.append(_row(words))
    lines += ["", "## What the document leaves open", ""]
    lines += ["| gap | setting | departs | why it is open |", "| --- | --- | --- | --- |"]
    for gap in document.gaps:
        for number, choice in enumerate(gap.choices):
            first = [gap.id, "", "", gap.why] if not number else ["", "", "", ""]
            own = ", the file's own" if not number else ""
            lines.append(_row([first[0], f"{choice.label}{own}", choice.departs, first[3]]))
    for hunted in hunt.hunted:
        lines += ["", f"## {hunted.claim.id}", "", *_hunted_lines(plan, hunted)]
    lines += ["", "## How hunted verdicts come about", "", RULES.strip()]
    return "\n".join(lines) + "\n"


def _seeds(seeds: tuple[int, int]) -> str:
    first, count = seeds
    if count == 1:
        return f"1 run, seed {first}"
    return f"{count} runs, seeds {first} to {first + count - 1}"


def _by(plan: Plan, hunted: Hunted) -> list[str]:
    """The answer's reading, and how far it is off."""
    answer = hunted.answer
    if answer is None:
        return ["", ""]
    return [in_words(plan.document.gaps, answer.reading), how_far(plan, answer.reading)]


def _hunted_lines(plan: Plan, hunted: Hunted) -> list[str]:
    holding = sum(trial.holds for trial in hunted.tried)
    all_of = math.prod(plan.counts)
    lines = [
        f"**{hunted.verdict}.** {hunted.claim.in_words}",
        "",
        (
            f"{len(hunted.tried)} of {many(all_of, 'reading was', 'readings were')} tried. On the "
            f"training seeds, {holding} of them had what the claim needs."
        ),
        "",
    ]
    if hunted.verdict == "undecided":
        lines += ["No reading is confirmed, and not all are excluded:", ""]
    elif hunted.verdict != "reproduced":
        lines += ["No reading is confirmed. The bound is what the closest reading reached:", ""]
    for confirmed in hunted.confirmed:
        lines += [*_confirmed_lines(plan, confirmed), ""]
    lines += ["What each choice adds, from the screening (95 % intervals):", ""]
    lines += _effect_lines(plan, hunted)
    failed = [trial for trial in hunted.tried if trial.failed]
    if failed:
        lines += ["", "Readings that lack some numbers:", ""]
        gaps = plan.document.gaps
        lines += [f"- {in_words(gaps, trial.reading)}: {trial.failed}" for trial in failed]
    return lines


def _confirmed_lines(plan: Plan, confirmed: Confirmed) -> list[str]:
    gaps = plan.document.gaps
    verdict = confirmed.judgement.verdict if confirmed.judgement else "no numbers"
    words = in_words(gaps, confirmed.reading)
    lines = [f"- {words} ({how_far(plan, confirmed.reading)}): {verdict} on unseen seeds"]
    for gap, how in departures(gaps, confirmed.reading).items():
        lines.append(f"  - departs, {gap}: {how}")
    if confirmed.judgement:
        lines += [f"  - {text}" for text in confirmed.judgement.doubts()]
    for need in confirmed.needs:
        own = "none" if need.own is None else with_ends(need.own)
        lines.append(f"  - {need.of}: needs {_range(need)}, reaches {own}")
    return lines


def _effect_lines(plan: Plan, hunted: Hunted) -> list[str]:
    names = _needs(hunted)
    lines = [_row(["", *(need.of for need in names)]), f"| ---{' | ---:' * len(names)} |"]
    for number, gap in enumerate(plan.document.gaps):
        for choice in range(1, len(gap.choices)):
            cells = [
                "" if found is None else with_ends(found.added[number, choice])
                for found in hunted.effects
            ]
            lines.append(_row([f"{gap.id}: {gap.choices[choice].label}", *cells]))
    return lines


def _needs(hunted: Hunted) -> list[Need]:
    """Those of the file's own reading, which always has numbers."""
    return hunted.tried[0].needs


def _range(need: Need) -> str:
    if math.isinf(need.most):
        return f"at least {show(need.least)}" if need.least else "more than 0"
    if math.isinf(need.least):
        return f"at most {show(need.most)}"
    if need.least == need.most:
        return show(need.least)
    return f"{show(need.least)} to {show(need.most)}"


def _row(words: Sequence[str]) -> str:
    cells = (word.replace("|", "\\|").replace("\n", " ") for word in words)
    return f"| {' | '.join(cells)} |"
