"""Functions of papers' files: what they are given, what is made for them, how they fail."""

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from hopwright import _core
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright._run.execute import execute
from hopwright.research.papers import calling, emulated, run, series
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.functions import defined, library
from hopwright.research.papers.functions import emulated as of_emulations
from hopwright.research.papers.measured import Effort, Measured, measure
from hopwright.research.papers.run import Run
from hopwright.research.papers.totals import NoNumberError
from hopwright.research.papers.wording import wording
from hopwright.sweeps.run_plan import RunPlan
from made_up import MadeUp
from tiny_paper import TINY, write

IDLE = 'function = "idle_before_timeouts_s"'
LINE = TINY.splitlines().index('id = "idle"')  # counted from 0: that of `[[measures]]` from 1

OWN = """
from typing import Literal

from hopwright.research.papers.functions.series import column_at
from hopwright.research.papers.run import Run


def share_by(run: Run, at_s: float, of: Literal["acked", "sent"] = "acked") -> float:
    return column_at(run, f"{of}_segments", at_s) / run.result("goodput_segments")


def _helper(run: Run) -> float:
    return 1.0
"""


def paper(folder: Path, lines: str, functions: str = OWN) -> Path:
    """The tiny paper whose last measure is a function."""
    folder.mkdir(exist_ok=True)
    (folder / "tiny.py").write_text(functions, encoding="utf-8")
    return write(folder, TINY.replace(IDLE, lines))


def measured(path: Path) -> tuple[Document, Measured]:
    document = read(path)
    effort = Effort(2, RunPlan(jobs=1, out=path.parent / "runs"), watch=lambda _part: None)
    return document, measure(document, {}, effort)


def test_a_function_beside_the_file_has_results_and_series_of_each_run(tmp_path: Path) -> None:
    lines = 'function = "share_by"\nwith = { at_s = 1.5 }'
    document, found = measured(paper(tmp_path, lines))
    halves = found.of(document.cells["idle.8.2"])
    # Half of the time: about half, less what the handshake and slow start take.
    assert all(0.4 < value < 0.6 for value in halves)
    whole = 'function = "share_by"\nwith = { at_s = 3, of = "acked" }'
    document, found = measured(paper(tmp_path / "other", whole))
    assert found.of(document.cells["idle.8.2"]) == [1, 1]


def test_a_function_can_be_tried_alone(tmp_path: Path, chain: Path) -> None:
    path = paper(tmp_path, 'function = "share_by"\nwith = { at_s = 1 }')
    share_by = calling.functions_of(read(path))["share_by"]
    whole = Run.of(chain, seed=3)
    assert (whole.seed, whole.nodes, whole.flows, whole.duration_s) == (3, 4, 1, 10)
    assert share_by(whole, at_s=10) == 1
    assert Run.of(chain).seed == 7
    assert whole.series().keys() > {"time_s", "phase", "cwnd_segments"}


def counted(monkeypatch: pytest.MonkeyPatch, module: str) -> list[int]:
    """The seeds of all runs that a module will make."""
    seeds_of_runs: list[int] = []

    def noted(
        scenario: _core.Scenario,
        seeds: Sequence[int],
        *,
        jobs: int,
        folders: Sequence[Path] | None = None,
    ) -> list[_core.RunResult]:
        seeds_of_runs.extend(seeds)
        return execute(scenario, seeds, jobs=jobs, folders=folders)

    monkeypatch.setattr(f"hopwright.research.papers.{module}.execute", noted)
    return seeds_of_runs


