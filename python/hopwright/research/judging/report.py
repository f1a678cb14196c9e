"""A judgement as a person reads it: tables and sentences, at most 80 columns wide."""

from collections.abc import Sequence
from typing import NamedTuple

from hopwright._io import markup
from hopwright._io.console import WIDTH, wrapped
from hopwright.comparisons.numbers import decimals_for, signed
from hopwright.research.diagnosis import BELIEFS, Confusion, Reading
from hopwright.research.judging.cases import BOUND, IGNORANT
from hopwright.research.judging.judgement import Difference, Judgement, Price, Row
from hopwright.results.table import ABSENT
from hopwright.statistics.intervals import Interval

READINGS = (Reading.CONTENTION_IS_WIRELESS, Reading.CONTENTION_IS_LOAD, Reading.FOUR_CAUSES)
"""In the order of the tables' columns."""

GUIDE = (
    (
        "Right: the share of diagnoses that are right, as mean over runs, with its 95 % interval. "
        "There are three ways to count: only a full queue is congestion ('wireless'), contention "
        "is congestion too ('load'), or every cause is a class of its own ('four'). If nothing was "
        "lost, no diagnosis can be right, and these diagnoses do not count; 'needless' is their "
        "share of all diagnoses. n: all diagnoses of all runs."
    ),
    (
        f"{BOUND} is told the truth: it is always right (1.00), so no sender is right more often. "
        "Goodput has no such bound. The gain of the oracle is the gain that right diagnoses bring "
        "with this response; a sender with wrong diagnoses may still have more goodput, if the "
        "response to the truth is not the best response."
    ),
    (
        "Differences are between runs with the same seed. Each 95 % interval is valid for itself: "
        "of many intervals, some miss the true value."
    ),
)

NO_INTERVAL = "no interval"

OF_NO_INTERVAL = (
    f"'{NO_INTERVAL}': there are too few runs for an interval. There is a single pair, or runs "
    "differ so much that the goodput of the baseline might be zero, or that the interval would go "
    "below -100 %, where no goodput is possible. The words depend on the difference in bit/s and "
    "its interval, which judgement.json has."
)
"""Beside the guide where it says so somewhere."""


def text(judgement: Judgement) -> str:
    """Everything that is printed."""
    parts = [_scenario(judgement, name) for name in judgement.scenarios]
    if any(row.diagnoses for row in judgement.rows):
        guide = [*GUIDE, *([OF_NO_INTERVAL] if NO_INTERVAL in "".join(parts) else [])]
        parts.append("How to read this\n" + "\n".join(map(_wrapped, guide)) + "\n")
    return "\n".join(parts)


def share(estimate: Interval | None) -> str:
    """`0.18 0.10-0.26`."""
    if estimate is None:
        return ABSENT
    if estimate.ends is None:
        return f"{estimate.estimate:.2f}"
    return f"{estimate.estimate:.2f} {estimate.ends[0]:.2f}–{estimate.ends[1]:.2f}"


def percent(difference: Difference | None) -> str:
    """`+3.2 % (+1.0 to +5.4)`, or `+3.2 % (no interval)`."""
    absolute, relative = difference or (None, None)
    if absolute is None or relative is None:
        return ABSENT
    if relative.low == relative.high == 0 or (absolute.n == 1 and absolute.estimate == 0):
        return "the same"
    if relative.ends is None:
        return f"{signed(100 * relative.estimate, 1)} % ({NO_INTERVAL})"
    low, high = relative.ends
    digits = min(decimals_for(100 * (high - low), 1), 2)
    ends = f"{signed(100 * low, digits)} to {signed(100 * high, digits)}"
    return f"{signed(100 * relative.estimate, digits)} % ({ends})"


def html(judgement: Judgement) -> str:
    """The same for notebooks: tables and lists."""
    parts = []
    for name in judgement.scenarios:
        rows = judgement.of(name)
        parts.append(markup.paragraph(_head(judgement, name), bold=True))
        if not any(row.diagnoses for row in rows):
            parts.append(markup.paragraph(NOTHING))
            continue
        parts += [markup.table(each.heads, each.rows) for each in _tables(judgement, name)]
        parts.append(markup.bullets(sentences(rows)))
    return "".join(parts)


