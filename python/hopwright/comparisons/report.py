"""A comparison as a person reads it: tables and sentences, at most 80 columns wide."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopwright._io.console import Whole, narrow_width, text_of
from hopwright._io.latex import Sheet, document
from hopwright._io.names import PLAIN, Names
from hopwright._schema.settings import shown
from hopwright.comparisons.contrast import SHARED, Contrast, Group, family
from hopwright.comparisons.measured import PRIMARY
from hopwright.comparisons.numbers import (
    decimals_for,
    difference_text,
    ends_text,
    p_cell,
    percent_text,
)
from hopwright.comparisons.outcome import Compared, Comparison
from hopwright.comparisons.words import guide
from hopwright.figures.labels import label
from hopwright.results.metrics import Metric
from hopwright.results.table import ABSENT, show
from hopwright.sweeps.report import above

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

BEWARE = (
    "If a flow starves, the sum over flows says little: look at the worst flow, at Jain's index, "
    "and at the flow itself (--flow)."
)

HEADINGS = ("variant", "mean", "difference", "interval", "relative", "p")
"""Columns of a metric's table, after those of the block."""


def heading(comparison: Comparison) -> str:
    """What was compared, and how often it was run."""
    variants = list(dict.fromkeys(each.variant for each in comparison.contrasts))
    seeds = dict.fromkeys(map(_seeds, comparison.scenarios))
    if len(seeds) > 1:
        told = "; ".join(f"{_seeds(each)} in {each.name}" for each in comparison.scenarios)
    else:
        told = next(iter(seeds)) + " in each" * (len(comparison.scenarios) > 1)
    return (
        f"{comparison.scenario}: {comparison.key}, {_listed(variants)} against "
        f"{comparison.baseline}; {told}"
    )


def _seeds(of: Compared) -> str:
    if of.seeds == 1:
        return f"seed {of.seed}"
    return f"{of.seeds} seeds from {of.seed} to {of.last_seed}"


def title(comparison: Comparison, metric: Metric) -> str:
    """`goodput (kb/s), sum of 3 flows; higher is better`."""
    way = "" if metric.better == "neither" else f"; {metric.better} is better"
    is_received = comparison.has_udp and metric.key == PRIMARY
    udp = ", for UDP the data received" if is_received else ""
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
    return text_of(*_parts(comparison))


def sheets(comparison: Comparison) -> list[Sheet]:
    """A table a metric, for LaTeX."""
    percent = f"{100 * comparison.confidence:g} % interval"
    heads = ["variant", "mean", "difference", percent, "relative", "p (Holm)"]
    # Each name is a part of its own, so that it may have a label.
    runs = "; ".join(f"{each.name}, {_seeds(each)}" for each in comparison.scenarios)
    about = f"{runs}; ± half of the {percent}"
    found = []
    for metric in comparison.metrics:
        keys, rows = cells_of(comparison, metric)
        caption = f"{title(comparison, metric)}; {about}"
        names = [label(key, keys) for key in keys]
        of = f"{comparison.scenario} {metric.key}"
        found.append(Sheet([*names, *heads], rows, caption, of, block=len(keys)))
    return found


def latex(comparison: Comparison, names: Names = PLAIN, more: Sequence[Sheet] = ()) -> str:
    """All tables in LaTeX, and `more` below them; the sentences and warnings in comments."""
    keys = list(dict.fromkeys(key for each in comparison.groups for key in each.block))
    texts = {key: label(key, keys) for key in keys}
    texts |= {metric.key: metric.label for metric in comparison.metrics}
    said = "\n".join(comparison.sentences)
    tables = [*sheets(comparison), *more]
    return document(tables, names.for_texts(texts), said, comparison.starved())


def print_comparison(comparison: Comparison) -> None:
    """Prints it on standard output: as it is kept, unless the terminal is narrower."""
    from rich.table import Table

    width = narrow_width()
    if width is None:
        sys.stdout.write(text(comparison))
        return
    # No number of a table is torn: it is wider than the terminal.
    parts = [Whole(each) if isinstance(each, Table) else each for each in _parts(comparison)]
    sys.stdout.write(text_of(*parts, width=width))


def _parts(comparison: Comparison) -> "list[RenderableType]":
    parts: list[RenderableType] = [heading(comparison)]
    starved = comparison.starved()
    if starved:
        parts += ["", *(f"warning: {line}" for line in starved)]
        parts += [BEWARE]
    words = dict(zip(map(id, comparison.contrasts), comparison.sentences, strict=True))
    for metric in comparison.metrics:
        parts += ["", title(comparison, metric), _table(comparison, metric)]
        for contrast in comparison.of(metric)[1]:
            parts += ["", words[id(contrast)]]
    lines = guide(
        comparison.confidence,
        spread=any(each.half_width for each in comparison.groups),
        intervals=any(each.difference and each.difference.width for each in comparison.contrasts),
        tested=any(each.p is not None for each in comparison.contrasts),
        together=[each.title for each in comparison.metrics if family(each) == SHARED],
        scenarios=len(comparison.scenarios),
    )
    if lines:
        parts += ["\nHow to read this", *lines]
    return parts


def _table(comparison: Comparison, metric: Metric) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    keys, rows = cells_of(comparison, metric)
    percent = f"{100 * comparison.confidence:g} % interval"
    names = ["variant", "mean ±", "differ-\nence", f"its\n{percent}", "relative", "p\n(Holm)"]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for key in keys:
        table.add_column(Text(above(key, keys)), overflow="fold", vertical="bottom")
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
    found, relative = contrast.difference, contrast.relative
    return (
        difference_text(found.estimate, metric, found.width or abs(found.estimate)),
        ends_text(*found.ends, metric) if found.ends and found.width else ABSENT,
        percent_text(relative.estimate, relative.width or abs(relative.estimate))
        if relative
        else ABSENT,
        ABSENT if contrast.p_holm is None else p_cell(contrast.p_holm),
    )


def _name(block: object) -> str:
    return repr(block)


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
