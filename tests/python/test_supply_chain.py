"""What the project is built from is pinned by hash."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [f"requirements{of}.txt" for of in ("", "-audit", "-docs")])
def test_every_python_package_has_a_hash(name: str) -> None:
    blocks = re.split(r"^(?=\S+==)", (ROOT / name).read_text(), flags=re.MULTILINE)[1:]
    assert len(blocks) > 30
    assert [b.split()[0] for b in blocks if "--hash=sha256:" not in b] == []


@pytest.mark.parametrize("name", ["Cargo.lock", "fuzz/Cargo.lock"])
def test_every_crate_from_outside_has_a_checksum(name: str) -> None:
    crates = (ROOT / name).read_text().split("[[package]]")[1:]
    outside = [crate for crate in crates if "\nsource = " in crate]
    assert outside
    assert [crate for crate in outside if "\nchecksum = " not in crate] == []
    assert [crate for crate in outside if '\nsource = "registry+' not in crate] == []


def test_uv_is_installed_by_its_hash() -> None:
    """The installer that checks all other hashes has nobody else to check its own."""
    recipe = _shell("make --dry-run --always-make .venv/.packages")
    (install,) = (line for line in recipe.splitlines() if "-m pip install" in line)
    assert "--no-deps --require-hashes -r .venv/uv.txt" in install
    (extract,) = re.findall(r"(awk .*) > \.venv/uv\.txt", recipe)
    wanted = _shell(extract)
    assert re.fullmatch(r"uv==\S+( \\\n    --hash=sha256:[0-9a-f]{64})+\n(    #.*\n)*", wanted)


def _shell(command: str) -> str:
    ran = subprocess.run(command, shell=True, cwd=ROOT, check=True, capture_output=True, text=True)
    return ran.stdout
