"""The page of all fields of results, from their JSON schema: `hopwright schema --results`."""

from collections.abc import Iterator
from typing import NamedTuple

from hopwright._io.data import Json, at, items, table
from hopwright._schema.reference import markdown

HEAD = """\
# Fields of results

This page lists every field of `summary.json`, with its unit and its meaning.
[results.md](results.md) explains how to read results. `make reference` writes this page from
`hopwright schema --results`; do not edit it.

A dot separates the levels of a name, as in the columns of tables; `[]` follows the name of a list.
A field without a unit is a count, or its meaning says what it is. The column *of* names the object
that has the field. The column *better* says whether higher or lower values are an improvement; an
empty cell means that this depends on what you want.
"""

TITLES = ("field", "of", "unit", "better", "meaning")
FLOWS = {"TCP": "TCP flow", "ATP": "ATP flow", "bundles": "flow over bundles"}
"""What a flow is called of which only a kind has a field."""
APART = {
    "ATP flow": "Fields of a flow over ATP",
    "flow over bundles": "Fields of a flow over bundles",
    "hops": "Fields of the per-hop report",
    "snoop": "Fields of a snoop relay",
    "split": "Fields of a split relay",
}
"""Kinds whose own fields have a section, if its heading does not follow from the kind."""
CONDITION = "Only if "
"""How headings begin of fields that not every result has."""


class Row(NamedTuple):
    """A field, and the section in which it stands."""

    section: str
    field: str
    of: str
    schema: Json

    def cells(self) -> tuple[str, ...]:
        """What the page says of it."""
        said = (str(at(self.schema, keyword) or "") for keyword in ("x-unit", "x-better"))
        unit, better = (word if word != "neither" else "" for word in said)
        meaning = " ".join(str(at(self.schema, "description") or "").split())
        return f"`{self.field}`", self.of, unit, better, meaning


def results_page(schema: Json) -> str:
    """The page, in Markdown."""
    result = at(schema, "properties", "results", "items")
    flow = at(result, "properties", "flows", "items")
    summary = [
        Row("The summary", name, "", part) for name, part in table(schema, "properties").items()
    ]
    rows = [
        *_kinds(flow),
        *(row for row in _rows(result, "run") if not row.field.startswith("flows[]")),
        *_rows(at(schema, "properties", "hops"), "hops"),
    ]
    sections: dict[str, list[Row]] = {"The summary": summary}
    for row in sorted(rows, key=lambda row: row.section.startswith(CONDITION)):
        sections.setdefault(row.section, []).append(row)
    parts = [HEAD]
    for title, those in sections.items():
        parts += [f"## {title}\n", markdown(*_without_empty([row.cells() for row in those]))]
    parts += ["## Causes of drops\n", _causes(at(flow, "properties", "drops"))]
    return "\n".join(parts)


def _kinds(flow: Json) -> Iterator[Row]:
    """What all flows have, then what kinds have."""
    yield from _rows(flow, "flow")
    for kind in items(flow, "anyOf"):
        if of := FLOWS.get(str(at(kind, "x-of"))):
            yield from _rows(kind, of)


def _rows(schema: Json, of: str, before: str = "") -> Iterator[Row]:
    for kind in items(schema, "oneOf"):
        yield from _rows(kind, str(at(kind, "properties", "kind", "const")), before)
    for name, part in table(schema, "properties").items():
        field = f"{before}{name}"
        if at(part, "description") is not None:
            yield Row(_section(part, of), field, of, part)
        if at(part, "x-tally") is None:
            yield from _rows(part, of, f"{field}.")
            yield from _rows(at(part, "items"), of, f"{field}[].")


def _section(schema: Json, of: str) -> str:
    when = [str(at(each, "if")) for each in items(schema, "x-when")]
    if when:
        return f"{CONDITION}{', or '.join(when)}"
    return APART.get(of) or f"Fields of a {'flow' if 'flow' in of else of}"


def _causes(drops: Json) -> str:
    parts = table(drops, "properties").items()
    rows = [(f"`{name}`", str(at(part, "description"))) for name, part in parts]
    return markdown(("cause", "meaning"), rows)


def _without_empty(rows: list[tuple[str, ...]]) -> tuple[list[str], list[list[str]]]:
    """Titles and rows, without columns in which nothing stands."""
    shown = [n for n in range(len(TITLES)) if any(row[n] for row in rows)]
    return [TITLES[n] for n in shown], [[row[n] for n in shown] for row in rows]
