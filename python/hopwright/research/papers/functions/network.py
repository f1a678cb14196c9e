"""Numbers of the network: hops between nodes, multipoint relays, packets at both ends of TCP."""

from hopwright._io.errors import InputError, near
from hopwright.research.papers import acknowledgements, ends, relays
from hopwright.research.papers.run import Run


def topology(run: Run, number: str) -> float:
    """A number of `hopwright topology`, which examines the network once a second, without a run.

    `mean_hops`, `median_hops`, `p95_hops`, `largest_hops` and `share_up_to_3` are statistics over
    pairs of nodes. A pair counts if a path exists between its nodes at some time. The hops of a
    pair are the mean over the times at which a path exists. `mean_degree`, `links`, `partitions`,
    `largest_partition_share` and `joined_pairs_share` are means over time.
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
    """Number of multipoint relays (OLSR) that a node has at `at_s`, according to its HELLOs."""
    return float(len(_relays(run, node, at_s)))


def is_relay(run: Run, of: int, node: int, at_s: float) -> float:
    """1 if `node` is a multipoint relay of the node `of` at `at_s`, otherwise 0."""
    return float(run.node(node) in _relays(run, of, at_s))


def acks_sent(run: Run) -> float:
    """Acknowledgements that the receiver of the only flow sent, without that of the handshake."""
    return float(len(run.acknowledgements()))


def acks_by_timer(run: Run) -> float:
    """Acknowledgements of `acks_sent` that a timer caused: they left when no segment arrived."""
    return float(sum(each.is_by_timer for each in run.acknowledgements()))


def acks_by_timer_off(run: Run, tick_s: float) -> float:
    """Acknowledgements of `acks_by_timer` whose time is not a multiple of `tick_s`."""
    if tick_s <= 0:
        raise InputError(f"tick_s = {tick_s:g}: must be above 0 seconds, such as 0.2")
    sent = run.acknowledgements()
    return float(sum(each.is_by_timer and each.is_off(tick_s) for each in sent))


def _traffic(run: Run, what: str, kind: str) -> ends.Traffic:
    folder = run.files(acknowledgements.recorded_keys())
    return run.kept("traffic", lambda: ends.traffic_in(folder))[what, kind]


def data_packets_arrived(run: Run) -> float:
    """Packets with data that reached the TCP receivers of all flows."""
    return float(_traffic(run, "r", "tcp").packets)


def data_bps_arrived(run: Run) -> float:
    """Bits of the packets of `data_packets_arrived`, IP headers included, per second of the run."""
    return 8 * _traffic(run, "r", "tcp").bytes / run.duration_s


def ack_packets_sent(run: Run) -> float:
    """Acknowledgements that the TCP receivers of all flows sent, in packets."""
    return float(_traffic(run, "s", "ack").packets)


def ack_bps_sent(run: Run) -> float:
    """Bits of the packets of `ack_packets_sent`, IP headers included, per second of the run."""
    return 8 * _traffic(run, "s", "ack").bytes / run.duration_s
