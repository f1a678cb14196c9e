"""The guides, typed from their top in an empty folder: no command is refused."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from hopwright._cli.main import main
from test_docs import ROOT, command_lines

INDEX = (ROOT / "docs" / "index.md").read_text()
PARTS = dict(re.findall(r":caption: (.*)\n:maxdepth: 1\n\n((?:[\w/-]+\n)+)", INDEX))
GUIDES = [
    ROOT / "docs" / f"{name}.md"
    for part in ("Start", "How to", "Concepts")
    for name in PARTS[part].split()
]
FILE = re.compile(r"^```\w+ file=([\w.-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BARE = re.compile(r"^(?: {4})?(?:# )?hopwright [a-z-]+ ", re.MULTILINE)
SCRIPT = re.compile(r"^```(?:sh|toml)\b.*?^```$", re.MULTILINE | re.DOTALL)
QUICK = {
    "compare": ["--set", "duration_s=6", "--runs", "2"],
    "judge": ["--set", "duration_s=6", "--runs", "2"],
    "run": ["--set", "duration_s=6"],
    "sweep": ["--set", "duration_s=6", "--runs", "2"],
    "topology": ["--set", "duration_s=6", "--runs", "2"],
}
"""What makes commands fast."""
WHOLE = {"explain", "recording", "triggers"}
"""Pages whose runs must reach a moment, or have enough values for an average."""
LATER = ("scenarios/links/", "random.toml", "scripted.toml")
"""Scenarios in which something happens at a time that a short run does not reach."""
ELSEWHERE = {
    "adapt",
    "completion",
    "control",
    "emulate",
    "host",
    "kernel",
    "measure-energy",
    "replay",
}
"""What needs rights or a real clock, takes long, or waits for somebody; other tests look at it."""
FOLLOWED = [
    "start",
    "explain",
    "experiments",
    "figures",
    "frames",
    "loss-differentiation",
    "mac-policies",
    "rate-transports",
    "receiver-side",
    "recording",
    "relays",
    "routing",
    "scenarios",
    "sedlane",
    "sedlane-reductions",
    "topology",
    "triggers",
    "view",
]


def made_by(words: list[str]) -> list[str]:
    return [after for before, after in pairwise(words) if before in ("--out", "-o")]


def is_followed(words: list[str]) -> bool:
    if words[0] in ELSEWHERE or words[:2] in (["sedlane", "run"], ["sedlane", "relay"]):
        return False
    serves = words[0] == "view" and not {"--out", "--perfetto"} & set(words)
    is_wrong_on_purpose = words[0] == "check" and "--set" in words
    needs_a_shell = any("$PWD" in word for word in words)
    return not serves and not is_wrong_on_purpose and not needs_a_shell and "--on" not in words


def quick(words: list[str], page: str) -> list[str]:
    more = QUICK.get(words[0], [])
    is_whole = words[0] == "run" and (page in WHOLE or words[1].startswith(LATER))
    if "--from" in words or is_whole:
        more = []
    return [*words, *more]


@pytest.mark.filterwarnings("ignore::hopwright.HopwrightWarning")
@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_can_be_followed_from_its_top(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    for name, content in FILE.findall(text):
        Path(name).write_text(content)
    commands = [words for words in command_lines(SCRIPT.sub("", text)) if is_followed(words)]
    assert commands
    for words in commands:
        assert main(quick(words, page)) == 0, words


def test_no_folder_is_made_by_two_commands() -> None:
    makers: dict[str, list[str]] = {}
    for page in GUIDES:
        for words in command_lines(page.read_text()):
            for folder in made_by(words):
                makers.setdefault(folder, []).append(f"{page.name}: {' '.join(words)}")
    assert len(makers) > 50
    assert {folder: lines for folder, lines in makers.items() if len(lines) > 1} == {}


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_every_command_stands_behind_its_prompt(page: Path) -> None:
    """The copy button takes what stands behind a prompt, and nothing else."""
    assert BARE.findall(SCRIPT.sub("", page.read_text())) == []
