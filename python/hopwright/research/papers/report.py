"""A paper's report: JSON for programs, Markdown for people, made of the same results."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.plural import many, noun
from hopwright.research.papers.claims import Claim, Gain
from hopwright.research.papers.comparisons import compared
from hopwright.research.papers.deciding import Longer, judged
from hopwright.research.papers.document import PRIMARY, Comparison, Document, Reading
from hopwright.research.papers.gains import gain_of_samples
from hopwright.research.papers.judgement import (
    VERDICTS,
    Judgement,
    judge,
    judge_settings,
    printed_and_kinds,
)
from hopwright.research.papers.measured import Measured
from hopwright.research.papers.points import scenarios_of
from hopwright.research.papers.tables import Cell
from hopwright.research.papers.verdicts import (
    Agreement,
    Compared,
    Counted,
    Gained,
    against_reference,
    compare,
    is_as_printed,
)
from hopwright.research.papers.wording import wording
from hopwright.statistics.intervals import Interval
from hopwright.statistics.moments import Moments

QUICK = (
    "These are quick runs (--quick): fewer runs than the files ask for, shorter runs if the file "
    "says so, and only the file's own reading. The reasons after 'Why' were written for full runs "
    "with all seeds, so quick numbers and verdicts may differ."
)
"""What reports and the terminal say of quick runs."""


@dataclass(frozen=True)
class Result:
    """All that is known of a paper's file after the runs."""

    document: Document
    is_quick: bool
    primary: Measured
    readings: Mapping[str, Measured]
    """By the reading's id. Quick runs have none."""
    figures: Sequence[str]
    """Names of the figures' files, without suffix."""
    longer: Mapping[str, Longer] = field(default_factory=dict)
    """By the ids of claims that were judged again from more runs."""

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The verdict of every claim; on the file's own reading."""
        return judged(self.of_the_files_runs, self.longer)

    @property
    def other_readings(self) -> list[Reading]:
        """Those that were run beside the file's own."""
        return [each for each in self.document.readings if each.id in self.readings]

    @property
    def quick_words(self) -> str:
        """How many runs a quick run made of each point, and how long they were."""
        lasts = self.document.quick_duration_s
        each = "" if lasts is None else f" of {lasts:g} s"
        return f"{many(len(self.primary.seeds), 'run')} a point{each}"

    @cached_property
    def of_the_files_runs(self) -> list[Judgement]:
        """The same from as many runs as the file asks for."""
        cells = self.document.cells
        printed, kinds = printed_and_kinds(self.document)
        values = {name: self.primary.of(cell) for name, cell in cells.items()}
        return [
            judge_settings(claim, scenarios_of(self.document))
            if claim.rule == "settings"
            else judge(claim, printed, kinds, values)
            for claim in self.document.claims
        ]

    def runs_of(self, claim: Claim) -> int:
        """How many runs of each point its verdict is from."""
        longer = self.longer.get(claim.id)
        return longer.runs if longer else len(self.primary.seeds)

    def compared(self, reading: Reading) -> list[tuple[Claim, Compared]]:
        """What of the claims another reading shows; without those that it shows nothing of."""
        measured = self.readings[reading.id]
        values = {name: measured.of(self.document.cells[name]) for name in reading.cells}
        found = [(claim, compare(claim, values)) for claim in self.document.claims]
        return [(claim, each) for claim, each in found if each.pairs or each.gained or each.counted]

    def gain_of_reference(self, gain: Gain, reading: Reading | None) -> Interval | None:
        """ns-2's gain, where it has both cells; of several none."""
        cells = self.document.cells
        if gain.extreme:
            return None
        high, low = (_reference(cells[name], reading) for name in (gain.high, gain.low))
        if high is None or low is None:
            return None
        return gain_of_samples(high, low, is_difference=gain.is_difference)


