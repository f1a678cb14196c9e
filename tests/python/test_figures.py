"""Figures: the data beside them is what was given, and what they show can be read in black."""

import csv
import io
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hopwright._io.errors import InputError
from hopwright.figures import (
    Bars,
    Figure,
    Line,
    Samples,
    bars,
    boxes,
    cdf,
    heat_map,
    lines,
    path_lengths,
    route_map,
    time_series,
    topology_map,
)
from hopwright.figures.labels import label, setting
from hopwright.figures.look import Look
from hopwright.figures.stacked import Panel, stacked_bars, stacked_lines
from hopwright.figures.style import FILLS, MOST_SERIES, STROKES, styled
from hopwright.figures.words import wrap

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NAMES = [
    "a protocol with a rather long name",
    "flows.transport.acking=delayed",
    "newreno",
    "averyveryverylongnamewithoutanybreakinit",
    "x",
    "tuned acking every 4",
    "sack",
    "$cubic_{x}$",
]
ENDLESS = ["aname" * 16, *(" ".join([word] * 9) for word in ("WWWW", "FLOWS.MAC=", "word", "цвет"))]
"""Names that need several lines, of letters that are wide, or have no blanks between them."""
LONG = "a label that is so long that no axis of a figure has room for it in a single line (kb/s)"
CHAIN = [(200.0 * n, 0.0) for n in range(9)]
CROWD = [(700 * math.sin(n * n), 150 * math.cos(3.0 * n)) for n in range(60)]


def eight_lines() -> Figure:
    hops = np.arange(1, 11)
    series = [
        Line(name, hops, 10 * (n + 1) / hops, 9 * (n + 1) / hops, 12 * (n + 1) / hops)
        for n, name in enumerate(NAMES)
    ]
    return lines(series, x_label=LONG, y_label=LONG, title=LONG)


def eight_bars() -> Figure:
    series = [
        Bars(name, [n + 1.0, None], [n + 0.5, None], [n + 2.0, None])
        for n, name in enumerate(NAMES)
    ]
    return bars(["one", "two"], series, y_label=LONG)


def endless_panels() -> Figure:
    series = [Bars(name, [1.0, 2.0]) for name in ENDLESS[:2]]
    panels = [Panel(name, series) for name in ENDLESS[2:4]]
    return stacked_bars(ENDLESS[3:], panels, x_label=ENDLESS[0], title=ENDLESS[1])


def lying_bars() -> Figure:
    series = [Bars(name, [1e-7 * (n - 2) for n in range(8)]) for name in ("m", "n")]
    return bars(NAMES, series, y_label=LONG, title=LONG)


