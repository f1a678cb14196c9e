"""The scenarios of the comparisons, and their runs."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hopwright._io.data import Json, items, number
from hopwright._run.execute import execute, result_of
from hopwright.runs.run import load
from hopwright.statistics.moments import Moments
from reference import MOVEMENTS

SOME_SEEDS = 3
"""Runs of each scenario when a quick look is enough."""

PAYLOAD_BYTES = 1460
RADIUS_M = 50
OVERLOAD_KBPS = 2000
"""A sender that offers the whole data rate always has a packet."""


def tcp_string(
    hops: int,
    protocol: str,
    routing: str,
    *,
    window: int = 64,
    k: int | None = None,
    acking: str = "every",
    rts_threshold_bytes: int = 0,
) -> str:
    """One transfer along a string for 300 s, as `ns2/tcp.tcl` does it; `k`: of slow growth.

    `routing` is a protocol, or a whole table. ns-2's Vegas counts headers in `packetSize_`, the
    others add them.
    """
    size = 1420 if protocol == "vegas" else 1460
    slow = "" if k is None else f"k = {k}"
    return f"""
        profile = "ns2"
        duration_s = 301
        topology = {{ kind = "chain", hops = {hops} }}
        mac.rts_threshold_bytes = {rts_threshold_bytes}
        routing = {_table(routing)}
        [[flows]]
        from = 0
        to = {hops}
        start_s = 1
        [flows.transport]
        acking = "{acking}"
        protocol = "{protocol}"
        segment_bytes = {size}
        window_limit_segments = {window}
        {slow}
    """


def _table(routing: str) -> str:
    return routing if routing.startswith("{") else f'{{ protocol = "{routing}" }}'


DSR_UU = '{ protocol = "dsr", dsr = { profile = "dsr-uu" } }'


def tcp_grid(acking: str, rts_threshold_bytes: int) -> str:
    """Three NewReno transfers along the outer rows and the middle one of a grid, for 300 s."""
    flows = "".join(
        f'''
        [[flows]]
        from = {first}
        to = {first + 4}
        start_s = 1
        transport = {{ protocol = "newreno", acking = "{acking}" }}
    '''
        for first in (0, 10, 20)
    )
    return f"""
        profile = "ns2"
        duration_s = 301
        topology = {{ kind = "grid", rows = 5, columns = 5 }}
        mac.rts_threshold_bytes = {rts_threshold_bytes}
        routing.protocol = "static"
        {flows}
    """


def mobile(file: str, source: int, destination: int, routing: str = "aodv") -> str:
    """One transfer between two of fifty moving nodes for 890 s; `routing` as in `tcp_string`."""
    return f"""
        profile = "ns2"
        duration_s = 895
        topology = {{ kind = "ns2", file = '{MOVEMENTS / file}' }}
        routing = {_table(routing)}
        [[flows]]
        from = {source}
        to = {destination}
        start_s = 5
        transport.protocol = "reno"
    """


def udp_string(hops: int, rate_kbps: float, rts_threshold_bytes: int) -> str:
    """Datagrams along a string, counted for 60 s, as `ns2/udp.tcl` does it."""
    return f"""
        profile = "ns2"
        duration_s = 66
        warm_up_s = 6
        topology = {{ kind = "chain", hops = {hops} }}
        mac.rts_threshold_bytes = {rts_threshold_bytes}
        routing.protocol = "static"
    """ + _datagrams(0, hops, 1.0, rate_kbps)


def energy_string(hops: int, interval_s: float, rts_threshold_bytes: int, powers: str) -> str:
    """Datagrams along a string, as `ns2/energy.tcl` sends them; W to transmit, receive and wait."""
    transmit_w, receive_w, idle_w = powers.split(",")
    return f"""
        profile = "ns2"
        duration_s = 61
        topology = {{ kind = "chain", hops = {hops} }}
        mac.rts_threshold_bytes = {rts_threshold_bytes}
        routing.protocol = "static"
        [radio.energy]
        transmit_w = {transmit_w}
        receive_w = {receive_w}
        idle_w = {idle_w}
        [[flows]]
        from = 0
        to = {hops}
        app = "cbr"
        rate_kbps = {8 / interval_s}
        payload_bytes = 1000
        jitter = 0
        start_s = 1
    """


def star(senders: int, profile: str, rts_threshold_bytes: int, duration_s: int) -> str:
    """Saturated senders on a circle around one receiver, counted from 6 s on."""
    flows = (_datagrams(k + 1, 0, 1 + k / 1000, OVERLOAD_KBPS) for k in range(senders))
    return f"""
        profile = "{profile}"
        duration_s = {duration_s}
        warm_up_s = 6
        topology = {{ kind = "star", leaves = {senders}, radius_m = {RADIUS_M} }}
        mac.rts_threshold_bytes = {rts_threshold_bytes}
        routing.protocol = "static"
    """ + "".join(flows)


def ofdm_star(senders: int, phy: str, mbps: int, slot_us: int, eifs: str) -> str:
    """Saturated senders with a rate of OFDM, counted for 20 s, as `ns3/saturation.cc` does it."""
    flows = (_datagrams(k + 1, 0, 1 + k / 1000, mbps * 1000) for k in range(senders))
    return f"""
        duration_s = 22
        warm_up_s = 2
        topology = {{ kind = "star", leaves = {senders}, radius_m = {RADIUS_M} }}
        mac.phy = "{phy}"
        mac.data_rate_mbps = {mbps}
        mac.slot_us = {slot_us}
        mac.eifs = "{eifs}"
        mac.rts = "none"
        routing.protocol = "static"
    """ + "".join(flows)


def _datagrams(source: int, destination: int, start_s: float, rate_kbps: float) -> str:
    return f"""
        [[flows]]
        from = {source}
        to = {destination}
        app = "cbr"
        rate_kbps = {rate_kbps}
        payload_bytes = {PAYLOAD_BYTES}
        jitter = 0.5
        start_s = {start_s}
        transport.protocol = "udp"
    """


class Lab:
    """Runs scenarios, each only once."""

    def __init__(self, jobs: int, *, quick: bool) -> None:
        self.jobs = jobs
        self.quick = quick
        self._done: dict[tuple[str, int], list[Json]] = {}

    def results(self, scenario: str, count: int) -> list[Json]:
        """The summaries of runs with seeds 1 to `count`."""
        count = min(count, SOME_SEEDS) if self.quick else count
        found = self._done.get((scenario, count))
        if found is None:
            found = run_text(scenario, range(1, count + 1), self.jobs)
            self._done[scenario, count] = found
        return found

    def sample(self, scenario: str, count: int, *path: str | int) -> Moments:
        """One number of every run; a number of flows is summed over the flows."""
        return Moments.of([total(result, *path) for result in self.results(scenario, count)])


def run_text(scenario: str, seeds: Sequence[int], jobs: int) -> list[Json]:
    """Runs a scenario given as text, without the time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.toml"
        path.write_text(scenario)
        loaded = load(path).check()
    found = [result_of(run) for run in execute(loaded, seeds, jobs=jobs)]
    for result in found:
        if isinstance(result, dict):
            result.pop("wall_s")
    return found


def of_flow(result: Json, place: int, name: str) -> float:
    """A number of one of a run's flows, by its place from 0."""
    found = number(items(result, "flows")[place], name)
    if found is None:
        raise LookupError(f"no {name} of flow {place} in the summary")
    return found


def total(result: Json, *path: str | int) -> float:
    """A number of a run's summary."""
    first, *rest = path
    parts = items(result, first)
    found = [number(part, *rest) for part in parts] if parts else [number(result, *path)]
    present = [value for value in found if value is not None]
    if len(present) != len(found):
        raise LookupError(f"no {'.'.join(map(str, path))} in the summary")
    return sum(present)
