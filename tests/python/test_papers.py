"""Papers' files, the rules of the verdicts, and `hopwright reproduce`."""

import importlib
import json
import math
from pathlib import Path

import pytest
from scipy import stats

from hopwright.cli import main
from hopwright.data import number
from hopwright.errors import InputError
from hopwright.papers import RULES, library, series
from hopwright.papers import measured as measured_module
from hopwright.papers.document import Claim, Document, Gain, Kind, Order, read
from hopwright.papers.drawing import draw
from hopwright.papers.measured import Effort, measure, overrides, source_of
from hopwright.papers.reproduce import reproduce
from hopwright.papers.sample import Sample, difference, gain, ratio
from hopwright.papers.verdicts import against_reference, is_as, is_as_printed, judge
from hopwright.runs import execute, result_of

FILES = list(library.every().values())

TINY = """
document = "Nobody 2026"
title = "One hop and two"
source = "table 1"
about = "A file for tests."
runs = 4
quick_runs = 2

[reference]
command = "none"

[scenario]
name = "tiny"
duration_s = 3
topology = { kind = "chain", hops = 2 }
flows = [{ from = 0, to = 2 }]

[[vary]]
name = "hops"
title = "hops"
settings = [
    { label = "1", set = { "topology.hops" = 1, "flows.0.to" = 1 } },
    { label = "2", set = { "topology.hops" = 2, "flows.0.to" = 2 } },
]

[[vary]]
name = "limit"
key = "flows.transport.window_limit_segments"
values = [1, 8]

[[measures]]
id = "segments"
title = "segments"
sum = ["goodput_segments"]
kind = "amount"

[[measures]]
id = "lost"
title = "lost"
sum = ["mac.failures.data", "mac.failures.ack"]
kind = "count"

[[measures]]
id = "balance"
title = "segments twice, taken away once"
sum = ["goodput_segments", "goodput_segments", "-goodput_segments"]
kind = "amount"

[[measures]]
id = "idle"
title = "idle"
sum = ["series.idle_before_timeouts_s"]
kind = "amount"

[[tables]]
id = "1"
title = "Table 1"
columns = "hops"
rows = [
    { measure = "segments", at = { limit = "1" }, printed = [300, nan], reference = @ },
    { measure = "segments", at = { limit = "8" } },
    { measure = "lost", at = { limit = "8" }, printed = [0, 1000] },
    { measure = "balance", at = { limit = "8" } },
    { measure = "idle", at = { limit = "8" } },
]

[[readings]]
id = "slower"
why = "Because."
set = { "mac.data_rate_mbps" = 1 }
cells = ["segments.1.*"]

[[claims]]
id = "falls"
says = "More hops, fewer segments."
rule = "order"
order = ["segments.1.1 > segments.1.2 > 0"]

[[claims]]
id = "lost"
says = "A thousand are lost."
rule = "numbers"
cells = ["lost.*"]
because = "Nobody measured it."

[[figures]]
id = "lines"
kind = "lines"
title = "segments"
y_label = "segments"
x = "hops"
by = "limit"
cells = ["segments.*"]

[[figures]]
id = "bars"
kind = "bars"
title = "segments"
y_label = "segments"
cells = ["segments.1.*"]
""".replace("@", "[[300, 3, 5], [150, 2, 5]]")


def write(folder: Path, text: str = TINY, name: str = "tiny") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


# The files


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_point_of_every_file_is_a_scenario(path: Path) -> None:
    document = read(path)
    source = source_of(document)
    for more in [{}, *(dict(reading.keys) for reading in document.readings)]:
        for point in document.points():
            scenario = source.load(overrides(point, more))
            assert scenario.flow_count >= 1