AWKWARD: dict[str, Callable[[], Figure]] = {
    "lines": eight_lines,
    "a point": lambda: lines([Line("one", [3], [1e-9])], x_label="hops", y_label="y"),
    "huge": lambda: lines(
        [Line("one", [1e-3, 1e5], [2e12, -3e11]), Line("two", [5], [0])], x_label="x", y_label="y"
    ),
    "logarithmic": lambda: lines(
        [Line("one", [1, 2, 3], [2, 2.1, 2.2])], x_label="x", y_label="y", log_x=True, log_y=True
    ),
    "band": lambda: lines(
        [Line("one", [1, 2], [2, 3], [1, 2], [3, 4])], x_label="x", y_label="y", intervals="band"
    ),
    "bars": eight_bars,
    "lying bars": lying_bars,
    "a bar each": lambda: bars(NAMES, [Bars("m", range(8))], y_label="y"),
    "no height": lambda: bars(["z"], [Bars("m", [0])], y_label="y"),
    "boxes": lambda: boxes(
        [Samples(name, np.exp(np.arange(n + 1))) for n, name in enumerate(NAMES)],
        y_label=LONG,
        log_y=True,
    ),
    "cdf": lambda: cdf(
        [Samples(name, np.linspace(1, n + 2, 50)) for n, name in enumerate(NAMES)], x_label=LONG
    ),
    "cdf of one": lambda: cdf([Samples("one", [5])], x_label="v"),
    "heat": lambda: heat_map(
        NAMES,
        NAMES[:5],
        [[None if (i + j) % 7 == 0 else i * j * 1e4 for i in range(8)] for j in range(5)],
        x_label=LONG,
        y_label="protocol",
        value_label=LONG,
    ),
    "a cell": lambda: heat_map([1], [2.5], [[3]], x_label="x", y_label="y", value_label="v"),
    "time": lambda: time_series(
        [Line(name, [0, 1, 2], [n, 2, 0]) for n, name in enumerate(NAMES)], y_label=LONG, title=LONG
    ),
    "averages": lambda: time_series(
        [Line(name, [0, 1, 2], [n, 2, 0]) for n, name in enumerate(NAMES[:3])],
        y_label=LONG,
        title=LONG,
        averages=[[None, 1, n / 2] for n in range(3)],
        averages_name="moving average of 2 values",
    ),
    "an instant": lambda: time_series([Line("a", [3], [4])], y_label="y"),
    "map": lambda: topology_map(CHAIN, range_m=250, flows=[(0, 8), (8, 4)], title=LONG),
    "crowd": lambda: topology_map(CROWD, range_m=200, flows=[(3, 7)], look=Look(size="page")),
    "a node": lambda: topology_map([(7, 7)], range_m=250),
    "routes": lambda: route_map(
        CHAIN, [(0, 1, 9), (1, 2, 8), (2, 1, 1), (0, 5, 1)], range_m=250, flows=[(0, 8)], title=LONG
    ),
    "paths": lambda: path_lengths(
        [CROWD, [(1.2 * x, 1.2 * y) for x, y in CROWD]],
        range_m=200,
        taken=[(name, 2.0 + n / 3) for n, name in enumerate(NAMES)],
    ),
    "huge, logarithmic": lambda: lines(
        [Line("one", [1, 2], [2e20, 3e20])], x_label="x", y_label="y", log_y=True
    ),
    "endless lines": lambda: lines(
        [Line(name, [1, 2], [n, 2]) for n, name in enumerate(ENDLESS)],
        x_label=ENDLESS[1],
        y_label=ENDLESS[2],
        title=ENDLESS[1],
    ),
    "endless bars": lambda: bars(
        ENDLESS, [Bars("m", range(5))], x_label=ENDLESS[0], y_label=ENDLESS[1]
    ),
    "endless panels": endless_panels,
    "endless panels of lines": lambda: stacked_lines(
        [Panel(name, [Line("one", [1, 2], [2, 3])]) for name in ENDLESS], x_label=ENDLESS[3]
    ),
    "endless heat": lambda: heat_map(
        ENDLESS, ENDLESS[:2], [range(5)] * 2, x_label="x", y_label=ENDLESS[0], value_label="v"
    ),
    "endless time": lambda: time_series(
        [Line(name, [0, 1, 2], [n, 2, 0]) for n, name in enumerate(ENDLESS)], y_label=ENDLESS[2]
    ),
    "endless map": lambda: topology_map(CHAIN, range_m=250, title=ENDLESS[1]),
    "islands": lambda: path_lengths([[(0, 0), (1000, 0)]], range_m=250),
}


@pytest.fixture(scope="module")
def drawn() -> Callable[[str], Figure]:
    made: dict[str, Figure] = {}

    def get(name: str) -> Figure:
        if name not in made:
            made[name] = AWKWARD[name]()
        return made[name]

    return get


def rows(figure: Figure) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(figure.csv())))


def test_the_data_beside_a_figure_is_what_was_given() -> None:
    figure = lines(
        [Line("b", [2, 1], [0.1 + 0.2, 4], [None, 3], [None, 1 / 0.15]), Line("a", [1], [7])],
        x_label="x",
        y_label="y",
    )
    assert [list(row.values()) for row in rows(figure)] == [
        ["b", "1.0", "4.0", "3.0", "6.666666666666667"],
        ["b", "2.0", "0.30000000000000004", "", ""],
        ["a", "1.0", "7.0", "", ""],
    ]
    assert bars(["g"], [Bars("s", [2], [1], [3])], y_label="y").data == {
        "group": ["g"],
        "series": ["s"],
        "height": [2.0],
        "low": [1.0],
        "high": [3.0],
    }
    heat = heat_map([1, 2], ["u"], [[5, None]], x_label="", y_label="", value_label="")
    assert heat.data == {"x": ["1", "2"], "y": ["u", "u"], "value": [5.0, None]}
    assert cdf([Samples("s", [3, 1])], x_label="").data["share"] == [0.5, 1.0]
    assert boxes([Samples("s", [3, 1])], y_label="").data["value"] == [3.0, 1.0]
    long = np.arange(5000.0)
    assert time_series([Line("t", long, long)], y_label="").data["y"] == long.tolist()


