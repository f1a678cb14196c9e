"""What `hopwright topology` prints."""

from typing import TYPE_CHECKING

from hopwright._io.data import Object, number
from hopwright.topology.report import LONG_HOPS, SHORT_SHARE, Report

if TYPE_CHECKING:
    from rich.table import Table


QUANTITIES = {
    "mean_degree": ("neighbours of a node", 1.0, ""),
    "links": ("links", 1.0, ""),
    "partitions": ("partitions", 1.0, ""),
    "largest_partition_share": ("nodes in the largest partition", 100.0, " %"),
    "joined_pairs_share": ("pairs that a path joins", 100.0, " %"),
}


def print_report(report: Report) -> None:
    """Prints the report on standard output."""
    from rich.text import Text

    from hopwright._io.console import standard_output

    console = standard_output()
    first = report.runs[0]
    seeds = f"seed {first.seed}"
    if len(report.runs) > 1:
        seeds = f"seeds {first.seed} to {report.runs[-1].seed}"
    heading = (
        f"{report.scenario}: {first.nodes} nodes, {first.end_s:g} s, {seeds}, "
        f"links of up to {first.range_m:.0f} m, every {report.step_s:g} s"
    )
    console.print(Text(heading, style="bold"))
    for table in (_over_time(report), _links(report), _paths(report)):
        console.print()
        console.print(table)


def simple_table(*titles: str) -> "Table":
    """A table with these titles, all but the first over numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place else "left", no_wrap=True)
    return table


def _over_time(report: Report) -> "Table":
    table = simple_table("over time", "mean", "least", "most")
    for name, values in report.over_time().items():
        said, scale, unit = QUANTITIES[name]
        table.add_row(said, *(f"{value * scale:.1f}{unit}" for value in values))
    return table


def _links(report: Report) -> "Table":
    found = report.links()

    def shown(name: str) -> str:
        value = found[name]
        return "–" if value is None else f"{value:.2f}"

    table = simple_table("links", "")
    table.add_row("changes per second", shown("changes_per_s"))
    table.add_row("seconds linked per break", shown("linked_s_per_break"))
    table.add_row("links that came up and broke", f"{found['complete']} of {found['contacts']}")
    for name, said in (
        ("p10_s", "their lifetime, s: a tenth is below"),
        ("median_s", "half is below"),
        ("mean_s", "mean"),
        ("p90_s", "nine tenths are below"),
    ):
        table.add_row(said, shown(name))
    return table


def _paths(report: Report) -> "Table":
    found = report.paths()
    table = simple_table("mean path of a pair while joined", "")
    table.add_row("pairs ever joined", f"{found['ever_joined']} of {found['pairs']}")
    for name, said in (
        ("mean_hops", "mean, hops"),
        ("median_hops", "half of the pairs are below"),
        ("p95_hops", "95 % are below"),
        ("largest_hops", "largest"),
    ):
        value = found.get(name)
        shown = f"{value:.2f}" if isinstance(value, float) else "–"
        table.add_row(said, shown + _interval(found, name, "{:.2f}"))
    share = found.get(SHORT_SHARE)
    if isinstance(share, float):
        interval = _interval(found, SHORT_SHARE, "{:.1f}", 100)
        table.add_row(f"pairs of up to {LONG_HOPS} hops", f"{100 * share:.1f} %{interval}")
    return table


def _interval(paths: Object, name: str, form: str, scale: float = 1) -> str:
    """The interval over runs, if there are several."""
    low, high = number(paths, "ci95", name, 0), number(paths, "ci95", name, 1)
    if low is None or high is None:
        return ""
    return f" ({form} to {form})".format(scale * low, scale * high)
