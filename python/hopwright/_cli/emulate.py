"""`hopwright emulate`: checks what is asked for, then hands over to a sandbox."""

import argparse
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright._run.execute import LARGEST_SEED
from hopwright.emulation import pacing
from hopwright.emulation.attached import attached_of, names_of

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser
    from hopwright._io.data import Json

EXIT_CODES = (
    "Exit codes: with a program after --, the exit code of this program; otherwise 0 done, 1 it "
    "failed, 2 the input is wrong, 130 interrupted."
)

MOST_NODES = 10_000


def add_emulate(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    from hopwright._cli.arguments import add_scenario

    parser.description = (
        "Runs programs over the simulated network of a scenario, in real time. Each attached node "
        "has a network namespace; the node is the only connection of this namespace to other "
        "networks. [[attach]] in the scenario names attached nodes and the programs that run "
        "there; --at names the node of the program after --. The emulation ends with that program, "
        "with the scenario, or on an interrupt. Needs user namespaces and a readable /dev/net/tun, "
        "or root; docs/sandbox.md explains the details."
    )
    parser.epilog = EXIT_CODES
    add_scenario(parser)
    parser.option(
        "--seed", type=whole(0, LARGEST_SEED), metavar="N", help="seed, instead of the scenario's"
    )
    parser.option(
        "--at",
        type=whole(0, MOST_NODES),
        metavar="N",
        help="node at which the program after -- runs",
    )
    parser.option(
        "--with",
        dest="others",
        action="append",
        default=[],
        metavar="N:PROGRAM",
        help="another program and its node, such as --with '4:iperf3 -s'; may be given several "
        "times",
    )
    parser.option(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for results and for a recording that 'hopwright replay' can repeat [none]",
    )
    parser.option("--overwrite", action="store_true", help="replace earlier results in DIR")
    parser.option(
        "--control",
        metavar="NAME",
        help="accept commands that change the network; 'hopwright control NAME' sends them",
    )
    parser.option("--realtime", **pacing.OPTION)
    parser.option("--status", action="store_true", help="print the state every second")
    parser.option("--json", action="store_true", help="print a summary as JSON at the end")
    parser.set_defaults(do=_do_emulate)
    return parser


def _do_emulate(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import parse_overrides
    from hopwright._io.out import check_folder
    from hopwright._io.source import load
    from hopwright._io.warn import doubts, warn
    from hopwright.emulation import sandbox

    overrides = parse_overrides(options.set)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    scenario = load(options.file, overrides)
    for line in doubts(scenario):
        warn(line)
    attached = attached_of(scenario, options.at, options.program, options.others)
    if options.overwrite and options.out is None:
        raise InputError("--overwrite needs --out")
    if options.out is not None:
        check_folder(options.out, overwrite=options.overwrite)
    listener = None
    if options.control is not None:
        from hopwright.emulation.control import listen

        listener = listen(options.control)
    with pacing.asking() if options.realtime else nullcontext() as asking:
        data: Json = {
            "file": str(options.file),
            "overrides": [list(pair) for pair in overrides],
            "attached": [{**asdict(each), "program": list(each.program)} for each in attached],
            "main": options.at if options.program else None,
            "out": None if options.out is None else str(options.out),
            "overwrite": options.overwrite,
            "status": options.status or not options.program,
            "json": options.json,
            "control": None if listener is None else listener.fileno(),
            "realtime": None if asking is None else asking.json(),
        }
        code = sandbox.run(
            "hopwright.emulation.inside:run",
            data,
            names=names_of(scenario, attached),
            descriptors=[
                *([] if listener is None else [listener.fileno()]),
                *([] if asking is None else asking.descriptors),
            ],
        )
    if code:
        raise SystemExit(code)
