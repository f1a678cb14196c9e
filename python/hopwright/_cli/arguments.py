"""The command line's words: commands, options, help.

`argparse`, because it starts in no time; nothing else needs this module's shape. A command's own
words are imported when it is called, as what it works with takes longer to load than a run.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from hopwright import _core
from hopwright._cli.look import add_latex, check_latex
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError, near

EXIT_CODES = "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted."

COMMANDS = {
    "run": ("simulate a scenario", __name__),
    "compare": ("compare variants of a scenario with a baseline", "hopwright._cli.compare"),
    "sweep": ("simulate a scenario at many settings, into one table", "hopwright._cli.sweep"),
    "adapt": ("find the best transport for each network, as triggers", "hopwright._cli.adapt"),
    "judge": ("compare loss differentiators with the truth", "hopwright._cli.judge"),
    "plot": ("draw a figure of a sweep or a run", "hopwright._cli.plot"),
    "view": ("show a run as a moving picture, in a browser", "hopwright._cli.view"),
    "explain": ("say why something happened in a run", "hopwright._cli.explain"),
    "topology": (
        "show how the network changes over time, without a run",
        "hopwright._cli.topology",
    ),
    "reproduce": ("compare results with those of papers", "hopwright._cli.reproduce"),
    "sedlane": ("imitate the path of a recorded connection", "hopwright._cli.sedlane.command"),
    "check": ("check a scenario, print it with every default", __name__),
    "protocols": ("list transport and routing protocols, with parts and parameters", __name__),
    "schema": ("print the JSON schema of the scenario file", __name__),
    "measure-energy": (
        "measure the energy that transports use for computation",
        "hopwright._cli.measure_energy",
    ),
    "host": ("run this project's TCP on a TUN device", "hopwright._cli.host"),
    "emulate": ("run real programs over a simulated network", "hopwright._cli.emulate"),
    "control": ("change the network of a running emulation", "hopwright._cli.control"),
    "replay": ("run a recorded emulation again, without its programs", "hopwright._cli.replay"),
    "kernel": (
        "let the kernel's TCP use congestion control of this project",
        "hopwright._cli.kernel",
    ),
    "completion": (
        "print a script that completes commands in a shell",
        "hopwright._cli.completion",
    ),
}
"""The commands: what each is for, and the module whose `add_NAME` adds its words to a parser."""

BEFORE = ("-h", "--help", "--version", "--")
"""What may stand before a command, or without one."""

WITH_PROGRAM = ("emulate", "sedlane", "kernel")
"""The commands that run a program: it stands behind `--`, with its own words."""

IS_GIVEN = re.compile(r"argument (?:-\w/)?(\S+): ignored explicit argument (.*)")
"""What argparse says of a value behind an option that has none."""


def dispatch(arguments: Sequence[str]) -> None:
    """Does what the arguments say. Raises `InputError` where they make no sense."""
    options = parse(arguments)
    options.do(options)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; `do` is what does them. Raises `InputError` where they make no sense."""
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command is not None and arguments[0].startswith("-") and arguments[0] not in BEFORE:
        named = next((word for word in arguments if word in COMMANDS), "COMMAND")
        raise InputError(
            f"{arguments[0]}: options come after the command: hopwright {named} ... {arguments[0]}"
        )
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
        if "--" in arguments and unknown[0] in arguments[list(arguments).index("--") :]:
            raise InputError(f"{unknown[0]}: options come before --")
        words = known[command].words if command else ["--help", "--version"]
        raise InputError(f"unknown option '{unknown[0]}'{near(unknown[0].split('=')[0], words)}")
    if unknown:
        _check_pairs(options, unknown[0])
        hint = "; write a program and its words after --" if command in WITH_PROGRAM else ""
        if command == "explain":
            hint = f"; to compare two results, say --against {unknown[0]}"
        if command and "--set" in known[command].words and re.match(r"[a-z_0-9.]+=", unknown[0]):
            hint = f"; to set a key, say --set {unknown[0]}"
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
        epilog=f"'hopwright COMMAND --help' explains a command. {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"hopwright {_core.version()}")
    adders = parser.add_subparsers(metavar="COMMAND", title="commands")
    known = {name: adders.add_parser(name, help=said) for name, (said, _) in COMMANDS.items()}
    for name in names:
        _, home = COMMANDS[name]
        getattr(import_module(home), f"add_{name.replace('-', '_')}")(known[name])
    return parser, known


def _check_pairs(options: argparse.Namespace, rest: str) -> None:
    """Raises `InputError` where blanks tear the value of `--vary` or `--set`; `rest`: what is left.

    The shell makes two words of `KEY=a, b` and of `KEY a,b`.
    """
    for option, written in (("--vary", "KEY=a,b,c"), ("--set", "KEY=VALUE")):
        for text in getattr(options, option[2:], None) or ():
            if "=" not in text:
                raise InputError(f"{option} {text}: = is missing; write it as {written}")
            if text.endswith(("=", ",")):
                raise InputError(
                    f"{option} {text}: a blank stands before '{rest}'; write {written} without "
                    "blanks, or within quotation marks"
                )


