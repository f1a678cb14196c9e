"""The figures of a sweep: `hopwright plot` on a folder with `results.parquet`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from hopwright._io.errors import InputError, near
from hopwright._io.extras import Warn
from hopwright._io.warn import to_caller
from hopwright.figures.intervals import bounded
from hopwright.figures.labels import label, setting, value_text
from hopwright.figures.look import PLAIN, Look
from hopwright.figures.results import IDENTITY, Results, Setting, Value
from hopwright.figures.style import check_count
from hopwright.results.metrics import GOODPUT, JAIN, SHARING, WORST, Metric, metric, metrics
from hopwright.statistics.means import half_width, mean

if TYPE_CHECKING:
    from hopwright.figures.figure import Figure
    from hopwright.figures.values import Gaps

RECEIVED = "received_bps"
MOST_TOLD = 3
EQUAL = "equal share"
"""The name of what each flow would have if all had the same."""

Samples: TypeAlias = "dict[Setting, list[float]]"
"""What runs had, a value a run, by setting."""

KINDS = ("lines", "bars", "boxes", "cdf", "heat")


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """What is to be drawn of a sweep; what is left open is guessed."""

    x: str | None = None
    y: str | None = None
    by: Sequence[str] | None = None
    value: str | None = None
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    look: Look = PLAIN
    warn: Warn = to_caller
    """Is told of points that are not drawn, as no run has a value there."""


def sweep_figure(
    results: Results, kind: str | None, options: SweepOptions
) -> "tuple[Figure, str, str]":
    """The figure, its kind, and a line for people that says what it shows.

    Raises `InputError` for columns that are not there or do not fit the kind.
    """
    drawn = kind or _guess(results, options)
    texts = {key: label(key, results.varied) for key in (*results.columns, *metrics())}
    options = replace(options, look=options.look.for_texts(texts))
    draw = {"lines": _lines, "bars": _bars, "boxes": _boxes, "cdf": _cdf, "heat": _heat}[drawn]
    try:
        figure, said = draw(results, options)
    except ValueError as error:
        raise InputError(str(error)) from error
    return figure, drawn, said


def _guess(results: Results, options: SweepOptions) -> str:
    if options.value is not None:
        return "heat"
    x = options.x or next(iter(_numeric(results)), None)
    return "lines" if x is not None and x in results.columns and results.is_number(x) else "bars"


def _numeric(results: Results) -> list[str]:
    """The varied keys that are numbers and have several values, those with the most first."""
    counts = {key: len(results.values(key)) for key in results.varied if results.is_number(key)}
    return sorted((key for key in counts if counts[key] > 1), key=lambda key: -counts[key])


def _measured(results: Results, name: str | None, option: str) -> Metric:
    """The metric asked for, or else the first of those that sweeps are made for."""
    if name is None:
        known = results.metrics
        primary = [key for key in metrics() if key in known]
        found = next(iter(primary or known), None)
        if found is None:
            raise InputError("the table has no measurements")
        return metric(found)
    if name not in results.columns:
        raise InputError(f"{option} {name}: no such column{near(name, results.metrics)}")
    if not results.is_number(name):
        if all(value is None for value in results.columns[name]):
            raise InputError(f"{option} {name}: no run has a value of it")
        raise InputError(f"{option} {name}: is not a number")
    return metric(name)


def _measures(results: Results, options: SweepOptions, on: Sequence[str]) -> list[Metric]:
    """What is drawn: the metric asked for; of several flows, if none is, how they share as well.

    A logarithmic axis is for one: the worst flow may have nothing, which has no place there.
    """
    first = _measured(results, options.y, "--y")
    is_alone = len(results.values("flow")) < 2 or "flow" in on or results.is_part
    if options.y is not None or options.log_y or is_alone:
        return [first]
    if first.key not in (GOODPUT, RECEIVED):
        return [first]
    return [first, *(metric(key) for key in SHARING[1:] if key in results.metrics)]


def _equal(shown: Metric, shares: "Sequence[Gaps]") -> "list[list[float | None]] | None":
    """What a measure of how flows share would be if all had the same; None of any other.

    `shares`: of each series, means over flows.
    """
    if shown.key == JAIN:
        return [[1.0] * len(each) for each in shares]
    return [list(each) for each in shares] if shown.key == WORST else None


def _series_keys(results: Results, x: Sequence[str], options: SweepOptions) -> list[str]:
    """The columns that tell series apart. Raises `InputError` if settings would be mixed."""
    if options.by is None:
        return results.free(x)
    by = list(dict.fromkeys(options.by))
    for key in by:
        results.check(key, "--by")
        if key in x:
            raise InputError(f"--by {key}: is the axis already")
    open_ = results.free([*x, *by])
    if open_:
        raise InputError(
            f"{open_[0]} varies too, and different settings have no common mean: add "
            f"--by {open_[0]}, or choose one with --where {open_[0]}=VALUE"
        )
    return by


def _name(results: Results, keys: Sequence[str], values: Setting) -> str:
    pairs = zip(keys, values, strict=True)
    return ", ".join(setting(key, value, results.varied) for key, value in pairs) or "all"


def _names(results: Results, keys: Sequence[str], found: Sequence[Setting]) -> list[Setting]:
    """The settings of series, in the order of the sweep."""
    order = {key: {value: n for n, value in enumerate(results.values(key))} for key in keys}

    def place(values: Setting) -> list[int]:
        return [order[key].get(value, -1) for key, value in zip(keys, values, strict=True)]

    return sorted(set(found), key=place)


def _about(results: Results, shown: Metric, by: Sequence[str]) -> str:
    """The axis' label, which says what is made of several flows."""
    flows = [int(n) for n in results.values("flow") if n is not None and "flow" not in by]
    if results.is_part and flows:
        return shown.label_of_flows(flows)
    return shown.label_of_flows() if len(flows) > 1 else shown.label


