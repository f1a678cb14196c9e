"""The runs of a judgement: every differentiator in every scenario, with the same seeds."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple, Unpack

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright._io.keywords import hinting
from hopwright._io.progress import watched
from hopwright._io.source import check_apart
from hopwright._io.warn import to_caller
from hopwright._run.execute import LARGEST_SEED
from hopwright.research.diagnosis import BELIEFS, OF_ACKS, TRUE_BELIEF
from hopwright.research.judging.cases import (
    BOUND,
    DIFFERENTIATORS,
    IGNORANT,
    RESPONSE,
    RUNS,
    Case,
    Settings,
    check_response,
    check_settings,
    differentiators_of,
    shared_settings,
)
from hopwright.research.judging.folder import FOLDER, write
from hopwright.research.judging.judgement import (
    Judgement,
    Price,
    Row,
    Runs,
    goodput_difference,
    row_of,
)
from hopwright.sweeps.asked import Asked, of_scenario
from hopwright.sweeps.batch import Batch
from hopwright.sweeps.bench import Bench
from hopwright.sweeps.own_folder import open_journal
from hopwright.sweeps.points import Variant, point_id
from hopwright.sweeps.run_plan import How, RunPlan, how_words
from hopwright.sweeps.schedule import Run


@in_python
@hinting(also=how_words)
def judge(
    cases: Sequence[Case],
    differentiators: Sequence[str] = DIFFERENTIATORS,
    *,
    response: str = RESPONSE,
    runs: int = RUNS,
    errors: Sequence[float] = (),
    watch: Callable[[float, int], object] | None = None,
    progress: bool = False,
    warn: Callable[[str], object] = to_caller,
    **how: Unpack[How],
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
        watch: Is told how many runs are finished, and how many there are to be.
        progress: Whether to show a bar: on a terminal or in a notebook; lines elsewhere.
        warn: Is told what is amiss with the runs that are there, and of a figure that is missing.
        how: `seed`, `jobs`, `on`, `wait_workers_s`, `out`, `resume` and `overwrite`: how runs are
            made and where they are kept, see `hopwright.sweeps.run_plan.RunPlan`. `out` gets the
            judgement, too.

    Raises:
        InputError: Something is asked for that does not exist, or makes no sense.
        ScenarioError: A scenario does not go with a differentiator.
        RunError: A run failed, which is a fault of the program.
    """
    with watched("judging", watch, progress=progress) as tell:
        return judge_by(
            RunPlan.of(**how),
            cases,
            differentiators,
            response=response,
            runs=runs,
            errors=errors,
            watch=tell,
            warn=warn,
        )


def judge_by(
    plan: RunPlan,
    cases: Sequence[Case],
    differentiators: Sequence[str],
    *,
    response: str,
    runs: int,
    errors: Sequence[float],
    watch: Callable[[float, int], object],
    warn: Callable[[str], object],
) -> Judgement:
    """As `judge`, with a plan that is made already."""
    plan.check()
    if plan.out is not None:
        FOLDER.check(plan.out, resume=plan.resume, overwrite=plan.overwrite)
    if plan.seed is not None:
        cases = [case.with_seed(plan.seed) for case in cases]
    names = differentiators_of(differentiators)
    check_response(response)
    check_apart([case.name for case in cases])
    shared = shared_settings(names)
    for case in cases:
        check_settings(case, shared)
        if case.seed + runs - 1 > LARGEST_SEED:
            raise InputError(f"{case.name}: the last seed would exceed {LARGEST_SEED}")
    # All scenarios are checked before the first run.
    scenarios = {
        case.name: {name: case.scenario(name, response, shared) for name in names} for case in cases
    }
    with ExitStack() as stack:
        journal = None
        if plan.out is not None:
            asked = _asked(cases, names, response, runs, errors)
            journal = stack.enter_context(
                open_journal(plan.out, FOLDER.what, asked, overwrite=plan.overwrite)
            )
        bench = Bench(journal, watch, plan)
        for line in journal.notes if journal else ():
            warn(line)
        of = _Runs(runs, bench).of
        with bench.keeping():
            rows, kept = _rows(of, cases, scenarios)
            prices = _prices(of, cases, response, shared, kept, errors) if errors else []
            seeds = {case.name: (case.seed, case.seed + runs - 1) for case in cases}
            found = Judgement(response, seeds, rows, kept, prices)
            if plan.out is not None:
                write(plan.out, found, warn)
    if bench.unused:
        warn(bench.unused)
    return found