def _check_texts(options: argparse.Namespace) -> None:
    """Raises `InputError` for a word that is no text. Names of files may be any bytes."""
    for value in vars(options).values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and any("\udc80" <= letter <= "\udcff" for letter in word):
                raise InputError(f"{os.fsencode(word)!r}: is not text in UTF-8")


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of leaving, and never guesses an abbreviation.

    Settings go to argparse as they come; its stubs type each keyword apart, hence the two ignores.
    """

    def __init__(self, **settings: object) -> None:
        super().__init__(allow_abbrev=False, **settings)  # type: ignore[arg-type]
        self.words: list[str] = ["--help"]

    def add_argument(self, *names: str, **settings: object) -> argparse.Action:
        """As argparse does; no path is empty."""
        if settings.get("type") is Path:
            settings["type"] = path_of
        return super().add_argument(*names, **settings)  # type: ignore[arg-type]

    def option(self, name: str, **settings: object) -> None:
        """Adds an option and remembers its name for suggestions."""
        self.add_argument(name, **settings)
        self.words.append(name)

    def error(self, message: str) -> NoReturn:
        if message.endswith("expected one argument"):  # also if there is one that begins with -
            option = message.removeprefix("argument ").partition(":")[0]
            message = f"{option}: a value is missing; write one that begins with - as {option}=-..."
        if found := IS_GIVEN.fullmatch(message):
            message = f"{found[1]}: takes no value, found {found[2]}"
        raise InputError(f"{message} ('{self.prog} --help' says more)")


def add_run(parser: _Parser) -> _Parser:
    """The words of the command."""
    from hopwright._run.execute import LARGEST_SEED

    parser.description = (
        "Simulates a scenario. Prints a summary, with 95 % confidence intervals if there are "
        "several runs. Writes a folder with summary.json, scenario.toml (every default filled "
        "in), a figure of each flow over time, and the series, captures and traces that [output] "
        "asks for. With several runs, the folder also has a sub-folder for each run."
    )
    parser.epilog = EXIT_CODES
    add_scenario(parser)
    parser.option(
        "--seed",
        type=whole(0, LARGEST_SEED),
        metavar="N",
        help="first seed, instead of the scenario's",
    )
    parser.option(
        "--runs",
        type=_count,
        default=1,
        metavar="N",
        help="number of runs, with the seeds SEED, SEED+1, ... [1]",
    )
    parser.option("--jobs", type=_count, metavar="N", help="number of parallel runs [one per core]")
    parser.option(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder to write [results/NAME-TIME; none with --json and --latex]",
    )
    parser.option("--overwrite", action="store_true", help="replace DIR if it has earlier results")
    parser.option(
        "--per-hop",
        action="store_true",
        help="report how each link, node and flow used the medium: tries, retries by frame, "
        "packets given up, air time, queues, the hop that held a flow back",
    )
    parser.option(
        "--view",
        action="store_true",
        help="record what is needed to draw the run, and write view.html into the folder of the "
        "run: a page that shows the run as a moving picture",
    )
    parser.option(
        "--json",
        action="store_true",
        help="print only the summary, as JSON; write a folder only with --out",
    )
    add_latex(parser)
    parser.set_defaults(do=_do_run)
    return parser


def add_check(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = "Checks a scenario and prints it with every default filled in."
    add_scenario(parser)
    parser.set_defaults(do=_do_check)
    return parser


def add_protocols(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = (
        "Lists the transport protocols with their mechanisms and parameters, and the routing "
        "protocols. With names, prints only these transports, in full."
    )
    parser.add_argument("names", nargs="*", metavar="PROTOCOL", help="a protocol of the list")
    parser.option("--slots", action="store_true", help="list the mechanisms of each slot instead")
    parser.option("--routing", action="store_true", help="list the routing protocols instead")
    parser.option(
        "--json",
        action="store_true",
        help="print JSON: for each transport an object with id, source, slots, settings and "
        "parameters; with --routing, for each routing protocol id, source, profiles and parameters",
    )
    parser.set_defaults(do=_do_protocols)
    return parser


def add_schema(parser: _Parser) -> _Parser:
    """The words of the command."""
    parser.description = (
        "Prints the JSON schema of the scenario file (draft 2020-12), for programs and for editors "
        "that complete and check TOML. With --results, prints the schema of results: the title and "
        "unit of each number, whether higher or lower is better, and which runs have the number."
    )
    parser.option(
        "--markdown", action="store_true", help="print a page in Markdown with all keys instead"
    )
    parser.option("--python", action="store_true", help="print the Python classes instead")
    parser.option(
        "--results", action="store_true", help="describe results (summary.json), not scenario files"
    )
    parser.set_defaults(do=_do_schema)
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
        "flows.0.transport.protocol=reno (flows.transport.protocol sets the key of all flows); "
        "may be given several times",
    )


def _do_run(options: argparse.Namespace) -> None:
    from hopwright._cli import commands

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


def _do_check(options: argparse.Namespace) -> None:
    from hopwright._cli import commands

    commands.check(options.file, options.set)


def _do_protocols(options: argparse.Namespace) -> None:
    from hopwright._cli import commands

    commands.protocols(
        options.names, slots=options.slots, routing=options.routing, as_json=options.json
    )


def _do_schema(options: argparse.Namespace) -> None:
    from hopwright._cli import commands

    commands.schema(
        of_results=options.results, as_markdown=options.markdown, as_python=options.python
    )


_count = whole(1, 1_000_000)


def path_of(text: str) -> Path:
    """A path, for argparse. Python takes an empty one for the folder where we are."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)