def short(document: Document) -> float:
    """Seconds of a run that all flows have begun in."""
    flows = document.scenario["flows"]
    assert isinstance(flows, list)
    starts = [flow.get("start_s", 0.0) for flow in flows if isinstance(flow, dict)]
    return 3 + max(start for start in starts if isinstance(start, (int, float)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_measure_of_every_file_is_a_result(path: Path, tmp_path: Path) -> None:
    document = read(path)
    effort = Effort(2, 2, tmp_path / "runs", resume=False, watch=lambda _part: None)
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
            "quick_run = 2",
            "no key called 'quick_run'; did you mean 'quick_runs'?",
        ),
        ('kind = "count"', 'kind = "counts"', "kind = 'counts'; did you mean 'count'?"),
        ('columns = "hops"', 'columns = "hop"', "no axis called 'hop'; did you mean 'hops'?"),
        ('at = { limit = "1" }', 'at = { limits = "1" }', "'limits'; did you mean 'limit'?"),
        ("printed = [300, nan]", "printed = [300]", "printed: 1 numbers for 2 columns"),
        ("[[300, 3, 5], [150, 2, 5]]", "[[300, 3, 5]]", "1 references for 2"),
        ("[300, 3, 5]", "[300, 3]", "write [mean, standard deviation, runs]"),
        ("segments.1.1 > segments.1.2", "segments.1.1 > segment.1.2", "'segments.1.2'?"),
        ("segments.1.1 > segments.1.2 > 0", "1 > 0", "one side of each pair is a cell"),
        ('cells = ["lost.*"]', 'cells = ["loss.*"]', "no cell called 'loss.*'"),
        (
            'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]',
            'rule = "order"',
            "order is",
        ),
        ('"flows.0.to" = 1 } }', '"flows.0.from" = 1 } }', "sets other keys than"),
        ("values = [1, 8]", 'values = [1, 8]\nlabels = ["a"]', "2 values, 1 labels"),
        ('x = "hops"', 'x = "limits"', "no axis called 'limits'; did you mean 'limit'?"),
        ('kind = "lines"', 'kind = "line"', "kind = 'line'; did you mean 'lines'?"),
        ("runs = 4", "runs = 1", "write a whole number, at least 2"),
        ('id = "falls"', 'id = "lost"', "[[claims]]: two are called 'lost'"),
        ("runs = 4", "runs = ", "Invalid value"),
        ("runs = 4", 'runs = 4\nlong = "yes"', "long = 'yes': write true or false"),
        (
            'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]',
            'rule = "gains"',
            "a claim about gains states them",
        ),
        ('rule = "order"', 'rule = "gains"\ngains = ["lost.8.1 / lost.8.2: 0 to 1"]', "has none"),
        *(
            (
                'rule = "order"\norder = ["segments.1.1 > segments.1.2 > 0"]',
                f'rule = "gains"\ngains = ["{wrong}"]',
                message,
            )
            for wrong, message in [
                ("segments.1.1 / segments.1.2: 5", "write it as 'a / b: 5 to 12'"),
                ("segments.1.1 / segments.1.2: 12 to 5", "write it as 'a / b: 5 to 12'"),
                ("segments.1.1: 5 to 12", "write it as 'a / b: 5 to 12'"),
                ("segments.1.1 / segment.1.2: 5 to 12", "no cell called 'segment.1.2'"),
                ("segments.1.1 / 3: 5 to 12", "both sides are cells"),
                ("segments.*.1 / segments.1.2: 5 to 12", "one star on both sides"),
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
        ('each = ["sent_segments", "acked_segments"]', "", "either sum, or each"),
        ("each =", 'sum = ["srtt_s"]\neach =', "either sum, or each"),
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
    effort = Effort(2, 2, tmp_path / "runs", resume=False, watch=lambda _part: None)
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
        Gain("segments.1.1", "lost.8.1", -5, 12),
        Gain("segments.1.2", "lost.8.2", -5, 12),
    )


def test_a_measure_of_no_result_is_refused_with_the_nearest(tmp_path: Path) -> None:
    text = TINY.replace('sum = ["goodput_segments"]', 'sum = ["goodput_segment"]', 1)
    effort = Effort(2, 1, tmp_path / "runs", resume=False, watch=lambda _part: None)
    with pytest.raises(InputError, match="did you mean 'goodput_segments'"):
        measure(read(write(tmp_path, text)), {}, effort)


def test_a_reading_must_not_set_what_is_varied(tmp_path: Path) -> None:
    effort = Effort(2, 1, tmp_path / "runs", resume=False, watch=lambda _part: None)
    with pytest.raises(InputError, match=r"sets topology\.hops, which is varied"):
        measure(read(write(tmp_path)), {"topology.hops": 3}, effort)


def test_orders_are_pairs_of_neighbours_from_low_to_high(tmp_path: Path) -> None:
    claim = read(write(tmp_path)).claims[0]
    assert claim.orders == (Order(0.0, "segments.1.2"), Order("segments.1.2", "segments.1.1"))


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
    with pytest.raises(InputError, match="no papers there"):
        library.every(tmp_path / "none")


# The rules


def claim(rule: str = "numbers", *orders: Order, tolerance: float | None = None) -> Claim:
    return Claim(
        id="c",
        says="",
        rule="numbers" if rule == "numbers" else "order",
        cells=("a", "b") if rule == "numbers" else (),
        tolerance=tolerance,
        orders=orders,
        because="",
    )


LOW, HIGH = [100.0, 110.0, 90.0], [200.0, 212.0, 189.0]
KINDS: dict[str, Kind] = {"a": "amount", "b": "amount"}


def verdict(what: Claim, printed: dict[str, float], a: list[float], b: list[float]) -> str:
    return judge(what, printed, KINDS, {"a": a, "b": b}).verdict


def test_numbers_are_reproduced_within_the_tolerance() -> None:
    assert verdict(claim(), {"a": 100 / 1.12, "b": 200}, LOW, HIGH) == "reproduced"
    assert verdict(claim(), {"a": 100 / 1.1201, "b": 200}, LOW, HIGH) == "not reproduced"
    assert verdict(claim(tolerance=0.2), {"a": 85, "b": 200}, LOW, HIGH) == "reproduced"


def test_numbers_that_are_off_have_the_same_direction_if_their_order_is_sure() -> None:
    order = Order("a", "b")
    assert verdict(claim("numbers", order), {"a": 1, "b": 2}, LOW, HIGH) == "same direction"
    assert verdict(claim("numbers", order), {"a": 1, "b": 2}, HIGH, LOW) == "not reproduced"
    unsure = [90.0, 130.0, 95.0]
    assert verdict(claim("numbers", order), {"a": 1, "b": 2}, LOW, unsure) == "not reproduced"


def test_numbers_are_not_reproduced_against_a_sure_order() -> None:
    order = Order("a", "b")
    printed = {"a": 100.0, "b": 105.0}
    above, below = [104.0, 105.0, 106.0], [99.0, 100.0, 101.0]
    assert verdict(claim("numbers", order), printed, below, above) == "reproduced"
    assert verdict(claim("numbers", order), printed, above, [99.0, 100.0, 102.0]) != "reproduced"
    unsure = [104.0, 108.0, 96.0]
    assert verdict(claim("numbers", order), printed, unsure, below) == "reproduced"


def test_a_claim_whose_numbers_are_not_printed_is_not_reproduced_by_them() -> None:
    assert verdict(claim(), {}, LOW, HIGH) == "not reproduced"


def test_an_order_is_reproduced_if_it_is_sure_and_the_same_direction_if_means_agree() -> None:
    order = Order("a", "b")
    assert verdict(claim("order", order), {}, LOW, HIGH) == "reproduced"
    assert verdict(claim("order", order), {}, LOW, [90.0, 130.0, 95.0]) == "same direction"
    assert verdict(claim("order", order), {}, HIGH, LOW) == "not reproduced"
    assert verdict(claim("order", order), {}, [100.0], [200.0]) == "same direction"


def test_pairs_are_compared_run_by_run() -> None:
    # The same noise in both: the spread of each is a hundred times their difference.
    noise = [0.0, 1000.0, 2000.0, 3000.0]
    high = [10.0, 1011.0, 2009.0, 3010.0]
    assert verdict(claim("order", Order("a", "b")), {}, noise, high) == "reproduced"


def test_a_sign_is_an_order_against_zero() -> None:
    assert verdict(claim("order", Order("a", 0.0)), {}, [-1.0, -2.0, -1.5], LOW) == "reproduced"
    assert verdict(claim("order", Order(0.0, "a")), {}, [-1.0, -2.0, -1.5], LOW) == "not reproduced"


def test_the_tolerance_is_of_the_number_compared_with() -> None:
    assert is_as(172.5, 150, 0.15)
    assert not is_as(172.6, 150, 0.15)
    assert not is_as(6 + 0.91, 6, 0.15)
    assert is_as(0, 0, 0.15)
    assert not is_as(1, 0, 0.15)


def gained(least: float, most: float) -> Claim:
    return Claim("c", "", "gains", (), None, (), "", (Gain("b", "a", least, most),))


def test_gains_are_judged_by_their_range_and_then_by_their_sign() -> None:
    twice = [202.0, 220.0, 181.0]  # 101 % above LOW
    assert verdict(gained(100, 102), {}, LOW, twice) == "reproduced"
    assert verdict(gained(101, 101), {}, LOW, [2.01 * x for x in LOW]) == "reproduced"
    assert verdict(gained(110, 120), {}, LOW, twice) == "same direction"
    assert verdict(gained(-20, -10), {}, LOW, twice) == "not reproduced"
    assert verdict(gained(-20, -10), {}, twice, LOW) == "same direction"
    assert verdict(gained(-2, 2), {}, LOW, twice) == "not reproduced"
    noisy = [110.0, 101.0, 104.0]  # 5 %, give or take 36
    assert verdict(gained(-2, 2), {}, LOW, noisy) == "same direction"
    assert verdict(gained(10, 20), {}, LOW, noisy) == "not reproduced"
    assert verdict(gained(10, 20), {}, [0.0, 0.0], [1.0, 2.0]) == "not reproduced"
    assert verdict(gained(100, 102), {}, [100.0], [201.0]) == "reproduced"
    assert verdict(gained(110, 120), {}, [100.0], [201.0]) == "not reproduced"


def test_the_interval_of_a_gain_is_that_of_a_ratio_of_pairs() -> None:
    a, b = [110.0, 131.0, 118.0, 141.0], [100.0, 120.0, 110.0, 130.0]
    found = gain(a, b)
    assert found is not None
    r = 500 / 460
    residuals = [x - r * y for x, y in zip(a, b, strict=True)]
    half = stats.t.ppf(0.975, 3) * stats.sem(residuals) / 115
    assert found.value == pytest.approx(100 * (r - 1))
    assert found.high == pytest.approx(100 * (r - 1 + half))
    assert found.low == pytest.approx(100 * (r - 1 - half))
    # Noise that both have does not count, however large.
    proportional = gain([1.1 * y for y in [1.0, 1000.0]], [1.0, 1000.0])
    assert proportional is not None
    assert proportional.low == pytest.approx(10)


def test_a_small_printed_count_may_be_any_run_of_ours() -> None:
    own = Sample.of([50.0, 70.0, 60.0, 40.0, 80.0])  # one run: 60 ± 2.776 x 15.8 x √1.2, 11.9 up
    assert is_as_printed(own, 12, "count")
    assert not is_as_printed(own, 11.8, "count")
    assert not is_as_printed(own, 12, "amount")
    assert not is_as_printed(Sample.of([500.0, 0.0, 1000.0]), 151, "count")
    assert not is_as_printed(Sample.of([50.0]), 12, "count")


def test_numbers_that_only_single_runs_reach_are_named() -> None:
    kinds: dict[str, Kind] = {"a": "count", "b": "count"}
    values = {"a": [50.0, 70.0, 60.0, 40.0, 80.0], "b": [59.0, 60.0, 61.0, 60.0, 60.0]}
    found = judge(claim(), {"a": 45.0, "b": 60.0}, kinds, values)
    assert found.verdict == "reproduced"
    assert found.as_one_run == ("a",)
    assert not judge(claim(), {"a": 5.0, "b": 60.0}, kinds, values).as_one_run


def test_a_small_count_is_as_ns2_if_the_ratio_may_be_within_the_tolerance() -> None:
    other = Sample(100, 10, 10)
    assert against_reference(Sample(117, 10, 10), other, "count").is_as  # 1.17, from 1.07
    assert not against_reference(Sample(125, 10, 10), other, "count").is_as  # 1.25, from 1.14
    assert against_reference(Sample(84, 10, 10), other, "count").is_as
    assert not against_reference(Sample(78, 10, 10), other, "count").is_as
    assert not against_reference(Sample(117, 10, 10), other, "amount").is_as
    assert not against_reference(Sample(177, 20, 10), Sample(151, 15, 10), "count").is_as
    assert not against_reference(Sample(1, 1, 10), Sample(0, 0, 10), "count").is_as


def test_ours_is_as_ns2_within_5_and_10_percent() -> None:
    other = Sample(1000, 10, 10)
    assert against_reference(Sample(1050, 10, 10), other, "amount").is_as
    assert not against_reference(Sample(1051, 10, 10), other, "amount").is_as
    assert against_reference(Sample(1100, 10, 10), other, "count").is_as
    assert not against_reference(Sample(1101, 10, 10), other, "count").is_as


def test_intervals_are_students() -> None:
    # t of 0.975 with 2 degrees of freedom is 4.302653; sd of 1, 2, 3 is 1.
    ends = Sample.of([1.0, 2.0, 3.0]).interval()
    assert ends.high == pytest.approx(2 + 4.302653 / math.sqrt(3), rel=1e-6)
    one = Sample.of([1.0, 2.0, 3.0]).one_run()
    assert one.high == pytest.approx(2 + 4.302653 * math.sqrt(4 / 3), rel=1e-6)
    assert difference([3.0, 4.0, 5.0], [1.0, 2.0, 3.0]).low == pytest.approx(2)
    assert Sample.of([1.0]).interval().low is None


def test_a_ratio_is_inverted_with_its_sides() -> None:
    a, b = Sample(110, 5, 20), Sample(100, 8, 10)
    there, back = ratio(a, b), ratio(b, a)
    assert there is not None
    assert back is not None
    assert there.low is not None
    assert back.high is not None
    assert there.low == pytest.approx(1 / back.high)
    # By hand: (5/110)²/20 + (8/100)²/10 = 7.433e-4, 12.75 degrees of freedom, t = 2.1645.
    assert there.low == pytest.approx(1.1 * math.exp(-2.1645 * math.sqrt(7.4331e-4)), rel=1e-3)
    assert ratio(Sample(0, 0, 5), b) is None


def test_degrees_of_freedom_of_a_ratio_are_welchs() -> None:
    a, b = Sample(110, 20, 3), Sample(100, 8, 2)
    found = ratio(a, b)
    assert found is not None
    parts = [(20 / 110) ** 2 / 3, (8 / 100) ** 2 / 2]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 1)
    reach = float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(parts))
    assert found.high == pytest.approx(1.1 * math.exp(reach), rel=1e-6)


