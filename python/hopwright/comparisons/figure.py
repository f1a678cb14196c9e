"""The figure of a comparison: its primary metric, differences with their intervals."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hopwright._io.data import is_number
from hopwright._io.errors import InputError
from hopwright._schema.settings import named, settings_text
from hopwright.comparisons.outcome import Comparison
from hopwright.figures.intervals import bounded
from hopwright.figures.labels import label, setting, settings, variant
from hopwright.figures.look import PLAIN, Look
from hopwright.results.metrics import GOODPUT, JAIN, SHARING, WORST, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright._schema.settings import Settings
    from hopwright.comparisons.contrast import Contrast, Group
    from hopwright.figures import Figure, Line


def primary_figure(comparison: Comparison, look: Look = PLAIN) -> "Figure | None":
    """A figure of the first metric; None if there is nothing to show.

    Each scenario has panels of its own.

    Blocks of one key with numbers give lines: every variant's mean over that key, with its
    interval. Anything else gives bars: each variant's difference from the baseline, with its
    interval; in percent, unless that has no bounds somewhere. Where it is of several flows that
    share, a panel each shows how they do: sum, worst flow, Jain's index, each variant's means; a
    difference in percent says nothing of a flow that has next to nothing.

    Raises `InputError` for a look of what is not there, and for more than can be told apart on a
    page.
    """
    look.check_series_colours()
    look = look.for_texts(_texts(comparison))
    try:
        return _lines(comparison, look) or _shares(comparison, look) or _bars(comparison, look)
    except ValueError as error:  # names that labels make equal, say
        raise InputError(str(error)) from error


def _texts(comparison: Comparison) -> dict[str, str]:
    """What stands in figures for variants and keys."""
    called = {each.variant: variant(comparison.key, each.variant) for each in comparison.groups}
    # Whoever wrote `--labels mac.data_rate_mbps=11=...` meant the same.
    full = {named(comparison.key, value): text for value, text in called.items()}
    blocks = [each.block for each in comparison.groups]
    blocks += [each.block for each in comparison.contrasts]
    parts = {settings_text({k: v}): setting(k, v) for block in blocks for k, v in block.items()}
    whole = {settings_text(block): settings(block) for block in blocks}
    keys = {key: label(key) for block in blocks for key in block}
    metrics = {each.key: each.label for each in comparison.metrics}
    return keys | metrics | parts | whole | full | called


def _sharing(comparison: Comparison, first: Metric) -> list[Metric]:
    """The metrics that are drawn together: how flows share, where that is what was asked first."""
    return [
        each for each in comparison.metrics if each == first or {each.key, first.key} <= {*SHARING}
    ]


def _equal(comparison: Comparison, metric: Metric, block: object, variant: str) -> float | None:
    """What a measure of how flows share would be if all had the same."""
    if metric.key == JAIN:
        return 1.0
    if metric.key != WORST or GOODPUT not in {each.key for each in comparison.metrics}:
        return None
    total = next(
        (
            each
            for each in comparison.groups
            if (each.metric, each.block, each.variant) == (GOODPUT, block, variant)
        ),
        None,
    )
    if total is None or total.mean is None:
        return None
    return total.mean * metric.scale / len(total.flows)


def _lines(comparison: Comparison, look: Look) -> "Figure | None":
    from hopwright.figures import lines
    from hopwright.figures.stacked import Panel, stacked_lines

    first = comparison.metrics[0]
    groups = [group for part in comparison.panels for group in part.of(first)[0]]
    known = [each for each in groups if each.mean is not None]
    keys = {key for each in known for key in each.block}
    places = {_place(each) for each in known}
    if len(keys) != 1 or None in places or len(places) < 2:
        return None
    panels = []
    for part, metric in _panels(comparison):
        of_variant: dict[str, list[Group]] = {}
        for each in part.of(metric)[0]:
            if each.mean is not None:
                of_variant.setdefault(each.variant, []).append(each)
        series = [
            _line(variant(comparison.key, value), found, metric)
            for value, found in of_variant.items()
        ]
        marks = [
            [_equal(part, metric, each.block, value) for each in found]
            for value, found in of_variant.items()
        ]
        panels.append(Panel(_label(comparison, part, metric), series, marks))
    x_label = label(keys.pop())
    if len(panels) > 1:
        return stacked_lines(panels, x_label=x_label, look=look)
    y_label = f"{first.label}{comparison.over_flows(first)}"
    return lines(panels[0].series, x_label=x_label, y_label=y_label, look=look)


def _panels(comparison: Comparison) -> list[tuple[Comparison, Metric]]:
    """What a panel is drawn of: a metric of a scenario."""
    first = comparison.metrics[0]
    return [(part, metric) for part in comparison.panels for metric in _sharing(part, first)]


def _label(comparison: Comparison, part: Comparison, metric: Metric) -> str:
    """What stands above a panel."""
    scenario = f"{part.scenario}: " if len(comparison.scenarios) > 1 else ""
    return f"{scenario}{metric.label}{part.over_flows(metric)}"


def _line(name: str, found: "Sequence[Group]", metric: Metric) -> "Line":
    from hopwright.figures import Line

    means, low, high = _means(found, metric)
    places = [_place(each) or 0.0 for each in found]
    return Line(name, places, [mean or 0.0 for mean in means], low, high)


def _shares(comparison: Comparison, look: Look) -> "Figure | None":
    """Bars of every variant's means, the baseline's too, where several metrics are shown."""
    from hopwright.figures import Bars
    from hopwright.figures.stacked import Panel, stacked_bars

    drawn = _panels(comparison)
    if len(drawn) < 2:
        return None
    groups = [group for part in comparison.panels for group in part.of(comparison.metrics[0])[0]]
    blocks = list(dict.fromkeys(settings(each.block) for each in groups))
    variants = list(dict.fromkeys(each.variant for each in groups))
    by_name = {each.variant: variant(comparison.key, each.variant) for each in groups}
    panels = []
    for part, metric in drawn:
        cells = {(settings(each.block), each.variant): each for each in part.of(metric)[0]}
        series, marks = [], []
        for value in variants:
            found = [cells.get((block, value)) for block in blocks]
            heights, low, high = _means(found, metric)
            series.append(Bars(by_name[value], heights, low, high))
            marks.append(
                [
                    None if each is None else _equal(part, metric, each.block, value)
                    for each in found
                ]
            )
        if len(blocks) == 1:  # the variants are the groups, and there is one series
            parts = zip(*((each.heights, each.low, each.high) for each in series), strict=True)
            heights, low, high = ([of[0] for of in part] for part in parts)
            series, marks = [Bars("mean", heights, low, high)], [[of[0] for of in marks]]
        panels.append(Panel(_label(comparison, part, metric), series, marks, "equal share"))
    if len(blocks) == 1:
        return stacked_bars(
            [by_name[each] for each in variants], panels, title=blocks[0], look=look
        )
    return stacked_bars(blocks, panels, look=look)


def _means(
    found: "Sequence[Group | None]", metric: Metric
) -> tuple[list[float | None], list[float | None], list[float | None]]:
    """Means and the ends of their intervals, in the metric's unit; None where there is none."""
    means = [None if each is None or each.mean is None else each.mean for each in found]
    halves = [None if each is None else each.half_width for each in found]
    ends = [
        (None, None) if mean is None or half is None else bounded(mean, half)
        for mean, half in zip(means, halves, strict=True)
    ]

    def scaled(values: Iterable[float | None]) -> list[float | None]:
        return [None if value is None else value * metric.scale for value in values]

    return scaled(means), scaled(low for low, _ in ends), scaled(high for _, high in ends)


