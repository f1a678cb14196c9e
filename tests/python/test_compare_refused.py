"""What is no comparison is refused, before anything runs where that is possible."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from comparing import PROTOCOL, goodputs, protocols, sweep_of
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import InputError
from hopwright.comparisons import compare, compare_sweep
from hopwright.comparisons.treatment import treatment_of

if TYPE_CHECKING:
    from hopwright._schema.settings import Step


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ("renno", "baseline 'renno' is not among the variants; did you mean 'reno'?"),
        ("xyz", "is not among the variants; there are: 4, 8, 4.5, reno, vegas, 8, true"),
        ("8", "is a value of several keys; write topology.hops=8 or flows.to=8"),
        ("flows.too=8", "'flows.too' is not varied; did you mean 'flows.to'?"),
        ("flows.to=4", "baseline '4' is not among the variants; there are: 8"),
        ("flows.to=8", "flows.to: has no other value to compare 8 with"),
        (7, "baseline '7' is not among"),
        (True, "x: has no other value"),
        (1, "baseline '1' is not among"),
    ],
)
def test_what_is_no_baseline(baseline: object, message: str) -> None:
    values = {
        "topology.hops": [4, 8, 4.5],
        PROTOCOL: ["reno", "vegas"],
        "flows.to": [8],
        "x": [True],
    }
    with pytest.raises(InputError) as wrong:
        treatment_of(values, baseline)  # type: ignore[arg-type]
    assert message in str(wrong.value)


def test_what_is_a_baseline() -> None:
    values = {"topology.hops": [4, 8], PROTOCOL: ["reno", "vegas"], "mac.x": [False, True]}
    expected = {"4": "topology.hops", "8.0": "topology.hops", "vegas": PROTOCOL, "true": "mac.x"}
    for baseline, key in expected.items():
        assert treatment_of(values, baseline).key == key  # type: ignore[arg-type]
    assert treatment_of(values, 4) == ("topology.hops", "4")  # type: ignore[arg-type]
    assert treatment_of(values, True) == ("mac.x", "true")  # type: ignore[arg-type]
    # Lists and tables are values, however they are written.
    flows: list[Step] = [[{"from": 0, "to": 1}], [{"from": 0, "to": 1}, {"from": 2, "to": 3}]]
    first = ("flows", '[{"from" = 0, "to" = 1}]')
    for asked in ("[{from=0,to=1}]", "flows=[{to=1, from=0}]", first[1], flows[0]):
        assert treatment_of({"flows": flows}, asked) == first
    with pytest.raises(InputError, match=r"'\[\{from=0\}\]' is not among the variants"):
        treatment_of({"flows": flows}, "[{from=0}]")
    joint: dict[str, list[Step]] = {"a,b": [("x", [1, 2]), ("y", 3)]}
    assert treatment_of(joint, "(x,[1,2])") == ("a,b", "(x,[1, 2])")


def test_a_sweep_without_a_baseline_names_its_first_value(tmp_path: Path) -> None:
    folder = protocols(tmp_path / "s", sca_reno=goodputs([1, 2]), vegas=goodputs([1, 2]))
    with pytest.raises(InputError, match=r"such as --baseline sca-reno$"):
        dispatch(["compare", "--from", str(folder)])


def test_folders_that_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder without results; name the folder of a sweep"):
        compare_sweep(tmp_path, baseline="reno")
    folder = protocols(tmp_path / "s", reno=goodputs([1, 2]), vegas=goodputs([1, 2]))
    (folder / "results.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"results\.parquet: is not a complete Parquet file"):
        compare_sweep(folder, baseline="reno")
    (folder / "results.parquet").unlink()
    with pytest.raises(InputError, match="finish the sweep with resume=True"):
        compare_sweep(folder, baseline="reno")
    apart = sweep_of(
        tmp_path / "zip",
        [
            ({"a": 1, "b": 1}, goodputs([1, 2])),
            ({"a": 2, "b": 2}, goodputs([1, 2])),
        ],
    )
    with pytest.raises(
        InputError, match="no point of the sweep differs from a point with a=1 in a"
    ):
        compare_sweep(apart, baseline="a=1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.toml --vary x=1,2", "name a baseline, such as --baseline 1"),
        ("a.toml --vary mac.backoff=beb,fba", "name a baseline, such as --baseline beb"),
        ("a.toml --vary x,y=(2,3),(4,5)", "name a baseline, such as --baseline '(2,3)'"),
        ("a.toml", "name a baseline with --baseline, one of the values of a --vary KEY=a,b,c"),
        ("--from d", "d: does not exist; name the folder of a sweep or a comparison"),
        ("--baseline reno", "name a scenario, or a sweep's folder with --from"),
        ("a.toml --baseline reno", "name at least one key with --vary"),
        ("a.toml --vary x=1,2 --baseline 1 --resume", "--resume needs --out"),
        ("a.toml --vary x=1,2 --baseline 1 --runs 0", "--runs: 0 is not between 1 and"),
        (
            "a.toml --vary x=1,2 --baseline 1 --confidence 95",
            "'95' is not above 0 and at most 0.9999",
        ),
        ("--from d --baseline 1 --vary x=1,2", "--from makes no runs; omit --vary"),
        ("--from d --baseline 1 --resume", "omit --resume"),
        ("--from d --baseline 1 --json --overwrite", "omit --overwrite"),
        ("--from gone --baseline 1", "gone: does not exist; name the folder of a sweep"),
    ],
)
def test_wrong_arguments(line: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        dispatch(["compare", *line.split()])
    assert message in str(wrong.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": 1}, "runs: 1 is not enough: a difference could not be told from chance"),
        ({"confidence": 1.0}, "confidence: 1 is not above 0 and at most 0.9999"),
        ({"baseline": "sack"}, "'sack' is not among the variants; there are: reno, vegas"),
        ({"metrics": ["goodput"]}, "did you mean 'goodput_bps'"),
        ({"vary": {PROTOCOL: ["reno"]}}, "has no other value to compare reno with"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_runs(
    chain: Path, options: Mapping[str, object], message: str
) -> None:
    asked: dict[str, object] = {"vary": {PROTOCOL: ["reno", "vegas"]}, "baseline": "reno"}
    with pytest.raises(InputError) as wrong:
        compare(chain, out=chain.parent / "out", **{**asked, **options})  # type: ignore[arg-type]
    assert message in str(wrong.value)
    assert list(chain.parent.iterdir()) == [chain]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {PROTOCOL: "vegas"}}, "nothing to compare: no point of the sweep differs"),
        ({"where": {"mac.cw_min": 63}}, "where mac.cw_min=63: no run has that"),
        ({"where": {"seed": 99}}, "where seed=99: no run has that; there are: 7, 8"),
        ({"where": {"scenario": "other"}}, "where scenario=other: no run has that; there are: "),
        ({"overrides": {"flows": []}}, "chain.toml: has no flows, so there is nothing to compare"),
    ],
)
def test_what_leaves_nothing_to_compare_is_refused_before_the_runs(
    chain: Path, options: Mapping[str, object], message: str
) -> None:
    asked: dict[str, object] = {"vary": {"routing.protocol": ["aodv", "dsr"]}, "baseline": "aodv"}
    if "overrides" not in options:
        asked = {"vary": {PROTOCOL: ["reno", "vegas"], "mac.cw_min": [15, 31]}, "baseline": "reno"}
    told: list[float] = []
    with pytest.raises(InputError) as wrong:
        compare(
            chain,
            runs=2,
            out=chain.parent / "out",
            watch=lambda done, _: told.append(done),
            **{**asked, **options},  # type: ignore[arg-type]
        )
    assert message in str(wrong.value)
    assert list(chain.parent.iterdir()) == [chain]
    assert told == []
