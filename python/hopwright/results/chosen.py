"""Which flows, and which settings, a question is about: the same for all that read results."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from hopwright._io.errors import InputError, near
from hopwright._schema.settings import plain, shown
from hopwright._schema.written import stands_for

Flows: TypeAlias = int | Sequence[int] | Literal["all"] | None
"""Flows as Python names them, counted from 0: one, several, or all of them."""

Wanted: TypeAlias = Mapping[str, object]
"""Keys with a value each, or with a list of values."""

Cells: TypeAlias = Mapping[str, Sequence[object]]
"""A table, by column."""

FLOW = "flow"
MOST_NAMED = 12
"""Values that an error names."""


def flow_list(wanted: Flows) -> tuple[int, ...] | None:
    """The flows, each once; None: all. Raises `InputError` for what is no flow's number."""
    if wanted is None or (isinstance(wanted, str) and wanted == "all"):
        return None
    is_list = isinstance(wanted, Iterable) and not isinstance(wanted, (str, bytes))
    found: list[Any] = [*cast("Iterable[Any]", wanted)] if is_list else [wanted]
    if not found:
        raise InputError("flow: names no flow; omit it to look at all of them")
    for each in found:
        if isinstance(each, bool) or not hasattr(each, "__index__") or int(each) < 0:
            raise InputError(
                f"flow {each!r}: is not the number of a flow; flows are counted from 0"
            )
    return tuple(dict.fromkeys(map(int, found)))


def check_flows(chosen: Iterable[int] | None, known: int | Iterable[int]) -> None:
    """Raises `InputError` if one of the flows is not there; `known`: which are, or how many."""
    there = range(known) if isinstance(known, int) else sorted(set(known))
    for flow in chosen or ():
        if flow not in there:
            raise InputError(f"flow {flow}: there is none; flows: {_listed(map(str, there))}")


def flows_text(flows: Sequence[int]) -> str:
    """`flow 1`, `flows 1 and 3`."""
    *first, last = map(str, flows)
    return f"flows {', '.join(first)} and {last}" if first else f"flow {last}"


def texts_of(where: Wanted | None) -> dict[str, list[str]]:
    """What Python asks for, as the command line writes it."""
    found = {}
    for key, wanted in (where or {}).items():
        values = wanted if isinstance(wanted, (list, tuple)) else [wanted]
        found[key] = [value if isinstance(value, str) else shown(plain(value)) for value in values]
    return found


def apart(where: Mapping[str, Sequence[str]], flows: Flows) -> tuple[dict[str, list[str]], Flows]:
    """`where` without the flows that it names, and the flows: `--where flow=1` is `--flow 1`.

    Raises `InputError` if both name flows.
    """
    others = {key: list(texts) for key, texts in where.items() if key != FLOW}
    if FLOW not in where:
        return others, flows
    if flows is not None:
        raise InputError("--flow and --where flow: use only one of them")
    numbers = where[FLOW]
    for text in numbers:
        if not text.isdecimal():
            raise InputError(f"--where flow={text}: is not the number of a flow, counted from 0")
    return others, [int(text) for text in numbers]


def rows_where(
    cells: Cells, where: Mapping[str, Sequence[str]], run: Sequence[str] = ()
) -> list[int]:
    """The rows in which each column has one of its values.

    `run`: the columns that name the run of a row. A run's rows are then kept or left out together:
    it has a value if one of its flows has it.

    Raises `InputError` for a column that is not there, and for a value that no row has, or none of
    those that the columns before leave.
    """
    rows = list(range(max(map(len, cells.values()), default=0)))
    names: Sequence[object] = [*zip(*(cells[name] for name in run), strict=True)] if run else rows
    for column, texts in where.items():
        if column not in cells:
            raise InputError(f"--where {column}: no such column{near(column, cells)}")
        of = cells[column]
        kept: set[object] = set()
        for text in texts:
            found = {names[row] for row in rows if stands_for(text, of[row])}
            if not found:
                known = dict.fromkeys(text_of(of[row]) for row in rows if of[row] is not None)
                raise InputError(
                    f"--where {column}={text}: no run has that; there are: {_listed(known)}"
                )
            kept |= found
        rows = [row for row in rows if names[row] in kept]
    return rows


def text_of(value: object) -> str:
    """A cell as people write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else shown(plain(value)) if value is not None else "none"


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    more = len(found) - MOST_NAMED
    named = ", ".join(found[:MOST_NAMED]) or "none"
    return f"{named}, and {more} more" if more > 0 else named
