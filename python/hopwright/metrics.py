"""What is measured: the columns of a results table, as people read them.

A key is a column of the tidy table: a field of a flow (`goodput_bps`), or a field of the whole run
(`mac.collisions.total`), which then stands in the row of every flow.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from hopwright.errors import InputError, near
from hopwright.statistics.means import TALLIES


class Metric(NamedTuple):
    """A column of the results table."""

    key: str
    """The column's name; its values are in the unit that ends it."""
    title: str
    """What a person calls it, without the unit."""
    unit: str
    """The unit that it is shown in; empty for counts."""
    scale: float = 1.0
    """What a value is multiplied by to be in `unit`."""
    decimals: int = 0
    """Digits after the point that are worth showing."""
    better: Literal["higher", "lower", "neither"] = "neither"
    """Which way is an improvement; `neither` where that depends on what is wanted."""
    sum_over_flows: bool = False
    """Whether a run's value is the sum of its flows' values; else it is their mean."""

    def over_flows(self, values: Sequence[float]) -> float:
        """One number for the flows of a run, of which there is at least one: their sum or mean."""
        total = math.fsum(values)
        return total if self.sum_over_flows else total / len(values)

    def fitting(self, values: Iterable[float | None]) -> "Metric":
        """The metric in the multiple of its unit that shows digits of values so large.

        Only joules have one: those of a radio and those of an acknowledgement are far apart.
        """
        if not self.unit.endswith("J"):
            return self
        size = max((abs(value) for value in values if value is not None), default=0.0)
        unit, scale = joules(size)
        if not size or scale == self.scale:
            return self
        return self._replace(unit=unit, scale=scale, decimals=min(self.decimals, 2))

    @property
    def label_of_flows(self) -> str:
        """`goodput (kb/s), all flows`: the label where several flows are made one number."""
        if is_of_run(self.key):
            return self.label
        return f"{self.label}, {'all flows' if self.sum_over_flows else 'mean of flows'}"

    @property
    def label(self) -> str:
        """`goodput (kb/s)`: for axes and columns."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


JOULES = {"J": 1.0, "mJ": 1e3, "µJ": 1e6, "nJ": 1e9, "pJ": 1e12}
"""Multiples of the joule, and how many of each it has."""


def joules(size: float) -> tuple[str, float]:
    """The largest multiple of which `size` joules are one at least, and how many a joule has."""
    fits = ((unit, scale) for unit, scale in JOULES.items() if abs(size) * scale >= 1)
    return next(fits, ("pJ", JOULES["pJ"]) if size else ("J", 1.0))


GOODPUT = "goodput_bps"
WORST = "fairness.worst_goodput_bps"
JAIN = "fairness.jain"

SHARING = (GOODPUT, WORST, JAIN)
"""How several flows fare, which no single number says: their sum, the worst of them, how even."""

METRICS = (
    Metric(GOODPUT, "goodput", "kb/s", 1e-3, 1, "higher", sum_over_flows=True),
    Metric("goodput_segments", "segments acknowledged", "", 1, 0, "higher", sum_over_flows=True),
    Metric("received_bps", "received", "kb/s", 1e-3, 1, "higher", sum_over_flows=True),
    Metric("offered_bps", "offered", "kb/s", 1e-3, 1, sum_over_flows=True),
    Metric("completed_s", "flow completion time", "s", 1, 2, "lower"),
    Metric("segments_sent", "segments sent", "", sum_over_flows=True),
    Metric("retransmissions", "segments sent again", "", better="lower", sum_over_flows=True),
    Metric("rto_count", "time-outs", "", better="lower", sum_over_flows=True),
    Metric("rto_time_s", "time in time-outs", "s", 1, 2, "lower"),
    Metric("silence_probes", "probes of silence", "", better="lower", sum_over_flows=True),
    Metric("mean_cwnd_segments", "mean congestion window", "segments", 1, 2),
    Metric("max_cwnd_segments", "largest congestion window", "segments", 1, 2),
    Metric("mean_rtt_s", "mean round-trip time", "ms", 1e3, 1, "lower"),
    Metric("sd_rtt_s", "sd of round-trip times", "ms", 1e3, 1, "lower"),
    Metric("mean_data_in_flight", "mean data segments in the network", "", 1, 2),
    Metric("mean_acks_in_flight", "mean acknowledgements in the network", "", 1, 2),
    Metric("mean_hops", "mean hops", "", 1, 2),
    Metric("mean_rate_pps", "mean rate", "packets/s", 1, 1),
    Metric("sd_rate_pps", "sd of the rate", "packets/s", 1, 1, "lower"),
    Metric("mean_told_pps", "mean rate told by the way", "packets/s", 1, 1),
    Metric("feedbacks", "feedback", "", sum_over_flows=True),
    Metric("probes", "probes of the way", "", better="lower", sum_over_flows=True),
    Metric(
        "arrived_bps", "data that came over bundles", "kb/s", 1e-3, 1, "higher", sum_over_flows=True
    ),
    Metric("bundles_cut", "bundles", "", sum_over_flows=True),
    Metric("hops_made", "hops of bundles", "", sum_over_flows=True),
    Metric("parts_deleted", "parts of bundles deleted", "", better="lower", sum_over_flows=True),
    Metric("link_failures", "transfers that failed", "", better="lower", sum_over_flows=True),
    Metric("silent_probes", "probes without answer", "", better="lower", sum_over_flows=True),
    Metric("packets_without_room", "packets without room", "", better="lower", sum_over_flows=True),
    Metric("refusals", "bundles refused", "", better="lower", sum_over_flows=True),
    Metric("bundles_lost", "bundles lost", "", better="lower", sum_over_flows=True),
    Metric("bundles_delivered", "bundles delivered", "", better="higher", sum_over_flows=True),
    Metric("bundles_resent", "bundles sent again", "", better="lower", sum_over_flows=True),
    Metric("duplicate_packets", "packets that came again", "", better="lower", sum_over_flows=True),
    Metric("bundles.most_held", "most bundles in a node", "", better="lower"),
    Metric("bundles.left", "bundles left in nodes", "", better="lower"),
    Metric("openings", "probes after which data left", "", sum_over_flows=True),
    Metric("probing_time_s", "time without data, probing", "s", 1, 2, "lower"),
    Metric("mac.collisions.total", "frames lost to collisions", "", better="lower"),
    Metric("mac.channel_errors.total", "frames lost to the channel", "", better="lower"),
    Metric("mac.failures.rts_cts", "RTS exchanges given up", "", better="lower"),
    Metric("mac.failures.lost_packets", "packets lost by the MAC", "", better="lower"),
    Metric("mac.mean_queue_packets", "mean queue", "packets", 1, 2),
    Metric("reverse_bps", "reverse traffic", "kb/s", 1e-3, 1, "lower", sum_over_flows=True),
    Metric("medium_use.mac_utilisation", "MAC utilisation", "", 1, 3),
    Metric("medium_use.spatial_reuse.mean", "frames received at once, mean", "", 1, 3),
    Metric("medium_use.spatial_reuse.max", "frames received at once, most", ""),
    Metric("medium_use.independent_set.mean", "links that could send at once, mean", "", 1, 3),
    Metric("medium_use.independent_set.max", "links that could send at once, most", ""),
    Metric("medium_use.independent_set.exact", "samples of them that are exact", "", 1, 3),
    Metric("medium_use.contending_mac_flows", "contending MAC flows", "", 1, 2),
    Metric("routing.control_packets", "routing packets", "", better="lower"),
    Metric("routing.route_breaks", "route breaks", "", better="lower"),
    Metric("routing.false_route_breaks", "false route breaks", "", better="lower"),
    Metric("data_j", "energy for data", "J", 1, 2, "lower", sum_over_flows=True),
    Metric("acks_j", "energy for acknowledgements", "J", 1, 2, "lower", sum_over_flows=True),
    Metric("energy.radio_j", "energy", "J", 1, 1, "lower"),
    Metric("energy.communication_j", "communication energy", "J", 1, 2, "lower"),
    Metric("energy.j_per_received_bit", "energy per received bit", "µJ", 1e6, 3, "lower"),
    Metric(
        "energy.communication_j_per_received_bit",
        "communication energy per received bit",
        "µJ",
        1e6,
        3,
        "lower",
    ),
    Metric("energy.routing_j", "energy for routing", "J", 1, 2, "lower"),
    Metric("energy.compute_j", "energy for computation", "mJ", 1e3, 2, "lower"),
    Metric("compute.compute_j", "computation", "mJ", 1e3, 2, "lower", sum_over_flows=True),
    Metric("compute.j_per_sent_byte", "computation per sent byte", "nJ", 1e9, 2, "lower"),
    Metric(WORST, "goodput of the worst flow", "kb/s", 1e-3, 1, "higher"),
    Metric(JAIN, "Jain's index", "", 1, 3, "higher"),
)
"""The columns that have a name for people. Others are shown under their key, unscaled."""

IN_JOULES = re.compile(r"_j(\.|$)")
"""In a key: energy that adds up, as `energy.state_j.idle`."""


OF_RUNS = frozenset(
    {"bundles", "mac", "medium_use", "routing", "energy", "fairness", "events", "frames"}
)
"""How the keys of results begin that are of the whole run: every flow's row repeats them."""


def is_of_run(key: str) -> bool:
    """Whether a column holds a result of the whole run, not of a flow."""
    return key.partition(".")[0] in OF_RUNS


def metric(key: str, known: tuple[str, ...] | None = None) -> Metric:
    """The metric of a column.

    Raises `InputError` with the nearest right spelling where `known` columns are given and this is
    none of them.
    """
    if known is not None and key not in known:
        raise InputError(f"no result called '{key}'{near(key, known)}")
    named = next((each for each in METRICS if each.key == key), None)
    if named is None and IN_JOULES.search(key):
        return Metric(key, key, "J", 1, 2, sum_over_flows=not is_of_run(key))
    is_count = key.partition(".")[0] in TALLIES
    return named or Metric(key, key, "", 1, 0 if is_count else 3, sum_over_flows=is_count)
