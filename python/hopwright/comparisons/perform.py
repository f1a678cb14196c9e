"""Variants of a scenario compared with one of them: from what is asked for to what it shows."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError, UnfinishedError, check_count
from hopwright._io.in_python import in_python
from hopwright._io.keywords import hinting
from hopwright.comparisons.question import CONFIDENCE, Question

if TYPE_CHECKING:
    from typing import Unpack

    from hopwright._io.extras import Warn
    from hopwright._io.source import Source
    from hopwright.comparisons.outcome import Comparison
    from hopwright.comparisons.parts import Part
    from hopwright.figures.look import Look
    from hopwright.results.chosen import Flows, Wanted
    from hopwright.sweeps import Sweep
    from hopwright.sweeps.axes import Axis, Vary
    from hopwright.sweeps.perform import HasSource
    from hopwright.sweeps.run_plan import How, RunPlan

    Scenario = str | os.PathLike[str] | Source | HasSource

RUNS = 10
"""Runs of each variant, if nothing else is asked for."""

LEAST_RUNS = 2
"""An interval needs two."""

Fixed = Sequence[tuple[str, str]]
"""Keys that are set in all variants of a scenario."""


def _how_words() -> Iterable[str]:
    from hopwright.sweeps.run_plan import how_words

    return how_words()


@in_python
@hinting(also=_how_words)
def compare(  # noqa: PLR0913 - the options of the command
    scenario: "Scenario | list[Scenario]",
    vary: "Vary",
    *,
    baseline: object,
    metrics: Sequence[str] = (),
    runs: int = RUNS,
    flow: "Flows" = None,
    where: "Wanted | None" = None,
    confidence: float = CONFIDENCE,
    overrides: Mapping[str, object] | None = None,
    watch: Callable[[float, int], object] | None = None,
    progress: bool = False,
    **how: "Unpack[How]",
) -> "Comparison":
    """Simulates variants of a scenario with the same seeds and compares them with one of them.

    Variant and baseline are compared run by run: runs of the same seed share their random numbers.
    Keys besides the treatment make blocks, and so do several scenarios: the comparison is made in
    each by itself, and the p-values of a metric are corrected together.

    Args:
        scenario: A scenario file, its `Source`, or a scenario made in Python; or a list of them,
            each with another name.
        vary: Keys of the scenario by their full names, each with a list of values; keys that go
            together as a tuple, see `sweep`.
        baseline: The value that the others of its key are compared with; or `"KEY=VALUE"`, where
            several keys have that value.
        metrics: Columns of the results' table, the primary one first, or a single one; by default
            goodput, segments sent again, time-outs and the mean round-trip time; of several flows
            also the goodput of the worst one, and Jain's index. Of several flows, counts and rates
            are summed, other values averaged.
        runs: Runs of each variant, at least 2.
        flow: Look at these flows alone, counted from 0: a number or a list.
        where: Compare only runs whose columns have these values; of a column, a value or a list.
        confidence: Of the intervals, between 0 and 1; a corrected p-value below one minus it counts
            as a difference.
        overrides: Keys to set in every variant.
        watch: Is told finished runs, with parts of those under way, and how many there are to be:
            of one scenario after the other.
        progress: Whether to show a bar: on a terminal or in a notebook; lines elsewhere.
        how: `seed`, `jobs`, `on`, `wait_workers_s`, `out`, `resume` and `overwrite`, as in `sweep`.
            With several scenarios the runs of each are in a folder of their own inside of `out`.

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
    from hopwright._schema.settings import overrides_of, plain
    from hopwright.sweeps import sweep
    from hopwright.sweeps.axes import axes_of
    from hopwright.sweeps.perform import source_of
    from hopwright.sweeps.run_plan import RunPlan

    question = Question.of(baseline, metrics=metrics, flow=flow, where=where, confidence=confidence)
    listed = scenario if isinstance(scenario, list) else [scenario]
    sources = [source_of(each) for each in listed]
    fixed = overrides_of({key: plain(value) for key, value in (overrides or {}).items()})
    if how.get("seed") is not None:
        fixed.append(("seed", str(how["seed"])))

    def run(place: int, folder: Path | None) -> "Sweep":
        own: How = {**how, "out": folder}
        return sweep(
            sources[place],
            vary,
            runs=runs,
            overrides=overrides,
            wanted=question.metrics,
            watch=watch,
            progress=progress,
            **own,
        )

    return compare_runs(
        run,
        [(source, fixed) for source in sources],
        axes_of(vary, listed=True),
        question,
        runs=runs,
        how=RunPlan.of(**how),
        warn=to_caller,
    )[0]


