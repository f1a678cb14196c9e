"""`hopwright control`: commands for a network that is being emulated."""

import argparse
import json
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import at
from hopwright._io.errors import InputError
from hopwright.emulation.control import Control

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hopwright._cli.arguments import _Parser


EXIT_CODES = (
    "Exit codes: 0 done, 1 a command was refused or the emulation ended, 2 the input is wrong or "
    "there is no such emulation, 130 interrupted."
)


def add_control(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Sends commands to an emulation that was started with --control NAME, and prints the "
        'answers. A command is a JSON object: {"do": "place", "node": 3, "at_m": [120, 40]}. '
        "The other commands are move, down, up, swap, reshape, status and stop: see "
        "docs/emulation.md. 'hopwright sedlane run' takes only reshape, status and stop. Without "
        "COMMAND, each line of standard input is sent as a command."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("name", metavar="NAME", help="the NAME of --control")
    parser.add_argument("line", nargs="?", metavar="COMMAND", help="one command [standard input]")
    parser.set_defaults(do=_do_control)
    return parser


def _typed() -> "Iterator[str]":
    """The lines of standard input. Raises `InputError` for one that is no text."""
    with open(0, "rb", closefd=False) as lines:
        for number, line in enumerate(lines, 1):
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise InputError(f"standard input:{number}: is not text in UTF-8") from error
            yield text


def _do_control(options: argparse.Namespace) -> None:
    lines = _typed() if options.line is None else [options.line]
    refused = False
    try:
        network = Control(options.name)
    except ConnectionError as error:
        raise InputError(
            f"{error}; name one that runs now, as 'hopwright emulate --control NAME' called it"
        ) from error
    try:
        with network:
            for line in lines:
                if line.strip():
                    answer = network.say_line(line.replace("\n", " "))
                    refused |= at(answer, "ok") is not True
                    print(json.dumps(answer), flush=True)
    except ConnectionError as error:
        raise _core.RunError(str(error)) from error
    if refused:
        raise SystemExit(1)
