"""What each of ns-2's choices in routing costs: tables for `differences.md`, in Markdown.

    .venv/bin/python validation/choices.py [--protocol aodv] [--runs N] [--jobs N]

A choice is a key whose value in profile `ns2` is not the RFC's. Each alone is set to the RFC's
value; the change of the goodput of one Reno connection is a mean over seeds, which are the same on
both sides.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hopwright._run.execute import core_count
from hopwright.statistics.paired import paired
from own import run_text, total
from reference import MOVEMENTS

RUNS = 15
STRING_S = 120
MOVING_S = 200


class Place(NamedTuple):
    """Where the connection is."""

    title: str
    topology: str
    source: int
    destination: int
    duration_s: int


PLACES = (
    Place("4 hops", '{ kind = "chain", hops = 4 }', 0, 4, STRING_S),
    Place("8 hops", '{ kind = "chain", hops = 8 }', 0, 8, STRING_S),
    *(
        Place(f"10 m/s, file {n}", f"{{ kind = 'ns2', file = '{file}' }}", source, target, MOVING_S)
        for n, source, target in ((1, 37, 7), (2, 17, 33))
        for file in [MOVEMENTS / f"rwp_strip_v10_s{n}.tcl"]
    ),
)

Settings = Mapping[str, str]


@dataclass(frozen=True)
class Choice:
    """A row: what is set, beside what."""

    text: str
    settings: Settings
    baseline: Settings


SWITCHES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "aodv": {
        "my_route_timeout_s": ("10", "20"),
        "net_diameter": ("30", "35"),
        "node_traversal_time_ms": ("30", "40"),
        "path_discovery_time_ms": ("6000", "5600"),
        "ttl_start": ("5", "1"),
        "rreq_retries": ("3", "2"),
        "release_gap_ms": ("10", "0"),
    },
    "dsr": {"flow_state": ("true", "false"), "release_gap_ms": ("30", "0")},
}
"""Keys with ns-2's value and the RFC's."""

RFC = {"profile": '"rfc"'}
DIALECT = Choice("`profile` ns2 → rfc: these and the dialect", RFC, {})
LEARNING = {"two_way_links": "false", "promiscuous": "false", "request_period_ms": "2000"}
"""With these, the RFC's dialect of DSR learns less and repeats searches later, much as ns-2's."""
WITHIN = {
    "aodv": (
        Choice("in `rfc`: `local_repair` true → false", RFC, {**RFC, "local_repair": "true"}),
    ),
    "dsr": (
        Choice("`request_period_ms` 500 → 125", {"request_period_ms": "125"}, {}),
        Choice("in `rfc`: `cache` path → link", RFC, {**RFC, "cache": '"path"'}),
        Choice("in `rfc`: `reply_delay_ms` 0 → 2", RFC, {**RFC, "reply_delay_ms": "0"}),
        Choice("in `rfc`: `two_way_links` false → true", RFC, {**RFC, "two_way_links": "false"}),
        Choice("in `rfc`: `promiscuous` false → true", RFC, {**RFC, "promiscuous": "false"}),
        Choice(
            "in `rfc`: `request_period_ms` 2000 → 500", RFC, {**RFC, "request_period_ms": "2000"}
        ),
        Choice("in `rfc`: these three", RFC, {**RFC, **LEARNING}),
        Choice("`profile` ns2 → rfc with the first values of these three", {**RFC, **LEARNING}, {}),
    ),
}
"""What ns-2 does in any case and the RFC's dialect can be told to do."""


def rows_of(protocol: str) -> Iterator[Choice]:
    """A row for each switch, one for all, one for the dialect, and those within it."""
    switches = SWITCHES[protocol]
    for key, (old, new) in switches.items():
        yield Choice(f"`{key}` {old} → {new}", {key: new}, {})
    yield Choice("all of these", {key: new for key, (_, new) in switches.items()}, {})
    yield DIALECT
    yield from WITHIN[protocol]


def main() -> int:
    """Prints the tables."""
    options = _options()
    for protocol in [options.protocol] if options.protocol else SWITCHES:
        print("\n".join(_table(protocol, options.runs, options.jobs)), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What each of ns-2's choices in routing costs.")
    parser.add_argument("--protocol", choices=SWITCHES, help="only its table [all tables]")
    parser.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help=f"seeds of each cell [{RUNS}]"
    )
    parser.add_argument(
        "--jobs", type=int, default=core_count(), metavar="N", help="runs at a time [one per core]"
    )
    return parser.parse_args()


def _table(protocol: str, runs: int, jobs: int) -> Iterator[str]:
    seen: dict[tuple[Place, frozenset[tuple[str, str]]], list[float]] = {}

    def goodputs(place: Place, settings: Settings) -> list[float]:
        key = (place, frozenset(settings.items()))
        if key not in seen:
            found = run_text(scenario(place, protocol, settings), range(1, runs + 1), jobs)
            seen[key] = [total(result, "flows", "goodput_bps") for result in found]
            print(protocol, place.title, dict(settings), file=sys.stderr, flush=True)
        return seen[key]

    heads = ["choice", *(place.title for place in PLACES)]
    yield f"| {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(PLACES)}"
    means = (f"{sum(goodputs(place, {})) / runs / 1e3:.1f} kb/s" for place in PLACES)
    yield f"| {' | '.join(['all as in ns-2', *means])} |"
    for choice in rows_of(protocol):
        cells = (
            _change(goodputs(place, choice.settings), goodputs(place, choice.baseline))
            for place in PLACES
        )
        yield f"| {' | '.join([choice.text, *cells])} |"


def _change(new: list[float], old: list[float]) -> str:
    if new == old:
        return "0"
    found = paired(new, old)
    if found.relative is None or found.relative.ends is None:
        raise LookupError("a connection that carries next to nothing has no relative change")
    low, high = found.relative.ends
    return f"{_percent(found.relative.estimate)} ({_percent(low)} to {_percent(high)})"


def _percent(share: float) -> str:
    return f"{share * 100:+.1f}".replace("-", "−") + " %"


def scenario(place: Place, protocol: str, settings: Settings) -> str:
    """One Reno connection in a place, with some keys of its routing set."""
    keys = "\n".join(f"{key} = {value}" for key, value in settings.items())
    return f"""
        profile = "ns2"
        duration_s = {place.duration_s}
        topology = {place.topology}
        [[flows]]
        from = {place.source}
        to = {place.destination}
        start_s = 1
        transport.protocol = "reno"
        [routing]
        protocol = "{protocol}"
        [routing.{protocol}]
        {keys}
    """


if __name__ == "__main__":
    sys.exit(main())
