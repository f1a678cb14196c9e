"""What a sweep varies: how it is written, which points it makes, and what makes no sense."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import hopwright as hw
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright._io.source import Source
from hopwright._schema.settings import Settings, Value, overrides_of, plain, toml_text
from hopwright.sweeps.axes import Axis, Range, axes_of, check_axes, parse_axis
from hopwright.sweeps.design import check_design, settings_of
from hopwright.sweeps.perform import rule_of
from hopwright.sweeps.points import check_points


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("4,8,16", (4, 8, 16)),
        (" 4 , 8 ", (4, 8)),
        ("1,1.0,true", (1, 1.0, True)),
        ("reno,vegas", ("reno", "vegas")),
        ("ss-reno,two-ray-ground", ("ss-reno", "two-ray-ground")),
        ('"a,b.tcl",c.tcl', ("a,b.tcl", "c.tcl")),
        (r'"a\",b"', ('a",b',)),
        ("'it,s'", ("it,s",)),
        ("[1,2],[3,[4,5]]", ([1, 2], [3, [4, 5]])),
        ("{x=1,y=2},{x=3}", ({"x": 1, "y": 2}, {"x": 3})),
        ("10.0.0.1,2026-01-02", ("10.0.0.1", "2026-01-02")),
        ("4..8", (4, 5, 6, 7, 8)),
        ("4..9..2", (4, 6, 8)),
        ("-1..1", (-1, 0, 1)),
        ("0.1..0.5..0.1", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("0..1..0.25", (0.0, 0.25, 0.5, 0.75, 1.0)),
        ("1..3,8", (1, 2, 3, 8)),
        ("x=y", ("x=y",)),
    ],
)
def test_values_are_toml_and_bare_words_strings(text: str, values: tuple[Value, ...]) -> None:
    axis = parse_axis(f"a.b={text}", listed=True)
    assert axis.keys == ("a.b",)
    assert isinstance(axis.values, tuple)
    assert axis.values == values
    assert [type(value) for value in axis.values] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topology.hops", "write it as KEY=a,b,c"),
        ("=4", "write it as KEY=a,b,c"),
        ("k=", "a value is missing"),
        ("k=4,,5", "a value is missing"),
        ("k=4,", "a value is missing"),
        ("k=[1,2", "a bracket is not closed"),
        ("k=1]", "a bracket is closed that is not open"),
        ("k=]1[", "a bracket is closed that is not open"),
        ('k="a', "quotation mark .* is not closed"),
        ("k=[1 2]", "is not TOML"),
        ("k=8..4", "the first number must be below the second"),
        ("k=4..4", "the first number must be below the second"),
        ("k=1..8..0", "the step must be above 0"),
        ("k=0.1..0.5", r"needs a step to be listed, such as 0.1..0.5..0.1"),
        ("k=1..8:log", "needs a step"),
        ("k=1..9999999", "more than 1000000"),
        ("k=1..8..2:log", "a step or ':log', not both"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as wrong:
        parse_axis(text, listed=True)
    assert text in str(wrong.value)


def test_drawn_designs_take_ranges_and_choices() -> None:
    assert parse_axis("k=2..8", listed=False).values == Range(2, 8)
    assert parse_axis("k=0.5..8:log", listed=False).values == Range(0.5, 8, log=True)
    assert parse_axis("k=2..8..2", listed=False).values == (2, 4, 6, 8)
    assert parse_axis("k=a,b", listed=False).values == ("a", "b")
    with pytest.raises(InputError, match="must be above 0"):
        parse_axis("k=0..8:log", listed=False)


def test_python_values() -> None:
    axes = axes_of(
        {"a": [1, 2], "b": range(3), "c": np.array([0.5, 1.5]), "d": (1, 2), "e": Range(2, 4)},
        listed=True,
    )
    values = [axis.values for axis in axes]
    assert values == [(1, 2), (0, 1, 2), (0.5, 1.5), (1, 2), (2, 3, 4)]
    assert all(type(value) is float for value in axes[2].values)  # type: ignore[union-attr]
    assert axes_of({"d": (1, 2)}, listed=False)[0].values == Range(1, 2)
    assert axes_of({"d": ("x", "y")}, listed=False)[0].values == ("x", "y")
    with pytest.raises(InputError, match=r"a: 'reno' is not a list of values"):
        axes_of({"a": "reno"}, listed=True)
    with pytest.raises(InputError, match="cannot be the value of a scenario key"):
        axes_of({"a": [object()]}, listed=True)


@pytest.mark.parametrize(
    "value",
    [True, 4, -1, 0.1, 1e300, "a", 'say "hi"\n\x7f\\', "Grüße", [1, [2.5, "x"]], {"a b": {"c": 1}}],
)
def test_toml_text_is_read_back(value: Value) -> None:
    import tomllib

    assert tomllib.loads(f"v = {toml_text(value)}")["v"] == value


def test_numpy_scalars_become_plain_numbers() -> None:
    assert type(plain(np.float64(0.5))) is float
    assert type(plain(np.int64(5))) is int
    assert plain(np.bool_(True)) is True


@pytest.mark.parametrize(
    ("axes", "taken", "message"),
    [
        ([Axis(("a",), (1,)), Axis(("a",), (2,))], [], "a: is varied twice"),
        ([Axis(("a",), ())], [], "a: has no values"),
        ([Axis(("a",), (4, 5, 4))], [], "a: has the value 4 twice"),
        ([Axis(("a",), ("x", "x"))], [], "a: has the value x twice"),
        ([Axis(("a",), (1,))], ["a"], "a: is set and varied"),
        ([Axis(("seed",), (1,))], [], "all points share the seeds"),
    ],
)
def test_axes_that_make_no_sense(axes: list[Axis], taken: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_axes(axes, taken)


def test_one_and_one_point_zero_are_different_values() -> None:
    check_axes([Axis(("a",), (1, 1.0, True))])


@pytest.mark.parametrize(
    ("design", "count", "message"),
    [
        ("lsh", 4, "no design called 'lsh'; did you mean 'lhs'"),
        ("random", None, "needs a number of points: points=N$"),
        ("lhs", None, "needs a number of points: points=N$"),
        ("product", 4, "a number of points is only for"),
        ("zip", 4, "a number of points is only for"),
        ("random", 0, "must be 1 to"),
    ],
)
def test_designs_that_make_no_sense(design: str, count: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_design(design, count)


def test_the_command_names_its_own_option_for_points(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "chain.toml", "--vary", "topology.hops=4..8", "--design", "lhs"]
    assert main(words) == 2
    said = "hopwright: the design 'lhs' needs a number of points: --points N\n"
    assert capsys.readouterr().err == said


def test_product_changes_the_last_axis_fastest() -> None:
    points = settings_of([Axis(("a",), (1, 2)), Axis(("b",), ("x", "y", "z"))], "product", None, 1)
    assert [tuple(point.values()) for point in points] == [
        (1, "x"),
        (1, "y"),
        (1, "z"),
        (2, "x"),
        (2, "y"),
        (2, "z"),
    ]


def test_zip_goes_side_by_side_and_needs_equal_lengths() -> None:
    points = settings_of([Axis(("a",), (1, 2)), Axis(("b",), ("x", "y"))], "zip", None, 1)
    assert points == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    with pytest.raises(InputError, match=r"zip: a has 2 values, b 3"):
        settings_of([Axis(("a",), (1, 2)), Axis(("b",), (1, 2, 3))], "zip", None, 1)


def test_too_many_combinations_are_refused() -> None:
    axes = [Axis((name,), tuple(range(200))) for name in "abc"]
    with pytest.raises(InputError, match="8000000 points"):
        settings_of(axes, "product", None, 1)


@pytest.mark.parametrize("count", [1, 7, 50])
def test_a_latin_hypercube_draws_once_from_every_slice(count: int) -> None:
    axes = [
        Axis(("a",), Range(0.0, 10.0)),
        Axis(("b",), Range(1.0, 1000.0, log=True)),
        Axis(("c",), Range(1, count)),
    ]
    points = settings_of(axes, "lhs", count, 5)
    slices = [
        sorted(int(float(p["a"]) / 10 * count) for p in points),  # type: ignore[arg-type]
        sorted(int(math.log10(float(p["b"])) / 3 * count) for p in points),  # type: ignore[arg-type]
        sorted(int(str(p["c"])) - 1 for p in points),
    ]
    if count == 1:
        assert points[0]["c"] == 1
        return
    assert slices == [list(range(count))] * 3


def test_random_draws_stay_in_range_and_reach_its_ends() -> None:
    axes = [
        Axis(("whole",), Range(3, 6)),
        Axis(("real",), Range(-1.0, 1.0)),
        Axis(("log",), Range(1, 64, log=True)),
        Axis(("choice",), ("x", "y")),
    ]
    points = settings_of(axes, "random", 2000, 1)
    assert {p["whole"] for p in points} == {3, 4, 5, 6}
    assert {p["choice"] for p in points} == {"x", "y"}
    reals = [float(p["real"]) for p in points]  # type: ignore[arg-type]
    assert -1 <= min(reals) < -0.99
    assert 0.99 < max(reals) <= 1
    logs = [int(str(p["log"])) for p in points]
    assert (min(logs), max(logs)) == (1, 64)
    # As many below 8 as above, not below 32: it is the logarithm that is drawn evenly.
    assert 0.4 < sum(log < 8 for log in logs) / len(logs) < 0.6
    assert settings_of(axes, "random", 2000, 1) == points
    assert settings_of(axes, "random", 2000, 2) != points


def test_all_points_are_checked_first_and_every_error_is_told_once(chain: Path) -> None:
    source = Source.read(chain)
    axes = [
        Axis(("mac.cw_min",), (15, "x")),
        Axis(("flows.transport.protocol",), ("reno", "renno")),
    ]
    with pytest.raises(hw.ScenarioError) as wrong:
        check_points(source, [], settings_of(axes, "product", None, 1))
    text = str(wrong.value)
    assert text.count("error: ") == 2
    assert "did you mean 'reno'" in text
    assert "point 2 of 4 (mac.cw_min=15, flows.transport.protocol=renno), and 1 other" in text
    assert "expected a whole number, found the string 'x'" in text
    # Nobody wrote --set; and what is marked is the value.
    assert "--set" not in text
    assert '--> --vary mac.cw_min="x":1:19\n  |\n1 | --vary mac.cw_min="x"\n' in text
    line, mark = next(
        pair for pair in zip(text.split("\n"), text.split("\n")[1:], strict=False) if "^" in pair[1]
    )
    assert line[mark.index("^") :] == '"renno"'


def test_what_is_set_and_not_varied_is_told_as_set(chain: Path) -> None:
    with pytest.raises(hw.ScenarioError) as wrong:
        hw.sweep(chain, {"mac.cw_min": [15, 31]}, overrides={"mac.cw_max": "x"})
    assert '--> mac.cw_max="x":1:12' in str(wrong.value)
    assert "--vary" not in str(wrong.value)


def test_a_wrong_key_is_told_once_with_the_right_one(chain: Path) -> None:
    with pytest.raises(hw.ScenarioError) as wrong:
        hw.sweep(chain, {"mac.cwmin": [15, 31, 63]})
    assert str(wrong.value).count("error: ") == 1
    assert "did you mean 'cw_min'" in str(wrong.value)


def test_a_points_id_is_its_content(chain: Path, tmp_path: Path) -> None:
    def ids(text: str, *settings: dict[str, Value]) -> list[str]:
        source = Source(text, "here", str(tmp_path))
        return [point.id for point in check_points(source, [], settings)[0]]

    text = chain.read_text()
    first, same, other = ids(text, {"mac.cw_min": 15}, {"mac.cw_min": 15}, {"mac.cw_min": 31})
    assert first == same != other
    assert ids(text) == []
    spelled_out = text + "\n# a remark\n"
    assert ids(spelled_out, {"mac.cw_min": 15, "mac.cw_max": 1023, "seed": 99}) == [first]
    assert len(first) == 16


def test_a_points_id_depends_on_the_movements(tmp_path: Path) -> None:
    scenario = """
