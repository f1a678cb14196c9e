"""The numbers of one comparison: a variant against the baseline, in one block, by one metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hopwright._schema.settings import Settings, toml_text
from hopwright.results.metrics import SHARING, Metric
from hopwright.statistics.correction import holm
from hopwright.statistics.effect import (
    cohen_d_z,
    hedges_g,
    probability_of_superiority,
    superiority_of_pairs,
)
from hopwright.statistics.independent import welch
from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import half_width, mean, variance
from hopwright.statistics.paired import paired

if TYPE_CHECKING:
    from hopwright._schema.settings import Value
    from hopwright.results.tidy import Cell

Verdict: TypeAlias = Literal[
    "difference", "difference only if alone", "no difference shown", "same", "constant", "unknown"
]
"""What a comparison shows.

- `difference`: the test finds one, all comparisons of the metric's family counted.
- `difference only if alone`: it would be found if no other comparison were made.
- `no difference shown`: the test finds none; there may be one all the same.
- `same`: all runs gave the same in both.
- `constant`: the difference is the same in every pair (or no variant varies): no scatter, no test.
- `unknown`: less than two runs to compare.
"""


SCENARIO = "scenario"
"""The key of blocks that names the scenario, where there are several."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """A variant in a block, by itself."""

    metric: str
    block: Settings
    variant: str
    runs: int
    """Finished ones."""
    n: int
    """Those of them that have a value."""
    flows: tuple[int, ...]
    """The flows that make a run's value; none if the metric is of the whole run."""
    mean: float | None
    sd: float | None
    half_width: float | None


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A comparison, the variant minus the baseline. Values are in the unit of the metric's key."""

    metric: str
    block: Settings
    key: str
    """The varied key that variant and baseline are values of."""
    variant: str
    baseline: str
    test: Literal["paired t", "Welch's t"]
    """Paired where runs share seeds, and so random numbers; Welch's where none do."""
    n: int
    """Runs of the variant that are compared; pairs, with the paired test."""
    baseline_n: int
    left_out: int
    """Runs of either that have no partner or no value."""
    not_made: int
    """Runs of either that are still to be made: the sweep was stopped."""
    mean: float | None
    sd: float | None
    baseline_mean: float | None
    baseline_sd: float | None
    difference: Interval | None = None
    sd_difference: float | None = None
    bootstrap: Interval | None = None
    """Of the difference, by resampling."""
    relative: Interval | None = None
    above: int | None = None
    equal: int | None = None
    below: int | None = None
    p: float | None = None
    p_holm: float | None = None
    wilcoxon_p: float | None = None
    wilcoxon_p_holm: float | None = None
    wilcoxon_exact: bool | None = None
    wilcoxon_n: int | None = None
    wilcoxon_least_p: float | None = None
    welch: Interval | None = None
    """Of the difference, by Welch's t, whichever the test is."""
    welch_p: float | None = None
    welch_p_holm: float | None = None
    welch_degrees_of_freedom: float | None = None
    d_z: float | None = None
    hedges_g: float | None = None
    superiority: float | None = None
    """How often the variant's value is the larger: within pairs, or of any two runs."""
    comparisons: int = 0
    """Tests that Holm's correction is for: of the metric's `family`, over all blocks."""
    verdict: Verdict = "unknown"

    def numbers(self) -> dict[str, object]:
        """All fields; each interval as its estimate and its ends, by the names of columns."""
        found: dict[str, object] = {}
        for name, value in vars(self).items():
            if name in INTERVALS:
                of_estimate, low, high = INTERVALS[name]
                if of_estimate:
                    found[of_estimate] = value and value.estimate
                found |= {low: value and value.low, high: value and value.high}
            else:
                found[name] = value
        return found

    def row(self) -> "dict[str, Cell]":
        """The comparison as a row of a table: the block's keys are columns like the others."""
        cells: dict[str, Any] = self.numbers()
        block = cells.pop("block")
        shown = {key: _cell(value) for key, value in block.items()}
        return {"metric": cells.pop("metric"), **shown, **cells}


INTERVALS = {
    "difference": ("difference", "low", "high"),
    "bootstrap": (None, "bootstrap_low", "bootstrap_high"),
    "relative": ("relative", "relative_low", "relative_high"),
    "welch": (None, "welch_low", "welch_high"),
}
"""Columns of the fields that are intervals: of the estimate, if it has one, and of the ends."""


def _cell(value: "Value") -> "Cell":
    return toml_text(value) if isinstance(value, (list, dict)) else value


def group_of(
    values: Mapping[int, float],
    *,
    metric: str,
    block: Settings,
    variant: str,
    runs: int,
    flows: tuple[int, ...],
    confidence: float,
) -> Group:
    """A variant's mean over those of its runs that have a value, given by seed."""
    sample = [values[seed] for seed in sorted(values)]
    return Group(
        metric=metric,
        block=block,
        variant=variant,
        runs=runs,
        n=len(sample),
        flows=flows,
        mean=mean(sample) if sample else None,
        sd=_sd(sample),
        half_width=half_width(sample, confidence),
    )


