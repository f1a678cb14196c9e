"""Starvation: a flow gets next to nothing of what it could have beside the others.

A sum over flows hides it, and so does a mean. What counts, and why so:

- The measure is goodput, of UDP what was received, over the time in which the application could
  send: a flow that starts late or stops early is not taken for one that was held down.
- A flow's due is an equal share, the mean of all flows' measures, or what its application offers if
  that is less: who wants little and gets it does not starve.
- It starves below `SHARE` of its due. Throughputs in these networks "span orders of magnitude"
  (Garetto, Salonidis and Knightly, "Modeling per-flow throughput and capturing starvation in CSMA
  multi-hop wireless networks", IEEE/ACM Trans. Netw. 16 (2008)): an order of magnitude below the
  mean is where this program calls it starving. The number is a convention, no measurement.
- Only flows are judged that could send for `LEAST_SENDING_S`, and for `LEAST_PART` of the time of
  the one that could longest. A beginning of up to four lost SYNs takes 1 + 2 + 4 + 8 = 15 s (RFC
  6298, section 5), half of that time, so a slow start alone is not enough to be below `SHARE`.

Each run is judged by itself: which flow starves may be a matter of luck, and then a mean over runs
shows none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hopwright._io.data import Json, Object, is_number, items
from hopwright._io.plural import many
from hopwright.results.metrics import GOODPUT, over
from hopwright.results.nodes import ends_of, shared
from hopwright.statistics.means import mean

SHARE = 0.1
"""The part of its due below which a flow starves."""

LEAST_SENDING_S = 30.0
"""Simulated time in which a flow must have been able to send, to be judged."""

LEAST_PART = 0.5
"""Of the time in which the run's longest flow could send, the part that a flow needs likewise."""

FIELDS = ("from", "to", "from_name", "to_name", "protocol", "goodput_bps", "received_bps")
TIMES = ("measured_s", "sending_s", "offered_bps")
COLUMNS = (*FIELDS, *TIMES)
"""What is read of a flow's result, or of its row in a table."""

MOST_WARNED = 5
"""Settings at which a flow starves that are told of one by one: of more, a line says it all."""

MOST_NAMED = 3
"""Starving flows that a sentence names; the numbers have them all."""


@dataclass(frozen=True, kw_only=True)
class Starving:
    """A flow in the runs in which it starves."""

    flow: int
    source: int | None
    destination: int | None
    ends: str | None
    """Both as a person reads them: `10 → 14`. None where they are not the same in these runs."""
    runs: int
    """In how many runs it starves."""
    goodput_bps: float
    """What it gets while it could send, on average over these runs; of UDP, what is received."""
    share: float
    """The part of its due that this is, on average over these runs."""
    wants_less: bool
    """Whether its due is what its application offers, in all of them: less than an equal share."""


@dataclass(frozen=True, kw_only=True)
class Starvation:
    """The flows that starve at one setting."""

    runs: int
    """Runs in which a flow starves."""
    of: int
    """All runs."""
    flows: tuple[Starving, ...]
    """Who starves in the most runs comes first."""

    def to_dict(self) -> Object:
        """As JSON holds it."""
        return {
            "runs": self.runs,
            "of": self.of,
            "flows": [
                {
                    "flow": each.flow,
                    "from": each.source,
                    "to": each.destination,
                    "runs": each.runs,
                    "goodput_bps": each.goodput_bps,
                    "share": each.share,
                    "wants_less": each.wants_less,
                }
                for each in self.flows
            ],
        }

    def said(self, where: str = "") -> str:
        """`a flow starves with reno in 9 of 10 runs: flow 1 (10 → 14) gets 0.4 kb/s, ...`."""
        count = "a flow starves" if len(self.flows) == 1 else f"{len(self.flows)} flows starve"
        where = f" {where}" if where else ""
        often = f" in {self.runs} of {self.of} runs" if self.of > 1 else ""
        named = "; ".join(self._flow(each) for each in self.flows[:MOST_NAMED])
        more = len(self.flows) - MOST_NAMED
        return f"{count}{where}{often}: {named}{f'; and {more} more' if more > 0 else ''}"

    def _flow(self, each: Starving) -> str:
        due = "what it offers" if each.wants_less else "an equal share"
        often = ""
        if len(self.flows) > 1 and self.of > 1:
            often = f" in {many(each.runs, 'run')}"
        return (
            f"{_named(each.flow, each.ends)} gets "
            f"{_digits(each.goodput_bps / 1e3)} kb/s{often}, {_digits(100 * each.share)} % of {due}"
        )