def compare_runs(
    run: "Callable[[int, Path | None], Sweep]",
    scenarios: "Sequence[tuple[Source, Fixed]]",
    axes: "Sequence[Axis]",
    question: Question,
    *,
    runs: int,
    how: "RunPlan",
    look: "Look | None" = None,
    warn: "Warn",
) -> "tuple[Comparison, list[Part]]":
    """Compares what `run` measures of each scenario; returns as well what it is made of.

    What makes no sense is said before anything runs. `run` is told the scenario's place in the
    list, and its folder; `warn`, if the figure is missing.
    """
    from hopwright.comparisons.compared import compared
    from hopwright.comparisons.feasible import check_before
    from hopwright.comparisons.folder import write
    from hopwright.comparisons.names import checked_names
    from hopwright.comparisons.parts import Part
    from hopwright.comparisons.treatment import treatment_of
    from hopwright.sweeps.axes import check_axes

    check_axes(axes)
    check_count("runs", runs)
    if runs < LEAST_RUNS:
        raise InputError(
            f"runs: {runs} is not enough: a difference could not be told from chance; it needs at "
            f"least {LEAST_RUNS} runs"
        )
    steps = {axis.name: axis.steps() for axis in axes}
    treatment = treatment_of(steps, question.baseline)
    if look is not None:
        look.check_series_colours()
        names = [source.load(fixed).name for source, fixed in scenarios]
        look = checked_names(look, steps, question.metrics, names)
    check_before(scenarios, axes, question, treatment, runs)
    folders = _folders(scenarios, axes, how)
    out, parts = how.out, []
    for place, folder in enumerate(folders):
        swept = run(place, folder)
        parts.append(Part(swept.plan, swept.table, swept.folder, scenarios[place]))
    with keeping(parts, out):
        try:
            found = compared(parts, question, out)
        except InputError as error:
            # Nobody could know before the runs, and they are kept: so this is no wrong input.
            unfinished = UnfinishedError(str(error))
            unfinished.add_note(_left(parts, out))
            raise unfinished from error
        if out is not None:
            write(out, found, warn, look)
    return found, parts


@contextlib.contextmanager
def keeping(parts: "Sequence[Part]", out: Path | None) -> Iterator[None]:
    """Does something with finished runs; whatever stops it, the error says what is left of them."""
    try:
        yield
    except (InputError, UnfinishedError):
        raise
    except BaseException as error:
        runs = sum(part.runs for part in parts)
        if out is None:
            error.add_note(f"{runs} of {runs} runs were finished; nothing was written")
        else:
            error.add_note(f"{runs} of {runs} runs are kept in {out}; go on with --resume")
        raise


def _folders(
    scenarios: "Sequence[tuple[Source, Fixed]]",
    axes: "Sequence[Axis]",
    how: "RunPlan",
) -> list[Path | None]:
    """Where the runs of each scenario go. Raises `InputError` for what can be known before them."""
    from hopwright.comparisons.parts import check_members, member_folders
    from hopwright.sweeps.folder import forget_comparisons
    from hopwright.sweeps.perform import check_variants

    if len(scenarios) == 1:
        return [how.out]
    # Of one scenario the sweep checks all of this itself, before its first run.
    for source, fixed in scenarios:
        check_variants(source, axes, fixed)
    if how.out is None:
        return [None] * len(scenarios)
    names = [source.load(fixed).name for source, fixed in scenarios]
    folders = member_folders(how.out, names)
    check_members(how.out, folders, resume=how.resume, overwrite=how.overwrite)
    if how.overwrite and how.out.is_dir():
        forget_comparisons(how.out)
    return [*folders]


