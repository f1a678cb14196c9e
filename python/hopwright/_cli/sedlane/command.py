"""`hopwright sedlane`: its commands, each in a module of its own."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

COMMANDS = {
    "profile": ("make a profile from a recorded connection", "hopwright._cli.sedlane.profile"),
    "run": ("run programs at both ends of a shaped link", "hopwright._cli.sedlane.run"),
    "relay": ("relay UDP over a shaped link, without privileges", "hopwright._cli.sedlane.relay"),
    "export": ("write a profile for netem, Dummynet or mahimahi", "hopwright._cli.sedlane.export"),
}
"""What each is for, and the module whose `add_NAME` adds its words to a parser."""


def add_sedlane(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Imitates a distant network by the path of a recorded connection: the round-trip times and "
        "losses of this path become a few pipes, and links follow these pipes (SEDLANE: "
        "Ghaleb-Seddik 2009, chapter 3)."
    )
    adders = parser.add_subparsers(metavar="COMMAND", title="commands", required=True)
    for name, (said, home) in COMMANDS.items():
        words = adders.add_parser(name, help=said)
        getattr(import_module(home), f"add_{name}")(words)
        parser.words += words.words
    return parser