def _place(group: "Group") -> float | None:
    """Where a group is along the only key of its block; None if that is no number."""
    value = next(iter(group.block.values()), None)
    return float(value) if isinstance(value, (int, float)) and is_number(value) else None


def _bars(comparison: Comparison, look: Look) -> "Figure | None":
    from hopwright.figures import Bars, bars

    metric = comparison.metrics[0]
    known = [each for each in comparison.of(metric)[1] if each.difference is not None]
    if not known:
        return None
    in_percent = all(each.relative and each.relative.ends for each in known)

    factor = 100 if in_percent else metric.scale

    def shown(each: "Contrast | None") -> tuple[float | None, float | None, float | None]:
        """The height of a bar and both ends of its interval."""
        of = None if each is None else each.relative if in_percent else each.difference
        if of is None:
            return None, None, None
        of = of.map(lambda value: value * factor)
        return of.estimate, of.low, of.high

    blocks = list(dict.fromkeys(settings(_settings(each)) for each in known))
    variants = list(dict.fromkeys(each.variant for each in known))
    unit = "%" if in_percent else metric.unit
    names = {each.variant: variant(each.key, each.variant) for each in known}
    # A single series has no legend: the axis says what it is of.
    of = f", {names[variants[0]]}" if len(variants) == 1 < len(blocks) else ""
    against = f"{of} against {variant(comparison.key, comparison.baseline)}"
    of_flows = comparison.over_flows(metric)
    y_label = f"{metric.title}{of_flows}{against}{f' ({unit})' if unit else ''}"
    if len(blocks) == 1:
        heights, low, high = zip(*map(shown, known), strict=True)
        alone = Bars(comparison.key, heights, low=low, high=high)
        return bars(
            [names[each] for each in variants], [alone], y_label=y_label, title=blocks[0], look=look
        )
    cells = {(settings(_settings(each)), each.variant): each for each in known}
    series = []
    for value in variants:
        found = [shown(cells.get((block, value))) for block in blocks]
        heights, low, high = zip(*found, strict=True)
        series.append(Bars(names[value], heights, low=low, high=high))
    return bars(blocks, series, y_label=y_label, look=look)


def _settings(each: "Contrast") -> "Settings":
    return each.block