@pytest.mark.parametrize(
    ("body", "recorded"),
    [
        ("return run.result('goodput_segments')", 0),
        ("return run.duration_s", 0),
        ("return len(run.series('time_s')['time_s'])", 1),
        ("return len(run.series('phase')['phase']) + len(run.series('time_s')['time_s'])", 1),
        ("return len(run.lineage()) + len(run.lineage()) + len(run.series()['phase'])", 2),
    ],
)
def test_nothing_is_made_that_is_not_asked_for(
    body: str, recorded: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How often a run is made once more."""
    calls = counted(monkeypatch, "recording")
    text = f"def number(run):\n    {body}\n"
    measured(paper(tmp_path, 'function = "number"', text))
    assert len(calls) == 4 * recorded  # two points show it, with two seeds


def test_without_sums_results_are_simulated_only_if_a_function_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = counted(monkeypatch, "points")
    sums = ('sum = ["goodput_segments"]', 'sum = ["mac.failures.data", "mac.failures.ack"]')
    text = TINY.replace('sum = ["goodput_segments", "goodput_segments", "-goodput_segments"]', IDLE)
    for each in sums:
        text = text.replace(each, IDLE)
    for name, body, simulated in (
        ("no", "run.seed", False),
        ("yes", "run.result('rto_count')", True),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "tiny.py").write_text(f"def number(run):\n    return {body}\n")
        measured(write(folder, text.replace(IDLE, 'function = "number"')))
        assert bool(calls) is simulated
        assert not (folder / "runs").exists()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            'function = "idle_before_timeout_s"',
            "no function called 'idle_before_timeout_s'; did you mean 'idle_before_timeouts_s'?",
        ),
        ('function = "_helper"', "no function called '_helper'"),
        ('function = "silence_s"', "silence_s: with: at_s is missing: write a number"),
        (
            'function = "silence_s"\nwith = { at = 3 }',
            "silence_s: with: the function has no parameter 'at'; did you mean 'at_s'?",
        ),
        (
            'function = "silence_s"\nwith = { at_s = "3" }',
            "silence_s: with: at_s = '3': write a number",
        ),
        (
            'function = "silence_s"\nwith = { at_s = 3, flow = 0.5 }',
            "silence_s: with: flow = 0.5: write a whole number",
        ),
        (
            'function = "share_by"\nwith = { at_s = true }',
            "share_by: with: at_s = True: write a number",
        ),
        (
            'function = "share_by"\nwith = { at_s = 1, of = "lost" }',
            "share_by: with: of = 'lost': write one of 'acked', 'sent'",
        ),
        (
            'function = "emulated_kbps"\nwith = { emulation = "none" }',
            "with: no emulation called 'none'; there are none",
        ),
    ],
)
def test_what_is_given_wrong_is_refused_before_any_run(
    lines: str, message: str, tmp_path: Path
) -> None:
    path = paper(tmp_path, lines)
    with pytest.raises(InputError) as caught:
        measured(path)
    said = str(caught.value)
    assert message in said
    assert said.startswith(f"{path}:{LINE}: [[measures]] idle: ")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('function = "recoveries"\nsum = ["rto_count"]', "with function, omit sum"),
        ('function = "recoveries"\nflow = 0', "with function, omit flow"),
        ('sum = ["rto_count"]\nwith = { at_s = 3 }', "with: needs function"),
        ("", "sum is missing: write a list of texts"),
    ],
)
def test_a_measure_is_a_sum_or_a_function(lines: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read(paper(tmp_path, lines))


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ("def number(run):\n    return {}['a']\n", "number: failed at {py}:2: KeyError: 'a'"),
        ("def number(run):\n    return 'a'\n", "number: returned 'a', which is not a number"),
        ("def number(run):\n    pass\n", "number: returned None, which is not a number"),
        ("def number(run):\n    return True\n", "number: returned True, which is not a number"),
        (
            "def number(run):\n    return float('nan')\n",
            "number: returned nan: a run has no such number",
        ),
        (
            "import math\ndef number(run):\n    return -math.inf\n",
            "number: returned -inf: a run has no such number",
        ),
        (
            "def number(run):\n    return run.result('goodput')\n",
            "number: result: no result called 'goodput'",
        ),
        (
            "def number(run):\n    return run.result('rto_count', flow=3)\n",
            "number: flow = 3: there are only flows 0 to 0",
        ),
        (
            "def inner(run):\n    return 1 / 0\n\ndef number(run):\n    return inner(run)\n",
            "number: failed at {py}:2: ZeroDivisionError: division by zero",
        ),
        ("def number(run):\n    raise SystemExit(3)\n", "number: failed at {py}:2: SystemExit: 3"),
    ],
)
def test_a_function_that_fails_is_told_with_file_line_measure_and_run(
    functions: str, message: str, tmp_path: Path
) -> None:
    path = paper(tmp_path, 'function = "number"', functions)
    with pytest.raises(InputError) as caught:
        measured(path)
    place = f"{path}:{LINE}: [[measures]] idle: "
    assert str(caught.value).startswith(place + message.format(py=tmp_path / "tiny.py"))
    assert str(caught.value).endswith(" (hops 1, limit 8, seed 1)")


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ("def number(run:\n    return 1\n", r"tiny\.py:1: SyntaxError: "),
        ("import nothing_of_this_name\n", r"tiny\.py:1: ModuleNotFoundError: "),
        ("\n\nraise ValueError('no')\n", r"tiny\.py:3: ValueError: no"),
        (
            "def number():\n    return 1\n",
            r"has no parameter for the run: write def number\(run: Run",
        ),
        ("def number(*, run):\n    return 1\n", "has no parameter for the run"),
    ],
)
def test_a_file_of_functions_that_is_none_is_refused(
    functions: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = paper(tmp_path, 'function = "number"', functions)
    words = ["reproduce", str(path), "--quick", "--out", str(tmp_path / "out")]
    assert main(words) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "__pycache__").exists()


def test_a_number_of_numpy_is_one(tmp_path: Path) -> None:
    text = "import numpy as np\n\ndef number(run):\n    return np.int64(3)\n"
    document, found = measured(paper(tmp_path, 'function = "number"', text))
    assert found.of(document.cells["idle.8.1"]) == [3, 3]


def test_a_run_without_the_number_is_told_apart_from_a_fault(tmp_path: Path) -> None:
    text = (
        "from hopwright._io.errors import InputError\n\n"
        "def number(run):\n    raise InputError('nothing arrived')\n"
    )
    with pytest.raises(NoNumberError, match="idle: number: nothing arrived"):
        measured(paper(tmp_path, 'function = "number"', text))


def test_what_was_found_before_a_run_without_the_number_is_kept(tmp_path: Path) -> None:
    text = (
        "from hopwright._io.errors import InputError\n\n"
        "def number(run):\n    if run.seed == 2:\n        raise InputError('none')\n    return 7\n"
    )
    with pytest.raises(NoNumberError, match=r"number: none \(hops 1, limit 8, seed 2\)$"):
        measured(paper(tmp_path, 'function = "number"', text))
    (line,) = (tmp_path / "runs-functions" / "runs.jsonl").read_text("utf-8").splitlines()
    assert '"seed":1,"result":{"number": 7.0}' in line


def test_a_file_may_name_the_one_of_its_functions(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("def number(run):\n    return 4\n")
    named = 'functions = "shared.py"\n' + TINY.replace(IDLE, 'function = "number"')
    document, found = measured(write(tmp_path, named))
    assert found.of(document.cells["idle.8.1"]) == [4, 4]
    with pytest.raises(InputError, match=r"tiny\.toml:1: functions: .*share\.py: there is no such"):
        read(write(tmp_path, named.replace("shared.py", "share.py")))


def test_a_run_is_let_go_before_the_next_is_looked_at(tmp_path: Path) -> None:
    # What a run's files hold takes tens of megabytes, and a point has hundreds of runs.
    text = (
        "import weakref\n\nseen = []\n\n\ndef number(run):\n"
        "    alive = sum(each() is not None for each in seen)\n"
        "    seen.append(weakref.ref(run))\n    return alive\n"
    )
    document, found = measured(paper(tmp_path, 'function = "number"', text))
    assert found.of(document.cells["idle.8.1"]) == [0, 0]


def test_a_verdict_is_of_the_function_and_its_file(tmp_path: Path) -> None:
    claim = '\n[[claims]]\nid = "idle"\nsays = "."\nrule = "order"\norder = ["idle.8.1 < 1"]\n'

    def words(lines: str, functions: str) -> str:
        path = paper(tmp_path, lines, functions)
        path.write_text(path.read_text() + claim)
        document = read(path)
        return wording(document, document.claims[-1])

    own = 'function = "share_by"\nwith = { at_s = 1 }'
    first = words(own, OWN)
    assert words(own, OWN) == first
    assert words(own.replace("1", "2"), OWN) != first
    assert words(own, OWN.replace("goodput", "sent")) != first
    library_of = words(IDLE, OWN)
    assert words(IDLE, OWN.replace("goodput", "sent")) == library_of


def test_every_function_of_the_library_is_told_of_and_typed() -> None:
    for name, each in library().items():
        hints = calling._hints(each)
        assert hints.pop("return") is float, name
        assert hints.pop("run") is run.Run, name
        assert (each.__doc__ or "").strip().endswith("."), name
        assert "a value" not in map(calling._words, hints.values()), name
    assert len(library()) > 50
    assert "column_at" in library()
    assert series.__name__ not in library()


def test_functions_of_emulations_are_the_numbers_of_their_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each number, and each of a function of the sender, has a function, and the right one."""
    asked: list[str] = []

    def number_of(_seen: object, what: str) -> float:
        asked.append(what)
        return 1.0

    monkeypatch.setattr(of_emulations, "number_of", number_of)
    monkeypatch.setattr(MadeUp, "emulation", lambda _run, name: name)
    for name, each in defined(of_emulations).items():
        what = name.removeprefix("emulated_")
        takes = inspect.signature(each).parameters
        parts = get_args(of_emulations.Part) if "of" in takes else ()
        if "of" not in takes or takes["of"].default is None:
            assert each(MadeUp(), emulation="a") == 1
            assert asked[-1] == what
        for part in parts:
            assert each(MadeUp(), emulation="a", of=part) == 1
            assert asked[-1] == f"{what}.{part}"
    assert sorted(asked) == sorted(emulated.NUMBERS)


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_functions_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reproduce", "--functions"]) == 0
    said = capsys.readouterr().out
    page = DOCS / "papers-functions.md"
    assert page.read_text(encoding="utf-8") == said, "make reference renews it"
    assert all(f"| `{name}` |" in said for name in library())
    assert main(["reproduce", "--functions", "--list"]) == 2


def test_the_manuals_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DOCS / "papers-files.md").read_text(encoding="utf-8")
    for kind in ("toml", "python"):
        (block,) = re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)
        (tmp_path / f"mine.{kind.replace('python', 'py')}").write_text(block, encoding="utf-8")
    out = tmp_path / "out"
    assert main(["reproduce", str(tmp_path / "mine.toml"), "--quick", "--out", str(out)]) == 0
    assert "no-more: Eight segments carry no more than one" in capsys.readouterr().out
    document = read(tmp_path / "mine.toml")
    assert list(document.cells) == ["segments.1", "segments.8", "late.1", "late.8"]
