"""What a paper's file may say; that the project's files hold together."""

import importlib
import math
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

from hopwright import _core
from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.research.papers import calling, functions, library, series
from hopwright.research.papers.claims import Compound, Gain, Order
from hopwright.research.papers.comparisons import compared
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.drawing import draw
from hopwright.research.papers.gains import gain
from hopwright.research.papers.measured import Effort, Measured, measure
from hopwright.research.papers.points import check_points, overrides, source_of
from hopwright.sweeps.run_plan import RunPlan
from processes import Hopwright
from tiny_paper import COMPARISON, TINY, write

FILES = list(library.every().values())
FLOWS = functions.defined(importlib.import_module("hopwright.research.papers.functions.flows"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_point_of_every_file_is_a_scenario(path: Path) -> None:
    document = read(path)
    source = source_of(document)
    for more in [{}, *(dict(reading.keys) for reading in document.readings)]:
        for point in document.points():
            scenario = source.load(overrides(point, more))
            assert scenario.flow_count >= 1


def short(document: Document) -> float:
    """Seconds of a run that all flows have begun in, and that sees all events.

    Long enough, too, for something to divide by where measures are quotients, and for the parts of
    runs that measures name.
    """
    text = source_of(document).text
    scenario = tomllib.loads(text)
    flows, events = scenario["flows"], scenario.get("events", [])
    assert isinstance(flows, list)
    assert isinstance(events, list)
    times = [flow.get("start_s", 0.0) for flow in flows if isinstance(flow, dict)]
    times += [event["at_s"] for event in events if isinstance(event, dict)]
    settings = [setting for axis in document.axes for setting in axis.settings]
    varied = [(key, value) for setting in settings for key, value in setting.keys.items()]
    times += [value for key, value in varied if key.endswith(".at_s")]
    changes = [each for key, value in varied if key.endswith(".changes") for each in entries(value)]
    times += [each["at_s"] for each in changes]
    quotients = any(each.per or each.is_share for each in document.measures.values())
    least = 30.0 if quotients else 0.0
    for each in document.measures.values():
        given = {key: v for key, v in each.arguments.items() if isinstance(v, (int, float))}
        if each.function in ("joules_per_segment", "segments_sent_per_second_in"):
            least = 100.0  # of one flow alone
        if each.function == "jain":
            least = max(least, sum(given.values()))
        elif each.function in FLOWS or "relay" in each.function or "to_s" in given:
            least = max(least, *(v for key, v in given.items() if key.endswith("_s")))
    return max(least, 3 + max(time for time in times if isinstance(time, (int, float))))


def entries(value: object) -> list[dict[str, float]]:
    """The tables of a list of tables."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_measure_of_every_file_is_a_result(path: Path, tmp_path: Path) -> None:
    document = read(path)
    check_points(document, {})
    if any(each.needs_kernel for each in document.emulations.values()):
        calling.check(document)
        return  # it takes real time: test_papers_emulated.py
    effort = Effort(1, RunPlan(jobs=2, out=tmp_path / "runs"), watch=lambda _part: None)
    measured = measure(document, {"duration_s": short(document)}, effort)
    for cell in document.cells.values():
        assert all(map(math.isfinite, measured.of(cell)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_curve_of_every_file_can_be_drawn(path: Path) -> None:
    document = read(path)
    for drawing in document.drawings:
        if drawing.kind == "series":
            keys = {**series.recorded_keys(), "duration_s": short(document) + 1}
            scenario = source_of(document).load(overrides(document.points()[0], keys))
            sums = [drawing.terms] if drawing.terms else [((1, name),) for name in drawing.each]
            for curve in series.curves(scenario, sums, seed=1, interval_s=0.1, average=3):
                assert len(curve.values) > 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_has_a_claim_on_every_printed_table(path: Path) -> None:
    document = read(path)
    claimed = {cell for claim in document.claims for cell in claim.cells}
    for table in document.tables:
        printed = {cell.id for row in table.rows for cell in row if cell.printed is not None}
        assert not printed or printed & claimed, table.id


def test_ns2_numbers_in_the_files_are_those_of_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(library.FOLDER.parents[1] / "validation" / "ns2")
    fill = importlib.import_module("fill")
    for path in FILES:
        assert fill.filled(read(path)) == path.read_text(encoding="utf-8"), (
            f"{path.name}: python validation/ns2/fill.py renews it"
        )


# What a file may say


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "quick_runs = 2",
            "quick_runs = 2\nquick_duration_s = 0",
            "tiny.toml:8: quick_duration_s = 0: write a number above 0",
        ),
        (
            "quick_runs = 2",
            "quick_run = 2",
            "no key called 'quick_run'; did you mean 'quick_runs'?",
        ),
        ('kind = "count"', 'kind = "counts"', "kind = 'counts'; did you mean 'count'?"),
        ('columns = "hops"', 'columns = "hop"', "no axis called 'hop'; did you mean 'hops'?"),
        ('at = { limit = "1" }', 'at = { limits = "1" }', "'limits'; did you mean 'limit'?"),
        ("printed = [300, nan]", "printed = [300]", "printed: 1 number, but 2 columns"),
        ("[[300, 3, 5], [150, 2, 5]]", "[[300, 3, 5]]", "1 value in reference, not 2"),
        ("[300, 3, 5]", "[300, 3]", "write [mean, standard deviation, runs]"),
        ("segments.1.1 > segments.1.2", "segments.1.1 > segment.1.2", "'segments.1.2'?"),
        ("segments.1.1 > segments.1.2 > 0", "1 > 0", "one side of each pair must be a cell"),
        ('cells = ["lost.*"]', 'cells = ["loss.*"]', "no cell called 'loss.*'"),
        (
            'cells = ["lost.*"]',
            'cells = ["lost.*", "balance.*"]',
            "tiny.toml:79: [[claims]] lost: cells: 'balance.*' has no printed number",
        ),
        (
            'cells = ["lost.*"]',
            'cells = ["segments.1.2"]',
            "[[claims]] lost: cells: 'segments.1.2' has no printed number",
        ),
        (
            'set = { "mac.data_rate_mbps" = 1 }',
            'set = { "topology.hops" = 3 }',
            "[[readings]] slower: sets topology.hops, but [[vary]] also sets it; only one may",
        ),
        (
            'sum = ["mac.failures.data", "mac.failures.ack"]',
            'sum = ["losses.node_down|losses.node_dwn"]',
            "tiny.toml:37: [[measures]] lost: no result called 'losses.node_dwn'",
        ),
        (
            'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]',
            'rule = "order"',
            "order is",
        ),
        ('"flows.0.to" = 1 } }', '"flows.0.from" = 1 } }', "sets other keys than"),
        ("values = [1, 8]", 'values = [1, 8]\nlabels = ["a"]', "2 values, but 1 label:"),
        ('x = "hops"', 'x = "limits"', "no axis called 'limits'; did you mean 'limit'?"),
        ('kind = "lines"', 'kind = "line"', "kind = 'line'; did you mean 'lines'?"),
        ("runs = 4", "runs = 1", "write a whole number, at least 2"),
        ('id = "falls"', 'id = "lost"', "[[claims]]: the name 'lost' is there twice"),
        ("runs = 4", "runs = ", "Invalid value"),
        ("runs = 4", 'runs = 4\nlong = "yes"', "long = 'yes': write true or false"),
        (
            'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]',
            'rule = "gains"',
            "gains: needed with rule = 'gains' or 'some runs'",
        ),
        (
            'rule = "order"',
            'rule = "gains"\ngains = ["lost.8.1 / lost.8.2: 0 to 1"]',
            "order: not allowed with",
        ),
        *(
            (
                'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]',
                f'rule = "gains"\ngains = ["{wrong}"]',
                message,
            )
            for wrong, message in [
                ("segments.1.1 / segments.1.2: 5", "write it as 'a / b: 5 to 12'"),
                (
                    "segments.1.1 / segments.1.2: 12 to 5",
                    "the smaller number comes first: write '5 to 12'",
                ),
                ("segments.1.1: 5 to 12", "write it as 'a / b: 5 to 12'"),
                ("segments.1.1 / segments.1.2: at least", "about 5', 'at least 5', 'at most 5'"),
                ("segments.1.1 / segments.1.2: at best 5", "about 5', 'at least 5', 'at most 5'"),
                ("segments.1.1 / segments.1.2: 5 to inf", "about 5', 'at least 5', 'at most 5'"),
                ("segments.1.1 / segment.1.2: 5 to 12", "no cell called 'segment.1.2'"),
                ("segments.1.1 / 3: 5 to 12", "both sides must be cells"),
                ("segments.*.1 / segments.1.2: 5 to 12", "write one star on each side"),
                ("segment.*.1 / segment.*.2: 5 to 12", "no cell called 'segment.*.1'"),
                ("segments.*.1 / segment.*.2: 5 to 12", "no cell called 'segment.1.2'"),
            ]
        ),
    ],
)
def test_a_wrong_file_is_refused_with_what_would_be_right(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in TINY
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, TINY.replace(old, new, 1)))
    assert message in str(caught.value)
    assert str(tmp_path / "tiny.toml") in str(caught.value)


SETTINGS = """
[[claims]]
id = "as printed"
says = "Settings."
rule = "settings"
[claims.settings]
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '"mac.cw_mn" = 31',
            "no key of a scenario is called 'mac.cw_mn'; did you mean 'mac.cw_min'",
        ),
        ('"flows.0.to" = 2', "is called 'flows.0.to'; did you mean 'flows.to'?"),
        (
            "mac = { cw_min = 31 }",
            'write each of its keys in full and in quotation marks, such as "mac.cw_min"',
        ),
    ],
)
def test_a_setting_that_no_scenario_has_is_refused(tmp_path: Path, line: str, message: str) -> None:
    text = f'{TINY}{SETTINGS}"links.changes.at_s" = 3\n{line}\n'
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert message in str(caught.value)
    place = f"{path}:{len(text.splitlines())}: [[claims]] as printed: settings: "
    assert str(caught.value).startswith(place)


