"""Results in a notebook and in Python: pure text, real HTML, progress, warnings, clean names."""

import ast
import itertools
import sys
import types
import warnings
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Protocol

import pytest

import hopwright as hw
from explaining import recorded
from hopwright import comparisons, figures, scenario, sweeps
from hopwright._io.progress import watched
from hopwright.explain.budget import Budget, budget
from hopwright.explain.events import Lineage
from hopwright.explain.story import Story, find
from hopwright.research import judging
from hopwright.research.judging import judge, read_case
from hopwright.research.papers.document import read
from hopwright.research.papers.reproduce import Asked, reproduce
from hopwright.sweeps.run_plan import RunPlan
from tiny_paper import TINY

VOID = {"br", "hr", "img"}
PROTOCOLS = {"flows.transport.protocol": ["reno", "vegas"]}
IDLE = {"flows.transport.vegas_alpha": 2}
"""A parameter that NewReno does not read."""


class Page(HTMLParser):
    """What a browser would make of it; raises where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.tables = 0
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in VOID:
            self.open.append(tag)
        self.tables += tag == "table"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


@pytest.fixture(params=["terminal", "notebook"])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """rich prints into a notebook where it believes to be in one, whatever file it is given."""
    if request.param == "notebook":
        monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    return str(request.param)


class Shown(Protocol):
    """What a notebook shows."""

    def _repr_html_(self) -> str: ...


Make = Callable[[Path], Shown]


def _sweep(chain: Path) -> Shown:
    return hw.sweep(chain, PROTOCOLS, runs=2)


def _comparison(chain: Path) -> Shown:
    return hw.compare(chain, PROTOCOLS, baseline="reno", runs=2)


def _judgement(chain: Path) -> Shown:
    return judge([read_case(str(chain))], ["veno"], runs=2, errors=[1.0])


def _lineage(chain: Path) -> Lineage:
    return Lineage.read(recorded(chain.parent, "losses", {"duration_s": "20"})[0])


def _budget(chain: Path) -> Budget:
    return budget(_lineage(chain), 0)


def _story(chain: Path) -> Story:
    lineage = _lineage(chain)
    event = find(lineage, 5.0, None)
    assert event is not None
    return Story.of(lineage, event)


@pytest.mark.parametrize(
    ("make", "said", "tables"),
    [
        (hw.run, "goodput", 3),
        (_sweep, "goodput (kb/s)", 1),
        (_comparison, "vegas against reno", 4),
        (_judgement, "believed", 3),
        (_budget, "cause", 1),
        (_story, "t=", 1),
    ],
)
@pytest.mark.usefixtures("where")
def test_texts_and_tables_are_pure(
    chain: Path, capfd: pytest.CaptureFixture[str], make: Make, said: str, tables: int
) -> None:
    made = make(chain)
    capfd.readouterr()
    text, short = str(made), repr(made)
    page = Page(made._repr_html_())
    assert capfd.readouterr() == ("", ""), "nothing is printed"
    assert said in text
    assert isinstance(made, Story) or max(map(len, text.splitlines())) <= 80
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert "\n" not in short or isinstance(made, Budget)
    assert page.tables >= tables
    assert len(page.cells) > 4


def test_lineage_is_short(chain: Path) -> None:
    assert repr(_lineage(chain)).startswith("<Lineage of ")


def test_what_stands_in_tables_is_escaped(chain: Path) -> None:
    named = hw.load(chain, {"name": "<i>&"})
    for made in (hw.run(named), hw.compare(named, PROTOCOLS, baseline="reno", runs=2)):
        html = made._repr_html_()
        assert "&lt;i&gt;&amp;" in html
        assert "<i>&" not in html
        Page(html)


def test_no_line_ends_between_a_number_and_its_unit(chain: Path) -> None:
    texts = [str(hw.run(chain)), str(_comparison(chain))]
    units = ("kb/s", "%", "ms", "s,", "s")
    for text in texts:
        lines = text.splitlines()
        for line, after in itertools.pairwise(lines):
            is_torn = line[-1:].isdigit() and after.strip().startswith(units)
            assert not is_torn, (line, after)


def test_warnings_of_the_command_line_come_in_python(chain: Path) -> None:
    said = r"flows\.0\.transport\.vegas_alpha.* has no effect"
    makers: list[Callable[[], object]] = [
        lambda: hw.run(hw.load(chain, IDLE)),
        lambda: hw.load(chain, IDLE).check(),
        lambda: hw.sweep(chain, {"mac.cw_min": [15, 31]}, overrides=IDLE),
        lambda: hw.compare(chain, {"mac.cw_min": [15, 31]}, baseline=31, runs=2, overrides=IDLE),
    ]
    for make in makers:
        with pytest.warns(hw.HopwrightWarning, match=said) as caught:
            make()
        assert [each.filename for each in caught] == [__file__]
    assert issubclass(hw.StarvationWarning, hw.HopwrightWarning)
    assert issubclass(hw.HopwrightWarning, UserWarning)


def test_warnings_can_be_silenced(chain: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hw.HopwrightWarning)
        hw.run(hw.load(chain, IDLE))


def test_a_parameter_that_some_point_reads_is_no_warning(chain: Path) -> None:
    hw.sweep(chain, {"flows.transport.protocol": ["newreno", "vegas"]}, overrides=IDLE)


def test_runs_can_be_watched(chain: Path) -> None:
    told: list[tuple[float, int]] = []
    hw.run(chain, runs=3, watch=lambda done, total: told.append((done, total)))
    assert [told[0], told[-1]] == [(0, 3), (3, 3)]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {3}


def _paper(chain: Path) -> object:
    file = chain.parent / "tiny.toml"
    file.write_text(TINY)
    how = RunPlan(out=chain.parent / "out")
    return reproduce([read(file)], how, Asked(quick=True), progress=True)


PROGRESSING: list[Callable[[Path], object]] = [
    _paper,
    lambda chain: hw.run(chain, runs=2, progress=True),
    lambda chain: hw.sweep(chain, PROTOCOLS, progress=True),
    lambda chain: hw.compare(chain, PROTOCOLS, baseline="reno", runs=2, progress=True),
    lambda chain: judge([read_case(str(chain))], ["veno"], runs=1, progress=True),
]


@pytest.mark.parametrize("make", PROGRESSING)
def test_progress_without_a_terminal_is_a_few_lines(
    chain: Path, capfd: pytest.CaptureFixture[str], make: Callable[[Path], object]
) -> None:
    make(chain)
    told = capfd.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert 2 <= len(lines) <= 11
    counts = [line.rpartition(": ")[2].split() for line in lines]
    assert counts[0][0] == "0"
    last = counts[-1]
    assert last == ["100", "%"] or last[0] == last[2], "all of them, in the end"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook's bar has shown, one after the other."""
    seen: list[str] = []
    handle = types.SimpleNamespace(update=seen.append)

    def display(html: str, *, display_id: bool) -> object:
        assert display_id
        seen.append(html)
        return handle

    ipython = types.ModuleType("IPython")
    vars(ipython)["get_ipython"] = lambda: types.SimpleNamespace(kernel=object())
    vars(ipython)["display"] = types.SimpleNamespace(display=display, HTML=str)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return seen


