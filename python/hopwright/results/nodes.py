"""What nodes are called where a person reads it: by their names, where a file of SUMO has them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from hopwright._io.data import Json, at, items, json_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes

T = TypeVar("T")

PLAIN = re.compile(r"(?!\d)[\w.:#/-]+")
"""A name that needs no quotation marks. One that starts with a digit could look like a number."""
NODE = re.compile(r"\bnode (\d+)\b")
"""How all sentences write a node."""


def node_text(number: object, name: object = None) -> str:
    """`taxi-B`; `"17"`, a name that could be a number; `3` for a node without a name."""
    if not isinstance(name, str):
        return str(number)
    return name if PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def name_of(names: Sequence[str], number: int) -> str:
    """The same of a node by its number. `names`: of all nodes; empty if they have none."""
    return node_text(number, names[number] if 0 <= number < len(names) else None)


def ends_of(flow: object) -> str:
    """`taxi-B → taxi-A`, or `0 → 8`. `flow`: a flow's result, or its row in a table."""
    told = flow if isinstance(flow, Mapping) else {}
    source = node_text(told.get("from"), told.get("from_name"))
    return f"{source} → {node_text(told.get('to'), told.get('to_name'))}"


def ends_in_runs(flows: Iterable[object]) -> str:
    """`ends_of` a flow in several runs; `random` where each run draws them anew."""
    return shared(map(ends_of, flows)) or "random"


def shared(values: Iterable[T]) -> T | None:
    """What runs have in common; None where they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def with_names(text: str, names: Sequence[str]) -> str:
    """A sentence that calls nodes `node 3`, with names in place of the numbers."""
    return NODE.sub(lambda found: f"node {name_of(names, int(found[1]))}", text) if names else text


def names_in(summary: Json) -> Sequence[str]:
    """The names of all nodes; none if the summary has none."""
    return [str(name) for name in items(summary, "names")] if at(summary, "names") else ()


def names_of_run(folder: Path) -> Sequence[str]:
    """The same of a run's folder."""
    try:
        return names_in(json_of(read_bytes(folder / "summary.json")))
    except (InputError, ValueError):
        return ()
