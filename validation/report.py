"""The report, in Markdown."""

from collections.abc import Iterator, Mapping, Sequence

from checks import Section
from hopwright.statistics.moments import Moments
from rows import Comparison, Row, Statement, show_percent, verdict

HEADING = """\
# Validation

Written by `make validate`; do not edit. What stands under [Gaps](#gaps) and [Known
differences](#known-differences) comes from `validation/gaps.md` and `validation/differences.md`.

    make validate                      all of it, under half an hour on two cores

    .venv/bin/python validation/validate.py --only static/goodput     some rows, to the terminal

Hopwright {version} against ns-2.35 (Debian's `ns2` 2.35+dfsg-5), ns-3.37 (`libns3-dev` 3.37-2) and
closed forms. The tables of their runs, what made them and how to make more stand in
`validation/ns2/` and `validation/ns3/`.

The ratio is own mean over reference mean. Its 95 % interval counts the noise of both sides (delta
method on the logarithm, Welch and Satterthwaite's degrees of freedom). **A row passes when the
whole interval lies within the tolerance.** n is the number of runs, each with its own seed; a
formula has none.
"""

COMPARISON_HEAD = """\
| row | own | n | reference | n | ratio | 95 % interval | within | verdict |
| --- | ---: | ---: | ---: | ---: | ---: | :---: | ---: | --- |"""

STATEMENT_HEAD = """\
| row | found | verdict |
| --- | --- | --- |"""

Rows = Mapping[str, Row]


def report(
    version: str, parts: Sequence[Section], rows: Rows, gaps: Mapping[str, str], differences: str
) -> Iterator[str]:
    """The lines of the report over the rows that were made; `differences` stands at its end."""
    yield from HEADING.format(version=version).splitlines()
    verdicts = [row.passes for row in rows.values()]
    judged = [passes for passes in verdicts if passes is not None]
    yield ""
    yield f"**{sum(judged)} of {len(judged)} rows pass.**"
    for part in parts:
        made = {entry.name: rows[entry.name] for entry in part.entries if entry.name in rows}
        if made:
            yield from ("", f"## {part.title}", "", part.text)
            yield from _tables(made)
    yield from ("", "## Gaps", "")
    yield from _gaps([name for name, row in rows.items() if row.passes is False], gaps)
    yield from ("", "## Known differences", "", *differences.splitlines())


def _tables(rows: Rows) -> Iterator[str]:
    comparisons = {n: row for n, row in rows.items() if isinstance(row, Comparison)}
    statements = {n: row for n, row in rows.items() if isinstance(row, Statement)}
    if comparisons:
        units = dict.fromkeys(row.unit.name for row in comparisons.values())
        named = [name or "counts" for name in units]
        yield from ("", f"Values in {' and '.join(named)}.", "", COMPARISON_HEAD)
    for name, row in comparisons.items():
        yield _line([name, *_cells(row), verdict(row)])
    if statements:
        yield from ("", STATEMENT_HEAD)
    for name, statement in statements.items():
        yield _line([name, statement.text, verdict(statement)])


def _cells(row: Comparison) -> list[str]:
    digits = 4 if row.tolerance is None or row.tolerance >= 0.005 else 5
    low, high = row.ratio.low, row.ratio.high
    return [
        row.unit.show(row.own.mean),
        _count(row.own),
        row.unit.show(row.reference.mean),
        _count(row.reference),
        f"{row.ratio.value:.{digits}f}",
        f"{low:.{digits}f} to {high:.{digits}f}",
        "–" if row.tolerance is None else show_percent(row.tolerance),
    ]


def _count(sample: Moments) -> str:
    return str(sample.n) if sample.n else "–"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _gaps(failed: Sequence[str], gaps: Mapping[str, str]) -> Iterator[str]:
    if not failed:
        yield "None."
        return
    grouped: dict[str, list[str]] = {}
    for name in failed:
        grouped.setdefault(explanation_of(name, gaps), []).append(name)
    for heading, names in grouped.items():
        shown = ", ".join(f"`{name}`" for name in names)
        yield f"- {shown}: {gaps.get(heading, 'not explained yet.')}"


def explanation_of(name: str, gaps: Mapping[str, str]) -> str:
    """The longest heading of `gaps` that the row's name begins with; empty if there is none."""
    return max((heading for heading in gaps if name.startswith(heading)), key=len, default="")


def read_gaps(text: str) -> dict[str, str]:
    """Explanations by heading: after each line `## beginning-of-a-row's-name`, a paragraph."""
    _, *parts = f"\n{text}".split("\n## ")
    split = (part.partition("\n") for part in parts)
    return {heading.strip(): " ".join(body.split()) for heading, _, body in split}
