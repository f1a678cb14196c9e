"""The package as others install it: in an empty environment, far from the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
PAPER = "pap-4.2-hidden-terminal"
"""A paper whose quick runs take seconds."""

Program = Callable[..., str]
"""Runs a program of the environment; returns what it prints."""


@pytest.fixture(scope="module")
def wheel() -> Path:
    built = list((ROOT / "dist").glob("hopwright-*.whl"))
    assert len(built) == 1, "build it with make wheel"
    return built[0]


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The wheel in an environment with its dependencies alone, in the versions that are pinned."""
    place = tmp_path_factory.mktemp("empty")
    home = place / "environment"
    python = home / "bin" / "python"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, home], check=True)
    install = [str(UV), "pip", "install", "--quiet", "--python", str(python), str(wheel)]
    subprocess.run([*install, "--constraint", str(ROOT / "requirements.txt")], check=True)
    elsewhere = place / "work"
    elsewhere.mkdir()
    (elsewhere / "chain.toml").write_bytes((ROOT / "scenarios" / "chain.toml").read_bytes())
    # Nothing of what the tests' own process was told leads to the checkout.
    said = {"PATH": f"{home / 'bin'}:{os.defpath}", "HOME": str(place), "LANG": "C.UTF-8"}

    def run(*words: str) -> str:
        done = subprocess.run(
            [home / "bin" / words[0], *words[1:]],
            cwd=elsewhere, env=said, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def work_of(program: Program) -> Path:
    return Path(program("python", "-c", "import os; print(os.getcwd())").strip())


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    names = ["git", "ls-files", "python/hopwright"]
    listed = subprocess.run(names, cwd=ROOT, capture_output=True, text=True, check=True)
    files = {ROOT / name for name in listed.stdout.splitlines()}
    wanted = {str(file.relative_to(ROOT / "python")) for file in files if not file.is_symlink()}
    papers = (ROOT / "scenarios" / "papers").glob("*.toml")
    wanted |= {f"hopwright/scenarios/papers/{file.name}" for file in papers}
    with zipfile.ZipFile(wheel) as content:
        there = set(content.namelist())
    assert wanted - there == set()
    assert not [name for name in there if "/tests/" in name or "node_modules" in name]


def test_the_program_is_the_installed_one(program: Program) -> None:
    home = program("python", "-c", "import hopwright; print(hopwright.__file__)")
    assert "site-packages" in home
    assert str(ROOT) not in program("python", "-c", "import sys; print(sys.path)")


def test_a_run_is_made_and_shown(program: Program) -> None:
    short = ["chain.toml", "--set", "duration_s=5"]
    assert "results in run" in program("hopwright", "run", *short, "--view", "--out", "run")
    assert "MB; open it in a browser" in program("hopwright", "view", "run", "--out", "page.html")
    page = (work_of(program) / "page.html").read_text(encoding="utf-8")
    assert page == (work_of(program) / "run" / "view.html").read_text(encoding="utf-8")
    assert '"name":"chain-8"' in page
    assert "flow 0" in program("hopwright", "explain", "run")
    assert (work_of(program) / "run" / "flow-0.svg").stat().st_size > 1000


def test_variants_are_compared(program: Program) -> None:
    vary = ["--vary", "flows.transport.protocol=reno,vegas", "--baseline", "reno", "--runs", "2"]
    words = ["compare", "chain.toml", "--set", "duration_s=5", *vary]
    assert "results in compared" in program("hopwright", *words, "--out", "compared")
    told = json.loads((work_of(program) / "compared" / "comparison.json").read_text())
    assert [each["variant"] for each in told["comparisons"]].count("vegas") >= 1


def test_a_paper_is_reproduced(program: Program) -> None:
    told = program("hopwright", "reproduce", PAPER, "--quick", "--out", "paper")
    assert f"{PAPER}, A: " in told
    (report,) = json.loads((work_of(program) / "paper" / "report.json").read_text())["reports"]
    assert report["quick"]


def test_every_paper_is_there_with_the_files_that_it_names(program: Program) -> None:
    words = ["reproduce", "--list", "--json"]
    here = subprocess.run(
        [sys.executable, "-m", "hopwright", *words], capture_output=True, text=True, check=True
    )
    assert program("hopwright", *words) == here.stdout
    read = """
from hopwright.research.papers.document import read
from hopwright.research.papers.library import every
from hopwright.research.papers.points import source_of
for path in every().values():
    source_of(read(path)).load()
    print(path.stem)
"""
    ids = {path.stem for path in (ROOT / "scenarios" / "papers").glob("*.toml")}
    assert set(program("python", "-c", read).split()) == ids
