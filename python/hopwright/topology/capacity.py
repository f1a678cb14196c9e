"""What a network could carry at most: linear programmes over what can be on the air at once.

After Jain, Padhye, Padmanabhan, Qiu: "Impact of interference on multi-hop wireless network
performance", MobiCom 2003. Of everything that can be on the air, sets are made whose members do not
disturb each other; each set has the air for a share of the time; and flows take whatever ways, any
number of ways at once, that the shares allow. What comes out is the best that anybody could do who
knew everything: no order, no queue, no route and no space between exchanges is in the way.

Two readings of what disturbs:

- `frames`: the members are frames. Two may be on the air at once if both can be received then, as
  powers say. No station gets more through that exchanges these frames and has each answered: the
  bound.
- `exchanges`: the members are whole exchanges, of RTS to ACK. Two may be on the air at once if no
  station of one notices a station of the other: the protocol model of the paper, and what
  `mac.kind = "ideal"` keeps to. Real stations may exceed it, where a frame is received although
  another is noticed.

The sets are too many to be listed. The programme begins with a few, and asks of its shadow prices
which set would help most: a maximum weighted independent set, which a mixed-integer programme
finds. When none would add more than a ten-thousandth, what it could add at most is counted in: the
number errs upwards, as a bound must.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from hopwright import _core
from hopwright._io.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import coo_array

Rule = Literal["frames", "exchanges"]
RULES: tuple[Rule, ...] = ("frames", "exchanges")
MOST_LINKS = 1_000
"""Directed links, of which more take too long."""
EXACT = 1e-4
"""What more sets could add is not looked for: this share of the value."""
GUESSES = 200
"""Sets that are made by taking the dearest first, before the dearest set is looked for."""

Pair = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Link:
    """From a node to one that can receive its frames."""

    ends: Pair
    spoilt_by: frozenset[int]
    """Whose frames at the same time let nothing be received."""


@dataclass(frozen=True, kw_only=True)
class Frames:
    """What a full packet of a flow takes at each hop; times in seconds."""

    source: int
    destination: int
    payload_kb: float
    """Application data in it, thousands of bits."""
    data_s: float
    """Air time of RTS and data frame."""
    answers_s: float
    """Air time of CTS and acknowledgement."""
    exchange_s: float
    """The whole exchange, with the spaces in it."""
    demand_kbps: float | None
    """What is to be sent; `None`: as much as the network takes."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """Who can receive whom, and what disturbs, at one time."""

    hears: list[frozenset[int]]
    """By node: whom it notices."""
    links: list[Link]
    flows: list[Frames]

    @classmethod
    def of(cls, scenario: _core.Scenario, seed: int, at_s: float = 0.0) -> "Network":
        """The network of a scenario with a seed, some seconds after the start."""
        found = json.loads(scenario.interference_json(at_s, seed))
        if found["varies"] is not None:
            raise InputError(
                f"{scenario.name}: with {found['varies']}, chance decides which frames are "
                "received: which frames could be on the air at the same time is not known"
            )
        links = [
            Link(ends=(link["from"], link["to"]), spoilt_by=frozenset(link["spoilt_by"]))
            for link in found["links"]
        ]
        flows = [
            Frames(
                source=flow["from"],
                destination=flow["to"],
                payload_kb=flow["payload_bytes"] * 8 / 1e3,
                data_s=flow["data_s"],
                answers_s=flow["answers_s"],
                exchange_s=flow["exchange_s"],
                demand_kbps=flow["demand_kbps"],
            )
            for flow in found["flows"]
        ]
        hears = [frozenset(nodes) for nodes in found["hears"]]
        both_ways = {link.ends for link in links}
        return cls(
            hears=hears,
            links=[link for link in links if link.ends[::-1] in both_ways],
            flows=flows,
        )


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """The most that a network could carry by one rule; kb/s of application data."""

    rule: Rule
    alone_kbps: list[float]
    """Each flow, if the others were silent; 0: no way joins its ends."""
    total_kbps: float
    """All flows together, however unequal."""
    common_kbps: float | None
    """Each of the flows that have a way, if all of them get the same; `None`: none has."""


def capacity(network: Network, rule: Rule) -> Capacity:
    """The most that a network could carry."""
    if len(network.links) > MOST_LINKS:
        raise InputError(
            f"{len(network.links)} links, counted in each direction: "
            f"at most {MOST_LINKS:,} can be computed with"
        )
    programme = Programme(network, rule)
    flows = range(len(network.flows))
    alone = [programme.most([flow]) for flow in flows]
    joined = [flow for flow in flows if alone[flow] > 0]
    single = alone[joined[0]] if len(joined) == 1 else None
    return Capacity(
        rule=rule,
        alone_kbps=alone,
        total_kbps=single if single is not None else programme.most(joined),
        common_kbps=(
            None if not joined else single or programme.most(joined, together=True) / len(joined)
        ),
    )


class Programme:
    """The linear programme, with the sets found so far."""

    def __init__(self, network: Network, rule: Rule) -> None:
        self.network = network
        self.rule = rule
        self.pairs = [link.ends for link in network.links]
        """What can be on the air: frames from the first to the second; or exchanges it leads."""
        self.sets: list[tuple[int, ...]] = []
        weights = [1.0] * len(self.pairs)
        for first in range(len(self.pairs)):
            self._add(self._grown([first], weights))

    @cached_property
    def conflicts(self) -> "NDArray[np.bool_]":
        """Whether two of `pairs` cannot be on the air at once."""
        import numpy as np

        links, hears = self.network.links, self.network.hears
        found = np.zeros((len(links), len(links)), dtype=bool)

        def frames_disturb(one: Link, other: Link) -> bool:
            return other.ends[0] in one.spoilt_by or one.ends[0] in other.spoilt_by

        def exchanges_disturb(one: Link, other: Link) -> bool:
            return any(b in hears[a] or a in hears[b] for a in one.ends for b in other.ends)

        disturb = frames_disturb if self.rule == "frames" else exchanges_disturb
        for i, one in enumerate(links):
            for j in range(i):
                other = links[j]
                shared = bool(set(one.ends) & set(other.ends))
                found[i, j] = found[j, i] = shared or disturb(one, other)
        return found

    def most(self, flows: Sequence[int], *, together: bool = False) -> float:
        """The largest sum of the rates of these flows, kb/s; `together`: if all get the same."""
        if not self.pairs or not flows:
            return 0.0
        wanted = Wanted(self, flows, together=together)
        while True:
            value, air, prices = self._solve(wanted)
            dearer, most = self._dearer(prices, air, air + EXACT * value)
            if not dearer:
                # Were the air as dear as the dearest set, no set would help: that is the most.
                return max(value + most - air, 0.0)
            known = len(self.sets)
            for members in dearer:
                self._add(members)
            if len(self.sets) == known:  # dearer by rounding alone
                return max(value, 0.0)

    def _add(self, members: Sequence[int]) -> None:
        chosen = tuple(sorted(members))
        if chosen not in self.sets:
            self.sets.append(chosen)

    def _grown(self, members: list[int], weights: Sequence[float]) -> list[int]:
        """The set with all that still go with it, the heaviest first."""
        import numpy as np

        free: NDArray[np.bool_] = ~np.any(self.conflicts[members], axis=0)
        free[members] = False
        for each in sorted(range(len(self.pairs)), key=lambda i: -weights[i]):
            if free[each] and weights[each] > 0:
                members.append(each)
                free &= ~self.conflicts[each]
                free[each] = False
        return members

    def _dearer(
        self, prices: "NDArray[np.float64]", air: float, enough: float
    ) -> tuple[list[list[int]], float]:
        """Sets whose members' prices exceed `enough`, and the most that any set's do.

        If there are such sets, what the second is worth is not known: then it is infinite.
        """

        def worth(members: list[int]) -> float:
            return float(prices[members].sum())

        weights = [float(price) for price in prices]
        first = sorted((i for i, w in enumerate(weights) if w > 0), key=lambda i: -weights[i])
        guesses = [self._grown([start], weights) for start in first[:GUESSES]]
        dearer = [guess for guess in guesses if worth(guess) > enough]
        if dearer:
            return dearer, math.inf
        dearest = heaviest_independent(prices, self.conflicts)
        most = max(worth(dearest), air)
        if most <= enough:
            return [], most
        return [self._grown([*dearest], weights)], math.inf

    def _solve(self, wanted: "Wanted") -> "tuple[float, float, NDArray[np.float64]]":
        """The value with the sets there are, the price of the air, and that of each pair."""
        import numpy as np
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, hstack

        pairs = len(self.pairs)
        members = [(pair, number) for number, each in enumerate(self.sets) for pair in each]
        rows = [pair for pair, _ in members] + [pairs] * len(self.sets)
        columns = [number for _, number in members] + list(range(len(self.sets)))
        values = [-1.0] * len(members) + [1.0] * len(self.sets)
        shares = coo_array((values, (rows, columns)), shape=(pairs + 1, len(self.sets)))
        none = coo_array((wanted.kept.shape[0], len(self.sets)))
        limits = np.zeros(pairs + 1)
        limits[pairs] = 1.0
        upper = [*wanted.upper, *([None] * len(self.sets))]
        bounds: list[tuple[float | None, float | None]] = [(0, most) for most in upper]
        # Sparse matrices are welcome, but the annotations do not know it.
        solved = linprog(
            np.concatenate([wanted.objective, np.zeros(len(self.sets))]),
            A_ub=cast("NDArray[np.float64]", hstack([wanted.usage, shares])),
            b_ub=limits,
            A_eq=cast("NDArray[np.float64]", hstack([wanted.kept, none])),
            b_eq=np.zeros(wanted.kept.shape[0]),
            bounds=bounds,
            method="highs",
        )
        if solved.status != 0 or solved.fun is None:
            raise RuntimeError(f"the linear programme is not solved: {solved.message}")
        prices = -solved.ineqlin.marginals
        return -float(solved.fun), float(prices[pairs]), np.maximum(prices[:pairs], 0.0)


class Wanted:
    """The part of the linear programme that does not depend on sets: what each flow sends.

    Columns: what each flow sends over each pair, kb/s; then the rate of each flow.
    """

    def __init__(self, programme: Programme, flows: Sequence[int], *, together: bool) -> None:
        import numpy as np

        pairs, network = programme.pairs, programme.network
        place = {pair: index for index, pair in enumerate(pairs)}
        nodes, rates = len(network.hears), len(flows) * len(pairs)
        kept: list[Entry] = []
        """What comes to a node leaves it, but at the ends; if together, all rates are the first."""
        usage: list[Entry] = []
        """The air that each pair needs; in the last row, what there is."""
        for k, flow in enumerate(flows):
            frames = network.flows[flow]
            for index, (a, b) in enumerate(pairs):
                column = k * len(pairs) + index
                kept += [(k * nodes + a, column, 1.0), (k * nodes + b, column, -1.0)]
                if programme.rule == "exchanges":
                    usage.append((index, column, frames.exchange_s / frames.payload_kb))
                else:
                    usage.append((index, column, frames.data_s / frames.payload_kb))
                    usage.append((place[b, a], column, frames.answers_s / frames.payload_kb))
            kept.append((k * nodes + frames.source, rates + k, -1.0))
            kept.append((k * nodes + frames.destination, rates + k, 1.0))
        balances = len(flows) * nodes
        if together:
            for k in range(1, len(flows)):
                kept += [(balances, rates + k, 1.0), (balances, rates, -1.0)]
                balances += 1
        columns = rates + len(flows)
        self.kept = _matrix(kept, (balances, columns))
        self.usage = _matrix(usage, (len(pairs) + 1, columns))
        self.objective = np.zeros(columns)
        self.objective[rates:] = -1.0
        demands = [network.flows[flow].demand_kbps for flow in flows]
        self.upper: list[float | None] = [*([None] * rates), *demands]


Entry = tuple[int, int, float]
"""Of a sparse matrix: row, column, value."""


def _matrix(entries: Sequence[Entry], shape: tuple[int, int]) -> "coo_array":
    from scipy.sparse import coo_array

    rows, columns, values = zip(*entries, strict=True)
    return coo_array((values, (rows, columns)), shape=shape)


def heaviest_independent(
    weights: "NDArray[np.float64]", conflicts: "NDArray[np.bool_]"
) -> list[int]:
    """Of the sets without two in conflict, the one with the largest sum of weights."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    members = [int(i) for i in np.flatnonzero(weights > 0)]
    if not members:
        return []
    among = conflicts[np.ix_(members, members)]
    cliques = _cliques(among)
    if not cliques:
        return members
    rows = [row for row, clique in enumerate(cliques) for _ in clique]
    columns = [i for clique in cliques for i in clique]
    matrix = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(cliques), len(members)))
    solved = milp(
        -weights[members],
        constraints=LinearConstraint(matrix, ub=np.ones(len(cliques))),
        integrality=np.ones(len(members), dtype=int),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if solved.status != 0:
        raise RuntimeError(f"no heaviest set is found: {solved.message}")
    return [member for member, chosen in zip(members, solved.x, strict=True) if chosen > 0.5]


def _cliques(conflicts: "NDArray[np.bool_]") -> list[list[int]]:
    """Sets all of whose members are in conflict, which together hold every conflict."""
    import numpy as np

    unheld = conflicts.copy()
    cliques = []
    for first in range(len(conflicts)):
        while unheld[first].any():
            members = [first]
            common = conflicts[first].copy()
            # First those whose conflicts with this one are not held yet; of these, the busiest.
            wanted = unheld[first].copy()
            while common.any():
                gains = np.where(common, 1 + len(conflicts) * wanted + unheld[members].sum(0), 0)
                members.append(int(gains.argmax()))
                common &= conflicts[members[-1]]
            unheld[np.ix_(members, members)] = False
            cliques.append(members)
    return cliques
