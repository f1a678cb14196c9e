"""`hopwright adapt` from its file to its folder: what it refuses, writes, and does not do twice."""

import json
import tomllib
from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
from hopwright import _core
from hopwright._cli.main import main
from hopwright._io.source import load
from hopwright._run.execute import LARGEST_SEED
from hopwright._schema.settings import overrides_of
from hopwright.adapt import folder as adapt_folder
from hopwright.adapt.bounds import Bound
from hopwright.adapt.perform import adapt
from hopwright.adapt.reading import read_request
from hopwright.adapt.request import Request
from hopwright.sweeps.run_plan import RunPlan
from sweeping import lines
from tables import untimed

BASE = """\
name = "tiny"
duration_s = 10

[topology]
kind = "links"

[[links]]
from = 0
to = 1
rate_kbps = 2000
delay_ms = 50

[[flows]]
from = 0
to = 1
[flows.transport]
protocol = "sack"
"""

MAP = """\
scenario = "base.toml"
first_runs = 3
most_runs = 18
held_out_runs = 3

[grid]
loss_percent = [0, 8]
rate_kbps = [200, 2000]

[candidates.sack]

[candidates.halving]
avoidance = "cubic"

[candidates.sparing]
diagnosis = "westwood"
response = "bandwidth-fit"

[[held_out]]
loss_percent = 5
rate_kbps = 1000

[[held_out]]
loss_percent = 0.1
changes = [{ at_s = 5, loss_percent = 9 }]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a small map, beside its scenario."""
    (tmp_path / "base.toml").write_text(BASE)
    file = tmp_path / "map.toml"
    file.write_text(MAP)
    return file


def changed(file: Path, old: str, new: str) -> Path:
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))
    return file


REFUSED = [
    ("first_runs", "frist_runs", "2:1", "frist_runs: unknown key; did you mean 'first_runs'?"),
    (
        "loss_percent = [0, 8]",
        "loss = [0, 8]",
        "7:1",
        "grid.loss: unknown key; did you mean 'loss_percent'?",
    ),
    ("[0, 8]", '[0, "8"]', "7:1", "grid.loss_percent: must be a list of numbers"),
    ("[0, 8]", "[8, 8.0]", "7:1", "has a value twice"),
    ("[0, 8]", f"{[*range(100)]}\ndelay_ms = {[*range(101)]}", "6:2", "has 20,200 networks"),
    ("[0, 8]", "[0, 120]", "7:1", "grid.loss_percent: must be from 0 to 100, found 120"),
    ("[0, 8]", "[0, 8", "8:1", "is not TOML"),
    ('"westwood"', '"westwod"', "16:1", "did you mean 'westwood'?"),
    ('"westwood"', "[1]", "16:1", "a candidate has no triggers"),
    ('avoidance = "cubic"', 'avoidanse = "cubic"', "13:1", "did you mean 'avoidance'?"),
    ('avoidance = "cubic"', 'protocol = "newrno"', "13:1", "did you mean 'newreno'?"),
    ('avoidance = "cubic"', 'protocol = "sack"', "12:13", "is the same composition as 'sack'"),
    ("rate_kbps = 1000", "rate = 1000", "21:1", "held_out.0.rate: unknown key"),
    ("loss_percent = 5\nrate_kbps = 1000", "loss_percent = 8\nrate_kbps = 200", "19:3", "the grid"),
    ("at_s = 5", "at = 5", "25:1", "held_out.1.changes: unknown key"),
    ("[candidates.halving]", '[candidates."a\\nb"]', "12:2", r'"a\nb": the name of a cand'),
    ("most_runs = 18", "most_runs = 8", "3:1", "3 candidates need 9 runs"),
    ("most_runs = 18", "confidence = 1", "3:1", "must be a number between 0 and 1"),
    ("most_runs = 18", 'measure = "goodput"', "3:1", "no result called 'goodput'"),
    ("most_runs = 18", 'measure = "segments_sent"', "3:1", "neither better nor worse"),
    ("most_runs = 18", "link = 1", "3:1", "in the scenario there is one link, number 0"),
    ("most_runs = 18", "flow = 1", "3:1", "in the scenario there is one flow, number 0"),
    ("most_runs = 18", "seed = -1", "3:1", "must be a whole number, at least 0"),
    ('"base.toml"', '"absent.toml"', "1:1", "does not exist"),
    ('scenario = "base.toml"\n', "", "1:1", "name the file of the scenario"),
]


