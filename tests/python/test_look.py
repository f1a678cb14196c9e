"""How figures look in a paper: names, order, colours and sizes; and that they mislead nobody."""

import itertools
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

import hopwright as hw
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.comparisons.perform import compare_sweep
from hopwright.figures import (
    Bars,
    Figure,
    Line,
    Look,
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
from hopwright.figures.intervals import bounded
from hopwright.figures.labels import label, setting, variant
from hopwright.figures.of_run import RunOptions, network_figure
from hopwright.figures.queues import queues_on_path
from hopwright.figures.sizes import SIZES_MM
from hopwright.figures.stacked import Panel, stacked_bars, stacked_lines
from hopwright.figures.style import styled
from hopwright.results.network import Network

PAIR = ("reno", "vegas")
LABELS = {"reno": "TCP Reno", "y": "Throughput (kb/s)"}
LOOK = Look(labels=LABELS, order=["vegas"], colour={"reno": "#d55e00"}, size="acm-column")
CHAIN = [(200.0 * n, 0.0) for n in range(4)]


def pair_of_lines() -> list[Line]:
    return [Line(name, [1, 2, 4], [1.0 + n, 2.5, 4]) for n, name in enumerate(PAIR)]


def pair_of_bars() -> list[Bars]:
    return [Bars(name, [1.0 + n, 2.5]) for n, name in enumerate(PAIR)]


DRAWN: dict[str, Callable[[Look], Figure]] = {
    "lines": lambda look: lines(pair_of_lines(), x_label="x", y_label="y", look=look),
    "bars": lambda look: bars(["a", "b"], pair_of_bars(), y_label="y", look=look),
    "alone": lambda look: bars(PAIR, [Bars("all", [1.0, 2.5])], y_label="y", look=look),
    "boxes": lambda look: boxes(
        [Samples(name, [1.0, 2, 3, 4, 5]) for name in PAIR], y_label="y", look=look
    ),
    "cdf": lambda look: cdf([Samples(name, [1.0, 2.5]) for name in PAIR], x_label="y", look=look),
    "time": lambda look: time_series(pair_of_lines(), y_label="y", look=look),
    "averages": lambda look: time_series(
        pair_of_lines(), y_label="y", averages=[[None, 2, None], [None, 3, None]], look=look
    ),
    "paths": lambda look: path_lengths(
        [CHAIN], range_m=250, taken=[("reno", 3.0), ("vegas", 2.0)], title="y", look=look
    ),
    "stacked lines": lambda look: stacked_lines(
        [Panel("y", pair_of_lines()), Panel("z", pair_of_lines())], x_label="x", look=look
    ),
    "stacked bars": lambda look: stacked_bars(
        ["a", "b"], [Panel("y", pair_of_bars(), [[1, 2], [3, 4]], "equal")] * 2, look=look
    ),
}


def texts(figure: Figure) -> list[str]:
    found = ET.fromstring(figure.svg()).iter()
    return [each.text for each in found if each.tag.endswith("}text") and each.text]


def place(shown: Sequence[str], name: str) -> int:
    return next(n for n, text in enumerate(shown) if text.startswith(name))


def points(line: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_names_order_colours_and_size(draw: Callable[[Look], Figure]) -> None:
    figure, plain = draw(LOOK), draw(Look())
    shown = texts(figure)
    assert place(shown, "vegas") < place(shown, "TCP Reno")
    assert place(texts(plain), "reno") < place(texts(plain), "vegas")
    assert "Throughput (kb/s)" in shown
    assert "reno" not in shown
    assert b"#d55e00" in figure.svg()
    assert b"#d55e00" not in plain.svg()
    assert figure.matplotlib.get_size_inches()[0] == pytest.approx(84.7 / 25.4, abs=1e-3)
    # The numbers beside the figure are the same, under the new names.
    given, renamed = plain.csv(), figure.csv()
    assert sorted(renamed.replace("TCP Reno", "reno").replace(LABELS["y"], "y").split()) == sorted(
        given.split()
    )


def test_groups_and_what_they_are_compared_with_move_together() -> None:
    panel = Panel("y", pair_of_bars(), [[10, 20], [30, 40]], "equal")
    figure = stacked_bars(["a", "b"], [panel], look=Look(order=["b", "vegas"]))
    rows = list(zip(*(figure.data[name] for name in ("group", "series", "height")), strict=True))
    assert rows == [
        ("b", "vegas", 2.5),
        ("b", "reno", 2.5),
        ("a", "vegas", 2.0),
        ("a", "reno", 1.0),
    ]
    marks = [points(line)[0] for line in figure.matplotlib.axes[0].lines]
    assert marks == [pytest.approx(mark) for mark in ((-0.4, 40), (0.6, 30), (0, 20), (1, 10))]


def test_palettes_and_colour_maps() -> None:
    figure = lines(pair_of_lines(), x_label="x", y_label="y", look=Look(colour="okabe-ito"))
    colours = [to_hex(line.get_color()) for line in figure.matplotlib.axes[0].lines[::1]]
    assert len(set(colours)) == 2
    cells = [[1.0, 2.0], [3.0, 4.0]]

    def heat(look: Look) -> Figure:
        return heat_map(
            ["a", "b"], ["c", "d"], cells, x_label="x", y_label="y", value_label="v", look=look
        )

    plain, coloured = heat(Look()), heat(Look(colour="viridis", order=["b"]))
    assert coloured.data["x"] == ["b", "a", "b", "a"]
    assert coloured.data["value"] == [2.0, 1.0, 4.0, 3.0]
    white = [text.get_color() for text in plain.matplotlib.axes[0].texts]
    assert white == ["black", "black", "white", "white"]
    assert [text.get_color() for text in coloured.matplotlib.axes[0].texts][1] == "white"


@pytest.mark.parametrize(
    ("look", "said"),
    [
        ({"labels": {"rneo": "x"}}, "^labels rneo: .* did you mean 'reno'"),
        ({"order": ["y"]}, "^order y: nothing has this name; there are: reno, vegas"),
        ({"colour": {"y": "red"}}, "^colour y: nothing has this name; there are: reno, vegas"),
        ({"colour": {"reno": "rde"}}, "^colour rde: is no colour"),
        ({"colour": "okabe"}, "^colour okabe: there is no such palette.*okabe-ito"),
        ({"size": "ieee"}, "^size ieee: there is no such size.*ieee-"),
    ],
)
def test_what_is_not_there_is_refused(look: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        lines(pair_of_lines(), x_label="x", y_label="y", look=Look(**look))  # type: ignore[arg-type]


def test_maps_have_labels_but_no_colours() -> None:
    figure = topology_map(
        CHAIN, range_m=250, flows=[(0, 3)], look=Look(labels={"source": "client"}, size="slide")
    )
    assert {"client", "destination"} <= set(texts(figure))
    with pytest.raises(InputError, match=r"^colour cannot be used with a map"):
        topology_map(CHAIN, range_m=250, look=Look(colour="tab10"))
    with pytest.raises(InputError, match="a heat map takes a colour map"):
        heat_map(
            ["a"], ["b"], [[1.0]], x_label="", y_label="", value_label="", look=Look(colour="x")
        )


def test_two_names_that_become_one_are_refused() -> None:
    with pytest.raises(ValueError, match="two series are called 'vegas'"):
        lines(pair_of_lines(), x_label="x", y_label="y", look=Look(labels={"reno": "vegas"}))


def test_each_size_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "figures.md").read_text()
    for name, width in SIZES_MM.items():
        row = next(line for line in page.splitlines() if f"`{name}`" in line and "| " in line)
        assert f"{width:g}" in row, name


def test_a_sweep_and_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain = hw.load(Path(__file__).parents[2] / "scenarios" / "chain.toml")
    vary = {"flows.transport.protocol": ["reno", "vegas"]}
    swept = hw.sweep(chain, vary, overrides={"duration_s": 4}, runs=2, out=tmp_path / "swept")
    figure = swept.figure("bars", labels={"goodput_bps": "Rate", "vegas": "V"}, order=["vegas"])
    assert figure.data["group"] == ["V", "reno"]
    assert "Rate" in texts(figure)
    found = compare_sweep(tmp_path / "swept", baseline="reno").figure(
        labels={"vegas": "V"}, colour={"vegas": "red"}, size="lncs"
    )
    assert found is not None
    assert found.data["group"] == ["V"]
    words = f"compare --from {tmp_path / 'swept'} --baseline reno --out {tmp_path / 'c'}".split()
    assert main([*words, "--labels", "vegs=V"]) == 2
    assert "did you mean 'vegas'" in capsys.readouterr().err
    for colour, said in (("vegas=rde", "is no colour"), ("okabe", "there is no such palette")):
        assert main([*words, "--colour", colour]) == 2
        assert f"--colour {colour.rpartition('=')[2]}: {said}" in capsys.readouterr().err
        with pytest.raises(InputError, match=said):
            compare_sweep(tmp_path / "swept", baseline="reno").figure(
                colour={"vegas": "rde"} if "=" in colour else colour
            )
    assert not (tmp_path / "c").exists()
    assert main([*words, "--labels", "vegas=V", "--colour", "vegas=red"]) == 0
    assert "\nV," in (tmp_path / "c" / "comparison-goodput_bps.csv").read_text()
    assert b"#ff0000" in (tmp_path / "c" / "comparison-goodput_bps.svg").read_bytes()
    words = ["plot", str(tmp_path / "swept"), "--out", str(tmp_path / "f")]
    assert main([*words, "--wide", "--size", "lncs"]) == 2
    assert main([*words, "--labels", '"reno=Reno, the old",vegas=V', "--size", "lncs"]) == 0
    assert "Reno, the old" in (tmp_path / "f.csv").read_text()


def test_a_run() -> None:
    chain = hw.load(Path(__file__).parents[2] / "scenarios" / "chain.toml", {"duration_s": 4})
    results = hw.run(chain, series=True)
    figure = results.figure(y="rtt_s", labels={"rtt_s": "Round trip (s)"}, size="acm-column")
    assert "Round trip (s)" in texts(figure)
    assert figure.matplotlib.get_size_inches()[0] == pytest.approx(84.7 / 25.4, abs=1e-3)
    with pytest.raises(InputError, match=r"^order flow 7: nothing has this name"):
        results.figure(y="rtt_s", order=["flow 7"])


def test_intervals_end_at_zero() -> None:
    assert bounded(1.0, 2.0) == (0.0, 3.0)
    assert bounded(-1.0, 2.0) == (-3.0, 1.0)
    assert bounded(3.0, 2.0) == (1.0, 5.0)


def test_few_values_are_no_box() -> None:
    few, enough = Samples("few", [1.0, 9.0]), Samples("enough", [1.0, 2, 3, 4, 9])
    axes = boxes([few, enough], y_label="y").matplotlib.axes[0]
    assert len(axes.patches) == 1
    dots = [points(line) for line in axes.lines if line.get_marker() == "o"]
    assert [(0.0, 1.0), (0.0, 9.0)] in dots
    assert len(boxes([few], y_label="y").matplotlib.axes[0].patches) == 0


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        ([0.670, 0.675, 0.680], ["0.670", "0.675", "0.680"]),
        ([1.0, 250.0, 300.4], ["1", "250", "300"]),
        ([3.0, 4.0, 5.0], ["3.00", "4.00", "5.00"]),
    ],
)
def test_numbers_in_cells_tell_them_apart(cells: Sequence[float], shown: Sequence[str]) -> None:
    figure = heat_map(["a", "b", "c"], ["d"], [cells], x_label="", y_label="", value_label="")
    assert [text.get_text() for text in figure.matplotlib.axes[0].texts] == shown


