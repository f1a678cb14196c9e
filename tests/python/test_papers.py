"""`hopwright reproduce`: reports, tables and figures of a paper's file."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.research.papers import RULES, library
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.report import QUICK, overall, show
from hopwright.research.papers.reproduce import Asked, reproduce
from hopwright.sweeps.run_plan import RunPlan
from processes import Hopwright
from tiny_paper import COMPARISON, TINY, write

OF_THREE = TINY.replace("quick_runs = 2", "quick_runs = 3\nquick_duration_s = 2")
"""Two runs say too little of how they vary."""


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    out = folder / "out"
    assert main(["reproduce", str(write(folder)), "--jobs", "2", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def quickly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quick")
    path = write(folder, OF_THREE)
    out = folder / "out"
    assert main(["reproduce", str(path), "--quick", "--jobs", "2", "--out", str(out)]) == 0
    return out


def test_a_file_becomes_reports_tables_and_figures(reproduced: Path) -> None:
    import duckdb

    place = reproduced / "tiny"
    report = json.loads((place / "report.json").read_text())
    assert report["quick"] is False
    assert [claim["verdict"] for claim in report["claims"]] == ["reproduced", "not reproduced"]
    assert report["claims"][1]["because"] == "Nobody measured it."
    cells = {cell["cell"]: cell for cell in report["tables"][0]["cells"]}
    assert cells["balance.8.1"]["ours"] == cells["segments.8.1"]["ours"]
    assert cells["lost.8.1"]["as_printed"] is True
    assert cells["segments.1.2"]["printed"] is None
    assert cells["segments.1.1"]["reference"] == {"mean": 300, "sd": 3, "n": 5}
    slower = {cell["cell"]: cell for cell in report["readings"][0]["cells"]}
    assert list(slower) == ["segments.1.1", "segments.1.2"]
    assert slower["segments.1.1"]["ours"]["mean"] < cells["segments.1.1"]["ours"]["mean"]
    for figure in ("lines", "bars"):
        for suffix in ("svg", "pdf", "png", "csv"):
            assert (place / f"{figure}.{suffix}").stat().st_size > 0
    assert '"limit 8, ours"' in (place / "lines.csv").read_text()
    (falls,) = report["readings"][0]["claims"]
    assert falls["id"] == "falls"
    assert [pair["order"] for pair in falls["pairs"]] == [
        "0.0 < segments.1.2",
        "segments.1.2 < segments.1.1",
    ]
    slow = [slower[name]["ours"]["mean"] for name in ("segments.1.1", "segments.1.2")]
    assert falls["pairs"][1]["difference"]["value"] == pytest.approx(slow[0] - slow[1])
    with duckdb.connect() as database:
        rows = database.execute(f"""
            select reading, hops, "limit", count(*), avg(segments)
            from '{place / "results.parquet"}' group by all order by all
        """).fetchall()
    assert len(rows) == 2 * 2 + 2  # of the other reading only the points that it shows
    assert {row[3] for row in rows} == {4}
    mean = next(row[4] for row in rows if row[:3] == ("as in the file", "1", "1"))
    assert mean == pytest.approx(cells["segments.1.1"]["ours"]["mean"])


def test_reports_say_how_verdicts_come_about(reproduced: Path) -> None:
    text = (reproduced / "report.md").read_text()
    assert RULES.strip() in text
    assert "Written by `hopwright reproduce tiny --out DIR`." in text
    assert "| falls | reproduced | the document's own | More hops, fewer segments. |" in text
    assert "| verdict | the document's own reading | another |" in text
    assert "| reproduced | 1 | 0 |" in text
    assert "- Reading: the document's own" in text
    own = (reproduced / "tiny" / "report.md").read_text()
    assert "4 runs a point, seeds from 1. " in own
    assert "`hopwright reproduce tiny`" in own
    assert QUICK not in own
    assert "Why: Nobody measured it." in own
    assert own.count("segments.1.2 < segments.1.1: sure, difference") == 2
    assert "falls, without a verdict:" in own


def test_quick_runs_are_few_and_short_and_of_one_reading(reproduced: Path, quickly: Path) -> None:
    text = (quickly / "report.md").read_text()
    assert "Written by `hopwright reproduce tiny --quick --out DIR`." in text
    assert text.count(QUICK) == 1
    own = (quickly / "tiny" / "report.md").read_text()
    assert "3 runs a point of 2 s, seeds from 1 (--quick; full: 4 runs)" in own
    assert "`hopwright reproduce tiny --quick`" in own
    assert QUICK in own
    quick, full = (
        json.loads((folder / "tiny" / "report.json").read_text())
        for folder in (quickly, reproduced)
    )
    assert quick["quick"] is True
    assert quick["readings"] == []
    assert len(full["readings"]) == 1
    fewer, more = (report["tables"][0]["cells"][0]["ours"]["mean"] for report in (quick, full))
    assert 0 < fewer < 0.75 * more  # of segments, in a shorter time


def test_quick_runs_are_told_from_those_that_reasons_were_written_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, TINY.replace("runs = 4", "runs = 2"))
    whole = reproduce([read(path)], RunPlan(out=tmp_path / "whole", jobs=2))
    text = overall(whole, RULES)
    assert "Written by `hopwright reproduce tiny --out DIR`." in text
    assert "quick" not in text
    assert main(["reproduce", str(path), "--quick", "--out", str(tmp_path / "quick")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("These are quick runs")
    assert "were written for full runs" in " ".join(printed.split())


def test_a_report_leaves_out_no_paper_of_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = (str(write(tmp_path, name=name)) for name in ("one", "other"))
    out = tmp_path / "out"
    again = ["--quick", "--jobs", "2", "--out", str(out), "--resume"]
    assert main(["reproduce", one, *again]) == 0
    before = (out / "report.md").read_bytes()
    assert main(["reproduce", other, *again]) == 2
    assert "also holds one, which would be missing from the new" in capsys.readouterr().err
    assert (out / "report.md").read_bytes() == before
    assert main(["reproduce", one, other, *again]) == 0
    reports = json.loads((out / "report.json").read_text())["reports"]
    assert [each["id"] for each in reports] == ["one", "other"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12345.6, "12346"),
        (123.45, "123.5"),
        (1.23456, "1.23"),
        (0.12345, "0.123"),
        (0.0123, "0.012"),
        (0.0054321, "0.00543"),
        (-7.6543e-6, "-7.65e-06"),
        (0.0, "0"),
        (None, ""),
    ],
)
def test_numbers_have_three_digits_or_so(value: float | None, text: str) -> None:
    assert show(value) == text


def test_gains_stand_beside_ns2s_one_by_one_and_from_least_to_most(tmp_path: Path) -> None:
    references = "[[300, 3, 5], [150, 2, 5]]"
    text = TINY.replace(
        '{ measure = "segments", at = { limit = "8" } }',
        f'{{ measure = "segments", at = {{ limit = "8" }}, reference = {references} }}',
    )
    text = text.replace("[[300, 3, 5], [150, 2, 5]]", "[[200, 3, 5], [120, 2, 5]]", 1)
    gains = "segments.8.* / segments.1.*"
    text += (
        f'\n[[claims]]\nid = "window"\nsays = "A window helps."\nrule = "gains"\n'
        f'gains = ["{gains}: 1 to 90", "segments.1.1 - segments.1.2: 1 to 9000"]\n'
    )
    reproduce([read(write(tmp_path, text))], RunPlan(out=tmp_path / "out", jobs=2))
    report = json.loads((tmp_path / "out" / "tiny" / "report.json").read_text())
    claim = next(each for each in report["claims"] if each["id"] == "window")
    reference = [each["reference"]["value"] for each in claim["gains"]]
    assert reference == pytest.approx([50, 25, 80])
    ours = [each["ours"]["value"] for each in claim["gains"][:2]]
    lines = (tmp_path / "out" / "tiny" / "report.md").read_text().splitlines()
    row = next(line for line in lines if line.startswith(f"| {gains} |"))
    assert row == f"| {gains} | 1 to 90 % | 25 to 50 | {show(min(ours))} to {show(max(ours))} |"
    line = next(each for each in lines if each.startswith("- segments.8.1 / segments.1.1: "))
    assert ", ns-2 50 (" in line
    slower = report["readings"][0]["claims"]
    assert [each["id"] for each in slower] == ["falls", "window"]
    assert [each["reference"] for each in slower[1]["gains"]] == [None]  # of the reading's cells


def test_a_share_of_nothing_is_no_number_in_a_report(tmp_path: Path) -> None:
    text = TINY.replace(
        'sum = ["mac.failures.data", "mac.failures.ack"]', 'sum = ["losses.node_down"]'
    )
    text += (
        '\n[[claims]]\nid = "none"\nsays = "All of nothing."\nrule = "order"\n'
        'order = ["-50 < lost.8.1 / lost.8.2"]\n'
    )
    reproduce([read(write(tmp_path, text))], RunPlan(out=tmp_path / "out", jobs=2))
    report = json.loads((tmp_path / "out" / "tiny" / "report.json").read_text())
    claim = next(each for each in report["claims"] if each["id"] == "none")
    assert claim["verdict"] == "undecided"
    assert [pair["difference"] for pair in claim["pairs"]] == [None]


def test_a_question_of_ones_own_stands_in_the_reports(tmp_path: Path) -> None:
    path = write(tmp_path, TINY + COMPARISON)
    (result,) = reproduce([read(path)], RunPlan(out=tmp_path / "out", jobs=2), Asked(quick=True))
    text = (tmp_path / "out" / "report.md").read_text()
    assert "## Our own question: limits" not in text.splitlines()  # below its paper
    assert "### Our own question: limits" in text.splitlines()
    assert "Does the window's limit matter?" in text
    assert "| | hops: 1 | hops: 2 | the sum of all |" in text
    row = next(line for line in text.splitlines() if line.startswith("| 8 / 1 |"))
    (reported,) = json.loads((tmp_path / "out" / "report.json").read_text())["reports"]
    (comparison,) = reported["comparisons"]
    assert [each["at"] for each in comparison["compared"]] == [{"hops": "1"}, {"hops": "2"}, None]
    for each in comparison["compared"]:
        assert f", {each['word']} |" in row
    assert len(result.judgements) == 2  # it has no verdict


def test_a_report_says_for_how_many_comparisons_its_words_are_sure(tmp_path: Path) -> None:
    functions = "def number(run):\n    return run.result('goodput_segments') * (run.nodes - 2)\n"
    (tmp_path / "tiny.py").write_text(functions, encoding="utf-8")
    text = TINY.replace('sum = ["goodput_segments"]', 'function = "number"', 1)
    document = read(write(tmp_path, text + COMPARISON))
    reproduce([document], RunPlan(out=tmp_path / "out", jobs=2), Asked(quick=True))
    said = (tmp_path / "out" / "tiny" / "report.md").read_text()
    assert "are sure for all 2 comparisons together" in said
    assert "No test for 1 comparison: the difference is the same in every run." in said


def test_only_its_own_folder_is_gone_on_with(
    quickly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write(tmp_path, OF_THREE))
    before = (quickly / "tiny" / "report.json").read_bytes()
    assert main(["reproduce", path, "--quick", "--out", str(quickly)]) == 2
    assert "has results already; add --resume" in capsys.readouterr().err
    assert main(["reproduce", path, "--resume", "--out", str(quickly)]) == 2
    assert "was begun with --quick; use the same options" in capsys.readouterr().err
    words = ["reproduce", path, "--resume", "--seed", "7", "--out", str(quickly)]
    assert main([*words, "--quick"]) == 2
    assert "was begun without --seed; use the same options" in capsys.readouterr().err
    assert main(words) == 2
    assert "was begun with --quick and without --seed; use" in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    assert main(["reproduce", path, "--out", str(tmp_path / "other")]) == 2
    assert "has other files in it" in capsys.readouterr().err
    assert main(["reproduce", path, "--quick", "--resume", "--out", str(quickly)]) == 0
    assert (quickly / "tiny" / "report.json").read_bytes() == before


def test_other_seeds_are_other_runs(reproduced: Path, tmp_path: Path) -> None:
    out = tmp_path / "seven"
    words = [
        "reproduce",
        str(write(tmp_path, OF_THREE)),
        "--quick",
        "--seed",
        "7",
        "--out",
        str(out),
    ]
    assert main([*words, "--on", "processes:2"]) == 0
    report = json.loads((out / "tiny" / "report.json").read_text())
    assert report["seed"] == 7
    assert "seeds from 7" in (out / "tiny" / "report.md").read_text()
    before = json.loads((reproduced / "tiny" / "report.json").read_text())
    ours = [cell["ours"] for cell in report["tables"][0]["cells"]]
    assert ours != [cell["ours"] for cell in before["tables"][0]["cells"]]
    assert json.loads((out / "report.json").read_text())["seed"] == 7
    assert main([*words, "--resume"]) == 0


def test_readings_can_be_left_out_and_made_later(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["reproduce", str(write(tmp_path, OF_THREE)), "--out", str(out)]
    assert main([*words, "--without-readings"]) == 0
    first = json.loads((out / "tiny" / "report.json").read_text())
    assert first["readings"] == []
    assert {each.name for each in (out / "tiny" / "runs").iterdir()} == {"0", "0-functions"}
    assert main([*words, "--resume"]) == 0
    both = json.loads((out / "tiny" / "report.json").read_text())
    assert [each["id"] for each in both["readings"]] == ["slower"]
    assert both["claims"] == first["claims"]


def test_a_file_without_results_of_runs_is_reported_all_the_same(tmp_path: Path) -> None:
    at = 'function = "column_at"\nwith = { column = "acked_segments", at_s = 2 }'
    text = TINY.replace('sum = ["goodput_segments"]', at)
    text = text.replace(
        'sum = ["mac.failures.data", "mac.failures.ack"]', 'function = "recoveries"'
    )
    text = text.replace('sum = ["goodput_segments", "goodput_segments", "-goodput_segments"]', at)
    text = text.partition("[[figures]]")[0]
    out = tmp_path / "out"
    words = ["reproduce", str(write(tmp_path, text)), "--quick", "--out", str(out)]
    assert main(words) == 0
    assert {path.name for path in (out / "tiny").iterdir()} == {
        "report.json",
        "report.md",
        "results.parquet",
        "runs",
    }
    assert [each.name for each in (out / "tiny" / "runs").iterdir()] == ["0-functions"]


def test_a_measure_that_there_is_not_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TINY.replace('sum = ["goodput_segments"]', 'function = "path_failure"')
    out = tmp_path / "out"
    assert main(["reproduce", str(write(tmp_path, text)), "--quick", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "did you mean 'path_failures'?" in said
    assert "--resume" not in said
    assert not out.exists()


def test_interrupted_between_sweeps_it_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    out, documents = tmp_path / "out", [read(write(tmp_path))]
    with monkeypatch.context() as changed:
        changed.setattr("hopwright.research.papers.reproduce.draw", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            reproduce(documents, RunPlan(out=out), Asked(quick=True))
    assert caught.value.__notes__ == [
        f"the finished runs are kept in {out}; continue with resume=True"
    ]
    (result,) = reproduce(documents, RunPlan(out=out, resume=True), Asked(quick=True))
    assert result.is_quick


def test_interrupted_within_a_sweep_a_program_is_told_its_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hopwright.sweeps.perform.execute", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        reproduce([read(write(tmp_path))], RunPlan(out=tmp_path / "out"), Asked(quick=True))
    (note,) = caught.value.__notes__
    assert "; go on with resume=True" in note


def test_runs_of_another_program_are_refused_without_the_advice_to_resume(tmp_path: Path) -> None:
    out, documents = tmp_path / "out", [read(write(tmp_path))]
    reproduce(documents, RunPlan(out=out), Asked(quick=True))
    for plan in out.rglob("sweep.json"):
        plan.write_text(plan.read_text().replace('"build": "', '"build": "0'))
    with pytest.raises(InputError, match="holds a sweep that was asked for otherwise") as caught:
        reproduce(documents, RunPlan(out=out, resume=True), Asked(quick=True))
    assert not getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize(
    ("words", "ran"), [([], ["b"]), (["--all"], ["a", "b"]), (["a"], ["a"]), (["*"], ["a", "b"])]
)
def test_long_ones_are_run_where_they_are_asked_for(
    words: list[str],
    ran: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path, TINY.replace("runs = 4", "runs = 4\nlong = true"), "a")
    write(tmp_path, name="b")
    seen: list[str] = []

    def note(documents: list[Document], *_: object, **__: object) -> list[object]:
        seen.extend(document.id for document in documents)
        return []

    monkeypatch.setattr("hopwright.research.papers.library.FOLDER", tmp_path)
    monkeypatch.setattr("hopwright.research.papers.library.chosen.__defaults__", (tmp_path,))
    monkeypatch.setattr("hopwright.research.papers.reproduce.reproduce", note)
    assert main(["reproduce", *words, "--out", str(tmp_path / "out")]) == 0
    assert seen == ran
    assert ("left out, because it takes long: a" in capsys.readouterr().out) == (words == [])


def test_the_list_has_ids_titles_claims_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    printed = capsys.readouterr().out
    for path in library.every().values():
        document: Document = read(path)
        assert f"{document.id}\n" in printed
        for each in document.claims:
            assert f"    {each.id}: " in printed.replace("\n      ", " ")
    assert RULES in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pap-9"], "no paper called 'pap-9'"),
        (["", "--quick", "--out", "none"], "a name is empty; --list"),
        (["pap-3.6-tabel3.7"], "did you mean 'pap-3.6-table3.7'?"),
        (["none.toml"], "none.toml: does not exist; name a paper"),
        ([], "--out is missing"),
        (["--list", "--quick"], "--list runs nothing; omit --quick"),
        (["--list", "--all"], "--list runs nothing; omit --all"),
        (["--list", "--seed", "0"], "--list runs nothing; omit --seed"),
        (["--list", "--most-runs", "9"], "--list runs nothing; omit --most-runs"),
        (
            ["zhou-7", "--out", "none", "--on", "nowhere"],
            "nowhere: is not a place to run; write threads",
        ),
        (["zhou-7", "--out", "none", "--on", "processes:2", "--jobs", "2"], "omit --jobs"),
        (["--all", "pap-3.6"], "--all runs every paper; omit the IDs"),
        (["--quik"], "unknown option '--quik'; did you mean '--quick'?"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *words]) == 2
    assert message in capsys.readouterr().err
    assert not Path("none").exists()


def test_figures_of_quick_runs_say_so(tmp_path: Path) -> None:
    path, out = str(write(tmp_path, OF_THREE)), tmp_path / "out"
    assert main(["reproduce", path, "--quick", "--out", str(out)]) == 0
    texts = [each.text for each in ET.parse(out / "tiny" / "bars.svg").iter() if each.text]
    assert "segments (--quick: 3 runs a point of 2 s)" in " ".join(texts)


def test_files_that_are_reported_beside_each_other_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(write(tmp_path, name=name)) for name in ("first", "second")]
    said, files = [], []
    for jobs in ("1", "2"):
        out = tmp_path / f"out-{jobs}"
        assert main(["reproduce", *words, "--quick", "--jobs", jobs, "--out", str(out)]) == 0
        said.append(capsys.readouterr().out.replace(str(out), "out"))
        told = [each for each in out.rglob("*") if each.is_file() and "runs" not in each.parts]
        files.append({each.relative_to(out): each.read_bytes() for each in told})
    assert said[0] == said[1]
    assert files[0] == files[1]
    assert Path("second", "bars.pdf") in files[0]


def test_a_report_that_cannot_be_written_beside_others_is_told(
    tmp_path: Path, hopwright: Hopwright
) -> None:
    papers = [str(write(tmp_path, name=name)) for name in ("first", "second")]
    out = tmp_path / "out"
    words = ["reproduce", *papers, "--quick", "--jobs", "2", "--out", str(out)]
    (out / "first" / "report.md").mkdir(parents=True)
    (out / "reproduce.json").write_text('{"quick": true, "seed": null}', encoding="utf-8")
    told = hopwright(*words, "--resume")
    assert told.returncode == 1
    first, second = told.stderr.splitlines()
    assert first.endswith("-> 'report.md'")
    assert second == f"the finished runs are kept in {out}; continue with --resume"
