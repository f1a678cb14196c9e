"""`hopwright sweep`: the words of the command, and what it prints."""

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.chosen import add_flow, add_where_values, chosen_of
from hopwright._cli.look import add_latex, add_names, check_latex, names_of
from hopwright._cli.run_plan import (
    add_folder,
    add_seed,
    add_where,
    check_folder_words,
    run_plan_of,
)
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright.results.metrics import GOODPUT
from hopwright.sweeps.axes import check_where, parse_axis
from hopwright.sweeps.design import DRAWN, check_design
from hopwright.sweeps.perform import ADAPTIVE_RUNS, MOST_RUNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright._cli.arguments import _Parser
    from hopwright._io.data import Object
    from hopwright._io.names import Names
    from hopwright.sweeps.axes import Axis
    from hopwright.sweeps.outcome import Sweep

EXIT_CODES = (
    "Exit codes: 0 done, 1 a run failed or, with --merge, runs are missing, 2 the input is wrong, "
    "130 interrupted."
)
MOST_RUNS_EVER = 1_000_000
MOST_MISSING_SHOWN = 10
NEED_FOLDER = ("merge", "shard")
"""Options about a folder whose name somebody must know: the next command, or another part."""


def add_sweep(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Simulates a scenario at every point of a design, with the same seeds at every point. "
        "Writes a folder: results.parquet (one row for each flow of each run, with the varied keys "
        "as columns), scenario.toml (with every default), given.toml (without defaults), "
        "sweep.json (the design), runs.jsonl (the finished runs). Every run is kept as soon as it "
        "is finished: if something stops the sweep, --resume continues it. --merge puts the "
        "folders of several --shard together."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the scenario")
    parser.option(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=a,b,c",
        help="a key of the scenario and its values, such as topology.hops=4,8,16 or "
        "flows.transport.protocol=reno,vegas; 4..8 is short for 4,5,6,7,8, and 0.1..0.5..0.1 for "
        "0.1 to 0.5 in steps of 0.1; with random and lhs, values are drawn from the range "
        "KEY=low..high, or evenly over its logarithm with KEY=low..high:log; KEY,KEY=4,8 sets both "
        "keys to 4, then both to 8; 'KEY,KEY=(2,3),(3,3)' sets each key to its own value; may be "
        "given several times",
    )
    parser.option(
        "--design",
        default="product",
        metavar="D",
        help="product: all combinations, of which the last key changes fastest; zip: the first "
        "values of all keys, then the second values, ...; random: independent draws; lhs: Latin "
        "hypercube [product]",
    )
    parser.option("--points", type=_count, metavar="N", help="number of points of random and lhs")
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key at every point; may be given several times",
    )
    add_seed(parser, "first seed, instead of the scenario's; it also draws the points")
    parser.option(
        "--runs",
        type=_count,
        metavar="N",
        help="runs of each point, with the seeds SEED, SEED+1, ...; with --until, the smallest "
        f"number of runs [1; with --until {ADAPTIVE_RUNS}]",
    )
    parser.option(
        "--until",
        type=_part,
        metavar="P%",
        help="add runs to a point until half of the 95 %% interval of its mean is at most P %% of "
        "the mean. Because the data decide when to stop, intervals are slightly too narrow",
    )
    parser.option(
        "--of",
        default=GOODPUT,
        metavar="COLUMN",
        help=f"result that --until checks and that is shown at the end [{GOODPUT}]",
    )
    parser.option(
        "--most-runs",
        type=_count,
        metavar="N",
        help=f"with --until: largest number of runs of a point [{MOST_RUNS}]",
    )
    add_where(parser)
    add_folder(parser, "sweep", usual="results/NAME-TIME; none with --json and --latex")
    parser.option(
        "--shard",
        type=_shard,
        metavar="i/n",
        help="simulate only part i of n parts, from 1/n to n/n; each part needs its own folder",
    )
    parser.option(
        "--merge",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="put these folders together into the folder of --out",
    )
    parser.option(
        "--sort",
        metavar="COLUMN",
        help="sort the points that are shown: by a varied key (rising), or by a result (best "
        "first)",
    )
    parser.option(
        "--best",
        nargs="?",
        const="",
        metavar="METRIC",
        help="say which point is the best by this result, and how sure this is [the result of "
        "--of]",
    )
    add_flow(parser, "show the results of these flows only [all]")
    add_where_values(parser, "show only points at which a varied KEY has one of these values")
    parser.option(
        "--json", action="store_true", help="print only the points and their means, as JSON"
    )
    add_latex(parser)
    add_names(parser)
    parser.set_defaults(do=_do_sweep)
    return parser


def _check_words(options: argparse.Namespace) -> None:
    """Raises `InputError` for words that do not go together. `--best` alone means `--of`."""
    if options.best == "":
        options.best = options.of
    check_latex(options)
    if not options.latex and (options.labels or options.order):
        raise InputError("--labels and --order change the table of --latex: add --latex")
    if options.latex and options.best is not None:
        raise InputError("--best changes the printed table; omit --latex")
    if options.sort is not None and options.json:
        raise InputError("--sort changes the printed table; omit --json")
    for name in NEED_FOLDER:
        if options.out is None and getattr(options, name):
            raise InputError(f"--{name} needs --out")
    check_folder_words(options)
    if options.file is None and options.merge is None:
        if options.best is not None and options.best.endswith(".toml"):
            raise InputError(f"--best takes a result: write {options.best} before --best")
        raise InputError("name a scenario, or folders with --merge")