def test_a_claim_about_no_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="as printed: settings: write keys of the scenario"):
        read(write(tmp_path, TINY + SETTINGS))


def test_a_duration_that_is_varied_has_no_quick_one(tmp_path: Path) -> None:
    text = TINY.replace("quick_runs = 2", "quick_runs = 2\nquick_duration_s = 2")
    text = text.replace("flows.transport.window_limit_segments", "duration_s", 1)
    message = r"tiny.toml:8: quick_duration_s: \[\[vary\]\] already sets duration_s; omit one"
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, text))


SERIES = """
[[figures]]
id = "curves"
kind = "series"
title = "segments"
y_label = "segments"
by = "hops"
at = { limit = "8" }
each = ["sent_segments", "acked_segments"]
from_s = 1
to_s = 2
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('each = ["sent_segments", "acked_segments"]', "", "give either sum or each"),
        ("each =", 'sum = ["srtt_s"]\neach =', "give either sum or each"),
        ('at = { limit = "8" }', "", "limit is missing"),
        ('at = { limit = "8" }', 'at = { limit = "9" }', "limit = '9'"),
        ("from_s = 1", "from_s = 2", "write a time before to_s = 2"),
        ("from_s = 1", "from_s = -1", "write a number, 0 or more"),
    ],
)
def test_a_wrong_recipe_of_curves_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SERIES
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, TINY + SERIES.replace(old, new, 1)))
    assert message in str(caught.value)


def test_curves_of_several_columns_are_of_the_time_that_is_asked_for(tmp_path: Path) -> None:
    document = read(write(tmp_path, TINY + SERIES))
    drawing = document.drawings[-1]
    effort = Effort(2, RunPlan(jobs=2, out=tmp_path / "runs"), watch=lambda _part: None)
    draw(document, drawing, measure(document, {}, effort)).save(tmp_path / "curves")
    text = (tmp_path / "curves.csv").read_text()
    for label in ("1, sent", "1, acked", "2, sent", "2, acked"):
        assert label in text
    times = {float(x) for line in text.splitlines() for x in line.split(",") if is_time(x)}
    assert min(times) == pytest.approx(1)


def is_time(text: str) -> bool:
    try:
        return 0 < float(text) <= 3
    except ValueError:
        return False


def test_gains_with_a_star_are_one_for_each(tmp_path: Path) -> None:
    old = 'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]'
    new = 'rule = "gains"\ngains = ["segments.1.* / lost.8.*: -5 to 12"]'
    assert read(write(tmp_path, TINY.replace(old, new))).claims[0].gains == (
        Gain("segments.1.1", "lost.8.1", -5, 12, of="segments.1.* / lost.8.*"),
        Gain("segments.1.2", "lost.8.2", -5, 12, of="segments.1.* / lost.8.*"),
    )


def test_gains_may_be_differences_of_cells(tmp_path: Path) -> None:
    old = 'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]'
    new = 'rule = "gains"\ngains = ["segments.1.1 - segments.1.2: 1 to 3"]'
    assert read(write(tmp_path, TINY.replace(old, new))).claims[0].gains == (
        Gain("segments.1.1", "segments.1.2", 1, 3, is_difference=True),
    )


def test_a_gain_may_have_one_end_only(tmp_path: Path) -> None:
    old = 'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]'
    gains = [
        f"segments.1.1 {pair}"
        for pair in ("/ segments.1.2: at least -5", "- segments.1.2: at most 3")
    ]
    new = f'rule = "gains"\ngains = {gains}'
    found = read(write(tmp_path, TINY.replace(old, new))).claims[0].gains
    assert found == (
        Gain("segments.1.1", "segments.1.2", -5, math.inf),
        Gain("segments.1.1", "segments.1.2", -math.inf, 3, is_difference=True),
    )
    assert [each.stated for each in found] == ["at least -5 %", "at most 3"]


GAINS = 'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]'


def test_the_largest_and_the_least_gain_are_of_all_that_stars_stand_for(tmp_path: Path) -> None:
    stated = [
        "most of segments.*.1 / segments.*.2: 5 to 12",
        "least of lost.8.2 - *.8.2: at most 3",
    ]
    text = TINY.replace(GAINS, f'rule = "gains"\ngains = {stated}')
    most, least = read(write(tmp_path, text)).claims[0].gains
    assert most.pairs == (("segments.1.1", "segments.1.2"), ("segments.8.1", "segments.8.2"))
    others = ("segments.8.2", "balance.8.2", "idle.8.2")
    assert least.pairs == tuple(("lost.8.2", each) for each in others)
    assert [str(each) for each in (most, least)] == [
        "most of segments.*.1 / segments.*.2: 5 to 12 %",
        "least of lost.8.2 - *.8.2: at most 3",
    ]


def test_orders_compare_sums_and_gains(tmp_path: Path) -> None:
    stated = ["sum of segments.*.1 / lost.8.1 > segments.1.2 / segments.8.2 > 5"]
    text = TINY.replace(GAINS, f'rule = "order"\norder = {stated}')
    claim = read(write(tmp_path, text)).claims[0]
    low, high = claim.orders[1].low, claim.orders[1].high
    assert isinstance(low, Compound)
    assert isinstance(high, Compound)
    assert (low.above, low.below) == (("segments.1.2",), ("segments.8.2",))
    assert (high.above, high.below) == (("segments.1.1", "segments.8.1"), ("lost.8.1",))
    assert str(claim.orders[0]) == "5.0 < segments.1.2 / segments.8.2"
    assert set(claim.names) == {*low.above, *low.below, *high.above, *high.below}


@pytest.mark.parametrize(
    ("rule", "stated", "message"),
    [
        (
            "gains",
            "most of segments.1.1 / segments.1.2: 1 to 2",
            "the same number of stars on both sides",
        ),
        (
            "gains",
            "least of s*.*.1 / segments.*.2: 1 to 2",
            "the same number of stars on both sides",
        ),
        ("gains", "most of segment.*.1 / segments.1.2: 1 to 2", "no cell called 'segment.*.1'"),
        ("gains", "most of segments.*.1 / segment.*.1: 1 to 2", "no cell called 'segment.1.1'"),
        ("order", "sum of segment.* > 3", "no cell called 'segment.*'"),
        ("order", "segments.1.1 / 3 > 3", "both sides of a gain must be cells"),
        (
            "every run",
            "segments.1.1 / segments.1.2 > 3",
            "gains ('a / b') are not allowed with rule = 'every run'",
        ),
        ("some runs", "most of s*.*.1 / s*.*.2: 1 to 2", "are not allowed with rule = 'some runs'"),
    ],
)
def test_wrong_sums_and_gains_are_refused(
    tmp_path: Path, rule: str, stated: str, message: str
) -> None:
    key = "gains" if rule in ("gains", "some runs") else "order"
    text = TINY.replace(GAINS, f'rule = "{rule}"\n{key} = ["{stated}"]')
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, text))
    assert message in str(caught.value)


def test_a_measure_may_be_of_one_flow_and_a_quotient(tmp_path: Path) -> None:
    flows = "flows = [{ from = 0, to = 2 }, { from = 2, to = 0 }]"
    twice = (
        TINY.replace("flows = [{ from = 0, to = 2 }]", flows)
        .replace('"flows.0.to" = 1 }', '"flows.0.to" = 1, "flows.1.from" = 1 }')
        .replace('"flows.0.to" = 2 }', '"flows.0.to" = 2, "flows.1.from" = 2 }')
    )
    old = 'sum = ["goodput_segments"]\n'

    def values(name: str, more: str) -> list[float]:
        document = read(write(tmp_path, twice.replace(old, f"{old}{more}\n", 1)))
        effort = Effort(2, RunPlan(jobs=2, out=tmp_path / name), watch=lambda _part: None)
        at = {"hops": "2", "limit": "8"}
        return list(measure(document, {}, effort, ["segments.8.2"]).at(at, "segments"))

    both, first, second = values("all", ""), values("0", "flow = 0"), values("1", "flow = 1")
    assert both == [a + b for a, b in zip(first, second, strict=True)]
    assert first != second
    sent = 'per = ["segments_sent", "-retransmissions"]'
    shares = values("share", f"flow = 1\n{sent}")
    assert all(0.8 < share <= 1 for share in shares)
    assert values("both", sent) != shares
    with pytest.raises(InputError, match="flow = 2: there are only flows 0 to 1"):
        values("2", "flow = 2")
    with pytest.raises(InputError, match=r"goodput_bps is 0 in a run \(.*, seed 1\)$"):
        values("none", 'per = ["goodput_bps", "-goodput_bps"]')
    with pytest.raises(InputError, match="no result called 'segment_sent'"):
        values("wrong", 'per = ["segment_sent"]')


def test_labels_are_compared_at_each_point_and_over_all(tmp_path: Path) -> None:
    document = read(write(tmp_path, TINY + COMPARISON))
    effort = Effort(4, RunPlan(jobs=2, out=tmp_path / "runs"), watch=lambda _part: None)
    measured = measure(document, {}, effort)
    values = {
        limit: [measured.at({"hops": hops, "limit": limit}, "segments") for hops in ("1", "2")]
        for limit in ("1", "8")
    }
    found = compared(document, document.comparisons[0], measured)
    assert [each.at for each in found] == [{"hops": "1"}, {"hops": "2"}, None]
    assert [(each.this, each.against) for each in found] == [("8", "1")] * 3
    for place, each in enumerate(found[:2]):
        assert each.gain == gain(values["8"][place], values["1"][place])
    added = {limit: [sum(run) for run in zip(*runs, strict=True)] for limit, runs in values.items()}
    assert found[2].gain == gain(added["8"], added["1"])
    assert [each.word for each in found] == [
        "not told apart" if each.p is None or each.p >= 0.05 else each.word for each in found
    ]


@pytest.mark.parametrize(
    ("high", "word", "p"),
    [
        ([110.0, 111.0, 112.0, 110.0], "above", 2),  # Holm: the least p counts twice
        ([90.0, 91.0, 92.0, 90.0], "below", 2),
        ([90.0, 111.0, 95.0, 108.0], "not told apart", 2),
        ([101.0, 102.0, 103.0, 104.0], "not told apart", None),  # no scatter to test against
    ],
)
def test_words_of_comparisons_are_holms(
    tmp_path: Path, high: list[float], word: str, p: int | None
) -> None:
    more = COMPARISON.replace('these = ["8"]', 'these = ["8", "9"]')
    values = TINY.replace("values = [1, 8]", "values = [1, 8, 9]")
    document = read(write(tmp_path, values + more))
    base, unsure = [100.0, 101.0, 102.0, 103.0], [100.0, 102.0, 102.0, 102.0]
    by_limit = {"1": base, "8": high, "9": unsure}
    axes = tuple(axis for axis in document.axes if axis.name == "limit")
    measured = Measured(axes, (1, 2, 3, 4), {(k,): {"segments": v} for k, v in by_limit.items()})
    first, second = compared(replace(document, axes=axes), document.comparisons[0], measured)
    assert first.at == second.at == {}
    assert first.word == word
    assert second.word == "not told apart"
    if p is None:
        assert first.p is None
    else:
        alone = float(stats.ttest_rel(high, base).pvalue)
        assert first.p == pytest.approx(min(1, p * alone), rel=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('axis = "limit"', 'axis = "limits"', "no axis called 'limits'; did you mean 'limit'?"),
        ('these = ["8"]', 'these = ["9"]', "no label '9'"),
        ('these = ["8"]', 'these = ["1"]', "'1' is there twice"),
        ('measure = "segments"', 'measure = "segment"', "did you mean 'segments'?"),
        ("asks", "says", "no key called 'says'"),
    ],
)
def test_a_wrong_comparison_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in COMPARISON
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, TINY + COMPARISON.replace(old, new, 1)))
    assert message in str(caught.value)


def test_a_measure_of_no_result_is_refused_with_the_nearest(tmp_path: Path) -> None:
    text = TINY.replace('sum = ["goodput_segments"]', 'sum = ["goodput_segment"]', 1)
    effort = Effort(2, RunPlan(jobs=1, out=tmp_path / "runs"), watch=lambda _part: None)
    with pytest.raises(InputError, match="did you mean 'goodput_segments'"):
        measure(read(write(tmp_path, text)), {}, effort)


def test_orders_are_pairs_of_neighbours_from_low_to_high(tmp_path: Path) -> None:
    claim = read(write(tmp_path)).claims[0]
    assert claim.orders == (Order(0.0, "segments.1.2"), Order("segments.1.2", "segments.1.1"))


def test_a_claim_about_numbers_counts_those_that_are_printed(tmp_path: Path) -> None:
    half = TINY.replace("printed = [0, 1000]", "printed = [nan, 1000]")
    more = TINY.replace('cells = ["lost.*"]', 'cells = ["lost.*", "segments.*"]\ntolerance = 0.2')
    said = [
        next(claim for claim in read(write(tmp_path, text)).claims if claim.id == "lost").in_words
        for text in (TINY, half, more)
    ]
    assert said == [
        "A thousand are lost. (Judged: its 2 printed numbers.)",
        "A thousand are lost. (Judged: its printed number.)",
        "A thousand are lost. (Judged: its 3 printed numbers within 20 %.)",
    ]


def test_a_scenario_of_its_own_file_is_read_relative_to_the_paper(tmp_path: Path) -> None:
    start, rest = TINY.split("[scenario]")
    scenario, rest = rest.split("[[vary]]", 1)
    write(tmp_path, scenario, "string")
    text = f'{start}[scenario]\nfile = "string.toml"\n\n[[vary]]{rest}'
    document = read(write(tmp_path, text))
    assert source_of(document).load(overrides(document.points()[0], {})).node_count == 2


def test_files_are_found_by_name_beginning_pattern_and_path(tmp_path: Path) -> None:
    for name in ("a-1", "a-2", "b-1"):
        write(tmp_path, name=name)

    def stems(words: list[str]) -> list[str]:
        return [path.stem for path in library.chosen(words, tmp_path)]

    assert stems(["b-1"]) == ["b-1"]
    assert stems(["a"]) == ["a-1", "a-2"]
    assert stems(["*-1", "a"]) == ["a-1", "b-1", "a-2"]
    assert stems([]) == ["a-1", "a-2", "b-1"]
    assert stems([str(tmp_path / "b-1.toml")]) == ["b-1"]
    with pytest.raises(InputError, match="no paper called 'b-2'; did you mean 'b-1'"):
        stems(["b-2"])
    with pytest.raises(InputError, match="has no papers"):
        library.every(tmp_path / "none")


def test_papers_come_with_the_package(tmp_path: Path) -> None:
    """As a wheel has it, in a folder of its own: every file, and every file that they name."""
    root = Path(__file__).parents[2]
    package = tmp_path / "site" / "hopwright"
    shutil.copytree(root / "python" / "hopwright", package, symlinks=True)
    (package / "scenarios").unlink()  # a link; what it leads to is named one by one
    # The tests' build of the extension lies elsewhere than the Python files.
    shutil.copy(_core.__file__, package)
    about = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["maturin"]
    for each in about["include"]:
        for file in (root / "python").glob(each["path"]) if "wheel" in each["format"] else ():
            place = package.parent / file.relative_to(root / "python")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    program = """\
