"""One scenario, many settings, many seeds: a sweep from what is asked for to its table."""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol, Unpack

from hopwright import _core
from hopwright._io.errors import InputError, StarvationWarning, check_count
from hopwright._io.in_python import in_python
from hopwright._io.keywords import hinting
from hopwright._io.plural import many
from hopwright._io.progress import watched
from hopwright._io.source import Source
from hopwright._io.warn import to_caller
from hopwright._run.execute import LARGEST_SEED
from hopwright._schema.settings import Settings, overrides_of, plain
from hopwright.results.chosen import check_flows
from hopwright.results.metrics import GOODPUT, check_jain
from hopwright.sweeps.axes import Axis, Range, Vary, axes_of, check_axes, name_of
from hopwright.sweeps.design import DRAWN, check_design, settings_of
from hopwright.sweeps.execute import execute
from hopwright.sweeps.features import check_measured, check_names
from hopwright.sweeps.folder import TABLE, check_place, given_files, open_folder
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.outcome import Sweep
from hopwright.sweeps.plan import Plan, Rule, axes_text, same_request
from hopwright.sweeps.points import check_points, run_text
from hopwright.sweeps.run_plan import How, RunPlan, how_words
from hopwright.sweeps.schedule import Run, Schedule
from hopwright.sweeps.table import write_table

LEAST_ADAPTIVE_RUNS = 2
ADAPTIVE_RUNS = 5
MOST_RUNS = 100
"""Runs of a point of an adaptive sweep: the fewest possible, and the least and most by default."""

AGAIN = "with --resume the same run would fail again; begin anew in another folder"
ELSE = "with another first seed (--seed) or without this point (--vary)"
LASTING: tuple[tuple[type[BaseException], str], ...] = (
    (_core.ScenarioError, f"{AGAIN}, with nodes closer together or more range, {ELSE}"),
    (_core.RunError, f"{AGAIN}, {ELSE}"),
)
"""Errors of a run that come whenever it is done, and what helps."""


class HasSource(Protocol):
    """A scenario made in Python."""

    def source(self) -> Source:
        """The scenario as text."""


@in_python
@hinting(also=how_words)
def sweep(  # noqa: PLR0913 - the options of the command
    scenario: str | os.PathLike[str] | Source | HasSource,
    vary: Vary,
    *,
    design: str = "product",
    points: int | None = None,
    runs: int | None = None,
    until: float | None = None,
    of: str = GOODPUT,
    most_runs: int | None = None,
    overrides: Mapping[str, object] | None = None,
    shard: tuple[int, int] | None = None,
    wanted: Sequence[str] = (),
    watch: Callable[[float, int], object] | None = None,
    progress: bool = False,
    **how: Unpack[How],
) -> Sweep:
    """Simulates a scenario at every point of a design, with the same seeds at each.

    All points are checked before the first run. Every run is written down as soon as it is finished
    when `out` is given; whatever stops the sweep, `resume` goes on from there.

    Args:
        scenario: A scenario file, its `Source`, or a scenario made in Python.
        vary: Keys of the scenario by their full names (`topology.hops`), each with a list of values
            or a `Range`. For the designs `random` and `lhs` a tuple of two numbers is a range, too.
            A tuple of keys goes together, as one axis: `{("topology.hops", "flows.to"): [4, 8]}`
            sets both; `{("topology.rows", "topology.columns"): [(2, 3), (3, 3)]}` each to its own.
        design: `product`: all combinations, the last key changing fastest; `zip`: the first values
            of all keys, the second ones, ...; `random`: independent draws; `lhs`: a Latin
            hypercube. Draws are seeded by the scenario's seed.
        points: Number of points of `random` and `lhs`.
        runs: Runs of each point, with seeds `seed`, `seed` + 1, ...; 1 by default. With `until`,
            the fewest: 5 by default, 2 at least.
        until: Runs of a point go on until half of the 95 % interval (Student's t) of the mean of
            `of` is at most this part of the mean, such as 0.02. The number of runs grows by half
            from look to look. Stopping on the data makes intervals slightly too narrow: take them
            from further runs where that matters.
        of: The result that `until` looks at: a column of the table, averaged over flows.
        most_runs: The most runs of a point with `until`; 100 by default.
        overrides: Keys to set at every point.
        shard: `(i, n)`: do only part i of n, counted from 1;
            `hopwright.sweeps.merge.merge` puts the parts together.
        wanted: Results that will be looked at, columns of the table: nothing is begun if no point
            would have one of them.
        watch: Is told finished runs, with parts of those under way, and how many there are to be.
        progress: Whether to show a bar: on a terminal or in a notebook; lines elsewhere.
        how: `seed`, `jobs`, `on`, `wait_workers_s`, `out`, `resume` and `overwrite`: how runs are
            made and where they are kept, see `hopwright.sweeps.run_plan.RunPlan`. `out` gets the
            table (`results.parquet`), the plan and the finished runs.

    Returns:
        The sweep: its table, points and means.

    Warns:
        HopwrightWarning: A parameter has no effect at any point, or no point has a flow.
        StarvationWarning: At some point a flow gets next to nothing beside the others.

    Raises:
        InputError: What is asked for makes no sense; nothing was begun.
        ScenarioError: A key or value is wrong; all wrong points are told, nothing was begun. Or a
            seed makes no network: then the runs finished before are kept.
        RunError: A run failed.
        UnfinishedError: Workers disappeared.
        OSError: The disk is full.
    """
    run_plan = RunPlan.of(**how)
    source = source_of(scenario)
    drawn = check_design(design, points) in DRAWN
    axes = axes_of(vary, listed=not drawn)
    fixed = {key: plain(value) for key, value in (overrides or {}).items()}
    with watched(Path(source.name).stem, watch, progress=progress) as tell:
        found = sweep_axes(
            source,
            axes,
            overrides=overrides_of(fixed),
            design=design,
            points=points,
            rule=rule_of(runs, until, of, most_runs),
            how=run_plan,
            shard=shard,
            wanted=wanted,
            watch=tell,
            warn=to_caller,
        )
    for line in found.starved():
        to_caller(line, StarvationWarning)
    return found


