"""What a cell of the map shows: its best composition, how much better it is, and how surely."""

from dataclasses import dataclass

from hopwright.adapt.halving import Halving
from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import mean


@dataclass(frozen=True)
class Verdict:
    """The result of a cell.

    Attributes:
        best: The candidate with the best mean, of those that were not dropped.
        tied: Others that may be as good: the interval of their difference to it has zero in it.
        second: Of those that got as far as any other than the best, the best.
        margin: How much better the best is than the second.
        means: What each candidate has, on average over its runs.
        runs: How many runs each has had.
        regret: What each loses against the best, as a part of the larger of the two; 0 for the best
            and whoever is tied with it.
    """

    best: str
    tied: tuple[str, ...]
    second: str
    margin: Interval
    means: dict[str, float]
    runs: dict[str, int]
    regret: dict[str, float]

    @property
    def is_sure(self) -> bool:
        """Whether the best is better than all others."""
        return not self.tied

    @property
    def relative(self) -> float | None:
        """The margin over what the second has; None if that is nothing."""
        size = abs(self.means[self.second])
        return self.margin.estimate / size if size else None


def verdict_of(halving: Halving) -> Verdict:
    """What a search that is over has found."""
    best = halving.ranked(halving.kept)[0]
    to_best = {name: halving.difference(best, name) for name in halving.values if name != best}
    tied = tuple(name for name, each in to_best.items() if name in halving.kept and not each.sign)
    runs = {name: len(values) for name, values in halving.values.items()}
    far = max(runs[name] for name in to_best)
    second = halving.ranked([name for name in to_best if runs[name] == far])[0]
    regret = {
        name: 0.0 if name == best or name in tied else _loss(halving, best, name) for name in runs
    }
    return Verdict(
        best=best,
        tied=tied,
        second=second,
        margin=to_best[second],
        means={name: mean(values) for name, values in halving.values.items()},
        runs=runs,
        regret=regret,
    )


def _loss(halving: Halving, best: str, other: str) -> float:
    ours, theirs = halving.values[best], halving.values[other]
    count = min(len(ours), len(theirs))
    size = max(abs(mean(ours[:count])), abs(mean(theirs[:count])))
    # Whoever was dropped was worse than the best of that time, which need not be today's.
    return max(halving.difference(best, other).estimate, 0.0) / size if size else 0.0
