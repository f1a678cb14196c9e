"""`[[measures]]` of a paper's file: what is counted in every run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hopwright._io.errors import InputError
from hopwright.research.papers.fields import Fields, Value, spot
from hopwright.sweeps.features import check_names

Kind = Literal["amount", "count"]
"""What a measure's tolerance goes by: amounts (segments, seconds, means), counts of events."""


@dataclass(frozen=True)
class Measure:
    """A number of every run: results added up, maybe divided by others, or what a function says."""

    id: str
    title: str
    kind: Kind
    reference: str
    """The reference table's column, without `_mean`; empty if it has none."""
    terms: tuple[tuple[int, str], ...] = ()
    """Sign, +1 or -1, and column of the results; a field of flows is added up over the flows."""
    per: tuple[tuple[int, str], ...] = ()
    """What the sum is divided by, likewise added up; empty: by nothing."""
    flow: int | None = None
    """The only flow that counts, from 0; None: all."""
    is_share: bool = False
    """Whether it is what the flow has of all flows' sum, in percent."""
    function: str = ""
    """Of Python, in place of a sum: beside the file, or of `papers/functions/`."""
    arguments: Mapping[str, Value] = field(default_factory=dict)
    """What the function is given beside the run."""
    where: str = field(default="", compare=False)
    """File and line that it stands in, for errors about its runs."""


SUMS = ("sum", "per", "flow", "share")
"""Keys of measures that are made of results."""


def read_measure(values: Mapping[str, Value], path: Path) -> Measure:
    """One of `[[measures]]`. Raises `InputError`."""
    where = f"{spot(values, path)}: [[measures]]"
    fields = Fields(values, where, ("id", "title", *SUMS, "function", "with", "kind", "reference"))
    name = fields.text("id")
    where = f"{where} {name}"
    kind = fields.word("kind", ("amount", "count"))
    if "function" in fields:
        if sums := [key for key in SUMS if key in fields]:
            raise InputError(f"{where}: with function, omit {', '.join(sums)}")
    elif "with" in fields:
        raise InputError(f"{where}: with: needs function, which is missing")
    if fields.flag("share") and ("flow" not in fields or "per" in fields):
        raise InputError(f"{where}: share: give one flow, such as flow = 0, and omit per")
    added = () if "function" in fields else terms(fields.texts("sum"))
    per = terms(fields.texts("per", []))
    try:
        check_names([one for _, words in (*added, *per) for one in words.split("|")])
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    return Measure(
        id=name,
        title=fields.text("title"),
        kind="count" if kind == "count" else "amount",
        reference=fields.text("reference", ""),
        terms=added,
        per=per,
        flow=fields.whole("flow", 0) if "flow" in fields else None,
        is_share=fields.flag("share"),
        function=fields.text("function") if "function" in fields else "",
        arguments=fields.table("with"),
        where=where,
    )


def terms(texts: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """`["a", "-b"]` as signs and names."""
    return tuple((-1, text[1:]) if text.startswith("-") else (1, text) for text in texts)
