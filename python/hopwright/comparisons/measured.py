"""A sweep's table as one number a run."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hopwright._io.data import is_number
from hopwright._io.errors import InputError, near
from hopwright.results.chosen import check_flows, rows_where
from hopwright.results.metrics import (
    GOODPUT,
    NO_RESULTS,
    SHARING,
    Metric,
    check_jain,
    counts,
    is_of_run,
    metric,
    metrics,
    over,
)
from hopwright.results.starvation import COLUMNS, Starvation, hungry, starvation
from hopwright.statistics.means import IDENTITIES
from hopwright.sweeps.features import advice

if TYPE_CHECKING:
    from arro3.core import Table

PRIMARY = GOODPUT
DEFAULT_METRICS = (*SHARING, "retransmissions", "rto_count", "mean_rtt_s")
"""What is compared if nothing is asked for: those of them that some run has. How flows share is
left out where there is one alone."""


class Observations:
    """The results of runs, by point, seed and flow.

    Attributes:
        columns: Names of the columns that hold numbers measured.
        flows: The most flows that a run has.
    """

    def __init__(
        self,
        table: "Table",
        varied: Sequence[str],
        where: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self._cells: dict[str, list[Any]] = {
            name: list(table.column(name).to_pylist()) for name in table.schema.names
        }
        if where:
            kept = rows_where(self._cells, where, (*varied, "point", "seed"))
            self._cells = {name: [of[row] for row in kept] for name, of in self._cells.items()}
        self.columns = [
            name
            for name, cells in self._cells.items()
            if name not in NO_RESULTS | IDENTITIES
            and name not in varied
            and any(is_number(cell) for cell in cells)
        ]
        self._rows: dict[str, dict[int, dict[int, int]]] = {}
        places = zip(*(self._cells[name] for name in ("point", "seed", "flow")), strict=True)
        for row, (point, seed, flow) in enumerate(places):
            # Points that are the same scenario share their runs: the rows are there twice.
            self._rows.setdefault(point, {}).setdefault(seed, {}).setdefault(flow, row)
        self.flows = max(
            (len(rows) for runs in self._rows.values() for rows in runs.values()), default=0
        )

    @property
    def has_udp(self) -> bool:
        """Whether a flow is over UDP."""
        return "udp" in self._cells.get("protocol", ())

    def metrics(self, wanted: Sequence[str], flows: Sequence[int] | None = None) -> list[Metric]:
        """The metrics wanted, each once; the usual ones, of some flows or of all, if none are.

        Raises `InputError` for one that no run has.
        """
        if not wanted:
            # With UDP alone there is no goodput column; `values` takes what was received.
            measured = {*self.columns, PRIMARY}
            if flows is not None or self.flows < 2:
                measured -= {*SHARING[1:]}
            return [metric(key) for key in DEFAULT_METRICS if key in measured]
        known = tuple(self.columns) + ((PRIMARY,) if self.has_udp else ())
        for key in wanted:
            check_jain([key], self.flows)
            # What could be there, but nothing of the kind has happened: a cause of losses, say.
            if key in metrics() and key not in known:
                told = advice(key) or near(key, known)
                raise InputError(f"{key}: no run of the sweep has it{told}")
        return [metric(key, known) for key in dict.fromkeys(wanted)]

    def seeds(self, point: str) -> list[int]:
        """The seeds of a point's runs, rising."""
        return sorted(self._rows.get(point, {}))

    def starvation(self, point: str) -> Starvation | None:
        """Which flows of a point starve; None if none does in any run."""
        runs = self._rows.get(point, {}) if self.flows > 1 else {}
        of_runs = ([self._flow(rows[flow]) for flow in sorted(rows)] for rows in runs.values())
        return starvation([hungry(flows) for flows in of_runs])

    def _flow(self, row: int) -> dict[str, object]:
        return {name: self._cells[name][row] for name in COLUMNS if name in self._cells}

    def values(
        self, point: str, wanted: Metric, flows: Sequence[int] | None = None
    ) -> dict[int, float]:
        """A value for each of the point's runs that has one, by seed.

        Of several flows it is the sum or the mean, as `Metric.over_flows` makes it.
        """
        found = {}
        for seed in self.seeds(point):
            of_flows = self._of_flows(point, seed, wanted.key, flows)
            if is_of_run(wanted.key):  # every flow's row has it
                value = next((value for _, value in of_flows.values()), None)
            else:
                value = wanted.over_flows(of_flows.values())
            if value is not None:
                found[seed] = value
        return found

    def counted(
        self, point: str, wanted: Metric, flows: Sequence[int] | None = None
    ) -> tuple[int, ...]:
        """The flows that make a point's values; none if the metric is of the whole run."""
        if is_of_run(wanted.key):
            return ()
        return tuple(
            sorted(
                {
                    flow
                    for seed in self.seeds(point)
                    for flow, each in self._of_flows(point, seed, wanted.key, flows).items()
                    if counts(*each)
                }
            )
        )

    def _of_flows(
        self, point: str, seed: int, key: str, flows: Sequence[int] | None
    ) -> dict[int, tuple[object, float | None]]:
        """The protocol and the value of each flow of a run, or of each of the chosen ones."""
        rows = self._rows[point][seed]
        check_flows(flows, rows)
        return {flow: self._value(rows[flow], key) for flow in (rows if flows is None else flows)}

    def _value(self, row: int, key: str) -> tuple[object, float | None]:
        protocol = self._cells.get("protocol", {row: None})[row]
        column = self._cells.get(over(protocol, key))
        cell = None if column is None else column[row]
        return protocol, float(cell) if is_number(cell) else None
