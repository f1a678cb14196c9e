"""What the network of a scenario does over time: links, partitions, paths, and their statistics."""

import csv
import io
import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright._run.execute import core_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NODES = 2_000
MOST_INSTANTS = 1_000_000
SNAPSHOTS = ("time_s", "up", "links", "partitions", "largest", "joined")
LONG_HOPS = 3
"""Mean paths above this many hops are counted: the bound of Papanastasiou's figures 5.4 and 5.5."""
SHORT_SHARE = f"share_up_to_{LONG_HOPS}"
"""What the share of the others is called."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The network of one seed over time. Lists of one table have the same length."""

    seed: int
    nodes: int
    range_m: float
    end_s: float
    snapshots: dict[str, list[float]]
    """By column, see `SNAPSHOTS`: the network at each instant."""
    hops: list[int]
    """How many pairs were n + 1 hops apart, summed over all instants."""
    pairs: dict[str, list[float]]
    """`a`, `b`, `mean_hops` over the instants with a path, and `joined`: how many these were."""
    contacts: dict[str, list[float]]
    """`a`, `b`, `from_s`, `until_s` of each link."""

    @classmethod
    def of(cls, scenario: _core.Scenario, seed: int, step_s: float) -> "Seen":
        """Looks at a scenario with a seed, every `step_s` seconds."""
        return cls(seed=seed, **json.loads(scenario.topology_json(step_s, seed)))

    def changes(self) -> "NDArray[np.float64]":
        """When links come up and break, seconds; neither at the start nor at the end."""
        import numpy as np

        begins, ends = np.asarray(self.contacts["from_s"]), np.asarray(self.contacts["until_s"])
        return np.sort(np.concatenate([begins[begins > 0], ends[ends < self.end_s]]))

    def lifetimes(self) -> "NDArray[np.float64]":
        """Of the links that both came up and broke, seconds."""
        import numpy as np

        begins, ends = np.asarray(self.contacts["from_s"]), np.asarray(self.contacts["until_s"])
        whole = (begins > 0) & (ends < self.end_s)
        lasted: NDArray[np.float64] = (ends - begins)[whole]
        return lasted

    def series(self) -> dict[str, list[float]]:
        """The snapshots with `mean_degree` and `changes`: links' changes since the one before."""
        import numpy as np

        times, up = self.snapshots["time_s"], self.snapshots["up"]
        links = self.snapshots["links"]
        degree = [2 * count / max(nodes, 1) for count, nodes in zip(links, up, strict=True)]
        counted = np.searchsorted(self.changes(), np.asarray(times), side="right")
        changes = np.diff(counted, prepend=0)
        columns = {name: list(self.snapshots[name]) for name in SNAPSHOTS}
        return {**columns, "mean_degree": degree, "changes": [int(n) for n in changes]}