def _is_count(shown: Metric) -> bool:
    """Whether each run has a whole number of it."""
    return not shown.decimals and not shown.unit


def _samples(
    results: Results, shown: Metric, keys: Sequence[str], options: SweepOptions
) -> Samples:
    """As of `results`; a point that no run has a value at is not drawn, and that is told."""
    found = results.samples(shown.key, keys)
    absent = [_name(results, keys, values) for values, of in found.items() if not of]
    if absent and len(absent) < len(found):
        named = "; ".join(absent[:MOST_TOLD])
        more = len(absent) - MOST_TOLD
        others = f"; and at {more} other{'s' * (more > 1)}" if more > 0 else ""
        options.warn(f"{shown.key}: no run has a value at {named}{others}; nothing is drawn there")
    return found


def _interval(values: Sequence[float], scale: float) -> tuple[float, float | None, float | None]:
    """Mean and ends of its 95 % interval (Student's t), None where a single value has none."""
    centre, half = mean(values), half_width(values)
    if half is None:
        return centre * scale, None, None
    low, high = bounded(centre, half)
    return centre * scale, low * scale, high * scale


def _runs(samples: dict[Setting, list[float]]) -> str:
    counts = sorted({len(values) for values in samples.values() if values})
    if counts == [1]:
        return "single runs: there are no intervals"
    text = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"means of {text} runs with 95 % intervals (Student's t)"


def _axis(results: Results, options: SweepOptions, *, numeric: bool) -> str:
    """The column of the axis of x: the one asked for, or the first that varies most."""
    if options.x is not None:
        results.check(options.x, "--x")
        if numeric and not results.is_number(options.x):
            raise InputError(f"--x {options.x}: is not a number; 'bars' draws it")
        return options.x
    known = _numeric(results)
    if numeric:
        if not known:
            raise InputError("no number was varied: 'bars' draws words, or name a column with --x")
        return known[0]
    words = [key for key in results.varied if key not in known and len(results.values(key)) > 1]
    return next(iter([*words, *known, *results.varied, "flow"]))