def test_a_maps_data_says_who_hears_whom() -> None:
    data = topology_map([(0, 0), (250, 0), (500.1, 0)], range_m=250, flows=[(0, 1)]).data
    assert data["neighbours"] == ["1", "0", ""]
    routes = route_map(CHAIN, [(0, 1, 8), (0, 2, 2), (1, 2, 8)], range_m=250, flows=[(0, 8)]).data
    assert routes["share"] == [0.8, 0.2, 0.8]


def test_what_is_down_is_hollow_and_grey_and_has_no_links() -> None:
    crowd = [(float(x), float(y)) for x in range(0, 1500, 50) for y in range(0, 300, 50)]
    for places, flows in ((CHAIN, [(0, 8)]), (crowd, [])):
        figure = topology_map(places, range_m=250, flows=flows, down=[4])
        assert figure.data["neighbours"][4] == ""
        assert "4" not in str(figure.data["neighbours"][3]).split()
        marks = marks_of(figure)
        assert marks.pop(4) == ("white", "0.6")
        assert ("white", "0.6") not in marks.values()
        assert legend_of(figure)[-1] == "down"
        assert "down" not in legend_of(topology_map(places, range_m=250, flows=flows))
    routes = route_map(CHAIN, [(3, 4, 8)], range_m=250, flows=[(3, 8)], down=[4])
    assert legend_of(routes)[2] == "down"
    assert path_lengths([CHAIN[:4]], range_m=250, down=[[1]]).data["share"] == [1 / 6, 5 / 6]


def marks_of(figure: Figure) -> dict[int, tuple[object, object]]:
    """Filling and edge of each node's mark on a map."""
    marks = [line for line in figure.matplotlib.axes[0].lines if line.get_marker() in {"o", "s"}]
    return {
        node: (mark.get_markerfacecolor(), mark.get_markeredgecolor())
        for node, mark in enumerate(marks)
    }


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text() for each in figure.matplotlib.legends for text in each.get_texts()]


def test_path_lengths_are_shares_of_all_pairs() -> None:
    data = path_lengths([CHAIN[:4]], range_m=250).data
    assert data["hops"] == [1, 2, 3]
    assert data["share"] == [3 / 6, 2 / 6, 1 / 6]
    apart = path_lengths([CHAIN[:4], [*CHAIN[:3], (5000, 0)]], range_m=250).data
    assert apart["hops"] == [1, 2, 3, None]
    assert (apart["low"], apart["high"]) == ([2 / 6, 1 / 6, 0, 0], [3 / 6, 2 / 6, 1 / 6, 3 / 6])


def test_files_are_there_or_not_and_of_the_same_bytes(tmp_path: Path) -> None:
    def draw() -> Figure:
        return bars(["g"], [Bars("s", [2]), Bars("t", [3])], y_label="y")

    paths = draw().save(tmp_path / "new" / "figure.1.png")
    names = ["figure.1.svg", "figure.1.pdf", "figure.1.png", "figure.1.csv"]
    assert [path.name for path in paths] == names
    first = [path.read_bytes() for path in paths]
    figure = draw()
    assert [figure.csv().encode(), figure.png(), figure.pdf(), figure.svg()] == first[::-1]
    for content, beginning in zip(first, (b"<?xml", b"%PDF", b"\x89PNG", b"group,"), strict=True):
        assert content.startswith(beginning)
    assert sorted(path.name for path in paths[0].parent.iterdir()) == sorted(names)
    assert b"Date" not in first[1]
    assert b"<dc:date>" not in first[0]

    (tmp_path / "taken.png").mkdir()
    with pytest.raises(OSError, match="taken"):
        draw().save(tmp_path / "taken")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_another_process_writes_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys; from hopwright.figures import Line, Samples, boxes, lines\n"
        "lines([Line('a', [1, 2], [3, 4], [2, 3], [4, 5])], x_label='x', y_label='y')"
        ".save(sys.argv[1])\n"
    )
    written = []
    for salt in ("1", "2"):
        stem = tmp_path / salt
        subprocess.run(
            [sys.executable, "-c", script, str(stem)],
            check=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": salt, "HOME": str(tmp_path)},
        )
        written.append([stem.with_suffix(s).read_bytes() for s in (".svg", ".pdf", ".png", ".csv")])
    assert written[0] == written[1]