def sweep_axes(  # noqa: PLR0913 - the options of the command
    source: Source,
    axes: list[Axis],
    *,
    overrides: Sequence[tuple[str, str]],
    rule: Rule,
    how: RunPlan,
    design: str = "product",
    points: int | None = None,
    shard: tuple[int, int] | None = None,
    wanted: Sequence[str] = (),
    flows: Sequence[int] | None = None,
    watch: Callable[[float, int], object],
    warn: Callable[[str], object],
) -> Sweep:
    """As `sweep`, for axes that are read already and overrides as TOML.

    `flows`, like `wanted`, will be looked at: nothing is begun if no point has one of them. `warn`
    is told parameters of transports that no point makes use of, and what is amiss with the
    runs that are there.
    """
    how.check()
    overrides, out = how.overrides(overrides), how.out
    _check_request(axes, overrides, design=design, shard=shard, out=out)
    wanted = [key for key in (rule.of, *wanted) if key != GOODPUT]
    if wanted:
        check_names(wanted)
    stored = None if out is None else check_place(out, resume=how.resume, overwrite=how.overwrite)
    base = source.load(overrides)
    if base.seed + rule.most_runs - 1 > LARGEST_SEED:
        raise InputError(
            f"{many(rule.most_runs, 'run')}: the last seed would exceed {LARGEST_SEED}"
        )
    settings = _settings(axes, design, points, base.seed, stored)
    checked, variants, most_flows = check_points(source, overrides, settings, warn)
    check_flows(flows, most_flows)
    check_jain(wanted, most_flows)
    if wanted:
        check_measured(wanted, (variant.text for variant in variants.values()))
    plan = Plan(
        version=_core.version(),
        build=_core.build(),
        name=base.name,
        base=base.to_toml(),
        seed=base.seed,
        axes=axes_text(axes),
        design=design,
        count=points,
        points=tuple(checked),
        rule=rule,
        shard=shard,
    )

    def describe(run: Run) -> str:
        return run_text(plan.points, *run)

    with ExitStack() as stack:
        backend = how.backend()
        stack.callback(backend.close)
        if out is None:
            journal = None
            keep: Callable[[Run, str], object] = _nobody
            schedule = Schedule(plan, {})
        else:
            journal, finished = open_folder(out, plan, given_files(base), overwrite=how.overwrite)
            stack.callback(journal.close)
            _tell(journal, warn)
            keep = journal.append
            schedule = Schedule(plan, finished)
        vary = {name_of(axis.keys): axis.values for axis in axes}
        swept = Sweep(checked, vary, out, plan=plan, schedule=schedule)
        try:
            execute(schedule, variants, backend, keep=keep, watch=watch, describe=describe)
            if out is not None:
                write_table(swept.table, out / TABLE, plan)
        except BaseException as error:
            error.add_note(_leave(swept, journal, error))
            raise
    return swept


