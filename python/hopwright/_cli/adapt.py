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
        "Maps which composition of transport mechanisms is the best on which network, and makes "
        "triggers of the map. FILE names a scenario over links, the networks (values of a link's "
        "rate_kbps, period_percent, loss_percent, delay_ms, jitter_percent), the compositions, "
        "and networks that are held out; docs/adapt.md says how. In each network all compositions "
        "get a few runs with the same seeds, the worse half is dropped unless it may still be the "
        "best, the others get twice as many, and so on. Writes a folder: report.md, map.svg, .pdf, "
        ".png, .csv, cells.csv, policy.toml (the triggers) and adaptive.toml (the scenario with "
        "them), both by what a sender measures, and again by what links tell it (-told); "
        "held-out.csv, adapt.json (every number), scenario.toml, runs.parquet, runs.jsonl (for "
        "--resume)."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="what is asked for, as TOML")
    parser.option(
        "--quick",
        action="store_true",
        help="three runs of everything, to see whether it works; the map is then hardly sure",
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
        print(f"results in {folder}, each network in its report.md")