def as_json(result: Result) -> Object:
    """The content of `report.json`."""
    document = result.document
    return {
        "id": document.id,
        "document": document.document,
        "title": document.title,
        "source": document.source,
        "version": _core.version(),
        "quick": result.is_quick,
        "runs": len(result.primary.seeds),
        "seed": document.seed,
        "reference": document.reference_command,
        "claims": [_judgement_json(result, each) for each in result.judgements],
        "tables": [
            {
                "id": table.id,
                "title": table.title,
                "cells": [_cell_json(result, cell) for row in table.rows for cell in row],
            }
            for table in document.tables
        ],
        "readings": [
            {
                "id": reading.id,
                "why": reading.why,
                "cells": [
                    _cell_json(result, document.cells[name], reading) for name in reading.cells
                ],
                "claims": [
                    {"id": claim.id, **_compared_json(result, shown, reading)}
                    for claim, shown in result.compared(reading)
                ],
            }
            for reading in result.other_readings
        ],
        "comparisons": [_comparison_json(result, each) for each in document.comparisons],
        "figures": list(result.figures),
    }


def _judgement_json(result: Result, each: Judgement) -> Object:
    claim = each.claim
    return {
        "id": claim.id,
        "says": claim.says,
        "rule": claim.rule,
        "tolerance": claim.tolerance,
        "wording": wording(result.document, claim),
        "verdict": each.verdict,
        "runs_a_point": result.runs_of(claim),
        "looks": result.longer[claim.id].looks if claim.id in result.longer else 1,
        "reading": claim.reading,
        "repetitions": {**each.repetitions},
        "runs_to_decide": each.runs_to_decide,
        "doubts": [*each.doubts()],
        "because": claim.because or None,
        "numbers": dict(each.finding.within),
        "as_one_run": list(each.finding.as_one_run),
        **_compared_json(result, each.finding.compared, None),
    }


def _compared_json(result: Result, compared: Compared, reading: Reading | None) -> Object:
    return {
        "pairs": [
            {
                "order": str(pair.order),
                "difference": interval_json(pair.difference),
                "holds": pair.holds,
                "sure": pair.is_sure,
            }
            for pair in compared.pairs
        ],
        "gains": [
            {
                "gain": str(gained.gain),
                "ours": interval_json(gained.own),
                "reference": interval_json(result.gain_of_reference(gained.gain, reading)),
                "within": gained.is_within,
                "sure": gained.has_direction,
            }
            for gained in compared.gained
        ],
        "runs": [
            {"stated": str(counted.stated), "count": counted.count, "runs": counted.runs}
            for counted in compared.counted
        ],
    }


def _comparison_json(result: Result, comparison: Comparison) -> Object:
    return {
        "id": comparison.id,
        "asks": comparison.asks,
        "measure": comparison.measure,
        "compared": [
            {
                "this": each.this,
                "against": each.against,
                "at": None if each.at is None else dict(each.at),
                "gain": interval_json(each.gain),
                "p_holm": each.p,
                "word": each.word,
            }
            for each in compared(result.document, comparison, result.primary)
        ],
    }


def _cell_json(result: Result, cell: Cell, reading: Reading | None = None) -> Object:
    own = _own(result, cell, reading)
    reference = _reference(cell, reading)
    agreement = _agreement(result, cell, reading)
    return {
        "cell": cell.id,
        "row": cell.row,
        "at": dict(cell.at),
        "printed": cell.printed,
        "reference": _sample_json(reference),
        "ours": _sample_json(own),
        "interval": interval_json(own.interval()),
        "one_run": interval_json(own.one_run()),
        "as_printed": _as_printed(result, cell, own),
        "over_printed": own.mean / cell.printed if cell.printed else None,
        "over_reference": interval_json(agreement.ratio) if agreement else None,
        "as_reference": agreement.is_as if agreement else None,
    }


def _own(result: Result, cell: Cell, reading: Reading | None) -> Moments:
    measured = result.primary if reading is None else result.readings[reading.id]
    return Moments.of(measured.of(cell))


def _reference(cell: Cell, reading: Reading | None) -> Moments | None:
    return cell.reference if reading is None else reading.references.get(cell.id)


def _agreement(result: Result, cell: Cell, reading: Reading | None) -> Agreement | None:
    reference = _reference(cell, reading)
    if reference is None:
        return None
    kind = result.document.measures[cell.measure].kind
    return against_reference(_own(result, cell, reading), reference, kind)


