"""The figures of a paper's file, by its recipes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._run.execute import core_count
from hopwright.research.papers import acknowledgements, emulated_figures, series, topology
from hopwright.research.papers.axes import Setting
from hopwright.research.papers.document import Document
from hopwright.research.papers.fields import Value
from hopwright.research.papers.measured import Measured
from hopwright.research.papers.points import overrides, source_of
from hopwright.research.papers.recipes import Drawing
from hopwright.research.papers.tables import Cell
from hopwright.statistics.moments import Moments

if TYPE_CHECKING:
    from hopwright.figures import Bars, Figure, Line


RUN_ANEW = ("acknowledgements", "series")
"""Kinds of figures that show a run of their own, which is never a quick one."""


def draw(document: Document, drawing: Drawing, measured: Measured) -> "Figure":
    """One figure. What happens over time is run anew, for the first seed."""
    if drawing.kind == "bars":
        return _bars(document, drawing, measured)
    if drawing.kind == "lines":
        return _lines(document, drawing, measured)
    if drawing.kind == "path lengths":
        return _path_lengths(document, drawing, measured)
    if drawing.kind == "emulations":
        return emulated_figures.draw(document, drawing, measured.emulations_at(drawing.at))
    if drawing.kind == "acknowledgements":
        return _acknowledgements(document, drawing)
    return _series(document, drawing)


def _bars(document: Document, drawing: Drawing, measured: Measured) -> "Figure":
    """Paper, ns-2 and ours, side by side for every cell."""
    from hopwright.figures import Bars, bars

    cells = [document.cells[name] for name in drawing.cells]
    names = [_name(cell, {each.measure for each in cells}) for cell in cells]
    printed = [cell.printed for cell in cells]
    groups = []
    if any(value is not None for value in printed):
        groups.append(Bars("paper", printed))
    groups += _sampled("ns-2", [cell.reference for cell in cells])
    groups += _sampled("ours", [Moments.of(measured.of(cell)) for cell in cells])
    return bars(names, groups, y_label=drawing.y_label, title=drawing.title)


def _name(cell: Cell, measures: set[str]) -> str:
    """What tells a cell from the others: where all show the same measure, its labels do."""
    *others, column = cell.at.values()
    row = ", ".join(others) if len(measures) == 1 else cell.row
    return f"{row}: {column}" if row else column


def _sampled(name: str, samples: "Sequence[Moments | None]") -> "list[Bars]":
    from hopwright.figures import Bars

    if all(sample is None for sample in samples):
        return []
    ends = [None if sample is None else sample.interval() for sample in samples]
    return [
        Bars(
            name,
            [None if end is None else end.estimate for end in ends],
            [None if end is None else end.low for end in ends],
            [None if end is None else end.high for end in ends],
        )
    ]


def _lines(document: Document, drawing: Drawing, measured: Measured) -> "Figure":
    """Ours, the paper's and ns-2's values as lines over an axis of numbers."""
    from hopwright.figures import lines

    cells = sorted(
        (document.cells[name] for name in drawing.cells), key=lambda cell: float(cell.at[drawing.x])
    )
    axis, by = (
        next(axis for axis in document.axes if axis.name == name)
        for name in (drawing.x, drawing.by)
    )
    curves = []
    for label in dict.fromkeys(cell.at[by.name] for cell in cells):
        own = [cell for cell in cells if cell.at[by.name] == label]
        curves += _curves(by.series(label), own, drawing.x, measured)
    return lines(curves, x_label=axis.title, y_label=drawing.y_label, title=drawing.title)


def _curves(label: str, cells: Sequence[Cell], x: str, measured: Measured) -> "list[Line]":
    from hopwright.figures import Line

    printed = [(float(c.at[x]), c.printed) for c in cells if c.printed is not None]
    known = [(float(c.at[x]), c.reference.interval()) for c in cells if c.reference is not None]
    own = [(float(c.at[x]), Moments.of(measured.of(c)).interval()) for c in cells]
    found = []
    if printed:
        found.append(Line(f"{label}, paper", *map(list, zip(*printed, strict=True))))
    for name, points in (("ns-2", known), ("ours", own)):
        if points:
            found.append(
                Line(
                    f"{label}, {name}",
                    [place for place, _ in points],
                    [ends.estimate for _, ends in points],
                    [ends.low for _, ends in points],
                    [ends.high for _, ends in points],
                )
            )
    return found


def _series(document: Document, drawing: Drawing) -> "Figure":
    """A curve over time for every label."""
    from hopwright.figures import Line, time_series

    sums = [drawing.terms] if drawing.terms else [((1, name),) for name in drawing.each]
    lines = []
    for label, scenario in _scenarios(document, drawing, series.recorded_keys()):
        curves = series.curves(
            scenario.with_seed(document.seed),
            sums,
            seed=document.seed,
            interval_s=drawing.interval_s,
            average=drawing.average,
        )
        for name, curve in zip(drawing.each or [""], curves, strict=True):
            points = [
                (time, value)
                for time, value in zip(curve.time_s, curve.values, strict=True)
                if drawing.from_s <= time <= drawing.to_s
            ]
            called = f"{label}, {_words(name)}" if name else label
            lines.append(Line(called, *map(list, zip(*points, strict=True))))
    return time_series(lines, y_label=drawing.y_label, title=drawing.title)


def _scenarios(
    document: Document, drawing: Drawing, keys: Mapping[str, Value]
) -> Iterator[tuple[str, _core.Scenario]]:
    """What is drawn by its name, and the scenarios with the keys set."""
    (axis,) = (axis for axis in document.axes if axis.name == drawing.by)
    others = _settings_at(document, drawing.at)
    for setting in axis.settings:
        if setting.label in drawing.labels:
            loaded = source_of(document).load(overrides([*others, setting], keys))
            yield axis.series(setting.label), loaded


def _settings_at(document: Document, at: Mapping[str, str]) -> list[Setting]:
    return [
        setting
        for axis in document.axes
        for setting in axis.settings
        if at.get(axis.name) == setting.label
    ]


def _acknowledgements(document: Document, drawing: Drawing) -> "Figure":
    """When acknowledgements left the receiver, and how many segments each covered."""
    from hopwright.figures import Line, time_series

    curves = []
    for label, scenario in _scenarios(document, drawing, acknowledgements.recorded_keys()):
        (found,) = acknowledgements.record(scenario, [document.seed], jobs=1)
        shown = [each for each in found if drawing.from_s <= each.time_s <= drawing.to_s]
        for how, is_by_timer in (("timer", True), ("segment", False)):
            own = [each for each in shown if each.is_by_timer is is_by_timer]
            if own:
                times = [each.time_s for each in own]
                counts = [float(each.covered) for each in own]
                curves.append(Line(f"{label}, at a {how}", times, counts))
    return time_series(
        curves,
        y_label=drawing.y_label,
        title=drawing.title,
        start_s=drawing.from_s,
        end_s=drawing.to_s if math.isfinite(drawing.to_s) else None,
        held=False,
    )


def _path_lengths(document: Document, drawing: Drawing, measured: Measured) -> "Figure":
    """A histogram of pairs of nodes by the mean length of their path, of all seeds."""
    from hopwright.figures import histogram

    scenario = source_of(document).load(overrides(_settings_at(document, drawing.at), {}))
    edges, counts = topology.histogram(
        scenario, measured.seeds, bins=drawing.bins, jobs=core_count()
    )
    return histogram(
        edges,
        counts,
        x_label="mean length of a pair's path (hops)",
        y_label=drawing.y_label,
        title=drawing.title,
    )


def _words(column: str) -> str:
    """`sent_segments` as `sent`: the unit stands at the axis."""
    return column.removesuffix("_segments").removesuffix("_s").replace("_", " ")
