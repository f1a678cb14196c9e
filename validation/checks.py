"""The rows of the validation, in the order of the report.

An entry is cheap to make; calling it runs what it needs. Its `name` is a path that `--only`
selects by.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import contention
import ofdm
import reference
from formulas import Cell
from hopwright.statistics.moments import Moments
from intervals import exact, median_ratio, ratio_of_means, sum_of
from own import (
    DSR_UU,
    PAYLOAD_BYTES,
    RADIUS_M,
    Lab,
    energy_string,
    mobile,
    run_text,
    star,
    tcp_string,
    udp_string,
)
from rows import (
    COUNT,
    JOULES,
    MICROSECONDS,
    Entry,
    Row,
    Statement,
    compare,
    show_ratio,
)

ROOT = reference.HERE.parent
HOPS = range(1, 9)
AGENTS = {"reno": "Reno", "newreno": "Newreno"}
"""Protocols: our name, ns-2's."""
STATIC_AGENTS = {**AGENTS, "sack": "Sack1", "vegas": "Vegas"}
LONG = range(4, 9)
"""Strings on which stations are hidden from each other."""
SLOW_K = (0, 2, 5, 10, 20, 50)
ACCESS = {"rts": 0, "basic": 3000}
"""Thresholds above which a frame is preceded by RTS/CTS."""
GOODPUT = ("flows", "goodput_bps")
SEGMENTS = ("flows", "goodput_segments")
RECEIVED = ("flows", "received_bps")
WINDOWS = (*range(1, 11), 64)

STATIC_SEEDS = 20
COUNTER_SEEDS = 100
"""Counts of failures vary by some 5 % from run to run, and our runs are cheaper than ns-2's."""
FOUND_SEEDS = 30
UDP_SEEDS = 10
MOBILE_SEEDS = 5
MOBILE = {
    "AODV": ("mobile", "random-waypoint", "aodv", 0.10),
    "DSR": ("mobile-dsr", "random-waypoint", "dsr", 0.25),
    "DSRUU": ("mobile-dsr-uu", "dsr-uu-moving", DSR_UU, 0.25),
}
"""Moving nodes, by ns-2's name of the routing: name of the rows, table, our routing, tolerance."""


@dataclass(frozen=True)
class Section:
    """A heading, what it is about, its rows."""

    title: str
    text: str
    entries: tuple[Entry, ...]


