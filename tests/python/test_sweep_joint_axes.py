"""Keys that go together are one axis: how it is written, its points, comparisons and figures."""

import json
from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
from hopwright._io.errors import InputError
from hopwright._schema.settings import Step
from hopwright.figures.of_sweep import SweepOptions, sweep_figure
from hopwright.figures.results import Results
from hopwright.sweeps.axes import Axis, Range, axes_of, check_axes, parse_axis
from hopwright.sweeps.design import settings_of
from hopwright.sweeps.merge import merge

HOPS = ("topology.hops", "flows.to")
PROTOCOL = "flows.transport.protocol"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("4,8", (4, 8)),
        ("2..4", (2, 3, 4)),
        ("(2,3),(3,3)", ((2, 3), 3)),
        (" ( 2 , 3 ) , 5 ", ((2, 3), 5)),
        ("(a,'b,c')", (("a", "b,c"),)),
        ("([1,2],3)", (([1, 2], 3),)),
        ("[1,2],[3]", ([1, 2], [3])),
        ("'(2,3)',x(1)", ("(2,3)", "x(1)")),
        ("10:20,a:b", ("10:20", "a:b")),
    ],
)
def test_values_are_shared_or_one_for_each(text: str, values: tuple[Step, ...]) -> None:
    axis = parse_axis(f" a , b.c ={text}", listed=True)
    assert axis == Axis(("a", "b.c"), values)
    assert parse_axis(str(axis), listed=True) == axis


def test_one_key_has_no_parentheses() -> None:
    assert parse_axis("a=(2,3)", listed=True).values == ("(2", "3)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,=1", "write it as KEY=a,b,c"),
        (",a=1", "write it as KEY=a,b,c"),
        ("a,b=(1,2,3)", r"\(1,2,3\) has 3 values for 2 keys"),
        ("a,b=(1)", r"\(1\) has 1 value for 2 keys"),
        ("a,b=()", "a value is missing"),
        ("a,b=(1,2..3)", "a range cannot stand within"),
        ("a,b=(1,2", "a bracket is not closed"),
        ("a,b=(1,2)x", r"write it as \(a,b\)"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_axis(text, listed=True)


def test_python_values() -> None:
    axes = axes_of({HOPS: [4, 8], ("a", "b"): [(2, 3), (3, 3), [1, 2]], "c": [(1, 2)]}, listed=True)
    assert axes == [
        Axis(HOPS, (4, 8)),
        Axis(("a", "b"), ((2, 3), 3, [1, 2])),
        Axis(("c",), ([1, 2],)),
    ]
    assert axes_of({HOPS: (2, 8)}, listed=False) == [Axis(HOPS, Range(2, 8))]
    with pytest.raises(InputError, match=r"a,b: \(1,2,3\) has 3 values for 2 keys"):
        axes_of({("a", "b"): [(1, 2, 3)]}, listed=True)
    with pytest.raises(InputError, match="4: is neither a key of a scenario nor a tuple of keys"):
        axes_of({4: [1]}, listed=True)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([Axis(("a", "a"), (1,))], "a: is varied twice"),
        ([Axis(("a", "b"), (1,)), Axis(("b",), (2,))], "b: is varied twice"),
        ([Axis(("a", "x"), (1,))], "x: is set and varied"),
        ([Axis(("a", "seed"), (1,))], "all points share the seeds"),
        ([Axis(("a", "b"), ((1, 2), 3, (1, 2)))], r"a,b: has the value \(1,2\) twice"),
        ([Axis((), (1,))], "name a key"),
    ],
)
def test_axes_that_make_no_sense(axes: list[Axis], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_axes(axes, ["x"])


def test_an_axis_counts_as_one_in_every_design() -> None:
    joint, other = Axis(("a", "b"), ((1, 2), 3)), Axis(("c",), ("x", "y"))
    assert settings_of([other, joint], "product", None, 1) == [
        {"c": "x", "a": 1, "b": 2},
        {"c": "x", "a": 3, "b": 3},
        {"c": "y", "a": 1, "b": 2},
        {"c": "y", "a": 3, "b": 3},
    ]
    assert settings_of([joint, other], "zip", None, 1) == [
        {"a": 1, "b": 2, "c": "x"},
        {"a": 3, "b": 3, "c": "y"},
    ]
    drawn = settings_of([Axis(("a", "b"), Range(1, 8))], "lhs", 8, 1)
    assert all(point["a"] == point["b"] for point in drawn)
    assert {point["a"] for point in drawn} == set(range(1, 9))


def test_values_may_repeat_side_by_side(chain: Path) -> None:
    vary = {PROTOCOL: ["reno", "reno", "vegas"], HOPS: [2, 3, 2]}
    done = hw.sweep(chain, vary, design="zip")
    assert [tuple(point.settings.values()) for point in done.points] == [
        ("reno", 2, 2),
        ("reno", 3, 3),
        ("vegas", 2, 2),
    ]
    with pytest.raises(InputError, match="has the value reno twice"):
        hw.sweep(chain, vary)


def test_every_key_has_its_column_and_the_folder_goes_on(chain: Path, tmp_path: Path) -> None:
    vary = {PROTOCOL: ["reno", "vegas"], HOPS: [2, (3, 1)]}
    done = hw.sweep(chain, vary, out=tmp_path / "a", shard=(1, 2))
    rest = hw.sweep(chain, vary, out=tmp_path / "b", shard=(2, 2))
    assert done.vary == {PROTOCOL: ("reno", "vegas"), HOPS: (2, (3, 1))}
    stored = json.loads((tmp_path / "a" / "sweep.json").read_text())
    assert stored["vary"][1] == "topology.hops,flows.to=2,(3,1)"
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "all")
    assert merged.vary == done.vary
    assert done.runs + rest.runs == merged.runs == 4
    table = pl.DataFrame(merged.table)
    assert table.columns[:4] == [PROTOCOL, *HOPS, "point"]
    assert table.select(HOPS).rows() == [(2, 2), (3, 1)] * 2
    assert merged.rows()[0][:3] == [PROTOCOL, *HOPS]
    more = hw.sweep(chain, vary, out=tmp_path / "all", resume=True, runs=2)
    assert more.runs == 8
    with pytest.raises(InputError, match=r"vary: .*2,\(3,1\) then, .*=2,3 now"):
        hw.sweep(chain, {**vary, HOPS: [2, 3]}, out=tmp_path / "all", resume=True)