def _sample_json(sample: Moments | None) -> Json:
    if sample is None:
        return None
    return {"mean": sample.mean, "sd": sample.sd if sample.n > 1 else None, "n": sample.n}


def interval_json(interval: Interval | None) -> Json:
    """An interval in reports for programs; none of what is no number, as a share of nothing."""
    if interval is None or not math.isfinite(interval.estimate):
        return None
    return {"value": interval.estimate, "low": interval.low, "high": interval.high}


def as_markdown(result: Result) -> str:
    """The content of `report.md`."""
    lines = _report_lines(result, "#", alone=True)
    if result.figures:
        lines += ["## Figures", ""]
        for drawing in result.document.drawings:
            lines += [f"![{drawing.title}]({drawing.id}.png)", ""]
    return "\n".join(lines).rstrip() + "\n"


def _report_lines(result: Result, heading: str, *, alone: bool = False) -> list[str]:
    """All but the figures; `heading` marks the title, `alone` a report of this paper only."""
    document = result.document
    effort = f"{many(len(result.primary.seeds), 'run')} a point, seeds from {document.seed}"
    if result.is_quick:
        effort = f"{result.quick_words}, seeds from {document.seed}"
        effort += f" (--quick; full: {many(document.runs, 'run')})"
    command = f"hopwright reproduce {document.id}{' --quick' if result.is_quick else ''}"
    lines = [
        *(f"{heading} {document.title}", ""),
        *(f"{document.document}, {document.source}. `{command}`", ""),
        *(document.about, ""),
        *(f"{effort}. Hopwright {_core.version()}.", ""),
    ]
    if alone and result.is_quick:
        lines += [QUICK, ""]
    if document.reference_command:
        lines += [f"ns-2's numbers: `{document.reference_command}`.", ""]
    lines += [f"{heading}# Claims", ""]
    for judgement in result.judgements:
        lines += _claim_lines(result, judgement)
    for table in document.tables:
        cells = [cell for row in table.rows for cell in row]
        lines += [f"{heading}# {table.title}", "", *_cell_lines(result, cells, None), ""]
    for comparison in document.comparisons:
        lines += [f"{heading}# Our own question: {comparison.id}", ""]
        lines += [*_comparison_lines(result, comparison), ""]
    for reading in result.other_readings:
        cells = [document.cells[name] for name in reading.cells]
        count = len(result.readings[reading.id].seeds)
        lines += [f"{heading}# Another reading: {reading.id}", ""]
        lines += [f"{reading.why} {many(count, 'run')} a point.", ""]
        lines += [*_cell_lines(result, cells, reading), ""]
        for claim, shown in result.compared(reading):
            lines += [
                f"{claim.id}, without a verdict:",
                "",
                *_compared_lines(result, shown, reading),
                "",
            ]
    return lines


def _claim_lines(result: Result, judgement: Judgement) -> list[str]:
    claim = judgement.claim
    finding = judgement.finding
    lines = [
        *(f"**{claim.id}: {judgement.verdict}.** {claim.in_words}", ""),
        f"- Reading: {claim.reading}",
        *_longer_lines(result, claim),
        *(f"- {text}" for text in judgement.doubts()),
    ]
    if finding.within:
        good = sum(finding.within.values())
        outside = [cell for cell, is_within in finding.within.items() if not is_within]
        missed = f"; not as printed: {', '.join(outside)}" if outside else ""
        single = ", ".join(finding.as_one_run)
        few = f" (by single runs of ours only, not by their mean: {single})" if single else ""
        what = "settings" if claim.rule == "settings" else "numbers"
        lines += [f"- As printed: {good} of {len(finding.within)} {what}{few}{missed}"]
    lines += _compared_lines(result, finding.compared, None)
    if claim.because and judgement.verdict != "reproduced":
        lines += ["", f"Why: {claim.because}"]
    return [*lines, ""]


def _longer_lines(result: Result, claim: Claim) -> list[str]:
    """What its verdict is from, where that is not what the tables show."""
    if claim.id not in result.longer:
        return []
    longer = result.longer[claim.id]
    first = next(each for each in result.of_the_files_runs if each.claim is claim)
    runs = f"{many(longer.runs, 'run')} of each point that it compares"
    said = f"- Judged {longer.looks} times; this verdict is from {runs}."
    return [f"{said} Before that: {'; '.join(first.doubts())}"]


