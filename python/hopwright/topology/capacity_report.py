"""`hopwright topology --capacity`: what the flows of a scenario could get at most, over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from hopwright import _core
from hopwright._io.data import Object
from hopwright.statistics.intervals import t_interval
from hopwright.topology.capacity import RULES, Capacity, Network, Rule, capacity

SAID = {
    "frames": "the bound: what powers allow to be received at once",
    "exchanges": 'whole exchanges apart, as with mac.kind = "ideal"',
}


@dataclass(frozen=True, kw_only=True)
class Found:
    """The capacity of a scenario's network at one time, with several seeds."""

    scenario: str
    at_s: float
    seeds: range
    ends: list[tuple[int, int]]
    """Of each flow of the first seed: source and destination."""
    by_rule: dict[Rule, list[Capacity]]
    """By seed."""

    def alone_kbps(self, rule: Rule, flow: int) -> list[float]:
        """Of each seed that has the flow, what it gets if the others are silent."""
        found = self.by_rule[rule]
        return [seed.alone_kbps[flow] for seed in found if flow < len(seed.alone_kbps)]

    def total_kbps(self, rule: Rule) -> list[float]:
        """All flows together, by seed."""
        return [seed.total_kbps for seed in self.by_rule[rule]]

    def common_kbps(self, rule: Rule) -> list[float]:
        """Each of all flows that have a way, of the seeds in which one has."""
        found = self.by_rule[rule]
        return [seed.common_kbps for seed in found if seed.common_kbps is not None]

    def to_object(self) -> Object:
        """As JSON has it; means over seeds, with their 95 % intervals where there are several."""
        flows: list[Object] = [
            {
                "flow": flow,
                "from": source,
                "to": destination,
                "alone_kbps": {rule: _mean(self.alone_kbps(rule, flow)) for rule in RULES},
            }
            for flow, (source, destination) in enumerate(self.ends)
        ]
        return {
            "schema": 1,
            "scenario": self.scenario,
            "seed": self.seeds.start,
            "runs": len(self.seeds),
            "at_s": self.at_s,
            "total_kbps": {rule: _mean(self.total_kbps(rule)) for rule in RULES},
            "common_kbps": {rule: _mean(self.common_kbps(rule)) for rule in RULES},
            "flows": [*flows],
        }


def _mean(values: Sequence[float]) -> Object:
    """The mean of some values, and its interval."""
    ends = t_interval(values).ends if values else None
    return {"mean": fmean(values) if values else None, "ci95": None if ends is None else [*ends]}


def capacity_of(scenario: _core.Scenario, *, runs: int = 1, at_s: float = 0.0) -> Found:
    """Computes with a scenario's own seed and the following ones.

    Raises `InputError` where chance decides which frames are received, or a network is too large;
    `ScenarioError` where a seed leaves a flow without a way.
    """
    seeds = range(scenario.seed, scenario.seed + runs)
    networks = [Network.of(scenario, seed, at_s) for seed in seeds]
    return Found(
        scenario=scenario.name,
        at_s=at_s,
        seeds=seeds,
        ends=[(flow.source, flow.destination) for flow in networks[0].flows],
        by_rule={rule: [capacity(network, rule) for network in networks] for rule in RULES},
    )


def print_capacity(found: Found) -> None:
    """Prints it on standard output."""
    from rich.text import Text

    from hopwright._io.console import Whole, standard_output
    from hopwright.topology.tables import simple_table

    console = standard_output()
    seeds = f"seed {found.seeds.start}"
    if len(found.seeds) > 1:
        seeds = f"means of seeds {found.seeds.start} to {found.seeds.stop - 1}"
    heading = f"{found.scenario}: capacity at {found.at_s:g} s, {seeds}; application data, kb/s"
    console.print(Text(heading, style="bold"))
    table = simple_table("", *RULES)
    for flow, (source, destination) in enumerate(found.ends):
        name = f"flow {flow} alone"
        if len(found.seeds) == 1:
            name += f", {source} to {destination}"
        table.add_row(name, *(_shown(found.alone_kbps(rule, flow)) for rule in RULES))
    if len(found.ends) > 1:
        together = [_shown(found.total_kbps(rule)) for rule in RULES]
        table.add_row("all together, the largest sum", *together)
        alike = [_shown(found.common_kbps(rule)) for rule in RULES]
        table.add_row("each, if all get the same", *alike)
    console.print()
    console.print(Whole(table))
    console.print()
    for rule in RULES:
        console.print(Text(f"{rule}: {SAID[rule]}"))
    if len(found.seeds) > 1:
        console.print(Text("(A to B): the 95 % interval of the mean (Student's t)"))


def _shown(values: Sequence[float]) -> str:
    found = _mean(values)
    mean, interval = found["mean"], found["ci95"]
    if mean is None:
        return "–"
    if isinstance(interval, list):
        return f"{mean:.1f} ({interval[0]:.1f} to {interval[1]:.1f})"
    return f"{mean:.1f}" if mean else "no way"
