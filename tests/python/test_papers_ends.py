"""What flows' ends send and receive, as papers' files ask for it."""

import pytest

from hopwright.research.papers import ends
from hopwright.research.papers.ends import Traffic
from hopwright.research.papers.functions import network
from made_up import runs

TRACE = """\
s 1.000000000 _0_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 3:0 64 0] [0 0] 0 0
r 1.048627345 _3_ AGT  --- 2 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [1 0] 3 0
r 1.056238013 _3_ AGT  --- 3 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [2 0] 3 0
s 1.056238013 _3_ AGT  --- 4 ack 40 [0 0 0 0] ------- [3:0 0:0 64 0] [2 0] 0 0
r 1.100000000 _0_ AGT  --- 4 ack 40 [13a 0 1 800] ------- [3:0 0:0 62 0] [2 0] 3 0
D 1.060000000 _1_ IFQ  --- 9 tcp 1500 [0 1 0 800] ------- [0:0 3:0 64 1] [8 0] 0 0
"""


def test_packets_and_bytes_are_told_apart_by_end_and_kind() -> None:
    found = ends.traffic(TRACE.splitlines(keepends=True))
    assert found == {
        ("s", "tcp"): Traffic(1, 40),
        ("r", "tcp"): Traffic(2, 3000),
        ("s", "ack"): Traffic(1, 40),
        ("r", "ack"): Traffic(1, 40),
    }


def test_without_losses_all_is_acknowledged_and_as_much_as_the_summary_says() -> None:
    text = """
name = "ends"
duration_s = 10
topology = { kind = "chain", hops = 1 }
flows = [
    { from = 0, to = 1, transport = { window_limit_segments = 4 } },
    { from = 1, to = 0, transport = { window_limit_segments = 4 } },
]
"""
    with runs(text) as (run,):
        segments = run.result("goodput_segments")
        assert network.data_packets_arrived(run) == pytest.approx(segments, rel=0.02)
        assert network.ack_packets_sent(run) == pytest.approx(segments, rel=0.02)
        assert network.data_bps_arrived(run) == pytest.approx(segments * 150 * 8, rel=0.02)
        headers = 40 * 8 / 10  # bits a packet, over 10 s; options of a SYN beside them
        assert network.ack_bps_sent(run) == pytest.approx(segments * headers, rel=0.02)