def _compared_lines(result: Result, compared: Compared, reading: Reading | None) -> list[str]:
    lines = _range_lines(result, compared.gained, reading)
    for pair in compared.pairs:
        lines += [f"- {pair.order}: {pair.word}, difference {with_ends(pair.difference)}"]
    for gained in compared.gained:
        own = "none" if gained.own is None else with_ends(gained.own)
        state = "within" if gained.is_within else "outside"
        sure = ", not sure" if gained.is_within and not gained.has_direction else ""
        theirs = result.gain_of_reference(gained.gain, reading)
        beside = "" if theirs is None else f", ns-2 {with_ends(theirs)}"
        lines += [f"- {gained.gain}: {state}{sure}, ours {own}{beside}"]
    for counted in compared.counted:
        lines += [f"- {counted.stated}: {_in_runs(counted)} {noun(counted.runs, 'run')}"]
    return lines


def _in_runs(counted: Counted) -> str:
    """In how many runs it holds; where it is to hold in all, in how many it does not."""
    if counted.count == counted.runs:
        return f"in all {counted.runs}"
    if counted.least < 1:
        return f"in {counted.count} of {counted.runs}"
    return f"not in {counted.runs - counted.count} of {counted.runs}"


def _range_lines(result: Result, gained: Sequence[Gained], reading: Reading | None) -> list[str]:
    """Of gains that are stated together, from the least to the most: the paper's, ns-2's, ours."""
    together: dict[str, list[Gained]] = {}
    for each in gained:
        if each.gain.of and not each.gain.extreme:
            together.setdefault(each.gain.of, []).append(each)
    if not together:
        return []
    lines = ["| from least to most | paper | ns-2 | ours |", "| --- | ---: | ---: | ---: |"]
    for stated, group in together.items():
        theirs = [result.gain_of_reference(each.gain, reading) for each in group]
        words = [stated, group[0].gain.stated, _ends(theirs), _ends([each.own for each in group])]
        lines.append(f"| {' | '.join(words)} |")
    return [*lines, ""]


def _ends(found: Iterable[Interval | None]) -> str:
    values = [each.estimate for each in found if each is not None]
    return f"{show(min(values))} to {show(max(values))}" if values else ""


def _cell_lines(result: Result, cells: Iterable[Cell], reading: Reading | None) -> list[str]:
    lines = [
        "| | paper | ns-2 | ours | one run | ours / paper | as printed | ours / ns-2 | as ns-2 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | --- |",
    ]
    for cell in cells:
        own = _own(result, cell, reading)
        reference = _reference(cell, reading)
        agreement = _agreement(result, cell, reading)
        single = own.one_run()
        words = [
            f"{cell.row}: {column_of(cell)}",
            "" if cell.printed is None else show(cell.printed),
            "" if reference is None else _plus_minus(reference),
            _plus_minus(own),
            "" if single.low is None else f"{show(single.low)} … {show(single.high)}",
            _over_printed(own, cell.printed),
            _yes(_as_printed(result, cell, own)),
            "" if agreement is None or agreement.ratio is None else with_ends(agreement.ratio, 3),
            _yes(None if agreement is None else agreement.is_as),
        ]
        lines.append(f"| {' | '.join(words)} |")
    return lines


def _comparison_lines(result: Result, comparison: Comparison) -> list[str]:
    found = compared(result.document, comparison, result.primary)
    title = result.document.measures[comparison.measure].title
    axes = {axis.name: axis.title for axis in result.document.axes}

    def where(at: Mapping[str, str] | None) -> str:
        if at is None:
            return "the sum of all"
        return ", ".join(f"{axes[axis]}: {label}" for axis, label in at.items()) or title

    places = list(dict.fromkeys(where(each.at) for each in found))
    how = (
        f"By how many percent {title} is higher, with the 95 % interval of pairs of runs. "
        f"{_tested([each.p for each in found])}"
    )
    lines = [
        comparison.asks,
        "",
        how,
        "",
        f"| | {' | '.join(places)} |",
        f"| ---{' | ---:' * len(places)} |",
    ]
    rows: dict[str, list[str]] = {}
    for each in found:
        own = "none" if each.gain is None else with_ends(each.gain)
        rows.setdefault(f"{each.this} / {each.against}", []).append(f"{own}, {each.word}")
    return lines + [f"| {name} | {' | '.join(words)} |" for name, words in rows.items()]