def _asked(
    cases: Sequence[Case],
    names: Sequence[str],
    response: str,
    runs: int,
    errors: Sequence[float],
) -> Asked:
    """The question: what `--resume` must find the same."""
    timestamps = "set for all" if shared_settings(names) else "as each scenario says"
    scenarios: dict[str, str] = {}
    for case in cases:
        scenarios |= of_scenario(f"scenario {case.name}", case.source.load(case.overrides))
    return {
        **scenarios,
        "--differentiators": [*names],
        "timestamps": timestamps,
        "--response": response,
        "--runs": runs,
        "--error-probabilities": [f"{each:g}" for each in errors],
    }


def _rows(
    of: "Of",
    cases: Sequence[Case],
    scenarios: Mapping[str, Mapping[str, _core.Scenario]],
) -> tuple[list[Row], dict[tuple[str, str], Runs]]:
    """Each differentiator in each scenario, beside the two with whom all are compared."""
    wanted = {
        (case.name, name): Wanted(case, f"{case.name} with {name}", scenario)
        for case in cases
        for name, scenario in scenarios[case.name].items()
    }
    kept = dict(zip(wanted, of([*wanted.values()]), strict=True))
    rows = [
        row_of(case, name, runs, ignorant=kept[case, IGNORANT], bound=kept[case, BOUND])
        for (case, name), runs in kept.items()
    ]
    return rows, kept


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
    of: "Of",
    cases: Sequence[Case],
    response: str,
    shared: Settings,
    kept: Mapping[tuple[str, str], Runs],
    probabilities: Sequence[float],
) -> list[Price]:
    """What errors about each cause that the oracle met would cost."""
    made = [
        (case, error) for case in cases for error in _errors(kept[case.name, BOUND], probabilities)
    ]
    wanted = [
        Wanted(
            case,
            f"{case.name} with {BOUND}, {error.truth} as {error.believed}",
            case.scenario(BOUND, response, {**shared, **error.settings}),
        )
        for case, error in made
    ]
    return [
        Price(
            case.name, *error, error.count(runs), goodput_difference(runs, kept[case.name, BOUND])
        )
        for (case, error), runs in zip(made, of(wanted), strict=True)
    ]


def _errors(right: Runs, probabilities: Sequence[float]) -> list[_Error]:
    """The errors that an oracle which met these causes can make."""
    counts = right.confusion.counts
    met = {_cause(truth) for (truth, _), n in counts.items() if n} - {None}
    truths = [truth for truth in (*BELIEFS, "nothing") if truth in met]
    return [
        _Error(truth, believed, probability)
        for truth in truths
        for believed in BELIEFS
        # Where nothing was lost no belief is right; the oracle's is the channel.
        if believed != truth and (truth, believed) != ("nothing", "channel")
        # The oracle draws for causes only: what it believes where there is none, it always does.
        for probability in (probabilities if truth != "nothing" else (ALWAYS,))
    ]


def _cause(truth: str) -> str | None:
    """Which of the oracle's parameters is about this truth; None if none is."""
    if truth == "nothing":
        return truth
    return TRUE_BELIEF[truth.removeprefix(OF_ACKS)]


class Wanted(NamedTuple):
    """A scenario that is to be run with each seed, and what it is called."""

    case: Case
    name: str
    scenario: _core.Scenario

    @property
    def variant(self) -> tuple[str, Variant]:
        """The scenario with the id of its point."""
        scenario = self.scenario
        files = (scenario.movement(), scenario.coefficients(), scenario.records())
        point = point_id(scenario.with_seed(0).to_toml(), *files)
        return point, Variant(scenario.to_toml(), self.name, *files)


Of = Callable[[Sequence[Wanted]], list[Runs]]
"""Does the runs of scenarios, each once per seed."""


class _Runs:
    """Does the runs that a judgement wants, and keeps what it looks at."""

    def __init__(self, runs: int, bench: Bench) -> None:
        self._runs, self._bench = runs, bench

    def of(self, wanted: Sequence[Wanted]) -> list[Runs]:
        """Each scenario once per seed."""
        variants = [each.variant for each in wanted]
        names = {point: each.name for (point, _), each in zip(variants, wanted, strict=True)}
        of_each = [
            [Run(point, each.case.seed + n) for n in range(self._runs)]
            for (point, _), each in zip(variants, wanted, strict=True)
        ]
        results = self._bench.do(
            lambda finished: Batch((run for runs in of_each for run in runs), finished),
            dict(variants),
            lambda run: f"{names[run.point]}, seed {run.seed}",
        ).results
        return [
            Runs.of([json.loads(results[run]) for run in runs], each.case.flows)
            for runs, each in zip(of_each, wanted, strict=True)
        ]