def sections() -> Iterator[Section]:
    """The whole validation."""
    yield Section(
        "Closed forms",
        "One sender with always a packet of 1460 bytes of UDP payload, 50 m from the receiver: "
        "mean time from packet to packet against DIFS + mean back-off + exchange. Runs of 300 s.",
        tuple(_formulas()),
    )
    yield Section(
        "Golden trace",
        "The first, uncontended frames of an ns-2 run over a 4-hop string, with the trace's own "
        "back-off draws.",
        (Entry("golden", _golden),),
    )
    yield Section(
        "Saturation against ns-2",
        "n senders on a circle of 50 m around one receiver, 1460 bytes of payload; payload "
        "received from 6 to 66 s.",
        tuple(_saturation()),
    )
    yield Section(
        "Saturation against Bianchi",
        "The same with profile `standard`, against the fixed point of Bianchi's model (W = 32, "
        "m = 5). The model lets a station go on after DIFS when it saw a collision; with 50 "
        "stations EIFS in the collision time is no longer small, and is put in.",
        tuple(_bianchi()),
    )
    yield Section(
        "Saturation against ns-3",
        "The same without RTS at rates of 802.11a and 802.11g, profile `standard`, against ns-3.37 "
        "(`validation/ns3/saturation.cc`); payload received from 2 to 22 s. ns-3's stations wait "
        "for DIFS after a collision of which no preamble was seen; so do ours here, by "
        '`mac.eifs = "never"`. Rows that end with `eifs`: for information, with EIFS as the '
        "standard has it.",
        tuple(ofdm.saturation()),
    )
    yield Section(
        "Strings over static routes",
        "One TCP transfer over 1 to 8 hops of 200 m, 300 s. Collisions: frames lost at their "
        "addressee. Failures: RTS given up; they vary by 5 % from run to run, so the counts come "
        "from more of our runs. Time-outs, and `all` retransmissions, are those of 4 to 8 hops "
        "together.",
        tuple(_static()),
    )
    yield Section(
        "RTS/CTS over strings",
        "NewReno over static routes, 300 s, acknowledgements for every segment (plain) or every "
        "second one (delayed), RTS/CTS before all packets (full), before data (partial) or never "
        "(none). Collisions by kind, of frames lost at their addressee; packets that the MAC gave "
        "up with RTS/CTS before all; by how many percent goodput is above that of full, and by how "
        "many points that differs from ns-2's. Counts below 150 a run are for information; `all`, "
        "the strings of 4 to 8 hops together, is judged.",
        tuple(contention.over_strings()),
    )
    yield Section(
        "RTS/CTS in a grid",
        "Three NewReno flows along the first, the third and the fifth row of 5 x 5 nodes, 200 m "
        "apart: segments of the two outer flows, and of the one between them, which starves.",
        tuple(contention.in_a_grid()),
    )
    yield Section(
        "Slow growth",
        "SCA, k = 10, against the same protocol without it, over 4 to 8 hops: the ratio of "
        "goodputs is to be above 1 over AODV; over static routes it tells how much of that is won "
        "without false route breaks. Then Reno's goodput over k relative to k = 10, over 6 hops "
        "of AODV: from 10 on it is to be flat within 10 %.",
        tuple(_slow()),
    )
    yield Section(
        "Window limits",
        "NewReno over static routes with an advertised window of 1 to 10 and 64 segments.",
        tuple(_windows()),
    )
    yield Section(
        "UDP over strings",
        "Offered load swept over the rates of ns-2's table, payload received from 6 to 66 s: its "
        "largest mean over the rates, each side at its own best rate, and its mean at the largest "
        "rate.",
        tuple(_udp()),
    )
    yield Section(
        "Energy over strings",
        "What the radio of each node takes in 61 s, under datagrams of 1000 bytes: one each 0.1 s, "
        "which never meet (waits), with all powers; or one each 5 ms, more than there is room for "
        "(saturated), with nothing for waiting, so that only frames count. See "
        "[energy.md](energy.md#against-ns-2).",
        tuple(_energy()),
    )
    yield Section(
        "Strings over AODV",
        "The same transfers over AODV with ns-2's rules. An order of Reno and NewReno is looked at "
        "only where ns-2's own interval tells them apart.",
        tuple(_aodv()),
    )
    yield Section(
        "Strings over DSR",
        "The same transfers over DSR with ns-2's rules.",
        tuple(_dsr()),
    )
    yield Section(
        "Strings over DSR-UU",
        "Reno and NewReno, plain and with slow congestion avoidance (k = 4), over DSR-UU itself: "
        "the implementation that Papanastasiou's thesis names, in ns-2.35 (see "
        "`validation/ns2/README.md`). Ours is DSR with the profile `dsr-uu` "
        "([thesis-routing.md](thesis-routing.md#dsr-uu-as-its-source-has-it)). DSR-UU counts 20 "
        "bytes of each packet twice, and carries up to 2 % less.",
        tuple(_dsr_uu()),
    )
    yield Section(
        "Mobile",
        "One Reno transfer over AODV among 50 nodes in a strip of 1500 m x 300 m, 890 s, for 12 "
        "movement files. The row is the median of the files' ratios; its interval draws files and "
        "runs anew.",
        tuple(_mobile("AODV")),
    )
    yield Section(
        "Mobile over DSR",
        "The same over DSR with ns-2's rules, which keep routes without a time limit.",
        tuple(_mobile("DSR")),
    )
    yield Section(
        "Mobile over DSR-UU",
        "The same over DSR-UU itself. In some runs of both programs, the connection stands still "
        "for minutes, because DSR-UU caches at most 100 links and forgets none until it breaks.",
        tuple(_mobile("DSRUU")),
    )
    yield Section(
        "Determinism",
        "Everything a run reports, its event-log fingerprint included, from one job and from two.",
        tuple(_determinism()),
    )