def contrast_of(  # noqa: PLR0913 - what is compared, and its names
    treatment: Mapping[int, float],
    reference: Mapping[int, float],
    *,
    metric: str,
    block: Settings,
    key: str,
    variant: str,
    baseline: str,
    runs: int,
    not_made: int,
    share_seeds: bool,
    confidence: float,
) -> Contrast:
    """Compares values given by seed.

    Args:
        treatment: The variant's values.
        reference: The baseline's.
        metric: The key of what is compared.
        block: The settings that both share.
        key: The varied key that both are values of.
        variant: The variant's name.
        baseline: The baseline's.
        runs: Runs of both together, with or without a value.
        not_made: Runs of both together that are still to be made.
        share_seeds: Whether some runs of both have the same seed. Then only such pairs are
            compared; else all runs, as independent samples.
        confidence: Of the intervals, 0 to 1.
    """
    seeds = sorted(treatment.keys() & reference.keys())
    if share_seeds:
        ours, theirs = [treatment[s] for s in seeds], [reference[s] for s in seeds]
    else:
        ours, theirs = ([values[s] for s in sorted(values)] for values in (treatment, reference))
    known = Contrast(
        metric=metric,
        block=block,
        key=key,
        variant=variant,
        baseline=baseline,
        test="paired t" if share_seeds else "Welch's t",
        n=len(ours),
        baseline_n=len(theirs),
        left_out=runs - len(ours) - len(theirs),
        not_made=not_made,
        mean=mean(ours) if ours else None,
        sd=_sd(ours),
        baseline_mean=mean(theirs) if theirs else None,
        baseline_sd=_sd(theirs),
    )
    if not ours or not theirs:
        return known
    known = _with_welch(known, ours, theirs, confidence)
    return _with_pairs(known, ours, theirs, confidence) if share_seeds else known


def family(metric: Metric) -> str:
    """Which metrics' p-values are corrected together, by a name.

    How flows share, their sum, the worst of them and how even they are, is one question looked at
    three times: whoever may choose among the answers has three chances to find one. Any other
    metric is a question of its own.
    """
    return SHARED if metric.key in SHARING else metric.key


SHARED = "sharing"
"""The family of what tells how flows share."""


def judged(contrasts: Sequence[Contrast], confidence: float) -> list[Contrast]:
    """The comparisons of one family with their p-values corrected together, and what they show."""
    corrected = {
        name: holm([getattr(each, name) for each in contrasts])
        for name in ("p", "wilcoxon_p", "welch_p")
    }
    tests = sum(each.p is not None for each in contrasts)
    found = [
        replace(
            each,
            comparisons=tests,
            p_holm=corrected["p"][index],
            wilcoxon_p_holm=corrected["wilcoxon_p"][index],
            welch_p_holm=corrected["welch_p"][index],
        )
        for index, each in enumerate(contrasts)
    ]
    return [replace(each, verdict=_verdict(each, 1 - confidence)) for each in found]


def _with_welch(
    known: Contrast, ours: list[float], theirs: list[float], confidence: float
) -> Contrast:
    apart = welch(ours, theirs, confidence)
    known = replace(
        known,
        welch=apart.difference,
        welch_p=apart.p,
        welch_degrees_of_freedom=apart.degrees_of_freedom,
        hedges_g=hedges_g(ours, theirs),
    )
    if known.test == "paired t":
        return known
    return replace(
        known,
        difference=apart.difference,
        bootstrap=apart.bootstrap,
        relative=apart.relative,
        p=apart.p,
        superiority=probability_of_superiority(ours, theirs),
    )


def _with_pairs(
    known: Contrast, ours: list[float], theirs: list[float], confidence: float
) -> Contrast:
    found = paired(ours, theirs, confidence)
    ranks = found.wilcoxon
    return replace(
        known,
        difference=found.difference,
        sd_difference=found.sd,
        bootstrap=found.bootstrap,
        relative=found.relative,
        above=found.above,
        equal=found.equal,
        below=found.below,
        p=found.p,
        wilcoxon_p=ranks.p if ranks else None,
        wilcoxon_exact=ranks.exact if ranks else None,
        wilcoxon_n=ranks.n if ranks else None,
        wilcoxon_least_p=ranks.least_p if ranks else None,
        d_z=cohen_d_z(ours, theirs),
        superiority=superiority_of_pairs(ours, theirs),
    )


def _verdict(contrast: Contrast, level: float) -> Verdict:
    if contrast.difference is None or contrast.difference.ends is None:
        return "unknown"
    if contrast.p is None or contrast.p_holm is None:
        return "constant" if contrast.difference.estimate else "same"
    if contrast.p_holm < level:
        return "difference"
    return "difference only if alone" if contrast.p < level else "no difference shown"


def _sd(values: Sequence[float]) -> float | None:
    spread = variance(values)
    return None if spread is None else spread**0.5
