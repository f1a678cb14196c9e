"""Tables where the terminal is too narrow for them: wider than it, but whole."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.main import main
from hopwright.comparisons.report import print_comparison

NARROW = (40, 25)
CUT = "\N{HORIZONTAL ELLIPSIS}"


def printed(columns: int, folder: Path, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hopwright", *map(str, words)],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(columns)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )
    return done.stdout


def words(text: str) -> list[str]:
    """What is said, wherever lines end; without rules and what takes wall time."""
    line = re.sub(r"[─\s]+", " ", text)
    return re.sub(r"\d+\.\d+ s of computing|results in .*", " ", line).split()


@pytest.mark.parametrize("columns", NARROW)
def test_nothing_is_cut_or_torn(chain: Path, columns: int) -> None:
    command = ("run", chain, "--runs", 3, "--per-hop", "--overwrite", "--out", "x")
    narrow = printed(columns, chain.parent, *command)
    assert CUT not in narrow
    assert re.search(r"^ 0  0 → 3  +newreno  +\d+\.\d ± \d+\.\d  ", narrow, re.MULTILINE)
    assert re.search(r"^ 0 → 1  +\d", narrow, re.MULTILINE), "links of the per-hop report"
    assert not re.search(r"± *$|^ *(kb/s|ms|s|%)[,.]?$", narrow, re.MULTILINE), "a unit alone"
    # Each number and word of a wide terminal is there.
    wide = printed(200, chain.parent, *command)
    assert sorted(words(narrow)) == sorted(words(wide))


@pytest.mark.parametrize("columns", NARROW)
def test_a_sweep_has_its_numbers_in_one_line(chain: Path, columns: int) -> None:
    keys = ("--vary", "flows.transport.protocol=newreno,vegas", "--vary", "mac.cw_min=15,31")
    text = printed(columns, chain.parent, "sweep", chain, *keys, "--runs", 3, "--out", "swept")
    assert len(re.findall(r"^ newreno +\d+ +3 +\d+\.\d ± \d+\.\d$", text, re.MULTILINE)) == 2
    assert "mac.cw_min" in text


def test_prose_of_a_comparison_is_as_narrow(
    chain: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short = {"duration_s": 3.0}
    found = hw.compare(chain, {"mac.cw_min": [15, 31]}, baseline=15, runs=2, overrides=short)
    said = {}
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        print_comparison(found)
        said[columns] = capsys.readouterr().out
    assert sorted(words(said["40"])) == sorted(words(said["200"]))
    prose = [line for line in said["40"].splitlines() if line[:1] not in (" ", "─")]
    assert max(map(len, prose)) <= 40
    assert said["200"] == str(found), "as it is kept"


def test_stories_are_as_narrow(
    chain: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = chain.parent / "told"
    hw.run(hw.load(chain, {"output.lineage": "losses"}), out=folder)
    for question in (["--at", "5"], ["--flow", "0"]):
        said = {}
        for columns in ("40", "80"):
            monkeypatch.setenv("COLUMNS", columns)
            assert main(["explain", str(folder), *question]) == 0
            said[columns] = capsys.readouterr().out
        below_tables = said["40"].rpartition("what the sender did")[2]
        assert max(map(len, below_tables.splitlines())) <= 40
        assert max(map(len, said["80"].splitlines())) > 80, "a line is an event"
        assert sorted(words(said["40"])) == sorted(words(said["80"]))


@pytest.mark.parametrize("columns", NARROW)
def test_the_network_is_shown_whole(chain: Path, columns: int) -> None:
    text = printed(columns, chain.parent, "topology", chain)
    assert CUT not in text
    assert re.search(r"^ nodes in the largest partition  +100\.0 %  +100\.0 %", text, re.MULTILINE)
