"""The words that say how a figure or a table is to look in a paper."""

import argparse
import csv
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser
    from hopwright._io.names import Names
    from hopwright.figures.look import Look


def add_names(parser: "_Parser") -> None:
    """The words about names."""
    parser.option(
        "--labels",
        action="append",
        default=[],
        metavar="NAME=TEXT,...",
        help="text to write in place of a name, such as 'reno=TCP Reno,goodput_bps=Throughput "
        "(kb/s)'; a pair that contains a comma must be in double quotation marks; may be given "
        "several times",
    )
    parser.option(
        "--order",
        action="append",
        default=[],
        metavar="NAME,...",
        help="names that come first, in this order, such as vegas,reno",
    )


def add_look(parser: "_Parser") -> None:
    """The words about names, colours and the size of a figure."""
    from hopwright.figures.sizes import SIZES_MM

    add_names(parser)
    parser.option(
        "--colour",
        action="append",
        default=[],
        metavar="PALETTE|NAME=COLOUR,...",
        help="a palette of Matplotlib for all series, such as okabe-ito; for a heat map, a colour "
        "map, such as viridis; or a colour for a name, such as reno=#0072b2 [greys]",
    )
    parser.option(
        "--size", metavar="SIZE", help=f"width of the figure: {', '.join(SIZES_MM)} [column]"
    )


def add_latex(parser: "_Parser") -> None:
    """The word that has tables printed for a paper."""
    parser.option(
        "--latex",
        action="store_true",
        help="print only the tables, in LaTeX (booktabs, siunitx); write a folder only with --out",
    )


def check_latex(options: argparse.Namespace) -> None:
    """Raises `InputError` where two forms of the same are asked for."""
    if options.latex and options.json:
        raise InputError("--latex and --json: use only one of them")


def names_of(options: argparse.Namespace) -> "Names":
    """What was said about names. Raises `InputError`."""
    from hopwright._io.names import Names

    return Names(labels=_pairs("--labels", options.labels), order=_listed(options.order))


def look_of(options: argparse.Namespace) -> "Look":
    """All that was said. Raises `InputError`."""
    from hopwright.figures.look import Look

    names = names_of(options)
    is_palette = len(options.colour) == 1 and "=" not in options.colour[0]
    return Look(
        labels=names.labels,
        order=names.order,
        colour=options.colour[0] if is_palette else _pairs("--colour", options.colour),
        size=options.size or "column",
    )


def _pairs(option: str, texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in _listed(texts):
        name, equals, value = (part.strip() for part in pair.rpartition("="))
        if not name or not equals or not value:
            raise InputError(f"{option} {pair}: write it as NAME=TEXT,NAME=TEXT")
        found[name] = value
    return found


def _listed(texts: list[str]) -> list[str]:
    """The parts between commas; one that has a comma itself is in quotation marks."""
    try:
        rows = [*csv.reader(texts, skipinitialspace=True)]
    except csv.Error as error:
        raise InputError(
            f"{', '.join(texts)!r}: put a text with a line break into double quotation marks"
        ) from error
    return [part.strip() for row in rows for part in row if part.strip()]
