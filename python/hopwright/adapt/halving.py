"""Successive halving: the best of some candidates, for few runs of those that are bad.

All get a few runs, with the same seeds; the worse half is dropped, the others get twice as many
runs, and so on (Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", ICML
2013). Deviates: who may still be the best is not dropped, in whichever half it is. That is, whose
difference to the best one, seed by seed, has an interval with zero in it.

The intervals are so wide that all comparisons of a cell hold together (Bonferroni): the best of a
cell is dropped, or said to be surely worse than another, at most once in 1 / (1 - confidence)
cells. That is for differences which are normally distributed, as all of Student's t.
"""

import math
from collections.abc import Mapping, Sequence

from hopwright.statistics.intervals import Interval, t_interval
from hopwright.statistics.means import mean


class Halving:
    """The search for the best of some candidates in one cell.

    Attributes:
        values: What was measured of each candidate, in the order of seeds.
        kept: Candidates that may be the best.
        runs: How many runs these have, or are to have next.
        is_over: Whether nothing more is to be run.
    """

    def __init__(
        self, names: Sequence[str], *, first: int, most: int, confidence: float, sign: float = 1.0
    ) -> None:
        """`first`: runs of each candidate at first; `most`: runs of all together, at most.

        `sign`: 1 if more is better, -1 if less is.
        """
        self.values: dict[str, list[float]] = {name: [] for name in names}
        self.kept = list(names)
        self.runs = first
        self.is_over = False
        self._most, self._sign = most, sign
        others = len(names) - 1
        self.confidence = 1 - (1 - confidence) / max(others * rungs(len(names), first, most), 1)

    def note(self, values: Mapping[str, Sequence[float]]) -> None:
        """Takes the values of all that are kept, `runs` of each, and decides what comes next."""
        for name in self.kept:
            self.values[name] = list(values[name][: self.runs])
        ranked = self.ranked(self.kept)
        safe = set(ranked[: math.ceil(len(ranked) / 2)])
        self.kept = [
            name for name in self.kept if name in safe or not self.difference(ranked[0], name).sign
        ]
        left = self._most - sum(map(len, self.values.values()))
        more = min(self.runs, left // len(self.kept))
        self.is_over = len(self.kept) == 1 or more == 0
        if not self.is_over:
            self.runs += more

    def ranked(self, names: Sequence[str]) -> list[str]:
        """The best by its mean first; of equal ones, the first in the list of candidates."""
        return sorted(names, key=lambda name: -self._sign * mean(self.values[name]))

    def difference(self, one: str, other: str) -> Interval:
        """How much better one is than another, on the seeds that both have had.

        Above 0 it is better, whichever way that is. The interval has this cell's confidence.
        """
        pairs = zip(self.values[one], self.values[other], strict=False)
        return t_interval([self._sign * (a - b) for a, b in pairs], self.confidence)


def rungs(names: int, first: int, most: int) -> int:
    """How often the candidates of a cell can be looked at: when all but two are soon dropped."""
    runs, looks = first, 1
    left = most - names * first
    while (more := min(runs, left // 2)) > 0:
        runs, left, looks = runs + more, left - 2 * more, looks + 1
    return looks
