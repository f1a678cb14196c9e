"""A sweep as a person reads it: a row a point, and what to beware of; and in short, as JSON."""

from typing import TYPE_CHECKING, cast

from hopwright._io.console import Prose, Whole, text_of
from hopwright._io.data import Object
from hopwright._io.errors import InputError
from hopwright._io.names import PLAIN, Names
from hopwright._io.plural import many, noun
from hopwright._schema.settings import settings_text, shown
from hopwright.results.metrics import metric, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from hopwright._io.data import Json
    from hopwright.sweeps.outcome import Sweep


USUAL_NUMBERS = 2
"""Columns of numbers beside which varied keys have room for their names: runs and a result."""


def text(sweep: "Sweep") -> str:
    """What is printed if nothing else is asked for, 80 columns wide."""
    return text_of(*parts(sweep)).rstrip("\n")


def parts(
    sweep: "Sweep", sort: str | None = None, *, best: str | None = None
) -> "list[RenderableType]":
    """The table, points that it leaves out, points that are not what was asked for, warnings.

    `sort`: as for `Sweep.order`; `best`: a result by which the best point is named, and how sure
    that is.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names, rows = sweep.rows(sort)
    numbers = len(names) - len(sweep.plan.keys)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    has_room = numbers <= USUAL_NUMBERS
    for index, name in enumerate(names):
        is_number = index >= len(names) - numbers
        table.add_column(
            Text(name if is_number or has_room else above(name, sweep.plan.keys)),
            justify="right" if is_number else "left",
            overflow="fold",
            vertical="bottom",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    lines = []
    if len(sweep.points) > len(rows):
        lines.append(f"... and {many(len(sweep.points) - len(rows), 'more point')}")
    lines += _too_wide(sweep)
    if best is not None:
        lines += ["", *_said_of_best(sweep, best)]
    starved = [f"warning: {line}" for line in sweep.starved()]
    lines += ["", *starved] if starved else []
    runs = f"{sweep.runs:,} {noun(sweep.runs, 'run')}"
    points = f"{len(sweep.points):,} {noun(len(sweep.points), 'point')}"
    lines += ["", f"{points}, {runs}, {sweep.wall_s:.2f} s of computing"]
    return [Whole(table), *map(Prose, lines)]


def _too_wide(sweep: "Sweep") -> list[str]:
    """The points that are not what was asked for."""
    runs = many(sweep.plan.rule.most_runs, "run")
    return [
        f"still wider than asked for after {runs}: {settings_text(point.settings)}"
        for point in sweep.reached_ceiling
    ]


def latex(sweep: "Sweep", sort: str | None = None, names: Names = PLAIN) -> str:
    """The table of all points in LaTeX; what to beware of stands in comments."""
    from hopwright._io.latex import Sheet, document
    from hopwright.figures.labels import label

    heads, rows = sweep.rows(sort, most=None)
    keys = {key: label(key, sweep.plan.keys) for key in sweep.plan.keys}
    heads = [keys.get(head, head) for head in heads]
    caption = f"{sweep.plan.name}; means over runs, ± half of the 95 % interval"
    labels = {key: each.label for key, each in metrics().items()}
    sheet = Sheet(heads, rows, caption, f"{sweep.plan.name} sweep")
    said = "\n".join(_too_wide(sweep))
    return document([sheet], names.for_texts(labels | keys), said, sweep.starved())


def rows(sweep: "Sweep", sort: str | None, most: int | None) -> tuple[list[str], list[list[str]]]:
    """Column names and cells: see `Sweep.rows`."""
    from hopwright.results.table import show

    order = sweep.order(sort)[:most]
    results = list(dict.fromkeys([*sweep.readings.shown, *([sort] if sort else [])]))
    columns = [(key, sweep.means(key)) for key in results if key not in sweep.plan.keys]
    names = [*sweep.plan.keys, "runs"]
    rows = [
        [
            *(shown(sweep.points[place].settings[key]) for key in sweep.plan.keys),
            str(columns[0][1][place].runs),
        ]
        for place in order
    ]
    for key, means in columns:
        what = metric(key).fitting(each.mean for each in means)
        is_told = sweep.flows is not None or sweep.readings.has_several_flows
        names.append(what.label_of_flows(sweep.flows) if is_told else what.label)
        for row, place in zip(rows, order, strict=True):
            each = means[place]
            row.append(show(each.mean, each.half_width, scale=what.scale, decimals=what.decimals))
    return names, rows


def html(sweep: "Sweep") -> str:
    """What a notebook shows."""
    from hopwright._io import markup

    names, rows = sweep.rows()
    more = len(sweep.points) - len(rows)
    return "".join(
        [
            markup.table(names, rows),
            markup.paragraph(f"and {many(more, 'more point')}") if more else "",
            *(markup.paragraph(f"Warning: {line}") for line in sweep.starved()),
        ]
    )


def summary(sweep: "Sweep") -> Object:
    """The sweep in short, for `--json`."""
    return {
        "scenario": sweep.plan.name,
        "version": sweep.plan.version,
        "build": sweep.plan.build,
        "seed": sweep.plan.seed,
        "runs": sweep.runs,
        "wall_s": sweep.wall_s,
        "folder": None if sweep.folder is None else str(sweep.folder),
        "of": sweep.plan.rule.of,
        "chosen_flows": None if sweep.flows is None else list(sweep.flows),
        "points": [
            {
                "id": each.point.id,
                "settings": cast("Json", dict(each.point.settings)),
                "runs": each.runs,
                "mean": each.mean,
                "ci95": each.half_width,
                **_sharing(sweep, index),
            }
            for index, each in enumerate(sweep.means())
        ],
        "reached_ceiling": [point.id for point in sweep.reached_ceiling],
    }


def _sharing(sweep: "Sweep", index: int) -> Object:
    """What several flows add to a point's numbers: means of how they share, and who starves."""
    if not sweep.readings.has_several_flows or sweep.flows is not None:
        return {}
    point = sweep.points[index]
    found = next((each.found for each in sweep.starvation if each.point is point), None)
    sharing: Object = {}
    for key in sweep.readings.shown[1:]:
        each = sweep.means(key)[index]
        sharing[key] = {"mean": each.mean, "ci95": each.half_width}
    return {"sharing": sharing, "starvation": None if found is None else found.to_dict()}


def _said_of_best(sweep: "Sweep", key: str) -> list[str]:
    try:
        return sweep.best(key).said()
    except InputError as error:  # the runs are done: what they do show is worth printing
        return [f"no best point: {error}"]


def above(key: str, keys: "Sequence[str]") -> str:
    """What stands above the values of a varied key where columns must be narrow."""
    last = key.rpartition(".")[2]
    is_clear = not key.startswith("flows.") and all(
        other == key or other.rpartition(".")[2] != last for other in keys
    )
    return last if is_clear else key.replace(".", ".\n")