class _Table(NamedTuple):
    """A table; the first `left` columns are words."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1


NOTHING = "Nobody noticed a loss in any run: there is nothing to diagnose, nor to win."


def _head(judgement: Judgement, name: str) -> str:
    first, last = judgement.seeds[name]
    seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
    return f"{name}: response {judgement.response}, {seeds}"


def _scenario(judgement: Judgement, name: str) -> str:
    rows, head = judgement.of(name), _head(judgement, name)
    if not any(row.diagnoses for row in rows):
        return f"{head}\n\n{NOTHING}\n"
    tables = map(_laid_out, _tables(judgement, name))
    return "\n".join([head, "", *tables, *map(_wrapped, sentences(rows)), ""])


def _tables(judgement: Judgement, name: str) -> list[_Table]:
    rows = judgement.of(name)
    tables = [
        _Table(
            ["right:", *(_short(reading) for reading in READINGS), "needless", "n"],
            [
                [
                    row.differentiator,
                    *(share(row.accuracy[reading.value]) for reading in READINGS),
                    f"{row.needless.estimate:.2f}" if row.needless else ABSENT,
                    str(row.diagnoses),
                ]
                for row in rows
            ],
        ),
        _Table(
            ["goodput, kb/s", "", f"against {BOUND}", f"against {IGNORANT}"],
            [
                [
                    row.differentiator,
                    _kbps(row.goodput_bps),
                    "" if row.differentiator == BOUND else percent(row.against_oracle),
                    "" if row.differentiator == IGNORANT else percent(row.against_ignorance),
                ]
                for row in rows
            ],
        ),
        _matrices(rows),
    ]
    prices = [price for price in judgement.prices if price.scenario == name]
    return [*tables, _price_table(prices)] if prices else tables


def sentences(rows: Sequence[Row]) -> list[str]:
    """What the numbers of a scenario show, in words."""
    return [*_better(rows), _worth(rows), *_surpassed(rows), *_unseen(rows)]


def _better(rows: Sequence[Row]) -> list[str]:
    """Who is right more often than who blames congestion always, by reading."""
    found = []
    others = [row for row in rows if row.differentiator not in (IGNORANT, BOUND)]
    for reading in READINGS:
        names = {
            sign: [
                row.differentiator
                for row in others
                if (better := row.better[reading.value]) and better.absolute.sign == sign
            ]
            for sign in (1, -1)
        }
        if not any(row.accuracy[reading.value] for row in rows):
            found.append(f"'{_short(reading)}': no diagnosis could be right.")
            continue
        if others and not any(_is_compared(row.better[reading.value]) for row in others):
            found.append(f"'{_short(reading)}': too few runs to say who is right more often.")
            continue
        found.append(
            f"'{_short(reading)}': right more often than {IGNORANT}: "
            f"{', '.join(names[1]) or 'nobody'}; less often: {', '.join(names[-1]) or 'nobody'}."
        )
    return found


def _is_compared(difference: Difference | None) -> bool:
    """Whether there is an interval to tell by."""
    return difference is not None and difference.absolute.ends is not None


def _worth(rows: Sequence[Row]) -> str:
    bound = next(row for row in rows if row.differentiator == BOUND)
    gain = bound.against_ignorance
    if not _is_compared(gain):
        return "A single run does not show whether right diagnoses bring goodput."
    if gain.absolute.low == gain.absolute.high == 0:
        return f"Right diagnoses change nothing with this response: as {IGNORANT} in every run."
    what = {1: "bring goodput", -1: "cost goodput", 0: "make no visible difference"}[
        gain.absolute.sign
    ]
    return f"Right diagnoses {what}: {percent(gain)} against {IGNORANT}."


def _surpassed(rows: Sequence[Row]) -> list[str]:
    """Who has more goodput than the oracle, being wrong."""
    more = [
        f"{row.differentiator} {percent(row.against_oracle)}"
        for row in rows
        if row.differentiator != BOUND and row.against_oracle.absolute.sign > 0
    ]
    return [f"More goodput than with right diagnoses: {'; '.join(more)}."] if more else []


def _unseen(rows: Sequence[Row]) -> list[str]:
    silent = [row.differentiator for row in rows if not row.diagnoses]
    return [f"Nothing to diagnose: {', '.join(silent)}."] if silent else []


def _matrices(rows: Sequence[Row]) -> _Table:
    lines = []
    for row in rows:
        matrix = Confusion.of_cells(row.confusion).matrix()
        name = row.differentiator
        for truth, believed in matrix.items():
            if any(believed.values()):
                lines.append([name, truth, *(str(believed[b]) for b in BELIEFS)])
                name = ""
    return _Table(["believed:", "true cause", *BELIEFS], lines, left=2)


def _price_table(prices: Sequence[Price]) -> _Table:
    return _Table(
        ["error:", "believed", "probability", "errors", f"goodput against {BOUND}"],
        [
            [p.truth, p.believed, f"{p.probability:g}", str(p.errors), percent(p.goodput)]
            for p in prices
        ],
        left=2,
    )


def _short(reading: Reading) -> str:
    return reading.value.removeprefix("contention is ").removesuffix(" causes")


def _kbps(estimate: Interval) -> str:
    half = "" if estimate.width is None else f" ± {estimate.width / 2e3:.1f}"
    return f"{estimate.estimate / 1e3:.1f}{half}"


def _laid_out(table: _Table) -> str:
    """Columns as wide as their cells; those of words begin at the left."""
    lines = [table.heads, *table.rows]
    widths = [max(len(line[c]) for line in lines) for c in range(len(table.heads))]
    shown = [
        "  ".join(
            cell.ljust(width) if column < table.left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([shown[0], "─" * max(map(len, shown)), *shown[1:], ""])


def _wrapped(words: str) -> str:
    return "\n".join(wrapped(words, WIDTH))
