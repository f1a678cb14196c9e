"""`hopwright reproduce`: papers' tables and figures beside this program's."""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.run_plan import add_seed, add_where, run_plan_of
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError, UnfinishedError
from hopwright.research.papers import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright._cli.arguments import _Parser
    from hopwright.research.papers.document import Document
    from hopwright.research.papers.hunting.hunt import Hunt
    from hopwright.research.papers.report import Result

WIDTH = 100


def add_reproduce(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Repeats the experiments of papers, and puts three numbers side by side: the printed one, "
        "that of ns-2, and that of this program. Each claim gets a verdict. "
        "scenarios/papers/<ID>.toml describes the experiments; --list and every report print the "
        "rules for verdicts."
    )
    parser.epilog = (
        "Exit codes: 0 everything ran, with any verdicts; 1 a run failed, 2 the input is wrong, "
        "130 interrupted (--resume continues)."
    )
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="the ID of a paper's tables, as --list prints it; the beginning of an ID; a pattern "
        "such as 'pap-5*'; or your own .toml file [all IDs, except those that take long]",
    )
    parser.option(
        "--list", action="store_true", help="print only IDs, titles, claims and rules; run nothing"
    )
    parser.option(
        "--json",
        action="store_true",
        help="print JSON: with --list, an object for each claim, with its latest verdict; with "
        "--hunt, report.json",
    )
    parser.option("--all", action="store_true", help="run all IDs, also those that take long")
    parser.option(
        "--quick", action="store_true", help="make only a few runs, with the readings of the files"
    )
    parser.option(
        "--without-readings",
        action="store_true",
        help="omit the runs of other readings ([[readings]] in the paper's file), which give no "
        "verdicts; --resume without this option makes them later",
    )
    parser.option("--out", type=Path, metavar="DIR", help="folder to write")
    add_seed(parser, "first seed, instead of the files'")
    parser.option(
        "--functions",
        action="store_true",
        help="print the functions that measures in a paper's file may name, and the values of a "
        "run that your own functions can use",
    )
    parser.option(
        "--hunt",
        nargs="*",
        metavar="CLAIM",
        help="search, for one paper, readings under which runs support its claims: choices for the "
        "details that the document leaves open ([[gaps]] in the paper's file). Searches for these "
        "claims [all claims that are not reproduced]. `--hunt ID CLAIM...` works too. Writes the "
        "plan into DIR before the first run",
    )
    parser.option(
        "--runs",
        type=whole(2, 1_000_000),
        metavar="N",
        help="with --hunt: runs of each point on unseen seeds, instead of the number in the file; "
        "training makes no more runs than that",
    )
    parser.option(
        "--most-runs",
        type=whole(2, 1_000_000),
        metavar="N",
        help="add runs for undecided claims that N or fewer runs of each point would decide: the "
        "points that such a claim compares get up to N runs",
    )
    parser.option("--resume", action="store_true", help="continue where an earlier call stopped")
    add_where(parser)
    parser.set_defaults(do=_do_reproduce)
    return parser


def _do_reproduce(options: argparse.Namespace) -> None:
    from hopwright.research.papers.document import read
    from hopwright.research.papers.library import chosen

    if options.functions:
        _do_functions(options)
        return
    if options.hunt is not None:
        _do_hunt(options)
        return
    if options.runs is not None:
        raise InputError(
            "--runs needs --hunt; otherwise the files say how many runs, and --quick makes few"
        )
    if options.quick and options.most_runs is not None:
        raise InputError("--most-runs adds to full runs; omit --quick")
    if options.all and options.ids:
        raise InputError("--all runs every paper; omit the IDs, or --all")
    documents = [read(path) for path in chosen(options.ids)]
    if options.list:
        _do_list(options, documents)
        return
    _do_run(options, documents)


def _do_functions(options: argparse.Namespace) -> None:
    from hopwright.research.papers.functions.page import page

    given = [
        name for name in ("list", "all", "quick", "resume", "json", "out") if getattr(options, name)
    ]
    if options.ids or given or options.hunt is not None:
        raise InputError("--functions prints one list for all papers: omit everything else")
    sys.stdout.write(page())


def _do_run(options: argparse.Namespace, documents: "list[Document]") -> None:
    if options.json:
        raise InputError("--json needs --list or --hunt; the folder of --out has report.json")
    if options.out is None:
        raise InputError("--out is missing: name the folder to write; --list shows the IDs")
    from hopwright.sweeps.executors import check_named

    check_named(options.on, options.jobs)
    if not options.ids and not options.all:
        for document in documents:
            if document.long:
                print(f"left out, because it takes long: {document.id} (name it, or use --all)")
        documents = [document for document in documents if not document.long]
    from hopwright.research.papers.reproduce import Asked, reproduce

    lacking: list[str] = []
    results = reproduce(
        documents,
        run_plan_of(options, options.out),
        Asked(options.quick, options.most_runs, readings=not options.without_readings),
        lack=lacking.append,
    )
    _print_verdicts(results)
    print(f"\nreports in {options.out}")
    if lacking:
        raise UnfinishedError(
            f"{'; '.join(lacking)}. Finished runs are kept in {options.out}: continue with "
            "--resume where this is allowed"
        )