def _formulas() -> Iterator[Entry]:
    for profile in ("ns2", "standard"):
        for access in ACCESS:
            yield Entry(f"formula/{profile}/{access}", partial(_cycle, profile, access))


def cell(profile: str, access: str) -> Cell:
    """The star's cell as a profile has it: ns-2 has a shorter header, and draws from {0..cw-1}."""
    header, slots = {"ns2": (34, 15.0), "standard": (36, 15.5)}[profile]
    return Cell(PAYLOAD_BYTES, header, slots, RADIUS_M, rts=access == "rts")


def _cycle(profile: str, access: str, lab: Lab) -> Row:
    results = lab.sample(star(1, profile, ACCESS[access], 306), 10, *RECEIVED)
    bits = PAYLOAD_BYTES * 8
    microseconds = bits / results.mean * 1e6
    own = Moments(microseconds, microseconds * results.sd / results.mean, results.n)
    expected = exact(cell(profile, access).cycle_us)
    return compare(own, expected, 0.001, MICROSECONDS)


def _golden(_lab: Lab) -> Row:
    command = ["cargo", "test", "--quiet", "--locked", "--release"]
    command += ["-p", "hopwright-sim", "--test", "it", "golden::"]
    environment = {"CARGO_TARGET_DIR": str(ROOT / "target"), **os.environ}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    text = "`crates/sim/tests/golden.rs`: sender, kind and order agree, times to the microsecond"
    return Statement(text, done.returncode == 0 and b"1 passed" in done.stdout)


def _saturation() -> Iterator[Entry]:
    for access in ACCESS:
        for senders in (1, 2, 5, 10, 20):
            name = f"saturation/ns2/{access}/{senders}"
            yield Entry(name, partial(_saturation_row, access, senders))


def _saturation_row(access: str, senders: int, lab: Lab) -> Row:
    threshold = ACCESS[access]
    own = lab.sample(star(senders, "ns2", threshold, 66), STATIC_SEEDS, *RECEIVED)
    other = reference.sample("saturation", "throughput_bps", nn=senders, rts=threshold)
    return compare(own, other, 0.01)


def _bianchi() -> Iterator[Entry]:
    for access in ACCESS:
        for senders in (2, 3, 5, 10, 20, 50):
            name = f"saturation/bianchi/{access}/{senders}"
            yield Entry(name, partial(_bianchi_row, access, senders))


def _bianchi_row(access: str, senders: int, lab: Lab) -> Row:
    own = lab.sample(star(senders, "standard", ACCESS[access], 66), 10, *RECEIVED)
    model = cell("standard", access).saturation_bps(senders, eifs=senders == 50)
    return compare(own, exact(model), 0.02)


def _static() -> Iterator[Entry]:
    for protocol in STATIC_AGENTS:
        for hops in HOPS:
            yield Entry(f"static/goodput/{protocol}/{hops}", partial(_goodput, protocol, hops))
    for protocol in STATIC_AGENTS:
        for hops in LONG:
            make = partial(_retransmissions, protocol, hops)
            yield Entry(f"static/retransmissions/{protocol}/{hops}", make)
        together = partial(_total, "retransmits", "retransmissions", 0.10, protocol)
        yield Entry(f"static/retransmissions/{protocol}/all", together)
        # Asked of the three; Vegas' are few.
        tolerance = None if protocol == "vegas" else 0.25
        together = partial(_total, "rto", "rto_count", tolerance, protocol)
        yield Entry(f"static/timeouts/{protocol}", together)
    counters = {
        "collisions": ("col_total", ("mac", "collisions", "total")),
        "failures": ("ret_rts", ("mac", "failures", "rts_cts")),
    }
    for counter, (column, path) in counters.items():
        for protocol in AGENTS:
            for hops in LONG:
                make = partial(_counter, column, path, protocol, hops)
                yield Entry(f"static/{counter}/{protocol}/{hops}", make)


