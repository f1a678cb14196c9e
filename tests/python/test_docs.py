"""The pages: their commands are known, their Python runs, their links lead somewhere."""

import ast
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import hopwright as hw
from hopwright import _core
from hopwright._cli.arguments import parse
from hopwright._cli.main import main
from hopwright._io.errors import InputError

ROOT = Path(__file__).parents[2]
FIRST = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
PAGES = [*FIRST, *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(
    r"^(?: *[$#] )?(?:sudo )?(?:\.venv/bin/)?(hopwright (?:.*\\\n)*.*)$", re.MULTILINE
)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SHORTER = (
    (re.compile(r"\bruns=\d+"), "runs=2"),
    (re.compile(r"\bduration_s=\d+"), "duration_s=6"),
    (re.compile(r'"duration_s": \d+'), '"duration_s": 31'),
)
"""What makes the guide's scripts fast; what is changed is no more than numbers."""


def command_lines(text: str) -> list[list[str]]:
    """The words of every `hopwright ...` that stands on a line of its own."""
    found = []
    for line in COMMAND.findall(text):
        joined = line.replace("\\\n", " ").replace("$SLURM_ARRAY_TASK_ID", "1")
        words = shlex.split(joined, comments=True)[1:]
        ends = (place for place, word in enumerate(words) if word in ("|", ">"))
        found.append(words[: next(ends, None)])
    return found


def blocks_of(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text())


def anchors_of(page: Path) -> set[str]:
    """What GitHub makes of headings."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


BLOCKS = [
    pytest.param(block, id=f"{page.name}-{n}")
    for page in PAGES
    for n, block in enumerate(blocks_of(page), 1)
]


def test_commands_are_found() -> None:
    text = "A `hopwright x`.\n    $ hopwright run a --set k='[0, 4]' | jq .\n"
    text += "$ sudo .venv/bin/hopwright host \\\n  --tun t\n"
    assert command_lines(text) == [["run", "a", "--set", "k=[0, 4]"], ["host", "--tun", "t"]]
    for page, least in {"start": 8, "scenarios": 9, "recording": 8, "host": 2, "sweeps": 4}.items():
        assert len(command_lines((ROOT / "docs" / f"{page}.md").read_text())) >= least, page
    with pytest.raises(InputError, match="--overwrit"):
        parse(["run", "a.toml", "--overwrit"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_known(page: Path) -> None:
    for words in command_lines(page.read_text()):
        options = parse(words)
        assert callable(options.do)
        file = getattr(options, "file", None)
        if file is not None and str(file).startswith("scenarios/"):
            assert (ROOT / file).is_file(), words


def test_the_commands_of_loss_differentiation_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    commands = command_lines((ROOT / "docs" / "loss-differentiation.md").read_text())
    assert len(commands) >= 9
    for words in commands:
        shorter = [] if words[0] == "protocols" else ["--set", "duration_s=6", "--runs", "2"]
        assert main([*words, *shorter]) == 0, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors_of(file), target


@pytest.mark.parametrize(
    ("struct", "file"),
    [("Public", "view/public.rs"), ("Ack", "mechanisms/mod.rs")],
)
def test_what_a_mechanism_sees_is_listed_whole(struct: str, file: str) -> None:
    source = (ROOT / "crates/transport/src" / file).read_text()
    body = re.search(rf"^pub struct {struct}\b.*?^\}}", source, re.MULTILINE | re.DOTALL)
    assert body
    fields = re.findall(r"^    pub (\w+):", body[0], re.MULTILINE)
    page = (ROOT / "docs/adding-a-protocol.md").read_text()
    _, _, rows = page.partition(f"| field of `{struct}` |")
    cells = [row.split("|")[1] for row in rows.partition("\n\n")[0].splitlines()[2:]]
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(fields)


def test_the_first_pages_are_short() -> None:
    for page, most in {"README.md": 150, "ARCHITECTURE.md": 200}.items():
        assert len((ROOT / page).read_text().splitlines()) <= most, page


def test_pages_that_are_read_from_end_to_end_are_short() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    parts = dict(re.findall(r":caption: (.*)\n:maxdepth: 1\n\n((?:\S+\n)+)", index))
    assert {"Start", "How to", "Concepts", "Design"} <= parts.keys()
    for part in parts.keys() - {"Reference", "Validation", "Reports"}:
        for name in parts[part].split():
            page = ROOT / "docs" / f"{name}.md"
            words = CODE.sub("", page.read_text()).split() if page.exists() else []
            assert len(words) <= 2000, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_a_text_is_a_comment_or_begins_a_list(page: Path) -> None:
    """MyST leaves out a line that begins with '%', and 'in 1.' at the end of one begins a list."""
    before = ""
    for line in CODE.sub("", page.read_text()).splitlines():
        assert not line.startswith("%"), line
        goes_on = before.strip() and not re.match(r"\s*([-*+]|\d+[.)]) |[ |#>]", before)
        assert not (goes_on and re.match(r"\d+[.)] ", line)), line
        before = line


def test_compositions_are_counted_and_their_families_named() -> None:
    page = (ROOT / "docs" / "transports.md").read_text()
    protocols = json.loads(_core.protocols_json())
    composed = [protocol["id"] for protocol in protocols if protocol["slots"]]
    assert f"TCP in {len(composed)} named compositions" in (ROOT / "README.md").read_text()
    assert f"one of {len(composed)} named compositions of TCP" in page
    names = {protocol["id"] for protocol in protocols} - {"udp"}
    variant = re.compile(r"^(ss|sca|ssca)-")  # the table names these by their parts
    missing = [name for name in names if not variant.match(name) and f"`{name}`" not in page]
    assert not missing


def test_pictures_are_small() -> None:
    from PIL import Image

    for picture in (ROOT / "docs" / "img").rglob("*.png"):
        with Image.open(picture) as image:
            assert image.mode == "P", f"{picture.name}: validation/pictures.py makes it small"
    for picture in (ROOT / "docs" / "img").glob("*.png"):
        shown = [page.name for page in PAGES if picture.name in page.read_text()]
        assert shown, f"{picture.name} is on no page"
        if {"experiments.md", "figures.md", "python.md"} & set(shown):
            assert picture.stat().st_size < 60_000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scenarios, shorter, and with what earlier commands of the pages write."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "scenarios").mkdir()
    for file in ("chain.toml", "grid.toml"):
        text = (ROOT / "scenarios" / file).read_text()
        assert "duration_s = 301" in text
        (folder / "scenarios" / file).write_text(text.replace("duration_s = 301", "duration_s = 6"))
    chain = folder / "scenarios" / "chain.toml"
    hw.run(chain, out=folder / "r1")
    vary = {"topology.hops": [4, 8, 16], "flows.transport.protocol": ["reno", "vegas"]}
    hw.sweep(chain, vary, overrides={"flows.to": 4}, out=folder / "long")
    return folder


@pytest.mark.filterwarnings("ignore::hopwright.StarvationWarning")  # a page is about just that
@pytest.mark.parametrize("block", BLOCKS)
def test_every_python_block_runs(
    block: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("MPLBACKEND", "agg")
    for what, instead in SHORTER:
        block = what.sub(instead, block)
    exec(compile(ast.parse(block), "block", "exec"), {"__name__": "__main__"})


def test_every_python_block_has_the_right_types(tmp_path: Path) -> None:
    """As the project's own files: what `make lint` knows of the packages is not read again."""
    for page in PAGES:
        for n, block in enumerate(blocks_of(page)):
            (tmp_path / f"{page.stem.replace('-', '_')}_{n}.py").write_text(block)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr


def git(*words: str, stdin: str = "") -> list[str]:
    """The lines that a command of Git prints; 1 is the code of one that finds nothing."""
    done = subprocess.run(
        ["git", "-C", ROOT, *words], input=stdin, capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.splitlines()


def written(page: Path) -> set[str]:
    """What is at the top of a checkout when the commands of a page were typed there."""
    options = [parse(words) for words in command_lines(page.read_text())]
    named = [getattr(each, word, None) for each in options for word in ("out", "figure")]
    paths = [each for each in named if isinstance(each, Path) and each.parts]
    files = re.findall(r"^```\w+ file=([\w.-]+)$", page.read_text(), re.MULTILINE)
    tops = {path.parts[0] for path in paths if not path.is_absolute() and ".." not in path.parts}
    return tops | {f"{top}-lines.svg" for top in tops} | {*files}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
def test_what_commands_leave_is_nothing_for_git() -> None:
    of_docs = {name for page in PAGES for name in written(page)} - {"crates", "docs", "scenarios"}
    assert {"results", "hops", "hops-lines.svg", "places.toml", "gallery"} <= of_docs
    ignored = git("check-ignore", "--no-index", "--stdin", stdin="\n".join(of_docs))
    assert of_docs - set(ignored) == set()
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == []
