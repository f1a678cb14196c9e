"""`hopwright compare`: the words of the command."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright.results.summary import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright._cli.arguments import _Parser
    from hopwright._io.source import Source
    from hopwright._schema.settings import Step
    from hopwright.comparisons.outcome import Comparison
    from hopwright.explain.why import Why
    from hopwright.sweeps.outcome import Sweep

EXIT_CODES = "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted."
MOST_RUNS = 1_000_000


def add_compare(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    from hopwright._cli.run_plan import add_folder, add_seed, add_where
    from hopwright.comparisons.perform import RUNS

    parser.description = (
        "Simulates variants of a scenario with the same seeds and compares them with one of them, "
        "the baseline: each result's difference, how sure that is, by which test, in plain words. "
        "Writes a folder: comparison.txt (what is printed), comparison.json (every number), "
        "comparison.csv, a figure of the first metric, and the sweep that it is made of: "
        "results.parquet, scenario.toml, sweep.json, runs.jsonl. Keys besides the baseline's are "
        "blocks: the comparison is made in each, and the p-values are corrected together (Holm)."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the scenario")
    parser.option(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=a,b,c",
        help="a key of the scenario and its values, such as flows.transport.protocol=reno,vegas; "
        "KEY,KEY=4,8 sets several keys to the same; may be given several times",
    )
    parser.option(
        "--baseline",
        metavar="VALUE",
        help="the value that the others of its key are compared with; KEY=VALUE where several keys "
        "have it",
    )
    parser.option(
        "--metric",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a result to compare, the first one being the primary; may be given several times "
        "[goodput_bps, retransmissions, rto_count, mean_rtt_s; with several flows also "
        "fairness.worst_goodput_bps, fairness.jain]",
    )
    parser.option(
        "--flow",
        type=whole(0, MOST_RUNS),
        metavar="N",
        help="look at this flow alone [all: rates and counts are summed, the rest averaged]",
    )
    parser.option(
        "--runs",
        type=whole(1, MOST_RUNS),
        metavar="N",
        help=f"runs of each variant, with seeds SEED, SEED+1, ...; at least 2 [{RUNS}]",
    )
    add_seed(parser)
    parser.option(
        "--confidence",
        type=_confidence,
        default=0.95,
        metavar="C",
        help="of the intervals, between 0 and 1 [0.95]",
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
        usual="results/NAME-TIME; none with --json",
        replaced="sweep or comparison",
    )
    parser.option(
        "--why",
        action="store_true",
        help="say where the time of each flow went in each variant, beside the baseline: limited "
        "by its windows or its application, in time-outs, on the air, waiting for the medium; with "
        "--from, runs are made again for that",
    )
    parser.option(
        "--from",
        dest="source",
        type=Path,
        metavar="DIR",
        help="compare what the sweep in DIR has measured, without running anything; the comparison "
        "is written beside its results, or into the folder of --out",
    )
    parser.option(
        "--json",
        action="store_true",
        help="print the comparison as JSON, nothing else; writes a folder only with --out",
    )
    parser.set_defaults(do=_do_compare)
    return parser


def _do_compare(options: argparse.Namespace) -> None:
    if options.baseline is None:
        raise InputError(f"name a baseline{_example(options)}")
    whys: list[Why] = []
    found = _from(options, whys) if options.source else _run(options, whys)
    _print(found, options.out or found.folder, whys, as_json=options.json)


def _example(options: argparse.Namespace) -> str:
    """`, such as --baseline reno`: the first of the variants, where it can be known."""
    from hopwright._schema.settings import step_text
    from hopwright.comparisons.treatment import values_of
    from hopwright.sweeps.axes import parse_axis
    from hopwright.sweeps.folder import read_plan

    if options.source:
        plan = read_plan(options.source)
        steps: Sequence[Step] = next(iter(values_of(plan.points, plan.joint_keys).values()), ())
    elif options.vary:
        steps = parse_axis(options.vary[0], listed=True).steps()
    else:
        return " with --baseline, one of the values of a --vary KEY=a,b,c"
    return "".join(f", such as --baseline {shlex.quote(step_text(step))}" for step in steps[:1])


def _from(options: argparse.Namespace, whys: "list[Why]") -> "Comparison":
    from hopwright._io.warn import warn
    from hopwright.comparisons.perform import compare_measured

    given = {
        "FILE": options.file,
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
            raise InputError(f"--from runs nothing; omit {name}")
    if options.json and options.overwrite and options.out is None:
        raise InputError("--from with --json writes only with --out; omit --overwrite")
    found = compare_measured(
        options.source,
        baseline=options.baseline,
        metrics=options.metric,
        flow=options.flow,
        confidence=options.confidence,
        out=options.out or (None if options.json else options.source),
        overwrite=options.overwrite,
        warn=warn,
    )
    if options.why:
        from hopwright._cli.against import say
        from hopwright.comparisons.why import of_comparison

        treatment = f"{found.key}={found.baseline}"
        whys += of_comparison(options.source, treatment, _flows(options), None, say)
    return found


def _overrides(options: argparse.Namespace) -> list[tuple[str, str]]:
    """What is the same in all variants."""
    from hopwright._cli.commands import parse_overrides

    overrides = parse_overrides(options.set)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    if options.why:
        overrides.append(("output.flow_time", "true"))
    return overrides


def _flows(options: argparse.Namespace) -> list[int] | None:
    return None if options.flow is None else [options.flow]


def _run(options: argparse.Namespace, whys: "list[Why]") -> "Comparison":
    from hopwright._cli.run_plan import check_folder_words, run_plan_of
    from hopwright._io.out import default_folder
    from hopwright._io.progress import runs_bar
    from hopwright._io.source import Source
    from hopwright._io.warn import warn
    from hopwright.comparisons.measured import PRIMARY
    from hopwright.comparisons.perform import RUNS, check_flow, compare_runs
    from hopwright.sweeps.axes import parse_axis
    from hopwright.sweeps.perform import rule_of, sweep_axes

    if options.file is None:
        raise InputError("name a scenario, or a sweep's folder with --from")
    if not options.vary:
        raise InputError("name at least one key with --vary KEY=a,b,c")
    check_folder_words(options)
    axes = [parse_axis(text, listed=True) for text in options.vary]
    overrides = _overrides(options)
    source = Source.read(options.file)
    folder = options.out
    if folder is None and not options.json:
        folder = default_folder(source.load(overrides).name)
    if options.flow is not None:
        check_flow(options.flow, source.load(overrides).flow_count)
    how = run_plan_of(options, folder)
    runs = RUNS if options.runs is None else options.runs

    def run() -> "Sweep":
        with runs_bar(options.file.stem) as watch:
            swept = sweep_axes(
                source,
                axes,
                overrides=overrides,
                rule=rule_of(runs, None, PRIMARY, None),
                how=how,
                wanted=options.metric,
                watch=watch,
                warn=warn,
            )
        kept.append(swept)
        return swept

    kept: list[Sweep] = []
    found = compare_runs(
        run,
        axes,
        baseline=options.baseline,
        metrics=options.metric,
        runs=runs,
        flow=options.flow,
        confidence=options.confidence,
        warn=warn,
    )
    if options.why:
        whys += _why_of(found, kept[0], source, _flows(options))
    return found


def _why_of(
    found: "Comparison", swept: "Sweep", source: "Source", flows: list[int] | None
) -> "list[Why]":
    """Where the time went in what was just compared."""
    from hopwright._cli.against import say
    from hopwright.comparisons.treatment import blocks_of, treatment_of, values_of
    from hopwright.comparisons.why import of_blocks

    plan = swept.plan
    values = values_of(plan.points, plan.joint_keys)
    treatment = treatment_of(values, f"{found.key}={found.baseline}")
    blocks = blocks_of(plan.points, plan.joint_keys, treatment)
    return of_blocks(plan, swept.table, blocks, treatment.baseline, flows, None, source, say)


def _print(
    found: "Comparison", folder: Path | None, whys: "Sequence[Why]", *, as_json: bool
) -> None:
    from hopwright._io.warn import warn

    if as_json:
        for line in found.starved():
            warn(line)
        told = found.to_dict()
        if whys:
            told["why"] = [each.to_json() for each in whys]
        sys.stdout.write(to_json(told))
        return
    from hopwright.comparisons.report import print_comparison

    print_comparison(found)
    if whys:
        from hopwright._cli.against import show

        print()
        show(whys, figure=None, as_json=False)
        _keep(folder, whys)
    print(f"\nresults in {folder}")


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


def _confidence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 1, such as 0.95")
    return value
