"""The table of a sweep, as figures ask for it: which settings vary, and what runs had where."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hopwright._io.errors import InputError, near
from hopwright._io.parquet import read_columns
from hopwright.results.chosen import FLOW, check_flows, rows_where, text_of
from hopwright.results.metrics import is_of_run, metric, over
from hopwright.results.starvation import COLUMNS, Starvation, hungry, starvation, warnings_at

if TYPE_CHECKING:
    from arro3.core import Table

RESULTS = "results.parquet"
IDENTITY = ("point", "seed", "flow")
"""The columns between the varied keys and the measurements."""

Value: TypeAlias = "str | float | int | bool | None"
Setting: TypeAlias = tuple[Value, ...]


def check_table(path: Path, names: Sequence[str], varied: Iterable[str] = ()) -> None:
    """Raises `InputError` if a file with columns of these names is not the table of a sweep."""
    for name in (*varied, *IDENTITY):
        if name not in names:
            raise InputError(f"{path}: is not the table of a sweep: it has no column '{name}'")


@dataclass(frozen=True)
class Results:
    """Rows of a flow of a run each, by column."""

    columns: Mapping[str, Sequence[Value]]
    varied: Sequence[str]
    """The keys that the sweep varied, in its order."""
    is_part: bool = False
    """Whether flows were left out: how flows share is of all of them."""

    @classmethod
    def read(cls, folder: Path) -> "Results":
        """The table in a sweep's folder. Raises `InputError`."""
        path = folder / RESULTS
        columns: dict[str, list[Value]] = read_columns(path)
        names = list(columns)
        check_table(path, names)
        if not columns["seed"]:
            raise InputError(f"{path}: has no results yet")
        return cls(columns, names[: names.index(IDENTITY[0])])

    @classmethod
    def of(cls, table: "Table", *, is_part: bool = False) -> "Results":
        """A sweep's table in memory."""
        columns: dict[str, list[Value]] = {
            name: list(table.column(name).to_pylist()) for name in table.column_names
        }
        varied = table.column_names[: table.column_names.index(IDENTITY[0])]
        return cls(columns, varied, is_part)

    @property
    def runs(self) -> set[tuple[str, int]]:
        """Point and seed of each run."""
        of = (self.columns[name] for name in ("point", "seed"))
        return {(str(point), int(seed or 0)) for point, seed in zip(*of, strict=True)}

    @property
    def metrics(self) -> list[str]:
        """The columns that are numbers and were measured."""
        measured = [name for name in self.columns if name not in (*self.varied, *IDENTITY)]
        return [name for name in measured if self.is_number(name)]

    def is_number(self, column: str) -> bool:
        """Whether a column has numbers, and nothing else."""
        known = [value for value in self.columns[column] if value is not None]
        return bool(known) and all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in known
        )

    def check(self, column: str, option: str) -> None:
        """Raises `InputError` if there is no such column."""
        if column not in self.columns:
            raise InputError(f"{option} {column}: no such column{near(column, self.columns)}")

    def values(self, column: str) -> list[Value]:
        """What a column has, each once: numbers ascend, words stand as they first come."""
        cells = self.columns[column]
        found: list[Value] = list(dict.fromkeys(cell for cell in cells if cell is not None))
        if self.is_number(column):
            found.sort(key=lambda value: float(value or 0))
        return found

    def where(self, chosen: Mapping[str, Sequence[str]]) -> "Results":
        """The runs in which each column has one of its values: `results.chosen.rows_where`."""
        return self._only(rows_where(self.columns, chosen, (*self.varied, "point", "seed")))

    def of_flows(self, flows: Sequence[int] | None) -> "Results":
        """The rows of these flows; None: of all. Raises `InputError` if one is not there."""
        if flows is None:
            return self
        of = self.columns[FLOW]
        check_flows(flows, (int(value) for value in of if value is not None))
        rows = [row for row, value in enumerate(of) if value in flows]
        return replace(self._only(rows), is_part=self.is_part or len(rows) < len(of))

    def starved(self) -> list[str]:
        """Lines that say at which settings a flow starves in some run, and which."""
        if len(self.values("flow")) < 2:
            return []
        runs: dict[Setting, dict[Setting, dict[Value, int]]] = {}
        for row in range(len(self.columns["seed"])):
            setting = tuple(self.columns[key][row] for key in self.varied)
            point, seed, flow = (self.columns[name][row] for name in IDENTITY)
            runs.setdefault(setting, {}).setdefault((point, seed), {})[flow] = row
        found: list[tuple[str, Starvation]] = []
        for setting, of in runs.items():
            starved = starvation(
                [hungry(list(map(self._flow, rows.values()))) for rows in of.values()]
            )
            if starved is not None:
                pairs = zip(self.varied, map(text_of, setting), strict=True)
                found.append((", ".join(f"{key}={value}" for key, value in pairs), starved))
        return warnings_at(found, len(runs))

    def _flow(self, row: int) -> dict[str, object]:
        return {name: self.columns[name][row] for name in COLUMNS if name in self.columns}

    def _only(self, kept: Sequence[int]) -> "Results":
        columns = {name: [cells[row] for row in kept] for name, cells in self.columns.items()}
        return replace(self, columns=columns)

    def depends(self, column: str, on: Sequence[str]) -> bool:
        """Whether a column has but one value where these have the same."""
        seen: dict[Setting, Value] = {}
        for row, value in enumerate(self.columns[column]):
            setting = tuple(self.columns[name][row] for name in on)
            if seen.setdefault(setting, value) != value:
                return False
        return True

    def free(self, on: Sequence[str]) -> list[str]:
        """The varied keys that these leave open, each only if those before it do so too."""
        found: list[str] = []
        for key in self.varied:
            if key not in on and not self.depends(key, [*on, *found]):
                found.append(key)
        return found

    def samples(
        self, key: str, on: Sequence[str], *, is_mean: bool = False
    ) -> dict[Setting, list[float]]:
        """What the runs of each setting of these columns had: a value a run, in their order.

        Of several flows it is the sum or the mean, as `Metric.over_flows` makes it, or the mean in
        any case; what is about the whole run stands in each flow's row and is taken once.
        """
        shown = metric(key)
        if is_mean:
            shown = shown._replace(sum_over_flows=False)
        together = _first if is_of_run(key) else shown.over_flows
        runs: dict[Setting, dict[Setting, dict[Value, tuple[Value, float | None]]]] = {}
        for row in range(len(self.columns[key])):
            setting = tuple(self.columns[name][row] for name in on)
            point, seed, flow = (self.columns[name][row] for name in IDENTITY)
            flows = runs.setdefault(setting, {}).setdefault((point, seed), {})
            # Once: a design may have a point twice, with the same rows.
            flows[flow] = self._value(row, key)
        return {
            setting: [
                value for flows in of.values() if (value := together(flows.values())) is not None
            ]
            for setting, of in runs.items()
        }

    def _value(self, row: int, key: str) -> tuple[Value, float | None]:
        """A flow's protocol and its value."""
        protocol = self.columns.get("protocol", {row: None})[row]
        value = self.columns[over(protocol, key)][row]
        return protocol, None if value is None else float(value)


def _first(flows: Iterable[tuple[Value, float | None]]) -> float | None:
    return next((value for _, value in flows), None)
