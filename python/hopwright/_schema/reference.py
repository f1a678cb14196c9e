"""The reference page of the scenario file, from its JSON schema."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hopwright._io.data import Json, Object, at, items, number

HEAD = """\
# The scenario file

Written by `make reference` from `hopwright schema`; do not edit.

A scenario is one TOML file. Keys have their unit in their name. A key without a default must be
given, unless its meaning says otherwise. The column *ns2* has the defaults that `profile = "ns2"`
changes. `hopwright check FILE` prints a file with every default filled in.

`hopwright schema > scenario.schema.json` writes the JSON schema from which this page is made.
Editors that know TOML and JSON schemas complete and check scenarios with this schema, if the first
line of the scenario is `#:schema ./scenario.schema.json`.
"""

PROFILE_HINT = " With profile = "
"""Where a description starts to repeat the default of profile ns2, which has a column here."""

AS_PROTOCOL = " Default: the mechanism of the protocol."
"""How the description of every slot ends."""

ALSO = "The keys of `{}` for properties of the link are allowed here, too."
EACH = "Each entry is one table, in double brackets."
FLOWS = """\
Each flow is one table, in double brackets. The ends of a flow are either named (`from` and `to`)
or drawn (`pairs`)."""
TRANSPORT = """\
`protocol` names a row of the table below. With app = {} the protocol is `udp` (RFC 768), which has
no slots and no parameters."""
SLOTS = """\
A slot is one decision of a protocol. A key with the name of the slot puts another mechanism into
the slot, for example `acking = "delayed"`."""
PARAMETERS = """\
The column *read by* says what reads a parameter: the engine, every mechanism of a slot, or one
mechanism of a slot."""


class Row(NamedTuple):
    """A key, its schema, and the kinds of table that have it (empty: there is only one kind)."""

    key: str
    schema: Json
    kinds: tuple[str, ...] = ()


def reference_page(schema: Json) -> str:
    """The page, in Markdown."""
    parts = [HEAD, "## At the top of the file\n", _table(_rows(schema))]
    for name, table in _properties(schema):
        if _is_table(table):
            parts += _section(name, table)
    return "\n".join(parts)


def _section(name: str, table: Json) -> list[str]:
    about = str(at(table, "description"))
    if at(table, "type") == "array":
        if name == "flows":
            return _flows(name, at(table, "items"), about)
        branches = items(table, "items", "oneOf")
        if not branches:
            return _list("##", name, table)
        tag = _tag(branches[0])
        parts = [f"## `[[{name}]]`\n", f"{about} {EACH}\n"]
        return [*parts, _kinds(branches, tag), _table(_merged(branches, tag), tag)]
    parts = [f"## `[{name}]`\n", f"{about}\n"]
    branches = items(table, "oneOf")
    if branches:
        tag = _tag(branches[0])
        parts += [_kinds(branches, tag), _table(_merged(branches, tag), tag)]
    else:
        parts.append(_table(_rows(table)))
    for inner, sub_table in _properties(table):
        if _is_table(sub_table):
            parts += _section(f"{name}.{inner}", sub_table)
        for instead in items(sub_table, "oneOf"):
            if not _is_table(sub_table) and _is_table(instead):
                parts += _section(f"{name}.{inner}", instead)
    return parts


def _list(level: str, name: str, table: Json, above: Sequence[Row] = ()) -> list[str]:
    """A table, or a list of tables, all of one kind; `above`: rows that stand there already."""
    is_list = at(table, "type") == "array"
    entry = at(table, "items") if is_list else table
    known = {row.key: row.schema for row in above}
    rows = _rows(entry)
    own = [row for row in rows if known.get(row.key) != row.schema]
    also = f" {ALSO.format(name.rpartition('.')[0])}" if len(own) < len(rows) else ""
    title = f"[[{name}]]" if is_list else f"[{name}]"
    parts = [f"{level} `{title}`\n", f"{at(table, 'description')}{also}\n"]
    if own:
        parts.append(_table(own))
    for key, inner in _properties(entry):
        if _is_table(inner):
            parts += _list(f"{level}#" if level == "##" else level, f"{name}.{key}", inner, rows)
        for instead in items(inner, "oneOf"):
            if not _is_table(inner) and _is_table(instead):
                parts += _list("###", f"{name}.{key}", instead, rows)
    return parts


def _tag(branch: Json) -> str:
    """The key that tells kinds of a table apart."""
    return next(key for key, schema in _properties(branch) if at(schema, "const") is not None)


def _flows(name: str, flow: Json, description: str) -> list[str]:
    branches = items(flow, "oneOf")
    carried = [at(branch, "properties", "transport") for branch in branches]
    tcp = next(table for table in carried if at(table, "properties", "protocol", "x-slots"))
    datagrams = [
        _code(at(branch, "properties", "app", "const"))
        for branch, transport in zip(branches, carried, strict=True)
        if transport != tcp
    ]
    return [
        f"## `[[{name}]]`\n",
        f"{description} {FLOWS}\n",
        _kinds(branches, "app"),
        _table(_merged(branches, "app"), "app"),
        f"## `[{name}.transport]`\n",
        f"{at(tcp, 'description')} {TRANSPORT.format(' and '.join(datagrams))}\n",
        *_composition(tcp),
    ]


def _composition(tcp: Json) -> list[str]:
    """The tables of protocols, of slots, of parameters."""
    protocol = at(tcp, "properties", "protocol")
    default = at(protocol, "default")
    slots = dict(_pairs(at(protocol, "x-slots", str(default))))
    protocols = []
    for word, source in _meanings(protocol):
        parts = _pairs(at(protocol, "x-slots", word))
        shown = ", ".join(f"{slot} {_code(part)}" for slot, part in parts)
        protocols.append(
            (_code(word) + (", the default" if word == default else ""), source, shown)
        )
    decisions, parameters = [], []
    for key, schema in _properties(tcp):
        if key in slots:
            parts_of = [f"{_code(word)} ({source})" for word, source in _meanings(schema)]
            decides = _description(schema).removesuffix(AS_PROTOCOL)
            decisions.append((_code(key), decides, "<br>".join(parts_of)))
        elif key != "protocol" and not _is_table(schema):
            parameters.append(Row(key, schema, (str(at(schema, "x-used-by")),)))
    return [
        markdown(("protocol", "source", "slots"), protocols),
        f"### Slots\n\n{SLOTS}\n",
        markdown(("slot", "decides", "mechanisms"), decisions),
        f"### Parameters\n\n{PARAMETERS}\n",
        _table(parameters, "read by"),
        *_list("###", "flows.transport.triggers", at(tcp, "properties", "triggers")),
    ]


def _table(rows: Sequence[Row], of: str = "") -> str:
    """A table of keys; `of` titles the column of their kinds."""
    with_ns2 = any(at(row.schema, "x-default-ns2") is not None for row in rows)
    with_limits = any(_limits(row.schema) for row in rows)
    titles = [
        "key",
        of,
        "type",
        "default",
        "ns2" if with_ns2 else "",
        "limits" if with_limits else "",
        "meaning",
    ]
    cells = [
        (
            _code(row.key),
            ", ".join(row.kinds),
            _type(row.schema),
            _default(row.schema),
            _ns2(row.schema),
            _limits(row.schema),
            _meaning(row.schema),
        )
        for row in rows
    ]
    shown = [n for n, title in enumerate(titles) if title]
    return markdown([titles[n] for n in shown], [[row[n] for n in shown] for row in cells])


def markdown(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a row's cells are one line each."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join("| " + " | ".join(_cell(text) for text in line) + " |\n" for line in lines)


def _cell(text: str) -> str:
    """A row is one line, so a text of several, as comments in the sources are, becomes one."""
    return " ".join(text.split()).replace("|", "\\|")


def _kinds(branches: Sequence[Json], tag: str) -> str:
    rows = []
    for branch in branches:
        word = at(branch, "properties", tag)
        default = ", the default" if at(word, "default") is not None else ""
        rows.append((_code(at(word, "const")) + default, str(at(branch, "description"))))
    return markdown((f"`{tag}`", "meaning"), rows)


def _rows(table: Json) -> list[Row]:
    return [Row(key, schema) for key, schema in _properties(table) if not _is_table(schema)]


def _merged(branches: Sequence[Json], tag: str) -> list[Row]:
    """The keys of all branches; one that several share stands once."""
    rows: dict[str, list[Row]] = {}
    for branch in branches:
        kind = _code(at(branch, "properties", tag, "const"))
        for key, schema in _properties(branch):
            if key == tag or _is_table(schema):
                continue
            known = rows.setdefault(key, [])
            alike = next((n for n, row in enumerate(known) if row.schema == schema), None)
            if alike is None:
                known.append(Row(key, schema, (kind,)))
            else:
                known[alike] = Row(key, schema, (*known[alike].kinds, kind))
    return [
        row._replace(kinds=("all",)) if len(row.kinds) == len(branches) else row
        for alike in rows.values()
        for row in alike
    ]


def _type(schema: Json) -> str:
    if at(schema, "enum") or at(schema, "const"):
        return "word"
    if at(schema, "oneOf"):
        return " or ".join(_type(branch) for branch in items(schema, "oneOf"))
    if _is_table(schema):
        return "table"
    if at(schema, "type") == "array":
        inner = at(schema, "items")
        if at(inner, "type") == "array":
            return f"list of [{', '.join(['number'] * int(number(inner, 'minItems') or 0))}]"
        return f"list of {_type(inner).replace('word', 'words').replace('number', 'numbers')}"
    names = {"boolean": "true or false", "integer": "whole number", "string": "text"}
    kind = str(at(schema, "type"))
    return names.get(kind, kind)


def _default(schema: Json) -> str:
    known = isinstance(schema, dict) and "default" in schema
    return _toml(at(schema, "default")) if known else ""


def _ns2(schema: Json) -> str:
    if at(schema, "x-only-profile") == "rfc":
        return "none"
    value = at(schema, "x-default-ns2")
    if value is None:
        return ""
    others = at(schema, "x-default-ns2-routing")
    by_value: dict[str, list[str]] = {}
    for protocol, other in others.items() if isinstance(others, dict) else ():
        by_value.setdefault(_toml(other), []).append(protocol)
    return _toml(value) + "".join(f"; {v} with {', '.join(p)}" for v, p in by_value.items())


def _limits(schema: Json) -> str:
    for inner in (
        schema,
        at(schema, "items"),
        at(schema, "items", "items"),
        at(schema, "oneOf", 0, "items"),
    ):
        least, above = number(inner, "minimum"), number(inner, "exclusiveMinimum")
        most = number(inner, "maximum")
        if most is not None:
            return f"{least} to {most}" if least is not None else f"above {above}, to {most}"
    return ""


def _meaning(schema: Json) -> str:
    """What the key does, then what each of its words means."""
    inner = at(schema, "items") if at(schema, "type") == "array" else schema
    words = [
        f"{_code(word)}: {meaning}" if meaning else _code(word)
        for each in [inner, *(b for b in items(inner, "oneOf") if at(b, "x-taplo"))]
        for word, meaning in _meanings(each)
    ]
    return "<br>".join([_description(schema), *words])


def _description(schema: Json) -> str:
    return str(at(schema, "description")).split(PROFILE_HINT)[0].rstrip()


def _meanings(schema: Json) -> list[tuple[str, str]]:
    words = [str(word) for word in items(schema, "enum")]
    meanings = [str(text) for text in items(schema, "x-taplo", "docs", "enumValues")]
    return list(zip(words, meanings or [""] * len(words), strict=True))


def _is_table(schema: Json) -> bool:
    """Whether a key holds a table, or a list of tables."""
    inner = at(schema, "items") if at(schema, "type") == "array" else schema
    return at(inner, "type") == "object" or at(inner, "oneOf", 0, "type") == "object"


def _properties(table: Json) -> list[tuple[str, Json]]:
    """Keys of a table, each once: without tables of keys that stand elsewhere, too."""
    found = _pairs(at(table, "properties"))
    return [(key, schema) for key, schema in found if at(schema, "x-same-as") is None]


def _pairs(value: Json) -> list[tuple[str, Json]]:
    table: Object = value if isinstance(value, dict) else {}
    return list(table.items())


def _toml(value: Json) -> str:
    return _code(json.dumps(value, ensure_ascii=False))


def _code(text: Json) -> str:
    return f"`{text}`"
