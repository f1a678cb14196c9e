"""How often senders were right about why a segment was lost: confusion matrices.

The truth of each diagnosis is what the simulator knows (`docs/loss-differentiation.md`). What
counts as right depends on how contention is read, and on how many classes a diagnosis knows.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from hopwright._io.data import Json, at, is_number, items
from hopwright._io.errors import InputError
from hopwright.statistics.intervals import Interval, t_interval
from hopwright.statistics.sample import Numbers

BELIEFS = ("congestion", "channel", "contention", "route")
"""What a sender can believe."""

TRUE_BELIEF: Mapping[str, str | None] = {
    "queue": "congestion",
    "contention": "contention",
    "link_failure": "route",
    "no_route": "route",
    "channel": "channel",
    "node_down": "route",
    "other": None,
    "nothing": None,
}
"""What a sender should believe of each cause; None where no belief is right."""

OF_ACKS = "ack_"
"""How the truth begins where acknowledgements were lost, and not the segment."""


class Reading(Enum):
    """Which beliefs are the same class."""

    FOUR_CAUSES = "four causes"
    """Each cause is a class: for diagnoses that name four."""
    CONTENTION_IS_WIRELESS = "contention is wireless"
    """Congestion or not: only a full queue is. For diagnoses that name two."""
    CONTENTION_IS_LOAD = "contention is load"
    """Congestion or not: too many on the air are, too, since sending less would help."""

    def class_of(self, belief: str) -> str:
        """The class of a belief, or of what should have been believed."""
        if self is Reading.FOUR_CAUSES:
            return belief
        is_load = belief == "congestion"
        is_load |= belief == "contention" and self is Reading.CONTENTION_IS_LOAD
        return "congestion" if is_load else "not congestion"


def true_class(truth: str, reading: Reading) -> str | None:
    """The class that a diagnosis should have found; None where none would be right.

    Raises `InputError` for a truth that does not exist.
    """
    cause = truth.removeprefix(OF_ACKS)
    if cause not in TRUE_BELIEF or truth == f"{OF_ACKS}nothing":
        raise InputError(f"no truth called '{truth}'; there are: {', '.join(TRUE_BELIEF)}")
    belief = TRUE_BELIEF[cause]
    return None if belief is None else reading.class_of(belief)


def is_right(truth: str, believed: str, reading: Reading) -> bool | None:
    """Whether a diagnosis is right; None where no diagnosis is: nothing was lost.

    Raises `InputError` for a truth or a belief that does not exist.
    """
    if believed not in BELIEFS:
        raise InputError(f"no belief called '{believed}'; there are: {', '.join(BELIEFS)}")
    right = true_class(truth, reading)
    return None if right is None else reading.class_of(believed) == right


@dataclass(frozen=True)
class Confusion:
    """Diagnoses, by what was true and what was believed."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often, by truth and belief."""

    @classmethod
    def of_run(cls, result: Json, flows: Iterable[int] | None = None) -> "Confusion":
        """Of one element of a summary's `results`: its flows of TCP together, or some of them."""
        found = cls()
        wanted = None if flows is None else set(flows)
        for index, flow in enumerate(items(result, "flows")):
            cells = at(flow, "diagnoses")
            if isinstance(cells, dict) and (wanted is None or index in wanted):
                found += cls.of_cells(cells)
        return found

    @classmethod
    def of_cells(cls, cells: Mapping[str, Json]) -> "Confusion":
        """Of what results call `diagnoses`: counts by truth and belief, `queue_as_channel`."""
        counts: Counter[tuple[str, str]] = Counter()
        for name, count in cells.items():
            truth, _, believed = name.partition("_as_")
            counts[truth, believed] += int(count) if is_number(count) else 0
        return cls(counts)

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion(self.counts + other.counts)

    @property
    def total(self) -> int:
        """All diagnoses."""
        return self.counts.total()

    def without_acks(self) -> "Confusion":
        """Only those that were due to lost segments, or to nothing."""
        of_data = {cell: n for cell, n in self.counts.items() if not cell[0].startswith(OF_ACKS)}
        return Confusion(Counter(of_data))

    def matrix(self, reading: Reading = Reading.FOUR_CAUSES) -> dict[str, dict[str, int]]:
        """Counts by the true class, then by the believed one; what no class fits is 'nothing'."""
        classes = list(dict.fromkeys(reading.class_of(belief) for belief in BELIEFS))
        rows = {truth: dict.fromkeys(classes, 0) for truth in [*classes, "nothing"]}
        for (truth, believed), count in self.counts.items():
            rows[true_class(truth, reading) or "nothing"][reading.class_of(believed)] += count
        return rows

    def accuracy(self, reading: Reading = Reading.FOUR_CAUSES) -> float | None:
        """The share that is right of diagnoses that can be; None if there is none."""
        return _share((right, n) for right, n in self._judged(reading))

    def accuracy_by_class(self, reading: Reading = Reading.FOUR_CAUSES) -> dict[str, float | None]:
        """Of each true class the share that is recognised; None for one that did not occur."""
        shares: dict[str, float | None] = {}
        for truth, row in self.matrix(reading).items():
            if truth != "nothing":
                shares[truth] = row[truth] / sum(row.values()) if sum(row.values()) else None
        return shares

    def needless(self) -> float | None:
        """The share of diagnoses for which nothing was lost; None if there is none."""
        of_nothing = sum(n for (truth, _), n in self.counts.items() if truth == "nothing")
        return of_nothing / self.total if self.total else None

    def _judged(self, reading: Reading) -> Iterable[tuple[bool, int]]:
        for (truth, believed), count in self.counts.items():
            right = is_right(truth, believed, reading)
            if right is not None:
                yield right, count


def accuracy(
    results: Iterable[Json],
    reading: Reading = Reading.FOUR_CAUSES,
    *,
    of: str | None = None,
    acks: bool = True,
    confidence: float = 0.95,
    interval: Callable[[Numbers, float], Interval] = t_interval,
) -> Interval | None:
    """The mean share of right diagnoses of runs (a summary's `results`), and its interval.

    Over runs: these, and not diagnoses, are independent. Runs without anything to diagnose count
    for nothing.

    Args:
        results: Runs of one setting.
        reading: What counts as right.
        of: Only diagnoses of which this is the true class; all, if nothing is said.
        acks: Whether those count that lost acknowledgements led to.
        confidence: Of the interval.
        interval: Student's t, or `hopwright.statistics.intervals.bootstrap_interval`.

    Returns:
        None if no run has anything to diagnose.

    Raises:
        InputError: There is no such class.
    """
    if of is not None and of not in (known := Confusion().accuracy_by_class(reading)):
        raise InputError(f"no class called '{of}'; there are: {', '.join(known)}")
    shares = []
    for result in results:
        of_run = Confusion.of_run(result)
        of_run = of_run if acks else of_run.without_acks()
        share = of_run.accuracy(reading) if of is None else of_run.accuracy_by_class(reading)[of]
        if share is not None:
            shares.append(share)
    return interval(shares, confidence).clipped(0.0, 1.0) if shares else None


def _share(judged: Iterable[tuple[bool, int]]) -> float | None:
    judged = list(judged)
    total = math.fsum(n for _, n in judged)
    return math.fsum(n for right, n in judged if right) / total if total else None
