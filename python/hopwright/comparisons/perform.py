"""Variants of a scenario compared with one of them: from what is asked for to what it shows."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError, UnfinishedError

if TYPE_CHECKING:
    from typing import Unpack

    from arro3.core import Table

    from hopwright._io.extras import Warn
    from hopwright._io.source import Source
    from hopwright.comparisons.contrast import Contrast, Group
    from hopwright.comparisons.measured import Observations
    from hopwright.comparisons.outcome import Comparison
    from hopwright.comparisons.treatment import Block, Treatment
    from hopwright.figures.look import Look
    from hopwright.results.metrics import Metric
    from hopwright.sweeps import Sweep
    from hopwright.sweeps.axes import Axis, Vary
    from hopwright.sweeps.perform import HasSource
    from hopwright.sweeps.plan import Plan
    from hopwright.sweeps.run_plan import How

RUNS = 10
"""Runs of each variant, if nothing else is asked for."""

LEAST_RUNS = 2
"""An interval needs two."""

CONFIDENCE = 0.95


def compare(  # noqa: PLR0913 - the options of the command
    scenario: "str | os.PathLike[str] | Source | HasSource",
    vary: "Vary",
    *,
    baseline: object,
    metrics: Sequence[str] = (),
    runs: int = RUNS,
    flow: int | None = None,
    confidence: float = CONFIDENCE,
    overrides: Mapping[str, object] | None = None,
    watch: Callable[[float, int], object] | None = None,
    progress: bool = False,
    **how: "Unpack[How]",
) -> "Comparison":
    """Simulates variants of a scenario with the same seeds and compares them with one of them.

    Variant and baseline are compared run by run: runs of the same seed share their random numbers.
    Keys besides the treatment make blocks: the comparison is made in each by itself, and the
    p-values of a metric are corrected together.

    Args:
        scenario: A scenario file, its `Source`, or a scenario made in Python.
        vary: Keys of the scenario by their full names, each with a list of values; keys that go
            together as a tuple, see `sweep`.
        baseline: The value that the others of its key are compared with; or `"KEY=VALUE"`, where
            several keys have that value.
        metrics: Columns of the results' table, the primary one first, or a single one; by default
            goodput, segments sent again, time-outs and the mean round-trip time; of several flows
            also the goodput of the worst one, and Jain's index. Of several flows, counts and rates
            are summed, other values averaged.
        runs: Runs of each variant, at least 2.
        flow: Look at this flow alone, counted from 0.
        confidence: Of the intervals, between 0 and 1; a corrected p-value below one minus it counts
            as a difference.
        overrides: Keys to set in every variant.
        watch: Is told finished runs, with parts of those under way, and how many there are to be.
        progress: Whether to show a bar: on a terminal or in a notebook; lines elsewhere.
        how: `seed`, `jobs`, `on`, `wait_workers_s`, `out`, `resume` and `overwrite`, as in `sweep`.

    Returns:
        The comparison: its sentences, table and numbers.

    Warns:
        HopwrightWarning: A parameter has no effect in any variant.
        StarvationWarning: In some variant a flow gets next to nothing beside the others.

    Raises:
        InputError: What is asked for makes no sense.
        ScenarioError: A key or value is wrong.
        RunError: A run failed.
        UnfinishedError: Workers disappeared; or no run has a result that is to be compared, which
            nobody could know before: the runs are kept.
        OSError: The disk is full.
    """
    from hopwright._io.warn import to_caller
    from hopwright.sweeps import sweep
    from hopwright.sweeps.axes import axes_of

    chosen = (metrics,) if isinstance(metrics, str) else metrics

    def run() -> "Sweep":
        return sweep(
            scenario,
            vary,
            runs=runs,
            overrides=overrides,
            wanted=chosen,
            watch=watch,
            progress=progress,
            **how,
        )

    return compare_runs(
        run,
        axes_of(vary, listed=True),
        baseline=baseline,
        metrics=chosen,
        runs=runs,
        flow=flow,
        confidence=confidence,
        warn=to_caller,
    )


def compare_runs(  # noqa: PLR0913 - as of `compare`
    run: "Callable[[], Sweep]",
    axes: "Sequence[Axis]",
    *,
    baseline: object,
    metrics: Sequence[str],
    runs: int,
    flow: int | None,
    confidence: float,
    look: "Look | None" = None,
    warn: "Warn",
) -> "Comparison":
    """Compares what `run` measures. What makes no sense is said before it is called.

    `warn` is told if the figure is missing.
    """
    from hopwright.comparisons.folder import write
    from hopwright.comparisons.names import checked_names
    from hopwright.comparisons.treatment import treatment_of
    from hopwright.sweeps.axes import check_axes

    check_confidence(confidence)
    check_axes(axes)
    if runs < LEAST_RUNS:
        raise InputError(
            f"runs: {runs} cannot tell a difference from chance; an interval needs {LEAST_RUNS} "
            "at least"
        )
    steps = {axis.name: axis.steps() for axis in axes}
    treatment = treatment_of(steps, baseline)
    if look is not None:
        look = checked_names(look, steps, metrics)
    swept = run()
    try:
        found = _compared(
            swept.plan,
            swept.table,
            treatment,
            metrics=metrics,
            flow=flow,
            confidence=confidence,
            folder=swept.folder,
        )
    except InputError as error:
        # Nobody could know before the runs, and they are kept: so this is no wrong input.
        unfinished = UnfinishedError(str(error))
        unfinished.add_note(_left(swept))
        raise unfinished from error
    if swept.folder is not None:
        write(swept.folder, found, warn, look)
    return found


def compare_sweep(
    folder: str | os.PathLike[str],
    *,
    baseline: object,
    metrics: Sequence[str] = (),
    flow: int | None = None,
    confidence: float = CONFIDENCE,
    keep: bool = False,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> "Comparison":
    """Compares what a sweep has measured already, without running anything.

    Where variants share seeds they are compared in pairs. Where they do not, they are compared as
    independent samples, and the sentences say so.

    Args:
        folder: The sweep's folder.
        baseline: As in `compare`, and so are the metrics, the flow and the confidence.
        metrics: Columns of the sweep's table.
        flow: Look at this flow alone, counted from 0.
        confidence: Of the intervals, between 0 and 1.
        keep: Write the comparison into the folder, beside the sweep's results.
        out: Write it into this folder instead, so that several questions to a sweep keep their
            answers.
        overwrite: Replace an earlier comparison there.

    Warns:
        StarvationWarning: In some variant a flow gets next to nothing beside the others.

    Raises:
        InputError: The folder holds no sweep, or what is asked for makes no sense.
        OSError: The comparison cannot be written.
    """
    from hopwright._io.errors import StarvationWarning
    from hopwright._io.warn import to_caller

    found = compare_measured(
        Path(folder),
        baseline=baseline,
        metrics=(metrics,) if isinstance(metrics, str) else metrics,
        flow=flow,
        confidence=confidence,
        out=Path(out) if out is not None else Path(folder) if keep else None,
        overwrite=overwrite,
        warn=to_caller,
    )
    for line in found.starved():
        to_caller(line, StarvationWarning)
    return found


def compare_measured(  # noqa: PLR0913 - as of `compare_sweep`
    place: Path,
    *,
    baseline: object,
    metrics: Sequence[str],
    flow: int | None,
    confidence: float,
    out: Path | None,
    overwrite: bool,
    look: "Look | None" = None,
    warn: "Warn",
) -> "Comparison":
    """As `compare_sweep`; writes where `out` says, and tells `warn` if the figure is missing."""
    from hopwright.comparisons.folder import check_place, write
    from hopwright.comparisons.names import checked_names
    from hopwright.comparisons.treatment import treatment_of, values_of
    from hopwright.sweeps.folder import TABLE, read_plan

    check_confidence(confidence)
    plan = read_plan(place)
    if out is not None:
        check_place(out, of_sweep=place, overwrite=overwrite)
    steps = values_of(plan.points, plan.joint_keys)
    treatment = treatment_of(steps, baseline)
    if look is not None:
        look = checked_names(look, steps, metrics)
    found = _compared(
        plan,
        _read(place / TABLE),
        treatment,
        metrics=metrics,
        flow=flow,
        confidence=confidence,
        folder=place,
    )
    if out is not None:
        write(out, found, warn, look)
    return found


def _left(swept: "Sweep") -> str:
    """What there is of a sweep that cannot be compared as was asked for, and what next."""
    if swept.folder is None:
        return f"{swept.runs} runs were finished; nothing was written"
    return f"{swept.runs} runs are kept in {swept.folder}; compare them with --from {swept.folder}"


def check_confidence(confidence: float) -> None:
    """Raises `InputError` for a confidence that is none."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence: {confidence:g} is not between 0 and 1, such as 0.95")


