"""The parts of a sweep, done on several machines, put together."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright._schema.settings import step_of, step_text
from hopwright.sweeps.axes import Values, name_of
from hopwright.sweeps.folder import TABLE, check_place, open_folder, read_given, read_plan
from hopwright.sweeps.journal import JOURNAL, Journal, is_same
from hopwright.sweeps.outcome import Sweep
from hopwright.sweeps.plan import Plan, differences
from hopwright.sweeps.points import run_text
from hopwright.sweeps.schedule import Run, Schedule
from hopwright.sweeps.table import write_table


@in_python
def merge(
    parts: Sequence[Path],
    out: Path,
    *,
    overwrite: bool = False,
    warn: Callable[[str], object] = lambda _line: None,
) -> Sweep:
    """Puts folders of one sweep together into another.

    Runs may be missing, which `Sweep.missing` tells; the sweep in `out` can be gone on with. Runs
    that several parts have done are taken once. `warn` is told of runs without checksums.

    Raises:
        InputError: The folders hold different sweeps, or different results of the same run; or a
            process is still writing one of them; or `out` is not free.
    """
    if not parts:
        raise InputError("name the folders to put together")
    for part in parts:
        if part.exists() and out.exists() and out.samefile(part):
            raise InputError(f"{out}: is one of the parts; name another folder with --out")
    check_place(out, resume=False, overwrite=overwrite, at_once=True)
    plans = [read_plan(part) for part in parts]
    plan = plans[0].whole()
    for part, other in zip(parts[1:], plans[1:], strict=True):
        # Both ways round: each may have asked for more runs than the other.
        found = differences(plan, other.whole()) or differences(other.whole(), plan)
        if found:
            raise InputError(
                f"{part}: holds another sweep than {parts[0]}:\n  " + "\n  ".join(found)
            )
    finished = _finished(parts, plan, warn)
    schedule = Schedule(plan, finished)
    journal, _ = open_folder(out, plan, read_given(parts[0]), overwrite=overwrite)
    with journal:
        for run, result in finished.items():
            journal.append(run, result)
    swept = Sweep(list(plan.points), _vary(plan), out, plan=plan, schedule=schedule)
    write_table(swept.table, out / TABLE, plan)
    return swept


def _finished(parts: Sequence[Path], plan: Plan, warn: Callable[[str], object]) -> dict[Run, str]:
    finished: dict[Run, str] = {}
    origins: dict[Run, Path] = {}
    for part in parts:
        with Journal(part / JOURNAL, write=False) as journal:
            runs = journal.read()
            for line in journal.notes:
                warn(line)
            for run, result in runs.items():
                known = finished.setdefault(run, result)
                if not is_same(known, result):
                    raise InputError(
                        f"{part}: has another result of {run_text(plan.points, *run)} than "
                        f"{origins[run]}; results of one program never differ, so one of them is "
                        "damaged"
                    )
                origins.setdefault(run, part)
    return finished


def _vary(plan: Plan) -> dict[str | tuple[str, ...], Values]:
    """The varied keys with the values that points have, each once."""
    found: dict[str | tuple[str, ...], Values] = {}
    for keys in plan.joint_keys:
        steps = [step_of(point.settings, keys) for point in plan.points]
        each_once = {step_text(step): step for step in steps}
        found[name_of(keys)] = tuple(each_once.values())
    return found
