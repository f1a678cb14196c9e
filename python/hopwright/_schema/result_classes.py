"""Python types of results, from their JSON schema: `hopwright schema --results --python`."""

from collections.abc import Iterator

from hopwright._io.data import Json, Object, at, items, table
from hopwright._schema.classes import doc, quoted

HEAD = '''\
"""Python types of results. Written by `make reference`; do not edit.

They are dictionaries, as `json.load` reads them from `summary.json`. A key that not every run has
is `NotRequired`.
"""

from typing import Literal, NotRequired, TypedDict

_From = TypedDict("_From", {"from": int})
'''
"""Python has no way to write a field called `from` in a class."""

NAMES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}


def results_classes(schema: Json) -> str:
    """The Python file of all types."""
    written: dict[str, str] = {}
    _class(schema, written)
    return "\n\n".join([HEAD, *written.values()])


def _class(schema: Json, written: dict[str, str]) -> str:
    """The name of an object's class, which is written if it is not yet."""
    name = str(at(schema, "title"))
    fields = {key: (part, _is_there(schema, key)) for key, part in _fields(schema)}
    base = "_From" if "from" in fields else "TypedDict"
    types = {key: _type(part, written) for key, (part, _) in fields.items()}
    lines = [f"class {name}({base}):", *doc(_about(schema))]
    for key, (part, is_there) in fields.items():
        if key != "from":
            kind = types[key] if is_there else f"NotRequired[{types[key]}]"
            lines += [f"    {key}: {kind}", *doc(_about(part))]
    written.setdefault(name, "\n".join(lines).rstrip() + "\n")
    return name


def _fields(schema: Json) -> Iterator[tuple[str, Json]]:
    """What an object may have, kinds' own fields last; one that several have stands once."""
    found: Object = dict(table(schema, "properties"))
    for kind in items(schema, "anyOf"):
        for key, part in table(kind, "properties").items():
            found.setdefault(key, part)
    yield from found.items()


def _is_there(schema: Json, key: str) -> bool:
    return key in items(schema, "required")


def _type(schema: Json, written: dict[str, str]) -> str:
    kinds = items(schema, "type") or [at(schema, "type")]
    return " | ".join(_one(str(kind), schema, written) for kind in kinds)


def _one(kind: str, schema: Json, written: dict[str, str]) -> str:
    if at(schema, "const") is not None:
        return f"Literal[{quoted(str(at(schema, 'const')))}]"
    if kind == "array":
        entry = at(schema, "items") or next(iter(items(schema, "prefixItems")), None)
        branches = items(entry, "oneOf") or [entry]
        return f"list[{' | '.join(_type(branch, written) for branch in branches)}]"
    if kind != "object":
        return NAMES[kind]
    if at(schema, "x-shape-of") is not None:
        return "Result"
    if at(schema, "title") is not None:
        return _class(schema, written)
    counted = next(iter(table(schema, "properties").values()), None)
    return f"dict[str, {_type(counted, written) if counted else 'object'}]"


def _about(schema: Json) -> str:
    unit = at(schema, "x-unit")
    said = str(at(schema, "description") or at(schema, "title") or "")
    return f"{said} Unit: {unit}." if unit else said
