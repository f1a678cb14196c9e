"""The files and figures of comparisons, and what stands in them."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from comparing import NOISE, OWN, PROTOCOL, goodputs, known, protocols, sweep_of
from hopwright._cli.main import main
from hopwright._io.errors import HopwrightWarning, InputError
from hopwright._schema.settings import named
from hopwright.comparisons import compare_sweep
from hopwright.comparisons.numbers import chance_text, p_cell, percent_text, signed


def test_everything_is_in_the_files(tmp_path: Path) -> None:
    folder = protocols(
        tmp_path / "s", reno=goodputs(200 + NOISE), **{"<b>": goodputs(230 + NOISE + OWN)}
    )
    found = compare_sweep(folder, baseline="reno", keep=True)
    sweep, folder = folder, folder / "against-reno"
    kept = {path.name for path in folder.iterdir()}
    figure = {f"comparison-goodput_bps{suffix}" for suffix in (".svg", ".pdf", ".png", ".csv")}
    assert kept == figure | {"comparison.json", "comparison.txt", "comparison.csv"}
    assert (folder / "comparison.txt").read_text() == str(found)
    read = json.loads((folder / "comparison.json").read_text())
    assert read == json.loads(found.to_json())
    assert read["comparisons"][0]["sentence"] == found.sentences[0]
    assert read["comparisons"][0]["p"] == found.contrasts[0].p
    assert [each["n"] for each in read["variants"]] == [30, 30]
    row = next(csv.DictReader(io.StringIO((folder / "comparison.csv").read_text())))
    assert float(row["difference"]) == known(found.contrasts[0].difference).estimate
    assert found.table.column("wilcoxon_exact").to_pylist() == [True]
    assert "<b>" not in found._repr_html_().replace("<p><b>", "")
    assert "&lt;b&gt;&quot; against reno" in found._repr_html_()

    before = (folder / "comparison.json").read_bytes()
    with pytest.raises(InputError, match="holds the answer to an earlier question; replace"):
        compare_sweep(sweep, baseline="reno", keep=True)
    assert (folder / "comparison.json").read_bytes() == before
    named: dict[str, Any] = {"name": "against-reno", "confidence": 0.9}
    compare_sweep(sweep, baseline="<b>", overwrite=True, **named)
    assert (folder / "comparison.json").read_bytes() != before
    assert "90 % interval" in (folder / "comparison.txt").read_text()


def test_each_question_to_a_sweep_has_a_folder_for_its_answer(tmp_path: Path) -> None:
    folder = protocols(
        tmp_path / "a", reno=goodputs([100, 110, 105]), vegas=goodputs([120, 128, 130])
    )
    before = {path.name for path in folder.iterdir()}
    words = ["compare", "--from", str(folder), "--metric", "goodput_bps"]
    for baseline in ("reno", "vegas"):
        assert main([*words, "--baseline", baseline, "--out", str(tmp_path / baseline)]) == 0
    assert {path.name for path in folder.iterdir()} == before
    for baseline in ("reno", "vegas"):
        told = json.loads((tmp_path / baseline / "comparison.json").read_text())
        assert told["baseline"] == baseline
    again = [*words, "--baseline", "reno", "--out", str(tmp_path / "vegas")]
    assert main(again) == 2
    assert json.loads((tmp_path / "vegas" / "comparison.json").read_text())["baseline"] == "vegas"
    assert main([*again, "--overwrite"]) == 0
    assert json.loads((tmp_path / "vegas" / "comparison.json").read_text())["baseline"] == "reno"
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "mine.txt").write_text("x")
    assert main([*words, "--baseline", "reno", "--out", str(foreign), "--overwrite"]) == 2
    assert [path.name for path in foreign.iterdir()] == ["mine.txt"]
    compare_sweep(folder, baseline="reno", out=tmp_path / "python")
    assert (tmp_path / "python" / "comparison.csv").is_file()


def test_the_figure_shows_the_numbers_of_the_comparison(tmp_path: Path) -> None:
    def data() -> list[dict[str, str]]:
        text = (folder / "question" / "comparison-goodput_bps.csv").read_text()
        return list(csv.DictReader(io.StringIO(text)))

    folder = protocols(
        tmp_path / "a", reno=goodputs([100, 110, 105]), vegas=goodputs([120, 128, 130])
    )
    found = compare_sweep(folder, baseline="reno", metrics=["goodput_bps"], name="question")
    (bar,) = data()
    (contrast,) = found.contrasts
    relative = known(contrast.relative)
    wanted = [relative.estimate, relative.low, relative.high]
    assert [float(bar[end]) for end in ("height", "low", "high")] == pytest.approx(
        [100 * (each or 0) for each in wanted]  # percent
    )
    points = [
        ({"topology.hops": hops, PROTOCOL: protocol}, goodputs([10 * hops, 11 * hops, 13 * hops]))
        for hops in (2, 4)
        for protocol in ("reno", "vegas")
    ]
    folder = sweep_of(tmp_path / "b", points)
    found = compare_sweep(folder, baseline="reno", metrics=["goodput_bps"], name="question")
    rows = data()
    assert [(row["series"], float(row["x"])) for row in rows] == [
        *(("reno", 2), ("reno", 4), ("vegas", 2), ("vegas", 4))
    ]
    groups = sorted(found.groups, key=lambda each: each.variant)
    for row, group in zip(rows, groups, strict=True):
        mean, half = (group.mean or 0) / 1000, (group.half_width or 0) / 1000
        ends = [float(row[end]) for end in ("y", "low", "high")]
        assert ends == pytest.approx([mean, mean - half, mean + half])


def test_a_figure_names_whatever_was_varied(tmp_path: Path) -> None:
    def words(vary: Mapping[str, Sequence[object]], baseline: object) -> str:
        first, second = vary
        settings = [{first: one, second: other} for one in vary[first] for other in vary[second]]
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        runs = [goodputs([100 + n, 110 - n, 107]) for n in range(len(settings))]
        found = compare_sweep(
            sweep_of(folder, list(zip(settings, runs, strict=True))), baseline=baseline
        )
        figure = found.figure()
        assert figure is not None
        svg = figure.svg().decode()
        return "".join("".join(re.findall(r"<text[^>]*>([^<]*)<", svg)).split())

    one = words({PROTOCOL: ["newreno", "tcc"], "mac.backoff": ["beb", "fba"]}, "newreno")
    for name in ("goodput,tccagainstnewreno", "backoffbeb", "backofffba"):
        assert name in one
    several = words({PROTOCOL: ["newreno", "tcc", "sack"], "mac.backoff": ["beb", "fba"]}, "sack")
    for name in ("tcc", "newreno", "goodputagainstsack", "backoffbeb"):
        assert name in several
    numbers = words({"topology.hops": [4, 8], PROTOCOL: ["reno", "vegas"]}, 4)
    for name in ("hops8", "hops4", "vegas", "reno"):
        assert name in numbers
    listed = words({"output.series": [["cwnd"], ["cwnd", "rtt"], []], "x": [[1, 2]]}, ["cwnd"])
    for name in ('series["cwnd","rtt"]', "series[]", "x[1,2]"):
        assert name in listed
    alone = words({"topology.hops": [4, 8, 9], "mac.backoff": ["beb"]}, 4)
    for name in ("hops8", "hops9", "goodputagainsthops4"):
        assert name in alone


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("reno", "reno"),
        ("(reno,beb)", "(reno,beb)"),
        ("(reno,4)", "a,b=(reno,4)"),
        ("8", "a,b=8"),
        ("true", "a,b=true"),
    ],
)
def test_values_that_are_no_names_need_their_keys(value: str, name: str) -> None:
    assert named("a,b", value) == name


def test_a_figure_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    points = [
        ({PROTOCOL: f"p{p}", "topology.kind": kind}, goodputs(200 + p + NOISE[:3]))
        for p in range(11)
        for kind in ("chain", "grid")
    ]
    folder = sweep_of(tmp_path / "s", points)
    with pytest.warns(HopwrightWarning, match="the figure is missing: 10 series in one figure"):
        found = compare_sweep(folder, baseline="p0", keep=True)
    with pytest.raises(InputError, match="10 series"):
        found.figure()
    assert not list(folder.glob("*/comparison-*"))
    assert (folder / "against-p0" / "comparison.json").exists()


def test_labels_that_become_one_are_refused(tmp_path: Path) -> None:
    runs = {name: goodputs([200, 210, 205]) for name in ("reno", "vegas", "sack")}
    found = compare_sweep(protocols(tmp_path / "s", **runs), baseline="reno")
    with pytest.raises(InputError, match="two groups are called 'A'"):
        found.figure(labels={"vegas": "A", "sack": "A"})


def test_a_comparison_without_a_difference_says_why_it_has_no_figure(tmp_path: Path) -> None:
    folder = protocols(tmp_path / "s", reno={1: [{}]}, vegas=goodputs([200, 210]))
    with pytest.warns(HopwrightWarning, match="the figure is missing: no difference of goodput"):
        compare_sweep(folder, baseline="reno", keep=True)


def test_numbers_as_people_read_them() -> None:
    assert [p_cell(p) for p in (1e-9, 0.00012, 0.0312, 0.5, 0.999, 1.0)] == [
        "<0.0001", "0.0001", "0.031", "0.50", "0.99", "1.00",
    ]  # fmt: skip
    assert [chance_text(p) for p in (1e-9, 0.0005, 0.004, 0.031, 0.5, 0.98, 1.0)] == [
        "fewer than 1 of 10,000",
        "fewer than 1 of 1,000",
        "about 4 of 1,000",
        "about 3 of 100",
        "about 50 of 100",
        "about 98 of 100",
        "nearly all",
    ]
    assert signed(-0.004, 1) == "0.0"
    assert percent_text(0.1734, 0.02) == "+17.3 %"
    assert percent_text(0.00012, 0.00005) == "+0.0120 %"
