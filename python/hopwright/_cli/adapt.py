"""`hopwright adapt`: the words of the command."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.run_plan import (
    add_folder,
    add_seed,
    add_where,
    check_folder_words,
    run_plan_of,
)

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

EXIT_CODES = "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted."


def add_adapt(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Finds the best composition of transport mechanisms for each network, and makes triggers "
        "from this map. FILE names a scenario over links, the networks (values of a link's "
        "rate_kbps, period_percent, loss_percent, delay_ms, jitter_percent), the compositions, and "
        "the networks that are held out (docs/adapt.md). In each network, all compositions first "
        "get a few runs with the same seeds. Then the worse half is dropped, except compositions "
        "that may still be the best, the others get twice as many runs, and so on. Writes a "
        "folder: report.md, map.svg, .pdf, .png, .csv, cells.csv, policy.toml (the triggers), "
        "adaptive.toml (the scenario with these triggers), held-out.csv, adapt.json (every "
        "number), scenario.toml, runs.parquet, runs.jsonl and request.json (for --resume). "
        "policy.toml and adaptive.toml are for senders that measure the path; the files with -told "
        "in their names are for senders that links tell about the path."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="the request, a TOML file")
    parser.option(
        "--quick",
        action="store_true",
        help="make only three runs of each composition, to test FILE; the map is then not reliable",
    )
    add_seed(parser, "first seed, instead of the file's")
    add_where(parser)
    add_folder(parser, "map", usual="results/FILE-TIME")
    parser.set_defaults(do=_do_adapt)
    return parser


def _do_adapt(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import printing
    from hopwright._io.out import default_folder
    from hopwright._io.progress import runs_bar
    from hopwright._io.warn import warn
    from hopwright.adapt.perform import adapt
    from hopwright.adapt.reading import read_request
    from hopwright.adapt.report import text
    from hopwright.sweeps.executors import check_named

    check_folder_words(options)
    check_named(options.on, options.jobs)
    request = read_request(options.file, quick=options.quick)
    folder = options.out or default_folder(request.name)
    with runs_bar(request.name) as watch:
        found = adapt(request, run_plan_of(options, folder), watch=watch, warn=warn)
    with printing(f"{folder}"):
        print(text(found, in_full=False))
        print(f"results in {folder}; its report.md has each network")