def _goodput(protocol: str, hops: int, lab: Lab) -> Row:
    # In segments, since ns-2's Vegas has smaller ones than its goodput is counted with.
    own = lab.sample(tcp_string(hops, protocol, "static"), STATIC_SEEDS, *SEGMENTS)
    return compare(own, string_reference("segments", protocol, hops, "STATIC"), 0.03, COUNT)


def _retransmissions(protocol: str, hops: int, lab: Lab) -> Row:
    path = ("flows", "retransmissions")
    own = lab.sample(tcp_string(hops, protocol, "static"), COUNTER_SEEDS, *path)
    other = string_reference("retransmits", protocol, hops, "STATIC")
    # From 6 hops on Vegas resends 5 to 25 segments in 300 s, give or take half of it or all: 120
    # runs of ns-2 and 100 of ours do not tell 10 %.
    too_few = protocol == "vegas" and hops > 5
    return compare(own, other, None if too_few else 0.10, COUNT)


def _total(column: str, key: str, tolerance: float | None, protocol: str, lab: Lab) -> Row:
    """A count over all long strings together."""
    scenarios = (tcp_string(hops, protocol, "static") for hops in LONG)
    own = sum_of([lab.sample(each, COUNTER_SEEDS, "flows", key) for each in scenarios])
    other = sum_of([string_reference(column, protocol, hops, "STATIC") for hops in LONG])
    return compare(own, other, tolerance, COUNT)


def _slow() -> Iterator[Entry]:
    for routing in ("aodv", "static"):
        for protocol in AGENTS:
            for hops in LONG:
                name = f"slow/{routing}/{protocol}/{hops}"
                yield Entry(name, partial(_slow_row, routing, protocol, hops))
    for k in SLOW_K:
        yield Entry(f"slow/k/{k}", partial(_slow_k, k))


def _slow_row(routing: str, protocol: str, hops: int, lab: Lab) -> Row:
    names = (f"sca-{protocol}", protocol)
    with_sca, without = (
        lab.sample(tcp_string(hops, name, routing), FOUND_SEEDS, *GOODPUT) for name in names
    )
    gain = ratio_of_means(with_sca, without)
    return Statement(show_ratio(gain, None), gain.low > 1 if routing == "aodv" else None)


def _slow_k(k: int, lab: Lab) -> Row:
    at, at_ten = (
        lab.sample(tcp_string(6, "sca-reno", "aodv", k=each), FOUND_SEEDS, *GOODPUT)
        for each in (k, 10)
    )
    ratio = ratio_of_means(at, at_ten)
    return Statement(show_ratio(ratio, None), ratio.within(0.10) if k > 10 else None)


def _counter(column: str, path: tuple[str, ...], protocol: str, hops: int, lab: Lab) -> Row:
    own = lab.sample(tcp_string(hops, protocol, "static"), COUNTER_SEEDS, *path)
    return compare(own, string_reference(column, protocol, hops, "STATIC"), 0.05, COUNT)


def string_reference(column: str, protocol: str, hops: int, routing: str) -> Moments:
    """ns-2's number for a transfer along a string."""
    wanted = {"agent": STATIC_AGENTS[protocol], "hops": hops, "rt": routing, "rts": 0, "delack": 0}
    return reference.sample("strings", column, **wanted)


def _windows() -> Iterator[Entry]:
    for hops in (4, 8):
        for window in WINDOWS:
            yield Entry(f"window/{hops}/{window}", partial(_window, hops, window))
        yield Entry(f"window/{hops}/optimum", partial(_optimum, hops))


def _window(hops: int, window: int, lab: Lab) -> Row:
    own, other = _window_samples(hops, window, lab)
    return compare(own, other, 0.003 if window == 1 else 0.03)