def rule_of(runs: int | None, until: float | None, of: str, most_runs: int | None) -> Rule:
    """How many runs each point gets. Raises `InputError` for numbers that make no sense."""
    for name, count in (("runs", runs), ("most_runs", most_runs)):
        if count is not None:
            check_count(name, count)
    if until is None:
        if most_runs is not None:
            raise InputError("the largest number of runs of a point needs --until")
        runs = 1 if runs is None else runs
        return Rule(runs, None, of, runs)
    if not 0 < until < 1:
        raise InputError(f"until: {until:g} is not between 0 and 1 (0 % and 100 %)")
    least = ADAPTIVE_RUNS if runs is None else runs
    most = max(MOST_RUNS, least) if most_runs is None else most_runs
    if least < LEAST_ADAPTIVE_RUNS:
        raise InputError(f"runs: an interval needs {LEAST_ADAPTIVE_RUNS} runs at least")
    if most < least:
        raise InputError(f"at most {most} runs of a point are fewer than {least}, the least")
    return Rule(least, until, of, most)


def check_variants(
    source: Source, axes: Sequence[Axis], overrides: Sequence[tuple[str, str]]
) -> None:
    """Raises `ScenarioError` or `InputError` if a point of all combinations is wrong."""
    _check_request(axes, overrides, design="product", shard=None, out=None)
    check_points(source, overrides, settings_of(axes, "product", None, 0))


def source_of(scenario: str | os.PathLike[str] | Source | HasSource) -> Source:
    """The text of a scenario. Raises `InputError` if its file cannot be read."""
    if isinstance(scenario, Source):
        return scenario
    if isinstance(scenario, (str, os.PathLike)):
        return Source.read(scenario)
    if hasattr(scenario, "source"):
        return scenario.source()
    raise TypeError(
        f"{type(scenario).__name__}: name the scenario's file instead; a loaded scenario has its "
        "defaults filled in, which are not those of its variants"
    )


def _check_request(
    axes: Sequence[Axis],
    overrides: Sequence[tuple[str, str]],
    *,
    design: str,
    shard: tuple[int, int] | None,
    out: Path | None,
) -> None:
    if not axes:
        raise InputError("name at least one key to vary")
    check_axes(axes, [key for key, _ in overrides], may_repeat=design == "zip")
    if shard is not None:
        if not 1 <= shard[0] <= shard[1]:
            raise InputError(f"shard {shard[0]}/{shard[1]}: write i/n with i from 1 to n")
        if out is None:
            raise InputError("a shard needs a folder: its runs are put together from there")


def _settings(
    axes: Sequence[Axis], design: str, count: int | None, seed: int, stored: Plan | None
) -> list[Settings]:
    """The points' settings: drawn, or those that the sweep in the folder has drawn.

    Another version of a library may draw others, so those of the plan count.
    """
    if stored is not None and same_request(stored, axes_text(axes), design, count, seed):
        return [point.settings for point in stored.points]
    return settings_of(axes, check_design(design, count), count, seed)


def _leave(swept: Sweep, journal: Journal | None, error: BaseException) -> str:
    """Leaves an unfinished sweep's folder as good as can be; says what is there and what next."""
    done, total, folder = swept.schedule.done, swept.schedule.total, swept.folder
    advice = next((told for kind, told in LASTING if isinstance(error, kind)), None)
    if folder is None or journal is None:
        left = f"{done} of {many(total, 'run was', 'runs were')} finished; nothing was written"
    else:
        # What counts is what --resume will find: an interrupt may have come between a run's line in
        # the journal and its note in the schedule.
        with contextlib.suppress(OSError):
            swept = replace(swept, schedule=Schedule(swept.plan, journal.read()))
            done, total = swept.schedule.done, swept.schedule.total
        left = f"{done} of {many(total, 'run is', 'runs are')} kept in {folder}"
        if advice is None:
            left += "; go on with --resume"
        with contextlib.suppress(OSError):
            write_table(swept.table, folder / TABLE, swept.plan)
            left += f", {TABLE} has them so far" if done else ""
    return left if advice is None else f"{left}\n{advice}"


def _tell(journal: Journal, warn: Callable[[str], object]) -> None:
    """Says what is amiss with the runs that were there, also where nobody listens to the rest."""
    for line in journal.notes:
        if warn is _nobody:
            to_caller(line)
        else:
            warn(line)


def _nobody(*_told: object) -> None:
    """Nobody watches, or keeps."""


__all__ = ["HasSource", "Range", "sweep"]
