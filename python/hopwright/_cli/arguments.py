"""The command line's words: commands, options, help.

`argparse`, because it starts in no time; nothing else needs this module's shape. A command's own
words are imported when it is called, as what it works with takes longer to load than a run.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from hopwright import _core
from hopwright._cli import commands
from hopwright._cli.look import add_latex, check_latex
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError, near
from hopwright._run.execute import LARGEST_SEED

EXIT_CODES = "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted."

COMMANDS = {
    "run": ("simulate a scenario", __name__),
    "compare": ("compare variants of a scenario with a baseline", "hopwright._cli.compare"),
    "sweep": ("simulate a scenario at many settings, into one table", "hopwright._cli.sweep"),
    "adapt": ("map which transport is the best where, as triggers", "hopwright._cli.adapt"),
    "judge": ("judge loss differentiators by the truth", "hopwright._cli.judge"),
    "plot": ("draw a figure of a sweep or a run", "hopwright._cli.plot"),
    "view": ("show a run as it moves, in a browser", "hopwright._cli.view"),
    "explain": ("say why something happened in a run", "hopwright._cli.explain"),
    "topology": ("say what the network does over time, without a run", "hopwright._cli.topology"),
    "reproduce": ("a paper's tables and figures beside this program's", "hopwright._cli.reproduce"),
    "sedlane": ("make a link of a recorded connection", "hopwright._cli.sedlane.command"),
    "check": ("check a scenario, print it with every default", __name__),
    "protocols": ("list transport and routing protocols, and what they have", __name__),
    "schema": ("print the JSON schema of the scenario file", __name__),
    "measure-energy": ("measure what transports cost to compute", "hopwright._cli.measure_energy"),
    "host": ("run this project's TCP on a TUN device", "hopwright._cli.host"),
    "emulate": ("run real programs over a simulated network", "hopwright._cli.emulate"),
    "control": ("change a network that is being emulated", "hopwright._cli.control"),
    "replay": ("run an emulation again, off line", "hopwright._cli.replay"),
    "kernel": (
        "have the kernel's TCP use congestion control of this project",
        "hopwright._cli.kernel",
    ),
    "completion": ("complete commands in a shell", "hopwright._cli.completion"),
}
"""The commands: what each is for, and the module whose `add_NAME` adds its words to a parser."""

WITH_PROGRAM = ("emulate", "sedlane", "kernel")
"""The commands that run a program: it stands behind `--`, with its own words."""


def dispatch(arguments: Sequence[str]) -> None:
    """Does what the arguments say. Raises `InputError` where they make no sense."""
    options = parse(arguments)
    options.do(options)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; `do` is what does them. Raises `InputError` where they make no sense."""
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        raise InputError(f"no command called '{command}'{near(command, COMMANDS)}")
    parser, known = words_of(*([command] if command else []))
    program: Sequence[str] = []
    if command in WITH_PROGRAM and "--" in arguments:
        end = list(arguments).index("--")
        arguments, program = arguments[:end], arguments[end + 1 :]
    options, unknown = parser.parse_known_args(arguments)
    options.program = list(program)
    _check_texts(options)
    if unknown and unknown[0].startswith("-"):
        words = known[command].words if command else ["--help", "--version"]
        raise InputError(f"unknown option '{unknown[0]}'{near(unknown[0].split('=')[0], words)}")
    if unknown:
        hint = "; a program and its words stand behind --" if command in WITH_PROGRAM else ""
        if command == "explain":
            hint = f"; to compare two results, say --against {unknown[0]}"
        raise InputError(f"'{unknown[0]}' is one argument too many{hint}")
    if command is None:
        parser.print_help(sys.stderr)
        raise InputError("name a command")
    return options


