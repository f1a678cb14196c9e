"""`hopwright compare`: the words of the command, and what they ask for."""

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.chosen import add_flow, add_where_values, chosen_of
from hopwright._cli.compare_output import Found, find_whys, print_found, print_latex
from hopwright._cli.look import add_latex, add_look, check_latex, look_of
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright._cli.arguments import _Parser
    from hopwright._schema.settings import Step
    from hopwright.comparisons.question import Question
    from hopwright.sweeps.outcome import Sweep

EXIT_CODES = "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted."
MOST_RUNS = 1_000_000


def add_compare(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    from hopwright._cli.run_plan import add_folder, add_seed, add_where
    from hopwright.comparisons.perform import RUNS

    parser.description = (
        "Simulates variants of a scenario with the same seeds, and compares them with one variant, "
        "the baseline: for each result it prints the difference, how sure the difference is, and "
        "the test. Writes a folder: comparison.txt (the printed text), comparison.json (every "
        "number), comparison.csv, a figure of the first metric, and the sweep with the runs: "
        "results.parquet, scenario.toml, given.toml, sweep.json, runs.jsonl. A block is one "
        "scenario, or one value of a second varied key: variants are compared within each block, "
        "and the p-values of all blocks are corrected together (Holm). With several scenarios, the "
        "runs of each scenario are in a folder of their own."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a scenario; settings of this scenario alone follow after commas: "
        "chain.toml,name=string-4,topology.hops=4,flows.to=4; with several scenarios, variants are "
        "compared within each",
    )
    parser.option(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=a,b,c",
        help="a key of the scenario and its values, such as flows.transport.protocol=reno,vegas; "
        "KEY,KEY=4,8 sets several keys to the same value; may be given several times",
    )
    parser.option(
        "--baseline",
        metavar="VALUE",
        help="the value of a varied key with which its other values are compared; write KEY=VALUE "
        "if several keys have this value",
    )
    parser.option(
        "--metric",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a result to compare; may be given several times; the first is the primary result "
        "[goodput_bps, retransmissions, rto_count, mean_rtt_s; with several flows also "
        "fairness.worst_goodput_bps, fairness.jain]",
    )
    add_flow(
        parser,
        "only these flows; with several flows, rates and counts are summed, other results averaged "
        "[all]",
    )
    add_where_values(parser, "compare only runs in which KEY has one of these values")
    parser.option(
        "--runs",
        type=whole(1, MOST_RUNS),
        metavar="N",
        help=f"runs of each variant, with the seeds SEED, SEED+1, ...; at least 2 [{RUNS}]",
    )
    add_seed(parser)
    parser.option(
        "--confidence",
        type=_confidence,
        default=0.95,
        metavar="C",
        help="confidence level of the intervals, above 0 and at most 0.9999 [0.95]",
    )
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key in every variant; may be given several times",
    )
    add_where(parser)
    add_folder(
        parser,
        "comparison",
        usual="results/NAME-TIME; none with --json and --latex",
        replaced="sweep or comparison",
    )
    parser.option(
        "--why",
        action="store_true",
        help="say how each flow spent its time in each variant and in the baseline: limited by its "
        "windows or its application, in time-outs, on the air, waiting for the medium; with "
        "--from, the runs are repeated for this",
    )
    parser.option(
        "--from",
        dest="source",
        type=Path,
        metavar="DIR",
        help="compare the measured results of the sweep or comparison in DIR, without new runs; "
        "the answer is written into the folder of --out, or into a new folder inside DIR whose "
        "name says what was asked",
    )
    parser.option("--name", metavar="NAME", help="with --from: name of the new folder inside DIR")
    parser.option(
        "--json",
        action="store_true",
        help="print only the comparison, as JSON; write a folder only with --out",
    )
    add_look(parser)
    add_latex(parser)
    parser.set_defaults(do=_do_compare)
    return parser


def _do_compare(options: argparse.Namespace) -> None:
    if options.baseline is None:
        raise InputError(f"name a baseline{_example(options)}")
    check_latex(options)
    found = _from(options) if options.source else _run(options)
    whys = find_whys(found) if options.why else []
    if options.latex:
        print_latex(found.comparison, whys, options)
    else:
        print_found(found, whys, as_json=options.json)


