"""What a comparison is asked: against which baseline, about which results, flows and settings."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from hopwright._io.errors import InputError
from hopwright.results.chosen import Flows, Wanted, apart, flow_list, texts_of
from hopwright.sweeps.folder import COMPARISON, OWN_NAMES

CONFIDENCE = 0.95
MOST_CONFIDENCE = 0.9999
"""Beyond, an interval says nothing that anybody could use, and is soon that of all numbers."""
LONGEST = 80
"""Letters of a name; what is longer is cut, and told apart by a hash."""
NAME = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to runs that vary in something."""

    baseline: object
    metrics: Sequence[str] = ()
    """The primary one first; none: the usual ones."""
    flows: tuple[int, ...] | None = None
    """The only ones that are looked at; None: all."""
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns with the values that runs must have, as texts."""
    confidence: float = CONFIDENCE

    @classmethod
    def of(
        cls,
        baseline: object,
        *,
        metrics: Sequence[str],
        flow: Flows,
        where: Wanted | None,
        confidence: float,
    ) -> Self:
        """The question as Python asks it. Raises `InputError` if it makes no sense."""
        if not 0 < confidence <= MOST_CONFIDENCE:
            raise InputError(
                f"confidence: {confidence:g} is not above 0 and at most {MOST_CONFIDENCE:g}, such "
                "as 0.95"
            )
        chosen, flows = apart(texts_of(where), flow)
        return cls(
            baseline=baseline,
            metrics=(metrics,) if isinstance(metrics, str) else tuple(metrics),
            flows=flow_list(flows),
            where=chosen,
            confidence=confidence,
        )

    @property
    def name(self) -> str:
        """`against-reno-flow-1-3-topology.hops-4`: what its answer is called if nobody says."""
        parts = ["against", str(self.baseline), *self.metrics]
        if self.flows is not None:
            parts += ["flow", *map(str, self.flows)]
        for key, texts in self.where.items():
            parts += [key, *texts]
        if self.confidence != CONFIDENCE:
            parts.append(f"{self.confidence:g}")
        whole = "-".join(parts)
        plain = re.sub(r"[^\w.]+", "-", whole).strip("-.")
        if len(plain) <= LONGEST:
            return plain
        return f"{plain[:LONGEST]}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    def place(self, sweep: Path, name: str | None = None) -> Path:
        """The folder of its answer, inside of the sweep's. Raises `InputError` for a bad name."""
        if name is None:
            return sweep / self.name
        if not NAME.fullmatch(name) or OWN_NAMES.fullmatch(name) or COMPARISON.fullmatch(name):
            raise InputError(
                f"--name {name}: cannot be the name of an answer; use letters, digits, '.', '-' "
                "and '_'"
            )
        return sweep / name
