"""`hopwright topology --capacity`: closed forms, every set listed, and what runs carry."""

import itertools
import json
import math
import random
import shlex

import numpy as np
import pytest
from scipy.optimize import linprog

import hopwright as hw
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.data import items, number
from hopwright._io.errors import InputError
from hopwright.topology.capacity import (
    Capacity,
    Network,
    Programme,
    Rule,
    capacity,
    heaviest_independent,
)

EXCHANGE_S = (352 + 10 + 304 + 10 + 192 + (1460 + 28 + 36) * 4 + 10 + 304) / 1e6
"""RTS to ACK with 1460 bytes over UDP, at 2 and 1 Mb/s."""
ONE_HOP_KBPS = 1460 * 8 / 1e3 / EXCHANGE_S
UDP = """
[[flows]]
app = "cbr"
rate_kbps = 5000
payload_bytes = 1460
transport = { protocol = "udp" }
"""


def scenario(text: str) -> _core.Scenario:
    return _core.parse(text, "a.toml", [])


def chain(hops: int, extra: str = "") -> str:
    return (
        f'name = "chain"\nduration_s = 10\n{extra}\n'
        f'topology = {{ kind = "chain", hops = {hops} }}\n{UDP}from = 0\nto = {hops}\n'
    )


def of(text: str, rule: Rule, seed: int = 1) -> Capacity:
    return capacity(Network.of(scenario(text), seed), rule)


@pytest.mark.parametrize("hops", [1, 2, 3, 4, 5, 8, 12, 20, 30])
def test_a_string_carries_a_quarter_of_one_hop(hops: int) -> None:
    """Li et al., MobiCom 2001: 200 m apart and noticed over 550 m, one hop in four is used."""
    found = of(chain(hops), "exchanges")
    assert found.total_kbps == pytest.approx(ONE_HOP_KBPS / min(hops, 4), rel=1e-6)
    assert found.alone_kbps == [found.total_kbps]
    assert found.common_kbps == found.total_kbps


def test_frames_bound_a_string_by_what_powers_allow() -> None:
    """Over 200 m a frame is 16 times stronger than one from 400 m: one hop in three, and more.

    A data frame and an answer two hops further on do not disturb each other either. Each relay
    receives and sends each packet and its answer: it carries at most half of one hop.
    """
    air_s = EXCHANGE_S - 30e-6
    one_hop = 1460 * 8 / 1e3 / air_s
    assert of(chain(1), "frames").total_kbps == pytest.approx(one_hop, rel=1e-6)
    assert of(chain(2), "frames").total_kbps == pytest.approx(one_hop / 2, rel=1e-6)
    long = of(chain(20), "frames").total_kbps
    assert one_hop / 3 * (1 - 1e-9) <= long < one_hop / 2
    # Where nothing is captured, one in four; answers, which are shorter, fit between.
    deaf = of(chain(20, "radio.capture_threshold_db = 100"), "frames").total_kbps
    assert one_hop / 4 * (1 - 1e-9) <= deaf < one_hop / 3


def test_flows_far_apart_add_up_and_flows_side_by_side_share() -> None:
    def pairs(distance_m: float) -> str:
        places = f"[[0, 0], [200, 0], [0, {distance_m}], [200, {distance_m}]]"
        return (
            'name = "pairs"\nduration_s = 10\n'
            f'topology = {{ kind = "positions", list = {places} }}\n'
            f"{UDP}from = 0\nto = 1\n{UDP}from = 2\nto = 3\n"
        )

    apart, near = of(pairs(2000), "exchanges"), of(pairs(300), "exchanges")
    assert apart.total_kbps == pytest.approx(2 * ONE_HOP_KBPS, rel=1e-6)
    assert near.total_kbps == pytest.approx(ONE_HOP_KBPS, rel=1e-6)
    assert near.alone_kbps == pytest.approx([ONE_HOP_KBPS] * 2, rel=1e-6)
    assert near.common_kbps == pytest.approx(ONE_HOP_KBPS / 2, rel=1e-6)


def test_a_flow_takes_no_more_than_it_has_to_send() -> None:
    slow = chain(2).replace("rate_kbps = 5000", "rate_kbps = 100")
    assert of(slow, "frames").total_kbps == pytest.approx(100)


