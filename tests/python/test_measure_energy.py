"""`hopwright measure-energy`: what it measures and writes, and what scenarios make of it."""

import io
import json
import re
import tomllib
from pathlib import Path

import pytest
from rich.console import Console

from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._cli.main import main
from hopwright._cli.measure_energy import TABLE_COLUMNS, _table
from hopwright._io.data import at, number
from hopwright._io.errors import InputError
from hopwright._io.source import Source
from hopwright.research.energy.coefficients import Conversion
from hopwright.runs.run import load, run
from hopwright.sweeps.points import check_points

ROOT = Path(__file__).parents[2]
CONGESTION = ROOT / "scenarios" / "energy" / "congestion.toml"
FUNCTIONS = ["slow_start", "congestion_avoidance", "recovery", "timers", "path", "receiver"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A coefficient file of one protocol."""
    out = tmp_path_factory.mktemp("measured") / "own.toml"
    line = f"measure-energy --protocols newreno --repeat 2 --samples 3 --watts 10 --out {out}"
    dispatch(line.split())
    return out


def test_the_file_says_how_it_was_made(measured: Path) -> None:
    found = tomllib.loads(measured.read_text())
    assert found["format"] == "hopwright-energy-1"
    assert found["conversion"]["kind"] == "watts"
    assert found["conversion"]["value"] == 10
    assert found["machine"]
    assert str(measured.parent) not in measured.read_text()
    assert list(found["protocols"]["newreno"]) == FUNCTIONS
    for work in found["protocols"]["newreno"].values():
        # On a busy machine what little a function takes may be measured below zero; joules are not.
        assert work["joules_per_event"] == pytest.approx(max(work["ns_per_event"], 0) * 10e-9)
        if "instructions_per_event" in work:  # unless processes may not be stepped here
            assert work["instructions_sampled_events"] == 3
            assert work["instructions_per_event"] > 20


def test_a_scenario_takes_the_file(measured: Path) -> None:
    scenario = load(CONGESTION, {"energy.compute": str(measured), "duration_s": 11})
    flow = at(run(scenario).summary, "results", 0, "flows", 0, "compute")
    file = tomllib.loads(measured.read_text())["protocols"]["newreno"]
    joules = [
        number(flow, "work_events", name) * file[name]["joules_per_event"] for name in FUNCTIONS
    ]
    assert [number(flow, "work_j", name) for name in FUNCTIONS] == joules
    assert number(flow, "compute_j") == pytest.approx(sum(joules), rel=1e-12)


def test_what_is_there_is_kept(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = measured.read_bytes()
    words = ["measure-energy", "--protocols", "newreno", "--out", str(measured)]
    assert main(words) == 2
    assert "exists already; add --overwrite or name another" in capsys.readouterr().err
    assert measured.read_bytes() == before


@pytest.mark.parametrize(
    "content", ["\\documentclass{book}\n", "[format]\n", 'format = "hopwright-paper-1"\n', "\xff"]
)
def test_only_a_coefficient_file_is_replaced(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thesis = tmp_path / "thesis.tex"
    thesis.write_bytes(content.encode("latin-1"))
    words = ["measure-energy", "--protocols", "newreno", "--out", str(thesis), "--overwrite"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert (
        f"{thesis}: is not a coefficient file and would be lost; name another file with --out"
        in said
    )
    assert thesis.read_bytes() == content.encode("latin-1")


def test_a_coefficient_file_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "own.toml"
    out.write_text('format = "hopwright-energy-0"\n')
    line = "measure-energy --protocols newreno --repeat 1 --samples 0 --watts 1 --overwrite --out"
    for _ in range(2):
        dispatch([*line.split(), str(out)])
        assert tomllib.loads(out.read_text())["format"] == "hopwright-energy-1"


def test_the_table_says_what_the_interval_is_of(measured: Path) -> None:
    found = tomllib.loads(measured.read_text())
    console = Console(file=io.StringIO(), width=TABLE_COLUMNS)
    console.print(_table(found))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert re.search(r"ns/event, +ns/event,", lines[0])
    assert re.search(r"events +median +mean ± 95 % +instructions", lines[1])
    row = next(line for line in lines if " receiver " in line)
    work = found["protocols"]["newreno"]["receiver"]
    mean, spread = work["ns_per_event_mean"], work["ns_per_event_mean_ci95"]
    assert f" {work['ns_per_event']:.1f} " in row
    assert f" {mean:.1f} ± {spread:.1f} " in row
    del work["ns_per_event_mean_ci95"]  # as with --repeat 1
    console.print(_table(found))
    assert f" {mean:.1f}  " in console.file.getvalue()
    assert "…" not in console.file.getvalue()


def test_instructions_repeat_and_can_be_the_measure(
    measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "instructions_per_event" not in measured.read_text():
        pytest.skip("processes may not be stepped here")
    capsys.readouterr()
    line = "measure-energy --protocols reno --repeat 1 --samples 4 --json"
    found = []
    for _ in range(2):
        dispatch([*line.split(), "--nanojoules-per-instruction", "2"])
        said = capsys.readouterr()
        assert "joules = instructions x 2 nJ (an assumption, given by the user)" in said.err
        found.append(json.loads(said.out)["protocols"]["reno"])
    for function in FUNCTIONS:
        works = [each[function] for each in found]
        assert works[0]["instructions_per_event"] == works[1]["instructions_per_event"]
        assert works[0]["joules_per_event"] == pytest.approx(
            works[0]["instructions_per_event"] * 2e-9
        )


def test_where_there_is_no_rapl_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "measure-energy --protocols newreno --repeat 1 --samples 0 --powercap"
    dispatch([*line.split(), str(tmp_path)])
    said = capsys.readouterr()
    assert "CPU time x 15 W (an assumption: the base power of a laptop's processor; " in said.err
    assert f"no RAPL counter of a processor package in {tmp_path}" in said.err
    assert "no instructions: nobody asked for any" in said.err
    assert "congestion_avoidance" in said.out


def test_a_counter_that_stands_still_is_not_believed(tmp_path: Path) -> None:
    zone = tmp_path / "intel-rapl:0"
    zone.mkdir()
    for name, content in (
        ("name", "package-0\n"),
        ("energy_uj", "12\n"),
        ("max_energy_range_uj", "262143328850\n"),
    ):
        (zone / name).write_text(content)
    with pytest.raises(_core.RunError, match="no more energy for the work than for a pause"):
        _core.measure_power(tmp_path, ["newreno"], cycles=2, span_s=0.05)


def test_conversions_are_what_they_say() -> None:
    assert Conversion("watts", 15, "x").joules(100, None) == pytest.approx(1.5e-6)
    assert Conversion("watts", 15, "x").joules(-1, None) == 0
    assert Conversion("nanojoules_per_instruction", 2, "x").joules(9, 50) == pytest.approx(1e-7)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--protocols newremo", "no protocol called 'newremo'; did you mean 'newreno'?"),
        ("--protocols newreno,newreno", "--protocols: newreno is named twice"),
        ("--protocols newreno,", "--protocols 'newreno,': a name is missing"),
        ("--protocols=", "--protocols '': a name is missing"),
        ("--powercap /nonexistent", "--powercap /nonexistent: there is no such folder"),
        ("--watts 5 --powercap /nonexistent", "there is no such folder"),
        ("--protocols udp", "udp has no functions to measure"),
        ("--watts 0", "--watts: 0 is not a finite number above 0"),
        ("--watts 1e400", "--watts: 1e400 is not a finite number above 0"),
        ("--watts much", "--watts: 'much' is not a number"),
        ("--watts 5 --nanojoules-per-instruction 1", ": use only one of them"),
        ("--nanojoules-per-instruction 1 --samples 0", "needs instructions"),
        ("--repeat 0", "--repeat: 0 is not between 1 and"),
        ("--overwrite", "--overwrite needs --out"),
        ("--out /nonexistent/a.toml", "there is no folder /nonexistent"),
        ("--protocls a", "did you mean '--protocols'?"),
    ],
)
def test_wrong_words(words: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        dispatch(["measure-energy", *words.split()])
    assert message in str(wrong.value)


def test_points_of_a_sweep_depend_on_the_file(measured: Path, tmp_path: Path) -> None:
    copy = tmp_path / "own.toml"
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(CONGESTION.read_text().replace("coefficients.toml", "own.toml"))

    def point() -> str:
        points, variants, _ = check_points(Source.read(scenario), [], [{}])
        assert variants[points[0].id].coefficients == copy.read_text()
        return points[0].id

    copy.write_text(measured.read_text())
    first = point()
    assert point() == first
    copy.write_text(measured.read_text() + "\n# changed\n")
    assert point() != first
