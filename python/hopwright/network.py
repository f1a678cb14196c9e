"""`network.json` of a run: where its nodes were, and over which links its flows went.

A map can be drawn of it without the scenario, whose movement file may be elsewhere by then.
"""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path

from hopwright import _core
from hopwright.errors import InputError

NETWORK = "network.json"
SNAPSHOTS = 11
"""Of nodes that move: the start, the end, and every tenth of the run."""

Place = tuple[float, float]
Link = tuple[int, int, int]
Switch = tuple[float, int, bool]
"""When, whose, and whether it comes up."""


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
    """Of each snapshot: the nodes that a script keeps down then; empty if none ever goes down."""

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
    def read(cls, folder: Path) -> "Network":
        """The network of a run's folder.

        Raises `InputError` if the run left none.
        """
        try:
            fields = json.loads((folder / NETWORK).read_bytes())
            fields.setdefault("moves", len(fields["times_s"]) > 1)  # older runs do not say
            return cls(**fields)
        except OSError as error:
            raise InputError(
                f"{folder / NETWORK}: cannot read it: {error.strerror}; a run writes it where its "
                "[output] figures are not empty"
            ) from error
        except (ValueError, TypeError, KeyError) as error:
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
    switches = _switches(scenario)
    tenths = [scenario.duration_s * step / (SNAPSHOTS - 1) for step in range(SNAPSHOTS)]
    times, tracks = tenths, scenario.tracks(tenths, seed)
    moves = any(snapshot != tracks[0] for snapshot in tracks)
    if not (moves or switches):
        times, tracks = times[:1], tracks[:1]
    elif times_s is not None:
        times, tracks = list(times_s), scenario.tracks(list(times_s), seed)
    ends = scenario.ends(seed)
    return Network(
        end_s=scenario.duration_s,
        reception_range_m=scenario.reception_range_m(),
        times_s=times,
        positions_m=tracks,
        flows=ends,
        links=[] if run is None else [run.links(flow) for flow in range(len(ends))],
        moves=moves,
        down=[_down(switches, time_s) for time_s in times] if switches else (),
    )


def down_at(scenario: _core.Scenario, time_s: float) -> list[int]:
    """The nodes that the scenario's script keeps down at a time."""
    return _down(_switches(scenario), time_s)


def _switches(scenario: _core.Scenario) -> list[Switch]:
    """What `[[events]]` says of nodes that go down and come up, in the order of time."""
    text = scenario.to_toml()
    if 'do = "down"' not in text:
        return []
    events = tomllib.loads(text)["events"]
    found = [(e["at_s"], e["node"], e["do"] == "up") for e in events if e["do"] != "move"]
    return sorted(found, key=itemgetter(0))


def _down(switches: Sequence[Switch], time_s: float) -> list[int]:
    """The nodes that are down at a time."""
    is_up = {node: up for at_s, node, up in switches if at_s <= time_s}
    return sorted(node for node, up in is_up.items() if not up)