def _compared(
    plan: "Plan",
    table: "Table",
    treatment: "Treatment",
    *,
    metrics: Sequence[str],
    flow: int | None,
    confidence: float,
    folder: Path | None,
) -> "Comparison":
    """The comparison of a sweep's results."""
    from hopwright.comparisons.contrast import family, judged
    from hopwright.comparisons.measured import Observations
    from hopwright.comparisons.outcome import Comparison, Starved
    from hopwright.comparisons.treatment import blocks_of

    measured = Observations(table, plan.keys)
    if flow is not None:
        check_flow(flow, measured.flows)
    blocks = blocks_of(plan.points, plan.joint_keys, treatment)
    chosen: list[Metric] = []
    groups: list[Group] = []
    families: dict[str, list[Contrast]] = {}
    for metric in measured.metrics(metrics, flow):
        of_variants: list[Group] = []
        for block in blocks:
            alone, against = _block(block, treatment, measured, metric, flow, confidence)
            of_variants += alone
            families.setdefault(family(metric), []).extend(against)
        chosen.append(metric.fitting(each.mean for each in of_variants))
        groups += of_variants
    found = [each for tested in families.values() for each in judged(tested, confidence)]
    contrasts = [each for metric in chosen for each in found if each.metric == metric.key]
    starved = [
        Starved(block.settings, variant, starving)
        for block in blocks
        for variant, point in block.points.items()
        if (starving := measured.starvation(point))
    ]
    seeds = sorted(
        {
            seed
            for block in blocks
            for point in block.points.values()
            for seed in measured.seeds(point)
        }
    )
    if not seeds:
        raise InputError(f"{folder}: has no finished runs to compare")
    return Comparison(
        scenario=plan.name,
        version=plan.version,
        key=treatment.key,
        baseline=treatment.baseline,
        confidence=confidence,
        seeds=(seeds[0], seeds[-1], len(seeds)),
        flows=measured.flows,
        flow=flow,
        has_udp=measured.has_udp,
        metrics=chosen,
        groups=groups,
        contrasts=contrasts,
        starvation=starved,
        folder=folder,
    )