def _example(options: argparse.Namespace) -> str:
    """`, such as --baseline reno`: the first of the variants, where it can be known."""
    from hopwright._schema.settings import step_text
    from hopwright.comparisons.parts import members
    from hopwright.comparisons.treatment import values_of
    from hopwright.sweeps.axes import parse_axis
    from hopwright.sweeps.folder import read_plan

    if options.source:
        plan = read_plan(next(iter(members(options.source)), options.source))
        steps: Sequence[Step] = next(iter(values_of(plan.points, plan.joint_keys).values()), ())
    elif options.vary:
        steps = parse_axis(options.vary[0], listed=True).steps()
    else:
        return " with --baseline, one of the values of a --vary KEY=a,b,c"
    return "".join(f", such as --baseline {shlex.quote(step_text(step))}" for step in steps[:1])


def _question(options: argparse.Namespace) -> "Question":
    from hopwright.comparisons.question import Question

    where, flows = chosen_of(options)
    return Question(
        baseline=options.baseline,
        metrics=options.metric,
        flows=None if flows is None else tuple(flows),
        where=where,
        confidence=options.confidence,
    )


def _from(options: argparse.Namespace) -> Found:
    from hopwright._io.warn import warn
    from hopwright.comparisons.perform import compare_measured

    given = {
        "FILE": options.files,
        "--vary": options.vary,
        "--set": options.set,
        "--runs": options.runs,
        "--seed": options.seed,
        "--jobs": options.jobs,
        "--on": options.on,
        "--resume": options.resume,
    }
    for name, value in given.items():
        if value not in (None, [], False):
            raise InputError(f"--from makes no runs; omit {name}")
    if options.out is not None and options.name is not None:
        raise InputError("--out and --name: use only one of them")
    is_kept = options.out is not None or options.name is not None
    is_shown = not options.json and not options.latex
    if options.overwrite and not is_shown and not is_kept:
        raise InputError(
            "--from with --json or --latex writes only with --out or --name; omit --overwrite"
        )
    question = _question(options)
    folder = options.out
    if folder is None and (is_kept or is_shown):
        folder = question.place(options.source, options.name)
    found, parts = compare_measured(
        options.source,
        question,
        out=folder,
        overwrite=options.overwrite,
        look=look_of(options),
        warn=warn,
    )
    return Found(found, parts, question, folder, made_runs=False)


def _overrides(options: argparse.Namespace) -> list[tuple[str, str]]:
    """What is the same in all variants."""
    from hopwright._cli.commands import parse_overrides

    overrides = parse_overrides(options.set)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    if options.why:
        overrides.append(("output.flow_time", "true"))
    return overrides


def _run(options: argparse.Namespace) -> Found:
    from hopwright._cli.run_plan import check_folder_words, run_plan_of
    from hopwright._io.out import default_folder
    from hopwright._io.progress import runs_bar
    from hopwright._io.source import Given
    from hopwright._io.warn import warn
    from hopwright.comparisons.measured import PRIMARY
    from hopwright.comparisons.perform import RUNS, compare_runs
    from hopwright.sweeps.axes import parse_axis
    from hopwright.sweeps.perform import rule_of, sweep_axes

    if not options.files:
        raise InputError("name a scenario, or a sweep's folder with --from")
    if not options.vary:
        raise InputError("name at least one key with --vary KEY=a,b,c")
    if options.name is not None:
        raise InputError("--name needs --from; without it, name the folder with --out")
    check_folder_words(options)
    axes = [parse_axis(text, listed=True) for text in options.vary]
    overrides = _overrides(options)
    given = [Given.read(file) for file in options.files]
    scenarios = [(each.source, [*each.settings, *overrides]) for each in given]
    folder = options.out
    if folder is None and not (options.json or options.latex):
        first, fixed = scenarios[0]
        folder = default_folder("comparison" if given[1:] else first.load(fixed).name)
    runs = RUNS if options.runs is None else options.runs
    question = _question(options)

    def run(place: int, folder: Path | None) -> "Sweep":
        source, fixed = scenarios[place]
        with runs_bar(Path(source.name).stem) as watch:
            return sweep_axes(
                source,
                axes,
                overrides=fixed,
                rule=rule_of(runs, None, PRIMARY, None),
                how=run_plan_of(options, folder),
                wanted=options.metric,
                watch=watch,
                warn=warn,
            )

    found, parts = compare_runs(
        run,
        scenarios,
        axes,
        question,
        runs=runs,
        how=run_plan_of(options, folder),
        look=look_of(options),
        warn=warn,
    )
    return Found(found, parts, question, folder, made_runs=True)


def _confidence(text: str) -> float:
    from hopwright.comparisons.question import MOST_CONFIDENCE

    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_CONFIDENCE:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not above 0 and at most {MOST_CONFIDENCE:g}, such as 0.95"
        )
    return value