def test_results_of_the_run_are_taken_once_and_those_of_flows_added(tmp_path: Path) -> None:
    document = read(write(tmp_path))
    flow = {"goodput_segments": 10.0, "mac.failures.data": 3.0, "mac.failures.ack": 2.0}
    measures = {each.id: each for each in document.measures.values()}
    assert measured_module._number(document, measures["segments"], [flow, flow]) == 20
    assert measured_module._number(document, measures["lost"], [flow, flow]) == 5


# Series


def test_idle_time_before_timeouts_is_from_the_last_thing_that_happened() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 1.0, 2.0, 3.5, 4.0, 6.0, 7.0],
        "phase": ["slow_start", "slow_start", None, "rto", "rto", "rto", "slow_start"],
        "acked_segments": [0.0, 1.0, None, 1.0, 1.0, 1.0, 2.0],
        "sent_segments": [1.0, 3.0, None, 3.0, 3.0, 3.0, 4.0],
        "retransmitted_segments": [0.0, 0.0, None, 1.0, 1.0, 2.0, 2.0],
    }
    assert series.idle_before_timeouts(columns, 9.0) == pytest.approx(2.5 + 2.5)


def test_an_acknowledgement_in_the_phase_of_a_timeout_is_none() -> None:
    columns: dict[str, series.Column] = {
        "time_s": [0.0, 2.0, 3.0, 5.0],
        "phase": ["slow_start", "rto", "rto", "rto"],
        "acked_segments": [0.0, 0.0, 1.0, 1.0],
        "sent_segments": [1.0, 1.0, 1.0, 1.0],
        "retransmitted_segments": [0.0, 1.0, 1.0, 2.0],
    }
    assert series.idle_before_timeouts(columns, 9.0) == pytest.approx(2 + 2)