def _block(
    block: "Block",
    treatment: "Treatment",
    measured: "Observations",
    metric: "Metric",
    flow: int | None,
    confidence: float,
) -> "tuple[list[Group], list[Contrast]]":
    """The variants of a block by one metric: each by itself, and against the baseline."""
    from hopwright.comparisons.contrast import contrast_of, group_of

    values = {
        variant: measured.values(point, metric, flow) for variant, point in block.points.items()
    }
    groups = [
        group_of(
            of_runs,
            metric=metric.key,
            block=block.settings,
            variant=variant,
            confidence=confidence,
        )
        for variant, of_runs in values.items()
    ]
    seeds = {variant: measured.seeds(point) for variant, point in block.points.items()}
    base = treatment.baseline
    contrasts = [
        contrast_of(
            values[variant],
            values[base],
            metric=metric.key,
            block=block.settings,
            key=treatment.key,
            variant=variant,
            baseline=base,
            runs=len(seeds[variant]) + len(seeds[base]),
            share_seeds=bool(set(seeds[variant]) & set(seeds[base])),
            confidence=confidence,
        )
        for variant in values
        if variant != base
    ]
    return groups, contrasts


def check_flow(flow: int, flows: int) -> None:
    """Raises `InputError` if there is no such flow."""
    if not 0 <= flow < flows:
        raise InputError(f"flow {flow}: a run has {flows} flow{'s' * (flows != 1)}, counted from 0")


def _read(file: Path) -> "Table":
    from hopwright._io.parquet import read_table

    if not file.is_file():
        raise InputError(f"{file}: is not there; finish the sweep with --resume")
    return read_table(file)
