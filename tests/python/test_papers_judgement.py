"""Which findings are verdicts: those that runs with other seeds would repeat."""

import math
import random
from collections import Counter
from dataclasses import replace
from statistics import correlation, mean, variance
from typing import TYPE_CHECKING

import pytest

from hopwright.research.papers import library
from hopwright.research.papers.claims import Claim, Gain, Order
from hopwright.research.papers.document import read
from hopwright.research.papers.judgement import Judgement, judge, judge_settings
from hopwright.research.papers.measures import Kind
from hopwright.research.papers.points import scenarios_of
from hopwright.research.papers.repeated import redrawn, repeated
from hopwright.research.papers.verdicts import finding

if TYPE_CHECKING:
    from hopwright.research.papers.fields import Value

KINDS: dict[str, Kind] = {"a": "amount", "b": "amount"}
ORDER = Claim("c", "", "order", (), None, (Order("a", "b"),), "")
GAIN = Claim("c", "", "gains", (), None, (), "", (Gain("b", "a", 5, 15),))


def verdict(claim: Claim, a: list[float], b: list[float]) -> Judgement:
    return judge(claim, {"a": 10.0}, KINDS, {"a": a, "b": b})


def test_repetitions_vary_as_runs_with_other_seeds_do() -> None:
    draw = random.Random(1)
    shared = [draw.gauss(0, 3) for _ in range(12)]
    a = [100 + each + draw.gauss(0, 1) for each in shared]
    b = [200 + 2 * each + draw.gauss(0, 1) for each in shared]
    again = repeated({"a": a, "b": b}, repetitions=4000)
    assert {len(each["a"]) for each in again} == {12}
    means = [mean(each["a"]) for each in again]
    assert mean(means) == pytest.approx(mean(a), abs=0.1)
    # Ours and theirs are two draws: 2/n; and 11/9 of it, the variance being estimated (t of 11).
    assert variance(means) == pytest.approx(variance(a) * (2 / 12) * 11 / 9, rel=0.1)
    within = [variance(each["a"]) for each in again]
    assert mean(within) == pytest.approx(variance(a) * 11 / 9, rel=0.1)
    assert mean(correlation(each["a"], each["b"]) for each in again) == pytest.approx(
        correlation(a, b), abs=0.05
    )


def test_as_many_more_runs_vary_less() -> None:
    a = [1.0, 3.0, 2.0, 5.0, 4.0, 3.5, 2.5, 1.5]
    once, more = (
        variance([mean(each["a"]) for each in repeated({"a": a}, more=more, repetitions=2000)])
        for more in (1, 16)
    )
    assert once / more == pytest.approx(16, rel=0.1)


def test_what_all_runs_share_all_repetitions_share() -> None:
    noise = [4.0, 7.0, 1.0, 9.0]
    for each in repeated({"a": noise, "b": [x + 2 for x in noise], "c": [5.0] * 4}):
        assert [b - a for a, b in zip(each["a"], each["b"], strict=True)] == pytest.approx([2] * 4)
        assert each["c"] == pytest.approx([5.0] * 4)


def test_what_counts_runs_is_repeated_with_runs_that_there_were() -> None:
    values = {"a": [0.0] * 196 + [1.0] * 4, "b": [float(n % 7) for n in range(200)]}
    pairs = set(zip(values["a"], values["b"], strict=True))
    again = redrawn(values, repetitions=2000)
    assert all(set(zip(each["a"], each["b"], strict=True)) <= pairs for each in again)
    counts = [sum(each["a"]) for each in again]
    assert mean(counts) == pytest.approx(4, rel=0.05)
    # Theirs is a binomial of a share that ours leave uncertain (Rubin 1981): twice that, nearly.
    binomial = 200 * 0.02 * 0.98
    assert variance(counts) == pytest.approx(binomial * (1 + 200 / 201 - 1 / 201), rel=0.15)
    more = [sum(each["a"]) / 16 for each in redrawn(values, more=16, repetitions=2000)]
    assert variance(more) == pytest.approx(2 * binomial / 16, rel=0.15)


def test_a_rule_about_every_run_counts_runs() -> None:
    rule = Claim("c", "", "every run", (), None, (Order(0.0, "a"),), "")
    found = {
        hits: judge(rule, {}, KINDS, {"a": [1.0] * hits + [0.0] * (200 - hits)})
        for hits in (4, 193, 199, 200)
    }
    assert {hits: each.verdict for hits, each in found.items()} == {
        4: "not reproduced",
        193: "same direction",
        199: "undecided",  # in every second repetition none of 200 would miss
        200: "reproduced",
    }
    assert found[199].repetitions["reproduced"] == pytest.approx(199 / 399, abs=0.07)
    assert found[199].runs_to_decide in (800, 1600, 3200)


def test_a_rule_about_some_runs_counts_runs() -> None:
    behind = Gain("a", "b", -math.inf, -25)
    rule = Claim("c", "", "some runs", (), None, (), "", (behind,))
    b = [100.0] * 200
    found = {
        hits: judge(rule, {}, KINDS, {"a": [50.0] * hits + [100.0] * (200 - hits), "b": b})
        for hits in (2, 21, 60)
    }
    assert {hits: each.verdict for hits, each in found.items()} == {
        2: "not reproduced",
        21: "undecided",  # a tenth is 20
        60: "reproduced",
    }


