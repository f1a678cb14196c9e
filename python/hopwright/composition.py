"""The transport protocols as a person reads them: what each is made of, and what can be set."""

import json
import sys

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hopwright.data import Json, at, items


def print_protocols(protocols: Json, console: Console | None = None) -> None:
    """Prints each protocol's source and parts, then each parameter with its default."""
    console = console or Console(file=sys.stdout, highlight=False)
    console.print(Group(_parts(protocols), Text(), _parameters(protocols)))


def _parts(protocols: Json) -> RenderableType:
    table = _table("protocol", "source", "slot: part")
    for protocol in items(protocols):
        slots = at(protocol, "slots")
        pairs = slots.items() if isinstance(slots, dict) else ()
        parts = ", ".join(f"{slot}: {_plain(part)}" for slot, part in pairs)
        table.add_row(Text(_id(protocol)), Text(str(at(protocol, "source") or "")), Text(parts))
    return table


def _parameters(protocols: Json) -> RenderableType:
    """A line per parameter and default; who reads it, where that is not every protocol."""
    readers: dict[tuple[str, str], list[str]] = {}
    for protocol in items(protocols):
        parameters = at(protocol, "parameters")
        for name, default in parameters.items() if isinstance(parameters, dict) else ():
            readers.setdefault((name, _plain(default)), []).append(_id(protocol))
    table = _table("parameter", "default", "read by")
    for (name, default), ids in readers.items():
        everybody = len(ids) == len(items(protocols))
        table.add_row(Text(name), Text(default), Text("all" if everybody else ", ".join(ids)))
    return table


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for title in titles[:-1]:
        table.add_column(title)
    table.add_column(titles[-1], ratio=1)
    return table


def _id(protocol: Json) -> str:
    return str(at(protocol, "id"))


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