def test_notebooks_show_it() -> None:
    figure = lines([Line("a", [1, 2], [3, 4])], x_label="x", y_label="y")
    assert "<svg" in figure._repr_svg_()
    assert figure._repr_png_().startswith(b"\x89PNG")
    before = figure.svg()
    figure.matplotlib.axes[0].set_xlim(0, 9)
    assert figure.svg() != before


def test_no_two_series_look_the_same() -> None:
    assert len({str(stroke.dashes) for stroke in STROKES}) == len(STROKES) == MOST_SERIES
    assert len({stroke.marker for stroke in STROKES}) == len(STROKES)
    assert len({(fill.grey, fill.hatch) for fill in FILLS}) == len(FILLS) == MOST_SERIES


def test_fillings_differ_as_grey_alone_or_by_their_hatch() -> None:
    for one, other in combinations(FILLS, 2):
        apart = abs(float(one.grey) - float(other.grey))
        assert apart >= 0.15 or one.hatch != other.hatch
    # Side by side, in what is really printed: the mean grey of each legend's patch.
    figure = bars(["g"], [Bars(str(n), [1.0]) for n in range(8)], y_label="y")
    drawing = figure.matplotlib
    pixels = printed(figure)
    greys = []
    for patch in drawing.axes[0].patches:
        box = patch.get_window_extent()
        rows_, columns = (
            slice(int(box.y0) + 3, int(box.y1) - 3),
            slice(int(box.x0) + 3, int(box.x1) - 3),
        )
        greys.append(float(pixels[rows_, columns].mean()))
    assert min(abs(a - b) for a, b in pairwise(greys)) > 0.08, greys


def printed(figure: Figure) -> "np.ndarray":
    """The figure's pixels, 0 black to 1 white, row 0 at the bottom, at its own resolution."""
    from matplotlib.image import imread

    image = imread(io.BytesIO(figure.png(int(figure.matplotlib.dpi))))
    grey = image if image.ndim == 2 else image[..., :3].mean(axis=2)
    return np.asarray(grey[::-1])


def texts(figure: Figure) -> list[tuple[str, "np.ndarray"]]:
    """Every text that is seen, and its box: left, bottom, right, top."""
    from matplotlib.text import Text

    drawing = figure.matplotlib
    found = []
    with styled():
        drawing.draw_without_rendering()
        hidden = {label for axes in drawing.axes for label in beyond(axes)}
        for text in drawing.findobj(Text):
            assert isinstance(text, Text)
            box = text.get_window_extent()
            if text.get_text() and text.get_visible() and text not in hidden and box.width > 0:
                found.append((text.get_text(), np.array(box.extents)))
    return found


