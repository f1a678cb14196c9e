"""What the program loads before it does something: only what the command needs."""

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


def test_names_of_the_package_are_found_when_they_are_asked_for() -> None:
    work = "import hopwright as hw; hw.Chain; hw.compare; hw.Sweep; from hopwright import figures"
    assert "hopwright.scenario" in loaded(work)
