"""Rows on who contends with whom: policies of RTS/CTS over strings, three flows in a grid."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import reference
from hopwright.statistics.moments import Moments
from intervals import Ratio, difference_of_gains, ratio_of_means, sum_of
from own import Lab, of_flow, tcp_grid, tcp_string
from rows import COUNT, Entry, Row, Statement, compare, show_ratio

POLICIES = {"full": 0, "partial": 1000, "none": 3000}
"""Thresholds above which a frame is preceded by RTS/CTS."""
ACKS = {"plain": ("every", 0), "delayed": ("delayed", 1)}
"""Acknowledgements: our name, ns-2's `delack`."""
LENGTHS = range(4, 9)
"""Strings on which stations are hidden from each other."""
KINDS = {
    "rts-cts": ("rts_cts", "col_rts_cts", "ret_rts"),
    "data": ("data", "col_data", "ret_data"),
    "acks": ("ack", "col_tcpack", "ret_tcpack"),
}
"""Kinds of frames: our counters' name; ns-2's columns of collisions and of what is given up."""
FEW = 150
"""Counts of a run below which counting's own noise, about their root, is most of the tolerance.

Such rows are for information, and all strings together are judged."""
POINTS = 3.0
"""By so many percentage points a gain may be off."""
STARVES = 0.01
"""What a starving flow carries of what one of its neighbours does, at most."""

SEEDS = {"full": 60, "partial": 30, "none": 30}
"""With RTS/CTS before all, data and acknowledgements collide a few dozen times in a run, give or
take a fifth to a third."""
GRID_SEEDS = 20


def over_strings() -> Iterator[Entry]:
    """One transfer along a string."""
    counted = [
        (policy, kind)
        for policy in POLICIES
        for kind in KINDS
        if (policy, kind) != ("none", "rts-cts")
    ]
    for acks in ACKS:
        for (policy, kind), hops in product(counted, LENGTHS):
            name = f"rts/collisions/{acks}/{policy}/{kind}/{hops}"
            yield Entry(name, partial(_counted, "collisions", acks, policy, kind, (hops,)))
        for policy, kind in counted:
            name = f"rts/collisions/{acks}/{policy}/{kind}/all"
            yield Entry(name, partial(_counted, "collisions", acks, policy, kind, LENGTHS))
        for kind in KINDS:
            for hops in LENGTHS:
                name = f"rts/given-up/{acks}/{kind}/{hops}"
                yield Entry(name, partial(_counted, "failures", acks, "full", kind, (hops,)))
            name = f"rts/given-up/{acks}/{kind}/all"
            yield Entry(name, partial(_counted, "failures", acks, "full", kind, LENGTHS))
        for policy, hops in product(("partial", "none"), LENGTHS):
            yield Entry(f"rts/gain/{acks}/{policy}/{hops}", partial(_gain, acks, policy, hops))
        for hops in LENGTHS:
            yield Entry(f"rts/order/{acks}/{hops}", partial(_order, acks, hops))


def in_a_grid() -> Iterator[Entry]:
    """Three flows side by side."""
    for acks in ACKS:
        for policy in POLICIES:
            yield Entry(f"grid/{acks}/{policy}/outer", partial(_outer, acks, policy))
            yield Entry(f"grid/{acks}/{policy}/middle", partial(_middle, acks, policy))
        yield Entry(f"grid/{acks}/order", partial(_grid_order, acks))


def _string(acks: str, policy: str, hops: int) -> str:
    acking, _ = ACKS[acks]
    threshold = POLICIES[policy]
    return tcp_string(hops, "newreno", "static", acking=acking, rts_threshold_bytes=threshold)


def _reference(column: str, acks: str, policy: str, **wanted: object) -> Moments:
    _, delack = ACKS[acks]
    usual = {"delack": delack, "rts": POLICIES[policy], "tick": "0.01", "dur": 300}
    return reference.sample("contention", column, **usual, **wanted)


def _of_string(column: str, acks: str, policy: str, hops: int) -> Moments:
    return _reference(column, acks, policy, topo="string", connections=1, hops=hops)


