"""What is beside a result may fail; the result is there all the same."""

import errno
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import hopwright
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.extras import MakingRoom
from hopwright._run import recorded
from hopwright.comparisons import compare_sweep
from hopwright.comparisons import folder as comparison
from hopwright.figures import flow
from hopwright.research.judging import folder as judgement
from hopwright.results import hops_table, table
from hopwright.results.network import network_of
from hopwright.topology import folder
from processes import Hopwright

RESULT = {"summary.json", "scenario.toml"}
BESIDE = {"series.parquet", "flow-0.svg", "network.json"}


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def broken(*_arguments: object, **_options: object) -> None:
    raise ZeroDivisionError("as the test wants it")


@pytest.mark.parametrize(
    ("module", "name", "missing", "absent"),
    [
        (flow, "flow_figure", "flow-0.svg", "flow-0.svg"),
        (recorded, "network_of", "network.json", "network.json"),
        (recorded, "hops_of", "the per-hop report", None),
        (table, "print_summary", "the table", None),
        (hops_table, "print_hops", "the table", None),
    ],
)
def test_each_extra_may_fail(
    module: object,
    name: str,
    missing: str,
    absent: str | None,
    chain: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, name, broken)
    out = chain.parent / "out"
    dispatch(["run", str(chain), "--out", str(out), "--per-hop"])
    warned = capsys.readouterr().err
    assert warned.startswith(f"warning: {missing} is missing: a fault of this program: ZeroDivi")
    assert files_in(out) == (RESULT | BESIDE) - {absent}
    summary = json.loads((out / "summary.json").read_text())
    assert summary["results"][0]["flows"][0]["goodput_bps"] > 0
    assert ("hops" in summary) == (name != "hops_of")
    dispatch(["run", str(out / "scenario.toml"), "--json"])


def test_what_rust_cannot_write_is_missing(chain: Path) -> None:
    """Files of up to 30 KiB: those of the result have room, and what they are beside has not."""
    hopwright_ = f"{sys.executable} -m hopwright run {chain} --out out --set output.ns2_trace=old"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 30; {hopwright_} --set duration_s=200"],
        cwd=chain.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.endswith("results in out\n")
    lines = done.stderr.splitlines()
    assert [line.split(":")[:2] for line in lines[:2]] == [
        ["warning", " trace.tr"],
        ["warning", " series.parquet"],
    ]
    assert files_in(chain.parent / "out") >= RESULT
    assert not files_in(chain.parent / "out") & {"trace.tr", "series.parquet"}


def test_python_warns(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "network_of", broken)
    with pytest.warns(hopwright.HopwrightWarning, match=r"network\.json is missing"):
        found = hopwright.run(chain, out=chain.parent / "out")
    assert found.summary["runs"] == 1
    assert files_in(chain.parent / "out") == (RESULT | BESIDE) - {"network.json"}