def test_ticks_of_counts_are_whole() -> None:
    for values, counts in (([0.0, 1.5, 2.2], True), ([0.0, 1.0, 2.0], False)):
        figure = lines([Line("a", [1, 2, 3], values)], x_label="x", y_label="y", counts=counts)
        axes = figure.matplotlib.axes[0]
        assert all(float(tick).is_integer() for tick in axes.get_yticks())
    assert not all(
        float(tick).is_integer()
        for tick in lines([Line("a", [1, 2, 3], [0.0, 1.5, 2.2])], x_label="x", y_label="y")
        .matplotlib.axes[0]
        .get_yticks()
    )


def test_words_below_an_axis_stand_on_one_line() -> None:
    figure = bars(["aaa", "gypsy", "bd\nlong"], [Bars("s", [1, 2, 3])], y_label="y")
    # A text of one line has `y`, the lines of a longer one are moved there.
    moved = re.compile(r"translate\(\S+ (\S+)\)")
    heights = {
        each.text: float(each.get("y") or moved.findall(each.get("transform", ""))[0])
        for each in ET.fromstring(figure.svg()).iter()
        if each.text in {"aaa", "gypsy", "bd"}
    }
    assert len(figure.matplotlib.axes[0].get_xticklabels()) == len(heights) == 3
    assert max(heights.values()) - min(heights.values()) < 0.3