def _lines(results: Results, options: SweepOptions) -> "tuple[Figure, str]":
    from hopwright.figures.lines import Line, lines
    from hopwright.figures.stacked import Panel, stacked_lines

    x = _axis(results, options, numeric=True)
    by = _series_keys(results, [x], options)
    measures = _measures(results, options, [x, *by])
    samples = [_samples(results, y, [x, *by], options) for y in measures]
    series = _names(results, by, [key[1:] for key in samples[0]])
    check_count(len(series))

    def line(values: Setting, y: Metric, of_y: Samples) -> Line | None:
        points = sorted(
            (float(key[0]) * metric(x).scale, *_interval(of, y.scale))
            for key, of in of_y.items()
            if key[1:] == values and of and key[0] is not None
        )
        name = _name(results, by, values)
        return Line(name, *map(list, zip(*points, strict=True))) if points else None

    drawn = [
        [known for values in series if (known := line(values, y, of_y))]
        for y, of_y in zip(measures, samples, strict=True)
    ]
    x_label = label(x, results.varied)
    if len(measures) > 1:
        first = measures[0]
        of_flows = results.samples(first.key, [x, *by], is_mean=True)
        shares = [each.y for values in series if (each := line(values, first, of_flows))]
        panels = [
            Panel(_about(results, y, by), lines_of_y, _equal(y, shares))
            for y, lines_of_y in zip(measures, drawn, strict=True)
        ]
        figure = stacked_lines(
            panels, x_label=x_label, title=options.title, log_x=options.log_x, look=options.look
        )
        return figure, _runs(samples[0])
    figure = lines(
        drawn[0],
        x_label=x_label,
        y_label=_about(results, measures[0], by),
        title=options.title,
        log_x=options.log_x,
        log_y=options.log_y,
        counts=_is_count(measures[0]),
        look=options.look,
    )
    return figure, _runs(samples[0])


def _bars(results: Results, options: SweepOptions) -> "tuple[Figure, str]":
    from hopwright.figures.bars import Bars, bars
    from hopwright.figures.stacked import Panel, stacked_bars

    _no_log(options, "bars", "x", "y")
    x = _axis(results, options, numeric=False)
    by = _series_keys(results, [x], options)
    measures = _measures(results, options, [x, *by])
    samples = [_samples(results, y, [x, *by], options) for y in measures]
    series = _names(results, by, [key[1:] for key in samples[0]])
    check_count(len(series))
    groups = results.values(x)

    def of_series(values: Setting, y: Metric, of_y: Samples) -> Bars:
        cells = [of_y.get((group, *values), []) for group in groups]
        found = [_interval(of, y.scale) if of else (None, None, None) for of in cells]
        heights, low, high = (list(ends) for ends in zip(*found, strict=True))
        return Bars(_name(results, by, values), heights, low, high)

    drawn = [
        [of_series(values, y, of_y) for values in series]
        for y, of_y in zip(measures, samples, strict=True)
    ]
    names, x_label = _ticks(x, groups), label(x, results.varied)
    if len(measures) > 1:
        first = measures[0]
        of_flows = results.samples(first.key, [x, *by], is_mean=True)
        shares = [of_series(values, first, of_flows).heights for values in series]
        panels = [
            Panel(_about(results, y, by), bars_of_y, _equal(y, shares), EQUAL)
            for y, bars_of_y in zip(measures, drawn, strict=True)
        ]
        figure = stacked_bars(
            names, panels, x_label=x_label, title=options.title, look=options.look
        )
        return figure, _runs(samples[0])
    figure = bars(
        names,
        drawn[0],
        y_label=_about(results, measures[0], by),
        x_label=x_label,
        title=options.title,
        counts=_is_count(measures[0]),
        look=options.look,
    )
    return figure, _runs(samples[0])