@pytest.mark.parametrize("make", PROGRESSING)
def test_a_notebook_has_a_bar(
    chain: Path,
    capfd: pytest.CaptureFixture[str],
    shown: list[str],
    make: Callable[[Path], object],
) -> None:
    make(chain)
    assert capfd.readouterr() == ("", "")
    assert len(shown) >= 2
    for html in shown:
        Page(html)
        assert "<progress" in html
    assert 'value="1.000"' in shown[-1]


def test_a_bar_ends_where_something_is_raised(shown: list[str]) -> None:
    def stop() -> None:
        with watched("<x>", None, progress=True) as tell:
            tell(1, 4)
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        stop()
    assert "1 of 4 runs" in shown[-1]
    assert "&lt;x&gt;" in shown[-1]


def test_nobody_looks_on_if_nobody_asks(chain: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hw.run(chain)
    assert capfd.readouterr() == ("", "")


PUBLIC = [
    "Comparison",
    "Control",
    "HopwrightWarning",
    "InputError",
    "Range",
    "Results",
    "RunError",
    "ScenarioError",
    "Simulation",
    "StarvationWarning",
    "Sweep",
    "UnfinishedError",
    "__version__",
    "compare",
    "load",
    "run",
    "sweep",
]


def test_the_namespace_has_what_is_to_be_used_and_nothing_else() -> None:
    assert dir(hw) == sorted([*PUBLIC, *scenario.__all__])
    for name in dir(hw):
        assert getattr(hw, name) is not None
    assert dir(comparisons) == ["Comparison", "compare", "compare_sweep"]
    assert dir(judging) == ["Case", "Judgement", "judge", "read_case"]
    assert dir(sweeps) == ["Point", "Range", "Sweep", "sweep"]
    assert dir(figures) == sorted(figures.__all__)
    assert not [name for name in vars(hw) if name in ("TYPE_CHECKING", "import_module")]
    assert dir(scenario) == sorted(scenario.__all__)


def test_editors_are_told_of_every_table_and_of_nothing_else() -> None:
    """Some list whatever a star brings along: `dataclass`, `Literal`, words of single keys."""
    assert hw.__file__ is not None
    package = ast.parse(Path(hw.__file__).read_text())
    (imported,) = (
        each
        for each in ast.walk(package)
        if isinstance(each, ast.ImportFrom) and each.module == "hopwright.scenario"
    )
    assert {each.name for each in imported.names} == {*scenario.__all__}
