"""The keys of a scenario file, as --set and --vary take them."""

from collections.abc import Iterator

from hopwright._io.data import Json, at, items


def scenario_keys(schema: Json) -> list[str]:
    """All keys that hold a value, such as `topology.hops`, in the order of the schema, each once.

    `flows.to` stands for that of every flow; there is no such word for lists in lists.
    """
    return list(dict.fromkeys(_keys(schema, "", is_listed=False)))


def _keys(table: Json, above: str, *, is_listed: bool) -> Iterator[str]:
    for branch in (table, *items(table, "oneOf")):
        properties = at(branch, "properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            key = f"{above}{name}"
            inner = at(schema, "items") if at(schema, "type") == "array" else None
            is_list = _is_table(inner)
            if is_list and is_listed:
                continue
            held = inner if is_list else schema
            if _is_table(held):
                yield from _keys(held, f"{key}.", is_listed=is_listed or is_list)
            if not is_list and (not _is_table(schema) or at(schema, "enum")):
                yield key


def _is_table(schema: Json) -> bool:
    return any(at(branch, "properties") for branch in (schema, *items(schema, "oneOf")))
