"""The numbers of a judgement: shares of right diagnoses, goodput, and differences of pairs."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hopwright import _core
from hopwright._io.data import Json, Object, items, number
from hopwright.research.diagnosis import Confusion, Reading
from hopwright.results.summary import to_json
from hopwright.statistics.intervals import Interval, t_interval
from hopwright.statistics.paired import relative_difference

if TYPE_CHECKING:
    from arro3.core import Table


class Difference(NamedTuple):
    """A mean difference of pairs of runs with the same seed; pairs in which both have a value."""

    absolute: Interval
    relative: Interval | None
    """Over the mean of what is compared with, None where that is zero; without ends where runs are
    too few for an interval, see `difference_of`."""


@dataclass(frozen=True)
class Runs:
    """What is kept of the runs of a differentiator in a scenario, in the order of their seeds."""

    goodput_bps: list[float]
    """Of all flows of TCP together."""
    confusions: list[Confusion]
    lost: dict[str, int]
    """Segments and acknowledgements lost of these flows, by cause, in all runs."""

    @classmethod
    def of(cls, results: Sequence[Json], flows: Sequence[int]) -> "Runs":
        """Of elements of a summary's `results`."""
        goodputs, lost = [], dict[str, int]()
        for result in results:
            judged = [items(result, "flows")[flow] for flow in flows]
            goodputs.append(sum(number(flow, "goodput_bps") or 0.0 for flow in judged))
            for flow in judged:
                losses = flow.get("losses") if isinstance(flow, dict) else None
                for cause, count in losses.items() if isinstance(losses, dict) else ():
                    if isinstance(count, int) and count:
                        lost[cause] = lost.get(cause, 0) + count
        return cls(goodputs, [Confusion.of_run(result, flows) for result in results], lost)

    @property
    def confusion(self) -> Confusion:
        """Of all runs together."""
        return sum(self.confusions, Confusion())

    def shares(self, reading: Reading) -> list[float | None]:
        """Of each run the share of right diagnoses; None if there was nothing to diagnose."""
        return [confusion.accuracy(reading) for confusion in self.confusions]


@dataclass(frozen=True)
class Row:
    """A differentiator in a scenario."""

    scenario: str
    differentiator: str
    runs: int
    diagnoses: int
    accuracy: dict[str, Interval | None]
    """The share that is right, by reading."""
    better: dict[str, Difference | None]
    """The same minus that of who blames congestion always, by reading."""
    recall: dict[str, Interval | None]
    """Of each true cause the share that is recognised as such."""
    needless: Interval | None
    """The share of diagnoses for which nothing was lost."""
    goodput_bps: Interval
    against_oracle: Difference
    """Of goodput."""
    against_ignorance: Difference
    """Of goodput, against who blames congestion always."""
    lost: dict[str, int]
    confusion: dict[str, int]
    """How often, by truth and belief: `queue_as_channel`."""


@dataclass(frozen=True)
class Price:
    """What one kind of error costs: the oracle, wrong about one cause, against itself."""

    scenario: str
    truth: str
    """The cause, or `nothing`."""
    believed: str
    probability: float
    """Of the error; 1 where the truth is `nothing`, as the oracle draws for causes only."""
    errors: int
    """How often it was made, in all runs."""
    goodput: Difference
    """Against the oracle that makes no error."""


@dataclass(frozen=True, repr=False)
class Judgement:
    """Differentiators in scenarios, judged by the truth."""

    response: str
    seeds: dict[str, tuple[int, int]]
    """By scenario, the first and the last."""
    rows: list[Row]
    runs: dict[tuple[str, str], Runs]
    """By scenario and differentiator."""
    prices: list[Price] = field(default_factory=list)

    @property
    def scenarios(self) -> list[str]:
        """Their names."""
        return list(dict.fromkeys(row.scenario for row in self.rows))

    @property
    def differentiators(self) -> list[str]:
        """Their names."""
        return list(dict.fromkeys(row.differentiator for row in self.rows))

    def of(self, scenario: str) -> list[Row]:
        """The rows of a scenario."""
        return [row for row in self.rows if row.scenario == scenario]

    def __repr__(self) -> str:
        names, scenarios = ", ".join(self.differentiators), ", ".join(self.scenarios)
        return f"<Judgement of {names} in {scenarios}>"

    def __str__(self) -> str:
        """What `hopwright judge` prints."""
        from hopwright.research.judging.report import text

        return text(self)

    def _repr_html_(self) -> str:
        from hopwright.research.judging.report import html

        return html(self)

    def to_json(self) -> str:
        """Every number."""
        written: Object = {
            "version": _core.version(),
            "response": self.response,
            "seeds": {name: list(ends) for name, ends in self.seeds.items()},
            "rows": [_written(row) for row in self.rows],
            "prices": [_written(price) for price in self.prices],
        }
        return to_json(written)

    def to_csv(self) -> str:
        """A row a differentiator a scenario; `accuracy.contention_is_load.low` and so on."""
        return _csv([_flat(_written(row)) for row in self.rows])

    def confusions_csv(self) -> str:
        """A row a cell of a confusion matrix that is not empty."""
        return _csv(
            [
                {
                    "scenario": row.scenario,
                    "differentiator": row.differentiator,
                    "truth": name.partition("_as_")[0],
                    "believed": name.partition("_as_")[2],
                    "count": count,
                }
                for row in self.rows
                for name, count in row.confusion.items()
            ]
        )

    def table(self) -> "Table":
        """A row a run."""
        from arro3.core import Table

        from hopwright.results.tidy import column_of

        cells = [
            {
                "scenario": scenario,
                "differentiator": differentiator,
                "seed": self.seeds[scenario][0] + place,
                "goodput_bps": goodput,
                "diagnoses": confusion.total,
                "needless": confusion.needless(),
                **{_key(reading.value): confusion.accuracy(reading) for reading in Reading},
            }
            for (scenario, differentiator), runs in self.runs.items()
            for place, (goodput, confusion) in enumerate(
                zip(runs.goodput_bps, runs.confusions, strict=True)
            )
        ]
        return Table.from_pydict({name: column_of([c[name] for c in cells]) for name in cells[0]})

    def prices_csv(self) -> str:
        """A row an error a scenario."""
        return _csv([_flat(_written(price)) for price in self.prices])


