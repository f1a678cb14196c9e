"""Where the time of flows went, side by side: `explain --against` and `compare --why`."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import HopwrightWarning, InputError
from hopwright._io.outcome import outcome
from hopwright.comparisons.parts import read_parts
from hopwright.comparisons.question import Question
from hopwright.comparisons.why import of_parts
from hopwright.explain.why import NETWORK, PACKET, SENDER, Side, Why, accounts, side_of, why

CHAIN = """
name = "chain"
duration_s = 6
[topology]
kind = "chain"
hops = 3
[[flows]]
from = 0
to = 3
[flows.transport]
protocol = "newreno"
"""


PROTOCOL = "flows.transport.protocol"


def scenario(folder: Path) -> Path:
    file = folder / "chain.toml"
    file.write_text(CHAIN)
    return file


def side(name: str, file: Path, runs: int = 3, **settings: object) -> Side:
    changes = {"output.flow_time": True, **settings}
    return side_of(name, hw.run(hw.load(file, changes), runs=runs).flows)


@pytest.fixture
def told(tmp_path: Path) -> Why:
    """A window of at most two segments against the usual one."""
    file = scenario(tmp_path)
    few = {"flows.transport.window_limit_segments": 2}
    return why([side("usual", file), side("two", file, **few)])


def test_the_parts_of_either_account_add_up_to_all_of_the_time(told: Why) -> None:
    (flow,) = told.flows
    for account in (flow.sender, flow.network):
        for place in range(2):
            assert sum(each.values[place].mean or 0.0 for each in account) == pytest.approx(1.0)


def test_a_packets_delay_by_place_stands_in_the_table(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    few = {"flows.transport.window_limit_segments": 2}
    sides = [side("usual", file), side("two", file, **few)]
    told = why(sides)
    (flow,) = told.flows
    for place, of in enumerate(sides):
        rows_of_side = [row for flows in of.runs.values() for row in flows.values()]
        for line in flow.packet:
            known = [float(str(row[line.metric.key])) for row in rows_of_side]
            assert line.values[place].mean == pytest.approx(sum(known) / 3)
    queued = flow.value(f"{PACKET}queued", 1)
    assert queued is not None
    assert queued.difference is not None
    assert queued.difference.sign == -1
    head, _, below = str(told).partition("a packet's mean delay, ms")
    assert "on the air" in head
    rows = below.partition("beside")[0]
    assert f"{1000 * (queued.mean or 0.0):.1f} ±" in rows
    # Static routes: no packet waits for one, and the part has no row.
    assert "in routers" not in rows
    assert flow.to_json(told.sides)["packet_time_s"]


def test_a_side_that_does_not_tell_a_packets_delay_leaves_it_out(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    whole = side("a", file, runs=1)
    rows = {
        seed: {
            flow: {key: value for key, value in row.items() if not key.startswith(PACKET)}
            for flow, row in flows.items()
        }
        for seed, flows in whole.runs.items()
    }
    told = why([whole, Side("older", rows)])
    assert told.flows[0].packet == []
    assert "mean delay, ms" not in str(told)


def test_a_small_window_is_what_limits_and_the_sentence_says_so(told: Why) -> None:
    (flow,) = told.flows
    limited = flow.value(f"{SENDER}receiver_window", 1)
    assert limited is not None
    assert limited.mean is not None
    assert limited.mean > 0.9
    assert limited.difference is not None
    assert limited.difference.sign
    (sentence,) = told.sentences
    assert "limited by the receiver's window" in sentence
    assert f"{100 * limited.mean:.1f} %" in sentence
    # Every number of the sentence stands in the table.
    assert f"{100 * limited.mean:.1f} ±" in str(told)


def test_one_seed_has_no_interval_and_that_is_said(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    alone = why([side("a", file, runs=1), side("b", file, runs=1, seed=1)])
    assert "only seed 1" in str(alone)
    values = [v for f in alone.flows for line in f.told for v in line.values]
    assert all(value.difference is None or value.difference.ends is None for value in values)


def test_the_same_runs_differ_in_nothing(tmp_path: Path) -> None:
    same = side("a", scenario(tmp_path))
    (sentence,) = why([same, same._replace(name="b")]).sentences
    assert "No difference in the flow's time is sure" in sentence


def test_sides_without_a_common_seed_are_refused(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    with pytest.raises(InputError, match="no seed is in all of them"):
        why([side("a", file, runs=1), side("b", file, runs=1, seed=7)])
    with pytest.raises(InputError, match="--flow 3: not all sides have this flow; all have: 0"):
        why([side("a", file, runs=1)], [3])


def test_the_figure_has_room_for_long_names(told: Why) -> None:
    figure = replace(told, sides=[f"results/of-{n}-{'very-' * 30}long" for n in range(2)]).figure()
    assert all(
        axes.bbox.width > figure.matplotlib.bbox.width / 2 for axes in figure.matplotlib.axes
    )


def test_the_figure_draws_both_accounts(told: Why) -> None:
    data = told.figure().data
    assert set(data["account"]) == {"what the sender waited for", "where its packets were"}
    of_two = [
        float(percent or 0)
        for account, name, percent in zip(
            data["account"], data["side"], data["percent"], strict=True
        )
        if name == "two" and account == "where its packets were"
    ]
    assert sum(of_two) == pytest.approx(100.0)


def main(*words: str) -> int:
    from hopwright._cli.main import main

    return main(list(words))


def test_folders_of_runs_that_do_not_tell_are_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(scenario(tmp_path))
    places = [str(tmp_path / name) for name in ("a", "b")]
    for place, hops in zip(places, ("newreno", "vegas"), strict=True):
        key = f"flows.transport.protocol={hops}"
        assert main("run", file, "--set", key, "--runs", "2", "--out", place) == 0
    capsys.readouterr()
    assert main("explain", places[1], "--against", places[0], "--json") == 0
    out, err = capsys.readouterr()
    (told,) = json.loads(out)
    assert told["seeds"] == [1, 2]
    assert told["baseline"] == places[0]
    assert "repeating 2 runs" in err
    assert "warning" not in err
    assert main("explain", places[1], "--against", f"{places[1]}/../b") == 2
    assert "is the same folder as" in capsys.readouterr().err
    assert main("explain", places[1], "--against", places[0], "--json", "--seed", "2") == 0
    assert json.loads(capsys.readouterr().out)[0]["seeds"] == [2]
    assert main("explain", places[1], "--against", places[0], "--seed", "9") == 2
    assert "has no run with this seed; it has seeds: 1, 2" in capsys.readouterr().err


def test_a_run_with_swaps_is_not_repeated_without_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenario(tmp_path)
    plain = hw.run(file, out=tmp_path / "plain")
    with hw.Simulation(file, out=tmp_path / "swapped") as simulation:
        simulation.advance(1)
        simulation.swap(0, {"avoidance": "vegas"})
        swapped = simulation.results()
    said = (
        "seed 1 differs when it is repeated, .* swapped .* output.flow_time = true from the start"
    )
    with pytest.raises(InputError, match=said):
        swapped.explain(against=plain)
    assert main("explain", str(tmp_path / "plain"), "--against", str(tmp_path / "swapped")) == 2
    assert re.search(f"swapped: the run with {said}", capsys.readouterr().err)


def test_a_comparison_says_why_and_keeps_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place = str(scenario(tmp_path)), tmp_path / "out"
    asked = ["compare", file, "--vary", "flows.transport.protocol=newreno,vegas", "--runs", "2"]
    asked += ["--baseline", "newreno", "--out", str(place), "--why"]
    assert main(*asked) == 0
    printed = capsys.readouterr().out
    assert "how flows spent their time, by flows.transport.protocol: 2 seeds" in printed
    assert "flow 0 (0 → 3), vegas against newreno" in printed
    kept = (place / "comparison-why.txt").read_text()
    assert "how flows spent their time" in kept
    assert (place / "comparison-why.pdf").is_file()
    # What stands there is the comparison's own, and may be replaced.
    assert main(*asked, "--overwrite") == 0
    capsys.readouterr()
    assert main("explain", str(place), "--against", "vegas", "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["sides"] == ["vegas", "newreno"]
    assert "repeating" not in err, "the comparison's runs tell where the time went"


def test_runs_of_other_networks_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, stem = str(scenario(tmp_path)), tmp_path / "drawn.svg"
    places = [str(tmp_path / name) for name in ("a", "b")]
    keys = ["duration_s=3", "topology.spacing_m=150", "flows.to=2"]
    changed = [word for key in keys for word in ("--set", key)]
    for place, more in zip(places, ([], changed), strict=True):
        assert main("run", file, "--set", "output.flow_time=true", *more, "--out", place) == 0
    capsys.readouterr()
    asked = ["explain", places[1], "--against", places[0], "--figure", str(stem)]
    assert main(*asked) == 0
    said = capsys.readouterr().err.splitlines()[0]
    assert said.startswith("warning: the two runs may have nothing to do with each other: ")
    for difference in (
        f"duration_s is 3 in {places[1]}, 6 in {places[0]}",
        f"topology.spacing_m is 150 in {places[1]}, 200 in {places[0]}",
        f"flows.0.to is 2 in {places[1]}, 3 in {places[0]}",
    ):
        assert difference in said
    before = stem.read_bytes()
    assert main(*asked) == 2
    assert f"{stem}: exists already; add --overwrite or another --fig" in capsys.readouterr().err
    assert stem.read_bytes() == before
    assert main(*asked, "--overwrite") == 0
    assert main("explain", places[1], "--against", places[0], "--overwrite") == 2
    assert "--overwrite needs --figure" in capsys.readouterr().err
    runs = [hw.run(hw.load(file, {"output.flow_time": True, "flows.to": to})) for to in (2, 3)]
    with pytest.warns(HopwrightWarning, match=r"flows\.0\.to is 3 in"):
        runs[0].explain(against=runs[1])


def test_an_interrupt_while_it_is_asked_why_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_told: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hopwright.comparisons.why.of_parts", stop)
    file, place = str(scenario(tmp_path)), tmp_path / "out"
    asked = ["compare", file, "--vary", "flows.transport.protocol=newreno,vegas", "--runs", "2"]
    asked += ["--set", "duration_s=2", "--baseline", "newreno", "--why"]
    with pytest.raises(KeyboardInterrupt) as stopped:
        dispatch([*asked, "--out", str(place)])
    kept = f"4 of 4 runs are kept in {place}; go on with --resume"
    assert outcome(stopped.value)[1] == f"hopwright: interrupted, {kept}"
    with pytest.raises(KeyboardInterrupt) as stopped:
        dispatch([*asked, "--json"])
    assert stopped.value.__notes__ == ["4 of 4 runs were finished; nothing was written"]


def test_a_comparison_without_the_numbers_makes_its_runs_again_with_the_same_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place = str(scenario(tmp_path)), tmp_path / "out"
    asked = ["compare", file, "--vary", "flows.transport.protocol=newreno,vegas", "--runs", "2"]
    assert main(*asked, "--baseline", "newreno", "--out", str(place), "--json") == 0
    measured = json.loads(capsys.readouterr().out)
    again = ["compare", "--from", str(place), "--baseline", "newreno", "--why", "--json"]
    assert main(*again) == 0
    found = json.loads(capsys.readouterr().out)
    goodputs = [each["mean"] for each in measured["variants"] if each["metric"] == "goodput_bps"]
    of_why = found["why"][0]["flows"][0]["beside"]["goodput_bps"]
    assert [each["mean"] for each in of_why] == pytest.approx(goodputs)


def test_runs_that_are_made_again_have_the_defaults_of_their_own_protocol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of `cwl` a default differs from that of `newreno`; `sack` is refused with the others."""
    file, place = str(scenario(tmp_path)), tmp_path / "out"
    sweep = hw.sweep(file, {PROTOCOL: ["newreno", "cwl", "sack"]}, runs=2, out=place)
    assert main("explain", str(place), "--against", "newreno", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    again = [each["mean"] for each in found["flows"][0]["beside"]["goodput_bps"]]
    rows: dict[str, list[float]] = {name: [] for name in found["sides"]}
    for row in sweep.table.to_struct_array().to_pylist():
        rows[row[PROTOCOL]].append(row["goodput_bps"])
    assert again == pytest.approx([sum(rows[name]) / 2 for name in found["sides"]])


def test_the_command_that_is_proposed_makes_the_same_run_and_warns_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place = str(scenario(tmp_path)), tmp_path / "out"
    sweep = hw.sweep(file, {PROTOCOL: ["newreno", "cwl", "sack", "atp"]}, runs=2, out=place)
    assert main("explain", str(place)) == 2
    (proposed,) = re.findall(r"'hopwright (run .*)'", capsys.readouterr().err)
    for row in sweep.table.to_struct_array().to_pylist():
        words = proposed.replace("KEY=VALUE", f"{PROTOCOL}={row[PROTOCOL]}")
        words = words.replace("--seed N", f"--seed {row['seed']}").replace("NEW", f"{tmp_path}/new")
        assert main(*words.split(), "--overwrite") == 0
        assert capsys.readouterr().err == ""
        (result,) = json.loads((tmp_path / "new" / "summary.json").read_text())["results"]
        assert result["fingerprint"] == row["fingerprint"]
        assert result["flows"][0]["protocol"] == row[PROTOCOL]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--against", "nowhere"], "'nowhere' is not among the variants"),
        (["--against", "newreno", "--at", "3"], "--at is about one run"),
        (["--seed", "1"], "--seed chooses runs for --against"),
        ([], "is a sweep without events"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place = str(scenario(tmp_path)), str(tmp_path / "out")
    axis = "flows.transport.protocol=newreno,vegas"
    assert main("sweep", file, "--set", "duration_s=2", "--vary", axis, "--out", place) == 0
    capsys.readouterr()
    assert main("explain", place, *words) == 2
    assert says in capsys.readouterr().err


def test_columns_of_both_accounts_are_in_the_schema() -> None:
    found = accounts()
    assert sum(each.startswith(SENDER) for each in found) == 8
    assert sum(each.startswith(NETWORK) for each in found) == 5


def test_the_page_quotes_what_its_command_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(__file__).parents[2]
    section = (root / "docs" / "questions.md").read_text().partition("## Why does one protocol")[2]
    _, commands, _, quoted, said = section.split("```")[:5]
    words = shlex.split(commands.replace("\\\n", " ").strip().splitlines()[0].removeprefix("$ "))
    words[words.index("--out") + 1] = str(tmp_path / "why")
    words[words.index("scenarios/grid.toml")] = str(root / "scenarios" / "grid.toml")
    assert main(*words[1:]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert " ".join(quoted.split()) in printed
    for part in accounts():
        assert f"| `{part.rpartition('.')[2]}` |" in section, part
    assert "half as much data in the network" in said


def test_long_titles_are_broken_with_an_indent(told: Why) -> None:
    lines = str(told).splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("   mean data segments in"))
    assert "network" in lines[first] or lines[first + 1].startswith("     network")
    rows = [line for line in lines if " ± " in line and not line.startswith(("how", "means"))]
    assert rows
    assert all(line.startswith("   ") for line in rows)


def test_values_that_are_no_names_have_their_key(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    hw.sweep(file, {"mac.cw_min": [15, 63]}, runs=2, out=tmp_path / "swept")
    question = Question(baseline="15", where={"seed": ["2"]})
    (found,) = of_parts(read_parts(tmp_path / "swept"), question, print)
    assert (found.key, found.seeds) == ("mac.cw_min", [2])
    assert "by mac.cw_min: only seed 2" in str(found)
    assert found.sentences[0].startswith("flow 0 (0 → 3), mac.cw_min=63 against mac.cw_min=15: ")
    with pytest.raises(
        InputError, match="seed 3: 15 has no run with this seed; it has seeds: 1, 2"
    ):
        of_parts(
            read_parts(tmp_path / "swept"), Question(baseline="15", where={"seed": ["3"]}), print
        )
