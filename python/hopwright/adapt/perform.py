"""From what is asked for to the map: its cells, the policy that they make, what that is worth."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from hopwright._io.data import Json, at, items, number
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.progress import Watch
from hopwright._run.execute import LARGEST_SEED
from hopwright._schema.settings import Settings, Value
from hopwright.adapt.bounds import Bound, Reading, Source, bounds_of, wanted
from hopwright.adapt.folder import FOLDER, write
from hopwright.adapt.gain import Gain, gains
from hopwright.adapt.halving import Halving
from hopwright.adapt.outcome import Done, Made, Outcome
from hopwright.adapt.policy import Cell, Policy, derive
from hopwright.adapt.request import AXES, BUDGET, Request
from hopwright.adapt.schedule import MapSchedule
from hopwright.adapt.switching import Switching, never
from hopwright.adapt.verdict import Verdict, verdict_of
from hopwright.statistics.means import mean
from hopwright.sweeps.batch import Batch
from hopwright.sweeps.bench import Bench
from hopwright.sweeps.features import check_measured
from hopwright.sweeps.measure import run_value
from hopwright.sweeps.own_folder import open_journal
from hopwright.sweeps.points import Checked, check_points, run_text
from hopwright.sweeps.run_plan import RunPlan
from hopwright.sweeps.schedule import Run

SOURCES: tuple[Source, ...] = ("measured", "told")
"""Of monitors' values: what adapting is worth with what a sender measures, and with the truth."""


def adapt(
    request: Request,
    plan: RunPlan,
    *,
    watch: Watch = lambda _done, _total: None,
    warn: Callable[[str], object] = lambda _line: None,
) -> Outcome:
    """Makes the map of a request, its policy, and the comparison on the held-out networks.

    Args:
        request: What is asked for, see `read_request`.
        plan: How runs are made, and where they and all that comes of them are kept. Its seed is
            the first, instead of the request's.
        watch: Is told how many runs are finished, and how many there are to be.
        warn: Is told what is amiss with the runs of the journal, and parameters without effect.

    Raises:
        InputError: There is no such place to run, the last seed is too large, or nothing can be
            written to the folder.
        ScenarioError: A candidate does not go with a network.
        RunError: A run failed, which is a fault of the program.
        UnfinishedError: Workers disappeared, or a run has no such result as is wanted.
    """
    plan.check()
    if plan.seed is not None:
        request = replace(request, seed=plan.seed)
        if request.last_seed > LARGEST_SEED:
            raise InputError(f"{request.name}: the last seed would exceed {LARGEST_SEED}")
    if plan.out is None:
        return _made(_Study(request, Bench(None, watch, plan), warn))
    FOLDER.check(plan.out, resume=plan.resume, overwrite=plan.overwrite)
    with open_journal(
        plan.out,
        FOLDER.what,
        request.asked,
        overwrite=plan.overwrite,
        options=dict.fromkeys(BUDGET, "--quick") if request.is_quick else {},
    ) as journal:
        bench = Bench(journal, watch, plan)
        # The bench has read the journal, so its notes are there.
        for line in journal.notes:
            warn(line)
        study = _Study(request, bench, warn)
        with bench.keeping():
            outcome = _made(study)
            write(plan.out, outcome, warn)
    if study.bench.unused:
        warn(study.bench.unused)
    return outcome


def _made(study: "_Study") -> Outcome:
    request = study.request
    verdicts, confidence = study.map()
    switching = Switching(request)
    lengths = [len(values) for values in request.grid.values()]
    regret = {cell: verdict.regret for cell, verdict in verdicts.items()}
    policy = derive(lengths, regret, switching.possible(), switching.apart())
    made = [study.make(policy, switching, source) for source in SOURCES]
    found = study.held_out(made)
    return Outcome(
        request=request,
        verdicts=verdicts,
        confidence=confidence,
        policy=policy,
        switches=switching.between,
        made=made,
        gains=found,
        runs=study.done,
        results=study.bench.finished,
    )


class _Setting(NamedTuple):
    """A network with a transport, and what it is for."""

    part: str
    network: Settings
    composition: str
    transport: Settings


