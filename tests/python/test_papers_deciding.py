"""Claims that more runs decide: how many, of which points, and what is said of them."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hopwright._cli.main import main
from hopwright.research.papers import deciding
from hopwright.research.papers.deciding import Longer, decide
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.judgement import Judgement, judge, printed_and_kinds
from hopwright.research.papers.measured import Effort, Measured
from hopwright.sweeps.run_plan import RunPlan
from tiny_paper import TINY, write

CLOSE = """
[[claims]]
id = "close"
says = "With a window of one segment a hop takes a little more than two would."
rule = "order"
order = ["segments.8.1 > segments.1.1"]
"""
EFFORT = Effort(0, RunPlan(jobs=1, out=Path()), watch=lambda _: None)


class Runs:
    """Stands in for a paper's runs: means that its points differ in, and noise by the seed."""

    def __init__(self, means: Mapping[str, float]) -> None:
        self.means = means
        self.made: list[tuple[int, tuple[str, ...]]] = []
        """The first seed, and the cells that were asked for."""

    def __call__(
        self, document: Document, _more: object, effort: Effort, cells: Sequence[str] | None = None
    ) -> Measured:
        self.made.append((document.seed, tuple(cells or ())))
        seeds = tuple(range(document.seed, document.seed + effort.runs))
        values: dict[tuple[str, ...], dict[str, list[float]]] = {}
        for name in cells or document.cells:
            cell = document.cells[name]
            at = tuple(cell.at[axis.name] for axis in document.axes)
            mean = self.means.get(name, 0.0)
            drawn = [mean + random.Random(f"{name} {seed}").gauss(0, 1) for seed in seeds]
            values.setdefault(at, {})[cell.measure] = drawn
        return Measured(document.axes, seeds, values)


def first_looks(document: Document, measured: Measured) -> list[Judgement]:
    printed, kinds = printed_and_kinds(document)
    values = {name: measured.of(cell) for name, cell in document.cells.items()}
    return [judge(claim, printed, kinds, values) for claim in document.claims]


def decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, means: Mapping[str, float], most: int
) -> tuple[Runs, dict[str, Longer], list[Judgement]]:
    document = read(write(tmp_path, TINY.replace("runs = 4", "runs = 8") + CLOSE))
    runs = Runs(means)
    measured = runs(document, {}, Effort(8, RunPlan(jobs=1, out=Path()), watch=lambda _: None))
    runs.made.clear()
    monkeypatch.setattr(deciding, "measure", runs)
    judgements = first_looks(document, measured)

    def effort(_first: int, count: int) -> Effort:
        return Effort(count, RunPlan(jobs=1, out=Path()), watch=lambda _: None)

    return runs, decide(document, measured, judgements, most, effort), judgements


def test_an_undecided_claim_gets_the_runs_that_decide_it_and_no_other_point_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = {"segments.1.1": 15.0, "segments.1.2": 5.0, "segments.8.1": 15.5}
    runs, found, first = decided(tmp_path, monkeypatch, means, most=4096)
    assert [each.verdict for each in first] == ["reproduced", "not reproduced", "undecided"]
    assert list(found) == ["close"]
    longer = found["close"]
    assert longer.judgement.verdict == "reproduced"
    assert longer.looks >= 2
    # Each step doubles the runs, from the seed after the last.
    assert [seed for seed, _ in runs.made] == [1 + 8 * 2**step for step in range(len(runs.made))]
    assert longer.runs == 8 * 2 ** len(runs.made) <= 4096
    assert {cells for _, cells in runs.made} == {("segments.1.1", "segments.8.1")}


def test_it_is_judged_from_all_runs_as_if_the_file_had_asked_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = {"segments.1.1": 15.0, "segments.1.2": 5.0, "segments.8.1": 15.5}
    _, found, _ = decided(tmp_path, monkeypatch, means, most=4096)
    longer = found["close"]
    document = read(write(tmp_path, TINY + CLOSE))
    effort = Effort(longer.runs, RunPlan(jobs=1, out=Path()), watch=lambda _: None)
    at_once = first_looks(document, Runs(means)(document, {}, effort))[2]
    assert at_once.finding == longer.judgement.finding
    assert at_once.repetitions == longer.judgement.repetitions


def test_what_would_take_too_many_runs_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = {"segments.1.1": 15.0, "segments.1.2": 5.0, "segments.8.1": 15.5}
    _, found, _ = decided(tmp_path, monkeypatch, means, most=4096)
    needed = found["close"].runs
    for most in (8, needed // 2):
        runs, few, first = decided(tmp_path, monkeypatch, means, most=most)
        # It may have got some, if the first look asked for fewer than it took.
        asked = first[2].runs_to_decide
        assert asked is not None
        assert (not runs.made) == (asked > most)
        assert all(each.judgement.verdict == "undecided" for each in few.values())
        assert sum(8 * 2**step for step in range(len(runs.made))) + 8 <= most or not runs.made


def test_reports_say_how_many_runs_a_verdict_is_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["reproduce", str(write(tmp_path)), "--out", str(out), "--resume", "--jobs", "2"]
    assert main(command) == 0
    before = json.loads((out / "tiny" / "report.json").read_text())
    cells = {cell["cell"]: cell["ours"] for cell in before["tables"][0]["cells"]}
    # A deviation below the mean: four runs do not show it, some dozens do.
    ours = cells["segments.8.2"]
    bar = f'order = ["{ours["mean"] - ours["sd"]} < segments.8.2"]'
    write(tmp_path, TINY + CLOSE.replace('order = ["segments.8.1 > segments.1.1"]', bar))
    assert main([*command, "--most-runs", "256"]) == 0
    after = json.loads((out / "tiny" / "report.json").read_text())
    assert after["tables"] == before["tables"]  # of the file's runs, as the other claims are
    assert after["claims"][:2] == before["claims"]
    close = after["claims"][2]
    assert close["verdict"] == "reproduced"
    assert close["looks"] > 1
    assert 4 < close["runs_a_point"] <= 256
    looks, runs = close["looks"], close["runs_a_point"]
    words = f"Judged {looks} times; this verdict is from {runs} runs of each"
    assert words in (out / "tiny" / "report.md").read_text()
    rows = {str(each) for each in (out / "tiny" / "runs" / "most-256").rglob("runs.jsonl")}
    assert len(rows) == len(list((out / "tiny" / "runs" / "most-256").iterdir()))
    capsys.readouterr()
    assert main([*command, "--most-runs", "256"]) == 0
    assert "reproduced      close" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--most-runs", "8", "--quick"], "--most-runs adds to full runs; omit --quick"),
        (["--most-runs", "8", "--hunt"], "omit --most-runs"),
        (["--most-runs", "1"], "--most-runs"),
        (["--most-runs", "many"], "--most-runs"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    path = str(write(tmp_path))
    assert main(["reproduce", path, "--out", str(tmp_path / "out"), *words]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