def _do_hunt(options: argparse.Namespace) -> None:
    from hopwright._io.streams import print_json
    from hopwright.research.papers.catalogue import verdicts
    from hopwright.research.papers.document import read
    from hopwright.research.papers.hunting.hunt import hunt
    from hopwright.research.papers.hunting.plan import plan_of
    from hopwright.research.papers.hunting.report import as_json
    from hopwright.research.papers.library import chosen
    from hopwright.results.summary import to_json
    from hopwright.sweeps.executors import check_named

    for name in ("list", "all", "quick", "without_readings", "most_runs"):
        if getattr(options, name):
            word = name.replace("_", "-")
            raise InputError(f"--hunt: omit --{word}; --runs N sets the number of runs")
    # `--hunt ID` reads as well as `ID --hunt`.
    words = [*options.ids, *options.hunt]
    if not words:
        raise InputError("--hunt: which paper? hopwright reproduce --hunt ID --out DIR")
    paths = chosen(words[:1])
    if len(paths) > 1 or len(options.ids) > 1:
        raise InputError("--hunt: one paper at a time")
    if options.out is None:
        raise InputError("--out is missing: name the folder to write")
    check_named(options.on, options.jobs)
    document = read(paths[0])
    known = {name: each.verdict for name, each in verdicts([document]).items()}
    plan = plan_of(document, words[1:], known, seed=options.seed, runs=options.runs)
    found = hunt(plan, run_plan_of(options, options.out))
    if options.json:
        print_json(to_json(as_json(found)))
        return
    _print_hunt(found)
    print(f"\nreport in {options.out}")


def _print_hunt(found: "Hunt") -> None:
    from hopwright.research.papers.catalogue import CLOSEST, REACHED
    from hopwright.research.papers.hunting.gaps import in_words
    from hopwright.research.papers.hunting.hunt import how_far

    plan = found.plan
    print(f"{plan.document.id}, readings hunted")
    for each in found.hunted:
        print(_wrapped(f"{each.verdict:<14}  {each.claim.id}: {each.claim.in_words}", 2))
        if answer := each.answer:
            words = in_words(plan.document.gaps, answer.reading)
            kind = REACHED.get(each.verdict, CLOSEST)
            print(_wrapped(f"{kind}: {words} ({how_far(plan, answer.reading)})", 18))


def _do_list(options: argparse.Namespace, documents: "Sequence[Document]") -> None:
    how_many = ("all", "quick", "without_readings", "most_runs")
    for name in ("out", *how_many, "resume", "jobs", "seed", "on"):
        given = getattr(options, name)
        if given is not None and given is not False:  # 0 is a seed
            word = name.replace("_", "-")
            raise InputError(f"--list runs nothing; omit --{word}")
    if options.json:
        _print_json(documents)
    else:
        _print_list(documents)


def _print_json(documents: "Sequence[Document]") -> None:
    from hopwright._io.streams import print_json
    from hopwright.research.papers.catalogue import hunts, listed, statements, verdicts
    from hopwright.results.summary import to_json

    found = listed(documents, statements(), verdicts(documents), hunts(documents))
    print_json(to_json([*found]))


def _print_list(documents: "Sequence[Document]") -> None:
    for document in documents:
        print(document.id)
        print(_wrapped(f"{document.title} ({document.document}, {document.source})", 2))
        if document.long:
            print("  takes long: runs only if it is named, or with --all")
        if minutes := _real_minutes(document):
            print(_wrapped(f"needs namespaces, and about {minutes:.0f} minutes of real time", 2))
        for claim in document.claims:
            print(_wrapped(f"{claim.id}: {claim.in_words}", 4))
        print()
    print("Rules for verdicts\n")
    sys.stdout.write(RULES)


def _real_minutes(document: "Document") -> float:
    """What its emulations take, all points together."""
    from hopwright.research.papers.emulating import real_time_s
    from hopwright.research.papers.points import source_of

    played = [*document.emulations.values()]
    if not any(each.needs_kernel for each in played):
        return 0.0
    duration_s = source_of(document).load().duration_s
    return real_time_s(played, len(document.points()), document.runs, duration_s) / 60


def _wrapped(text: str, indent: int) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2)
    )


def _print_verdicts(results: "Sequence[Result]") -> None:
    from hopwright.research.papers.report import QUICK

    if any(result.is_quick for result in results):
        print(f"{textwrap.fill(QUICK, WIDTH)}\n")
    for result in results:
        few = f", --quick: {result.quick_words}" if result.is_quick else ""
        print(f"{result.document.id}{few}")
        for each in result.judgements:
            departs = f" [{each.claim.departs}]" if each.claim.departs else ""
            print(
                _wrapped(f"{each.verdict:<14}  {each.claim.id}{departs}: {each.claim.in_words}", 2)
            )
            for text in each.doubts():
                print(_wrapped(text, 18))
            if each.verdict != "reproduced" and each.claim.because:
                print(_wrapped(f"why: {each.claim.because}", 18))