def test_a_source_with_pauses_may_be_on_for_all_of_a_run() -> None:
    on_off = chain(1).replace('app = "cbr"\nrate_kbps = 5000', 'app = "onoff"\nrate_kbps = 1000')
    found = of(on_off.replace("payload_bytes", "on_s = 10\noff_s = 90\npayload_bytes"), "frames")
    assert found.total_kbps == pytest.approx(1000)


def test_a_flow_without_a_way_gets_nothing_and_spoils_nothing() -> None:
    """Node 2 goes down: then flow 1 has no way, and flow 0 all the air."""
    text = (
        'name = "gap"\nduration_s = 10\nrouting.protocol = "aodv"\n'
        'topology = { kind = "positions", list = [[0, 0], [200, 0], [400, 0]] }\n'
        'events = [{ at_s = 5, node = 2, do = "down" }]\n'
        f"{UDP}from = 0\nto = 1\n{UDP}from = 0\nto = 2\n"
    )
    before, after = (
        capacity(Network.of(scenario(text), 1, at_s), "exchanges") for at_s in (4.9, 5.0)
    )
    assert before.alone_kbps == pytest.approx([ONE_HOP_KBPS, ONE_HOP_KBPS / 2], rel=1e-6)
    assert before.common_kbps == pytest.approx(ONE_HOP_KBPS / 3, rel=1e-6)
    assert after.alone_kbps == pytest.approx([ONE_HOP_KBPS, 0], rel=1e-6)
    assert after.common_kbps == pytest.approx(ONE_HOP_KBPS, rel=1e-6)


def drawn(seed: int, nodes: int, flows: int, extra: str = "") -> str:
    """Nodes at random, near enough to each other for ways of several hops."""
    dice = random.Random(seed)
    side = 170 * math.sqrt(nodes)
    while True:
        places = [
            [round(dice.uniform(0, side)), round(dice.uniform(0, side))] for _ in range(nodes)
        ]
        ends = [dice.sample(range(nodes), 2) for _ in range(flows)]
        text = (
            f'name = "drawn-{seed}"\nduration_s = 12\nwarm_up_s = 2\nrouting.protocol = "aodv"\n'
            f'{extra}\ntopology = {{ kind = "positions", list = {places} }}\n'
            + "".join(f"{UDP}from = {a}\nto = {b}\n" for a, b in ends)
        )
        try:
            scenario(text)
        except hw.ScenarioError:
            continue  # a flow has no way
        return text


def by_all_sets(network: Network, rule: Rule) -> float:
    """The sum over all flows, with every independent set as a column."""
    programme = Programme(network, rule)
    pairs, conflicts = programme.pairs, programme.conflicts
    sets: list[tuple[int, ...]] = [()]
    for each in range(len(pairs)):
        sets += [(*s, each) for s in sets if not any(conflicts[each, other] for other in s)]
    flows, links = len(network.flows), len(pairs)
    columns = flows * links + flows + len(sets)
    air = np.zeros((links + 1, columns))
    balance = np.zeros((flows * len(network.hears), columns))
    for k, flow in enumerate(network.flows):
        for index, (a, b) in enumerate(pairs):
            here = k * links + index
            if rule == "exchanges":
                air[index, here] = flow.exchange_s / flow.payload_kb
            else:
                air[index, here] += flow.data_s / flow.payload_kb
                air[pairs.index((b, a)), here] += flow.answers_s / flow.payload_kb
            balance[k * len(network.hears) + a, here] += 1
            balance[k * len(network.hears) + b, here] -= 1
        balance[k * len(network.hears) + flow.source, flows * links + k] = -1
        balance[k * len(network.hears) + flow.destination, flows * links + k] = 1
    for number_, members in enumerate(sets):
        air[list(members), flows * links + flows + number_] = -1
        air[links, flows * links + flows + number_] = 1
    objective = np.zeros(columns)
    objective[flows * links : flows * links + flows] = -1
    most = [None] * (flows * links) + [f.demand_kbps for f in network.flows] + [None] * len(sets)
    limits = np.zeros(links + 1)
    limits[links] = 1
    solved = linprog(
        objective,
        A_ub=air,
        b_ub=limits,
        A_eq=balance,
        b_eq=np.zeros(len(balance)),
        bounds=[(0, upper) for upper in most],
    )
    assert solved.fun is not None
    return -float(solved.fun)