OUTAGE: dict[str, series.Column] = {
    # acknowledged until 3 s, two time-outs, again from 9 s on; fast recovery follows
    "time_s": [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 9.5, 9.6, 10.0],
    "phase": ["slow_start"] * 2
    + ["recovery", None, "congestion_avoidance", "rto", "rto", "slow_start", "recovery", "frozen"]
    + ["recovery"],
    "acked_segments": [0.0, 1.0, 2.0, None, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0, 4.0],
    "sent_segments": [1.0, 3.0, 4.0, None, 4.0, 4.0, 4.0, 5.0, 5.0, 5.0, 5.0],
    "retransmitted_segments": [0.0, 0.0, 1.0, None, 1.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0],
}


def test_the_longest_silence_has_its_ends_and_its_timeouts() -> None:
    found = series.longest_silence(OUTAGE, 12.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (3.0, 9.0, (4.0, 6.0))


def test_a_silence_may_last_to_the_end_of_the_run() -> None:
    found = series.longest_silence(OUTAGE, 16.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (9.0, 16.0, ())


def test_silence_before_the_first_acknowledgement_counts_only_if_there_is_none() -> None:
    late: dict[str, series.Column] = {
        "time_s": [5.0, 7.0, 8.0],
        "phase": ["slow_start", "rto", "slow_start"],
        "acked_segments": [0.0, 0.0, 1.0],
        "retransmitted_segments": [0.0, 1.0, 1.0],
    }
    found = series.longest_silence(late, 10.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (8.0, 10.0, ())
    never = {name: values[:2] for name, values in late.items()}
    found = series.longest_silence(never, 10.0)
    assert (found.from_s, found.to_s, found.timeouts_s) == (0.0, 10.0, (7.0,))


def test_the_silence_of_a_moment_is_asked_for_by_the_moment() -> None:
    def of(name: str, end_s: float = 12.0) -> float:
        reckon, needed = series.number_called(f"series.{name}")
        assert needed == series.SILENCE_COLUMNS
        return reckon(OUTAGE, end_s)

    assert of("silence_s@3") == 6
    assert of("silence_s@8.9") == 6
    assert of("silence_from_s@5") == 3
    assert of("silence_to_s@5") == 9
    assert of("silence_timeouts@5") == 2
    assert of("silence_s@9") == 3
    assert of("silence_to_s@99") == 12
    assert of("silence_s@1") == 1.5
    assert of("longest_silence_timeouts") == 2


def test_recoveries_are_entries_and_those_after_outages_follow_one() -> None:
    assert series.recoveries(OUTAGE, 12.0) == 2  # the freeze at 9.6 s makes no third
    assert series.recoveries_after_outages(OUTAGE, 12.0) == 1  # the one at 9.5 s
    later = {**OUTAGE, "time_s": [*OUTAGE["time_s"][:8], 10.1, 10.2, 10.3]}
    assert series.recoveries_after_outages(later, 12.0) == 0


def test_a_column_can_be_asked_for_at_a_time(tmp_path: Path) -> None:
    at_3, needed = series.number_called("series.acked_segments@3")
    assert needed == ("time_s", "acked_segments")
    assert at_3(OUTAGE, 12.0) == 3
    assert series.value_at("acked_segments", 2.9)(OUTAGE, 12.0) == 2
    assert series.value_at("acked_segments", 0.1)(OUTAGE, 12.0) == 0
    assert series.value_at("acked_segments", 99.0)(OUTAGE, 12.0) == 4
    for wrong in ("acked_segments@", "acked_segments@soon", "@3", "acked_segments@-1"):
        with pytest.raises(InputError, match="write it as 'acked_segments@30'"):
            series.number_called(f"series.{wrong}")
    with pytest.raises(InputError, match="did you mean 'longest_silence_s'"):
        series.number_called("series.longest_silense_s")
    scenario = source_of(read(write(tmp_path))).load()
    with pytest.raises(InputError, match="did you mean 'acked_segments'"):
        series.numbers(scenario, ["series.acked_segment@3"], [1], jobs=1)


def test_every_timeout_is_found_in_the_series(tmp_path: Path) -> None:
    document = read(write(tmp_path))
    keys = [("topology.hops", "4"), ("flows.0.to", "4"), ("duration_s", "40")]
    scenario = source_of(document).load([*keys, ("routing.protocol", "aodv")])
    found = series.numbers(scenario, ["series.idle_before_timeouts_s"], range(1, 4), jobs=2)
    results = [result_of(run) for run in execute(scenario, range(1, 4), jobs=2)]
    timeouts = [number(result, "flows", 0, "rto_count") or 0 for result in results]
    assert sum(timeouts) > 3
    for idle, count in zip(found["series.idle_before_timeouts_s"], timeouts, strict=True):
        assert idle >= 0.2 * count  # the least time-out


def test_a_moving_average_leaves_the_ends_as_they_are() -> None:
    values = [1.0, 9.0, 2.0, 8.0, 3.0, 7.0]
    assert series._smoothed(values, 1) == pytest.approx(values)
    assert series._smoothed(values, 4) == pytest.approx([1.0, 9.0, 5.0, 5.5, 5.0, 7.0])


def test_a_series_of_no_column_is_refused(tmp_path: Path) -> None:
    scenario = source_of(read(write(tmp_path))).load()
    with pytest.raises(InputError, match="did you mean 'cwnd_segments'"):
        series.curve(scenario, [(1, "cwnd_segment")], seed=1, interval_s=0.1, average=1)


# The command


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    path = write(folder)
    out = folder / "out"
    assert main(["reproduce", str(path), "--quick", "--jobs", "2", "--out", str(out)]) == 0
    return out


def test_a_file_becomes_reports_tables_and_figures(reproduced: Path) -> None:
    import duckdb

    place = reproduced / "tiny"
    report = json.loads((place / "report.json").read_text())
    assert report["quick"] is True
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
    rows = (
        duckdb.connect()
        .execute(f"""
        select reading, hops, "limit", count(*), avg(segments)
        from '{place / "results.parquet"}' group by all order by all
    """)
        .fetchall()
    )
    assert len(rows) == 2 * 2 * 2
    assert {row[3] for row in rows} == {2}
    mean = next(row[4] for row in rows if row[:3] == ("as in the file", "1", "1"))
    assert mean == pytest.approx(cells["segments.1.1"]["ours"]["mean"])


def test_reports_say_how_verdicts_come_about_and_that_runs_were_few(reproduced: Path) -> None:
    text = (reproduced / "report.md").read_text()
    assert RULES.strip() in text
    assert "--quick" in text
    assert "| falls | reproduced |" in text
    own = (reproduced / "tiny" / "report.md").read_text()
    assert "2 runs a point, seeds from 1 (--quick; in full 4)" in own
    assert "Why: Nobody measured it." in own


def test_only_its_own_folder_is_gone_on_with(
    reproduced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write(tmp_path))
    before = (reproduced / "tiny" / "report.json").read_bytes()
    assert main(["reproduce", path, "--quick", "--out", str(reproduced)]) == 2
    assert "has results already; add --resume" in capsys.readouterr().err
    assert main(["reproduce", path, "--resume", "--out", str(reproduced)]) == 2
    assert "was begun with --quick" in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    assert main(["reproduce", path, "--out", str(tmp_path / "other")]) == 2
    assert "has other files in it" in capsys.readouterr().err
    assert main(["reproduce", path, "--quick", "--resume", "--out", str(reproduced)]) == 0
    assert (reproduced / "tiny" / "report.json").read_bytes() == before


def test_interrupted_between_sweeps_it_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    out, documents = tmp_path / "out", [read(write(tmp_path))]
    with monkeypatch.context() as changed:
        changed.setattr("hopwright.papers.reproduce.draw", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            reproduce(documents, out, quick=True)
    assert caught.value.__notes__ == [f"the finished runs are kept in {out}; go on with --resume"]
    (result,) = reproduce(documents, out, quick=True, resume=True)
    assert result.is_quick


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

    monkeypatch.setattr("hopwright.papers.library.FOLDER", tmp_path)
    monkeypatch.setattr("hopwright.papers.library.chosen.__defaults__", (tmp_path,))
    monkeypatch.setattr("hopwright.papers.reproduce.reproduce", note)
    assert main(["reproduce", *words, "--out", str(tmp_path / "out")]) == 0
    assert seen == ran
    assert ("left out, for it takes long: a" in capsys.readouterr().out) == (words == [])


def test_the_list_has_ids_titles_claims_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    printed = capsys.readouterr().out
    for path in FILES:
        document: Document = read(path)
        assert f"{document.id}\n" in printed
        for each in document.claims:
            assert f"    {each.id}: " in printed.replace("\n      ", " ")
    assert RULES in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pap-9"], "no paper called 'pap-9'"),
        (["pap-3.6-tabel3.7"], "did you mean 'pap-3.6-table3.7'?"),
        (["none.toml"], "none.toml: there is no such file"),
        ([], "--out is missing"),
        (["--list", "--quick"], "--list runs nothing; leave --quick away"),
        (["--list", "--all"], "--list runs nothing; leave --all away"),
        (["--all", "pap-3.6"], "--all runs every paper; leave the IDs away"),
        (["--quik"], "unknown option '--quik'; did you mean '--quick'?"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *words]) == 2
    assert message in capsys.readouterr().err
