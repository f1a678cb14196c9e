"""Python classes of the scenario file, from its JSON schema: `hopwright schema --python`.

One class for each table; for each kind of table where there are several (`Chain`, `Grid`, ...). The
schema is the only source, and the validator in Rust the only judge: the classes check nothing.
"""

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopwright._io.data import Json, Object, at, items, number

WIDTH = 100
SHORT = 40
"""Words that are together longer than this get a type of their own."""
HEAD = '''\
"""The tables of a scenario, as classes. Written by `make reference`; do not edit.

A key that is left out, or `None`, has the default that its text names. What a value may be is
checked when the scenario is used: see `Scenario.check`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hopwright._schema.typed import ScenarioTable, Table
'''

NAMES = {
    "links": "Link",
    "links.reverse": "LinkShape",
    "links.changes": "LinkChange",
    "links.changes.reverse": "LinkShape",
    "links.profile": "LinkProfile",
    "links.changes.profile": "LinkProfile",
    "links.profile.pipes": "ProfilePipe",
    "links.changes.profile.pipes": "ProfilePipe",
    "relays.snoop": "SnoopRelay",
    "relays.split": "SplitRelay",
    "flows.transport.triggers": "Trigger",
    "flows.transport.triggers.when": "Condition",
    "flows.transport.triggers.set": "Mechanisms",
    "radio.energy": "Powers",
    "topology.random": "RandomNodes",
    "topology.ns2": "Ns2Movements",
    "topology.bonnmotion": "BonnMotionMovements",
    "topology.sumo-fcd": "SumoFcd",
    "flows.onoff": "OnOffFlow",
    "flows.transport.tcp": "Tcp",
    "flows.transport.udp": "Udp",
}
"""What a class is called where the table's or the kind's own name would say too little."""

WORDS = {("SplitRelay", "protocol"): "TcpProtocolWord"}
"""What the words of a class' key are called where another class has more under the same key."""

KEYWORDS = {"from"}
"""Keys that Python does not allow as names: an underscore follows there."""


class Class(NamedTuple):
    """A class to be written."""

    name: str
    description: str
    schema: Json
    tag: tuple[str, str] | None
    """The key that tells this kind of table from others, and its word."""
    tables: dict[str, tuple[str, ...]]
    """The keys that hold tables, and the classes of these."""


def classes_page(schema: Json) -> str:
    """The Python file of all classes."""
    written: dict[str, Class] = {}
    tables: dict[str, tuple[str, ...]] = {}
    for key, table in _properties(schema):
        if _is_table(table):
            tables[key] = tuple(each.name for each in _classes(key, table, written))
    root = Class("Scenario", str(at(schema, "description")), schema, None, tables)
    words = dict.fromkeys(word for each in [*written.values(), root] for word in _long_words(each))
    head = HEAD + "\n" + "\n\n".join(words) + "\n"
    parts = [head, *(_class(each, "Table") for each in written.values())]
    unions = [
        (_alias(key), names)
        for key, names in [*tables.items(), *_inner_tables(written)]
        if len(names) > 1
    ]
    alias = [_union(name, names) for name, names in unions]
    names = sorted(["Scenario", *written, *(name for name, _ in unions)])
    listed = "".join(f"    {quoted(name)},\n" for name in names)
    parts += ["".join(alias), _class(root, "ScenarioTable"), f"__all__ = [\n{listed}]\n"]
    parts.append("def __dir__() -> list[str]:\n    return sorted(__all__)\n")
    return "\n\n".join(parts)


def _classes(path: str, table: Json, written: dict[str, Class]) -> Iterator[Class]:
    """The classes of a table: one, or one for each of its kinds."""
    if at(table, "type") == "array":
        table = at(table, "items")
    for branch in _table_branches(table) or [table]:
        tag = next(
            (
                (key, str(at(inner, "const")))
                for key, inner in _properties(branch)
                if at(inner, "const") is not None
            ),
            None,
        )
        name = _name(path, branch, tag)
        if name not in written:
            inner = {
                key: tuple(each.name for each in _classes(f"{path}.{key}", sub, written))
                for key, sub in _properties(branch)
                if _is_table(sub)
            }
            about = str(at(branch, "description") or at(table, "description"))
            written[name] = Class(name, about, branch, tag, inner)
        yield written[name]


def _name(path: str, branch: Json, tag: tuple[str, str] | None) -> str:
    last = path.rpartition(".")[2]
    if path == "flows.transport":
        kind = "tcp" if at(branch, "properties", "protocol", "x-slots") else "udp"
        return NAMES[f"{path}.{kind}"]
    if tag is None:
        return NAMES.get(path) or _pascal(last)
    known = NAMES.get(f"{path}.{tag[1]}")
    return known or _pascal(tag[1]) + ("Flow" if path == "flows" else "")


def _class(each: Class, base: str) -> str:
    lines = [
        "@dataclass(frozen=True, kw_only=True, repr=False)",
        f"class {each.name}({base}):",
        *doc(each.description),
    ]
    if each.tag:
        lines += [f"    TAG: ClassVar[tuple[str, str] | None] = {_pair(each.tag)}", ""]
    if each.tables:
        known = [_entry(key, names) for key, names in each.tables.items()]
        kind = "ClassVar[dict[str, tuple[type[Table], ...]]]"
        lines += [f"    TABLES: {kind} = {{", *known, "    }", ""]
    required = {str(key) for key in items(each.schema, "required")}
    keys = [pair for pair in _properties(each.schema) if at(pair[1], "const") is None]
    keys.sort(key=lambda pair: pair[0] not in required)
    for key, schema in keys:
        lines += _field(key, schema, each, is_required=key in required)
    return "\n".join(lines).rstrip() + "\n"


