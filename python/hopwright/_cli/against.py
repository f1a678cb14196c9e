"""`hopwright explain A --against B`: where the time of each flow went, side by side."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.drawn import check_stem, save
from hopwright._io.errors import InputError
from hopwright._io.paths import wrong_kind
from hopwright._io.streams import print_json
from hopwright.results.summary import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright.explain.why import Why

REFUSED = ("bundle", "conversation", "packet", "at", "event", "full")
"""Options of `explain` that are about one run."""


def explain_against(
    options: argparse.Namespace, where: dict[str, list[str]], flows: "Sequence[int] | None"
) -> None:
    """Does what `--against` asks for, of the flows and the variants that were chosen.

    Raises `InputError` for what makes no sense.
    """
    from hopwright._io.warn import warn
    from hopwright.comparisons.parts import members, read_parts, tell_unfinished
    from hopwright.comparisons.question import Question
    from hopwright.comparisons.why import of_parts
    from hopwright.explain.unlike import unlike_folders
    from hopwright.explain.why import why
    from hopwright.explain.why_sides import of_folders
    from hopwright.sweeps.folder import PLAN

    for name in REFUSED:
        if getattr(options, name) not in (None, False):
            raise InputError(f"--{name} is about one run: it cannot be used with --against")
    folder: Path = options.folder
    if not folder.is_dir():
        raise InputError(wrong_kind(folder, "name the folder of a run or a sweep"))
    if (folder / PLAN).is_file() or members(folder):
        if options.seed is not None:
            where["seed"] = [str(options.seed)]
        chosen = None if flows is None else tuple(flows)
        question = Question(baseline=options.against, flows=chosen, where=where)
        parts = read_parts(folder)
        tell_unfinished(parts, warn)
        found = of_parts(parts, question, say)
    else:
        if where:
            raise InputError("--where chooses among the variants of a sweep; a run has no variants")
        baseline = Path(options.against)
        if baseline.is_dir() and baseline.samefile(folder):
            raise InputError(
                f"--against {baseline}: is the same folder as {folder}; name the folder of another "
                "run"
            )
        if (line := unlike_folders(folder, baseline, flows)) is not None:
            warn(line)
        sides = of_folders(folder, baseline, options.seed, say)
        found = [why(sides, flows)]
    if options.latex and options.json:
        raise InputError("--latex and --json: use only one of them")
    show(
        found,
        figure=options.figure,
        overwrite=options.overwrite,
        as_json=options.json,
        as_latex=options.latex,
    )


def show(
    found: "Sequence[Why]",
    *,
    figure: Path | None,
    overwrite: bool = False,
    as_json: bool = False,
    as_latex: bool = False,
) -> None:
    """Prints them, and draws them where `figure` says: of several, the second as `STEM-2`."""
    from hopwright._io.console import standard_output
    from hopwright.explain.why_report import latex, parts

    files: list[str] = []
    if figure is not None:
        from hopwright.figures.figure import bare

        plain = bare(figure)
        more = (plain.with_name(f"{plain.name}-{number}") for number in range(2, len(found) + 1))
        stems = [plain, *more]
        for stem in stems:
            check_stem(stem, "--figure", overwrite=overwrite)
        files = [save(each.figure(), stem) for stem, each in zip(stems, found, strict=True)]
    if as_json or as_latex:
        for line in files:
            say(line)
        if as_json:
            print_json(to_json([each.to_json() for each in found]))
        else:
            sys.stdout.write(latex(found))
        return
    console = standard_output()
    for number, each in enumerate(found):
        if number:
            console.print()
        for part in parts(each):
            console.print(part)
    for line in files:
        print(line)


def say(line: str) -> None:
    """Tells what is done, where it is in the way of no result."""
    print(line, file=sys.stderr)