def _window_samples(hops: int, window: int, lab: Lab) -> tuple[Moments, Moments]:
    scenario = tcp_string(hops, "newreno", "static", window=window)
    wanted = {"hops": hops, "window": window, "rt": "STATIC"}
    other = reference.sample("window-limits", "goodput_bps", **wanted)
    return lab.sample(scenario, STATIC_SEEDS, *GOODPUT), other


def _optimum(hops: int, lab: Lab) -> Row:
    pairs = {window: _window_samples(hops, window, lab) for window in WINDOWS}
    ours = max(pairs, key=lambda window: pairs[window][0].mean)
    theirs = max(pairs, key=lambda window: pairs[window][1].mean)
    if ours == theirs:
        return Statement(f"best window {ours}, as in ns-2", passes=True)
    there = ratio_of_means(pairs[ours][1], pairs[theirs][1])
    text = (
        f"best window {ours}, in ns-2 {theirs}; there {ours} gives {show_ratio(there, None)} of it"
    )
    return Statement(text, passes=there.low >= 0.99)


def _udp() -> Iterator[Entry]:
    for access, threshold in ACCESS.items():
        rows = reference.rows("udp-strings", rt="STATIC", rts=threshold)
        for hops in sorted({int(row["hops"]) for row in rows}):
            for what in ("maximum", "overload"):
                name = f"udp/{access}/{hops}/{what}"
                yield Entry(name, partial(_udp_row, access, hops, what))


def _udp_row(access: str, hops: int, what: str, lab: Lab) -> Row:
    threshold = ACCESS[access]
    own: dict[float, Moments] = {}
    other: dict[float, Moments] = {}
    for row in reference.rows("udp-strings", rt="STATIC", rts=threshold, hops=hops):
        rate = float(row["rate"]) / 1000
        own[rate] = lab.sample(udp_string(hops, rate, threshold), UDP_SEEDS, *RECEIVED)
        other[rate] = reference.sample_of(row, "throughput_bps")
    if what == "overload":
        return compare(own[max(own)], other[max(other)], 0.05)
    best = [max(side.values(), key=lambda sample: sample.mean) for side in (own, other)]
    return compare(best[0], best[1], 0.05)


def _energy() -> Iterator[Entry]:
    for row in reference.rows("energy"):
        access = next(name for name, rts in ACCESS.items() if str(rts) == row["rts"])
        load = "waits" if row["interval"] == "0.1" else "saturated"
        for node in range(int(row["hops"]) + 1):
            name = f"energy/{load}/{access}/{row['hops']}/{node}"
            yield Entry(name, partial(_energy_row, row, node))


def _energy_row(row: dict[str, str], node: int, lab: Lab) -> Row:
    interval_s, threshold = float(row["interval"]), int(row["rts"])
    scenario = energy_string(int(row["hops"]), interval_s, threshold, row["powers"])
    own = lab.sample(scenario, int(row["n"]), "energy", "nodes", node, "radio_j")
    other = reference.sample_of(row, f"node_{node}_j")
    # Where frames never meet, chance has no say; ns-2 prints microjoules.
    return compare(own, other, 0.02 if row["interval"] == "0.005" else 1e-6, JOULES)


def _aodv() -> Iterator[Entry]:
    for protocol in AGENTS:
        for hops in HOPS:
            yield Entry(
                f"aodv/goodput/{protocol}/{hops}", partial(_found_row, "AODV", protocol, hops)
            )
    for hops in HOPS:
        yield Entry(f"aodv/order/{hops}", partial(_order, hops))


def _dsr() -> Iterator[Entry]:
    for protocol in AGENTS:
        for hops in HOPS:
            yield Entry(
                f"dsr/goodput/{protocol}/{hops}", partial(_found_row, "DSR", protocol, hops)
            )


def _dsr_uu() -> Iterator[Entry]:
    for agent, increase in product(("Reno", "Newreno"), ("1.0", "0.2")):
        name = agent.lower() if increase == "1.0" else f"sca-{agent.lower()}"
        for hops in HOPS:
            yield Entry(
                f"dsr-uu/goodput/{name}/{hops}", partial(_dsr_uu_row, name, agent, increase, hops)
            )


