"""Runs papers' files and writes what came out."""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.data import Json, Object, at, json_of
from hopwright._io.errors import InputError
from hopwright._io.extras import extra
from hopwright._io.files import read_bytes
from hopwright._io.in_python import in_python
from hopwright._io.out import write_whole
from hopwright._io.paths import no_place
from hopwright._io.progress import part_watched
from hopwright._io.warn import warn
from hopwright._run.workers import Workers
from hopwright.emulation.sandbox.needs import LackingError
from hopwright.research.papers import RULES, calling
from hopwright.research.papers.ahead import Ahead
from hopwright.research.papers.deciding import Longer, decide
from hopwright.research.papers.document import DURATION, Document
from hopwright.research.papers.drawing import RUN_ANEW, draw
from hopwright.research.papers.emulating import Wanted
from hopwright.research.papers.fields import Value
from hopwright.research.papers.measured import Effort, Measured, emulations_of, measure
from hopwright.research.papers.points import check_points
from hopwright.research.papers.recipes import Drawing
from hopwright.research.papers.report import Result, as_json, as_markdown, overall, reading_title
from hopwright.research.papers.totals import NoNumberError
from hopwright.results.summary import to_json
from hopwright.sweeps.folder import OtherSweepError
from hopwright.sweeps.run_plan import RunPlan

if TYPE_CHECKING:
    from concurrent.futures import Future

MARK = "reproduce.json"
"""Says that a folder is of this command, and how much was run."""

RUNS = "runs"
"""The folder of a paper's sweeps, in the paper's own."""


@in_python
def reproduce(
    documents: Sequence[Document],
    how: RunPlan,
    asked: "Asked | None" = None,
    *,
    lack: Callable[[str], object] | None = None,
    progress: bool = False,
) -> list[Result]:
    """Runs papers' files and writes their reports.

    A folder for each: `report.md`, `report.json`, `results.parquet` (a row a run), the figures
    with their data, and `runs/`, the sweeps. Beside them `report.md` and `report.json` over all.

    Args:
        documents: What `hopwright.research.papers.document.read` gave.
        how: How runs are made; what is read of a run's series is made here. The folder is a new or
            empty one; with `resume`, an earlier one with the same seed and number of runs.
        asked: Which runs and how many; by default all that the files say.
        lack: Is told of papers that this machine or user lacks something for; what could be done of
            them is kept, and has no report. Without it, that raises `LackingError`.
        progress: Whether to show how far it is in a notebook, and in lines where there is neither
            notebook nor terminal. A terminal always has a bar.

    Raises:
        InputError: The folder is somebody else's, or has runs of papers that are not named, or a
            file asks for what there is not.
    """
    how.check()
    if how.overwrite:
        raise InputError("overwrite: runs of papers are never replaced; name another folder")
    out = how.folder
    asked = asked or Asked()
    for each in documents:
        calling.check(each)
        check_points(each, _shorter(each, asked))
    _claim_folder(how, [each.id for each in documents], asked)
    seeded = [each if how.seed is None else replace(each, seed=how.seed) for each in documents]
    # The report of one file is written while the next is run; a file alone has nothing beside it.
    begun: dict[str, Future[Result]] = {}
    found: dict[str, Result] = {}
    try:
        with Ahead() as ahead, Workers(how.cores) as workers, Workers(1) as here:
            beside = workers if len(documents) > 1 else here
            for document in filter(_is_in_real_time, seeded):
                ahead.begin(document.id, _emulations(document, how, asked), how.cores)
            for document in sorted(seeded, key=_is_in_real_time):
                ready = partial(ahead.wait_for, document.id)
                try:
                    own = how.within(document.id)
                    task = _Task(document, own, asked, workers, progress)
                    begun[document.id] = beside.submit(_report, _reproduce(task, ready))
                except LackingError as error:
                    if lack is None:
                        raise
                    lack(f"{document.id}: {error}")
            found = {name: each.result() for name, each in begun.items()}
    except BaseException as error:
        if _is_bare(out):
            (out / MARK).unlink()
            out.rmdir()
        # Between two sweeps, which say it themselves; what refuses to go on does not go on later.
        elif not isinstance(error, OtherSweepError) and not getattr(error, "__notes__", None):
            error.add_note(f"the finished runs are kept in {out}; continue with --resume")
        raise
    results = [found[each.id] for each in documents if each.id in found]
    write_whole(out / "report.md", overall(results, RULES).encode())
    reports: Object = {
        "quick": asked.quick,
        "seed": how.seed,
        "rules": RULES,
        "reports": [as_json(each) for each in results],
    }
    write_whole(out / "report.json", to_json(reports).encode())
    return results


