"""The search of a claim's hunt: which readings have what it needs, on the training seeds."""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from hopwright.research.papers.claims import Claim
from hopwright.research.papers.hunting.gaps import Reading, departures, distance, own_reading
from hopwright.research.papers.hunting.needs import Need, needs, scales, shortfall
from hopwright.research.papers.hunting.plan import MOST_CONFIRMED, MOST_PROMISED, MOST_TRIED, Plan
from hopwright.research.papers.hunting.screening import Effects, effects
from hopwright.research.papers.hunting.trials import Trials
from hopwright.research.papers.judgement import printed_and_kinds
from hopwright.research.papers.verdicts import finding

LESS = 1e-9
"""A promise that is not lower by this is as good."""


class Search:
    """A claim's; the trials are shared, so that no reading is run twice."""

    def __init__(self, plan: Plan, trials: Trials, claim: Claim) -> None:
        self.plan = plan
        self.claim = claim
        self.tried: dict[Reading, str] = {}
        """By reading: the step that asked for it."""
        self._gaps = plan.document.gaps
        self._trials = trials

    def run(self) -> None:
        """Looks for readings; the design has been run."""
        own = own_reading(self._gaps)
        for reading in dict.fromkeys([own, *self.plan.design]):
            self.tried[reading] = "own" if reading == own else "screening"
        self._forward()
        self._promised()
        self._prune()

    def needs(self, reading: Reading) -> list[Need] | None:
        """What the claim needs, and what a reading has; None where it has no numbers."""
        values = self._trials.values(reading, self.claim)
        return None if values is None else needs(self.claim, self.plan.document, values)

    def holds(self, reading: Reading) -> bool:
        """Whether a reading that was tried has all that the claim needs, sure or not."""
        found = self.needs(reading)
        return bool(found) and all(need.is_met for need in found or ())

    def is_sure(self, reading: Reading) -> bool:
        """Whether its runs say that the claim is reproduced."""
        values = self._trials.values(reading, self.claim)
        if values is None:
            return False
        printed, kinds = printed_and_kinds(self.plan.document)
        return finding(self.claim, printed, kinds, values).found == "reproduced"

    def short(self, reading: Reading) -> float:
        """How far off what the claim needs a reading is that was tried, needs added up."""
        found = self.needs(reading)
        if found is None:
            return math.inf
        off = (0.0 if need.is_met else need.short(need.value) for need in found)
        return sum(each / scale for each, scale in zip(off, self._scales, strict=True))

    def screened(self) -> list[Effects | None]:
        """Main effects on each of the needs, of the design alone."""
        return self._fitted(self.plan.design)

    def candidates(self) -> list[Reading]:
        """What is to be confirmed."""
        own_one = own_reading(self._gaps)
        if self.holds(own_one) and self.is_sure(own_one):
            return [own_one]
        holding = sorted(filter(self.holds, self.tried), key=self._distance)
        if holding:
            nearest = holding[: MOST_CONFIRMED - 1]
            rest = holding[MOST_CONFIRMED - 1 :]
            sure = [reading for reading in rest if self.is_sure(reading)]
            is_among = any(self.is_sure(reading) for reading in nearest)
            return nearest + (rest if is_among or not sure else sure)[:1]
        own = len(departures(self._gaps, own_one))
        known = [each for each in self.tried if self.needs(each) is not None]
        within = [each for each in known if len(departures(self._gaps, each)) <= own]
        closest = [min(some, key=self._closeness) for some in (known, within) if some]
        return list(dict.fromkeys(closest))

    def _distance(self, reading: Reading) -> tuple[int, int, Reading]:
        return distance(self._gaps, reading)

    def _closeness(self, reading: Reading) -> tuple[float, tuple[int, int, Reading]]:
        return self.short(reading), self._distance(reading)

    @cached_property
    def _own_needs(self) -> list[Need]:
        return self.needs(own_reading(self._gaps)) or []  # without numbers the hunt has ended

    @cached_property
    def _scales(self) -> list[float]:
        return scales(self._columns(self.plan.design))

    def _columns(self, readings: Sequence[Reading]) -> list[list[float]]:
        """Of each need: what the readings have of it."""
        rows = [self.needs(reading) for reading in readings]
        return [
            [math.nan if row is None else row[place].value for row in rows]
            for place in range(len(self._own_needs))
        ]

    def _fitted(self, readings: Sequence[Reading]) -> list[Effects | None]:
        return [effects(readings, column, self.plan.counts) for column in self._columns(readings)]

    def _model(self) -> list[Effects | None]:
        """Main effects of all that was tried: the design's readings as often as it has them."""
        own = own_reading(self._gaps)
        more = [each for each, step in self.tried.items() if step not in ("own", "screening")]
        return self._fitted([own, *self.plan.design, *more])

    def _promise(self, model: Sequence[Effects | None], reading: Reading) -> float:
        """How far off what the claim needs a reading is by its main effects."""
        return sum(
            math.inf
            if each is None
            else shortfall(each.promised(reading), need.least, need.most) / scale
            for each, need, scale in zip(model, self._own_needs, self._scales, strict=True)
        )

    def _try(self, reading: Reading, step: str) -> bool:
        """Runs a reading; whether it has what the claim needs."""
        self._trials.run(reading)
        self.tried.setdefault(reading, step)
        return self.holds(reading)

    def _is_exhausted(self) -> bool:
        return len(self.tried) >= len(set(self.plan.design)) + MOST_TRIED

    def _forward(self) -> None:
        """From the file's own reading, one choice after the other, until one has it."""
        current = own_reading(self._gaps)
        if self.holds(current):
            return
        for departing in (False, True):
            while not self._is_exhausted():
                model = self._model()
                options = [
                    each
                    for each in self._one_more(current)
                    if departing or self._distance(each)[0] <= self._distance(current)[0]
                ]
                if not options:
                    break
                best = min(options, key=lambda o: (self._promise(model, o), self._distance(o)))
                if self._promise(model, best) >= self._promise(model, current) - LESS:
                    break
                current = best
                if self._try(current, "step"):
                    return

    def _promised(self) -> None:
        """What the main effects promise most of, if it is nearer than what was found."""
        model = self._model()
        holding = [self._distance(each) for each in self.tried if self.holds(each)]
        ways = itertools.product(*(range(count) for count in self.plan.counts))
        nearer = (
            each
            for each in ways
            if each not in self.tried and (not holding or self._distance(each) < min(holding))
        )
        ranked = sorted(nearer, key=lambda w: (self._promise(model, w), self._distance(w)))
        for reading in ranked[:MOST_PROMISED]:
            if not self._is_exhausted():
                self._try(reading, "promised")

    def _prune(self) -> None:
        """From the nearest reading that has it, one change after the other left out."""
        holding = [each for each in self.tried if self.holds(each)]
        while holding:
            start = min(holding, key=self._distance)
            parts = sorted(self._one_fewer(start), key=self._distance)
            parts = [each for each in parts if self._distance(each) < self._distance(start)]
            for part in parts:
                if part not in self.tried and not self._is_exhausted():
                    self._try(part, "part")
            holding = [each for each in parts if each in self.tried and self.holds(each)]

    def _one_more(self, reading: Reading) -> Iterator[Reading]:
        for gap, count in enumerate(self.plan.counts):
            if reading[gap] == 0:
                for choice in range(1, count):
                    yield (*reading[:gap], choice, *reading[gap + 1 :])

    def _one_fewer(self, reading: Reading) -> Iterator[Reading]:
        for gap, choice in enumerate(reading):
            if choice:
                yield (*reading[:gap], 0, *reading[gap + 1 :])
