"""What is said of causes of losses, drops and failures: every cause has its sentence."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from explaining import recorded
from hopwright.explain.events import Event, Lineage
from hopwright.explain.words import disturbance, what
from hopwright.results.metrics import metrics
from hopwright.results.said import SAID

FIELDS = {"frame", "loser", "peer", "other", "loss", "node", "bundle", "end", "packet"}


@pytest.fixture(scope="module")
def lineage(tmp_path_factory: pytest.TempPathFactory) -> Lineage:
    folder, _ = recorded(tmp_path_factory.mktemp("said"), "losses", {"duration_s": "10"})
    return Lineage.read(folder)


@pytest.fixture(scope="module")
def some(lineage: Lineage) -> Event:
    """An event of a flow, to be changed."""
    return next(iter(lineage.those(("sent", "resent", "dropped", "rto", "cut"))))


def told(lineage: Lineage, some: Event) -> Iterator[tuple[str, str]]:
    """Every cause, and the line that tells of it."""
    for cause in SAID["drops"]:
        for protocol in (None, 17):
            event = some._replace(kind="dropped", cause=cause, loss="queue", protocol=protocol)
            yield cause, what(lineage, event)
    for loss in SAID["losses"]:
        yield loss, what(lineage, some._replace(kind="dropped", cause="no_route", loss=loss))
    for cause in SAID["reactions"]:
        event = some._replace(kind="rto", cause=cause, loss="queue", peer=None, diagnosis=None)
        yield cause, what(lineage, event)
    for cause in SAID["cut"]:
        yield cause, what(lineage, some._replace(kind="cut", cause=cause))
    for cause in SAID["tries"]:
        for relation in SAID["relations"]:
            event = some._replace(kind="try", cause=cause, frame="rts", peer=3, relation=relation)
            yield cause, disturbance(lineage, event._replace(by_node=4, by_time_s=1.0))


def test_every_cause_has_a_sentence(lineage: Lineage, some: Event) -> None:
    found = list(told(lineage, some))
    assert len(found) > 100
    for cause, line in found:
        words = cause.replace("_", " ")
        assert not re.search(r"[{}_]|None|unknown", line), f"{cause}: {line}"
        assert not line.endswith((f"because {words}", "; ", ", because ")), f"{cause}: {line}"


def test_sentences_have_no_names_that_nobody_fills_in() -> None:
    for of, sentences in SAID.items():
        for cause, sentence in sentences.items():
            assert sentence, (of, cause)
            assert sentence == sentence.strip()
            names = {name for _, name, _, _ in Formatter().parse(sentence) if name}
            assert names <= FIELDS, (of, cause)


def test_results_and_sentences_know_the_same_causes() -> None:
    for of in ("drops", "losses"):
        known = {key.partition(".")[2] for key in metrics() if key.startswith(f"{of}.")}
        assert known == SAID[of].keys()
    assert SAID["counted_tries"].keys() == SAID["tries"].keys()


def test_a_drop_that_had_no_sentence_has_one(lineage: Lineage, some: Event) -> None:
    event = some._replace(kind="dropped", cause="ttl_expired", loss="no_route", protocol=None)
    line = what(lineage, event)
    assert line.endswith("because it had made as many hops as it may; loss cause: a missing route")


def test_a_frozen_sender_is_told_of(lineage: Lineage, some: Event) -> None:
    froze, thawed = (what(lineage, some._replace(kind=kind)) for kind in ("freeze", "thaw"))
    assert froze == f"the sender of flow {some.flow} froze: it stopped sending"
    assert thawed == f"the sender of flow {some.flow} thawed: it sends again"


def test_the_page_of_lineage_names_every_reason() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lineage.md").read_text()
    for of in ("reactions", "tries", "relations", "bundle_resent", "bundle_part_deleted"):
        absent = [cause for cause in SAID[of] if f"`{cause}`" not in page]
        assert not absent, of
