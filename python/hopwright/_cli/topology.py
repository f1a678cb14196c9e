"""`hopwright topology`: who can reach whom over how many hops, and for how long links last."""

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._cli.whole import real, whole
from hopwright._io.errors import InputError
from hopwright._run.execute import LARGEST_SEED
from hopwright.topology.folder import TOPOLOGY, write
from hopwright.topology.report import report_of
from hopwright.topology.tables import print_report

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

EXIT_CODES = "Exit codes: 0 done, 2 the input is wrong, 130 interrupted."
FORMATS = ("ns2", "bonnmotion")


def add_topology(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Shows how the network of a scenario changes over time, without a run: the number of "
        "links, partitions and pairs of nodes with a path, how long links last (exact times), and "
        "how many hops apart pairs of nodes are on average while a path joins them. Two nodes have "
        "a link if they are in reception range. With --out, also writes the report as JSON, CSV "
        "and figures. With --export, prints the movement of the nodes as a movement file for "
        "another program instead; with --capacity, prints the largest rates that flows could get."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="the scenario, a TOML file")
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of the scenario, such as mobility.max_speed_mps=5; may be given several "
        "times",
    )
    parser.option(
        "--seed", type=whole(0, LARGEST_SEED), metavar="N", help="seed, instead of the scenario's"
    )
    parser.option(
        "--runs",
        type=whole(1, 1_000_000),
        default=1,
        metavar="N",
        help="evaluate N seeds together: SEED, SEED+1, ... [1]",
    )
    parser.option(
        "--step",
        type=real,
        default=1.0,
        metavar="S",
        help="seconds between the times at which the network is examined [1]",
    )
    parser.option(
        "--bins",
        choices=("fd", "sturges"),
        default="fd",
        help="rule for the classes of the histogram: Freedman and Diaconis, or Sturges [fd]",
    )
    parser.option("--json", action="store_true", help="print only the report, as JSON")
    parser.option("--out", type=Path, metavar="DIR", help="folder to write")
    parser.option("--overwrite", action="store_true", help="replace an earlier report in DIR")
    parser.option(
        "--export", choices=FORMATS, metavar="FORMAT", help="print a movement file: ns2, bonnmotion"
    )
    parser.option(
        "--capacity",
        action="store_true",
        help="print the largest rates that the flows could get instead: the result of a linear "
        "program over all sets of links that can be on the air at the same time",
    )
    parser.option(
        "--at",
        type=real,
        metavar="S",
        help="with --capacity: time after the start at which the network is examined, seconds [0]",
    )
    parser.set_defaults(do=_do_topology)
    return parser


def _do_topology(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import parse_overrides, printing
    from hopwright._io.source import load
    from hopwright._io.warn import warn

    _check_words(options)
    overrides = parse_overrides(options.set, example="mobility.max_speed_mps=5")
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    scenario = load(options.file, overrides)
    if options.export is not None:
        _refuse_beside_export(options)
        sys.stdout.write(scenario.movement_as(options.export))
        return
    if options.capacity:
        _print_capacity(scenario, options)
        return
    if options.at is not None:
        raise InputError("--at needs --capacity")
    _check_seeds(scenario, options)
    if options.out is not None:
        from hopwright._io.out import check_folder

        check_folder(options.out, overwrite=options.overwrite, of=TOPOLOGY)
    report = report_of(scenario, runs=options.runs, step_s=options.step, bins=options.bins)
    if options.out is not None:
        write(report, scenario, options.out, warn, overwrite=options.overwrite)
    if options.json:
        from hopwright._io.streams import print_json
        from hopwright.results.summary import to_json

        print_json(to_json(report.to_object()))
        return
    if options.out is None:
        print_report(report)
        return
    with printing(f"{options.out}"):
        print_report(report)
        print(f"\nresults in {options.out}")


def _check_words(options: argparse.Namespace) -> None:
    """Raises `InputError` for what makes no sense in any scenario."""
    if options.overwrite and options.out is None:
        raise InputError("--overwrite needs --out")
    if not (options.step > 0 and math.isfinite(options.step)):
        raise InputError(f"--step {options.step:g}: must be above 0")


def _print_capacity(scenario: _core.Scenario, options: argparse.Namespace) -> None:
    from hopwright.topology.capacity_report import capacity_of, print_capacity

    if options.out is not None:
        raise InputError("--out cannot be used with --capacity, which prints one table; use --json")
    at_s = 0.0 if options.at is None else options.at
    if not 0 <= at_s <= scenario.duration_s:
        raise InputError(f"--at {at_s:g}: must lie within the run, 0 to {scenario.duration_s:g} s")
    _check_seeds(scenario, options)
    found = capacity_of(scenario, runs=options.runs, at_s=at_s)
    if options.json:
        from hopwright._io.streams import print_json
        from hopwright.results.summary import to_json

        print_json(to_json(found.to_object()))
        return
    print_capacity(found)


def _refuse_beside_export(options: argparse.Namespace) -> None:
    for name, is_given in (
        ("--capacity", options.capacity),
        ("--json", options.json),
        ("--out", options.out is not None),
        ("--runs", options.runs != 1),
    ):
        if is_given:
            raise InputError(f"{name} cannot be used with --export, which prints a movement file")


def _check_seeds(scenario: _core.Scenario, options: argparse.Namespace) -> None:
    if scenario.seed + options.runs - 1 > LARGEST_SEED:
        raise InputError(f"--runs {options.runs}: the last seed would exceed {LARGEST_SEED}")
