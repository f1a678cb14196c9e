"""`docs/adding-a-protocol.md`, done step by step on a copy of the project."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import hopwright
from hopwright.data import number

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "adding-a-protocol.md"


class Block(NamedTuple):
    """A fenced block of the page."""

    words: str
    """What stands behind the fence: a language and what to do with the text."""
    text: str

    def word(self, name: str) -> str | None:
        """The value of `name=value` or `name="value"`."""
        found = re.search(rf'{name}=(?:"([^"]*)"|(\S+))', self.words)
        return found and (found[1] or found[2])


def blocks() -> list[Block]:
    fence = re.compile(r"^```(\S.*)\n((?:.*\n)*?)```$", re.MULTILINE)
    return [Block(*found) for found in fence.findall(PAGE.read_text())]


def apply(block: Block, root: Path) -> None:
    """Writes a file, or puts text into one: in lines below an anchor, or right behind it."""
    file, place = block.word("file"), block.word("in")
    if file:
        (root / file).write_text(block.text)
    elif place:
        target = root / place
        content = target.read_text()
        below, inside = block.word("below"), block.word("inside")
        anchor = below or inside
        assert anchor is not None, block.words
        assert content.count(anchor) == 1, f"{place} has not one '{anchor}'"
        at = content.index(anchor) + len(anchor)
        if below:
            at = content.index("\n", at) + 1
        text = block.text if below else block.text.rstrip("\n")
        target.write_text(content[:at] + text + content[at:])


def test_a_slot_is_filled_in_a_scenario(tmp_path: Path) -> None:
    (scenario,) = (block for block in blocks() if block.words == "toml scenario")
    file = tmp_path / "scenario.toml"
    file.write_text(scenario.text)
    assert number(hopwright.run(file).summary, "mean", "flows", 0, "goodput_bps")


def test_the_steps_lead_to_a_tested_protocol(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    for block in blocks():
        apply(block, tmp_path)
    (console,) = (block for block in blocks() if block.words == "console")
    environment = {"CARGO_TARGET_DIR": str(ROOT / "target"), **os.environ}
    for line in console.text.splitlines():
        command = line.removeprefix("$ ").split()
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "growth_is_about_a_third_of_a_segment_per_round_trip ... ok" in done.stdout