def beyond(axes: "Axes") -> "Iterator[Artist]":
    """Labels that are not drawn: of an axis that is off, and of ticks outside the limits."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        room = 1e-6 * (high - low)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            if not axes.axison or not low - room <= tick.get_loc() <= high + room:
                yield tick.label1
                yield tick.label2


@pytest.mark.parametrize("name", AWKWARD)
def test_texts_are_on_the_paper_and_apart(name: str, drawn: Callable[[str], Figure]) -> None:
    figure = drawn(name)
    width, height = figure.matplotlib.bbox.size
    seen = texts(figure)
    assert seen or name == "a node"
    for text, box in seen:
        assert (box[:2] >= -1).all(), f"{text!r} leaves the paper: {box}"
        assert box[2] <= width + 1, f"{text!r} leaves the paper: {box}, {width}"
        assert box[3] <= height + 1, f"{text!r} leaves the paper: {box}, {height}"
    for (one, a), (other, b) in combinations(seen, 2):
        over = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
        assert not (over > 2).all(), f"{one!r} covers {other!r}"


@pytest.mark.parametrize(
    ("places", "size"),
    [(CHAIN[:2], "column"), (CHAIN[:3], "page"), ([(0.0, 0.0), (0.0, 9.0), (9.0, 0.0)], "column")],
)
def test_arrows_there_and_back_are_on_the_paper(
    places: list[tuple[float, float]], size: str
) -> None:
    from matplotlib.patches import FancyArrowPatch

    pairs = [(0, node, 1) for node in range(1, len(places))]
    links = [*pairs, *((node, start, n) for start, node, n in pairs)]
    figure = route_map(places, links, range_m=250, look=Look(size=size))
    paper = figure.matplotlib.bbox.extents
    arrows = figure.matplotlib.findobj(FancyArrowPatch)
    assert len(arrows) == len(links)
    for arrow in arrows:
        box = arrow.get_window_extent().extents
        assert np.all(box[:2] >= paper[:2]), box
        assert np.all(box[2:] <= paper[2:]), box


@pytest.mark.parametrize("dpi", [72, 300])
def test_what_is_on_the_paper_is_so_at_each_resolution(dpi: int) -> None:
    figure = bars(
        ["x" * 90, "b"], [Bars("m", [1, 2])], x_label="what stands outermost", y_label="y"
    )
    drawing = figure.matplotlib
    drawing.set_dpi(dpi)
    with styled():
        drawing.draw_without_rendering()
        assert drawing.axes[0].yaxis.label.get_window_extent().x0 > 0


@pytest.mark.parametrize("name", ["lines", "bars", "cdf", "paths", "routes", "lying bars"])
def test_a_legend_covers_no_axes(name: str, drawn: Callable[[str], Figure]) -> None:
    drawing = drawn(name).matplotlib
    (legend,) = drawing.legends
    top = legend.get_window_extent().y1
    for axes in drawing.axes:
        box = axes.get_window_extent() if not axes.axison else axes.get_tightbbox()
        assert box is not None
        assert top <= box.y0 + 0.5


def test_bars_begin_at_zero() -> None:
    high = bars(["a", "b"], [Bars("m", [100, 101])], y_label="y").matplotlib.axes[0]
    assert high.get_ylim()[0] == 0
    low = bars(["a", "b"], [Bars("m", [-100, -101])], y_label="y").matplotlib.axes[0]
    assert low.get_ylim()[1] == 0


def test_a_heat_map_is_darker_where_values_are_larger() -> None:
    figure = heat_map([1, 2, 3], [1], [[1, 5, 9]], x_label="x", y_label="y", value_label="v")
    axes, pixels = figure.matplotlib.axes[0], printed(figure)
    greys = []
    for x in range(3):
        column, row = axes.transData.transform((x - 0.35, 0.3)).astype(int)
        greys.append(pixels[row, column])
    assert greys[0] > greys[1] + 0.2 > greys[2] + 0.4
    inks = [text.get_color() for text in axes.texts]
    assert (inks[0], inks[2]) == ("black", "white")


@pytest.mark.parametrize("count", [9, 20])
def test_more_series_than_can_be_told_apart(count: int) -> None:
    with pytest.raises(InputError, match=f"{count} series .* split"):
        lines([Line(str(n), [1], [1]) for n in range(count)], x_label="x", y_label="y")
    with pytest.raises(InputError, match="split"):
        bars(["g"], [Bars(str(n), [1]) for n in range(count)], y_label="y")
    with pytest.raises(InputError, match="split"):
        bars([str(n) for n in range(300)], [Bars("m", [1] * 300)], y_label="y")


WRONG: list[tuple[Callable[[], Figure], str]] = [
    (lambda: lines([], x_label="x", y_label="y"), "no series"),
    (lambda: lines([Line("a", [], [])], x_label="x", y_label="y"), "'a': there are no values"),
    (lambda: lines([Line("a", [1, 2], [1])], x_label="x", y_label="y"), "1 values where 2"),
    (lambda: lines([Line("a", [1], [math.nan])], x_label="x", y_label="y"), "value 0 is nan"),
    (lambda: lines([Line("a", [1], [math.inf])], x_label="x", y_label="y"), "value 0 is inf"),
    (lambda: lines([Line("a", [1], [1e301])], x_label="x", y_label="y"), "is 1e\\+301, which"),
    (lambda: lines([Line("a", [1], [10**400])], x_label="x", y_label="y"), "value 0 is inf"),
    (lambda: lines([Line("a", [1], [1], [0])], x_label="x", y_label="y"), "both low and high"),
    (lambda: lines([Line("a", [1], [1], [2], [3])], x_label="x", y_label="y"), "outside its"),
    (lambda: lines([Line("a", [0], [1])], x_label="x", y_label="y", log_x=True), "no place for x"),
    (
        lambda: lines([Line("a", [1], [1])] * 2, x_label="x", y_label="y"),
        "two series are called 'a'",
    ),
    (lambda: bars([], [Bars("m", [])], y_label="y"), "no groups"),
    (lambda: bars(["a"], [Bars("m", [None])], y_label="y"), "no bar has a height"),
    (lambda: bars(["a"], [Bars("m", [1, 2])], y_label="y"), "2 values where 1"),
    (lambda: boxes([Samples("m", [])], y_label="y"), "'m': there are no values"),
    (lambda: boxes([Samples("m", [0.0])], y_label="y", log_y=True), "no place for 0"),
    (lambda: cdf([Samples("m", [math.nan])], x_label="x"), "value 0 is nan"),
    (lambda: heat_map([1], [1], [], x_label="", y_label="", value_label=""), "0 rows where 1"),
    (lambda: heat_map([1], [1], [[None]], x_label="", y_label="", value_label=""), "no cell"),
    (lambda: time_series([Line("a", [1, 0], [1, 1])], y_label="y"), "times go back"),
    (lambda: time_series([Line("a", [1], [1])], y_label="y", end_s=0), "before the start"),
    (
        lambda: time_series([Line("a", [1], [1])], y_label="y", averages=[[1, 2]]),
        "2 values where 1",
    ),
    (
        lambda: time_series([Line("a", [1], [1])], y_label="y", averages=[[1], [1]]),
        "2 for 1 series",
    ),
    (lambda: topology_map([], range_m=1), "no nodes"),
    (lambda: topology_map([(0, math.nan)], range_m=1), "node 0 is at"),
    (lambda: topology_map([(0, 0)], range_m=1, flows=[(0, 1)]), "there is no node 1"),
    (lambda: topology_map([(0, 0)], range_m=1, down=[2]), "there is no node 2"),
    (lambda: route_map([(0, 0)], [(0, 3, 1)], range_m=1), "there is no node 3"),
    (lambda: route_map([(0, 0)], [(0, 0, 1)], range_m=1), "from node 0 to node 0"),
    (lambda: path_lengths([[(0, 0)]], range_m=1), "at least two nodes"),
]


@pytest.mark.parametrize(("draw", "said"), WRONG)
def test_what_cannot_be_drawn_is_said(draw: Callable[[], Figure], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw()


def test_markers_side_by_side_are_no_band() -> None:
    drawn = [
        lines([Line("a", range(count), [1.0] * count)], x_label="x", y_label="y")
        for count in (30, 31, 300)
    ]
    every = [each.matplotlib.axes[0].lines[0].get_markevery() for each in drawn]
    assert every == [1, 2, 10]
    assert len(drawn[2].data["x"]) == 300


def test_a_flows_ends_are_more_than_a_preposition() -> None:
    assert label("flows.to") == label("flows.0.to") == "destination node"
    assert setting("flows.to", 8) == "to 8"
    assert label("mac.data_rate_mbps") == "data rate (Mb/s)"


def test_labels_of_keys_that_end_alike_say_whose_they_are() -> None:
    protocols = ["flows.transport.protocol", "topology.hops", "routing.protocol"]
    assert [label(key, protocols) for key in protocols] == [
        "transport protocol",
        "hops",
        "routing protocol",
    ]
    ends = ["flows.0.to", "flows.1.to"]
    assert [label(key, ends) for key in ends] == [
        "flows 0 destination node",
        "flows 1 destination node",
    ]
    queues = ["mac.queue_packets", "routing.dsr.queue_packets"]
    assert setting(queues[1], 8, queues) == "dsr queue 8 packets"
    assert setting(queues[1], 8, queues[1:]) == "queue 8 packets"
    assert setting("a.ecn", True, ["a.ecn", "b.ecn"]) == "a ecn on"
    assert setting("routing.protocol", "aodv", protocols) == "aodv"


def test_names_break_where_a_reader_would() -> None:
    assert wrap("flows.transport.protocol", 10) == "flows.\ntransport.\nprotocol"
    assert wrap("two words", 5) == "two\nwords"
    assert wrap("abcdefghij", 4) == "abcd\nefgh\nij"
    assert all(len(line) <= 7 for name in NAMES for line in wrap(name, 7).split("\n"))
