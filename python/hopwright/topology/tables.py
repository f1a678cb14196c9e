"""What `hopwright topology` prints."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from hopwright._io import markup
from hopwright._io.data import Object, number
from hopwright._io.plural import many
from hopwright.topology.report import LONG_HOPS, SHORT_SHARE, Report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

Cells: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]
"""A table: its titles, and its rows."""

QUANTITIES = {
    "mean_degree": ("neighbours of a node", 1.0, ""),
    "links": ("links", 1.0, ""),
    "partitions": ("partitions", 1.0, ""),
    "largest_partition_share": ("nodes in the largest partition", 100.0, " %"),
    "joined_pairs_share": ("pairs that a path joins", 100.0, " %"),
}


def print_report(report: Report) -> None:
    """Prints the report on standard output."""
    from hopwright._io.console import standard_output

    console = standard_output()
    for part in _parts(report):
        console.print(part)


def text(report: Report) -> str:
    """What is printed, 80 columns wide."""
    from hopwright._io.console import text_of

    return text_of(*_parts(report)).rstrip("\n")


def html(report: Report) -> str:
    """The same for notebooks."""
    told = [markup.paragraph(_heading(report), bold=True)]
    return "".join([*told, *(markup.table(titles, rows) for titles, rows in _tables(report))])


def _parts(report: Report) -> "Iterator[RenderableType]":
    from rich.text import Text

    from hopwright._io.console import Whole

    yield Text(_heading(report), style="bold")
    for titles, rows in _tables(report):
        table = simple_table(*titles)
        for row in rows:
            table.add_row(*row)
        yield ""
        yield Whole(table)


def _heading(report: Report) -> str:
    first = report.runs[0]
    seeds = f"seed {first.seed}"
    if len(report.runs) > 1:
        seeds = f"seeds {first.seed} to {report.runs[-1].seed}"
    return (
        f"{report.scenario}: {many(first.nodes, 'node')}, {first.end_s:g} s, {seeds}, "
        f"links of up to {first.range_m:.0f} m, every {report.step_s:g} s"
    )


def _tables(report: Report) -> Sequence[Cells]:
    return _over_time(report), _links(report), _paths(report)


def simple_table(*titles: str) -> "Table":
    """A table with these titles, all but the first over numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place else "left", no_wrap=True)
    return table


def _over_time(report: Report) -> Cells:
    rows = []
    for name, values in report.over_time().items():
        said, scale, unit = QUANTITIES[name]
        rows.append([said, *(f"{value * scale:.1f}{unit}" for value in values)])
    return ("over time", "mean", "least", "most"), rows


def _links(report: Report) -> Cells:
    found = report.links()

    def shown(name: str) -> str:
        value = found[name]
        return "–" if value is None else f"{value:.2f}"

    rows = [
        ["changes per second", shown("changes_per_s")],
        ["seconds linked per break", shown("linked_s_per_break")],
        ["links that came up and broke", f"{found['complete']} of {found['contacts']}"],
    ]
    for name, said in (
        ("p10_s", "their lifetime, s: a tenth is below"),
        ("median_s", "half is below"),
        ("mean_s", "mean"),
        ("p90_s", "nine tenths are below"),
    ):
        rows.append([said, shown(name)])
    return ("links", ""), rows


def _paths(report: Report) -> Cells:
    found = report.paths()
    rows = [["pairs ever joined", f"{found['ever_joined']} of {found['pairs']}"]]
    for name, said in (
        ("mean_hops", "mean, hops"),
        ("median_hops", "half of the pairs are below"),
        ("p95_hops", "95 % are below"),
        ("largest_hops", "largest"),
    ):
        value = found.get(name)
        shown = f"{value:.2f}" if isinstance(value, float) else "–"
        rows.append([said, shown + _interval(found, name, "{:.2f}")])
    share = found.get(SHORT_SHARE)
    if isinstance(share, float):
        interval = _interval(found, SHORT_SHARE, "{:.1f}", 100)
        rows.append([f"pairs of up to {LONG_HOPS} hops", f"{100 * share:.1f} %{interval}"])
    return ("mean path of a pair while joined", ""), rows


def _interval(paths: Object, name: str, form: str, scale: float = 1) -> str:
    """The interval over runs, if there are several."""
    low, high = number(paths, "ci95", name, 0), number(paths, "ci95", name, 1)
    if low is None or high is None:
        return ""
    return f" ({form} to {form})".format(scale * low, scale * high)
