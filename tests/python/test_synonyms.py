"""Words of other programs: what they are called here."""

import json
import re
from pathlib import Path

import pytest

from hopwright import _core
from hopwright._cli.arguments import COMMANDS
from hopwright._cli.main import main
from hopwright._io.errors import near
from hopwright._io.synonyms import SYNONYMS, called_here, with_hints
from hopwright.figures.of_run import TITLES
from hopwright.results.metrics import metrics

CHAIN = Path(__file__).parents[2] / "scenarios" / "chain.toml"
CLI = Path(__file__).parents[2] / "python" / "hopwright" / "_cli"


def test_every_word_of_ours_exists() -> None:
    options = {
        word
        for file in CLI.rglob("*.py")
        for word in re.findall(r'"(--[a-z-]+)"', file.read_text())
    }
    protocols = {each["id"] for each in json.loads(_core.protocols_json())}
    scenario = set(re.findall(r'"([\w-]+)"', _core.schema_json())) | {"true", "false"}
    known = {*metrics(), *TITLES, *COMMANDS, *options, *protocols, *scenario}
    ours = {word for words in SYNONYMS.values() for word in words.split()}
    assert ours - known == set()


def test_no_word_stands_twice() -> None:
    words = [word for words in SYNONYMS for word in words.split()]
    assert [word for word in set(words) if words.count(word) > 1] == []
    assert all(re.fullmatch("[a-z0-9]+", word) for word in words)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("throughput", "goodput_bps"),
        ("jain", "fairness.jain"),
        ("latency", "mean_rtt_s"),
        ("Round-Trip_time", "mean_rtt_s"),
        ("total", None),
        ("", None),
    ],
)
def test_results_are_found_by_the_words_of_others(word: str, meant: str | None) -> None:
    assert called_here(word, metrics()) == meant


def test_a_synonym_that_is_not_possible_is_not_said() -> None:
    assert called_here("off", ["all", "none"]) == "none"
    assert called_here("off", ["true", "false"]) == "false"
    assert called_here("off", ["reno"]) is None
    assert near("throughput", ["rto_count"]) == "; there are: rto_count"


@pytest.mark.parametrize(
    ("setting", "first"),
    [
        ("mac.rts=off", "possible: 'all', 'data', 'none'; did you mean 'none'?"),
        ("radio.propagation=TwoRay", "did you mean 'two-ray-ground'?"),
        (
            "radio.CPThresh_=10",
            "CPThresh_: unknown key; did you mean 'capture_threshold_db'?",
        ),
        ("mac.ifqlen=5", "mac.ifqlen: unknown key; did you mean 'queue_packets'?"),
        ("flows.transport.protocol=tcp", "'udp'; did you mean 'newreno'?"),
        ("topology.kind=line", "'sumo-fcd'; did you mean 'chain'?"),
        ("topology.kind=string", "'sumo-fcd'; did you mean 'chain'?"),
        ("mac.rts=quickly", "possible: 'all', 'data', 'none'"),
    ],
)
def test_a_scenario_with_foreign_words_is_told_ours(
    setting: str, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(CHAIN), "--set", setting]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith(first)
    assert sum(line.startswith("error: ") for line in told) == 1


def test_a_word_of_others_counts_more_than_its_spelling() -> None:
    message = "error: a.b: 'off' does not exist; possible: 'none', 'of'; did you mean 'of'?"
    assert with_hints(message) == message.replace("mean 'of'", "mean 'none'")
    message = "error: a.b: 'ofg' does not exist; possible: 'none', 'of'; did you mean 'of'?"
    assert with_hints(message) == message
    two = "error: a: 'off' does not exist; possible: 'none', 'x'\n --> f\nerror: b: unknown key"
    assert with_hints(two) == two.replace("'x'", "'x'; did you mean 'none'?")