def test_blocks_are_named_by_the_first_of_keys_that_are_equal(chain: Path, tmp_path: Path) -> None:
    vary = {PROTOCOL: ["reno", "vegas"], HOPS: [2, 3]}
    found = hw.compare(
        chain, vary, baseline="reno", runs=2, metrics=["goodput_bps"], out=tmp_path / "a"
    )
    assert [each.block for each in found.contrasts] == [{HOPS[0]: 2}, {HOPS[0]: 3}]
    assert found.sentences[0].startswith("With topology.hops=2, vegas against reno")
    unequal = hw.compare(
        chain, {PROTOCOL: ["reno", "vegas"], HOPS: [2, (3, 1)]}, baseline="reno", runs=2
    )
    assert unequal.contrasts[-1].block == {HOPS[0]: 3, HOPS[1]: 1}


@pytest.mark.parametrize("baseline", ["(3,1)", "(3, 1)", (3, 1), "topology.hops=(3,1)"])
def test_an_axis_of_several_keys_may_be_what_is_compared(chain: Path, baseline: object) -> None:
    vary = {HOPS: [2, (3, 1)], PROTOCOL: ["reno", "vegas"]}
    found = hw.compare(chain, vary, baseline=baseline, runs=2, metrics=["goodput_bps"])
    assert [(each.block, each.key, each.variant, each.baseline) for each in found.contrasts] == [
        ({PROTOCOL: protocol}, "topology.hops,flows.to", "2", "(3,1)")
        for protocol in ("reno", "vegas")
    ]


def test_a_figure_lets_keys_go_along(chain: Path, tmp_path: Path) -> None:
    hw.sweep(chain, {HOPS: [2, 3], PROTOCOL: ["reno", "vegas"]}, runs=2, out=tmp_path / "a")
    results = Results.read(tmp_path / "a")
    assert results.free([HOPS[0]]) == [PROTOCOL]
    figure, kind, _ = sweep_figure(results, None, SweepOptions())
    assert kind == "lines"
    axes = figure.matplotlib.axes[0]
    assert axes.get_xlabel() == "hops"
    figure.save(tmp_path / "figure")
    rows = (tmp_path / "figure.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [
        ["reno", "2.0"],
        ["reno", "3.0"],
        ["vegas", "2.0"],
        ["vegas", "3.0"],
    ]