def test_of_many_flows_only_the_first_have_a_figure(
    chain: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recorded, "MOST_FIGURES", 1)
    out = chain.parent / "out"
    dispatch(["run", str(chain), "--out", str(out)])
    assert not capsys.readouterr().err
    chain.write_text(chain.read_text() + "[[flows]]\nfrom = 1\nto = 2\n")
    dispatch(["run", str(chain), "--out", str(out), "--overwrite"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: only the first 1 of 2 flows have a figure; 'hopwright plot ")
    assert files_in(out) == RESULT | BESIDE
    dispatch(["plot", str(out), "time", "--flow", "1"])


def test_a_table_for_which_there_is_no_room(hopwright: Hopwright, chain: Path) -> None:
    """What was asked for on standard output is no extra: then the run has failed."""
    command = [sys.executable, "-m", "hopwright", "run", str(chain), "--out", "out"]
    with Path("/dev/full").open("w") as full:
        done, as_json = (
            subprocess.run(
                [*command, *more],
                check=False,
                cwd=chain.parent,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
            for more in ([], ["--overwrite", "--json"])
        )
    assert done.returncode == 0
    assert "warning: the table is missing: [Errno 28] No space left on device" in done.stderr
    assert done.stderr.endswith("the results are in out\n")
    assert as_json.returncode == 1
    assert files_in(chain.parent / "out") == RESULT | BESIDE
    assert hopwright("run", chain.parent / "out" / "scenario.toml", "--json").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        "sweep --vary mac.cw_min=15,31",
        "judge --runs 2",
        "topology",
        "compare --vary mac.cw_min=15,31 --baseline 15 --runs 2",
    ],
)
def test_other_tables_for_which_there_is_no_room(
    hopwright: Hopwright, chain: Path, words: str
) -> None:
    command, *more = words.split()
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hopwright", command, str(chain), *more, "--out", "out"],
            check=False,
            cwd=chain.parent,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 0
    said = "warning: the table is missing: [Errno 28] No space left on device"
    assert done.stderr == f"{said}; the results are in out\n"
    assert len(files_in(chain.parent / "out")) > 2
    assert hopwright(command, chain, *more, "--out", "out").returncode == 2


def test_a_figure_whose_line_has_no_room(chain: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hopwright", "plot", str(chain), "--out", "drawn"],
            check=False,
            cwd=chain.parent,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    said = "warning: the line about the figure is missing: [Errno 28] No space left on device"
    assert done.returncode == 0
    assert done.stderr == f"{said}; the results are in drawn.svg, .pdf, .png, .csv\n"


@pytest.mark.parametrize(("most_bytes", "code"), [(10_000, 0), (300, 1)])
def test_files_for_which_there_is_no_room_are_named(
    hopwright: Hopwright, chain: Path, most_bytes: int, code: int
) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        done = hopwright("run", chain, "--view", "--json", "--out", "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.endswith("cannot write: [Errno 27] File too large: 'summary.json'\n")
        assert not (chain.parent / "out").exists()
        return
    said = done.stderr.splitlines()
    assert "warning: frames.parquet: File too large (os error 27): it is missing" in said
    assert said[-1].startswith("warning: view.html is missing: it is made from frames.parquet")
    assert "run FILE --view" not in done.stderr


@pytest.mark.parametrize("is_enough", [True, False])
def test_extras_make_room_for_the_result(
    chain: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_enough: bool,
) -> None:
    """Where the disk is full the largest extra goes first, and no more than is needed."""
    write = Path.write_text

    def full(file: Path, text: str, encoding: str) -> int:
        if file.name == "summary.json" and (not is_enough or (file.parent / "trace.tr").exists()):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, text, encoding)

    monkeypatch.setattr(Path, "write_text", full)
    out = chain.parent / "out"
    words = ["run", str(chain), "--set", "output.ns2_trace=old", "--out", str(out)]
    if not is_enough:
        with pytest.raises(OSError, match=r"No space left on device: 'summary\.json'"):
            dispatch(words)
        assert not out.exists()
        return
    dispatch(words)
    said = "trace.tr is missing: No space left on device; the room was needed for summary.json"
    assert capsys.readouterr().err == f"warning: {said}\n"
    assert files_in(out) == RESULT | BESIDE


def test_what_is_no_extra_makes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As what came into an emulation: its replay needs that."""

    def full(*_: object, **_more: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("inputs.pcapng", "trace.tr"):
        (tmp_path / name).write_bytes(b"1")
    monkeypatch.setattr(Path, "write_text", full)
    told: list[str] = []
    room = MakingRoom(tmp_path, told.append, kept=("inputs.pcapng",))
    with pytest.raises(OSError, match="No space left"):
        room.write(tmp_path / "summary.json", "{}")
    assert [file.name for file in tmp_path.iterdir()] == ["inputs.pcapng"]
    assert len(told) == 1


def test_an_interrupt_is_no_extra(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(recorded, "network_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        hopwright.run(chain, out=chain.parent / "out")
    assert files_in(chain.parent) == {"chain.toml"}


@pytest.mark.parametrize("command", ["judge", "topology", "compare"])
def test_other_commands_keep_their_results(
    command: str,
    chain: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = chain.parent / "out"
    if command == "judge":
        monkeypatch.setattr(judgement, "accuracy_figure", broken)
        words = ["--differentiators", "veno", "--runs", "2"]
        wanted = {"judgement.json", "judgement.txt", "runs.parquet", "runs.jsonl"}
    elif command == "compare":
        monkeypatch.setattr(comparison, "primary_figure", broken)
        words = ["--vary", "mac.cw_min=15,31", "--baseline", "31", "--runs", "2"]
        wanted = {"comparison.json", "comparison.txt", "comparison.csv", "results.parquet"}
    else:
        monkeypatch.setitem(folder.FIGURES, "connectivity", broken)
        words, wanted = [], {"topology.json", "scenario.toml", "mean-degree.svg", "map.svg"}
    dispatch([command, str(chain), *words, "--out", str(out)])
    assert "missing: a fault of this program: ZeroDivisionError" in capsys.readouterr().err
    assert wanted <= files_in(out)


def test_a_comparison_without_its_figure_has_none_of_an_earlier_one(
    chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = chain.parent / "out"
    vary = {"mac.cw_min": [15, 31]}
    hopwright.compare(chain, vary, baseline=31, runs=2, out=out)
    compare_sweep(out, baseline=15, name="question")
    figures = {f"comparison-goodput_bps.{suffix}" for suffix in ("svg", "pdf", "png", "csv")}
    answer = out / "question"
    assert figures <= files_in(out) & files_in(answer)
    monkeypatch.setattr(comparison, "primary_figure", broken)
    with pytest.warns(hopwright.HopwrightWarning, match="the figure is missing"):
        found = compare_sweep(out, baseline=15, name="question", overwrite=True)
    assert not figures & files_in(answer)
    assert figures <= files_in(out)
    assert json.loads((answer / "comparison.json").read_text()) == json.loads(found.to_json())


def test_a_duration_of_any_digits_leaves_its_network(chain: Path) -> None:
    """Of two or three decimals one in thirteen has a tenth that, ten times, is more than itself."""
    draw = random.Random(1)
    durations = ["1.603", "0.7", "1e-3", "99999.999"]
    durations += [f"{draw.uniform(0.1, 300):.{draw.choice((1, 2, 3, 6))}f}" for _ in range(200)]
    excessive = 0
    for text in durations:
        scenario = _core.load(str(chain), [("duration_s", text), ("flows.start_s", "0")])
        tenths = [scenario.duration_s * step / 10 for step in range(11)]
        excessive += tenths[-1] > scenario.duration_s
        assert len(scenario.tracks(tenths)) == 11
        assert network_of(scenario).end_s == float(text)
    assert excessive > 5


def test_a_run_of_such_a_duration_is_written(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = chain.parent / "out"
    dispatch(["run", str(chain), "--set", "duration_s=1.603", "--out", str(out)])
    assert capsys.readouterr().err == ""
    assert files_in(out) == RESULT | BESIDE


@pytest.mark.parametrize("works", [True, False])
def test_drawing_is_imported_while_runs_go_on(chain: Path, *, works: bool) -> None:
    """Where the import fails, the figure alone is missing, and this is told once."""
    svg = "matplotlib.backends.backend_svg"
    broken = "" if works else "sys.modules['matplotlib.figure'] = None"
    program = f"""
import sys
from hopwright._cli.arguments import dispatch
from hopwright._run import recorded
{broken}
leave = recorded.leave
def noted(*arguments, **options):
    print("{svg}" in sys.modules and "hopwright.figures.queues" in sys.modules)
    return leave(*arguments, **options)
recorded.leave = noted
dispatch(["run", "{chain}", "--out", "out"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=chain.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == str(works)
    assert files_in(chain.parent / "out") == (RESULT | BESIDE) - (
        set() if works else {"flow-0.svg"}
    )
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["warning"] * (
        not works
    )


def test_nothing_of_it_is_left(tmp_path: Path) -> None:
    """A file that an extra has begun is removed; a reader that is gone is no failure of it."""
    from hopwright._io.extras import extra

    told: list[str] = []
    file = tmp_path / "half"
    with extra("half", told.append, file):
        file.write_text("ha")
        (file / "below").write_text("ha")
    assert told == [f"half is missing: [Errno 20] Not a directory: '{file / 'below'}'"]
    assert not file.exists()
    with pytest.raises(BrokenPipeError), extra("it", told.append):
        raise BrokenPipeError
