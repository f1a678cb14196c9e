"""A comparison as a person reads it: tables and sentences, at most 80 columns wide."""

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright.comparisons.contrast import Contrast, Group
from hopwright.comparisons.measured import PRIMARY
from hopwright.comparisons.numbers import (
    decimals_for,
    difference_text,
    ends_text,
    p_cell,
    percent_text,
)
from hopwright.comparisons.outcome import Comparison
from hopwright.comparisons.words import guide
from hopwright.metrics import Metric
from hopwright.sweeps.settings import shown
from hopwright.table import ABSENT, show

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 80
HEADINGS = ("variant", "mean", "difference", "interval", "relative", "p")
"""Columns of a metric's table, after those of the block."""


def heading(comparison: Comparison) -> str:
    """What was compared, and how often it was run."""
    first, last, count = comparison.seeds
    variants = list(dict.fromkeys(each.variant for each in comparison.contrasts))
    seeds = f"seed {first}" if count == 1 else f"{count} seeds from {first} to {last}"
    return (
        f"{comparison.scenario}: {comparison.key}, {_listed(variants)} against "
        f"{comparison.baseline}; {seeds}"
    )


def title(comparison: Comparison, metric: Metric) -> str:
    """`goodput (kb/s), sum of 3 flows; higher is better`."""
    way = "" if metric.better == "neither" else f"; {metric.better} is better"
    is_received = comparison.has_udp and metric.key == PRIMARY
    udp = ", of UDP what was received" if is_received else ""
    return f"{metric.label}{comparison.over_flows(metric)}{udp}{way}"


def cells_of(comparison: Comparison, metric: Metric) -> tuple[list[str], list[list[str]]]:
    """The names of the block's columns, and the rows of a metric's table."""
    groups, contrasts = comparison.of(metric)
    keys = list(dict.fromkeys(key for each in groups for key in each.block))
    against = {(_name(each.block), each.variant): each for each in contrasts}
    rows = []
    for group in groups:
        block = [shown(group.block[key]) if key in group.block else ABSENT for key in keys]
        contrast = against.get((_name(group.block), group.variant))
        rows.append([*block, group.variant, _mean(group, metric), *_cells(contrast, metric)])
    return keys, rows


def text(comparison: Comparison) -> str:
    """Everything that is printed, without colour, 80 columns wide."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=WIDTH, color_system=None, highlight=False)
    _print(comparison, console)
    written = console.file
    assert isinstance(written, io.StringIO)  # noqa: S101 - made above
    return "".join(f"{line.rstrip()}\n" for line in written.getvalue().splitlines())


def print_comparison(comparison: Comparison) -> None:
    """Prints it on standard output."""
    sys.stdout.write(text(comparison))


def _print(comparison: Comparison, console: "Console") -> None:
    console.print(heading(comparison), markup=False)
    words = dict(zip(map(id, comparison.contrasts), comparison.sentences, strict=True))
    for metric in comparison.metrics:
        console.print()
        console.print(title(comparison, metric), style="bold", markup=False)
        console.print(_table(comparison, metric))
        for contrast in comparison.of(metric)[1]:
            console.print()
            console.print(words[id(contrast)], markup=False)
    lines = guide(
        comparison.confidence,
        spread=any(each.half_width for each in comparison.groups),
        intervals=any(each.low != each.high for each in comparison.contrasts),
        tested=any(each.p is not None for each in comparison.contrasts),
    )
    if lines:
        console.print("\nHow to read this", style="bold")
    for line in lines:
        console.print(line, markup=False)


def _table(comparison: Comparison, metric: Metric) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    keys, rows = cells_of(comparison, metric)
    percent = f"{100 * comparison.confidence:g} % interval"
    names = ["variant", "mean ±", "differ-\nence", f"its\n{percent}", "relative", "p\n(Holm)"]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for key in keys:
        table.add_column(Text(_above(key, keys)), overflow="fold", vertical="bottom")
    for name in names:
        is_name = name == "variant"
        table.add_column(
            name,
            justify="left" if is_name else "right",
            overflow="fold",
            no_wrap=not is_name and name != names[3],
            vertical="bottom",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _above(key: str, keys: Sequence[str]) -> str:
    """What stands above a block's values: narrow, as intervals need the room."""
    last = key.rpartition(".")[2]
    is_clear = not key.startswith("flows.") and all(
        other == key or other.rpartition(".")[2] != last for other in keys
    )
    return last if is_clear else key.replace(".", ".\n")


def _mean(group: Group, metric: Metric) -> str:
    width = None if group.half_width is None else 2 * group.half_width * metric.scale
    decimals = decimals_for(width, metric.decimals)
    return show(group.mean, group.half_width, scale=metric.scale, decimals=decimals)


def _cells(contrast: Contrast | None, metric: Metric) -> Sequence[str]:
    """Difference, interval, relative difference, p; of the baseline, nothing."""
    if contrast is None:
        return ("baseline", "", "", "")
    if contrast.difference is None:
        return (ABSENT,) * 4
    low, high = contrast.low, contrast.high
    width = None if low is None or high is None else high - low
    relative_width = (
        None
        if contrast.relative_low is None or contrast.relative_high is None
        else contrast.relative_high - contrast.relative_low
    )
    return (
        difference_text(contrast.difference, metric, width or abs(contrast.difference)),
        ABSENT if low is None or high is None or not width else ends_text(low, high, metric),
        ABSENT
        if contrast.relative is None
        else percent_text(contrast.relative, relative_width or abs(contrast.relative)),
        ABSENT if contrast.p_holm is None else p_cell(contrast.p_holm),
    )


def _name(block: object) -> str:
    return repr(block)


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
