"""How far an emulated connection is from its trace: by hand, for connections that are known."""

import numpy as np
import pytest

from hopwright.emulation.sedlane import fidelity
from hopwright.emulation.sedlane.fidelity import Connection


def connection(
    times: list[float], rtts_ms: list[float], sent: list[float], again: list[float] | None = None
) -> Connection:
    columns = (times, [rtt / 1e3 for rtt in rtts_ms], sent, again or [0.0] * len(sent))
    return Connection(*(np.array(each, dtype=float) for each in columns))


TRACE = connection([0, 1, 3, 4], [100, 200, 50], [1000, 4000, 5000], [0, 1000, 0])


def test_a_round_trip_is_compared_with_the_one_when_its_segment_left() -> None:
    found = connection([0.5, 1.1, 2.0, 4.5], [101, 100, 230], [1, 1, 1])
    # They left at 0.399, 1.0 (the next is there already) and 1.77 s.
    assert fidelity.rtt_gaps(TRACE, found) == pytest.approx([0.001, 0.1, 0.03])
    later = connection([5.0, 6.0], [100], [1])
    assert len(fidelity.rtt_gaps(TRACE, later)) == 0, "left when the trace was over"


def test_new_bytes_are_spread_over_the_time_of_their_round_trip() -> None:
    edges = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 9.0])
    assert TRACE.new_bytes(edges).tolist() == [1000, 1500, 1500, 5000, 0]
    assert TRACE.throughput_bps(4.0) == pytest.approx(8 * 9000 / 4)
    assert TRACE.throughput_bps(2.0) == pytest.approx(8 * 2500 / 2)
    assert TRACE.lifetimes.tolist() == [1, 2, 1]


def test_windows_end_with_the_shorter_of_both() -> None:
    found = connection([0, 1, 2], [1, 1], [300, 500])
    ends, theirs, ours = fidelity.windows(TRACE, found)
    assert ends.tolist() == [0.5, 1.0, 1.5, 2.0]
    assert theirs.tolist() == [8000, 8000, 12000, 12000]
    assert ours.tolist() == [2400, 2400, 4000, 4000]
    assert fidelity.correlation(theirs, ours) == pytest.approx(1)
    assert fidelity.correlation(theirs, ours - ours) == 0


def test_classes_lie_between_round_trips_of_the_trace() -> None:
    rtts = [float(rtt) for rtt in range(10, 110, 10)]
    even = connection(list(range(11)), rtts, [100] * 10)
    edges = fidelity.classes(even)
    assert (1e3 * edges).tolist() == pytest.approx([15, 25, 35, 45, 55, 65, 75, 85, 95])
    amounts = fidelity.in_classes(edges, even.rtt_s, even.sent)
    assert fidelity.shares(amounts).tolist() == pytest.approx([10] * 10)
    same = connection(list(range(11)), [20] * 10, [100] * 10)
    assert fidelity.classes(same).tolist() == []
    assert fidelity.in_classes(fidelity.classes(same), same.rtt_s, same.sent).tolist() == [1000]


def test_losses_are_over_what_a_class_sent() -> None:
    edges = np.array([0.075, 0.15])
    assert fidelity.losses(TRACE, edges).tolist() == pytest.approx([0, 0, 25])


def test_a_lost_packet_took_no_time() -> None:
    rows = fidelity.given([(1.0, b"a", 10), (2.0, b"b", 20)], {b"a": 1.25})
    assert rows[0].tolist() == pytest.approx([1.0, 0.25, 10])
    assert np.isnan(rows[1, 1])
    assert fidelity.given([], {}).shape == (0, 3)


def test_lifetimes_are_found_by_what_steady_datagrams_took() -> None:
    pipes = [(0.1, 0.5), (0.3, 0.25), (0.1, 1.0), (0.2, 0.05), (0.4, 0.0)]
    starts = np.array([0, 0.5, 0.75, 1.75, 1.8])
    times = np.arange(0, 2.5, 0.01) + 1e-4
    rtts = np.array([rtt for rtt, _ in pipes])[np.searchsorted(starts, times, "right") - 1]
    rows = np.column_stack([times, rtts + 5e-5, np.full(len(times), 8.0)])
    found = fidelity.applied_lifetimes(pipes, rows)
    assert found[:4] == pytest.approx([0.5, 0.25, 1.0, 0.05], abs=0.011)
    assert np.isnan(found[4]), "nothing follows the last"
    rows[(times > 0.49) & (times < 0.76), 1] = np.nan
    found = fidelity.applied_lifetimes(pipes, rows)
    assert np.isnan(found[:2]).all(), "all datagrams of the second pipe were lost"
    assert found[2:4] == pytest.approx([1.0, 0.05], abs=0.03)
