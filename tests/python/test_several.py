"""Several flows, settings and scenarios in one question, and a name for each question."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hopwright as hw
from hopwright._cli.chosen import where_of
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.comparisons import compare_sweep
from hopwright.comparisons.question import CONFIDENCE, Question
from hopwright.explain.events import Lineage
from hopwright.figures.results import Results
from hopwright.results.chosen import (
    Flows,
    apart,
    check_flows,
    flow_list,
    flows_text,
    rows_where,
    texts_of,
)
from hopwright.statistics.correction import holm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROTOCOL = "flows.transport.protocol"
SCENARIO = """
name = "{name}"
duration_s = {duration}
[topology]
kind = "chain"
hops = 4
[[flows]]
from = 0
to = 4
[flows.transport]
protocol = "newreno"
{more}
"""
BACK = '\n[[flows]]\nfrom = {0}\nto = 0\n[flows.transport]\nprotocol = "newreno"\n'
WORDS = ["--vary", f"{PROTOCOL}=newreno,vegas", "--baseline", "newreno"]


def scenario(folder: Path, name: str, flows: int = 1, duration: float = 3) -> Path:
    file = folder / f"{name}.toml"
    more = "".join(BACK.format(4 - n) for n in range(flows - 1))
    file.write_text(SCENARIO.format(name=name, duration=duration, more=more))
    return file


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scenario(tmp_path_factory.mktemp("three"), "three", flows=3)


@pytest.fixture(scope="module")
def swept(three: Path) -> hw.Sweep:
    """Three flows, two varied keys, three runs."""
    vary = {PROTOCOL: ["newreno", "vegas"], "mac.cw_min": [15, 31]}
    return hw.sweep(three, vary, runs=3, out=three.parent / "swept")


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    """Scenarios of one flow and of two, the second with other seeds."""
    first, second = scenario(tmp_path, "alone"), scenario(tmp_path, "pair", flows=2)
    return [str(first), f"{second},seed=7"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(None, None), ("all", None), (2, (2,)), ([3, 1, 3], (3, 1)), (range(2), (0, 1))],
)
def test_flows_as_python_names_them(wanted: Flows, found: tuple[int, ...] | None) -> None:
    assert flow_list(wanted) == found


@pytest.mark.parametrize("wanted", [-1, [], "1", [1.5], True, [0, -2], ["a"]])
def test_what_is_no_flow(wanted: object) -> None:
    with pytest.raises(InputError, match="flow"):
        flow_list(wanted)  # type: ignore[arg-type]


def test_flows_in_words() -> None:
    assert [flows_text(flows) for flows in ([4], [1, 3], [0, 1, 2])] == [
        "flow 4", "flows 1 and 3", "flows 0, 1 and 2",
    ]  # fmt: skip
    check_flows([0, 2], 3)
    with pytest.raises(InputError, match="flow 3: there is none; flows: 0, 1, 2"):
        check_flows([0, 3], 3)
    with pytest.raises(InputError, match="flow 1: there is none; flows: 0, 4"):
        check_flows([1], [4, 0])


def test_where_as_the_command_line_says_it() -> None:
    assert where_of(["a.b=1,2", 'c="x,y",z', "a.b=3"]) == {
        "a.b": ["1", "2", "3"],
        "c": ["x,y", "z"],
    }
    assert texts_of({"k": 4, "m": [True, "x", 0.5], "n": (1, 2)}) == {
        "k": ["4"], "m": ["true", "x", "0.5"], "n": ["1", "2"],
    }  # fmt: skip
    assert apart({"flow": ["1", "2"], "k": ["3"]}, None) == ({"k": ["3"]}, [1, 2])
    for text in ("k", "=3", "k=", "k=1,,2", "k=[1"):
        with pytest.raises(InputError, match=f"--where {text}".replace("[", r"\[")):
            where_of([text])
    with pytest.raises(InputError, match="--flow and --where flow: use only one of them"):
        apart({"flow": ["1"]}, 2)


def test_rows_where_all_columns_have_one_of_their_values() -> None:
    cells: Mapping[str, Sequence[object]] = {
        "n": [1, 2.0, 3, None], "word": ["a", "b", "a", "a"], "on": [True, False, True, True],
    }  # fmt: skip
    assert rows_where(cells, {}) == [0, 1, 2, 3]
    assert rows_where(cells, {"n": ["1.0", "2"], "word": ["a", "b"]}) == [0, 1]
    assert rows_where(cells, {"on": ["true"], "n": ["3"]}) == [2]
    # As values, however they are written; tables of results have lists and tables as texts.
    pair = {"flows": [[{"from": 0, "to": 1}], '[{"from" = 0, "to" = 2}]', [True]]}
    assert rows_where(pair, {"flows": ["[{to=1,from=0}]"]}) == [0]
    assert rows_where(pair, {"flows": ["[{from=0, to=2}]"]}) == [1]
    with pytest.raises(InputError, match="no run has that"):
        rows_where(pair, {"flows": ["[1]"]})
    with pytest.raises(InputError, match="--where m: no such column; there are: n, word, on"):
        rows_where(cells, {"m": ["1"]})
    with pytest.raises(InputError, match="--where n=2: no run has that; there are: 1, 3"):
        rows_where(cells, {"word": ["a"], "n": ["2"]})


def test_a_run_is_kept_as_a_whole_if_one_of_its_flows_has_the_value() -> None:
    cells: dict[str, Any] = {
        "k": [1] * 4, "point": ["a"] * 4, "seed": [1, 1, 2, 2], "flow": [0, 1, 0, 1],
        "goodput_bps": [0.0, 4.0, 2.0, 3.0],
    }  # fmt: skip
    kept = Results(cells, ["k"]).where({"goodput_bps": ["0"]})
    assert (kept.columns["seed"], kept.columns["flow"]) == ([1, 1], [0, 1])
    assert kept.samples("goodput_bps", ["k"]) == {(1,): [4.0]}


def test_flows_are_those_of_the_points_not_of_the_scenario_before_anything_is_varied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenario(tmp_path, "alone", duration=1)
    file.write_text(file.read_text().replace("from = 0\nto = 4", 'pairs = "random"\ncount = 1'))
    words = [str(file), "--vary", "flows.count=1,4"]
    out = ["--out", str(tmp_path / "out")]
    of = ["--of", "fairness.jain", "--flow", "3", "--where", "flows.count=4"]
    assert main(["sweep", *words, *out, *of]) == 0
    shown = capsys.readouterr().out
    assert "Jain's index\n" in shown  # of the run, not of its flow
    assert "1 point, 1 run, " in shown
    assert main(["sweep", *words, "--flow", "4"]) == 2
    assert "flow 4: there is none; flows: 0, 1, 2, 3" in capsys.readouterr().err
    # What is compared needs the flow everywhere, which is known before the runs.
    assert main(["compare", *words, "--baseline", "1", "--flow", "3", "--out", f"{out[1]}-c"]) == 2
    assert "flow 3: there is none; flows: 0\n" in capsys.readouterr().err
    assert not (tmp_path / "out-c").exists()


def test_a_comparison_of_some_flows_adds_up_those_alone(swept: hw.Sweep) -> None:
    assert swept.folder is not None
    found = compare_sweep(
        swept.folder, baseline="newreno", flow=[0, 2], where={"mac.cw_min": 31},
        metrics=["goodput_bps", "mean_rtt_s"],
    )  # fmt: skip
    assert [dict(each.block) for each in found.contrasts] == [{"mac.cw_min": 31}] * 2
    rows = Results.of(swept.table).where({"mac.cw_min": ["31"], PROTOCOL: ["vegas"]})
    goodputs = rows.columns["goodput_bps"]
    flows = rows.columns["flow"]
    sums = sum(float(value or 0) for value, flow in zip(goodputs, flows, strict=True) if flow != 1)
    assert found.contrasts[0].mean == pytest.approx(sums / 3)
    assert "goodput (kb/s), sum of flows 0 and 2; higher" in str(found)
    assert "mean round-trip time (ms), mean of flows 0 and 2; lower" in str(found)
    assert found.to_dict()["chosen_flows"] == [0, 2]
    seeds = compare_sweep(swept.folder, baseline="newreno", where={"seed": [1, 3]})
    assert {each.n for each in seeds.contrasts if each.metric == "goodput_bps"} == {2}


def test_a_sweep_shows_what_was_chosen(swept: hw.Sweep) -> None:
    part = swept.only(flow=[1, 2], where={"mac.cw_min": 15})
    names, rows = part.rows()
    assert names[-1] == "goodput (kb/s), flows 1 and 2"
    assert [row[:2] for row in rows] == [["newreno", "15"], ["vegas", "15"]]
    point = part.points[0]
    one, two = (swept.only(flow=n).values(point, "goodput_bps") for n in (1, 2))
    assert part.values(point, "goodput_bps") == {seed: one[seed] + two[seed] for seed in (1, 2, 3)}
    assert len(part.best().rivals) == 1
    assert part.summary()["chosen_flows"] == [1, 2]
    assert part.table.num_rows == 2 * 2 * 3
    assert set(part.table.column("flow").to_pylist()) == {1, 2}
    assert part.runs == part.summary()["runs"] == 2 * 3
    figure = part.figure()
    assert " ".join(figure.matplotlib.axes[0].get_ylabel().split()) == names[-1]
    assert figure.data["height"] == [mean.mean / 1e3 for mean in part.means() if mean.mean]
    assert part.only(where={PROTOCOL: "vegas"}).flows == (1, 2)
    with pytest.raises(InputError, match="flow 3: there is none"):
        swept.only(flow=3)
    with pytest.raises(InputError, match=r"^where mac\.cw_max: no such column"):
        swept.only(where={"mac.cw_max": 15})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sweep FILE --vary mac.cw_min=15,31 --flow 0,7", "flow 7: there is none; flows: 0, 1, 2"),
        ("sweep FILE --vary mac.cw_min=15,31 --where mac.cw_min=63", "there are: 15, 31"),
        ("sweep FILE --vary mac.cw_min=15,31 --where mac.cw=15", "--where mac.cw: is not varied"),
        ("compare FILE --vary mac.cw_min=15,31 --baseline 15 --flow 0,3", "flow 3: there is none"),
        ("compare FILE --vary mac.cw_min=15,31 --baseline 15 --where x=1", "x: is not varied"),
        (
            "compare FILE --vary mac.cw_min=15,31 --baseline 15 --flow 1,b",
            "'1,b' does not name flows",
        ),
        ("compare FILE FILE --vary mac.cw_min=15,31 --baseline 15", "two scenarios are called"),
        ("compare FILE,seed --vary mac.cw_min=15,31 --baseline 15", "'seed' is not a setting"),
        ("compare FILE --vary mac.cw_min=15,31 --baseline 15 --name x", "--name needs --from"),
        ("compare --from DIR --baseline newreno --name ../x", "cannot be the name of an answer"),
        ("compare --from DIR --baseline newreno --name comparison.json", "cannot be the name"),
        (
            "compare --from DIR --baseline newreno --name x --out y",
            "--out and --name: use only one of",
        ),
        ("plot DIR --flow 0,4", "flow 4: there is none; flows: 0, 1, 2"),
        ("plot DIR --flow 0 --where flow=1", "--flow and --where flow: use only one of them"),
        ("explain DIR --against newreno --where mac.cw_min=7", "there are: 15, 31"),
        (
            "explain DIR --against newreno --where drops=7",
            "this key is not varied, so it chooses no",
        ),
        ("explain DIR --where mac.cw_min=15", "--where chooses variants for --against"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(
    line: str, said: str, swept: hw.Sweep, three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = line.replace("FILE", str(three)).replace("DIR", str(swept.folder)).split()
    before = sorted(three.parent.rglob("*"))
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert sorted(three.parent.rglob("*")) == before


def test_some_flows_of_a_run_are_explained_and_drawn(three: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    recorded = {"output.lineage": "losses", "duration_s": 10}
    hw.run(hw.load(three, recorded), out=run)
    lineage = Lineage.read(run)
    some = lineage.those(None, [0, 2])
    assert {event.flow for event in some} == {0, 2}
    assert len(some) == sum(len(lineage.those(None, flow)) for flow in (0, 2))
    assert main(["plot", str(run), "--flow", "0,2", "--out", str(tmp_path / "figure")]) == 0
    told = (tmp_path / "figure.csv").read_text()
    assert "flow 0:" in told
    assert "flow 2:" in told
    assert "flow 1:" not in told


def test_explain_takes_several_flows_and_all(
    three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    hw.run(hw.load(three, {"output.lineage": "losses", "duration_s": 10}), out=run)

    def told(*words: str) -> dict[str, Any]:
        assert main(["explain", str(run), "--json", *words]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    every, some = told("--flow", "all"), told("--flow", "0", "--flow", "2")
    assert [each["flow"] for each in every["flows"]] == [0, 1, 2]
    assert [each["flow"] for each in some["flows"]] == [0, 2]
    assert 0 < len(some["reactions"]) <= len(every["reactions"])
    assert "reactions" not in told()
    assert main(["explain", str(run), "--flow", "0,2", "--bundle", "1"]) == 2
    assert "with the number of its flow" in capsys.readouterr().err


def test_scenarios_are_compared_each_by_itself(two: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["compare", *two, *WORDS, "--runs", "3", "--out", str(out)]
    assert main(words) == 0
    told = json.loads((out / "comparison.json").read_text())
    assert [(s["name"], s["seed"], s["seeds"], s["flows"]) for s in told["scenarios"]] == [
        ("alone", 1, 3, 1), ("pair", 7, 3, 2),
    ]  # fmt: skip
    # Each is what its own sweep says, paired by seed; only the correction looks at all of them.
    of_all = [each for each in told["comparisons"] if each["metric"] == "rto_count"]
    apart = [
        compare_sweep(out / name, baseline="newreno", metrics="rto_count").contrasts[0]
        for name in ("1-alone", "2-pair")
    ]
    assert [each["block"] for each in of_all] == [{"scenario": "alone"}, {"scenario": "pair"}]
    differences = [each.difference.estimate for each in apart if each.difference]
    assert [each["difference"] for each in of_all] == differences
    assert [each["n"] for each in of_all] == [3, 3]
    shared = [each for each in told["comparisons"] if each["metric"] in SHARING]
    assert [each["p_holm"] for each in shared] == pytest.approx(holm([e["p"] for e in shared]))
    assert {each["comparisons"] for each in shared} == {4}  # one scenario has no one to share with
    text = (out / "comparison.txt").read_text()
    assert "3 seeds from 1 to 3 in alone; 3 seeds from 7 to 9 in pair" in " ".join(text.split())
    assert "In pair, vegas against newreno, goodput: " in " ".join(text.split())
    measures = {line.split(",")[0] for line in _lines(out / "comparison-goodput_bps.csv")[1:]}
    assert {each.strip('"').partition(":")[0] for each in measures} == {"alone", "pair"}


def test_several_scenarios_as_a_paper_wants_them(
    two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["compare", *two, *WORDS, "--runs", "2", "--out", str(out), "--latex"]
    assert main([*words, "--labels", "pear=Two flows"]) == 2
    assert "--labels pear: nothing has this name" in capsys.readouterr().err
    assert not out.exists()
    looks = ["--labels", "pair=Two flows,vegas=TCP Vegas,goodput_bps=Rate", "--order", "pair"]
    assert main([*words, *looks, "--colour", "vegas=red"]) == 0
    table = capsys.readouterr().out
    rows = [line.split(" & ")[:2] for line in table.splitlines() if line.endswith(r"\\")]
    assert [[cell.strip() for cell in row] for row in rows[1:5]] == [
        ["Two flows", "newreno"],
        ["Two flows", "TCP Vegas"],
        ["alone", "newreno"],
        ["alone", "TCP Vegas"],
    ]
    assert "alone, 2 seeds from 1 to 2; Two flows, 2 seeds from 7 to 8; " in table
    drawn = "\n".join(_lines(out / "comparison-goodput_bps.csv"))
    assert "Two flows: Rate" in drawn
    assert b"#ff0000" in (out / "comparison-goodput_bps.svg").read_bytes()
    # An answer with a name has the look, too; without one, LaTeX alone writes nothing.
    there = {each.name for each in out.iterdir()}
    ask = ["compare", "--from", str(out), "--baseline", "newreno", "--flow", "0", "--latex", *looks]
    assert main(ask) == 0
    assert {each.name for each in out.iterdir()} == there
    assert main([*ask, "--overwrite"]) == 2
    assert main([*ask, "--name", "back"]) == 0
    assert "TCP Vegas" in (out / "back" / "comparison-goodput_bps.csv").read_text()


SHARING = ("goodput_bps", "fairness.worst_goodput_bps", "fairness.jain")


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def test_the_folder_of_several_scenarios(
    two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["compare", *two, *WORDS, "--out", str(out)]
    assert main([*words, "--runs", "2"]) == 0
    first = (out / "comparison.json").read_bytes()
    capsys.readouterr()
    assert main([*words, "--runs", "2"]) == 2
    assert "holds a comparison; go on with --resume" in capsys.readouterr().err
    assert main([*words, "--runs", "3", "--resume"]) == 0
    assert len(_lines(out / "1-alone" / "runs.jsonl")) == 6
    assert (out / "comparison.json").read_bytes() != first
    # A question of its own to all of them, and one that looks at a scenario alone.
    ask = ["compare", "--from", str(out), "--baseline", "newreno", "--metric", "rto_count"]
    assert main(ask) == 0
    assert main([*ask, "--where", "scenario=pair", "--flow", "1", "--name", "back"]) == 0
    assert (out / "against-newreno-rto_count" / "comparison.txt").is_file()
    told = json.loads((out / "back" / "comparison.json").read_text())
    assert [each["name"] for each in told["scenarios"]] == ["pair"]
    capsys.readouterr()
    for command in ("explain", "plot"):
        assert main([command, str(out)]) == 2
    assert "holds several sweeps without events" in (said := capsys.readouterr().err)
    assert f"holds several sweeps; name one, such as {out / '1-alone'}" in said
    # What would lose runs of others is refused; what is replaced takes its answers along.
    capsys.readouterr()
    assert main(["compare", two[0], f"{two[1]},name=new", *words[3:], "--overwrite"]) == 2
    assert "holds runs of other scenarios (2-pair)" in capsys.readouterr().err
    assert main([*words, "--runs", "2", "--overwrite"]) == 0
    assert (out / "comparison.json").read_bytes() == first
    assert sorted(each.name for each in out.iterdir() if each.is_dir()) == ["1-alone", "2-pair"]


def test_a_wrong_scenario_is_found_before_another_runs(
    two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = f"{two[1]},flows.0.transport.protocol=vegas,routing.protocol=nobody"
    assert main(["compare", two[0], bad, *WORDS, "--out", str(tmp_path / "out")]) == 2
    assert "nobody" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_python_compares_scenarios_as_the_command_does(two: list[str], tmp_path: Path) -> None:
    files: list[Any] = [two[0], two[1].partition(",")[0]]
    vary = {PROTOCOL: ["newreno", "vegas"]}
    found = hw.compare(files, vary, baseline="newreno", runs=2, flow="all")
    assert [each.scenario for each in found.panels] == ["alone", "pair"]
    assert found.folder is None
    figure = found.figure()
    assert figure is not None
    assert set(figure.data["group"]) == {"newreno", "vegas"}
    kept = hw.compare(files, vary, baseline="newreno", runs=2, out=tmp_path / "out")
    assert kept.to_json() == found.to_json()


def test_each_question_has_a_name(swept: hw.Sweep) -> None:
    place = swept.folder
    assert place is not None
    settings: dict[str, Any] = {"keep": True, "baseline": "newreno"}
    compare_sweep(place, **settings)
    compare_sweep(place, **settings, flow=[0, 1])
    compare_sweep(place, **settings, flow=0, where={"mac.cw_min": [15]}, metrics="rto_count")
    with pytest.raises(InputError, match=r"give the new answer another name"):
        compare_sweep(place, **settings, flow=[0, 1])
    compare_sweep(place, **settings, flow=[0, 1], name="again")
    assert sorted(each.name for each in place.iterdir() if each.is_dir()) == [
        "again",
        "against-newreno",
        "against-newreno-flow-0-1",
        "against-newreno-rto_count-flow-0-mac.cw_min-15",
    ]
    (place / "mine").mkdir()
    (place / "mine" / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="has other files in it"):
        compare_sweep(place, **settings, name="mine", overwrite=True)
    assert (place / "mine" / "notes.txt").read_text() == "x"


def test_names_of_long_questions_are_cut_and_differ() -> None:
    def name(value: str) -> str:
        return Question(baseline="a/b c", where={"k": [value * 90]}, confidence=CONFIDENCE).name

    assert name("x").startswith("against-a-b-c-k-xxx")
    assert len(name("x")) < 100
    assert name("x") != name("y")
