"""Closed streams, words that are no text, names of any length: always a message and a code."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from processes import Hopwright

HOPWRIGHT = f"{shlex.quote(sys.executable)} -m hopwright"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "words", ["check FILE", "protocols", "run FILE --json", "--version", "schema", "run --help"]
)
def test_what_is_asked_for_on_a_closed_output_fails(chain: Path, words: str) -> None:
    done = shell(f"{HOPWRIGHT} {words.replace('FILE', chain.name)} >&-", chain.parent)
    assert done.returncode == 1
    assert done.stderr == "hopwright: cannot write: [Errno 9] Bad file descriptor\n"
    assert [entry.name for entry in chain.parent.iterdir()] == [chain.name]


def test_a_run_is_written_without_an_output(hopwright: Hopwright, chain: Path) -> None:
    """No file of the run may take the place of the closed stream, and be written to as that."""
    done = shell(f"{HOPWRIGHT} run {chain.name} --out out >&- <&-", chain.parent)
    assert done.returncode == 0
    assert "warning: the table is missing: [Errno 9] Bad file descriptor" in done.stderr
    quiet = shell(f"{HOPWRIGHT} run {chain.name} --out quiet >&- 2>&-", chain.parent)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    assert hopwright("run", chain, "--out", "open").returncode == 0
    for name in ("scenario.toml", "series.parquet", "flow-0.svg", "network.json"):
        wanted = (chain.parent / "open" / name).read_bytes()
        for out in ("out", "quiet"):
            assert (chain.parent / out / name).read_bytes() == wanted


def test_a_stream_in_ascii_has_other_letters(chain: Path) -> None:
    command = f"{HOPWRIGHT} run {chain.name} --runs 2 --per-hop --out"
    known = shell(f"PYTHONUTF8=1 {command} out", chain.parent).stdout
    done = shell(f"LC_ALL=C PYTHONUTF8=0 {command} new", chain.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "?" not in done.stdout
    assert known.count("→") == done.stdout.count("->") > 2
    *heads, ruled, cells = done.stdout.splitlines()[3:7]
    assert cells.startswith(" 0 |0 -> 3 ")
    columns = [at for at, letter in enumerate(ruled) if letter == "+"]
    for line in (*heads, cells):
        assert [at for at, letter in enumerate(line) if letter == "|"] == columns


@pytest.mark.parametrize("name", ["é→", "é😀", 'é"→'])
def test_data_in_ascii_say_the_same(chain: Path, name: str) -> None:
    for words in ("run --json", "check"):
        command, *more = words.split()
        given = " ".join([command, chain.name, *more, "--set", shlex.quote(f"name={name}")])
        done = shell(f"PYTHONIOENCODING=ascii {HOPWRIGHT} {given}", chain.parent)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.isascii()
        read = json.loads(done.stdout) if more else tomllib.loads(done.stdout)
        assert read["scenario" if more else "name"] == name


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
def test_a_closed_error_stream_hides_no_code(chain: Path, stream: str) -> None:
    done = shell(f"{HOPWRIGHT} run absent.toml {stream}", chain.parent)
    assert (done.returncode, done.stdout) == (2, "")
    warned = shell(f"{HOPWRIGHT} run {chain.name} --set mac.cw_min=1 --json {stream}", chain.parent)
    assert warned.returncode == 0


def test_a_reader_of_one_line(chain: Path) -> None:
    done = shell(f"{HOPWRIGHT} run {chain.name} --out out | head -1", chain.parent)
    assert done.stderr == ""
    assert done.stdout.startswith("chain-3: 4 nodes")
    assert (chain.parent / "out" / "summary.json").is_file()


@pytest.mark.parametrize(
    "words",
    [
        "run FILE --set name=BYTES",
        "run FILE --set BYTES=1",
        "check FILE --set 'name=\"BYTES\"'",
        "sweep FILE --vary name=a,BYTES --out out",
        "compare FILE --vary flows.transport.protocol=BYTES,reno --runs 2",
        "judge FILE --differentiators BYTES",
        "judge FILE,name=BYTES",
        "protocols BYTES",
        "plot FILE --title BYTES",
        "reproduce BYTES --list",
    ],
)
def test_words_that_are_no_text_are_refused(chain: Path, words: str) -> None:
    typed = words.replace("FILE", chain.name).encode().replace(b"BYTES", b"caf\xe9")
    command = HOPWRIGHT.encode() + b" " + typed
    done = subprocess.run(
        ["bash", "-c", command], cwd=chain.parent, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"caf\\xe9" in done.stderr
    assert b"is not text in UTF-8" in done.stderr
    assert [entry.name for entry in chain.parent.iterdir()] == [chain.name]


def test_names_of_files_may_be_any_bytes(chain: Path) -> None:
    name = os.fsencode(chain.parent) + b"/caf\xe9"
    chain.rename(os.fsdecode(name + b".toml"))
    for words in (
        [b"run", name + b".toml", b"--out", name],
        [b"sweep", name + b".toml", b"--vary", b"mac.cw_min=15,31", b"--out", name + b"-swept"],
        [b"plot", name, b"routes"],
        [b"topology", name + b".toml", b"--out", name + b"-seen"],
    ):
        command = [os.fsencode(sys.executable), b"-m", b"hopwright", *words]
        done = subprocess.run(command, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), words


@pytest.mark.parametrize("length", [255, 256])
@pytest.mark.parametrize("command", ["run", "sweep", "judge", "topology", "compare", "plot"])
def test_names_as_long_as_can_be(
    hopwright: Hopwright, chain: Path, command: str, length: int
) -> None:
    more = {
        "sweep": "--vary mac.cw_min=15,31",
        "judge": "--differentiators veno --runs 2",
        "compare": "--vary flows.transport.protocol=reno,vegas --baseline reno --runs 2",
    }.get(command, "")
    out = "n" * (length - len(".svg") if command == "plot" else length)
    done = hopwright(command, chain, *more.split(), "--out", out)
    if length == 255:
        assert (done.returncode, done.stderr) == (0, "")
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert "File name too long" in done.stderr
    assert [entry.name for entry in chain.parent.iterdir()] == [chain.name]


@pytest.mark.parametrize("place", ["-1", "+0", "1.5", "7", "0x0", "99999999999999999999"])
def test_a_place_that_no_list_has(hopwright: Hopwright, chain: Path, place: str) -> None:
    done = hopwright("check", chain, "--set", f"flows.{place}.from=1")
    assert (done.returncode, done.stdout) == (2, "")
    wanted = place.partition(".")[0] if place == "1.5" else place
    assert f"there is no entry {wanted}: the list has 1, counted from 0" in done.stderr