def _counted(what: str, acks: str, policy: str, kind: str, lengths: Sequence[int], lab: Lab) -> Row:
    """Collisions or failures of a kind, over one string or several together."""
    key, collided, given_up = KINDS[kind]
    column = collided if what == "collisions" else given_up
    strings = [_string(acks, policy, hops) for hops in lengths]
    own = sum_of([lab.sample(each, SEEDS[policy], "mac", what, key) for each in strings])
    other = sum_of([_of_string(column, acks, policy, hops) for hops in lengths])
    few = len(lengths) == 1 and other.mean < FEW
    return compare(own, other, None if few else 0.10, COUNT)


def _gains(acks: str, policy: str, over: str, hops: int, lab: Lab) -> tuple[Ratio, Ratio]:
    """Goodput under a policy over that under another: ours, ns-2's."""
    path = ("flows", "goodput_segments")
    pair = (policy, over)
    ours = [lab.sample(_string(acks, each, hops), SEEDS[each], *path) for each in pair]
    theirs = [_of_string("segments", acks, each, hops) for each in pair]
    return ratio_of_means(*ours), ratio_of_means(*theirs)


def _gain(acks: str, policy: str, hops: int, lab: Lab) -> Row:
    own, other = _gains(acks, policy, "full", hops, lab)
    apart = difference_of_gains(own, other)
    text = (
        f"{_percent(own)}, in ns-2 {_percent(other)}: {apart.value:+.2f} points "
        f"({apart.low:+.2f} to {apart.high:+.2f}), to be within ± {POINTS:g}"
    )
    return Statement(text, apart.within(POINTS))


def _order(acks: str, hops: int, lab: Lab) -> Row:
    pairs = [_gains(acks, *policies, hops, lab) for policies in PAIRS]
    return _ordered(pairs)


PAIRS = (("none", "partial"), ("partial", "full"))
"""Of each the first is to carry more."""


def _ordered(pairs: list[tuple[Ratio, Ratio]]) -> Row:
    shown = "; ".join(
        f"{high} / {low}: {show_ratio(own, None)}, in ns-2 {show_ratio(other, None)}"
        for (high, low), (own, other) in zip(PAIRS, pairs, strict=True)
    )
    return Statement(shown, all(side.low > 1 for pair in pairs for side in pair))


def _grid(acks: str, policy: str, group: str, lab: Lab) -> tuple[Moments, Moments]:
    """Segments of a group of the grid's flows: ours, ns-2's."""
    acking, _ = ACKS[acks]
    results = lab.results(tcp_grid(acking, POLICIES[policy]), GRID_SEEDS)
    places = {"outer": (0, 2), "middle": (1,), "all": (0, 1, 2)}[group]
    own = [sum(of_flow(run, place, "goodput_segments") for place in places) for run in results]
    column = {"outer": "segments_outer", "middle": "segments_2", "all": "segments"}[group]
    return Moments.of(own), _reference(column, acks, policy, topo="grid", flows="h3")


def _outer(acks: str, policy: str, lab: Lab) -> Row:
    own, other = _grid(acks, policy, "outer", lab)
    return compare(own, other, 0.05, COUNT)


def _middle(acks: str, policy: str, lab: Lab) -> Row:
    """A handful of segments in 300 s, give or take as many: no tolerance could be told."""
    outer, middle = (_grid(acks, policy, group, lab) for group in ("outer", "middle"))
    shares = [2 * middle[side].mean / outer[side].mean for side in (0, 1)]
    own, other = (f"{100 * share:.3f} %" for share in shares)
    text = (
        f"{middle[0].mean:.1f} segments, {own} of an outer flow's; in ns-2 {middle[1].mean:.1f}, "
        f"{other}; to be below {100 * STARVES:g} %"
    )
    return Statement(text, max(shares) < STARVES)


def _grid_order(acks: str, lab: Lab) -> Row:
    samples = {policy: _grid(acks, policy, "all", lab) for policy in POLICIES}
    pairs = [
        (
            ratio_of_means(samples[high][0], samples[low][0]),
            ratio_of_means(samples[high][1], samples[low][1]),
        )
        for high, low in PAIRS
    ]
    return _ordered(pairs)


def _percent(gain: Ratio) -> str:
    low, high = 100 * (gain.low - 1), 100 * (gain.high - 1)
    return f"{100 * (gain.value - 1):+.2f} % ({low:+.2f} to {high:+.2f})"
