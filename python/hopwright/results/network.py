"""`network.json` of a run: where its nodes were, and over which links its flows went.

A map can be drawn of it without the scenario, whose movement file may be elsewhere by then.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopwright import _core
from hopwright._io.data import json_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes

NETWORK = "network.json"
TENTHS = 10
"""Nodes that move are looked at so often, and at the start."""

Place = tuple[float, float]
Link = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class Network:
    """A run's nodes, and its flows' ways."""

    reception_range_m: float
    end_s: float
    """When the run ends; it begins at 0."""
    times_s: Sequence[float]
    """Of the snapshots; the start alone if nothing moves."""
    positions_m: Sequence[Sequence[Place]]
    """Of each snapshot: x and y of each node."""
    flows: Sequence[tuple[int, int]]
    """From, to."""
    links: Sequence[Sequence[Link]]
    """Of each flow: from, to, packets, see `_core.RunResult.links`; empty without a run."""
    moves: bool
    """Whether any node is elsewhere at one tenth of the run than at another."""
    down: Sequence[Sequence[int]] = ()
    """Of each snapshot: the nodes that are down then; empty if none ever goes down.

    By the scenario's events, and where a movement file does not have them yet, or no longer.
    """

    def down_in(self, snapshot: int) -> Sequence[int]:
        """The nodes that are down in a snapshot."""
        return self.down[snapshot] if self.down else ()

    def to_json(self) -> str:
        """The file's text: positions to the centimetre."""
        fields = asdict(self)
        fields["positions_m"] = [
            [(round(x, 2), round(y, 2)) for x, y in snapshot] for snapshot in self.positions_m
        ]
        return json.dumps(fields, separators=(",", ":")) + "\n"

    @classmethod
    def of(cls, **fields: Any) -> "Network":  # noqa: ANN401 - as JSON has them
        """A network of what JSON has for its fields."""
        fields["positions_m"] = [[(x, y) for x, y in each] for each in fields["positions_m"]]
        fields["flows"] = [(start, end) for start, end in fields["flows"]]
        fields["links"] = [[(a, b, count) for a, b, count in each] for each in fields["links"]]
        return cls(**fields)

    def checked(self) -> "Network":
        """The same network. Raises `ValueError` or `TypeError` for what no run has."""
        places = [metres for each in self.positions_m for place in each for metres in place]
        numbers = [self.reception_range_m, self.end_s, *self.times_s, *places]
        if not all(map(math.isfinite, numbers)):
            raise ValueError("a number is infinite")
        if not self.times_s or len(self.times_s) != len(self.positions_m):
            raise ValueError("times and positions are of different numbers")
        if len(self.links) != len(self.flows) or len(self.down) not in (0, len(self.times_s)):
            raise ValueError("links or nodes that are down are of different numbers")
        return self

    @classmethod
    def read(cls, folder: Path) -> "Network":
        """The network of a run's folder.

        Raises `InputError` if the run left none.
        """
        try:
            fields = json_of(read_bytes(folder / NETWORK))
            fields.setdefault("moves", len(fields["times_s"]) > 1)  # older runs do not say
            return cls.of(**fields).checked()
        except InputError as error:
            raise InputError(
                f"{error}; a run with a medium writes it where its [output] figures are not empty"
            ) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{folder / NETWORK}: is not a network that a run wrote") from error


def network_of(
    scenario: _core.Scenario,
    run: _core.RunResult | None = None,
    *,
    times_s: Sequence[float] | None = None,
) -> Network:
    """The network of a run; without one, of the scenario with its own seed, links left out.

    `times_s`: when to look at the nodes, instead of at all tenths of the run.
    """
    seed = scenario.seed if run is None else run.seed
    known = json.loads(scenario.network_json(TENTHS, times_s, seed))
    flows = range(len(known["flows"]))
    return Network.of(**known, links=[] if run is None else [run.links(flow) for flow in flows])
