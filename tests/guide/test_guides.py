"""What the documentation tells to write, written into a copy of the project, compiled and run.

`docs/adding-a-protocol.md`, and rows of ARCHITECTURE.md's "To add": an application, a MAC, an
output column and a cause of loss.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import hopwright
from hopwright._io.data import amount, at, items, number
from steps import ROOT, apply, blocks

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PAGE = ROOT / "docs" / "adding-a-protocol.md"
HERE = Path(__file__).parent
ROWS = {
    "application.md": "an application",
    "mac.md": "a MAC that exchanges 802.11's frames in its own order",
    "column.md": "an output column",
    "cause.md": "a cause of loss",
}
TOUCHED = {"column.md": 2, "cause.md": 3}
"""So many files, and no more: what is made from them follows."""
SCENARIO = """
duration_s = 1
topology = { kind = "chain", hops = 1 }
mac.kind = "aloha"
mac.rts = "none"
[[flows]]
app = "burst"
rate_kbps = 160
payload_bytes = 1000
datagrams = 4
from = 0
to = 1
stop_s = 0.9
transport = { protocol = "udp" }
"""

Cargo = Callable[..., str]


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Rust needs of the project, in a new folder."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, root)
    for name in ("crates", "mutants"):
        shutil.copytree(ROOT / name, root / name)
    return root


@pytest.fixture
def cargo(copied: Path) -> Cargo:
    """Runs cargo there, which must do; returns what it prints."""

    def run(*words: str) -> str:
        environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
        done = subprocess.run(
            ["cargo", *words],
            cwd=copied,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def example(cargo: Cargo, name: str, *words: str | Path) -> str:
    """What an example of the copy prints."""
    # All of the workspace: for another choice of crates, their dependencies would be compiled anew.
    cargo("build", "--quiet", "--workspace", "--lib", "--examples")
    program = TARGET / "debug" / "examples" / name
    printed = subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
    # The project's own extension has the same name: without it, cargo links it again.
    for place in ("debug", "debug/deps"):
        (TARGET / place / "lib_core.so").unlink(missing_ok=True)
    return printed


def test_a_slot_is_filled_in_a_scenario(tmp_path: Path) -> None:
    (scenario,) = (block for block in blocks(PAGE) if block.words == "toml scenario")
    file = tmp_path / "scenario.toml"
    file.write_text(scenario.text)
    assert number(hopwright.run(file).summary, "mean", "flows", 0, "goodput_bps")


def test_the_steps_lead_to_a_tested_protocol(copied: Path, cargo: Cargo) -> None:
    for block in blocks(PAGE):
        apply(block, copied)
    (console,) = (block for block in blocks(PAGE) if block.words == "console")
    for line in console.text.splitlines():
        printed = cargo(*line.removeprefix("$ cargo ").split())
    assert "growth_is_about_a_third_of_a_segment_per_round_trip ... ok" in printed


def test_a_mechanism_from_another_crate_runs(cargo: Cargo) -> None:
    (program,) = (block for block in blocks(PAGE) if "/examples/" in (block.word("file") or ""))
    file = ROOT / str(program.word("file"))
    assert file.read_text() == program.text
    segments = dict(line.split() for line in example(cargo, file.stem).splitlines())
    assert int(segments["scalable"]) > int(segments["newreno"])


def places(row: str) -> list[str]:
    """The files that a row of the table names."""
    lines = (ROOT / "ARCHITECTURE.md").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"| {row} |"))
    return re.findall(r"`([a-z/_<>0-9]+\.rs)`", line)


def is_named(file: str, row: list[str], *, is_new: bool) -> bool:
    """Whether the row names a file; a new one, by what is to be put for its name."""
    below = file.removeprefix("crates/")
    named = [place for place in row if ("<name>" in place) == is_new]
    patterns = [re.escape(place).replace("<name>", "[a-z_]+") for place in named]
    return any(re.search(rf"(^|/){pattern}$", below) for pattern in patterns)


def follow(page: str, root: Path) -> set[str]:
    """Does what a page says; returns the files. Its row of the table must name them all."""
    row, touched = ROWS[page], set()
    for block in blocks(HERE / page):
        file = apply(block, root)
        assert file is not None, block.words
        is_new = block.word("file") is not None
        assert is_named(file, places(row), is_new=is_new), f"{file} is not in the row '{row}'"
        touched.add(file)
    return touched


def test_the_rows_lead_to_a_column_and_a_cause_that_results_and_their_schema_have(
    copied: Path, cargo: Cargo, tmp_path: Path
) -> None:
    for page, count in TOUCHED.items():
        assert len(follow(page, copied)) == count
    shutil.copy(HERE / "told.rs", copied / "crates/scenario/examples")
    scenario = tmp_path / "chain.toml"
    shutil.copy(ROOT / "scenarios" / "chain.toml", scenario)
    text = scenario.read_text()
    scenario.write_text(text.replace("hops = 8", "hops = 2").replace("to = 8", "to = 2"))
    told = json.loads(example(cargo, "told", scenario))
    flow = at(told, "schema", "properties", "flows", "items", "properties")
    assert amount(told, "result", "flows", 0, "deliveries") > 100
    assert at(flow, "deliveries", "title") == "deliveries"
    assert at(flow, "deliveries", "x-over-flows") == "sum"
    scenario.write_text(text)
    told = json.loads(example(cargo, "told", scenario))
    assert amount(told, "result", "flows", 0, "drops", "three_hops") > 0
    assert at(flow, "drops", "properties", "three_hops", "description") == "It had made three hops."
    assert "it had made three hops" in items(told, "said")


def test_the_rows_lead_to_an_application_and_a_mac_that_run(
    copied: Path, cargo: Cargo, tmp_path: Path
) -> None:
    """20 datagrams in five bursts over one hop, each with its acknowledgement: 40 frames."""
    for page in ("application.md", "mac.md"):
        follow(page, copied)
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    assert "frames 40\n" in example(cargo, "run", scenario)
