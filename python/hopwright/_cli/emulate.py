"""`hopwright emulate`: checks what is asked for, then hands over to a sandbox."""

import argparse
import json
import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._cli.whole import whole
from hopwright._io.data import Json, amount, at, items
from hopwright._io.errors import InputError
from hopwright._run.runs import LARGEST_SEED
from hopwright.emulation import pacing

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

EXIT_CODES = (
    "Exit codes: the program's if there is one behind --; else 0 done, 1 it failed, 2 the input is "
    "wrong, 130 interrupted."
)

MOST_NODES = 10_000
MOST_NAMES = 1_000
"""Names of nodes that programs know: more would make a long file to read for each of them."""

PREFIX_LENGTH = 8
"""All nodes are in 10.0.0.0/8."""


@dataclass(frozen=True, kw_only=True)
class Attached:
    """A node with a namespace, and the program that runs there."""

    node: int
    namespace: str
    layer: str = "ip"
    prefix_length: int = PREFIX_LENGTH
    privileged: bool = False
    program: Sequence[str] = ()


def add_emulate(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    from hopwright._cli.arguments import add_scenario

    parser.description = (
        "Runs programs over the simulated network of a scenario, at the clock's pace. Each "
        "attached node has a network namespace whose only way out is the node: [[attach]] of the "
        "scenario names them, with a program that runs there, and so does --at for the program "
        "behind --. "
        "It ends with that program, with the scenario, or on an interrupt. Needs user namespaces "
        "and a readable /dev/net/tun, or root; docs/emulation.md says more."
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
        help="node at which the program behind -- runs",
    )
    parser.option(
        "--with",
        dest="others",
        action="append",
        default=[],
        metavar="N:PROGRAM",
        help="another program and its node, as in --with '4:iperf3 -s'; may be given several times",
    )
    parser.option(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of results, with a recording that 'hopwright replay' runs again [none]",
    )
    parser.option("--overwrite", action="store_true", help="replace earlier results in DIR")
    parser.option(
        "--control",
        metavar="NAME",
        help="listen to commands that change the network: 'hopwright control NAME' sends them",
    )
    parser.option("--realtime", **pacing.OPTION)
    parser.option("--status", action="store_true", help="say each second how things stand")
    parser.option("--json", action="store_true", help="print a summary as JSON in the end")
    parser.set_defaults(do=_do_emulate)
    return parser


def _do_emulate(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import load, parse_overrides, warn
    from hopwright._io.out import check_folder
    from hopwright.emulation import sandbox

    overrides = parse_overrides(options.set)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    scenario = load(options.file, overrides)
    for _, line in scenario.idle_parameters():
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


def attached_of(
    scenario: _core.Scenario,
    main: int | None,
    program: Sequence[str],
    others: Sequence[str],
) -> list[Attached]:
    """The attached nodes: those of the scenario, and those of the command line.

    Raises `InputError` where a node or a program is not there, or nothing is attached.
    """
    from hopwright.emulation.sandbox import check_command

    listed: Json = json.loads(scenario.attach_json())
    nodes = {each.node: each for each in map(_listed, items(listed))}
    for node, words in _asked(main, program, others):
        if node >= scenario.node_count:
            raise InputError(f"there is no node {node}; there are {scenario.node_count}, from 0")
        known = nodes.get(node)
        if known is None:
            known = Attached(node=node, namespace=f"node-{node}")
        if known.program:
            raise InputError(f"node {node} has a program already: {shlex.join(known.program)}")
        nodes[node] = replace(known, program=words)
    if not nodes:
        raise InputError(
            "nothing is attached: add --at N -- PROGRAM, or [[attach]] to the scenario"
        )
    for each in nodes.values():
        if each.program:
            check_command(each.program)
    return [nodes[node] for node in sorted(nodes)]


def _listed(entry: Json) -> Attached:
    """An entry of `[[attach]]`."""
    length = at(entry, "prefix_length")
    return Attached(
        node=int(amount(entry, "node")),
        namespace=str(at(entry, "namespace")),
        layer=str(at(entry, "layer")),
        prefix_length=PREFIX_LENGTH if length is None else int(amount(entry, "prefix_length")),
        privileged=at(entry, "privileged") is True,
        program=[str(word) for word in items(entry, "command")],
    )


def _asked(
    main: int | None, program: Sequence[str], others: Sequence[str]
) -> list[tuple[int, Sequence[str]]]:
    """What the command line says: nodes, and programs there."""
    asked: list[tuple[int, Sequence[str]]] = [_with(text) for text in others]
    if program:
        if main is None:
            raise InputError("--at N is missing: the node at which the program behind -- runs")
        asked.append((main, program))
    elif main is not None:
        raise InputError("no program: write it behind --, as in --at 0 -- ping 10.0.0.5")
    return asked


def _with(text: str) -> tuple[int, list[str]]:
    node, colon, words = text.partition(":")
    try:
        program = shlex.split(words)
    except ValueError as error:
        raise InputError(f"--with {text}: {error}") from error
    if not (colon and node.isascii() and node.isdigit() and program):
        raise InputError(f"--with {text}: write it as N:PROGRAM, such as '4:iperf3 -s'")
    return int(node), program


def names_of(scenario: _core.Scenario, attached: Sequence[Attached]) -> dict[str, str]:
    """Names that programs know: `node-3`, and those of namespaces."""
    nodes = range(min(scenario.node_count, MOST_NAMES))
    names = {f"node-{node}": address_of(node) for node in nodes}
    return names | {each.namespace: address_of(each.node) for each in attached}


def address_of(node: int) -> str:
    """The IPv4 address of a node: 10.0.0.0/8 plus node number plus one."""
    value = node + 1
    return f"10.{value >> 16}.{value >> 8 & 255}.{value & 255}"
