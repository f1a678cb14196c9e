"""Tables in LaTeX: what stands in them, and that LaTeX takes them."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright._io.latex import Sheet, document, escaped
from hopwright._io.names import Names
from hopwright.comparisons.perform import compare_sweep

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PAPER = "\\documentclass{article}\\usepackage{booktabs}\\usepackage{siunitx}\\begin{document}\n"
ODD = r"50 % & $x_1^2$ #~\{<a> | 0 → 4} ±µ–" + '"'
SHEET = Sheet(
    ["protocol", "goodput\nkb/s", "its\ninterval", "relative", "p"],
    [
        ["the first, of two"],
        ["reno", "212.3 ± 14.1", "-3.2 to +4.0", "+5.0 %", "0.03"],
        [ODD, "9.25 ± 0.7", "–", "-12.5 %", "<0.0001"],
        ["vegas", "–", "", "", ""],
    ],
    "What 100 % means",
    "A label_1",
)


def has_latex() -> bool:
    """Whether LaTeX is here, and the packages that the tables need."""
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich"):
        return False
    needed = ["kpsewhich", "booktabs.sty", "siunitx.sty"]
    return subprocess.run(needed, capture_output=True, check=False).returncode == 0


def compiles(text: str, folder: Path) -> str:
    """What LaTeX says of a paper with this in it."""
    (folder / "paper.tex").write_text(f"{PAPER}{text}\\end{{document}}\n")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return done.stdout.decode(errors="replace")


def rows_of(text: str) -> list[list[str]]:
    """The cells of all tables, heads too."""
    lines = [line.strip().removesuffix(r"\\") for line in text.splitlines() if line.endswith(r"\\")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)&", line)] for line in lines]


def columns_of(text: str) -> list[str]:
    """How the columns of the first table are set."""
    found = re.search(r"\\begin\{tabular\}\{(.*)\}$", text, re.MULTILINE)
    assert found
    return re.findall(r"S\[[^]]*\]|[lr]", found[1])


def test_numbers_stand_in_columns_of_numbers() -> None:
    text = document([SHEET])
    assert columns_of(text) == [
        "l",
        "S[table-format=3.2(4)]",
        "r",
        "S[table-format=+2.1]",
        "S[table-format=1.2]",
    ]
    head, first, reno, odd, vegas = rows_of(text)
    assert head == ["{protocol}", "{goodput (kb/s)}", "{its interval}", r"{relative (\%)}", "{p}"]
    assert first == [r"\multicolumn{5}{l}{the first, of two}"]
    assert reno == ["reno", r"212.3 \pm 14.1", r"\numrange{-3.2}{+4.0}", "+5.0", "0.03"]
    assert odd[0] == escaped(ODD)
    assert odd[1:] == [r"9.25 \pm 0.7", "--", "-12.5", r"{$<$\num{0.0001}}"]
    assert vegas == ["vegas", "{--}", "", "", ""]
    assert text.startswith("% needs \\usepackage{booktabs} and \\usepackage{siunitx}\n")
    assert r"\caption{What 100 \% means}" in text
    assert r"\label{tab:a-label-1}" in text
    for word in ("table", "tabular"):
        assert text.count(f"\\begin{{{word}}}") == text.count(f"\\end{{{word}}}") == 1


def test_nothing_is_left_that_latex_would_read() -> None:
    text = escaped(ODD)
    for letter in "&%$#_{}^~<>|":
        # What stands there is what was put there: escaped, or the dollars and braces of a command.
        rest = re.sub(r"\\[a-zA-Z]+\{\}|\$\\[a-z]+\$|\\[&%$#_{}]", "", text)
        assert letter not in rest
    assert escaped("plain text, 4.5") == "plain text, 4.5"


def test_labels_and_order() -> None:
    rows = [["reno", "1"], ["vegas", "2"]]
    sheet = Sheet(["protocol", "n"], rows, "goodput, all flows", "t")
    names = Names(labels={"vegas": "Vegas & co", "n": "runs", "2": "two"}, order=["vegas"])
    text = document([sheet], names)
    assert rows_of(text) == [["{protocol}", "{runs}"], [r"Vegas \& co", "{two}"], ["reno", "1"]]
    assert r"\caption{sum, all flows}" in document([sheet], Names(labels={"goodput": "sum"}))
    # The rows of a block stay together, and those of each stand in the order.
    blocks = Sheet(
        ["k", "protocol"], [[k, p] for k in "12" for p in ("reno", "vegas")], "c", "t", 1
    )
    ordered = rows_of(document([blocks], Names(order=["2", "vegas"])))
    assert ordered[1:] == [["2", "vegas"], ["2", "reno"], ["1", "vegas"], ["1", "reno"]]
    with pytest.raises(InputError, match=r"--labels vegs: .* did you mean 'vegas'"):
        document([sheet], Names(labels={"vegs": "x"}))
    with pytest.raises(InputError, match=r"--order n: nothing has this name"):
        document([sheet], Names(order=["n"]))


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = (SCENARIOS / "grid.toml").read_text()
    path = tmp_path_factory.mktemp("latex") / "grid.toml"
    path.write_text(text.replace("duration_s = 301", "duration_s = 6"))
    return path


@pytest.fixture(scope="module")
def swept(grid: Path) -> Path:
    folder = grid.parent / "swept"
    vary = {"flows.transport.protocol": ["newreno", "vegas"], "mac.data_rate_mbps": [2, 11]}
    hw.sweep(grid, vary, runs=2, out=folder)
    return folder


@pytest.mark.filterwarnings("ignore::hopwright.StarvationWarning")
def test_of_results_sweeps_and_comparisons(grid: Path, swept: Path, tmp_path: Path) -> None:
    results = hw.run(grid, runs=2).to_latex(labels={"goodput_bps": "Throughput (kb/s)"})
    assert rows_of(results)[0][3] == r"{\shortstack[c]{Throughput\\(kb/s)}}"
    assert [row[0] for row in rows_of(results)[1:4]] == ["0", "1", "2"]
    found = compare_sweep(swept, baseline="newreno")
    compared = found.to_latex(labels={"mac.data_rate_mbps": "rate"}, order=["vegas"])
    assert compared.count(r"\begin{table}") == len(found.metrics)
    assert [row[:2] for row in rows_of(compared)[:4]] == [
        ["{rate}", "{variant}"],
        ["2", "vegas"],
        ["2", "newreno"],
        ["11", "vegas"],
    ]
    for line in found.sentences:
        assert f"% {line}\n" in compared
    if has_latex():
        compiles(results + compared + document([SHEET]), tmp_path)


@pytest.mark.filterwarnings("ignore::hopwright.StarvationWarning")
def test_warnings_stand_above_the_tables(tmp_path: Path) -> None:
    text = (SCENARIOS / "grid.toml").read_text()
    file = tmp_path / "grid.toml"
    file.write_text(text.replace("duration_s = 301", "duration_s = 41"))
    vary = {"flows.transport.protocol": ["newreno", "vegas"]}
    compared = hw.compare(file, vary, baseline="newreno", runs=2, out=tmp_path / "s")
    found = [hw.run(file).to_latex(), compared.to_latex()]
    found.append(hw.sweep(file, vary, runs=2, out=tmp_path / "s", resume=True).to_latex())
    for table in found:
        warned = [
            line for line in table.splitlines() if line.startswith("% warning: a flow starves")
        ]
        assert warned
        assert all("flow 1 (10 → 14)" in line for line in warned)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    def of(words: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(words.split()) == code
        out, err = capsys.readouterr()
        return err if code else out

    return of


@pytest.mark.filterwarnings("ignore::hopwright.StarvationWarning")
def test_on_the_command_line(grid: Path, swept: Path, printed: Callable[..., str]) -> None:
    before = sorted(grid.parent.iterdir())
    for words in (
        f"run {grid} --latex",
        f"sweep {grid} --vary flows.transport.protocol=newreno,vegas --latex --order vegas",
        f"compare --from {swept} --baseline vegas --latex --labels vegas=V,newreno=N",
    ):
        text = printed(words)
        assert text.startswith("% ")
        assert r"\toprule" in text
        assert text.endswith("\\end{table}\n")
    assert {row[1] for row in rows_of(text)} >= {"N", "V"}
    assert sorted(grid.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run GRID --latex --json", "--latex and --json: use only one of them"),
        ("sweep GRID --vary flows.transport.protocol=reno,vegas --labels reno=R", "--latex"),
        ("sweep GRID --vary flows.transport.protocol=reno,vegas --latex --labels rno=R", "'reno'"),
        ("sweep GRID --vary flows.transport.protocol=reno,vegas --latex --best", "omit --latex"),
        ("compare --from SWEPT --baseline vegas --latex --order vgas", "did you mean 'vegas'"),
        ("compare --from SWEPT --baseline vegas --labels vegas", "write it as NAME=TEXT"),
        ("explain SWEPT --latex", "--against"),
    ],
)
def test_nonsense(
    words: str, said: str, grid: Path, swept: Path, printed: Callable[..., str]
) -> None:
    told = printed(words.replace("GRID", str(grid)).replace("SWEPT", str(swept)), 2)
    assert said in told
