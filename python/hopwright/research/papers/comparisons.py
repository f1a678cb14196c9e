"""Questions of this project's own to a paper's runs: who is above whom, and is it sure."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hopwright.research.papers.document import Comparison, Document
from hopwright.research.papers.gains import gain
from hopwright.research.papers.measured import Measured
from hopwright.statistics.correction import holm
from hopwright.statistics.intervals import Interval

LEVEL = 0.05
"""Of all words of a comparison together: what any of them is wrong with by chance, at most."""

Word = Literal["above", "below", "not told apart"]


@dataclass(frozen=True)
class Compared:
    """One label against another, at one setting of the other axes or over all of them."""

    this: str
    against: str
    at: Mapping[str, str] | None
    """Labels of the other axes; None: all of them added up, run by run."""
    gain: Interval | None
    """In percent; None where what it is a gain over is not positive."""
    p: float | None
    """Of the paired t test, corrected by Holm's method over the whole comparison."""
    word: Word


def compared(document: Document, comparison: Comparison, measured: Measured) -> list[Compared]:
    """What a comparison found: settings in the order of the file, then all of them."""
    rest = [axis for axis in document.axes if axis.name != comparison.axis]
    settings = [
        dict(zip((axis.name for axis in rest), labels, strict=True))
        for labels in itertools.product(*(axis.labels for axis in rest))
    ]

    def values(label: str, at: Mapping[str, str] | None) -> list[float]:
        places = settings if at is None else [at]
        runs = [
            measured.at({**place, comparison.axis: label}, comparison.measure) for place in places
        ]
        return [math.fsum(run) for run in zip(*runs, strict=True)]

    places = [*settings, None] if len(settings) > 1 else settings
    found = [
        (this, against, at, values(this, at), values(against, at))
        for against in comparison.against
        for this in comparison.these
        for at in places
    ]
    ps = holm([_p(high, low) for *_, high, low in found])
    return [
        Compared(this, against, at, gain(high, low), p, _word(high, low, p))
        for (this, against, at, high, low), p in zip(found, ps, strict=True)
    ]


def _p(high: Sequence[float], low: Sequence[float]) -> float | None:
    """Of the differences of runs with the same seed; None where they are all the same."""
    from hopwright.statistics.paired import paired_t_test

    differences = {a - b for a, b in zip(high, low, strict=True)}
    return paired_t_test(high, low) if len(differences) > 1 else None


def _word(high: Sequence[float], low: Sequence[float], p: float | None) -> Word:
    if p is None or p >= LEVEL:
        return "not told apart"
    return "above" if math.fsum(high) > math.fsum(low) else "below"
