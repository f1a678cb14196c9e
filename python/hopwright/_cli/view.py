"""The words of `hopwright view`, and what it does."""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.chosen import add_flow
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright.view.folder import Run
from hopwright.view.page import check_file, check_page, write_page

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

MOST_RUNS = 2
MB = 1e6
EXIT_CODES = "Exit codes: 0 done, 1 the file could not be written, 2 the input is wrong."


def add_view(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Shows a run as a moving picture: a lane for each node and a map, on one clock, with the "
        "story of each loss. With --out, writes one HTML file, which opens without a network "
        "connection. Without --out, serves the page on this machine until it is interrupted; the "
        "page then reads only the data that it shows. Two folders are shown side by side. The runs "
        "need output.frames and output.positions, and output.lineage for stories: 'hopwright run "
        "FILE --view' sets these keys."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="folder of a run")
    parser.option("--out", type=Path, metavar="FILE.html", help="write the page into this file")
    parser.option(
        "--perfetto",
        type=Path,
        metavar="FILE",
        help="write a trace of one run for ui.perfetto.dev instead; compressed if FILE ends with "
        ".gz",
    )
    add_flow(
        parser,
        "the page shows only these flows at first; with --perfetto, the trace has only these "
        "flows [all]",
    )
    parser.option("--overwrite", action="store_true", help="replace FILE if it exists")
    parser.option(
        "--port", type=whole(1, 65535), metavar="N", help="serve on this port [any free port]"
    )
    parser.set_defaults(do=_do_view)
    return parser


def _do_view(options: argparse.Namespace) -> None:
    if len(options.folders) > MOST_RUNS:
        raise InputError(f"{options.folders[MOST_RUNS]}: is one folder too many; two at most")
    runs = [Run.at(folder, options.flow or None) for folder in options.folders]
    if options.perfetto is not None:
        _trace(runs, options)
        return
    if options.out is None:
        if options.overwrite:
            raise InputError("--overwrite needs --out or --perfetto")
        _serve(runs, options.port or 0)
        return
    if options.port is not None:
        raise InputError("--port and --out: use only one of them")
    check_page(options.out, overwrite=options.overwrite)
    write_page(runs, options.out)
    _tell(options.out, "a browser")


def _trace(runs: Sequence[Run], options: argparse.Namespace) -> None:
    from hopwright.view.perfetto import write_trace

    for word, value in (("--out", options.out), ("--port", options.port)):
        if value is not None:
            raise InputError(f"--perfetto and {word}: use only one of them")
    if len(options.folders) > 1:
        raise InputError(f"{options.folders[1]}: is one folder too many: a trace shows one run")
    check_file(options.perfetto, overwrite=options.overwrite)
    write_trace(runs[0], options.perfetto)
    _tell(options.perfetto, "ui.perfetto.dev")


def _tell(file: Path, program: str) -> None:
    """Says what was written, and what opens it."""
    from hopwright._cli.commands import printing

    with printing(f"{file}", "the line about the file"):
        print(f"{file}: {file.stat().st_size / MB:.1f} MB; open it in {program}")


def _serve(runs: Sequence[Run], port: int) -> None:
    from hopwright.view.serve import HOST, server

    with server(runs, port) as serving:
        print(f"http://{HOST}:{serving.server_port}/  (press Ctrl-C to stop)", flush=True)
        sys.stdout.flush()
        # To be stopped is how it ends.
        with contextlib.suppress(KeyboardInterrupt):
            serving.serve_forever()