def test_a_word_needs_its_key_unless_it_is_a_protocol() -> None:
    assert setting("flows.transport.protocol", "reno") == "reno"
    assert setting("flows.transport.ecn", "none") == "ecn none"


def test_numbers_that_differ_little_differ_in_their_names() -> None:
    names = [setting("mac.rate_bps", rate) for rate in (1e6, 1234567.0, 1234568.0, 0.1 + 0.2)]
    assert names == [f"rate {text} b/s" for text in ("1e+06", "1234567", "1234568", "0.3")]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("mac.data_rate_mbps", "data rate (Mb/s)"),
        ("mac.slot_us", "slot (µs)"),
        ("radio.energy.transmit_w", "transmit (W)"),
        ("links.loss_percent", "loss (%)"),
        ("mobility.acceleration_mps2", "acceleration (m/s²)"),
        ("flows.transport.vegas_alpha", "vegas alpha (segments)"),
        ("flows.0.transport.atp_probe_epochs", "atp probe epochs"),
        ("mac.cw_min", "cw min"),
    ],
)
def test_keys_keep_their_units(key: str, words: str) -> None:
    assert label(key) == words


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("flows.transport.protocol", "reno", "reno"),
        ("flows.transport.protocol,mac.backoff", "(reno,fba)", "(reno,fba)"),
        ("mac.data_rate_mbps", "5.5", "data rate 5.5 Mb/s"),
        ("mac.lred", "true", "lred on"),
        ("topology.hops,mac.data_rate_mbps", "(4,11)", "hops 4, data rate 11 Mb/s"),
        ("mac.data_rate_mbps,mac.basic_rate_mbps", "2", "data rate 2 Mb/s, basic rate 2 Mb/s"),
    ],
)
def test_variants_of_a_comparison_have_their_units(key: str, value: str, words: str) -> None:
    assert variant(key, value) == words