def _tested(ps: Sequence[float | None]) -> str:
    """For how many comparisons together their words are sure, and how many have no test."""
    tested = sum(p is not None for p in ps)
    said = []
    if tested:
        which = "the comparison" if tested == 1 else f"all {tested} comparisons together"
        said.append(
            f"'above' and 'below' are sure for {which} (paired t tests, Holm's correction, 5 %)."
        )
    if untested := len(ps) - tested:
        said.append(
            f"No test for {many(untested, 'comparison')}: the difference is the same in every run."
        )
    return " ".join(said)


def _over_printed(own: Moments, printed: float | None) -> str:
    """The ratio to what is printed, an exact number."""
    if not printed:
        return ""
    return with_ends(own.interval().map(lambda value: value / printed), 3)


def _as_printed(result: Result, cell: Cell, own: Moments) -> bool | None:
    """Whether ours is within the usual tolerance of what is printed."""
    if cell.printed is None:
        return None
    kind = result.document.measures[cell.measure].kind
    return is_as_printed(own, cell.printed, kind)


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def column_of(cell: Cell) -> str:
    """The label of the cell's column: the last axis of its place."""
    return list(cell.at.values())[-1]


def _plus_minus(sample: Moments) -> str:
    ends = sample.interval()
    if ends.high is None:
        return show(sample.mean)
    return f"{show(sample.mean)} ± {show(ends.high - sample.mean)}"


def with_ends(interval: Interval, decimals: int | None = None) -> str:
    """A number with its interval, where it has one."""

    def text(value: float | None) -> str:
        return show(value) if decimals is None else f"{value:.{decimals}f}"

    if interval.low is None:
        return text(interval.estimate)
    return f"{text(interval.estimate)} ({text(interval.low)} … {text(interval.high)})"


def show(value: float | None) -> str:
    """A number with three digits or so after the leading ones."""
    if value is None:
        return ""
    size = abs(value)
    if 0 < size < 0.01:
        return f"{value:.3g}"  # joules per bit
    decimals = 0 if size >= 1000 else 1 if size >= 30 else 2 if size >= 1 else 3
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def overall(results: Sequence[Result], rules: str) -> str:
    """The verdicts of several papers' files, then all that they come from, in Markdown."""
    is_quick = any(result.is_quick for result in results)
    words = [*(result.document.id for result in results), *(["--quick"] if is_quick else [])]
    command = f"hopwright reproduce {' '.join(words)} --out DIR"
    lines = ["# Reproductions", "", f"Written by `{command}`.", ""]
    if is_quick:
        lines += [QUICK, ""]
    lines += [*_counts(results), ""]
    lines += ["| claim | verdict | reading | what it says |", "| --- | --- | --- | --- |"]
    for result in results:
        for each in result.judgements:
            claim = each.claim
            words = [claim.id, each.verdict, claim.reading, claim.in_words]
            cells = (word.replace("|", "\\|").replace("\n", " ") for word in words)
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## How verdicts come about", "", rules.strip(), ""]
    for result in results:
        lines += _report_lines(result, "##")
    return "\n".join(lines).rstrip() + "\n"


def _counts(results: Sequence[Result]) -> list[str]:
    """How many claims have which verdict; those that depart from their document apart."""
    all_of = [each for result in results for each in result.judgements]
    found = Counter((each.verdict, bool(each.claim.departs)) for each in all_of)
    lines = ["| verdict | the document's own reading | another |", "| --- | ---: | ---: |"]
    for verdict in VERDICTS:
        own, other = found[verdict, False], found[verdict, True]
        if own or other:
            lines.append(f"| {verdict} | {own} | {other} |")
    return lines


def reading_title(reading: Reading | None) -> str:
    """What a reading is called in the table of results."""
    return PRIMARY if reading is None else reading.id