def _field(key: str, schema: Json, of: Class, *, is_required: bool) -> list[str]:
    name = key + ("_" if key in KEYWORDS else "")
    value = "" if is_required else " | None = None"
    return [f"    {name}: {_type(key, schema, of)}{value}", *doc(_meaning(schema))]


def _long_words(of: Class) -> Iterator[str]:
    """The types that get a name, because there are too many words for one line."""
    for key, schema in _properties(of.schema):
        inner = at(schema, "items") if at(schema, "type") == "array" else schema
        words = [str(word) for word in items(inner, "enum")]
        if _is_long(words):
            lines = "".join(f"    {quoted(word)},\n" for word in words)
            yield f"{_word_type(key, of)}: TypeAlias = Literal[\n{lines}]"


def _is_long(words: Sequence[str]) -> bool:
    return len(", ".join(words)) > SHORT


def _word_type(key: str, of: Class) -> str:
    return WORDS.get((of.name, key), f"{_pascal(key)}Word")


def _type(key: str, schema: Json, of: Class) -> str:
    if key in of.tables:
        names = of.tables[key]
        kind = _alias(key) if len(names) > 1 else names[0]
        words = [branch for branch in items(schema, "oneOf") if not _is_table(branch)]
        kind = " | ".join([*(_value_type(key, branch, of) for branch in words), kind])
        return f"Sequence[{kind}]" if at(schema, "type") == "array" else kind
    return _value_type(key, schema, of)


def _value_type(key: str, schema: Json, of: Class) -> str:
    words = [str(word) for word in items(schema, "enum")]
    if words:
        short = f"Literal[{', '.join(quoted(word) for word in words)}]"
        return _word_type(key, of) if _is_long(words) else short
    if at(schema, "oneOf"):
        return " | ".join(_value_type(key, branch, of) for branch in items(schema, "oneOf"))
    if at(schema, "type") == "array":
        return f"Sequence[{_value_type(key, at(schema, 'items'), of)}]"
    return {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}[
        str(at(schema, "type"))
    ]


def _meaning(schema: Json) -> str:
    """What the key does, its limits, its default."""
    said = [str(at(schema, "description"))]
    limits = _limits(schema)
    if limits:
        said.append(f"{limits}.")
    if isinstance(schema, dict) and "default" in schema and "Default:" not in said[0]:
        said.append(f"Default: {_python(schema['default'])}.")
    return " ".join(said)


def _limits(schema: Json) -> str:
    least, above = number(schema, "minimum"), number(schema, "exclusiveMinimum")
    most = number(schema, "maximum")
    if most is None:
        return ""
    return f"{least:g} to {most:.16g}" if least is not None else f"Above {above:g}, to {most:.16g}"


def doc(text: str) -> list[str]:
    """A docstring; its first sentence is its first line, where both fit."""
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += "."
    if len(text) + 10 <= WIDTH:
        return [f'    """{text}"""', ""]
    first, stop, rest = text.partition(". ")
    if not stop or len(first) > WIDTH - 9:
        lines = textwrap.wrap(text, WIDTH - 8)
        return [f'    """{lines[0]}', *(f"    {line}" for line in lines[1:]), '    """', ""]
    wrapped = textwrap.wrap(rest, WIDTH - 4)
    return [f'    """{first}.', "", *(f"    {line}" for line in wrapped), '    """', ""]


def _inner_tables(written: dict[str, Class]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for each in written.values():
        yield from each.tables.items()


def _alias(key: str) -> str:
    return _pascal(key.removesuffix("s"))


def _pascal(word: str) -> str:
    return "".join(part.capitalize() for part in word.replace("_", "-").split("-"))


def _union(name: str, names: Sequence[str]) -> str:
    """A name for one of several classes, in as many lines as it needs."""
    line = f"{name}: TypeAlias = {' | '.join(names)}\n"
    if len(line) <= WIDTH + 1:
        return line
    inner = f"    {' | '.join(names)}\n"
    if len(inner) > WIDTH + 1:
        inner = "    " + "\n    | ".join(names) + "\n"
    return f"{name}: TypeAlias = (\n{inner})\n"


def _entry(key: str, names: Sequence[str]) -> str:
    """What a key that holds tables may hold, in as many lines as it needs."""
    line = f'        "{key}": {_tuple(names)},'
    if len(line) <= WIDTH:
        return line
    listed = "".join(f"            {name},\n" for name in names)
    return f'        "{key}": (\n{listed}        ),'


def _tuple(names: Sequence[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"


def _pair(words: Sequence[str]) -> str:
    return f"({', '.join(quoted(word) for word in words)})"


def quoted(word: str) -> str:
    """A word as Python writes it."""
    return f'"{word}"'


def _python(value: Json) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_python(each) for each in value)}]"
    return quoted(value) if isinstance(value, str) else f"{value}"


def _is_table(schema: Json) -> bool:
    """Whether a key holds a table or a list of tables, or may hold a table instead of a word."""
    inner = at(schema, "items") if at(schema, "type") == "array" else schema
    return at(inner, "type") == "object" or bool(_table_branches(inner))


def _table_branches(schema: Json) -> list[Json]:
    """The kinds of table that a key may hold, where it has a choice."""
    return [b for b in items(schema, "oneOf") if at(b, "type") == "object"]


def _properties(table: Json) -> list[tuple[str, Json]]:
    properties = at(table, "properties")
    known: Object = properties if isinstance(properties, dict) else {}
    return [(key, schema) for key, schema in known.items() if at(schema, "x-same-as") is None]
