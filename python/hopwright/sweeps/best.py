"""Which point of a sweep is the best, and how sure that is.

The best of many is partly lucky: any point might have come out on top. So the winner's comparisons
are corrected for all pairs of points (Bonferroni), not for those alone in which it happens to be:
the chance of one false "surely better" is at most one minus the confidence, whoever wins.

Points may also be equal, run by run: where a key has no effect, or nothing gets through. Then no
one of them is the best.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.data import Object
from hopwright._io.errors import InputError
from hopwright._schema.settings import settings_text
from hopwright.results.metrics import Metric, metric
from hopwright.results.table import show
from hopwright.statistics.means import half_width, mean
from hopwright.statistics.paired import paired
from hopwright.sweeps.points import Point

if TYPE_CHECKING:
    from hopwright.sweeps.outcome import Sweep

CONFIDENCE = 0.95
MOST_NAMED = 5
ALONE = (
    "Single runs do not show whether {} better than the others: add --runs N, such as 5 "
    "(runs=N in Python)."
)


class Rival(NamedTuple):
    """Another point beside the best one."""

    point: Point
    behind: float
    """By how much it is worse, on average over the seeds that both have."""
    p: float | None
    """Of the paired t test, corrected for all pairs of points; None where there is nothing to test.
    """
    is_equal: bool = False
    """Whether it has the same as the best one in every run."""

    @property
    def is_surely_worse(self) -> bool:
        """Whether chance is a poor explanation."""
        return self.p is not None and self.p < 1 - CONFIDENCE


class Best(NamedTuple):
    """The best point of a sweep by one result, and what became of the others."""

    key: str
    point: Point
    mean: float
    half_width: float | None
    runs: int
    rivals: list[Rival]
    """The nearest first."""
    pairs: int
    """Of points: what the p-values are corrected for."""

    def to_dict(self) -> Object:
        """As JSON holds it."""
        return {
            "of": self.key,
            "point": self.point.id,
            "mean": self.mean,
            "ci95": self.half_width,
            "pairs": self.pairs,
            "others": [
                {
                    "point": each.point.id,
                    "behind": each.behind,
                    "p": each.p,
                    "surely_worse": each.is_surely_worse,
                    "equal": each.is_equal,
                }
                for each in self.rivals
            ],
        }

    def said(self) -> list[str]:
        """In words, a line each."""
        what = metric(self.key).fitting([self.mean])
        value = show(self.mean, self.half_width, scale=what.scale, decimals=what.decimals)
        unit = f" {what.unit}" if what.unit else ""
        equal = [each.point for each in self.rivals if each.is_equal]
        others = [each for each in self.rivals if not each.is_equal]
        if not others:
            those = f"all {len(self.rivals) + 1} points are equal in every run"
            return [f"no best by {what.title}: {those}, with {value}{unit}"]
        those = f"best by {what.title}, equal in every run" if equal else f"best by {what.title}"
        best = f"{those}: {_named([self.point, *equal])}, with {value}{unit}"
        it, they = ("They", "they are") if equal else ("It", "it is")
        if self.runs < 2:
            return [best, ALONE.format(they)]
        sure = sum(each.is_surely_worse for each in others)
        close = [each.point for each in others if not each.is_surely_worse]
        lines = [best]
        if len(others) > 1 or sure:
            which = (
                "the other point"
                if len(others) == 1
                else f"{sure} of the {len(others)} other points"
            )
            lines.append(f"{they.capitalize()} surely better than {which}.")
        if close:
            lines.append(f"{it} may be no better than: {_named(close)}.")
        lines.append(
            f"Paired t tests, corrected for all {self.pairs} pairs of points: any might have come "
            f"out best. Sure is p below {1 - CONFIDENCE:.2g}."
        )
        return lines


def _named(points: Sequence[Point]) -> str:
    """The settings of some points, of many the first ones."""
    more = len(points) - MOST_NAMED
    named = "; ".join(settings_text(each.settings) for each in points[:MOST_NAMED])
    return f"{named}; and {more} more" if more > 0 else named


def best_of(sweep: "Sweep", key: str | None = None) -> Best:
    """The best point by a result; by default, by the one that the sweep looks at.

    Raises `InputError` where there is no such result, no better or worse of it, or one point only.
    """
    key = key or sweep.plan.rule.of
    what = check_ranked(key)
    known = {
        point.id: (point, values) for point in sweep.points if (values := sweep.values(point, key))
    }
    if len(known) < 2:
        raise InputError(f"{key}: fewer than two points have it: there is nothing to choose from")
    sign = 1.0 if what.better == "higher" else -1.0
    ranked = sorted(known.values(), key=lambda each: -sign * mean(list(each[1].values())))
    (best, values), others = ranked[0], ranked[1:]
    pairs = len(known) * (len(known) - 1) // 2
    rivals = [_rival(point, values, of, sign, pairs) for point, of in others]
    sample = list(values.values())
    return Best(key, best, mean(sample), half_width(sample), len(sample), rivals, pairs)


def check_ranked(key: str) -> Metric:
    """The metric. Raises `InputError` where there is no better or worse of it."""
    what = metric(key)
    if what.better == "neither":
        raise InputError(
            f"{key}: neither higher nor lower values of it are better; name another result"
        )
    return what


def _rival(
    point: Point, best: dict[int, float], other: dict[int, float], sign: float, pairs: int
) -> Rival:
    seeds = sorted(best.keys() & other.keys())
    if best == other:
        return Rival(point, 0.0, None, is_equal=True)
    if len(seeds) < 2:
        return Rival(point, 0.0, None)
    found = paired([best[seed] for seed in seeds], [other[seed] for seed in seeds], CONFIDENCE)
    # Without scatter there is no t test; that all pairs point one way is two of 2**n patterns.
    worse_by = found.difference.estimate
    alone = found.p if not found.constant else 2.0 ** (1 - found.n) if worse_by else None
    return Rival(point, sign * worse_by, None if alone is None else min(1.0, alone * pairs))