def _dsr_uu_row(protocol: str, agent: str, increase: str, hops: int, lab: Lab) -> Row:
    k = 4 if protocol.startswith("sca") else None
    own = lab.sample(tcp_string(hops, protocol, DSR_UU, k=k), FOUND_SEEDS, *GOODPUT)
    wanted = {"agent": agent, "hops": hops, "rt": "DSRUU", "increase": increase}
    other = reference.sample("dsr-uu-strings", "goodput_bps", **wanted)
    return compare(own, other, 0.10 if hops <= 6 else 0.15)


def _found_row(routing: str, protocol: str, hops: int, lab: Lab) -> Row:
    own, other = _found_samples(routing, protocol, hops, lab)
    return compare(own, other, 0.10 if hops <= 6 else 0.15)


def _found_samples(routing: str, protocol: str, hops: int, lab: Lab) -> tuple[Moments, Moments]:
    own = lab.sample(tcp_string(hops, protocol, routing.lower()), FOUND_SEEDS, *GOODPUT)
    return own, string_reference("goodput_bps", protocol, hops, routing)


def _order(hops: int, lab: Lab) -> Row:
    reno, newreno = (
        _found_samples("AODV", protocol, hops, lab) for protocol in ("reno", "newreno")
    )
    ours, theirs = (ratio_of_means(newreno[side], reno[side]) for side in (0, 1))
    shown = f"NewReno / Reno: {show_ratio(ours, None)}, in ns-2 {show_ratio(theirs, None)}"
    if not theirs.apart_from_one():
        return Statement(f"{shown}: no order claimed", passes=None)
    same = ours.apart_from_one() and (ours.value > 1) == (theirs.value > 1)
    return Statement(shown, passes=same)


def _mobile(routing: str) -> Iterator[Entry]:
    section = MOBILE[routing][0]
    for row in reference.movements():
        name = row["file"].removeprefix("rwp_strip_").removesuffix(".tcl")
        yield Entry(f"{section}/{name}", partial(_file, routing, row["file"]))
    yield Entry(f"{section}/median", partial(_median, routing))


def _file(routing: str, file: str, lab: Lab) -> Row:
    own, other = _mobile_samples(routing, file, lab)
    if other.n == 1:
        return Statement(f"{own.mean / other.mean:.4f} of ns-2's only run", None)
    return compare(own, other, None)


def _mobile_samples(routing: str, file: str, lab: Lab) -> tuple[Moments, Moments]:
    wanted = {"movement": file, "agent": "Reno", "rt": routing}
    _, table, own_routing, _ = MOBILE[routing]
    (row,) = reference.rows(table, **wanted)
    scenario = mobile(file, int(row["src"]), int(row["dst"]), own_routing)
    own = lab.sample(scenario, MOBILE_SEEDS, *GOODPUT)
    other = reference.sample_of(row, "goodput_bps")
    if other.n == 1:  # its noise is taken to be like ours
        other = Moments(other.mean, other.mean * own.sd / own.mean, 1)
    return own, other


def _median(routing: str, lab: Lab) -> Row:
    pairs = [_mobile_samples(routing, row["file"], lab) for row in reference.movements()]
    ratio, tolerance = median_ratio(pairs), MOBILE[routing][3]
    return Statement(f"median ratio {show_ratio(ratio, tolerance)}", ratio.within(tolerance))


def _determinism() -> Iterator[Entry]:
    row = reference.movements()[0]
    scenarios = {
        "string": tcp_string(8, "newreno", "static"),
        "star": star(10, "standard", 0, 66),
        "mobile": mobile(row["file"], int(row["src"]), int(row["dst"])),
    }
    for name, scenario in scenarios.items():
        yield Entry(f"determinism/{name}", partial(_same, scenario))


def _same(scenario: str, _lab: Lab) -> Row:
    one, two = (run_text(scenario, range(1, 4), jobs) for jobs in (1, 2))
    return Statement("3 runs: all fields alike but `wall_s`", one == two)
