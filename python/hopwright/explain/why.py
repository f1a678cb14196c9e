"""Where the time of flows went, side by side: the numbers, with intervals over seeds.

The time is in results that have `output.flow_time`: see docs/questions.md for what each part is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright._io.plural import many
from hopwright.results.metrics import Metric, metric, metrics, over
from hopwright.results.nodes import ends_in_runs
from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import half_width, mean
from hopwright.statistics.paired import paired

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright.figures import Figure

FlowRow = Mapping[str, object]
"""What was measured of a flow of a run, by column."""

SENDER, NETWORK = "sender_time_s.", "network_time_s."
"""What the columns of the two accounts begin with."""
PACKET = "packet_time_s."
"""What the columns of a packet's mean delay, by place, begin with."""
TOLD = (
    "goodput_bps",
    "mean_data_in_flight",
    "mean_rtt_s",
    "retransmissions",
    "rto_count",
    "rto_time_s",
)
"""What stands beside the time; of losses, each cause that occurred."""
LOST = ("losses.", "ack_losses.")


class Side(NamedTuple):
    """What is compared: a run folder, or a variant."""

    name: str
    runs: Mapping[int, Mapping[int, FlowRow]]
    """By seed and flow."""

    @property
    def has_time(self) -> bool:
        """Whether all runs tell where the time went."""
        rows = [row for flows in self.runs.values() for row in flows.values()]
        return bool(rows) and all(isinstance(row.get(f"{NETWORK}nothing"), float) for row in rows)


class Value(NamedTuple):
    """A number of a side, over its seeds; None where no run has it."""

    mean: float | None
    half_width: float | None
    difference: Interval | None = None
    """From the baseline, by the mean of pairs of the same seed."""

    @property
    def change(self) -> float:
        """The difference; 0 where there is none."""
        return 0.0 if self.difference is None else self.difference.estimate

    @property
    def may_be_chance(self) -> bool:
        """Whether the interval of the difference holds zero; false with one seed."""
        return self.difference is not None and self.difference.has(0)

    def to_json(self) -> Object:
        """All numbers, and whether the interval of the difference leaves zero out."""
        found = self.difference
        return {
            "mean": self.mean,
            "half_width": self.half_width,
            "difference": found and found.estimate,
            "low": found and found.low,
            "high": found and found.high,
            "sure": found is not None and bool(found.sign),
        }


class Line(NamedTuple):
    """A part of the time, or another number, of each side."""

    metric: Metric
    values: list[Value]


@dataclass(frozen=True)
class FlowWhy:
    """A flow of both sides."""

    flow: int
    ends: str
    sender: list[Line]
    """Shares of the flow's time, 0 to 1; they add up to 1. Nothing where it is not over TCP."""
    network: list[Line]
    packet: list[Line]
    """A packet's mean delay by place, which add up to it. Nothing where a side does not tell."""
    told: list[Line]

    def value(self, key: str, side: int) -> Value | None:
        """A number by its column."""
        lines = [*self.sender, *self.network, *self.packet, *self.told]
        return next((each.values[side] for each in lines if each.metric.key == key), None)

    def to_json(self, sides: Sequence[str]) -> Object:
        """Each number by its column; of each side its name and its value."""

        def listed(lines: Sequence[Line]) -> Json:
            return {
                each.metric.key.removesuffix("."): [
                    {"of": side, **value.to_json()}
                    for side, value in zip(sides, each.values, strict=True)
                ]
                for each in lines
            }

        return {
            "flow": self.flow,
            "sender_share": listed(self.sender),
            "network_share": listed(self.network),
            "packet_time_s": listed(self.packet),
            "beside": listed(self.told),
        }


@in_python
@dataclass(frozen=True, eq=False, repr=False)
class Why:
    """Where the time of flows went, of a baseline and what is compared with it.

    Attributes:
        sides: Their names, the baseline first.
        seeds: The seeds that all of them have.
        flows: The flows that all of them have, or those that were asked for.
        block: What else is the same in all of them; empty if nothing was varied besides.
        key: The varied key that the sides are values of; empty if they are runs.
    """

    sides: list[str]
    seeds: list[int]
    flows: list[FlowWhy]
    block: str = ""
    key: str = ""

    @property
    def sentences(self) -> list[str]:
        """A sentence for each flow of each side but the baseline."""
        from hopwright.explain.why_words import sentence

        return [
            sentence(self, flow, side) for flow in self.flows for side in range(1, len(self.sides))
        ]

    def figure(self) -> "Figure":
        """Stacked bars: each side's time, of each flow."""
        from hopwright.explain.why_figure import why_figure

        return why_figure(self)

    def to_json(self) -> Object:
        """Everything."""
        return {
            "block": self.block,
            "key": self.key,
            "baseline": self.sides[0],
            "sides": list(self.sides),
            "seeds": list(self.seeds),
            "flows": [each.to_json(self.sides) for each in self.flows],
            "sentences": list(self.sentences),
        }

    def __str__(self) -> str:
        from hopwright.explain.why_report import text

        return text(self)

    def _repr_html_(self) -> str:
        from hopwright.explain.why_report import html

        return html(self)

    def __repr__(self) -> str:
        counts = f"{many(len(self.flows), 'flow')}, {many(len(self.seeds), 'seed')}"
        return f"<Why of {', '.join(self.sides)}: {counts}>"