name = "moving"
duration_s = 2
[topology]
kind = "ns2"
file = "move.tcl"
[routing]
protocol = "aodv"
[[flows]]
from = 0
to = 1
"""
    placed = "$node_({}) set X_ {}\n$node_({}) set Y_ 5.0\n$node_({}) set Z_ 0.0\n"
    found: list[str] = []
    for x in ("10.0", "20.0", "10.0"):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        positions = placed.format(0, "5.0", 0, 0) + placed.format(1, x, 1, 1)
        (folder / "move.tcl").write_text(positions)
        points, variants, _ = check_points(Source(scenario, "m", str(folder)), [], [{"seed": 1}])
        found.append(points[0].id)
        assert variants[points[0].id].movement == positions
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, None, "goodput_bps", None), "runs: 0 is not between 1 and 1000000"),
        ((None, None, "goodput_bps", 9), "needs --until"),
        ((1, 0.1, "goodput_bps", None), "2 runs at least"),
        ((None, 2.0, "goodput_bps", None), "not between 0 and 1"),
        ((9, 0.1, "goodput_bps", 8), "fewer than 9"),
    ],
)
def test_numbers_of_runs_that_make_no_sense(
    arguments: tuple[int | None, float | None, str, int | None], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        rule_of(*arguments)


def test_overrides_keep_strings_strings() -> None:
    assert overrides_of({"a": "4", "b": 4, "c": True}) == [("a", '"4"'), ("b", "4"), ("c", "true")]
    assert json.loads(overrides_of({"a": "4"})[0][1]) == "4"


def test_points_know_the_most_flows_that_one_has(chain: Path) -> None:
    source = Source.read(chain)
    counts: list[tuple[Settings, int]] = [({"flows.parallel": 3}, 3), ({"flows": []}, 0), ({}, 1)]
    for more, flows in counts:
        assert check_points(source, [], [more]).most_flows == flows
        assert check_points(source, [], [{"mac.cw_min": 15}, more]).most_flows == max(1, flows)