def row_of(scenario: str, differentiator: str, runs: Runs, *, ignorant: Runs, bound: Runs) -> Row:
    """The numbers of a differentiator in a scenario."""
    whole = runs.confusion
    by_class = [confusion.accuracy_by_class() for confusion in runs.confusions]
    return Row(
        scenario,
        differentiator,
        len(runs.goodput_bps),
        whole.total,
        accuracy={reading.value: _share(runs.shares(reading)) for reading in Reading},
        better={
            reading.value: difference_of(runs.shares(reading), ignorant.shares(reading))
            for reading in Reading
        },
        recall={name: _share([each[name] for each in by_class]) for name in by_class[0]},
        needless=_share([confusion.needless() for confusion in runs.confusions]),
        goodput_bps=t_interval(runs.goodput_bps),
        against_oracle=goodput_difference(runs, bound),
        against_ignorance=goodput_difference(runs, ignorant),
        lost=dict(sorted(runs.lost.items())),
        confusion={
            f"{truth}_as_{belief}": count
            for (truth, belief), count in sorted(whole.counts.items())
            if count
        },
    )


def goodput_difference(runs: Runs, others: Runs) -> Difference:
    """Of goodput, in pairs."""
    found = difference_of(runs.goodput_bps, others.goodput_bps)
    assert found is not None  # noqa: S101 - every run has a goodput
    return found


def difference_of(
    ours: Sequence[float | None], theirs: Sequence[float | None]
) -> Difference | None:
    """The mean difference of pairs, left out what has no value; None if nothing is left.

    The values are of what cannot be negative: goodputs, shares. So they cannot fall by more than
    all there is, and where Fieller's interval of the relative difference says that they may, runs
    are too few for the normal means that it assumes. There is none then, as where the baseline
    itself is not surely above zero.
    """
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    differences, baseline = [a - b for a, b in pairs], [b for _, b in pairs]
    relative = relative_difference(differences, baseline, 0.95)
    if relative is not None and relative.low is not None and relative.low < -1:
        relative = replace(relative, low=None, high=None)
    return Difference(t_interval(differences), relative)


def _share(values: Sequence[float | None]) -> Interval | None:
    known = [value for value in values if value is not None]
    return t_interval(known).clipped(0.0, 1.0) if known else None


def _written(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Fields by name; what is estimated as a mean with its ends and its count of runs."""
    match value:
        case Difference(absolute, relative):
            written = _written(absolute)
            runs = written.pop("runs")
            return {
                **written,
                "relative": relative and relative.estimate,
                "relative_low": relative and relative.low,
                "relative_high": relative and relative.high,
                "runs": runs,
            }
        case Interval(estimate, low, high, n):
            return {"mean": estimate, "low": low, "high": high, "runs": n}
        case Row() | Price():
            return {each.name: _written(getattr(value, each.name)) for each in fields(value)}
        case dict():
            return {name: _written(each) for name, each in value.items()}
    return value


def _flat(value: Mapping[str, Json], before: str = "") -> dict[str, Json]:
    """The leaves of an object with their dotted names; no tables of counts."""
    found: dict[str, Json] = {}
    for key, part in value.items():
        if key in ("confusion", "lost"):
            continue
        name = f"{before}{_key(key)}"
        if isinstance(part, dict):
            found |= _flat(part, f"{name}.")
        else:
            found[name] = part
    return found


def _key(name: str) -> str:
    """What a table calls a reading."""
    return name.replace(" ", "_")


def _csv(rows: Sequence[Mapping[str, Json]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    # What has no value in one row is a single empty column there: not if others have its parts.
    names = [name for name in names if not any(other.startswith(f"{name}.") for other in names)]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
