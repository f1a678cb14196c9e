"""`--flow` and `--where`: the words that choose flows and settings, the same for all commands."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright._io.errors import InputError

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

MOST_FLOWS = 1_000_000


def add_flow(parser: "_Parser", said: str = "only these flows [all]") -> None:
    """`--flow`: it leaves a list of numbers, empty for `all`; None where nobody said it."""
    parser.option(
        "--flow",
        action="extend",
        type=_flows,
        metavar="N,M",
        help=f"{said}; N, a list N,M or all; may be given several times",
    )


def add_where_values(parser: "_Parser", said: str) -> None:
    """`--where`, which `where_of` reads."""
    parser.option(
        "--where",
        action="append",
        default=[],
        metavar="KEY=a,b,c",
        help=f"{said}; may be given several times",
    )


def where_of(texts: Sequence[str]) -> dict[str, list[str]]:
    """The values of each key, of all times that it was said. Raises `InputError`."""
    from hopwright._schema.written import split, unquoted

    chosen: dict[str, list[str]] = {}
    for text in texts:
        key, equals, listed = text.partition("=")
        if not key.strip() or not equals:
            raise InputError(f"--where {text}: write it as KEY=a,b,c, such as topology.hops=4,8")
        try:
            chosen.setdefault(key.strip(), []).extend(map(unquoted, split(listed, "[{(")))
        except InputError as error:
            raise InputError(f"--where {text}: {error}") from error
    return chosen


def chosen_of(options: argparse.Namespace) -> tuple[dict[str, list[str]], list[int] | None]:
    """What `--where` and `--flow` choose; flows that `--where flow=1` names are with the latter.

    Raises `InputError` if both name flows.
    """
    from hopwright.results.chosen import apart, flow_list

    where, flows = apart(where_of(options.where), options.flow or None)
    found = flow_list(flows)
    return where, None if found is None else list(found)


def _flows(text: str) -> list[int]:
    if text == "all":
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) <= MOST_FLOWS for part in parts):
        raise argparse.ArgumentTypeError(
            f"'{text}' does not name flows; write a number, a list such as 1,3, or all"
        )
    return list(dict.fromkeys(map(int, parts)))
