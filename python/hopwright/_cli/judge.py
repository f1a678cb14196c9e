"""`hopwright judge`: the words of the command."""

import argparse
import sys
from typing import TYPE_CHECKING

from hopwright._cli.run_plan import (
    add_folder,
    add_seed,
    add_where,
    check_folder_words,
    run_plan_of,
)
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright._io.streams import print_json

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

EXIT_CODES = "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted."
MOST_RUNS = 1_000_000


def add_judge(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    from hopwright.research.judging.cases import (
        BOUND,
        DIFFERENTIATORS,
        IGNORANT,
        PROBABILITIES,
        RESPONSE,
        RUNS,
    )

    parser.description = (
        "Compares loss differentiators with the truth: how often senders are right about the cause "
        "of a loss, which causes they confuse, and what goodput they get, each with an interval. "
        f"{BOUND}, which knows the truth, and {IGNORANT} are always included. Simulates each "
        "scenario with each differentiator, with the same seeds; if one differentiator needs "
        "timestamps, all runs use them. Writes a folder: judgement.txt (the printed text), "
        "judgement.json (every number), judgement.csv, confusion.csv, prices.csv (with --errors), "
        "runs.parquet (one row for each run), runs.jsonl and request.json (for --resume), and a "
        "figure: accuracy.svg, .pdf, .png, with its data in accuracy.csv."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a scenario; settings of this scenario alone follow after commas: "
        "chain.toml,name=string-4,topology.hops=4,flows.to=4",
    )
    parser.option(
        "--differentiators",
        metavar="LIST",
        default=",".join(DIFFERENTIATORS),
        help="differentiators to judge, of the slot diagnosis in `hopwright protocols --slots`; "
        f"{IGNORANT} and {BOUND} are always judged [{', '.join(DIFFERENTIATORS)}]",
    )
    parser.option(
        "--response",
        default=RESPONSE,
        metavar="PART",
        help="how all senders react to a diagnosis: spare does not cut the window if the channel "
        f"lost the segment, welcome reacts differently to each cause [{RESPONSE}]",
    )
    parser.option(
        "--runs",
        type=whole(1, MOST_RUNS),
        default=RUNS,
        metavar="N",
        help="runs of each differentiator in each scenario, with the seeds SEED, SEED+1, ... "
        f"[{RUNS}]",
    )
    add_seed(parser, "first seed, instead of each scenario's")
    add_where(parser)
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key in every scenario; may be given several times",
    )
    parser.option(
        "--errors",
        action="store_true",
        help="also measure the price of each kind of error, with an oracle that is wrong about one "
        "cause at a time",
    )
    parser.option(
        "--error-probabilities",
        metavar="LIST",
        help="with --errors: probabilities with which the oracle is wrong about this cause "
        f"[{','.join(f'{p:g}' for p in PROBABILITIES)}]",
    )
    add_folder(parser, "judgement", usual="results/judgement-TIME; none with --json")
    parser.option(
        "--json",
        action="store_true",
        help="print only the judgement, as JSON; write a folder only with --out",
    )
    parser.set_defaults(do=_do_judge)
    return parser


def _do_judge(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import parse_overrides, printing
    from hopwright._io.out import default_folder
    from hopwright._io.progress import runs_bar
    from hopwright._io.warn import warn
    from hopwright.research.judging.cases import read_case
    from hopwright.research.judging.perform import judge_by
    from hopwright.research.judging.report import text
    from hopwright.sweeps.executors import check_named

    check_folder_words(options)
    check_named(options.on, options.jobs)
    differentiators = _listed("--differentiators", options.differentiators, "veno,spike")
    errors = _probabilities(options)
    overrides = parse_overrides(options.set)
    cases = [read_case(file, overrides) for file in options.files]
    folder = options.out if options.out or options.json else default_folder("judgement")
    with runs_bar("judging") as watch:
        found = judge_by(
            run_plan_of(options, folder),
            cases,
            differentiators,
            response=options.response,
            runs=options.runs,
            errors=errors,
            watch=watch,
            warn=warn,
        )
    if options.json:
        print_json(found.to_json())
        return
    with printing(f"{folder}"):
        sys.stdout.write(text(found))
        print(f"\nresults in {folder}")


def _listed(option: str, words: str, example: str) -> list[str]:
    found = [word.strip() for word in words.split(",")]
    if not all(found):
        raise InputError(f"{option}: a value is missing in '{words}'; write it as {example}")
    return found


def _probabilities(options: argparse.Namespace) -> list[float]:
    from hopwright.research.judging.cases import PROBABILITIES

    if not options.errors:
        if options.error_probabilities is not None:
            raise InputError("--error-probabilities needs --errors")
        return []
    if options.error_probabilities is None:
        return list(PROBABILITIES)
    found: list[float] = []
    for word in _listed("--error-probabilities", options.error_probabilities, "1,0.25"):
        try:
            value = float(word)
        except ValueError:
            value = 0.0
        if not 0 < value <= 1:
            raise InputError(f"--error-probabilities: '{word}' is not above 0 and at most 1")
        if value in found:
            raise InputError(f"--error-probabilities: {value:g} is named twice")
        found.append(value)
    return found
