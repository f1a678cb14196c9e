"""`hopwright sedlane export`: a profile for other programs that shape traffic."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.sedlane.out import check_free, place, write
from hopwright.emulation.sedlane import dummynet, mahimahi, netem
from hopwright.emulation.sedlane.link_file import Link

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

EXIT_CODES = "Exit codes: 0 done, 2 the input is wrong."
TARGETS = {"netem": netem.script, "dummynet": dummynet.script, "mahimahi": mahimahi.script}


def add_export(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Writes a profile as a shell script for another program: netem of Linux (tc), Dummynet of "
        "FreeBSD (ipfw), or mahimahi (mm-delay, mm-loss, mm-link). Refuses a profile that the "
        "program cannot express. If the program can express something only approximately, a "
        "comment in the script says so."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument(
        "link", type=Path, metavar="LINK", help="file that `sedlane profile -o` wrote"
    )
    parser.option("--to", choices=tuple(TARGETS), required=True, help="the other program")
    parser.option(
        "-o", dest="out", type=place, metavar="FILE", help="file to write [standard output]"
    )
    parser.option(
        "--device",
        metavar="NAME",
        help="network device through which data leaves [the first argument of the script]",
    )
    parser.option("--overwrite", action="store_true", help="replace an existing file")
    parser.set_defaults(do=_do_export)
    return parser


def _do_export(options: argparse.Namespace) -> None:
    check_free([options.out], overwrite=options.overwrite, sources=[options.link])
    link = Link.read(options.link)
    text = TARGETS[options.to](link, options.device)
    if options.out is None:
        sys.stdout.write(text)
        return
    write(options.out, text.encode(), overwrite=options.overwrite)
    options.out.chmod(options.out.stat().st_mode | 0o111 & ~_umask())
    print(options.out)


def _umask() -> int:
    import os

    mask = os.umask(0o077)
    os.umask(mask)
    return mask