def _do_sweep(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import parse_overrides
    from hopwright._io.out import default_folder
    from hopwright._io.progress import runs_bar
    from hopwright._io.source import Source
    from hopwright._io.warn import warn
    from hopwright.comparisons.names import checked_names
    from hopwright.sweeps.perform import rule_of, sweep_axes

    _check_words(options)
    where, flows = chosen_of(options)
    if options.merge is not None:
        _do_merge(options)
        return
    if not options.vary:
        raise InputError("name at least one key with --vary KEY=a,b,c")
    design = check_design(options.design, options.points, needs="--points N")
    axes = [parse_axis(text, listed=design not in DRAWN) for text in options.vary]
    check_where(where, axes)
    names = checked_names(
        names_of(options), {} if design in DRAWN else {axis.name: axis.steps() for axis in axes}
    )
    overrides = parse_overrides(options.set)
    rule = rule_of(options.runs, options.until, options.of, options.most_runs)
    wanted = _wanted(options, axes)
    source = Source.read(options.file)
    folder = options.out
    if folder is None and not (options.json or options.latex):
        folder = default_folder(source.load(overrides).name)
    how = run_plan_of(options, folder)
    with runs_bar(options.file.stem) as watch:
        swept = sweep_axes(
            source,
            axes,
            overrides=overrides,
            design=design,
            points=options.points,
            rule=rule,
            how=how,
            shard=options.shard,
            wanted=wanted,
            flows=flows,
            watch=watch,
            warn=warn,
        )
    _print(swept, options, names)


def _wanted(options: argparse.Namespace, axes: "Sequence[Axis]") -> list[str]:
    """The results that are looked at in the end. Raises `InputError` for a best one of none."""
    wanted = []
    if options.best is not None:
        from hopwright.sweeps.best import check_ranked  # brings numpy, which few sweeps need
        from hopwright.sweeps.features import check_names

        check_names([options.best])
        check_ranked(options.best)
        wanted.append(options.best)
    if options.sort is not None and all(options.sort not in axis.keys for axis in axes):
        wanted.append(options.sort)
    return wanted


def _do_merge(options: argparse.Namespace) -> None:
    from hopwright._io.errors import UnfinishedError
    from hopwright._io.warn import warn
    from hopwright.sweeps.merge import merge
    from hopwright.sweeps.points import run_text

    if options.file is not None or options.vary:
        raise InputError("--merge takes folders and --out, no scenario and no --vary")
    if options.resume:
        raise InputError("--merge puts all together at once: omit --resume")
    merged = merge(options.merge, options.out, overwrite=options.overwrite, warn=warn)
    _print(merged, options, names_of(options))
    missing = merged.missing
    if missing:
        points = merged.plan.points
        told = [f"\n  {run_text(points, *run)}" for run in missing[:MOST_MISSING_SHOWN]]
        more = len(missing) - MOST_MISSING_SHOWN
        told += [f"\n  and {more} more"] * (more > 0)
        raise UnfinishedError(
            f"{many(len(missing), 'run is', 'runs are')} missing; the table has the others:"
            f"{''.join(told)}"
        )


def _print(swept: "Sweep", options: argparse.Namespace, names: "Names") -> None:
    """Prints what came out, on standard output: of what was chosen."""
    from hopwright._cli.commands import printing
    from hopwright._io.streams import print_json
    from hopwright._io.warn import warn
    from hopwright.results.summary import to_json

    where, flows = chosen_of(options)
    try:
        swept = swept.only(flow=flows, where=where)
    except InputError as error:
        kept = "" if swept.folder is None else f"; its runs are kept in {swept.folder}"
        raise InputError(f"{error}{kept}") from error
    if options.json:
        for line in swept.starved():
            warn(line)
        best: Object = {} if options.best is None else {"best": swept.best(options.best).to_dict()}
        print_json(to_json(swept.summary() | best))
        return
    if options.latex:
        from hopwright.sweeps.report import latex

        for line in swept.starved():
            warn(line)
        sys.stdout.write(latex(swept, options.sort, names))
        return
    from hopwright._io.console import standard_output
    from hopwright.sweeps.report import parts

    with printing(f"{swept.folder}"):
        console = standard_output()
        for part in parts(swept, options.sort, best=options.best):
            console.print(part)
        print(f"results in {swept.folder}")


def _part(text: str) -> float:
    """`2%` as 0.02."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", text)
    part = float(found[1]) / 100 if found else 0.0
    if not 0 < part < 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a percentage between 0 and 100, such as 2%"
        )
    return part


def _shard(text: str) -> tuple[int, int]:
    """`2/8` as (2, 8)."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    part, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= part <= parts:
        raise argparse.ArgumentTypeError(f"'{text}' is not i/n with i from 1 to n, such as 1/8")
    return part, parts


_count = whole(1, MOST_RUNS_EVER)
