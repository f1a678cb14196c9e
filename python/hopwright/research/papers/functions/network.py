"""Of the network: who is near whom, who relays for whom, what ends of TCP send and receive."""

from hopwright._io.errors import InputError, near
from hopwright.research.papers import acknowledgements, ends, relays
from hopwright.research.papers.run import Run


def topology(run: Run, number: str) -> float:
    """A number of `hopwright topology`: who is how many hops from whom, an instant a second.

    Of the pairs that a path joins at some time, their mean lengths' `mean_hops`, `median_hops`,
    `p95_hops`, `largest_hops`, `share_up_to_3`; means over time of `mean_degree`, `links`,
    `partitions`, `largest_partition_share`, `joined_pairs_share`. It takes no run.
    """
    known = run.topology()
    if number not in known:
        raise InputError(f"no number of the topology called '{number}'{near(number, known)}")
    return known[number]


def _relays(run: Run, node: int, at_s: float) -> frozenset[int]:
    if not 0 <= at_s <= run.duration_s:
        raise InputError(f"at_s = {at_s:g}: the run ends at {run.duration_s:g} s")
    folder = run.files(relays.recorded_keys())
    sent = run.kept("hellos", lambda: relays.sent_in(folder, run.nodes))
    return relays.chosen(sent, run.node(node), at_s)


def relay_count(run: Run, node: int, at_s: float) -> float:
    """How many multipoint relays of OLSR a node has at a time, as its HELLOs say."""
    return float(len(_relays(run, node, at_s)))


def is_relay(run: Run, of: int, node: int, at_s: float) -> float:
    """Whether a node is one of another's relays: 1 or 0."""
    return float(run.node(node) in _relays(run, of, at_s))


def acks_sent(run: Run) -> float:
    """Acknowledgements that the only flow's receiver sent, without that of its begin."""
    return float(len(run.acknowledgements()))


def acks_by_timer(run: Run) -> float:
    """Of these, those in whose instant no segment arrived."""
    return float(sum(each.is_by_timer for each in run.acknowledgements()))


def acks_by_timer_off(run: Run, tick_s: float) -> float:
    """Of these, those off every multiple of a tick."""
    if tick_s <= 0:
        raise InputError(f"tick_s = {tick_s:g}: seconds above 0, as 0.2")
    sent = run.acknowledgements()
    return float(sum(each.is_by_timer and each.is_off(tick_s) for each in sent))


def _traffic(run: Run, what: str, kind: str) -> ends.Traffic:
    folder = run.files(acknowledgements.recorded_keys())
    return run.kept("traffic", lambda: ends.traffic_in(folder))[what, kind]


def data_packets_arrived(run: Run) -> float:
    """Packets of data that reach receivers of TCP, of all flows."""
    return float(_traffic(run, "r", "tcp").packets)


def data_bps_arrived(run: Run) -> float:
    """Their bits with all headers from IP's on, per second of the run."""
    return 8 * _traffic(run, "r", "tcp").bytes / run.duration_s


def ack_packets_sent(run: Run) -> float:
    """Packets of acknowledgements that receivers of TCP send, of all flows."""
    return float(_traffic(run, "s", "ack").packets)


def ack_bps_sent(run: Run) -> float:
    """Their bits with all headers from IP's on, per second of the run."""
    return 8 * _traffic(run, "s", "ack").bytes / run.duration_s