@dataclass(frozen=True)
class Asked:
    """Which runs, and how many."""

    quick: bool = False
    """Whether it is the files' few runs instead of all."""
    most_runs: int | None = None
    """Goes on with claims that are undecided and that so many runs of each point would decide, see
    `hopwright.research.papers.deciding`; None: with none."""
    readings: bool = True
    """Whether other readings than the files' own are run, too; quick runs are of none of them."""


def _claim_folder(how: RunPlan, ids: Sequence[str], asked: Asked) -> None:
    """Makes the folder this command's own. Raises `InputError` where it cannot."""
    out = how.folder
    mark, wanted = out / MARK, (asked.quick, how.seed)
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            if not mark.is_file():
                raise InputError(f"{out}: has other files in it; name another folder with --out")
            if not how.resume:
                raise InputError(f"{out}: has results already; add --resume or name another folder")
            begun = _marked(json_of(read_bytes(mark)))
            if begun != wanted:
                raise InputError(
                    f"{out}: was begun {_otherwise(begun, wanted)}; use the same options, or name "
                    "another folder"
                )
            others = sorted(each.parent.name for each in out.glob(f"*/{RUNS}"))
            if missing := [name for name in others if name not in ids]:
                raise InputError(
                    f"{out}: also holds {', '.join(missing)}, which would be missing from the new "
                    "report; name these papers, too, or another folder"
                )
        out.mkdir(parents=True, exist_ok=True)
        write_whole(mark, to_json({"quick": asked.quick, "seed": how.seed}).encode())
    except ValueError as error:
        raise InputError(f"{mark}: is damaged ({error}); name another folder with --out") from error
    except OSError as error:
        raise no_place(out, error) from error


def _is_bare(out: Path) -> bool:
    """Whether nothing came into the folder but its mark."""
    return [each.name for each in out.iterdir()] == [MARK]


def _marked(mark: Json) -> tuple[bool, int | None]:
    """Quick or not, and the seed, as a folder's mark says; a mark of old has no seed."""
    seed = mark.get("seed") if isinstance(mark, dict) else None
    return at(mark, "quick") is True, seed if isinstance(seed, int) else None


def _otherwise(begun: tuple[bool, int | None], wanted: tuple[bool, int | None]) -> str:
    """The options of what was begun, as far as others are wanted."""
    (was_quick, its_seed), (quick, seed) = begun, wanted
    words = []
    if was_quick != quick:
        words.append("with --quick" if was_quick else "without --quick")
    if its_seed != seed:
        words.append("without --seed" if its_seed is None else f"with --seed {its_seed}")
    return " and ".join(words)


def _is_in_real_time(document: Document) -> bool:
    return any(each.needs_kernel for each in document.emulations.values())


def _emulations(document: Document, how: RunPlan, asked: Asked) -> Callable[[], list[Wanted]]:
    """Those of the file's own reading."""
    effort = Effort(_runs(document, asked), _first(how.within(document.id)), lambda _part: None)
    return partial(emulations_of, document, _shorter(document, asked), effort)


def _shorter(document: Document, asked: Asked) -> dict[str, Value]:
    """What makes runs of the file's own reading short, if they are to be."""
    lasts = document.quick_duration_s if asked.quick else None
    return {} if lasts is None else {DURATION: lasts}


def _runs(document: Document, asked: Asked) -> int:
    """Of the file's own reading, how many of each point."""
    return min(document.runs, document.quick_runs) if asked.quick else document.runs


def _first(how: RunPlan) -> RunPlan:
    """Where the file's own reading is run, in the paper's folder."""
    return how.within(RUNS, "0")


