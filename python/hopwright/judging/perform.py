"""The runs of a judgement: every differentiator in every scenario, with the same seeds."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hopwright import _core
from hopwright.diagnosis import BELIEFS, OF_ACKS, TRUE_BELIEF
from hopwright.errors import InputError
from hopwright.judging.cases import (
    BOUND,
    DIFFERENTIATORS,
    IGNORANT,
    RESPONSE,
    RUNS,
    Case,
    Settings,
    check_cases,
    check_response,
    check_settings,
    differentiators_of,
    shared_settings,
)
from hopwright.judging.judgement import Judgement, Price, Runs, goodput_difference, row_of
from hopwright.progress import watched
from hopwright.runs import LARGEST_SEED, core_count, execute, result_of


def judge(
    cases: Sequence[Case],
    differentiators: Sequence[str] = DIFFERENTIATORS,
    *,
    response: str = RESPONSE,
    runs: int = RUNS,
    errors: Sequence[float] = (),
    jobs: int | None = None,
    watch: Callable[[float, int], object] | None = None,
    progress: bool = False,
) -> Judgement:
    """Runs each differentiator in each scenario, and judges it by the truth.

    Args:
        cases: Scenarios, see `read_case`.
        differentiators: Mechanisms of the slot `diagnosis`. `blame-congestion` and `oracle`, with
            whom the others are compared, are always there. If one needs timestamps, all get them.
        response: A mechanism of the slot `response`: what all do about their belief.
        runs: Of each, with seeds counted from the scenario's.
        errors: Probabilities of errors on purpose: the oracle is wrong about one cause at a time,
            for every cause that occurs; see `Judgement.prices`. What is believed where nothing was
            lost is not drawn: it is priced once, at probability 1.
        jobs: Runs at the same time; by default, one per core.
        watch: Is told how many runs are finished, and how many there are to be.
        progress: Whether to show a bar: on a terminal or in a notebook; lines elsewhere.

    Raises:
        InputError: Something is asked for that does not exist, or makes no sense.
        ScenarioError: A scenario does not go with a differentiator.
        RunError: A run failed, which is a fault of the program.
    """
    names = differentiators_of(differentiators)
    check_response(response)
    check_cases(cases)
    shared = shared_settings(names)
    for case in cases:
        check_settings(case, shared)
        if case.seed + runs - 1 > LARGEST_SEED:
            raise InputError(f"{case.name}: the last seed would exceed {LARGEST_SEED}")
    # All scenarios are checked before the first run.
    scenarios = {
        case.name: {name: case.scenario(name, response, shared) for name in names} for case in cases
    }
    with watched("judging", watch, progress=progress) as tell:
        bench = _Bench(runs, jobs or core_count(), tell, len(cases) * len(names))
        return _judged(bench, cases, scenarios, response, shared, errors)


def _judged(
    bench: "_Bench",
    cases: Sequence[Case],
    scenarios: Mapping[str, Mapping[str, _core.Scenario]],
    response: str,
    shared: Settings,
    errors: Sequence[float],
) -> Judgement:
    rows, prices = [], []
    kept: dict[tuple[str, str], Runs] = {}
    for case in cases:
        found = {
            name: bench.runs(case, scenario) for name, scenario in scenarios[case.name].items()
        }
        ends = {"ignorant": found[IGNORANT], "bound": found[BOUND]}
        rows += [row_of(case.name, name, runs, **ends) for name, runs in found.items()]
        kept |= {(case.name, name): runs for name, runs in found.items()}
        if errors:
            prices += _prices(bench, case, response, shared, found[BOUND], errors)
    seeds = {case.name: (case.seed, case.seed + bench.count - 1) for case in cases}
    return Judgement(response, seeds, rows, kept, prices)


ALWAYS = 1.0
"""The probability of an error that is made whenever it can be."""


class _Error(NamedTuple):
    """One kind of error, and how likely it is."""

    truth: str
    believed: str
    probability: float

    @property
    def settings(self) -> Settings:
        return {
            f"oracle_{self.truth}_as": self.believed,
            "oracle_error_probability": repr(self.probability),
        }

    def count(self, runs: Runs) -> int:
        """How often it was made."""
        return sum(
            n
            for (truth, believed), n in runs.confusion.counts.items()
            if believed == self.believed and _cause(truth) == self.truth
        )


def _prices(
    bench: "_Bench",
    case: Case,
    response: str,
    shared: Settings,
    right: Runs,
    probabilities: Sequence[float],
) -> list[Price]:
    """What errors about each cause that the oracle met would cost."""
    counts = right.confusion.counts
    met = {_cause(truth) for (truth, _), n in counts.items() if n} - {None}
    truths = [truth for truth in (*BELIEFS, "nothing") if truth in met]
    kinds = [
        _Error(truth, believed, probability)
        for truth in truths
        for believed in BELIEFS
        # Where nothing was lost no belief is right; the oracle's is the channel.
        if believed != truth and (truth, believed) != ("nothing", "channel")
        # The oracle draws for causes only: what it believes where there is none, it always does.
        for probability in (probabilities if truth != "nothing" else (ALWAYS,))
    ]
    bench.expect(len(kinds))
    prices = []
    for kind in kinds:
        runs = bench.runs(case, case.scenario(BOUND, response, {**shared, **kind.settings}))
        difference = goodput_difference(runs, right)
        prices.append(Price(case.name, *kind, kind.count(runs), difference))
    return prices


def _cause(truth: str) -> str | None:
    """Which of the oracle's parameters is about this truth; None if none is."""
    if truth == "nothing":
        return truth
    return TRUE_BELIEF[truth.removeprefix(OF_ACKS)]


class _Bench:
    """Does runs, and tells how far things are."""

    def __init__(
        self, runs: int, jobs: int, watch: Callable[[float, int], object], settings: int
    ) -> None:
        self.count, self._jobs, self._watch = runs, jobs, watch
        self._expected, self._done = settings, 0

    def expect(self, settings: int) -> None:
        """There are so many more settings to come."""
        self._expected += settings

    def runs(self, case: Case, scenario: _core.Scenario) -> Runs:
        """The scenario once per seed."""

        def tell(fraction: float) -> None:
            self._watch((self._done + fraction) * self.count, self._expected * self.count)

        tell(0.0)
        seeds = range(case.seed, case.seed + self.count)
        finished = execute(scenario, seeds, jobs=self._jobs, watch=tell)
        self._done += 1
        tell(0.0)
        return Runs.of([result_of(each) for each in finished], case.flows)