def words_of(*names: str) -> "tuple[_Parser, dict[str, _Parser]]":
    """The parser of the program, with the words of these commands, and the parsers of all."""
    parser = _Parser(
        prog="hopwright",
        description="Simulates transport protocols over wireless multi-hop networks.",
        epilog=f"'hopwright COMMAND --help' says more about a command. {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"hopwright {_core.version()}")
    adders = parser.add_subparsers(metavar="COMMAND", title="commands")
    known = {name: adders.add_parser(name, help=said) for name, (said, _) in COMMANDS.items()}
    for name in names:
        _, home = COMMANDS[name]
        getattr(import_module(home), f"add_{name.replace('-', '_')}")(known[name])
    return parser, known


def _check_texts(options: argparse.Namespace) -> None:
    """Raises `InputError` for a word that is no text. Names of files may be any bytes."""
    for value in vars(options).values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and any("\udc80" <= letter <= "\udcff" for letter in word):
                raise InputError(f"{os.fsencode(word)!r}: is no text in UTF-8")


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of leaving, and never guesses an abbreviation.

    Settings go to argparse as they come; its stubs type each keyword apart, hence the two ignores.
    """

    def __init__(self, **settings: object) -> None:
        super().__init__(allow_abbrev=False, **settings)  # type: ignore[arg-type]
        self.words: list[str] = ["--help"]

    def option(self, name: str, **settings: object) -> None:
        """Adds an option and remembers its name for suggestions."""
        self.add_argument(name, **settings)  # type: ignore[arg-type]
        self.words.append(name)

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} ('{self.prog} --help' says more)")


def add_run(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = (
        "Simulates a scenario. Prints a summary, with 95 % confidence intervals if there are "
        "several runs, and writes a folder: summary.json, scenario.toml (every default filled "
        "in), a figure of each flow over time, and the series, captures and traces that [output] "
        "asks for; with several runs, a sub-folder for each as well."
    )
    parser.epilog = EXIT_CODES
    add_scenario(parser)
    parser.option("--seed", type=_seed, metavar="N", help="first seed, instead of the scenario's")
    parser.option(
        "--runs", type=_count, default=1, metavar="N", help="runs, with seeds SEED, SEED+1, ... [1]"
    )
    parser.option("--jobs", type=_count, metavar="N", help="runs at the same time [one per core]")
    parser.option(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder to write [results/NAME-TIME; none with --json and --latex]",
    )
    parser.option(
        "--overwrite", action="store_true", help="replace DIR if it holds earlier results"
    )
    parser.option(
        "--per-hop",
        action="store_true",
        help="say what each link, node and flow had to do with the medium: tries, retries by "
        "frame, give-ups, air time, queues, the hop that held a flow back",
    )
    parser.option(
        "--view",
        action="store_true",
        help="record what is needed to draw the run, and write view.html beside the results: a "
        "page that shows the run as it moves",
    )
    parser.option(
        "--json",
        action="store_true",
        help="print the summary as JSON, nothing else; writes a folder only with --out",
    )
    add_latex(parser)
    parser.set_defaults(do=_do_run)
    return parser


def add_check(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = "Checks a scenario and prints it with every default filled in."
    add_scenario(parser)
    parser.set_defaults(do=lambda options: commands.check(options.file, options.set))
    return parser


def add_protocols(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = (
        "Lists the transport protocols, what each is made of, their parameters, and the routing "
        "protocols; with names, those transports alone, in full."
    )
    parser.add_argument("names", nargs="*", metavar="PROTOCOL", help="a protocol of the list")
    parser.option(
        "--slots", action="store_true", help="list what can be put into each slot instead"
    )
    parser.option("--routing", action="store_true", help="list the routing protocols instead")
    parser.option(
        "--json",
        action="store_true",
        help="print JSON: objects with id, source, slots, settings, parameters of transports; with "
        "--routing, id, source, profiles, parameters",
    )
    parser.set_defaults(
        do=lambda options: commands.protocols(
            options.names, slots=options.slots, routing=options.routing, as_json=options.json
        )
    )
    return parser


def add_schema(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = (
        "Prints the JSON schema of the scenario file, draft 2020-12: for editors that complete and "
        "check TOML, and for programs. With --results, that of results: the title and unit of each "
        "number, which way is better, and when it is there."
    )
    parser.option(
        "--markdown", action="store_true", help="print the reference page of all keys instead"
    )
    parser.option("--python", action="store_true", help="print the Python classes instead")
    parser.option(
        "--results", action="store_true", help="of results (summary.json), not of scenario files"
    )
    parser.set_defaults(
        do=lambda options: commands.schema(
            of_results=options.results, as_markdown=options.markdown, as_python=options.python
        )
    )
    return parser


def add_scenario(parser: _Parser) -> None:
    """The words that name a scenario, and change keys of it."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the scenario, a TOML file")
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of the scenario, such as topology.hops=4 or "
        "flows.0.transport.protocol=reno (flows.transport.protocol: of all flows); "
        "may be given several times",
    )


def _do_run(options: argparse.Namespace) -> None:
    check_latex(options)
    commands.run(
        options.file,
        commands.RunOptions(
            seed=options.seed,
            runs=options.runs,
            jobs=options.jobs,
            overrides=options.set,
            out=options.out,
            overwrite=options.overwrite,
            per_hop=options.per_hop,
            view=options.view,
            json=options.json,
            latex=options.latex,
        ),
    )


_seed = whole(0, LARGEST_SEED)
_count = whole(1, 1_000_000)