@pytest.mark.parametrize("rule", ["frames", "exchanges"])
def test_sets_found_by_price_give_what_all_sets_give(rule: Rule) -> None:
    for seed in range(12):
        network = Network.of(scenario(drawn(seed, 7, 3)), 1)
        assert capacity(network, rule).total_kbps == pytest.approx(by_all_sets(network, rule), 1e-5)


def test_the_heaviest_set_is_that_of_all_sets() -> None:
    dice = np.random.default_rng(1)
    for _ in range(20):
        conflicts = np.triu(dice.random((10, 10)) < 0.4, 1)
        conflicts |= conflicts.T
        weights = np.round(dice.random(10), 3)
        found = heaviest_independent(weights, conflicts)
        assert not conflicts[np.ix_(found, found)].any()
        every = itertools.chain.from_iterable(
            itertools.combinations(range(10), size) for size in range(11)
        )
        best = max(
            weights[list(each)].sum()
            for each in every
            if not conflicts[np.ix_(list(each), list(each))].any()
        )
        assert weights[found].sum() == pytest.approx(best)


@pytest.mark.parametrize("profile", ["standard", "ns2"])
def test_no_run_carries_more_than_the_bound(profile: str) -> None:
    """100 networks, 50 of each profile: stations that contend, and stations that do not."""
    several = 0
    for seed in range(50):
        dice = random.Random(1000 + seed)
        rts = dice.choice(["all", "none"])
        text = drawn(
            seed,
            dice.randint(3, 12),
            dice.randint(1, 4),
            f'profile = "{profile}"\nmac.rts = "{rts}"',
        )
        network = Network.of(scenario(text), 1)
        bound, apart = capacity(network, "frames"), capacity(network, "exchanges")
        for kind, most in (("dcf", bound), ("ideal", bound), ("ideal", apart)):
            parsed = _core.parse(text, "a.toml", [("mac.kind", kind)])
            (run,) = _core.run(parsed, [1], 1, _core.Progress())
            flows = json.loads(run.summary_json())["flows"]
            rates = [flow["received_bps"] / 1e3 for flow in flows]
            # What was queued before the warm-up may arrive after it.
            spare = 1 + 0.01
            assert sum(rates) <= most.total_kbps * spare, (seed, kind, rates, most)
            for rate, alone in zip(rates, most.alone_kbps, strict=True):
                assert rate <= alone * spare, (seed, kind, rate, alone)
        several += any(0 < alone < ONE_HOP_KBPS * 0.6 for alone in bound.alone_kbps)
    assert several >= 15, "flows over several hops"


def test_the_command_says_it_in_a_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    dispatch(shlex.split("topology scenarios/chain.toml --capacity"))
    shown = capsys.readouterr().out
    assert "frames" in shown
    assert "flow 0 alone, 0 to 8" in shown
    assert "interval" not in shown
    dispatch(shlex.split("topology scenarios/chain.toml --capacity --runs 2"))
    assert "(A to B): the 95 % interval of the mean" in capsys.readouterr().out
    dispatch(shlex.split("topology scenarios/chain.toml --capacity --json --runs 2"))
    found = json.loads(capsys.readouterr().out)
    assert number(found, "flows", 0, "alone_kbps", "exchanges", "mean") == pytest.approx(
        number(found, "total_kbps", "exchanges", "mean")
    )
    assert found["runs"] == 2
    assert len(items(found, "total_kbps", "frames", "ci95")) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--capacity --set radio.fading=rayleigh", "with radio.fading, chance decides"),
        ("--capacity --set radio.shadowing=frame", "with radio.shadowing, chance decides"),
        ("--capacity --at 1000", "--at 1000: must lie within the run"),
        ("--capacity --at nan", "--at nan: must lie within the run"),
        ("--capacity --out there", "--out cannot be used with --capacity"),
        ("--capacity --export ns2", "--capacity cannot be used with --export"),
        ("--at 3", "--at needs --capacity"),
        ("--capacity --set topology.hops=700 --set flows.0.to=700", "1400 links"),
    ],
)
def test_mistakes_are_told(words: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        dispatch(shlex.split(f"topology scenarios/chain.toml {words}"))
