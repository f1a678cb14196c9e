"""What is asked for: networks, compositions, a budget, and networks that are held out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from hopwright import _core
from hopwright._io.source import Source
from hopwright._schema.settings import Settings, shown
from hopwright.results.metrics import Metric
from hopwright.sweeps.asked import Asked, of_scenario

AXES = {
    "rate_kbps": "bandwidth",
    "period_percent": "fluctuation",
    "loss_percent": "loss",
    "delay_ms": "delay",
    "jitter_percent": "jitter",
}
"""The five parameters of a network: keys of a link, and the monitor of triggers for each."""

BUDGET = ("first_runs", "most_runs", "held_out_runs")
"""How many runs are made: what `--quick` decides instead of the file."""

CHANGES = "changes"
"""The key of a held-out network that changes under way."""

Cell = tuple[int, ...]
"""A cell of the grid: the position of its value on each axis."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """A map that is asked for.

    Attributes:
        name: What the map is called: its file's name, without the ending.
        text: The file.
        source: The scenario that all networks are made of.
        scenario: The same, checked.
        link: The link whose parameters the grid is about.
        flow: The flow that has the candidates, and is measured.
        measure: What the best has most of, or least.
        grid: The axes: keys of the link with their values, rising.
        candidates: Keys of the flow's transport by the names of the compositions.
        first_runs: Runs of each candidate in a cell at first.
        most_runs: Runs of all candidates of a cell together, at most.
        confidence: Of all that is said of a cell.
        held_out: Networks that the map does not know.
        held_out_runs: Runs of each composition there.
        seed: Of the first run of each.
        is_quick: Whether a few runs are made, instead of those that the file asks for.
    """

    name: str
    text: str
    source: Source
    scenario: _core.Scenario
    link: int
    flow: int
    measure: Metric
    grid: Mapping[str, tuple[float, ...]]
    candidates: Mapping[str, Settings]
    first_runs: int
    most_runs: int
    confidence: float
    held_out: tuple[Settings, ...]
    held_out_runs: int
    seed: int
    is_quick: bool = False

    @property
    def last_seed(self) -> int:
        """The largest seed that a run may have."""
        return self.seed + self.most_runs + self.held_out_runs

    @property
    def cells(self) -> list[Cell]:
        """All cells; the position on the last axis changes fastest."""
        return list(product(*(range(len(values)) for values in self.grid.values())))

    def values(self, cell: Cell) -> dict[str, float]:
        """The values of a cell by the keys of the axes."""
        return {
            key: values[place] for (key, values), place in zip(self.grid.items(), cell, strict=True)
        }

    def network(self, values: Settings) -> Settings:
        """Keys of the scenario that make its link such a one."""
        return {f"links.{self.link}.{key}": value for key, value in values.items()}

    def composition(self, settings: Settings) -> Settings:
        """Keys of the scenario that give its flow such a transport."""
        return {f"flows.{self.flow}.transport.{key}": value for key, value in settings.items()}

    @property
    def asked(self) -> Asked:
        """The question: what `--resume` must find the same."""
        return {
            **of_scenario("the scenario", self.scenario),
            "link": str(self.link),
            "flow": str(self.flow),
            "measure": self.measure.key,
            "grid": _lines(self.grid),
            "candidates": _lines(self.candidates),
            "held_out": "; ".join(map(network_text, self.held_out)),
            "confidence": f"{self.confidence:g}",
            "first_runs": self.first_runs,
            "most_runs": self.most_runs,
            "held_out_runs": self.held_out_runs,
            "--seed": str(self.seed),
        }

    @property
    def sign(self) -> float:
        """1 if more of the measure is better, -1 if less is."""
        return 1.0 if self.measure.better == "higher" else -1.0


def _lines(named: Mapping[str, object]) -> str:
    """A name and its value in each line."""
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in named.items())


def network_text(values: Settings) -> str:
    """`loss_percent=2, then loss_percent=8 at 60 s`."""
    parts = [f"{key}={shown(value)}" for key, value in values.items() if key != CHANGES]
    changes = values.get(CHANGES)
    for change in changes if isinstance(changes, list) else []:
        if isinstance(change, dict):
            then = [f"{key}={shown(value)}" for key, value in change.items() if key != "at_s"]
            parts.append(f"then {' '.join(then)} at {shown(change.get('at_s', 0))} s")
    return ", ".join(parts)
