"""The figure of a comparison: its primary metric, differences with their intervals."""

from typing import TYPE_CHECKING

from hopwright.comparisons.outcome import Comparison
from hopwright.comparisons.words import named
from hopwright.data import is_number
from hopwright.errors import InputError
from hopwright.sweeps.settings import settings_text

if TYPE_CHECKING:
    from hopwright.comparisons.contrast import Contrast, Group
    from hopwright.figures import Figure
    from hopwright.sweeps.settings import Settings


def primary_figure(comparison: Comparison) -> "Figure | None":
    """A figure of the first metric; None if there is nothing to show or more than fits.

    Blocks of one key with numbers give lines: every variant's mean over that key, with its
    interval. Anything else gives bars: each variant's difference from the baseline, with its
    interval; in percent, unless that has no bounds somewhere.
    """
    try:
        return _lines(comparison) or _bars(comparison)
    except InputError:
        return None  # more variants or blocks than can be told apart on a page


def _lines(comparison: Comparison) -> "Figure | None":
    from hopwright.figures import Line, lines
    from hopwright.figures.labels import label

    metric = comparison.metrics[0]
    groups = [each for each in comparison.of(metric)[0] if each.mean is not None]
    keys = {key for each in groups for key in each.block}
    places = {_place(each) for each in groups}
    if len(keys) != 1 or None in places or len(places) < 2:
        return None
    of_variant: dict[str, list[Group]] = {}
    for each in groups:
        of_variant.setdefault(each.variant, []).append(each)
    series = []
    for variant, found in of_variant.items():
        means = [(each.mean or 0.0) * metric.scale for each in found]
        halves = [
            None if each.half_width is None else each.half_width * metric.scale for each in found
        ]
        series.append(
            Line(
                variant,
                [_place(each) or 0.0 for each in found],
                means,
                low=[None if h is None else m - h for m, h in zip(means, halves, strict=True)],
                high=[None if h is None else m + h for m, h in zip(means, halves, strict=True)],
            )
        )
    return lines(series, x_label=label(keys.pop()), y_label=metric.label)


def _place(group: "Group") -> float | None:
    """Where a group is along the only key of its block; None if that is no number."""
    value = next(iter(group.block.values()), None)
    return float(value) if isinstance(value, (int, float)) and is_number(value) else None


def _bars(comparison: Comparison) -> "Figure | None":
    from hopwright.figures import Bars, bars

    metric = comparison.metrics[0]
    known = [each for each in comparison.of(metric)[1] if each.difference is not None]
    if not known:
        return None
    in_percent = all(each.relative_low is not None for each in known)

    def scaled(value: float | None) -> float | None:
        factor = 100 if in_percent else metric.scale
        return None if value is None else value * factor

    def height(each: "Contrast") -> float | None:
        return scaled(each.relative if in_percent else each.difference)

    def ends(each: "Contrast") -> tuple[float | None, float | None]:
        if in_percent:
            return scaled(each.relative_low), scaled(each.relative_high)
        return scaled(each.low), scaled(each.high)

    blocks = list(dict.fromkeys(settings_text(_settings(each)) for each in known))
    variants = list(dict.fromkeys(each.variant for each in known))
    unit = "%" if in_percent else metric.unit
    names = {each.variant: named(each, each.variant) for each in known}
    # A single series has no legend: the axis says what it is of.
    of = f", {names[variants[0]]}" if len(variants) == 1 < len(blocks) else ""
    against = f"{of} against {named(known[0], comparison.baseline)}"
    label = f"{metric.title}{against}{f' ({unit})' if unit else ''}"
    if len(blocks) == 1:
        low, high = zip(*map(ends, known), strict=True)
        alone = Bars(comparison.key, [height(each) for each in known], low=low, high=high)
        return bars([names[each] for each in variants], [alone], y_label=label, title=blocks[0])
    cells = {(settings_text(_settings(each)), each.variant): each for each in known}
    series = []
    for variant in variants:
        found = [cells.get((block, variant)) for block in blocks]
        pairs = [(None, None) if each is None else ends(each) for each in found]
        series.append(
            Bars(
                names[variant],
                [None if each is None else height(each) for each in found],
                low=[pair[0] for pair in pairs],
                high=[pair[1] for pair in pairs],
            )
        )
    return bars(blocks, series, y_label=label)


def _settings(each: "Contrast") -> "Settings":
    return each.block