import hopwright
from hopwright.research.papers import calling, library
from hopwright.research.papers.document import read
from hopwright.research.papers.points import check_points, overrides, source_of

for path in library.every().values():
    document = read(path)
    calling.check(document)
    source = source_of(document)
    for more in [{}, *(dict(reading.keys) for reading in document.readings)]:
        source.load(overrides(document.points()[0], more))
print(hopwright.__file__, len(library.every()))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(package.parent), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == [str(package / "__init__.py"), str(len(FILES))]


def test_papers_are_found_from_any_folder(hopwright: Hopwright, tmp_path: Path) -> None:
    done = hopwright("reproduce", "--list")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"\n{path.stem}\n" in f"\n{done.stdout}" for path in FILES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'key = "flows.transport.window_limit_segments"',
            'key = "flows.transport.window_limit"',
            " --> {path}:28: flows.transport.window_limit=1 (hops 1, limit 1)",
        ),
        (
            '"flows.0.to" = 2 }',
            '"flows.0.to" = 9 }',
            " --> {path}:21: flows.0.to=9 (hops 2, limit 1)",
        ),
        ("hops = 2 }", "hops = 2, spacing_m = 400 }", " --> {path}:21: flows.0.to=1 (hops 1, "),
        ("duration_s = 3", 'duration_s = "3"', " --> {path}:14: [scenario] (hops 1, limit 1)"),
        ("duration_s = 3", "", " --> {path}:12: [scenario] (hops 1, limit 1)"),
        (
            "to = 2 }]",
            "to = 2 }]\n[[scenario.events]]\nnode = 9\nat_s = 1\ndo = 'down'",
            " --> {path}:18: [scenario] (hops 1, limit 1)",
        ),
        (
            '"mac.data_rate_mbps" = 1',
            '"mac.data_rate" = 1',
            " --> {path}:70: mac.data_rate=1 (reading slower, hops 1, limit 1)",
        ),
        (
            'sum = ["goodput_segments"]',
            'sum = ["goodput_segments"]\nflow = 1',
            "{path}:31: [[measures]] segments: flow = 1: there are only flows 0 to 0",
        ),
        (
            'sum = ["goodput_segments"]',
            'sum = ["energy.radio_j"]',
            "{path}:31: [[measures]] segments: energy.radio_j: no run would have it; set",
        ),
    ],
)
def test_what_no_run_can_be_made_of_is_told_with_its_line_before_any_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    assert old in TINY
    path, out = write(tmp_path, TINY.replace(old, new, 1)), tmp_path / "out"
    assert main(["reproduce", str(path), "--quick", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert message.format(path=path) in said
    assert " | " not in said
    assert not out.exists()


def test_an_axis_that_changes_nothing_is_refused_before_any_run(tmp_path: Path) -> None:
    idle = TINY.replace(
        'key = "flows.transport.window_limit_segments"', 'key = "flows.transport.k"'
    )
    path = write(tmp_path, idle)
    with pytest.raises(
        InputError, match=r"toml:28: \[\[vary\]\] limit: has no effect: .*flows.transport.k$"
    ):
        check_points(read(path), {})
    out = tmp_path / "out"
    assert main(["reproduce", str(path), "--out", str(out)]) == 2
    assert not out.exists()
    # With a protocol that reads it the same file makes sense.
    reads = idle.replace(
        "flows = [{ from = 0, to = 2 }]",
        """flows = [
    { from = 0, to = 2, transport = { protocol = "sca-reno" } }
]""",
    )
    check_points(read(write(tmp_path, reads)), {})
