"""What is read is a file of some size: no pipe is waited for, no device is read without end."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hopwright import _core
from hopwright._cli.main import main
from hopwright._io import files
from hopwright._io.errors import InputError
from hopwright._io.out import is_own
from hopwright._io.parquet import read_table
from hopwright._io.source import Source
from hopwright.figures.results import Results
from hopwright.research.papers import document
from hopwright.results.network import Network
from hopwright.sweeps.folder import read_plan
from hopwright.sweeps.journal import Journal
from processes import Hopwright
from tiny_paper import TINY

KINDS = ("pipe", "zero", "folder", "large")
SAID = {
    "pipe": "regular file",
    "zero": "regular file",
    "folder": "folder|directory|regular file",
    "large": "larger than",
}


def make(kind: str, path: Path) -> None:
    """Puts something that must not be read in the place of a file. The large one has no blocks."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, 1 << 36)


READERS: dict[str, Callable[[Path], object]] = {
    "any.toml": Source.read,
    "scenario.toml": lambda path: _core.load(str(path), []),
    "paper.toml": document.read,
    "network.json": lambda path: Network.read(path.parent),
    "events.parquet": read_table,
    "results.parquet": lambda path: Results.read(path.parent),
    "sweep.json": lambda path: read_plan(path.parent),
    "runs.jsonl": lambda path: Journal(path, write=False).read(),
}


REFUSED = [
    (name, kind)
    for name in READERS
    for kind in KINDS
    if (name, kind) != ("runs.jsonl", "large")  # read line by line, and of any size
]


@pytest.mark.parametrize(("name", "kind"), REFUSED)
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str, name: str) -> None:
    make(kind, tmp_path / name)
    with pytest.raises((InputError, _core.ScenarioError), match=SAID[kind]):
        READERS[name](tmp_path / name)


def test_the_journal_of_a_sweep_is_no_device(tmp_path: Path) -> None:
    """Neither is it opened through a link, which might lead anywhere."""
    (tmp_path / "away").write_text("")
    for kind, said in (("pipe", "is no regular file"), ("zero", "Too many levels")):
        make(kind, tmp_path / kind)
        with pytest.raises(InputError, match=said):
            Journal(tmp_path / kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("key", "table"),
    [
        ("topology.file", 'duration_s = 9\nrouting.protocol = "aodv"\n[topology]\nkind = "ns2"\n'),
        ("energy.compute", 'duration_s = 9\ntopology = { kind = "chain", hops = 1 }\n[energy]\n'),
    ],
)
def test_files_that_scenarios_name(tmp_path: Path, kind: str, key: str, table: str) -> None:
    make(kind, tmp_path / "named")
    text = f'{table}{key.partition(".")[2]} = "named"\n'
    with pytest.raises(_core.ScenarioError, match=f"(?s){key}.*({SAID[kind]})"):
        _core.parse(text, "text", [], folder=tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_that_is_none_makes_no_folder_a_results(tmp_path: Path, kind: str) -> None:
    make(kind, tmp_path / "summary.json")
    (tmp_path / "scenario.toml").touch()
    assert not is_own(tmp_path)


@pytest.mark.parametrize("command", ["check", "run", "topology", "judge", "plot", "sweep"])
def test_commands_say_so(hopwright: Hopwright, tmp_path: Path, command: str) -> None:
    make("pipe", tmp_path / "pipe")
    more = ["--vary", "mac.cw_min=15,31", "--out", "swept"] if command == "sweep" else []
    done = hopwright(command, "pipe", *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pipe" in done.stderr
    assert "not a regular file" in done.stderr
    assert {entry.name for entry in tmp_path.iterdir()} == {"pipe"}


DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.parametrize(
    "line",
    [
        *("run deep.toml", "check deep.toml", "topology deep.toml", "plot deep.toml"),
        *("judge deep.toml", "adapt deep.toml", "reproduce deep.toml", "emulate deep.toml"),
        *("compare deep.toml --vary seed=1,2 --baseline 1", "sedlane export deep.toml --to netem"),
        *("sweep chain.toml --vary name=DEEP", "plot run", "compare --from sweep --baseline 1"),
    ],
)
def test_what_is_nested_too_deeply_is_refused(
    chain: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    monkeypatch.chdir(chain.parent)
    Path("deep.toml").write_text(f"name = {DEEP}\n{chain.read_text()}")
    for name in ("run/summary.json", "sweep/sweep.json"):
        Path(name).parent.mkdir()
        Path(name).write_text(DEEP)
    assert main(line.replace("DEEP", DEEP).split()) == 2
    said = capsys.readouterr().err
    # Rust says it in words of its own, and a plan has words for all that damages it.
    assert re.search("nested too deeply|max recursion depth|is damaged", said)


def test_the_largest_sizes_are_those_of_rust(tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    make("large", file)
    os.truncate(file, files.MOST_TEXT_BYTES + 1)
    for read in (READERS["any.toml"], READERS["scenario.toml"]):
        with pytest.raises((InputError, _core.ScenarioError), match="larger than 64 MiB"):
            read(file)
    file.write_bytes(b"x" * 10)
    assert files.read_bytes(file, 10) == b"x" * 10
    with pytest.raises(InputError, match="larger than 0 MiB"):
        files.read_bytes(file, 9)


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    file = tmp_path / "paper.toml"
    file.write_text(f"\ufeff{TINY}", encoding="utf-8")
    assert document.read(file).title == "One hop and two"
    assert files.read_text(file) == TINY
