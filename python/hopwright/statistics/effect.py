"""How large a difference is beside the scatter of single runs: effect sizes."""

import math

from hopwright.statistics.means import mean, variance
from hopwright.statistics.sample import Numbers, is_constant, largest, sample


def cohen_d_z(treatment: Numbers, baseline: Numbers) -> float | None:
    """Mean of the paired differences over their standard deviation.

    None for less than two pairs, and where all differences are the same.

    Source: Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd ed. (1988), 2.3.5.
    """
    treatment, baseline = sample(treatment), sample(baseline)
    differences = [a - b for a, b in zip(treatment, baseline, strict=True)]
    spread = variance(differences)
    if not spread or is_constant(differences, largest(treatment, baseline)):
        return None
    return mean(differences) / math.sqrt(spread)


def hedges_g(treatment: Numbers, baseline: Numbers) -> float | None:
    """Difference of the means over the pooled standard deviation, without its bias.

    None where a sample has less than two values, and where neither varies.

    Source: Hedges, "Distribution theory for Glass's estimator of effect size and related
    estimators", J. Educ. Stat. 6 (1981).
    """
    treatment, baseline = sample(treatment), sample(baseline)
    of_treatment, of_baseline = variance(treatment), variance(baseline)
    if of_treatment is None or of_baseline is None:
        return None
    if is_constant(treatment) and is_constant(baseline):
        return None
    freedom = len(treatment) + len(baseline) - 2
    pooled = ((len(treatment) - 1) * of_treatment + (len(baseline) - 1) * of_baseline) / freedom
    unbiased = math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2))
    d = (mean(treatment) - mean(baseline)) / math.sqrt(pooled)
    return d * unbiased / math.sqrt(freedom / 2)


def superiority_of_pairs(treatment: Numbers, baseline: Numbers) -> float:
    """The part of the pairs in which the treatment's value is the larger; equal ones count half."""
    pairs = list(zip(sample(treatment), sample(baseline), strict=True))
    return math.fsum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)


def probability_of_superiority(treatment: Numbers, baseline: Numbers) -> float:
    """How often a value of the treatment is larger than one of the baseline, any two taken.

    Equal ones count half. It is Mann and Whitney's U over its largest value.

    Source: Vargha and Delaney, "A critique and improvement of the CL common language effect size
    statistics", J. Educ. Behav. Stat. 25 (2000): their A.
    """
    from scipy import stats

    treatment, baseline = sample(treatment), sample(baseline)
    ranks = stats.rankdata([*treatment, *baseline])
    n = len(treatment)
    u = math.fsum(ranks[:n]) - n * (n + 1) / 2
    return u / (n * len(baseline))