@pytest.mark.parametrize(("old", "new", "place", "told"), REFUSED)
def test_what_is_wrong_is_told_with_its_place(
    old: str, new: str, place: str, told: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(file, old, new)
    out = file.parent / "out"
    assert main(["adapt", str(file), "--out", str(out)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    first, where, *_ = output.err.splitlines()
    assert told in first
    assert output.err.count("error: ") == 1
    assert where.strip() == f"--> {file}:{place}"
    assert not out.exists()


def test_places_are_those_of_the_key(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(file, "[candidates.sack]\n", "")
    changed(file, "[candidates.halving]", "[candidates]\nsack = {}\n[candidates.halving]")
    changed(file, '[candidates.sparing]\ndiagnosis = "westwood"', "[candidates.sparing]")
    changed(file, 'response = "bandwidth-fit"', 'response = "bandwith-fit"')
    assert main(["adapt", str(file)]) == 2
    line = file.read_text().splitlines().index('response = "bandwith-fit"') + 1
    said = capsys.readouterr().err
    assert f"--> {file}:{line}:1" in said
    assert said.splitlines()[-2:] == [f'{line} | response = "bandwith-fit"', "   | ^^^^^^^^"]


def test_an_error_in_the_scenario_is_shown_there(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = changed(file.parent / "base.toml", "rate_kbps", "rate_kbp")
    assert main(["adapt", str(file)]) == 2
    assert f"--> {base}:10:1" in capsys.readouterr().err


def test_the_scenario_may_stand_in_the_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apart = read_request(file)
    changed(file, '"base.toml"', f"'''\n{BASE}'''")
    within = read_request(file)
    assert within.scenario.to_toml() == apart.scenario.to_toml()
    changed(file, "delay_ms = 50", "delay = 50")
    assert main(["adapt", str(file)]) == 2
    line = file.read_text().splitlines().index("delay = 50") + 1
    assert f"--> {file}:{line}:1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('kind = "links"', 'kind = "chain"\nhops = 1', "has no links that could be varied"),
        ('protocol = "sack"', 'protocol = "udp"', "is a UDP flow, which has no mechanisms"),
        (
            'protocol = "sack"',
            'triggers = [{ when = [{ monitor = "loss", above = 1 }], set.response = "spare" }]',
            "has triggers already",
        ),
    ],
)
def test_scenarios_that_have_no_map(
    old: str, new: str, told: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = changed(file.parent / "base.toml", old, new)
    if "chain" in new:
        text = base.read_text()
        links = text[text.index("[[links]]") : text.index("[[flows]]")]
        base.write_text(text.replace(links, ""))
    if "udp" in new:
        changed(
            base,
            "to = 1\n[flows.transport]",
            'to = 1\napp = "cbr"\nrate_kbps = 9\n[flows.transport]',
        )
    assert main(["adapt", str(file)]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert f"--> {file}:1:1" in said


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a map that is made, with one job."""
    folder = tmp_path_factory.mktemp("adapt")
    (folder / "base.toml").write_text(BASE)
    (folder / "map.toml").write_text(MAP)
    out = folder / "out"
    assert main(["adapt", str(folder / "map.toml"), "--jobs", "1", "--out", str(out)]) == 0
    return out


FILES = {
    "adapt.json",
    "adaptive.toml",
    "adaptive-told.toml",
    "cells.csv",
    "held-out.csv",
    "map.csv",
    "map.pdf",
    "map.png",
    "map.svg",
    "policy.toml",
    "policy-told.toml",
    "report.md",
    "request.json",
    "runs.jsonl",
    "runs.parquet",
    "scenario.toml",
}


def test_all_files_are_there_and_agree(made: Path) -> None:
    assert {each.name for each in made.iterdir()} == FILES
    numbers = json.loads((made / "adapt.json").read_text())
    cells = pl.read_csv(made / "cells.csv")
    assert len(cells) == len(numbers["cells"]) == 4
    assert cells["best"].to_list() == [cell["best"] for cell in numbers["cells"]]
    assert set(cells.columns) >= {"loss_percent", "rate_kbps", "sure", "margin", "low", "high"}
    gains = pl.read_csv(made / "held-out.csv")
    # Every fixed composition, in each network and in all, by both sources.
    assert len(gains) == 2 * (2 + 1) * 3
    assert (gains["network"] == "all").sum() == 6
    runs = pl.read_parquet(made / "runs.parquet")
    of_map = runs.filter(pl.col("part") == "map")
    assert len(of_map) == sum(sum(cell["runs"].values()) for cell in numbers["cells"])
    assert len(runs.filter(pl.col("part") == "held-out")) == 2 * (3 + 2) * 3
    assert len(set(lines(made))) <= len(runs)


def test_a_cells_numbers_are_those_of_its_runs(made: Path) -> None:
    runs = pl.read_parquet(made / "runs.parquet").filter(pl.col("part") == "map")
    for cell in json.loads((made / "adapt.json").read_text())["cells"]:
        here = runs.filter(
            (pl.col("loss_percent") == cell["loss_percent"])
            & (pl.col("rate_kbps") == cell["rate_kbps"])
        )
        for name, mean in cell["mean"].items():
            of = here.filter(pl.col("composition") == name)
            assert of["goodput_bps"].mean() == pytest.approx(mean)
            assert sorted(of["seed"].to_list()) == list(range(1, 1 + cell["runs"][name]))
        assert cell["mean"][cell["best"]] == max(
            mean for name, mean in cell["mean"].items() if name in (cell["best"], *cell["tied"])
        )


@pytest.mark.parametrize(("ending", "source"), [("", "measured"), ("-told", "told")])
def test_the_policy_is_read_by_a_scenario(ending: str, source: str, made: Path) -> None:
    """With the keys in its head, it makes the scenario that lies beside it."""
    file = made / f"policy{ending}.toml"
    policy = tomllib.loads(file.read_text())
    assert policy["triggers"], "the map has something to change"
    assert policy["monitor_source"] == source
    head = file.read_text().partition("[flows.transport]:\n#\n")[2].partition("\n\n")[0]
    keys = tomllib.loads(head.replace("# ", ""))
    assert keys.pop("policy") == file.name
    given = {f"flows.0.transport.{key}": value for key, value in keys.items()}
    named = [*overrides_of(given), ("flows.0.transport.policy", str(file))]
    scenario = load(made.parent / "base.toml", named)
    assert scenario.to_toml() == (made / f"adaptive{ending}.toml").read_text()


def test_the_map_finds_what_a_comparison_finds(made: Path) -> None:
    """Much is lost on a fast link: cutting for each loss is worse than going by the bandwidth."""
    cells = json.loads((made / "adapt.json").read_text())["cells"]
    cell = next(c for c in cells if c["loss_percent"] == 8 and c["rate_kbps"] == 2000)
    assert cell["best"] == "sparing"
    compared = hw.compare(
        made.parent / "base.toml",
        {("flows.0.transport.diagnosis", "flows.0.transport.response"): [
            ("westwood", "bandwidth-fit"), ("blame-congestion", "halve")]},
        baseline="(blame-congestion,halve)",
        runs=cell["runs"]["sack"],
        overrides={"links.0.loss_percent": 8},
        jobs=1,
    )  # fmt: skip
    (contrast,) = [each for each in compared.contrasts if each.metric == "goodput_bps"]
    assert contrast.baseline_mean == pytest.approx(cell["mean"]["sack"])


def test_the_number_of_jobs_changes_nothing(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "two"
    assert main(["adapt", str(made.parent / "map.toml"), "--jobs", "2", "--out", str(out)]) == 0
    for name in FILES - {"runs.jsonl", "runs.parquet"}:
        assert (out / name).read_bytes() == (made / name).read_bytes(), name
    one, two = (pl.read_parquet(folder / "runs.parquet") for folder in (made, out))
    assert untimed(one.to_arrow()).equals(untimed(two.to_arrow()))


def test_a_map_that_was_stopped_goes_on(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, file = tmp_path / "out", str(made.parent / "map.toml")
    out.mkdir()
    whole = lines(made)
    (out / "runs.jsonl").write_text("\n".join(whole[: len(whole) // 2]) + "\n")
    assert main(["adapt", file, "--out", str(out)]) == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert main(["adapt", file, "--out", str(out), "--resume"]) == 0
    assert (out / "adapt.json").read_bytes() == (made / "adapt.json").read_bytes()
    assert lines(out)[: len(whole) // 2] == whole[: len(whole) // 2]
    assert len(lines(out)) == len(whole)
    capsys.readouterr()
    # A damaged line is told, and its run is made again.
    journal = out / "runs.jsonl"
    journal.write_text(journal.read_text().replace('"goodput_bps":', '"goodput_bps":1', 1))
    assert main(["adapt", file, "--out", str(out), "--resume"]) == 0
    said = f"warning: {journal}:1: this line is damaged; it is left out, and its run done again\n"
    assert said in capsys.readouterr().err
    # Once more: nothing is left to be run.
    assert main(["adapt", file, "--out", str(out), "--resume"]) == 0
    assert len(lines(out)) == len(whole)
    assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("duration_s = 10", "duration_s = 11", "'duration_s = 10.0' then, 'duration_s = 11.0' now"),
        ("[0, 8]", "[0, 9]", "grid: 'loss_percent = [0, 8]' then, 'loss_percent = [0, 9]' now"),
        ("loss_percent = 5", "loss_percent = 6", "held_out: "),
        ("first_runs = 3", "seed = 5\nfirst_runs = 3", "--seed: 1 then, 5 now"),
        ("most_runs = 18", "most_runs = 12", "most_runs: 18 then, 12 now"),
    ],
)
def test_another_question_does_not_replace_a_map(
    old: str,
    new: str,
    difference: str,
    made: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert old in BASE + MAP
    (tmp_path / "base.toml").write_text(BASE.replace(old, new))
    (tmp_path / "map.toml").write_text(MAP.replace(old, new))
    before = {entry.name: entry.read_bytes() for entry in made.iterdir()}
    assert main(["adapt", str(tmp_path / "map.toml"), "--out", str(made), "--resume"]) == 2
    said = capsys.readouterr().err
    assert f"{made}: holds a map that was asked for otherwise:\n" in said
    assert difference in said
    assert {entry.name: entry.read_bytes() for entry in made.iterdir()} == before


def test_a_map_is_not_gone_on_with_by_a_quick_one(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {entry.name: entry.read_bytes() for entry in made.iterdir()}
    file = str(made.parent / "map.toml")
    assert main(["adapt", file, "--quick", "--out", str(made), "--resume"]) == 2
    (line,) = (each for each in capsys.readouterr().err.splitlines() if "then" in each)
    assert line.endswith("most_runs: 18 then, 9 now (because of --quick)")
    assert {entry.name: entry.read_bytes() for entry in made.iterdir()} == before


def test_another_seed_is_another_sample(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, numbers = file.parent / "out", []
    for seed in ("1", "500"):
        args = ["adapt", str(file), "--quick", "--seed", seed, "--out", str(out), "--overwrite"]
        assert main(args) == 0
        numbers.append(json.loads((out / "adapt.json").read_text()))
        assert numbers[-1]["seed"] == int(seed)
        of_map = pl.read_parquet(out / "runs.parquet").filter(pl.col("part") == "map")
        assert set(of_map["seed"]) == set(range(int(seed), int(seed) + 3))
    assert numbers[0]["cells"] != numbers[1]["cells"]
    capsys.readouterr()
    assert main([*args[:3], "--seed", str(LARGEST_SEED), "--out", str(file.parent / "new")]) == 2
    assert "map: the last seed would exceed" in capsys.readouterr().err
    assert not (file.parent / "new").exists()


def test_a_stranger_in_the_folder_is_left_alone(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = file.parent / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    assert main(["adapt", str(file), "--out", str(out), "--overwrite"]) == 2
    assert "has other files in it" in capsys.readouterr().err
    assert [each.name for each in out.iterdir()] == ["thesis.tex"]


def test_a_policy_is_toml_whatever_the_file_is_called(file: Path) -> None:
    odd = file.rename(file.with_name("a\nb = [.toml"))
    out = file.parent / "out"
    assert main(["adapt", str(odd), "--quick", "--out", str(out)]) == 0
    text = (out / "policy.toml").read_text()
    assert r'# from "a\nb = [": goodput in 4 networks.' in text
    tomllib.loads(text)


def test_a_figure_that_fails_costs_no_result(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_outcome: object) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr(adapt_folder, "map_figure", broken)
    out = file.parent / "out"
    assert main(["adapt", str(file), "--quick", "--out", str(out)]) == 0
    output = capsys.readouterr()
    assert "warning: the figure is missing" in output.err
    assert "# Map of tiny: goodput" in output.out
    wanted = {name for name in FILES if not name.startswith("map.")}
    assert {each.name for each in out.iterdir()} == wanted


def quickly(file: Path) -> Request:
    return read_request(file, quick=True)


def test_quick_is_three_runs_of_everything(file: Path) -> None:
    found = adapt(quickly(file), RunPlan(jobs=1))
    assert {count for v in found.verdicts.values() for count in v.runs.values()} == {3}
    assert {done.run.seed for done in found.runs if done.part == "map"} == {1, 2, 3}


def test_held_out_runs_have_seeds_of_their_own(file: Path) -> None:
    found = adapt(quickly(file), RunPlan(jobs=1))
    seeds = {
        part: {done.run.seed for done in found.runs if done.part == part}
        for part in ("map", "held-out")
    }
    assert not seeds["map"] & seeds["held-out"]


def test_compositions_that_no_trigger_can_make_are_named(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(file, 'avoidance = "cubic"', "dupack_threshold = 5")
    found = adapt(quickly(file), RunPlan(jobs=1))
    assert "dupack_threshold" in found.switches["sack", "halving"].obstacle
    assert {row.composition for row in found.policy.rows} <= {"sack", "sparing"}
    assert main(["adapt", str(file), "--quick", "--out", str(file.parent / "out")]) == 0
    assert "No trigger can change" in capsys.readouterr().out


def test_parameters_of_the_other_composition_are_there_from_the_start(file: Path) -> None:
    changed(file, 'avoidance = "cubic"', 'avoidance = "vegas"\nvegas_alpha = 2')
    found = adapt(quickly(file), RunPlan(jobs=1))
    switch = found.switches["sack", "halving"]
    assert (dict(switch.slots), switch.settings) == ({"avoidance": "vegas"}, {"vegas_alpha": 2})
    assert not switch.obstacle


def test_less_can_be_wanted(file: Path) -> None:
    changed(file, "most_runs = 18", 'measure = "mean_rtt_s"')
    found = adapt(quickly(file), RunPlan(jobs=1))
    for verdict in found.verdicts.values():
        best = verdict.means[verdict.best]
        assert all(best <= verdict.means[name] for name in (verdict.second, *verdict.tied))


def test_no_axis_but_one_and_nothing_held_out(file: Path) -> None:
    text = changed(file, "rate_kbps = [200, 2000]\n", "").read_text()
    file.write_text(text[: text.index("[[held_out]]")])
    out = file.parent / "out"
    assert main(["adapt", str(file), "--quick", "--out", str(out)]) == 0
    assert "No network was held out" in (out / "report.md").read_text()
    assert (out / "held-out.csv").read_text() == ""
    assert (out / "map.svg").exists()


def test_readings_are_what_links_tell(file: Path) -> None:
    """The bounds by what is told are those of the grid: half way between its values."""
    changed(file, "rate_kbps = [200, 2000]\n", "")
    changed(file, "loss_percent = [0, 8]", "loss_percent = [0, 0.1, 5, 8]")
    changed(file, "first_runs = 3\nmost_runs = 18", "most_runs = 90")
    found = adapt(read_request(file), RunPlan(jobs=1))
    told = next(each for each in found.made if each.source == "told")
    bounds = [bound for row in told.bounds for bound in row]
    assert bounds
    for bound in bounds:
        grid = found.request.grid["loss_percent"]
        ends = [grid[bound.split.place], grid[bound.split.place + 1]]
        assert isinstance(bound, Bound)
        assert sorted([bound.inside, bound.outside]) == pytest.approx(ends)


def test_the_type_of_error_is_the_loaders_own(file: Path) -> None:
    with pytest.raises(_core.ScenarioError):
        read_request(changed(file, "first_runs", "frist_runs"))
