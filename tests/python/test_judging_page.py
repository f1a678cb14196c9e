"""The programs that write the pages on loss differentiators: what they run and write."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from hopwright.research.judging import judge, read_case
from hopwright.research.judging.folder import write
from hopwright.statistics.means import mean

ROOT = Path(__file__).resolve().parents[2]
VALIDATION = ROOT / "validation"
VERDICT = "(reproduced|same direction|not reproduced)"


def module(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    patch.syspath_prepend(VALIDATION)
    return importlib.import_module(name)


def test_parts_of_a_page_are_replaced_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = module("marked", monkeypatch)
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- end of x -->\nb\n<!-- y --><!-- end of y -->\n")
    marked.fill(page, {"x": "new", "y": "more"})
    marked.fill(page, {"x": "newer"})
    parts = ("<!-- x -->\nnewer\n<!-- end of x -->", "<!-- y -->\nmore\n<!-- end of y -->")
    assert page.read_text() == f"a\n{parts[0]}\nb\n{parts[1]}\n"
    with pytest.raises(ValueError, match="has no place for 'z'"):
        marked.fill(page, {"z": ""})


def test_the_tuning_runs_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = module("welcome_tuning", monkeypatch)
    points = tuning.points_of(tuning.POINTS)
    assert len(points) == tuning.POINTS
    assert all(list(point) == list(tuning.TABLE_5_1) for point in points)
    assert all(p["welcome_growing_samples"] <= p["welcome_window_samples"] for p in points)
    training = {case.name for case in tuning.cases(tuning.TRAINING)}
    held_out = [case.name for case in tuning.held_out_cases(tmp_path)]
    assert len(set(held_out)) == len(held_out) == 11
    assert not training.intersection(held_out)
    seeds = range(tuning.TRAINING_SEED, tuning.TRAINING_SEED + tuning.RUNS)
    assert tuning.HELD_OUT_SEED not in seeds
    lab = tuning.Lab(1)
    case = read_case(f"{ROOT}/scenarios/losses/queue.toml,duration_s=20")
    held = tuning.compare(lab, case, {"same": tuning.TABLE_5_1, "other": points[0]}, 2)
    assert held["same"].goodput.absolute.estimate == 0
    assert held["same"].relative == [0, 0]
    assert held["other"].base_bps == held["same"].base_bps > 0


def test_the_best_point_is_split_into_diagnosis_and_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """RTO_NEW_RTT_SAMPLES is of the response, the other three of table 5.1 of the diagnosis."""
    tuning = module("welcome_tuning", monkeypatch)
    values = [(20, 2.0, 7, 9), (30, 3.0, 8, 2)]
    first, second = (dict(zip(tuning.TABLE_5_1, each, strict=True)) for each in values)
    scores = [tuning.Score(first, goodput=0.1, accuracy=0.2), tuning.Score(second, 0.0, 0.9)]
    choices = tuning.choices_of(scores)
    assert (choices["goodput"], choices["accuracy"]) == (first, second)
    assert list(choices[tuning.DIAGNOSIS].values()) == [20, 2.0, 7, 4]
    assert list(choices[tuning.RESPONSE].values()) == [10, 5.0, 5, 9]


def test_the_tuning_page_says_what_its_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means over all scenarios as in the last row, and over those without a part in training."""
    tuning = module("welcome_tuning", monkeypatch)
    page = (ROOT / "docs" / "welcome-tuning.md").read_text()
    lines = page.partition("<!-- held out -->")[2].partition("<!-- end")[0].splitlines()
    cells = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in lines if line]
    rows = {row[0]: [float(row[n].split()[0]) for n in (3, 5, 7, 8)] for row in cells[2:]}
    stated = rows.pop("mean of all")
    trained = [case.name for case in tuning.cases(tuning.TRAINING)]
    assert list(rows)[: len(trained)] == trained
    new = [values for name, values in rows.items() if name not in trained]
    assert len(new) == 11
    # Cells are rounded to a tenth, or finer.
    assert [mean(values) for values in zip(*rows.values(), strict=True)] == pytest.approx(
        stated, abs=0.055
    )
    names = ["best of goodput", "best of accuracy", "NewReno", "figure 5.8"]
    means = [f"{mean(values):+.1f} %" for values in zip(*new, strict=True)]
    for said, name in zip(means, names, strict=True):
        assert f"{said} ({name})" in page.replace("\n", " ")


def test_the_judged_scenarios_are_there() -> None:
    names = (VALIDATION / "judged-scenarios.txt").read_text().split()
    cases = [read_case(f"{ROOT}/{name}") for name in names]
    assert len({case.name for case in cases}) == 14
    page = (ROOT / "docs" / "judging-differentiators.md").read_text()
    for name in names:
        assert name in page


def test_two_verdicts_on_one_claim_are_explained() -> None:
    page = (ROOT / "docs" / "judging-differentiators.md").read_text()
    other = (ROOT / "docs" / "claims-ghaleb.md").read_text()
    differing = []
    for name in ("link failure", "signal loss", "congestion", "interference"):
        here = re.search(rf"^\| {name} \| {VERDICT} \|", page, re.MULTILINE)
        there = re.search(rf"^\| gha-5.10-\S+ {name} \| {VERDICT} \|", other, re.MULTILINE)
        assert here is not None
        assert there is not None
        differing += [name] if here[1] != there[1] else []
    explained = re.search(r"another rule, and calls \*([a-z ,]+)\* ", page)
    assert explained is not None
    assert differing == explained[1].split(", ")


def test_the_page_shows_what_was_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judging = module("judging", monkeypatch)
    case = read_case(f"{ROOT}/scenarios/losses/queue-and-channel.toml,duration_s=20")
    found = judge([case], ["welcome"], runs=2, errors=[1.0], jobs=1)
    write(tmp_path / "j", found)
    judged = judging.Judged(tmp_path / "j")
    accuracy = found.rows[1].accuracy["contention is load"]
    assert accuracy is not None
    assert f"{accuracy.estimate:.2f} " in judging.accuracies(judged)
    counts = found.rows[1].confusion
    for table in (
        judging.matrix(judged, ["queue-and-channel"], ["welcome"]),
        judging.ghaleb(judged),
    ):
        assert f"| {counts['queue_as_congestion']} |" in table
    kinds = judging.prices(judged)
    assert "| queue-and-channel | congestion | channel |" in kinds
    assert "queue " in judging.lost(judged)
    assert "oracle" in judging.goodputs(judged)