def side_of(name: str, table: "Table", point: str | None = None) -> Side:
    """A side from a tidy table; `point`: of a sweep's, the rows of this point alone."""
    cells = {column: table.column(column).to_pylist() for column in table.schema.names}
    runs: dict[int, dict[int, FlowRow]] = {}
    for row in range(table.num_rows):
        if point is None or cells["point"][row] == point:
            flow = {column: values[row] for column, values in cells.items()}
            runs.setdefault(cells["seed"][row], {})[cells["flow"][row]] = flow
    return Side(name, runs)


def why(
    sides: Sequence[Side], flows: Sequence[int] | None = None, block: str = "", key: str = ""
) -> Why:
    """Compares where the time of flows went; the first side is the baseline.

    Raises `InputError` if the sides have no seed or flow in common, or lack one that is asked for.
    """
    seeds = sorted(set.intersection(*(set(side.runs) for side in sides)))
    if not seeds:
        raise InputError(f"{' and '.join(side.name for side in sides)}: no seed is in all of them")
    common = sorted(set.intersection(*(set(side.runs[seeds[0]]) for side in sides)))
    for flow in flows or ():
        if flow not in common:
            raise InputError(
                f"--flow {flow}: not all sides have this flow; all have: {_listed(common)}"
            )
    chosen = common if flows is None else list(dict.fromkeys(flows))
    found = [_of_flow([[s.runs[n][flow] for n in seeds] for s in sides], flow) for flow in chosen]
    return Why([side.name for side in sides], seeds, found, block, key)


def _of_flow(rows: Sequence[Sequence[FlowRow]], flow: int) -> FlowWhy:
    keys = dict.fromkeys(key for side in rows for row in side for key in row)

    def shares(prefix: str) -> list[Line]:
        found = []
        for key in (key for key in keys if key.startswith(prefix)):
            values = [[_share(row, key) for row in side] for side in rows]
            if any(value is not None for side in values for value in side):
                found.append(Line(_in_percent(metric(key)), _values(values)))
        return found

    lost = [key for key in keys if key.startswith(LOST)]
    told = []
    for key in (*TOLD, *lost):
        values = [[_number(row, over(row.get("protocol"), key)) for row in side] for side in rows]
        happened = [value for side in values for value in side if value is not None]
        if happened and (key in TOLD or any(happened)):
            told.append(Line(metric(key), _values(values)))
    packet = []
    for key in (key for key in keys if key.startswith(PACKET)):
        values = [[_number(row, key) for row in side] for side in rows]
        if all(any(value is not None for value in side) for side in values):
            packet.append(Line(_in_milliseconds(metric(key)), _values(values)))
    ends = ends_in_runs(row for side in rows for row in side)
    return FlowWhy(flow, ends, shares(SENDER), shares(NETWORK), packet, told)


def _values(sides: Sequence[Sequence[float | None]]) -> list[Value]:
    """Of each side its mean, and how far it is from the first."""
    found = []
    for values in sides:
        known = [value for value in values if value is not None]
        if not known:
            found.append(Value(None, None))
            continue
        pairs = [
            (value, base)
            for value, base in zip(values, sides[0], strict=True)
            if value is not None and base is not None
        ]
        spread = half_width(known) if len(known) > 1 else None
        if values is sides[0] or not pairs:
            found.append(Value(mean(known), spread))
            continue
        against = paired([value for value, _ in pairs], [base for _, base in pairs])
        found.append(Value(mean(known), spread, against.difference))
    return found


def _share(row: FlowRow, key: str) -> float | None:
    """A part of a flow's time over all of it."""
    part, whole = _number(row, key), _number(row, "measured_s")
    return None if part is None or not whole else part / whole


def _number(row: FlowRow, key: str) -> float | None:
    value = row.get(key)
    return float(value) if isinstance(value, (int, float)) else None


def _in_percent(of: Metric) -> Metric:
    return of._replace(title=_part(of), unit="%", scale=100.0, decimals=1)


def _in_milliseconds(of: Metric) -> Metric:
    return of._replace(title=_part(of), unit="ms", scale=1000.0, decimals=1)


def _part(of: Metric) -> str:
    """Below a heading that names the account, its name in front of each part says nothing new."""
    return of.title.rpartition(": ")[2]


def _listed(flows: Sequence[int]) -> str:
    return ", ".join(map(str, flows)) or "none"


def accounts() -> list[str]:
    """The columns of both accounts, in the order of the schema."""
    return [key for key in metrics() if key.startswith((SENDER, NETWORK))]
