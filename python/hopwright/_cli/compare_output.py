"""What `hopwright compare` found, as it is printed and kept."""

import argparse
import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._cli.look import names_of
from hopwright._io.streams import print_json
from hopwright.results.summary import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright.comparisons.outcome import Comparison
    from hopwright.comparisons.parts import Part
    from hopwright.comparisons.question import Question
    from hopwright.explain.why import Why


class Found(NamedTuple):
    """A comparison, what it is made of and what it answers, and where it is kept."""

    comparison: "Comparison"
    parts: "Sequence[Part]"
    question: "Question"
    folder: Path | None
    made_runs: bool
    """Whether the command made the runs; otherwise they are those of `--from`."""


def find_whys(what: Found) -> "list[Why]":
    """Where the time went in what was just compared; kept beside it."""
    from hopwright._cli.against import say
    from hopwright.comparisons.perform import keeping
    from hopwright.comparisons.why import of_parts

    treatment = f"{what.comparison.key}={what.comparison.baseline}"
    with keeping(what.parts, what.folder) if what.made_runs else contextlib.nullcontext():
        whys = of_parts(what.parts, replace(what.question, baseline=treatment), say)
        _keep(what.folder, whys)
    return whys


def print_latex(found: "Comparison", whys: "Sequence[Why]", options: argparse.Namespace) -> None:
    from hopwright._io.warn import warn
    from hopwright.comparisons.report import latex
    from hopwright.explain.why_report import sheets

    for line in found.starved():
        warn(line)
    more = [sheet for each in whys for sheet in sheets(each)]
    # Its names were looked at before the runs.
    sys.stdout.write(latex(found, names_of(options).checked(), more))


def print_found(what: Found, whys: "Sequence[Why]", *, as_json: bool) -> None:
    from hopwright._io.warn import warn

    if as_json:
        for line in what.comparison.starved():
            warn(line)
        told = what.comparison.to_dict()
        if whys:
            told["why"] = [each.to_json() for each in whys]
        print_json(to_json(told))
        return
    from hopwright._cli.commands import printing
    from hopwright.comparisons.report import print_comparison

    with printing(f"{what.folder}"):
        print_comparison(what.comparison)
        if whys:
            from hopwright._cli.against import show

            print()
            show(whys, figure=None)
        print(f"\nresults in {what.folder}")


def _keep(folder: Path | None, whys: "Sequence[Why]") -> None:
    """Puts why, and its figure, beside the comparison."""
    from hopwright._io.extras import extra
    from hopwright._io.out import write_whole
    from hopwright._io.warn import warn
    from hopwright.explain.why_report import text

    if folder is None:
        return
    said = "\n\n".join(map(text, whys)) + "\n"
    write_whole(folder / "comparison-why.txt", said.encode())
    for number, each in enumerate(whys, 1):
        with extra("the figure of where the time went", warn):
            each.figure().save(folder / f"comparison-why{f'-{number}' if number > 1 else ''}")
