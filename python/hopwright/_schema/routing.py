"""The routing protocols, as the schema of the scenario file knows them."""

from hopwright._io.data import Json, Object, at, items


def routing_protocols(schema: Json) -> list[Json]:
    """Each protocol: `id`, `source`, `profiles` (`id` and `source` of each), `parameters`.

    Parameters have the defaults of the first profile, null where it does not know them; `static`
    has neither.
    """
    table = at(schema, "properties", "routing", "properties")
    return [
        {**each, **_of_table(at(table, str(each["id"]), "properties"))}
        for each in _words(at(table, "protocol"))
    ]


def _of_table(table: Json) -> Object:
    """What the table of a protocol's parameters says; `static` has no table."""
    keys = table if isinstance(table, dict) else {}
    profiles: list[Json] = [*_words(keys.get("profile"))]
    return {
        "profiles": profiles,
        "parameters": {key: at(each, "default") for key, each in keys.items() if key != "profile"},
    }


def _words(key: Json) -> list[Object]:
    """The words that a key takes, and what stands behind each."""
    told = items(key, "x-taplo", "docs", "enumValues")
    return [
        {"id": word, "source": str(about).rstrip(".")}
        for word, about in zip(items(key, "enum"), told, strict=True)
    ]
