"""Which nodes of a scenario have programs, and what programs call nodes."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopwright import _core
from hopwright._io.data import Json, amount, at, items
from hopwright._io.errors import InputError, how_many

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
            raise InputError(f"there is no node {node}: {how_many(scenario.node_count, 'node')}")
        known = nodes.get(node)
        if known is None:
            known = Attached(node=node, namespace=f"node-{node}")
        if known.program:
            raise InputError(
                f"node {node} has a program already: {shlex.join(known.program)}; to run two "
                "there, write one that starts both: sh -c 'FIRST & SECOND'"
            )
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
            raise InputError("--at N is missing: the node at which the program after -- runs")
        asked.append((main, program))
    elif main is not None:
        raise InputError("no program: write it after --, such as --at 0 -- ping 10.0.0.5")
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
