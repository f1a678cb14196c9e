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
from hopwright.statistics.intervals import Interval, t_interval
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
        relative: The difference over what the other has; above 0, the policy is better. None, or
            without ends, where the other has nothing.
        p: Of the test, corrected for all networks and compositions; None where all differences are
            the same.
        verdict: What it shows.
    """

    network: int | None
    fixed: str
    policy_mean: float | None
    fixed_mean: float | None
    relative: Interval | None
    p: float | None
    verdict: Verdict

    def numbers(self) -> dict[str, float | str | None]:
        """All but the network, by the names of a table's columns."""
        relative = self.relative
        return {
            "fixed": self.fixed,
            "policy_mean": self.policy_mean,
            "fixed_mean": self.fixed_mean,
            "relative": relative and relative.estimate,
            "low": relative and relative.low,
            "high": relative and relative.high,
            "p": self.p,
            "verdict": self.verdict,
        }


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
    relative = found.relative and found.relative.map(lambda value: sign * value)
    is_shown = found.constant or (p is not None and p < 1 - confidence)
    verdict = _sign(sign * found.difference.estimate) if is_shown else NONE
    if relative is not None and _is_alike(relative):
        verdict = "the same"
    ours, theirs = map(mean, values)
    return Gain(network, name, ours, theirs, relative, p, verdict)


def _of_all(
    name: str,
    policy: Mapping[int, Sequence[float]],
    fixed: Values,
    sign: float,
    confidence: float,
) -> Gain:
    sizes = {network: abs(mean(fixed[network][name])) for network in policy}
    if not all(sizes.values()):
        return Gain(None, name, None, None, None, None, NONE)
    by_seed = [
        mean([sign * (policy[n][seed] - fixed[n][name][seed]) / size for n, size in sizes.items()])
        for seed in range(len(next(iter(policy.values()))))
    ]
    found = t_interval(by_seed, confidence)
    verdict = _sign(found.estimate) if found.sign or found.width == 0 else NONE
    verdict = "the same" if _is_alike(found) else verdict
    return Gain(None, name, None, None, found, None, verdict)


NONE: Verdict = "no difference shown"

ALIKE = 0.0005
"""An interval within so much on both sides of zero is of no difference: it is shown as 0.0 %."""


def _is_alike(relative: Interval) -> bool:
    return relative.ends is not None and max(-relative.ends[0], relative.ends[1]) < ALIKE


def _sign(difference: float) -> Verdict:
    return "better" if difference > 0 else "worse" if difference < 0 else "the same"