@dataclass(frozen=True)
class _Task:
    """A file to be reproduced."""

    document: Document
    how: RunPlan
    """Its folder is the file's own."""
    asked: Asked
    workers: Workers
    progress: bool

    def watched(self, what: str) -> AbstractContextManager[Callable[[float], object]]:
        """Shows how far this part is."""
        return part_watched(f"{self.document.id}, {what}", progress=self.progress)

    def effort(self, runs: int, how: RunPlan, watch: Callable[[float], object]) -> Effort:
        """So many runs of each point, in the folder of `how`."""
        return Effort(runs, how, watch, self.workers)


def _reproduce(task: _Task, ready: Callable[[], None]) -> "_Run":
    """`ready` returns when emulations are made, as far as they are made ahead."""
    document, asked, runs_how = task.document, task.asked, task.how.within(RUNS)
    with task.watched(reading_title(None)) as watch:
        ready()
        effort = task.effort(_runs(document, asked), _first(task.how), watch)
        primary = measure(document, _shorter(document, asked), effort)
    readings = {}
    others = document.readings if asked.readings and not asked.quick else ()
    for number, reading in enumerate(others, start=1):
        with task.watched(reading_title(reading)) as watch:
            effort = task.effort(document.reading_runs, runs_how.within(str(number)), watch)
            readings[reading.id] = measure(document, reading.keys, effort, reading.cells)
    result = Result(document, asked.quick, primary, readings, ())
    if (most := asked.most_runs) is not None:
        result = replace(result, longer=_decided(task, result, most))
    return _Run(result, task.how.folder)


@dataclass(frozen=True)
class _Run:
    """A file that was run, and the folder for what is told of it."""

    result: Result
    """Without figures."""
    folder: Path


def _report(run: _Run) -> Result:
    """Judges the claims, draws the figures and writes the report."""
    folder, document, measured = run.folder, run.result.document, run.result.primary
    folder.mkdir(exist_ok=True)  # a file of numbers from series alone has no sweep that made it
    names = []
    for drawing in document.drawings:
        with extra(f"{folder / drawing.id}", warn):
            draw(document, _titled(drawing, run.result), measured).save(folder / drawing.id)
            names.append(drawing.id)
    result = replace(run.result, figures=names)
    parts = {reading_title(None): measured, **result.readings}
    write_results(folder / "results.parquet", document, parts)
    write_whole(folder / "report.md", as_markdown(result).encode())
    write_whole(folder / "report.json", to_json(as_json(result)).encode())
    return result


def _titled(drawing: Drawing, result: Result) -> Drawing:
    """With a title that says so if it shows quick runs: its own may tell of longer ones."""
    if not result.is_quick or drawing.kind in RUN_ANEW:
        return drawing
    return replace(drawing, title=f"{drawing.title} (--quick: {result.quick_words})")


def _decided(task: _Task, result: Result, most: int) -> dict[str, Longer]:
    """Claims that were undecided, from up to so many runs."""
    document, how = task.document, task.how.within(RUNS, f"most-{most}")
    with task.watched("claims undecided") as watch:

        def effort(first: int, count: int) -> Effort:
            return task.effort(count, how.within(str(first)), watch)

        try:
            return decide(document, result.primary, result.of_the_files_runs, most, effort)
        except NoNumberError as error:
            warn(f"{document.id}: no claim was judged from more runs: {error}")
            return {}


def write_results(path: Path, document: Document, parts: Mapping[str, Measured]) -> None:
    """A row a run: reading, labels of the point, seed, measures."""
    from arro3.core import Array, DataType, Table
    from arro3.io import write_parquet

    rows = [
        (name, labels, place, seed, numbers)
        for name, measured in parts.items()
        for labels, numbers in measured.values.items()
        for place, seed in enumerate(measured.seeds)
    ]
    columns = {"reading": Array([row[0] for row in rows], type=DataType.utf8())}
    for position, axis in enumerate(document.axes):
        columns[axis.name] = Array([row[1][position] for row in rows], type=DataType.utf8())
    columns["seed"] = Array([row[3] for row in rows], type=DataType.int64())
    for name in document.measures:
        values = [row[4][name][row[2]] if name in row[4] else None for row in rows]
        columns[name] = Array(values, type=DataType.float64())
    buffer = io.BytesIO()  # in memory first: the library panics where a file cannot be written
    write_parquet(Table.from_arrays(list(columns.values()), names=list(columns)), buffer)
    write_whole(path, buffer.getvalue())