def test_figures_of_comparisons_say_units(chain: Path) -> None:
    rates = {"mac.data_rate_mbps": [2, 11]}
    found = hw.compare(chain, rates, baseline="2", runs=2, metrics=["goodput_bps"])
    label_of_old = {"mac.data_rate_mbps=11": "fast"}
    for labels, name in (({}, "data rate 11 Mb/s"), (label_of_old, "fast")):
        figure = found.figure(labels=labels)
        assert figure is not None
        assert figure.data["group"] == [name]
        assert "against data rate 2 Mb/s" in " ".join(texts_of(figure))
    lined = {**rates, "mac.cw_min": [15, 31]}
    figure = hw.compare(chain, lined, baseline="mac.data_rate_mbps=2", runs=2).figure()
    assert {"data rate 2 Mb/s", "data rate 11 Mb/s"} <= set(texts_of(figure))


def texts_of(figure: Figure | None) -> list[str]:
    assert figure is not None
    svg = ET.fromstring(figure.svg())
    return [each.text for each in svg.iter() if each.text and each.text.strip()]


def test_queues_are_those_of_the_flows_own_path() -> None:
    queues = {n: (np.array([0.0, 1.0]), np.array([0.0, n + 1.0])) for n in range(12)}
    path = [(2, 5, 9), (5, 7, 1), (7, 8, 0)]

    def shown(links: list[tuple[int, int, int]], *empty: int) -> tuple[list[int], str]:
        there = {node: queue for node, queue in queues.items() if node not in empty}
        found = queues_on_path(there, links, 10)
        return list(found.rows), found.left_out

    assert shown(path) == ([2, 5, 7], "")
    assert shown(path, 5) == ([2, 7], "node 5: always empty")
    assert shown(path, 5, 7) == ([2], "nodes 5, 7: always empty")
    many = [(n, n + 1, 1) for n in range(11)]
    fullest = [6, 7, 8, 9, 10, 11]
    assert shown(many) == (fullest, "the fullest 6 of 12 on the path")
    assert shown(many, 0, 1) == (fullest, "the fullest 6 of 12 on the path")
    assert shown(many, *range(7)) == ([7, 8, 9, 10, 11], "7 others on the path: always empty")
    assert shown([]) == (fullest, "the fullest 6 of 12")
    assert shown(many, *range(12)) == ([], "")