def test_a_large_effect_is_a_verdict_and_a_small_one_is_undecided() -> None:
    a = [10.0, 10.5, 9.5, 10.2, 9.8, 10.1]
    large = verdict(ORDER, a, [x + 5 for x in [9.9, 10.2, 10.4, 9.6, 10.3, 9.7]])
    assert (large.verdict, large.doubts()) == ("reproduced", [])
    assert large.repetitions["reproduced"] > 0.99
    small = verdict(ORDER, a, [x + 0.3 for x in [9.9, 10.2, 10.4, 9.6, 10.3, 9.7]])
    assert small.verdict == "undecided"
    assert small.finding.found == "open"
    assert small.runs_to_decide is not None
    assert 12 <= small.runs_to_decide <= 400  # 192 repeat it in 95 of 100 cases, almost exactly
    (words,) = small.doubts()
    assert words.startswith("With other seeds: neither shown nor excluded in ")
    assert words.endswith(f"about {small.runs_to_decide} runs of each point would decide it")


def test_an_effect_that_runs_just_show_is_undecided() -> None:
    a = [10.0, 10.5, 9.5, 10.2, 9.8, 10.1]
    just = verdict(ORDER, a, [x + 0.7 for x in [9.9, 10.2, 10.4, 9.6, 10.3, 9.7]])
    assert just.finding.found == "reproduced"
    assert just.verdict == "undecided"
    assert just.doubts()[0].startswith("With other seeds: reproduced in ")


def test_two_that_are_alike_are_not_decided_by_any_number_of_runs_that_is_tried() -> None:
    same = verdict(ORDER, [1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0])
    assert same.verdict == "undecided"
    assert same.runs_to_decide is None
    assert same.doubts()[0].endswith("no number of runs that was tried would decide it")


def test_runs_that_do_not_differ_are_what_they_say() -> None:
    assert verdict(ORDER, [1.0] * 3, [2.0] * 3).verdict == "reproduced"
    assert verdict(ORDER, [2.0] * 3, [1.0] * 3).verdict == "not reproduced"
    assert verdict(ORDER, [2.0] * 3, [2.0] * 3).verdict == "not reproduced"
    single = verdict(ORDER, [1.0], [2.0])
    assert single.verdict == "undecided"
    assert single.doubts() == ["A single run, or equal runs, neither show nor exclude the claim"]


def test_cells_of_other_claims_have_no_say() -> None:
    values = {"a": [1.0] * 4, "b": [2.0] * 4, "c": [1.0, 200.0, -30.0, 4.0]}
    assert judge(ORDER, {}, KINDS, values).repetitions == {}


@pytest.mark.parametrize("claim", [ORDER, GAIN])
def test_what_is_decided_stays_with_other_seeds(claim: Claim) -> None:
    """Worlds whose truth is drawn: of what is decided, at most two in a hundred turn."""
    draw = random.Random(7)
    decided: Counter[bool] = Counter()
    for _ in range(200):
        effect, runs = draw.uniform(-2, 4), draw.choice([6, 12, 25])

        def runs_of(effect: float = effect, runs: int = runs) -> dict[str, list[float]]:
            a = [10 + draw.gauss(0, 0.5) for _ in range(runs)]
            return {"a": a, "b": [x + effect + draw.gauss(0, 0.5) for x in a]}

        ours = judge(claim, {}, KINDS, runs_of())
        if ours.verdict != "undecided":
            decided[finding(claim, {}, KINDS, runs_of()).found == ours.verdict] += 1
    assert decided.total() > 75
    assert decided[False] <= 0.02 * decided.total()


def test_settings_are_as_printed_wherever_they_are() -> None:
    wanted: dict[str, Value] = {"routing.dsr.salvage": True, "flows.k": 4}
    claim = replace(ORDER, rule="settings", orders=(), settings=wanted)
    dsr: dict[str, Value] = {
        "routing": {"dsr": {"salvage": True}},
        "flows": [{"k": 4}, {"other": 1}],
    }
    aodv: dict[str, Value] = {"routing": {"aodv": {}}, "flows": [{"k": 4}]}
    found = judge_settings(claim, [dsr, aodv])
    assert (found.verdict, found.doubts()) == ("reproduced", [])
    assert found.finding.within == {"routing.dsr.salvage": True, "flows.k": True}
    other: dict[str, Value] = {
        "routing": {"dsr": {"salvage": True}},
        "flows": [{"k": 4}, {"k": 5}],
    }
    assert judge_settings(claim, [dsr, other]).finding.within["flows.k"] is False
    assert judge_settings(claim, [aodv]).verdict == "not reproduced"  # nobody has the key


def test_every_table_of_parameters_is_what_is_run() -> None:
    """But for two rows, whose reasons are given."""
    wrong = {}
    for path in library.every().values():
        document = read(path)
        claims = [claim for claim in document.claims if claim.rule == "settings"]
        scenarios = [*scenarios_of(document)] if claims else []
        for claim in claims:
            within = judge_settings(claim, scenarios).finding.within
            if missed := [key for key, is_within in within.items() if not is_within]:
                wrong[claim.id] = missed
                assert claim.because
    assert wrong == {
        "pap-A-tableA.2": ["routing.dsr.passive_acks"],
        "pap-5.5-table5.5": ["routing.protocol"],
    }
