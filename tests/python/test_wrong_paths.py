"""A path of the wrong kind: the message says what the path is, and what would be right."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.main import main

FILES = ("sweep/sweep.json", "sweeps/1-a/sweep.json", "run/summary.json", "other/notes.txt")
MAP = 'scenario = "chain.toml"\n[candidates]\nreno = {}\n'


@pytest.fixture
def here(chain: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one thing of each kind, which is where we are."""
    for name in FILES:
        file = chain.parent / name
        file.parent.mkdir(parents=True)
        file.write_text("{}")
    (chain.parent / "map.toml").write_text(MAP)
    monkeypatch.chdir(chain.parent)
    assert chain.name == "chain.toml"
    return chain.parent


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("view chain.toml", "chain.toml: is a file, not a folder; name the folder of a run, such"),
        ("view sweep", "sweep: is the folder of a sweep; name the folder of a run, such as 'hop"),
        ("view nowhere", "nowhere: does not exist; name the folder of a run"),
        ("explain chain.toml", "chain.toml: is a file, not a folder; name the folder of a run"),
        ("explain swep", "swep: does not exist; did you mean 'sweep'?\n"),
        ("explain chain.toml --against run", "chain.toml: is a file, not a folder; name"),
        ("explain run --against nowhere", "nowhere: does not exist; name a folder that"),
        ("compare --from nowhere --baseline 1", "nowhere: does not exist; name the folder of a sw"),
        ("compare --from run --baseline 1", "run: is the folder of a run; name the folder of a sw"),
        ("compare --from other --baseline 1", "other: is a folder without results; name the f"),
        ("compare --from chain.toml --baseline 1", "chain.toml: is a file, not a folder; name the"),
        ("sweep --merge sweeps --out new", "sweeps: is a folder with several sweeps; name the"),
        ("run run", "run: is the folder of a run; name the file of a scenario\n"),
        ("check nowhere", "nowhere: does not exist; name the file of a scenario\n"),
        ("topology nowhere", "nowhere: does not exist; name the file of a scenario\n"),
        ("emulate nowhere -- true", "nowhere: does not exist; name the file of a scenario\n"),
        ("sweep nowhere --vary seed=1", "nowhere: does not exist; name the file of a scenario\n"),
        (
            "compare nowhere --vary seed=1,2 --baseline 1",
            "nowhere: does not exist; name the file of a scenario\n",
        ),
        ("judge nowhere", "nowhere: does not exist; name the file of a scenario\n"),
        ("adapt nowhere", "nowhere: does not exist\n"),
        ("replay nowhere", "nowhere: does not exist; name the folder of an emulation\n"),
        ("reproduce nowhere.toml", "nowhere.toml: does not exist; name a paper's file"),
        ("sedlane run nowhere -- true", "nowhere: does not exist; name the file of a link\n"),
        ("sedlane profile nowhere -o new", "nowhere: does not exist\n"),
        ("plot nowhere", "nowhere: does not exist; name a scenario or a folder of results"),
        ("adapt chain.toml", "chain.toml: is a scenario; 'hopwright adapt' needs a file that"),
    ],
)
def test_the_path_is_named_for_what_it_is(
    here: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    assert main(line.split()) == 2, here
    said = capsys.readouterr().err
    assert said.startswith(f"hopwright: {message}")
    assert said.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "check", "topology", "plot"])
def test_a_similar_name_is_suggested(
    here: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for folder in ("", f"{here}{os.sep}"):
        assert main([command, f"{folder}chian.toml"]) == 2
        assert capsys.readouterr().err.endswith(f"did you mean '{folder}chain.toml'?\n")
    assert main([command, "xyz.toml"]) == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("target", ["nowhere", "chain2.toml"])
def test_a_link_that_leads_nowhere_is_called_so(
    here: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    (here / "chain2.toml").symlink_to(target)
    for line, needed in (("run", "name the file of a scenario"), ("view", "name the folder of")):
        assert main([line, "chain2.toml"]) == 2
        said = f"hopwright: chain2.toml: is a symbolic link that leads nowhere; {needed}"
        assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    "line", ["run map.toml", "check map.toml", "topology map.toml", "sweep map.toml --vary seed=1"]
)
def test_a_file_of_adapt_is_no_scenario(
    here: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert main(line.split()) == 2, here
    said = capsys.readouterr().err
    assert said.startswith("hopwright: map.toml: is a file for 'hopwright adapt', not a scenario;")
    assert said.count("\n") == 1
    with pytest.raises(hw.InputError, match="is a file for 'hopwright adapt'"):
        hw.load("map.toml")


AS_ANYBODY = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
"""Runs a program that files are closed to, though root calls it."""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("run closed/chain.toml", "closed: cannot read it"),
        ("explain closed", "closed: cannot read it"),
        ("sweep chain.toml --vary mac.cw_min=15 --out closed", "closed: cannot read it"),
        ("run chain.toml --out closed/new", "closed/new: cannot write there"),
    ],
)
def test_what_is_closed_is_said_to_be(line: str, message: str, here: Path) -> None:
    is_root = os.geteuid() == 0
    if is_root and shutil.which("setpriv") is None:
        pytest.skip("root may read all, and setpriv is not installed (Debian: util-linux)")
    (here / "closed").mkdir(mode=0)
    command = [*(AS_ANYBODY if is_root else []), sys.executable, "-m", "hopwright", *line.split()]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    (here / "closed").chmod(0o700)
    assert (done.returncode, done.stderr) == (2, f"hopwright: {message}: Permission denied\n")


def test_a_name_that_is_too_long_is_no_fault_of_writing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "a" * 300
    assert main(["run", name]) == 2
    assert capsys.readouterr().err == f"hopwright: {name}: File name too long\n"