def warnings_at(found: Sequence[tuple[str, Starvation]], of: int) -> list[str]:
    """A line for each setting at which a flow starves; if they are many, one for all of them.

    `found`: the settings as they are told, `mac.cw_min=31`, with who starves there; `of`: how many
    settings there are.
    """
    if len(found) <= MOST_WARNED:
        return [starved.said(f"at {setting}") for setting, starved in found]
    flows: dict[int, list[Starving]] = {}
    for _, starved in found:
        for each in starved.flows:
            flows.setdefault(each.flow, []).append(each)
    worst = sorted(flows.values(), key=lambda told: (-len(told), told[0].flow))
    named = "; ".join(map(_ranged, worst[:MOST_NAMED]))
    more = len(worst) - MOST_NAMED
    rest = f"; and {many(more, 'more flow')}" if more > 0 else ""
    return [f"flows starve at {len(found)} of {of} settings: {named}{rest}"]


def _ranged(told: Sequence[Starving]) -> str:
    """`flow 1 (10 → 14) at 6 of them, where it gets 1.2 to 6.7 kb/s`."""
    least, most = (_digits(end([each.goodput_bps for each in told]) / 1e3) for end in (min, max))
    name = _named(told[0].flow, shared(each.ends for each in told))
    return f"{name} at {len(told)} of them, where it gets {least} to {most} kb/s"


def _named(flow: int, ends: str | None) -> str:
    """`flow 1 (10 → 14)`."""
    return f"flow {flow} ({ends})" if ends else f"flow {flow}"


@dataclass(frozen=True)
class _Flow:
    """What counts of a flow in one run."""

    rate_bps: float
    """While it could send."""
    offered_bps: float | None
    """While it could send; None if it has always more."""
    sending_s: float


Flow = Mapping[str, object]
"""A flow's result, or its row in a table: what `COLUMNS` name."""


@dataclass(frozen=True)
class Hungry:
    """A flow that starves in one run."""

    source: int
    destination: int
    ends: str
    rate_bps: float
    share: float
    wants_less: bool


def hungry(flows: Sequence[Flow]) -> dict[int, Hungry]:
    """The flows that starve in one run, by their numbers."""
    known = {index: read for index, flow in enumerate(flows) if (read := _read(flow))}
    if len(flows) < 2 or not known:
        return {}
    equal = mean([each.rate_bps for each in known.values()])
    least_s = max(LEAST_SENDING_S, LEAST_PART * max(each.sending_s for each in known.values()))
    found = {}
    for index, each in known.items():
        offered = equal if each.offered_bps is None else each.offered_bps
        due = min(equal, offered)
        if each.sending_s >= least_s and each.rate_bps < SHARE * due:
            flow = flows[index]
            ends = _whole(flow.get("from")), _whole(flow.get("to")), ends_of(flow)
            found[index] = Hungry(*ends, each.rate_bps, each.rate_bps / due, offered < equal)
    return found


def hungry_in(result: Json) -> dict[int, Hungry]:
    """The flows that starve in an element of a summary's `results`."""
    return hungry([flow for flow in items(result, "flows") if isinstance(flow, dict)])


def starvation(runs: Sequence[Mapping[int, Hungry]]) -> Starvation | None:
    """Who starves in runs of one setting; None if nobody does in any."""
    of_flows: dict[int, list[Hungry]] = {}
    for run in runs:
        for index, each in run.items():
            of_flows.setdefault(index, []).append(each)
    if not of_flows:
        return None
    flows = [
        Starving(
            flow=index,
            source=shared(each.source for each in found),
            destination=shared(each.destination for each in found),
            ends=shared(each.ends for each in found),
            runs=len(found),
            goodput_bps=mean([each.rate_bps for each in found]),
            share=mean([each.share for each in found]),
            wants_less=all(each.wants_less for each in found),
        )
        for index, found in of_flows.items()
    ]
    flows.sort(key=lambda each: (-each.runs, each.share, each.flow))
    return Starvation(runs=sum(map(bool, runs)), of=len(runs), flows=tuple(flows))


def of_results(results: Iterable[Json]) -> Starvation | None:
    """Who starves in runs given as elements of a summary's `results`."""
    return starvation([hungry_in(result) for result in results])


def _read(flow: Flow) -> _Flow | None:
    """None where a flow could never send, or the result is of a program that did not tell."""
    got_bps = _number(flow.get(over(flow.get("protocol"), GOODPUT)))
    measured_s, sending_s = _number(flow.get("measured_s")), _number(flow.get("sending_s"))
    offered_bps = _number(flow.get("offered_bps"))
    if got_bps is None or measured_s is None or not sending_s:
        return None
    longer = measured_s / sending_s
    offer = None if offered_bps is None else offered_bps * longer
    return _Flow(got_bps * longer, offer, sending_s)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and is_number(value) else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) else -1


def _digits(value: float) -> str:
    """Two digits that count, but no more than one after the point from 1 on."""
    return f"{value:.1f}" if value >= 1 or not value else f"{value:.2g}"
