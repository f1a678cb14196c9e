"""The protocols as a person reads them: what each transport is made of, and what can be set."""

import json
import sys
from collections.abc import Iterable

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hopwright._io.console import standard_output
from hopwright._io.data import Json, at, items

BASE = "reno"
"""The protocol that the others are described against."""

WIDTH = 120
"""Columns where there is no terminal that says."""

HEAD = (
    f"For each protocol: the slots in which its mechanism differs from that of '{BASE}', and the "
    "defaults that it changes. 'hopwright protocols NAME' prints one protocol in full; "
    "'--slots' lists the mechanisms of each slot."
)


NEEDS = (
    "The column needs: selective-acks and timestamps must be switched on (selective_acks = true, "
    "timestamps = true). route-notices come from every routing protocol except 'static'. The "
    "other needs are always met: the sender measures rounds and sent-times, routing gives hops, "
    "the simulator gives the truth, and the two ends send each other order, notices and requests."
)


def print_protocols(
    protocols: Json, routing: Json, parameters: Json, console: Console | None = None
) -> None:
    """Prints the transports' sources and parts, the routing protocols, then what transports take.

    What they take: each parameter with its default.
    """
    tables = (_parts(protocols), _routing(routing), _parameters(items(parameters)))
    spaced = (part for table in tables for part in (Text(), table))
    _console(console).print(Group(HEAD, *spaced))


def print_routing(routing: Json, console: Console | None = None) -> None:
    """Prints each routing protocol, and the profiles that it has."""
    _console(console).print(_routing(routing))


def print_in_full(
    protocols: Json, slots: Json, parameters: Json, console: Console | None = None
) -> None:
    """Prints every slot and every parameter of these protocols."""
    about = {str(at(p, "name")): p for p in items(parameters)}
    blocks: list[RenderableType] = []
    for protocol in items(protocols):
        title = Text(f"{_id(protocol)}  ({at(protocol, 'source')})", style="bold")
        read = [(about[name], value) for name, value in _pairs(at(protocol, "parameters"))]
        blocks += [title, _in_full(protocol, slots), Text(), _values(read), Text()]
    _console(console).print(Group(*blocks[:-1]))


def print_slots(slots: Json, console: Console | None = None) -> None:
    """Prints what each slot decides and what can be put into it."""
    blocks: list[RenderableType] = []
    for slot in items(slots):
        table = _table("mechanism", "source", "needs", "parameters of its own")
        for mechanism in items(at(slot, "mechanisms")):
            needs, own = (_words(at(mechanism, key)) for key in ("needs", "parameters"))
            table.add_row(*map(Text, (_id(mechanism), _source(mechanism), needs, own)))
        title = Text(f"{at(slot, 'slot')}: {at(slot, 'decides')}", style="bold")
        blocks += [title, table, Text()]
    _console(console).print(Group(*blocks, NEEDS))


def _parts(protocols: Json) -> RenderableType:
    base = next((p for p in items(protocols) if _id(p) == BASE), None)
    usual = dict(_pairs(at(base, "slots")))
    table = _table("protocol", "source", "slot: mechanism", "defaults")
    for protocol in items(protocols):
        slots = _pairs(at(protocol, "slots"))
        own = [f"{s}: {_plain(p)}" for s, p in slots if protocol == base or usual.get(s) != p]
        settings = [f"{name} = {_plain(v)}" for name, v in _pairs(at(protocol, "settings"))]
        cells = (_id(protocol), _source(protocol), ", ".join(own), ", ".join(settings))
        table.add_row(*map(Text, cells))
    return table


def _routing(routing: Json) -> RenderableType:
    table = _table("routing protocol", "source", "profiles")
    for protocol in items(routing):
        profiles = ", ".join(_id(profile) for profile in items(protocol, "profiles"))
        table.add_row(*map(Text, (_id(protocol), _source(protocol), profiles)))
    return table


def _in_full(protocol: Json, slots: Json) -> RenderableType:
    decides = {str(at(slot, "slot")): str(at(slot, "decides")) for slot in items(slots)}
    table = _table("slot", "mechanism", "what it decides")
    for slot, part in _pairs(at(protocol, "slots")):
        table.add_row(*map(Text, (slot, _plain(part), decides.get(slot, ""))))
    return table


def _values(parameters: Iterable[tuple[Json, Json]]) -> RenderableType:
    table = _table("parameter", "default", "possible", "what it does")
    for parameter, value in parameters:
        name, possible, about = (str(at(parameter, key)) for key in ("name", "possible", "about"))
        table.add_row(*map(Text, (name, _plain(value), possible, about)))
    return table


def _parameters(parameters: Iterable[Json]) -> RenderableType:
    """A line per parameter: its default, and the slots or mechanisms that read it."""
    table = _table("parameter", "default", "read by")
    for parameter in parameters:
        cells = str(at(parameter, "name")), _plain(at(parameter, "default"))
        table.add_row(*map(Text, (*cells, _words(at(parameter, "used_by")))))
    return table


def _console(console: Console | None) -> Console:
    width = None if sys.stdout.isatty() else WIDTH
    return console or standard_output(width)


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for title in titles[:-1]:
        table.add_column(title, overflow="fold")
    table.add_column(titles[-1], ratio=1, overflow="fold")
    return table


def _pairs(table: Json) -> list[tuple[str, Json]]:
    return list(table.items()) if isinstance(table, dict) else []


def _words(words: Json) -> str:
    return ", ".join(str(word) for word in items(words))


def _id(row: Json) -> str:
    return str(at(row, "id"))


def _source(row: Json) -> str:
    return str(at(row, "source") or "")


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
