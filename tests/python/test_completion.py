"""Completion in real shells: what stands on the line, and what the tabulator key makes of it."""

import json
import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hopwright import _core, load
from hopwright._cli.arguments import COMMANDS
from hopwright._cli.completion import HOMES, script
from hopwright._cli.main import main
from hopwright._schema.keys import scenario_keys

BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
complete=$(complete -p hopwright)
[[ $complete =~ -F\ ([^ ]+) ]] && "${BASH_REMATCH[1]}" hopwright "${@: -1}" "${@: -2:1}"
printf '%s\n' "${COMPREPLY[@]}"
"""
PATIENCE_S = 30

LINES = [
    ("swe", ["sweep"]),
    ("run --over", ["--overwrite"]),
    ("run net", ["network.toml"]),
    ("view --perfetto net", ["network.toml"]),
    ("sweep network.toml --best goodp", ["goodput_bps", "goodput_segments"]),
    ("compare network.toml --metric fairness.j", ["fairness.jain"]),
    ("protocols reno ve", ["vegas", "veno"]),
    ("plot network.toml to", ["topology"]),
    ("reproduce pap-4.2-h", ["pap-4.2-hidden-terminal"]),
    ("sedlane pro", ["profile"]),
    ("sedlane profile --overw", ["--overwrite"]),
    ("completion z", ["zsh"]),
    ("run network.toml --set topology.ho", ["topology.hops="]),
    ("sweep network.toml --vary flows.transport.protoc", ["flows.transport.protocol="]),
    ("compare network.toml --set routing.prot", ["routing.protocol="]),
    ("run network.toml --set output.fr", ["output.frames="]),
    ("check network.toml --set links.jitter_l", ["links.jitter_law="]),
]


@pytest.fixture(scope="module", params=["bash", "fish"])
def offered(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], list[str]]:
    """What a shell offers for a line after `hopwright`, in a folder with one file."""
    shell = request.param
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    place = tmp_path_factory.mktemp(shell)
    (place / "network.toml").touch()
    file = place.with_suffix(".script")
    file.write_text(script(shell), encoding="utf-8")

    def ask(line: str) -> list[str]:
        if shell == "bash":
            command = [
                "bash",
                "--norc",
                "-c",
                BASH,
                "bash",
                str(file),
                "hopwright",
                *line.split(" "),
            ]
        else:
            asks = f"source {file}; complete --do-complete 'hopwright {line}'"
            command = ["fish", "--no-config", "--command", asks]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return sorted(each.split("\t")[0] for each in done.stdout.splitlines() if each)

    return ask


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_bash_and_fish_complete(
    offered: Callable[[str], list[str]], line: str, wanted: list[str]
) -> None:
    assert offered(line) == wanted


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_writes_no_blank_behind_a_key(tmp_path: Path) -> None:
    file = tmp_path / "script"
    file.write_text(script("bash"), encoding="utf-8")
    process, terminal = pty.fork()
    if process == 0:
        words = ["bash", "--norc", "--noprofile", "-i"]
        os.execvpe("bash", words, {**os.environ, "TERM": "dumb", "PS1": "> "})
    try:
        typed(terminal, f"source {file}; echo rea''dy\n", "ready")
        typed(terminal, "hopwright run --set topology.ho\tX", "--set topology.hops=X")
        typed(terminal, "\x15hopwright run --overw\tX", "--overwrite X")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def test_keys_that_are_offered_are_keys_that_can_be_set() -> None:
    keys = scenario_keys(json.loads(_core.schema_json()))
    assert len(keys) == len(set(keys)) > 500
    chain = Path(__file__).parents[2] / "scenarios" / "chain.toml"
    for key in ("duration_s", "topology.hops", "output.series_interval_s", "flows.start_s"):
        assert key in keys
        load(chain, {key: 9})
    # No word stands for a list in a list, nor for a table.
    assert not {key for key in keys if key.startswith("links.changes") or key == "routing.aodv"}


def test_every_command_is_offered(offered: Callable[[str], list[str]]) -> None:
    assert {*offered("")} >= {*COMMANDS}


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_a_line_as_it_is_typed(tmp_path: Path) -> None:
    functions = tmp_path / "functions"
    functions.mkdir()
    (functions / "_hopwright").write_text(script("zsh"), encoding="utf-8")
    (tmp_path / "network.toml").touch()
    begin = (
        f"cd {tmp_path}; fpath+={functions}; autoload -U compinit; compinit -u -D; echo rea''dy\n"
    )
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "PS1": "> "})
    try:
        typed(terminal, begin, "ready")
        for line, wanted in LINES:
            if len(wanted) == 1:
                # Control-U empties the line.
                # The value follows a key at once.
                end = "X" if wanted[0].endswith("=") else " "
                shown = f"{line.rpartition(' ')[0]} {wanted[0]}{end}"
                typed(terminal, f"\x15hopwright {line}\t{end.strip()}", shown)
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def typed(terminal: int, keys: str, wanted: str) -> None:
    """Types, and waits until the terminal shows what is wanted."""
    os.write(terminal, keys.encode())
    seen, end = "", time.monotonic() + PATIENCE_S
    while wanted not in seen:
        left = end - time.monotonic()
        assert left > 0, f"{wanted!r} is not in {seen!r}"
        if select.select([terminal], [], [], left)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")


def test_a_shell_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "ksh"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert all(shell in told.err for shell in HOMES)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_lines_beside_commands_are_short(shell: str) -> None:
    text = script(shell)
    said, _ = COMMANDS["plot"]
    assert said in text
    assert "All figures can be read in black and white" not in text
