"""`hopwright kernel`: this project's congestion control as algorithms of the running kernel.

What is loaded is loaded by a program of its own, `hopwright-kernel`: it needs libelf, and whoever
builds it clang, so `make kernel` makes it and nothing else asks for it.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from hopwright import _core
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError, UnfinishedError

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

PROGRAM = "hopwright-kernel"

EXIT_CODES = "Exit codes: 0 done, 1 it failed or something is missing, 2 the input is wrong."

LACKING = (
    f"there is no {PROGRAM}: 'make kernel' in the project's folder builds {PROGRAM}, and needs "
    "clang, libelf and zlib (on Debian: apt-get install clang libelf-dev zlib1g-dev pkg-config)"
)

SHORT = {
    "k": (0, 1_000_000, "for sca and ssca: acknowledgements that do not grow the window [10]"),
    "hops": (0, 255, "for adaptive-cwl: length of the route in hops; 0 means unknown [0]"),
}
"""Parameters that have an option of their own, with the least and most and what they say."""


def add_kernel(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Runs congestion control of this project in the kernel (eBPF, struct_ops), for the TCP of "
        "real programs. docs/kernel.md says which part of a mechanism runs in the kernel. Needs "
        f"root, Linux 6.4 or newer with BTF, and {PROGRAM}, which 'make kernel' builds."
    )
    parser.epilog = EXIT_CODES
    adders = parser.add_subparsers(metavar="COMMAND", title="commands", required=True)
    for add in (_add_load, _add_list, _add_status, _add_unload, _add_measure):
        add(adders)
        parser.words += adders.choices[add.__name__.removeprefix("_add_")].words
    return parser


def _add_load(adders: "argparse._SubParsersAction[_Parser]") -> None:
    parser = adders.add_parser("load", help="give the kernel an algorithm, until this command ends")
    parser.description = (
        "Gives the kernel an algorithm: sca, ssca, cwl, adaptive-cwl, westwood-plus, veno, vegas "
        "or welcome. The kernel keeps the algorithm until this command ends (by an interrupt, "
        "'hopwright kernel unload', or a kill). Connections use the algorithm if they choose it: "
        "iperf3 -C NAME, sysctl net.ipv4.tcp_congestion_control=NAME. The program after -- and its "
        "children use it by default: they run in a network namespace in which the algorithm is the "
        "default. This is a new namespace with only the device lo, or the namespace of --namespace."
    )
    parser.epilog = f"{EXIT_CODES} With a program after --: the exit code of this program."
    parser.add_argument("mechanism", metavar="ALGORITHM", help="such as sca or westwood-plus")
    for name, (least, most, said) in SHORT.items():
        parser.option(f"--{name}", type=whole(least, most), metavar="N", help=said)
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a parameter, such as veno_beta=3; docs/kernel.md lists them; may be given "
        "several times",
    )
    parser.option(
        "--name",
        metavar="NAME",
        help="name of the algorithm in the kernel; begins with hop_ [hop_sca, ...]",
    )
    parser.option(
        "--record",
        type=Path,
        metavar="FILE",
        help="write the windows at every acknowledgement, and all diagnoses, into a CSV file",
    )
    parser.option(
        "--namespace",
        metavar="NAME",
        help="run the program in this network namespace, made by 'ip netns add'; at the end, the "
        "namespace gets its former default algorithm back",
    )
    parser.set_defaults(do=_do_load)


def _add_list(adders: "argparse._SubParsersAction[_Parser]") -> None:
    parser = adders.add_parser("list", help="list the loaded algorithms and their owners")
    parser.description = (
        "Lists the algorithms of this project that the kernel has: their parameters, their owner, "
        "and which part of the mechanism runs."
    )
    parser.option("--json", action="store_true", help="print JSON")
    parser.set_defaults(do=lambda options: _go(options, ["list", *_json(options)]))


def _add_status(adders: "argparse._SubParsersAction[_Parser]") -> None:
    parser = adders.add_parser("status", help="show the connections of an algorithm")
    parser.description = (
        "Lists the connections of an algorithm, or of all algorithms of this project, in every "
        "network namespace: window, threshold, round-trip time, diagnoses of losses."
    )
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="name of the algorithm in the kernel [all]"
    )
    parser.option("--json", action="store_true", help="print JSON")
    parser.set_defaults(
        do=lambda options: _go(
            options, ["status", *([options.name] if options.name else []), *_json(options)]
        )
    )


def _add_unload(adders: "argparse._SubParsersAction[_Parser]") -> None:
    parser = adders.add_parser("unload", help="end the owner of an algorithm")
    parser.description = (
        "Ends the process that loaded an algorithm, and waits until no new connection can choose "
        "the algorithm. Existing connections keep the algorithm until they end."
    )
    parser.add_argument(
        "name", metavar="NAME", help="name of the algorithm in the kernel, as list prints it"
    )
    parser.set_defaults(do=lambda options: _go(options, ["unload", options.name]))


def _add_measure(adders: "argparse._SubParsersAction[_Parser]") -> None:
    parser = adders.add_parser("measure", help="measure the computing time of the kernel's TCP")
    parser.description = (
        "Measures the computing time of the kernel's own TCP for each connection of this machine: "
        "time in TCP and in the layers below, by function (slow_start, congestion_avoidance, "
        "recovery, timers, receiver). Measures while the program after -- runs, or until an "
        "interrupt. Prints 'measuring' on standard error when the measurement begins. "
        "docs/kernel-measure.md says what an interval is."
    )
    parser.epilog = f"{EXIT_CODES} With a program after --: the exit code of this program."
    parser.option("--json", action="store_true", help="print JSON")
    parser.option(
        "--out",
        type=Path,
        metavar="FILE",
        help="write a line of JSON for each connection, as soon as the connection is closed",
    )
    parser.option("--overwrite", action="store_true", help="replace a FILE that exists")
    parser.option(
        "--network-of",
        type=whole(1, 2**32 - 1),
        metavar="PID",
        help="only connections in the network namespace of this process [all]",
    )
    parser.option(
        "--connections",
        type=whole(1, 2**20),
        metavar="N",
        help="largest number of connections at the same time [4096]",
    )
    parser.option("--all", action="store_true", help="also report connections without data")
    parser.set_defaults(do=_do_measure)


def _do_measure(options: argparse.Namespace) -> None:
    words = ["measure", *_json(options)]
    for flag in ("overwrite", "all"):
        words += [f"--{flag}"] if getattr(options, flag) else []
    for name in ("out", "network_of", "connections"):
        value = getattr(options, name)
        words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    if options.overwrite and options.out is None:
        raise InputError("--overwrite needs a file: --out FILE")
    _go(options, words + _program(options))


def _program(options: argparse.Namespace) -> list[str]:
    """The program behind --, which is looked for first, as words."""
    from hopwright.emulation.sandbox import check_command

    if not options.program:
        return []
    check_command(options.program)
    words = ["--", *options.program]
    options.program = []
    return words


def _json(options: argparse.Namespace) -> list[str]:
    return ["--json"] if options.json else []


def _do_load(options: argparse.Namespace) -> None:
    words = ["load", options.mechanism]
    for pair in options.set:
        words += ["--set", pair]
    for name in SHORT:
        value = getattr(options, name)
        if value is not None:
            words += ["--set", f"{name}={value}"]
    if options.name is not None:
        words += ["--name", options.name]
    if options.record is not None:
        words += ["--record", str(options.record)]
    if options.namespace is not None:
        if not options.program:
            raise InputError(
                "--namespace needs a program: write it after --, such as -- iperf3 ..."
            )
        words += ["--namespace", options.namespace]
    _go(options, words + _program(options))


def _go(options: argparse.Namespace, words: Sequence[str]) -> NoReturn:
    """This process becomes the program that does it."""
    if options.program:
        raise InputError("only 'hopwright kernel load' and 'measure' run a program")
    path = program()
    sys.stdout.flush()
    try:
        os.execv(path, [PROGRAM, *words])  # noqa: S606 - our own program, by its path
    except OSError as error:
        raise UnfinishedError(f"cannot run {path}: {error.strerror}") from error


def program() -> str:
    """Where the program is. Raises `UnfinishedError` if it was not built."""
    if not sys.platform.startswith("linux"):
        raise UnfinishedError("there is no Linux kernel here")
    beside = Path(_core.__file__).parent / PROGRAM
    installed = Path(sys.prefix) / "bin" / PROGRAM
    for path in (beside, installed):
        if os.access(path, os.X_OK):
            return str(path)
    found = shutil.which(PROGRAM)
    if found is None:
        raise UnfinishedError(LACKING)
    return found
