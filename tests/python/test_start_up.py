"""What the program loads before it does something: only what the command needs."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHAIN = ROOT / "scenarios" / "chain.toml"

SHOWN = "import sys; {}; print(*sorted(sys.modules))"
HEAVY = {"arro3", "matplotlib", "numpy", "scipy", "statsmodels", "distributed", "dask", "shtab"}
PARTS = {"comparisons", "figures", "research", "scenario", "sweeps"}


def loaded(work: str) -> set[str]:
    """Names of the modules that are there after some work in a process of its own."""
    words = [sys.executable, "-c", SHOWN.format(work)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def main(*words: str) -> str:
    return f"from hopwright._cli.main import main; main({list(words)!r})"


@pytest.mark.parametrize(
    "work",
    [
        "import hopwright",
        "import hopwright._cli.arguments",
        main("--version"),
        main("--help"),
        main("check", str(CHAIN)),
        main("run", str(CHAIN), "--set", "duration_s=1.1", "--json"),
        main("run", str(CHAIN), "--set", "duration_s=1.1", "--runs", "3", "--json"),
        "from hopwright._cli.sweep import add_sweep",
        "from hopwright._cli.compare import add_compare",
        "from hopwright._cli.judge import add_judge",
        "from hopwright._cli.adapt import add_adapt",
        "from hopwright.research.judging.cases import RUNS",
    ],
)
def test_nothing_is_loaded_for_other_commands(work: str) -> None:
    names = loaded(work)
    heavy = {name for name in names if name.partition(".")[0] in HEAVY}
    assert not heavy
    parts = {name.split(".")[1] for name in names if name.startswith("hopwright.")}
    if "add_" not in work and "research" not in work:
        assert not parts & PARTS


def test_little_is_loaded_before_an_interrupt_is_handled() -> None:
    names = {name for name in loaded("import hopwright._cli.main") if name.startswith("hopwright")}
    frame = {"hopwright", "hopwright._cli", "hopwright._cli.main"}
    assert names == frame | {"hopwright._io", "hopwright._io.signals"}


INTERRUPTED_AT = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.{number})

sys.meta_path.insert(0, Interrupting())
sys.argv = ["hopwright", "run", {file!r}, "--json"]
from hopwright._cli.main import main
sys.exit(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "name",
    [
        "hopwright._io.streams",
        "hopwright._cli.arguments",
        "argparse",
        "hopwright._core",
        "hopwright._cli.commands",
        "hopwright._run.execute",
    ],
)
def test_an_interrupt_while_modules_are_loaded_is_one_line(
    name: str, number: signal.Signals
) -> None:
    text = INTERRUPTED_AT.format(name=name, number=number.name, file=str(CHAIN))
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 128 + number
    assert done.stdout == ""
    assert re.fullmatch(
        r"hopwright: (interrupted|stopped), no result was written\n", done.stderr
    ), done.stderr


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_what_prints_a_line_loads_no_command(word: str) -> None:
    names = loaded(main(word))
    assert "hopwright._cli.arguments" in names
    assert not names & {"hopwright._cli.commands", "hopwright._run.execute", "difflib", "json"}


def test_names_of_the_package_are_found_when_they_are_asked_for() -> None:
    work = "import hopwright as hw; hw.Chain; hw.compare; hw.Sweep; from hopwright import figures"
    assert "hopwright.scenario" in loaded(work)