@dataclass(frozen=True, kw_only=True, repr=False)
class Report:
    """One or several seeds of a scenario together."""

    scenario: str
    step_s: float
    bins: str
    """How the classes of the histogram are chosen: `fd` (Freedman-Diaconis) or `sturges`."""
    runs: Sequence[Seen]
    names: Sequence[str] = ()
    """What each node is called in the movement file, if nodes have names."""

    def over_time(self) -> dict[str, tuple[float, float, float]]:
        """Of each quantity the mean, least and most over all instants of all runs."""
        import numpy as np

        found = {}
        for name, values in self._quantities().items():
            column = np.concatenate([np.asarray(each, dtype=float) for each in values])
            found[name] = (float(column.mean()), float(column.min()), float(column.max()))
        return found

    def _quantities(self) -> dict[str, list[list[float]]]:
        series = [run.series() for run in self.runs]
        nodes = [run.nodes for run in self.runs]
        pairs = [max(n * (n - 1) // 2, 1) for n in nodes]
        return {
            "mean_degree": [each["mean_degree"] for each in series],
            "links": [each["links"] for each in series],
            "partitions": [each["partitions"] for each in series],
            "largest_partition_share": [
                [count / n for count in each["largest"]]
                for each, n in zip(series, nodes, strict=True)
            ],
            "joined_pairs_share": [
                [count / n for count in each["joined"]]
                for each, n in zip(series, pairs, strict=True)
            ],
        }

    def links(self) -> dict[str, float | int | None]:
        """Of links: how often they change, how long they last."""
        import numpy as np

        lifetimes = np.concatenate([run.lifetimes() for run in self.runs])
        total_s = sum(run.end_s for run in self.runs)
        changes = sum(len(run.changes()) for run in self.runs)
        linked_s = sum(
            until - begin
            for run in self.runs
            for begin, until in zip(run.contacts["from_s"], run.contacts["until_s"], strict=True)
        )
        breaks = sum(until < run.end_s for run in self.runs for until in run.contacts["until_s"])
        known = len(lifetimes) > 0
        return {
            "contacts": sum(len(run.contacts["a"]) for run in self.runs),
            "complete": len(lifetimes),
            "changes_per_s": changes / total_s,
            "linked_s_per_break": linked_s / breaks if breaks else None,
            "median_s": float(np.median(lifetimes)) if known else None,
            "mean_s": float(np.mean(lifetimes)) if known else None,
            "p10_s": float(np.quantile(lifetimes, 0.1)) if known else None,
            "p90_s": float(np.quantile(lifetimes, 0.9)) if known else None,
        }

    def mean_paths(self) -> list[float]:
        """Of each pair that a path joined at some time, its mean length in hops."""
        return [hops for run in self.runs for hops in run.pairs["mean_hops"]]

    def paths(self) -> Object:
        """Of the pairs: how long paths are on average, and how often there is none.

        `ci95`: 95 % intervals of the mean over runs, by Student's t, of which each is one value.
        """
        import numpy as np

        from hopwright.statistics.intervals import t_interval

        lengths = np.asarray(self.mean_paths())
        pairs = sum(run.nodes * (run.nodes - 1) // 2 for run in self.runs)
        instants = sum(sum(run.hops) for run in self.runs)
        if not len(lengths):
            return {"pairs": pairs, "ever_joined": 0}
        by_run = [np.asarray(run.pairs["mean_hops"]) for run in self.runs]
        of_runs = {
            "mean_hops": [float(each.mean()) for each in by_run if len(each)],
            SHORT_SHARE: [float((each <= LONG_HOPS).mean()) for each in by_run if len(each)],
        }
        intervals = {name: t_interval(values).ends for name, values in of_runs.items()}
        ci95: Object = {name: list(ends) for name, ends in intervals.items() if ends}
        return {
            "pairs": pairs,
            "ever_joined": len(lengths),
            "mean_hops": float(lengths.mean()),
            "median_hops": float(np.median(lengths)),
            "p95_hops": float(np.quantile(lengths, 0.95)),
            "largest_hops": float(lengths.max()),
            SHORT_SHARE: float((lengths <= LONG_HOPS).mean()),
            **({"ci95": ci95} if ci95 else {}),
            "share_of_instants": [count / instants for count in self._hops()],
        }

    def _hops(self) -> list[int]:
        most = max(len(run.hops) for run in self.runs)
        return [sum(run.hops[n] for run in self.runs if n < len(run.hops)) for n in range(most)]

    def histogram(self) -> tuple[list[float], list[int]]:
        """The pairs by their mean path: the classes' edges, and how many are in each.

        Freedman-Diaconis: classes are 2 IQR n^(-1/3) wide; Sturges: there are log2 n + 1 of them.
        """
        import numpy as np

        lengths = np.asarray(self.mean_paths())
        if not len(lengths):
            return [], []
        counts, edges = np.histogram(lengths, bins=self.bins)
        return [float(edge) for edge in edges], [int(count) for count in counts]

    def to_object(self) -> Object:
        """Everything but the lists of pairs and links, as JSON."""
        edges, counts = self.histogram()
        over_time: Object = {
            name: {"mean": mean, "min": least, "max": most}
            for name, (mean, least, most) in self.over_time().items()
        }
        links: Object = dict(self.links())
        classes: list[Json] = [*edges]
        in_each: list[Json] = [*counts]
        return {
            "scenario": self.scenario,
            "version": _core.version(),
            "seed": self.runs[0].seed,
            "runs": len(self.runs),
            "nodes": self.runs[0].nodes,
            **({"names": [*self.names]} if self.names else {}),
            "duration_s": self.runs[0].end_s,
            "range_m": self.runs[0].range_m,
            "step_s": self.step_s,
            "over_time": over_time,
            "links": links,
            "paths": self.paths(),
            "histogram": {"bins": self.bins, "edges_hops": classes, "pairs": in_each},
        }

    def files(self) -> dict[str, str]:
        """The CSV files: what was seen at each instant, of each pair, of each link."""
        return {
            "snapshots.csv": self._csv([run.series() for run in self.runs]),
            "pairs.csv": self._csv([run.pairs for run in self.runs]),
            "links.csv": self._csv([run.contacts for run in self.runs]),
        }

    def __str__(self) -> str:
        """What `hopwright topology` prints."""
        from hopwright.topology.tables import text

        return text(self)

    def __repr__(self) -> str:
        return f"<Report of the topology of {self.scenario!r}: {many(len(self.runs), 'seed')}>"

    def _repr_html_(self) -> str:
        from hopwright.topology.tables import html

        return html(self)

    def _csv(self, tables: Sequence[dict[str, list[float]]]) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["seed", *tables[0]])
        for run, columns in zip(self.runs, tables, strict=True):
            for row in zip(*columns.values(), strict=True):
                writer.writerow([run.seed, *row])
        return text.getvalue()


def _check_size(scenario: _core.Scenario, step_s: float) -> None:
    if not (step_s > 0 and math.isfinite(step_s)):
        raise InputError(f"step {step_s:g}: must be above 0")
    if scenario.node_count > MOST_NODES:
        raise InputError(
            f"{scenario.name}: has {scenario.node_count} nodes; paths between all of up to "
            f"{MOST_NODES:,} can be looked at"
        )
    if instants(scenario.duration_s, step_s) > MOST_INSTANTS:
        raise InputError(f"step {step_s:g}: at most {MOST_INSTANTS:,} instants; take a longer step")


def instants(end_s: float, step_s: float) -> float:
    """How many instants are looked at."""
    return math.floor(end_s / step_s) + 1


def report_of(
    scenario: _core.Scenario, *, runs: int = 1, step_s: float = 1.0, bins: str = "fd"
) -> Report:
    """Looks at a scenario with its own seed and the following ones.

    Raises `ScenarioError` where a seed leaves a flow without a way, `InputError` for more than can
    be looked at.
    """
    _check_size(scenario, step_s)
    seeds = range(scenario.seed, scenario.seed + runs)
    with ThreadPoolExecutor(min(core_count(), runs)) as pool:
        seen = list(pool.map(lambda seed: Seen.of(scenario, seed, step_s), seeds))
    return Report(
        scenario=scenario.name, step_s=step_s, bins=bins, runs=seen, names=scenario.names()
    )
