"""What a new crate, or a new file of Rust tests, must not be forgotten in."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CRATES = ROOT / "crates"


def built_on(crate: str) -> set[str]:
    """A crate, and all of the project's that it is built on."""
    manifest = tomllib.loads((CRATES / crate / "Cargo.toml").read_text())
    named = (name.removeprefix("hopwright-") for name in manifest["dependencies"])
    own = [name for name in named if (CRATES / name).is_dir()]
    return {crate}.union(*map(built_on, own))


def test_the_number_of_a_build_is_of_every_crate_that_results_depend_on() -> None:
    script = (CRATES / "python" / "build.rs").read_text()
    (listed,) = re.findall(r"const CRATES: &\[&str\] =\s+&\[(.*?)\];", script, re.DOTALL)
    assert set(re.findall(r'"(\w+)"', listed)) == built_on("scenario")


@pytest.mark.parametrize("crate", sorted(path.parent.name for path in CRATES.glob("*/tests")))
def test_every_file_of_tests_is_in_the_program_that_runs_them(crate: str) -> None:
    manifest = tomllib.loads((CRATES / crate / "Cargo.toml").read_text())
    tests = CRATES / crate / "tests"
    files = {path.stem for path in tests.glob("*.rs")} - {"main"}
    if manifest["package"].get("autotests", True):
        assert not (tests / "main.rs").exists()
        return
    programs = {Path(test["path"]).stem for test in manifest["test"]} - {"main"}
    modules = set(re.findall(r"^mod (\w+);", (tests / "main.rs").read_text(), re.MULTILINE))
    assert files <= programs | modules