@in_python
def compare_sweep(  # noqa: PLR0913 - the options of the command
    folder: str | os.PathLike[str],
    *,
    baseline: object,
    metrics: Sequence[str] = (),
    flow: "Flows" = None,
    where: "Wanted | None" = None,
    confidence: float = CONFIDENCE,
    keep: bool = False,
    name: str | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> "Comparison":
    """Compares what a sweep has measured already, without running anything.

    Where variants share seeds they are compared in pairs. Where they do not, they are compared as
    independent samples, and the sentences say so.

    Args:
        folder: The folder of a sweep, or of a comparison, of several scenarios as well.
        baseline: As in `compare`, and so are the metrics, the flows and the confidence.
        metrics: Columns of the sweep's table.
        flow: Look at these flows alone, counted from 0: a number or a list.
        where: Compare only runs whose columns have these values; of a column, a value or a list.
        confidence: Of the intervals, between 0 and 1.
        keep: Write the answer into the folder, in a folder with a name that says what was asked.
        name: That folder's name instead; what has a name is kept.
        out: Write the answer into this folder instead.
        overwrite: Replace an earlier answer there.

    Warns:
        HopwrightWarning: The sweep was stopped, and runs are missing.
        StarvationWarning: In some variant a flow gets next to nothing beside the others.

    Raises:
        InputError: The folder holds no sweep, or what is asked for makes no sense.
        OSError: The comparison cannot be written.
    """
    from hopwright._io.errors import StarvationWarning
    from hopwright._io.warn import to_caller

    question = Question.of(baseline, metrics=metrics, flow=flow, where=where, confidence=confidence)
    place = Path(folder)
    if out is not None and name is not None:
        raise InputError("out and name: use only one of them")
    if out is not None:
        kept: Path | None = Path(out)
    else:
        kept = question.place(place, name) if keep or name is not None else None
    found, _ = compare_measured(place, question, out=kept, overwrite=overwrite, warn=to_caller)
    for line in found.starved():
        to_caller(line, StarvationWarning)
    return found


def compare_measured(
    place: Path,
    question: Question,
    *,
    out: Path | None,
    overwrite: bool,
    look: "Look | None" = None,
    warn: "Warn",
) -> "tuple[Comparison, list[Part]]":
    """As `compare_sweep`; writes where `out` says.

    Tells `warn` if the figure is missing, or if runs are.
    """
    from hopwright.comparisons.compared import compared
    from hopwright.comparisons.folder import check_place, write
    from hopwright.comparisons.names import checked_names
    from hopwright.comparisons.parts import read_parts, tell_unfinished
    from hopwright.comparisons.treatment import values_of

    parts = read_parts(place)
    tell_unfinished(parts, warn)
    if out is not None:
        check_place(out, overwrite=overwrite)
    if look is not None:
        look.check_series_colours()
        steps = {
            key: of_key
            for part in parts
            for key, of_key in values_of(part.plan.points, part.plan.joint_keys).items()
        }
        look = checked_names(look, steps, question.metrics, [part.name for part in parts])
    found = compared(parts, question, place)
    if out is not None:
        write(out, found, warn, look)
    return found, parts


def _left(parts: "Sequence[Part]", out: Path | None) -> str:
    """What there is of runs that cannot be compared as was asked for, and what next."""
    runs = sum(part.runs for part in parts)
    if out is not None:
        return f"{runs} runs are kept in {out}; compare them with --from {out}"
    return f"{runs} runs were finished; nothing was written"
