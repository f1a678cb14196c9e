"""Confusion matrices: what counts as right, and how runs are put together."""

from pathlib import Path

import pytest

from hopwright._io.data import Json, items
from hopwright._io.errors import InputError
from hopwright.research.diagnosis import BELIEFS, Confusion, Reading, accuracy, is_right
from hopwright.runs.run import load, run
from hopwright.statistics.intervals import bootstrap_interval

GRID = Path(__file__).parents[2] / "scenarios" / "grid.toml"
FOUR, WIRELESS, LOAD = Reading


def result(**cells: int) -> Json:
    """A run of one TCP flow with these diagnoses, and of one with datagrams."""
    return {"flows": [{"diagnoses": dict(cells)}, {"protocol": "udp"}]}


@pytest.mark.parametrize(
    ("truth", "believed", "right"),
    [
        ("queue", "congestion", (True, True, True)),
        ("queue", "channel", (False, False, False)),
        ("queue", "contention", (False, False, True)),
        ("contention", "contention", (True, True, True)),
        ("contention", "congestion", (False, False, True)),
        ("contention", "channel", (False, True, False)),
        ("channel", "channel", (True, True, True)),
        ("channel", "congestion", (False, False, False)),
        ("link_failure", "route", (True, True, True)),
        ("no_route", "channel", (False, True, True)),
        ("node_down", "congestion", (False, False, False)),
        ("ack_contention", "channel", (False, True, False)),
        ("nothing", "channel", (None, None, None)),
        ("other", "congestion", (None, None, None)),
    ],
)
def test_what_is_right_depends_on_the_reading(
    truth: str, believed: str, right: tuple[bool | None, bool | None, bool | None]
) -> None:
    assert tuple(is_right(truth, believed, reading) for reading in Reading) == right


def test_words_that_do_not_exist_are_refused() -> None:
    with pytest.raises(InputError, match="no truth called 'queues'; there are: queue, "):
        is_right("queues", "channel", FOUR)
    with pytest.raises(InputError, match="no truth called 'ack_nothing'"):
        is_right("ack_nothing", "channel", FOUR)
    with pytest.raises(InputError, match="no belief called 'queue'; there are: congestion, "):
        is_right("queue", "queue", FOUR)
    with pytest.raises(InputError, match="no class called 'queue'; there are: congestion, "):
        accuracy([], of="queue")


def test_a_matrix_holds_every_diagnosis_once() -> None:
    cells = {"queue_as_congestion": 3, "no_route_as_route": 2, "ack_queue_as_channel": 1}
    found = Confusion.of_run(result(**cells, nothing_as_channel=4, contention_as_channel=2))
    assert found.total == 12
    for reading in Reading:
        assert sum(sum(row.values()) for row in found.matrix(reading).values()) == 12
    row = {**dict.fromkeys(BELIEFS, 0), "congestion": 3, "channel": 1}
    assert found.matrix()["congestion"] == row
    assert found.matrix()["nothing"]["channel"] == 4
    assert [found.accuracy(reading) for reading in Reading] == [5 / 8, 7 / 8, 5 / 8]
    assert found.without_acks().accuracy() == 5 / 7
    by_class = {"congestion": 3 / 4, "channel": None, "contention": 0.0, "route": 1.0}
    assert found.accuracy_by_class() == by_class
    assert found.needless() == 4 / 12
    assert Confusion.of_run(result(**cells), flows=[0]).total == 6
    assert Confusion.of_run(result(**cells), flows=[1]).total == 0
    twice = found + found
    assert (twice.total, twice.accuracy()) == (24, 5 / 8)


def test_the_worth_of_a_coin_does_not_depend_on_runs_being_long() -> None:
    runs = [result(queue_as_congestion=9, queue_as_channel=1), result(queue_as_congestion=1)]
    found = accuracy([*runs, result(nothing_as_channel=5)])
    assert found is not None
    assert found.estimate == pytest.approx(0.95)
    assert found.n == 2
    assert found.high == 1.0
    assert found.low == pytest.approx(0.95 - 12.706 * 0.05, abs=1e-3)
    single = accuracy(runs[:1])
    assert single is not None
    assert single.ends is None
    assert accuracy([result()]) is None
    resampled = accuracy(runs, interval=bootstrap_interval)
    assert resampled is not None
    assert resampled.ends is not None
    assert 0.9 <= resampled.ends[0] <= resampled.ends[1] <= 1.0
    of_acks = [result(ack_queue_as_channel=3, queue_as_congestion=1)]
    for acks, share in ((True, 0.25), (False, 1.0)):
        assert getattr(accuracy(of_acks, acks=acks), "estimate", None) == share
    assert getattr(accuracy(runs, of="congestion"), "estimate", None) == pytest.approx(0.95)
    assert accuracy(runs, of="channel") is None


@pytest.mark.filterwarnings("ignore::hopwright.StarvationWarning")  # on the grid, one does
@pytest.mark.parametrize("protocol", ["newreno", "zigzag", "oracle"])
def test_runs_are_judged(protocol: str) -> None:
    settings = {"duration_s": 40, "flows.transport.protocol": protocol}
    results = items(run(load(GRID, settings), runs=2).summary, "results")
    found = Confusion.of_run(results[0]) + Confusion.of_run(results[1])
    assert found.total > 10
    share = found.accuracy()
    assert share is not None
    assert (share == 1.0) == (protocol == "oracle")
    if protocol == "newreno":
        assert {believed for _, believed in found.counts} == {"congestion"}
