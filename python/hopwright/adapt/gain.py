"""What the policy is worth on networks that the map does not know, against each fixed composition.

A difference is of runs with the same seed. In one network it is tested by the paired t test, and
all tests of a policy are corrected together (Holm). Over all networks it is the mean of what is
gained in each, as a part of what the fixed composition has there: a slow network counts as much as
a fast one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hopwright.statistics.correction import holm
from hopwright.statistics.intervals import t_interval
from hopwright.statistics.means import mean
from hopwright.statistics.paired import Paired, paired

Values = Mapping[int, Mapping[str, Sequence[float]]]
"""What was measured: by network and by composition, in the order of the seeds."""

Verdict = Literal["better", "worse", "no difference shown", "the same"]


@dataclass(frozen=True)
class Gain:
    """How much better the policy is than a fixed composition.

    Attributes:
        network: Which of the held-out networks; None: all of them.
        fixed: The composition that never changes.
        policy_mean: What the policy has, on average; None over all networks.
        fixed_mean: What the other has.
        relative: The difference over what the other has; above 0, the policy is better.
        low: The end of its interval; None where that has no bounds, as the other has nothing.
        high: The other end.
        p: Of the test, corrected for all networks and compositions; None where all differences are
            the same.
        verdict: What it shows.
    """

    network: int | None
    fixed: str
    policy_mean: float | None
    fixed_mean: float | None
    relative: float | None
    low: float | None
    high: float | None
    p: float | None
    verdict: Verdict


def gains(
    policy: Mapping[int, Sequence[float]], fixed: Values, *, sign: float, confidence: float
) -> list[Gain]:
    """Of each network and composition; then of each composition over all networks."""
    names = list(next(iter(fixed.values())))
    pairs = [(network, name) for network in policy for name in names]
    found = [paired(policy[n], fixed[n][name], confidence) for n, name in pairs]
    ps = holm([each.p for each in found])
    rows = [
        _of_network(
            network, name, each, p, (policy[network], fixed[network][name]), sign, confidence
        )
        for (network, name), each, p in zip(pairs, found, ps, strict=True)
    ]
    return rows + [_of_all(name, policy, fixed, sign, confidence) for name in names]


def _of_network(
    network: int,
    name: str,
    found: Paired,
    p: float | None,
    values: tuple[Sequence[float], Sequence[float]],
    sign: float,
    confidence: float,
) -> Gain:
    low, high = found.relative_interval or (None, None)
    if low is not None and high is not None and sign < 0:
        low, high = -high, -low
    relative = None if found.relative is None else sign * found.relative
    is_shown = found.constant or (p is not None and p < 1 - confidence)
    verdict = _sign(sign * found.difference) if is_shown else NONE
    if low is not None and high is not None and max(-low, high) < ALIKE:
        verdict = "the same"
    ours, theirs = map(mean, values)
    return Gain(network, name, ours, theirs, relative, low, high, p, verdict)


def _of_all(
    name: str,
    policy: Mapping[int, Sequence[float]],
    fixed: Values,
    sign: float,
    confidence: float,
) -> Gain:
    sizes = {network: abs(mean(fixed[network][name])) for network in policy}
    if not all(sizes.values()):
        return Gain(None, name, None, None, None, None, None, None, NONE)
    by_seed = [
        mean([sign * (policy[n][seed] - fixed[n][name][seed]) / size for n, size in sizes.items()])
        for seed in range(len(next(iter(policy.values()))))
    ]
    interval = t_interval(by_seed, confidence)
    centre = mean(by_seed)
    low, high = interval or (None, None)
    verdict = NONE
    if low is not None and high is not None:
        is_shown = low > 0 or high < 0 or low == high
        verdict = _sign(centre) if is_shown else NONE
        verdict = "the same" if max(-low, high) < ALIKE else verdict
    return Gain(None, name, None, None, centre, low, high, None, verdict)


NONE: Verdict = "no difference shown"

ALIKE = 0.0005
"""An interval within so much on both sides of zero is of no difference: it is shown as 0.0 %."""


def _sign(difference: float) -> Verdict:
    return "better" if difference > 0 else "worse" if difference < 0 else "the same"