def _boxes(results: Results, options: SweepOptions) -> "tuple[Figure, str]":
    from hopwright.figures.boxes import boxes
    from hopwright.figures.samples import Samples

    _no_log(options, "boxes", "x")
    keys = [_axis(results, options, numeric=False)] if options.x else []
    y = _measured(results, options.y, "--y")
    keys += _series_keys(results, keys, options)
    samples = _samples(results, y, keys, options)
    figure = boxes(
        [
            Samples(_name(results, keys, values), [each * y.scale for each in samples[values]])
            for values in _names(results, keys, list(samples))
            if samples[values]
        ],
        y_label=_about(results, y, keys),
        title=options.title,
        log_y=options.log_y,
        look=options.look,
    )
    return figure, "a value a run"


def _cdf(results: Results, options: SweepOptions) -> "tuple[Figure, str]":
    from hopwright.figures.cdf import cdf
    from hopwright.figures.samples import Samples

    _no_log(options, "cdf", "y")
    if options.x is not None:
        raise InputError("--x: the axis of a cdf is the measurement itself, --y; series are --by")
    y = _measured(results, options.y, "--y")
    # Runs of different settings may well be one population: only what is asked for parts them.
    by = list(options.by) if options.by is not None else results.free([])
    for key in by:
        results.check(key, "--by")
    samples = _samples(results, y, by, options)
    series = [values for values in _names(results, by, list(samples)) if samples[values]]
    check_count(len(series))
    figure = cdf(
        [
            Samples(_name(results, by, each), [one * y.scale for one in samples[each]])
            for each in series
        ],
        x_label=_about(results, y, by),
        title=options.title,
        log_x=options.log_x,
        look=options.look,
    )
    return figure, "a value a run"


def _heat(results: Results, options: SweepOptions) -> "tuple[Figure, str]":
    from hopwright.figures.heat_map import heat_map

    _no_log(options, "heat", "x", "y")
    if options.by:
        raise InputError("--by: a heat map shows one series; choose it with --where KEY=VALUE")
    x = _axis(results, options, numeric=False) if options.x else None
    if x is None:
        x = next(iter([*_numeric(results), *results.varied]), None)
    y = options.y
    if y is not None:
        results.check(y, "--y")
        if y not in (*results.varied, *IDENTITY):
            raise InputError(f"--y {y}: a heat map's axes are settings; what it shows is --value")
    elif x is not None:
        y = next(iter(results.free([x])), None)
    if x is None or y is None or x == y:
        raise InputError("a heat map needs two settings that vary: --x and --y")
    shown = _measured(results, options.value, "--value")
    _series_keys(results, [x, y], SweepOptions(by=()))
    samples = results.samples(shown.key, [x, y])
    across, up = results.values(x), results.values(y)
    if not results.is_number(y):
        up.reverse()  # words are read from the top
    cells = [[samples.get((one, other), []) for one in across] for other in up]
    figure = heat_map(
        _ticks(x, across),
        _ticks(y, up),
        [[mean(of) * shown.scale if of else None for of in row] for row in cells],
        x_label=label(x, results.varied),
        y_label=label(y, results.varied),
        value_label=_about(results, shown, [x, y]),
        title=options.title,
        look=options.look,
    )
    counts = sorted({len(of) for row in cells for of in row if of})
    return figure, f"means of {' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} runs"


def _ticks(column: str, values: Sequence[Value]) -> list[str]:
    """In the unit of the column's label."""
    scale = metric(column).scale
    if scale == 1:
        return [value_text(value) for value in values]
    return [
        value_text(value * scale if isinstance(value, int | float) else value) for value in values
    ]


def _no_log(options: SweepOptions, kind: str, *axes: str) -> None:
    for axis in axes:
        if options.log_x if axis == "x" else options.log_y:
            raise InputError(f"--log-{axis}: {kind} has no such axis")