class _Study:
    """The parts of a map, each of which needs what came out of those before."""

    def __init__(self, request: Request, bench: Bench, warn: Callable[[str], object]) -> None:
        self.request, self.bench, self._warn = request, bench, warn
        self.done: list[Done] = []

    def map(self) -> tuple[dict[Cell, Verdict], float]:
        """The verdicts of all cells; and the confidence of a comparison, for them to hold."""
        request = self.request
        names = list(request.candidates)
        asked = [
            (cell, name, _Setting("map", request.values(cell), name, request.candidates[name]))
            for cell in request.cells
            for name in names
        ]
        points, variants, _ = self._points([setting for _, _, setting in asked], self._warn)
        check_measured([request.measure.key], (variant.text for variant in variants.values()))
        halvings = {
            cell: Halving(
                names,
                first=request.first_runs,
                most=request.most_runs,
                confidence=request.confidence,
                sign=request.sign,
            )
            for cell in request.cells
        }
        ids = {(cell, name): point.id for (cell, name, _), point in zip(asked, points, strict=True)}
        self.bench.do(
            lambda finished: MapSchedule(halvings, ids, request.seed, self._value, finished),
            variants,
            lambda run: run_text(points, *run),
        )
        for cell, name, setting in asked:
            for seed in range(len(halvings[cell].values[name])):
                self._note(setting, Run(ids[cell, name], request.seed + seed))
        confidence = next(iter(halvings.values())).confidence
        return {cell: verdict_of(halving) for cell, halving in halvings.items()}, confidence

    def make(self, policy: Policy, switching: Switching, source: Source) -> Made:
        """The policy's triggers, with bounds in what monitors of this source say."""
        request = self.request
        monitors = {axis: AXES[key] for axis, key in enumerate(request.grid)}
        bounds = bounds_of(policy, monitors, self._readings(policy, switching, source))
        transport = dict(request.candidates[policy.base])
        triggers: list[Value] = []
        for row, conditions in zip(policy.rows, bounds, strict=True):
            known = [each for each in conditions if isinstance(each, Bound)]
            if len(known) < len(conditions):
                continue
            switch = switching.between[policy.base, row.composition]
            transport |= switch.settings
            when: list[Value] = [{**each.condition()} for each in known]
            triggers.append({"when": when, "set": dict(switch.slots), "back": True})
        if triggers:
            transport |= {"monitor_source": source, "triggers": triggers}
        return Made(source=source, bounds=bounds, settings=transport)

    def held_out(self, made: Sequence[Made]) -> dict[Source, list[Gain]]:
        """What each policy gains on the networks that the map does not know."""
        request = self.request
        if not request.held_out:
            return {}
        transports = dict(request.candidates) | {
            f"policy, {each.source}": each.settings for each in made
        }
        settings = [
            _Setting("held-out", network, name, transport)
            for network in request.held_out
            for name, transport in transports.items()
        ]
        # No run of the map has these seeds: what was chosen by luck has none here.
        first = request.seed + request.most_runs
        values = iter(self._batch(settings, first, request.held_out_runs))
        by_network = [
            {name: [self._value(result) for result in next(values)] for name in transports}
            for _ in request.held_out
        ]
        numbers = dict(enumerate(by_network))
        fixed = {
            n: {name: each[name] for name in request.candidates} for n, each in numbers.items()
        }
        return {
            each.source: gains(
                {n: of[f"policy, {each.source}"] for n, of in numbers.items()},
                fixed,
                sign=request.sign,
                confidence=request.confidence,
            )
            for each in made
        }

    def _readings(self, policy: Policy, switching: Switching, source: Source) -> dict[str, Reading]:
        """What monitors say in the cells on both sides of the policy's bounds."""
        request = self.request
        monitors = sorted(
            {AXES[list(request.grid)[each.axis]] for row in policy.rows for each in row.when}
        )
        if not monitors:
            return {}
        asked = wanted(policy)
        slots = {
            row.composition: switching.between[policy.base, row.composition].slots
            for row in policy.rows
        }
        any_slots = next(iter(slots.values()))

        def watched(name: str) -> Settings:
            # It changes nothing: its bounds are beyond all values. So any slots will do.
            triggers: list[Value] = [
                never(monitor, slots.get(name, any_slots)) for monitor in monitors
            ]
            return {
                **request.candidates[name],
                "monitor_source": source,
                "triggers": triggers,
            }

        settings = [
            _Setting(f"reading, {source}", request.values(cell), name, watched(name))
            for cell, name in asked
        ]
        found = self._batch(settings, request.seed, request.first_runs)
        said: dict[tuple[Cell, str, str], float | None] = {}
        for (cell, name), results in zip(asked, found, strict=True):
            flows = [items(json.loads(result), "flows")[request.flow] for result in results]
            for monitor in monitors:
                values = [number(flow, "adaptation", "readings", monitor) for flow in flows]
                known = [value for value in values if value is not None]
                said[cell, name, monitor] = mean(known) if known else None

        def of(monitor: str) -> Reading:
            return lambda cell, name: said.get((cell, name, monitor))

        return {monitor: of(monitor) for monitor in monitors}

    def _batch(self, settings: Sequence[_Setting], first: int, runs: int) -> list[list[str]]:
        """The results of some runs of each setting."""
        points, variants, _ = self._points(settings)
        of_each = [[Run(point.id, first + n) for n in range(runs)] for point in points]
        results = self.bench.do(
            lambda finished: Batch((run for each in of_each for run in each), finished),
            variants,
            lambda run: run_text(points, *run),
        ).results
        for setting, each in zip(settings, of_each, strict=True):
            for run in each:
                self._note(setting, run)
        return [[results[run] for run in each] for each in of_each]

    def _points(
        self,
        settings: Sequence[_Setting],
        warn: Callable[[str], object] = lambda _line: None,
    ) -> Checked:
        request = self.request
        keys = [
            {**request.network(each.network), **request.composition(each.transport)}
            for each in settings
        ]
        return check_points(request.source, [], keys, warn)

    def _note(self, setting: _Setting, run: Run) -> None:
        self.done.append(
            Done(
                part=setting.part,
                network=setting.network,
                composition=setting.composition,
                run=run,
            )
        )

    def _value(self, result: str) -> float:
        """What a run has of the measure, of the flow that has the candidates alone."""
        read: Json = json.loads(result)
        flow = at(read, "flows", self.request.flow)
        key = self.request.measure.key
        of_flow: Json = {**read, "flows": [flow]} if isinstance(read, dict) else None
        value = run_value(of_flow, key)
        if value is None:
            seed = number(read, "seed")
            raise UnfinishedError(f"a run with seed {seed} has no '{key}': name another measure")
        return value