def test_routes_stand_at_the_moment_that_fits_most_packets() -> None:
    away = [(0.0, 0.0), (900.0, 0.0)]
    near = [(0.0, 0.0), (100.0, 0.0)]
    network = Network(
        reception_range_m=250.0,
        end_s=20.0,
        times_s=[0.0, 10.0, 20.0],
        positions_m=[away, near, away],
        flows=[(0, 1)],
        links=[[(0, 1, 50)]],
        moves=True,
    )
    figure, said = network_figure(network, "routes", "t", RunOptions())
    assert "positions at 10 s" in said
    assert "t, nodes at 10 s" in texts(figure)
    apart = "out of range at these positions"
    assert apart not in texts(figure)
    figure, said = network_figure(network, "routes", "t", RunOptions(at_s=1.0))
    assert "positions at 0 s" in said
    assert apart in texts(figure)
    assert apart not in texts(route_map(near, [(0, 1, 5)], range_m=250))


OF_CLASSES = {
    "ieee-column": ("IEEEtran", "journal", "columnwidth"),
    "ieee-page": ("IEEEtran", "journal", "textwidth"),
    "lncs": ("llncs", "", "textwidth"),
}


@pytest.mark.parametrize("size", OF_CLASSES)
def test_a_figure_fits_the_column_of_its_class(size: str, tmp_path: Path) -> None:
    name, options, width = OF_CLASSES[size]
    if not shutil.which("kpsewhich") or not shutil.which("pdflatex"):
        pytest.skip("LaTeX is not installed")
    if subprocess.run(["kpsewhich", f"{name}.cls"], capture_output=True, check=False).returncode:
        pytest.skip(f"the class {name} is not installed")
    said = rf"\typeout{{is \the\{width}}}"
    (tmp_path / "a.tex").write_text(
        rf"\documentclass[{options}]{{{name}}}\begin{{document}}{said}\end{{document}}"
    )
    words = ["pdflatex", "-interaction=nonstopmode", "-draftmode", "a.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    (points,) = re.findall(r"^is ([\d.]+)pt", done.stdout, re.MULTILINE)
    # 72.27 points are an inch; less than 0.1 mm is lost to rounding.
    assert -1e-4 < float(points) * 25.4 / 72.27 - SIZES_MM[size] < 0.1


@pytest.mark.parametrize(
    "values",
    [
        [0.999961, 0.999967, 0.999972],
        [398561.2, 398574.9, 398590.4],
        [1.00001234, 1.00001243],
        [-20000.001, -20000.002],
        [3.0, 3.0],
        [1.0, 2.0, 7.5],
    ],
)
def test_labels_of_ticks_stand_side_by_side(values: list[float]) -> None:
    figure = cdf([Samples("", values)], x_label="x", look=Look(size="springer-column"))
    with styled():
        figure.matplotlib.draw_without_rendering()
        (axes,) = figure.matplotlib.axes
        low, high = axes.get_xlim()
        ticks = [tick for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        ends = sorted((box.x0, box.x1) for box in (t.label1.get_window_extent() for t in ticks))
    assert len(ends) >= 1
    assert all(left[1] < right[0] for left, right in itertools.pairwise(ends))
