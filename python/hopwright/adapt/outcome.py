"""All that comes out of a map, as numbers and as tables."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._schema.settings import Settings
from hopwright.adapt.bounds import Bound, Source, Unseen
from hopwright.adapt.gain import Gain
from hopwright.adapt.policy import Cell, Policy, Row
from hopwright.adapt.request import Request, network_text
from hopwright.adapt.switching import Switch
from hopwright.adapt.verdict import Verdict
from hopwright.results.summary import to_json
from hopwright.results.tidy import Row as TidyRow
from hopwright.results.tidy import tidy
from hopwright.sweeps.schedule import Run

if TYPE_CHECKING:
    from arro3.core import Table


@dataclass(frozen=True, kw_only=True)
class Made:
    """A policy with the bounds of one source of monitors' values.

    Attributes:
        bounds: Of each row of the policy, for each condition.
        settings: Keys of the flow's transport, triggers among them; None if it has no trigger.
    """

    source: Source
    bounds: Sequence[Sequence[Bound | Unseen]]
    settings: Settings

    def works(self, row: int) -> bool:
        """Whether the monitors tell where a row of the policy holds."""
        return all(isinstance(each, Bound) for each in self.bounds[row])


@dataclass(frozen=True, kw_only=True)
class Done:
    """A run, and what it was for."""

    part: str
    network: Settings
    composition: str
    run: Run


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A map, its policy, and what that is worth.

    Attributes:
        request: What was asked for.
        verdicts: Of each cell.
        confidence: Of a single comparison in a cell, so that all of the cell hold together.
        policy: The compositions and where they hold.
        switches: What triggers set, by the names of both compositions.
        made: The policy's triggers, for each source of monitors' values.
        gains: Of each of these, on the held-out networks.
        runs: All runs.
        results: Their results, as JSON.
    """

    request: Request
    verdicts: Mapping[Cell, Verdict]
    confidence: float
    policy: Policy
    switches: Mapping[tuple[str, str], Switch]
    made: Sequence[Made]
    gains: Mapping[Source, Sequence[Gain]]
    runs: Sequence[Done]
    results: Mapping[Run, str]

    @property
    def sure(self) -> int:
        """Cells in which one composition is surely the best."""
        return sum(verdict.is_sure for verdict in self.verdicts.values())

    def to_json(self) -> str:
        """Every number."""
        request = self.request
        return to_json(
            {
                "schema": 1,
                "version": _core.version(),
                "build": _core.build(),
                "request": request.text,
                "scenario": request.scenario.name,
                "measure": request.measure.key,
                "seed": request.seed,
                "confidence": request.confidence,
                "comparison_confidence": self.confidence,
                "cells": [_cell(request.values(c), v) for c, v in self.verdicts.items()],
                "policy": {
                    "base": self.policy.base,
                    "regret": self.policy.regret,
                    "fixed_regret": dict(self.policy.fixed),
                    "rows": [self._row(row) for row in self.policy.rows],
                },
                "triggers": {each.source: _plain(each.settings) for each in self.made},
                "obstacles": {
                    f"{base} to {other}": switch.obstacle
                    for (base, other), switch in self.switches.items()
                    if switch.obstacle
                },
                "held_out": {
                    source: [
                        {
                            "network": "all"
                            if gain.network is None
                            else network_text(request.held_out[gain.network]),
                            **gain.numbers(),
                        }
                        for gain in gains
                    ]
                    for source, gains in self.gains.items()
                },
            }
        )

    def cells_csv(self) -> str:
        """A row a cell."""
        rows = []
        for cell, verdict in self.verdicts.items():
            row = _cell(self.request.values(cell), verdict)
            row["tied"] = " ".join(verdict.tied)
            for key in ("mean", "runs", "regret"):
                part = row.pop(key)
                assert isinstance(part, dict)  # noqa: S101 - as `_cell` has made it
                row |= {f"{key}.{name}": value for name, value in part.items()}
            row["policy"] = self.policy.at(cell)
            rows.append(row)
        return _csv(rows)

    def gains_csv(self) -> str:
        """A row a held-out network, fixed composition, and source of monitors' values."""
        return _csv(
            [
                {
                    "monitor_source": source,
                    "network": "all"
                    if gain.network is None
                    else network_text(self.request.held_out[gain.network]),
                    **gain.numbers(),
                }
                for source, gains in self.gains.items()
                for gain in gains
            ]
        )

    def table(self) -> "Table":
        """The runs: a row a flow a run."""
        keys = list(dict.fromkeys(key for done in self.runs for key in done.network))
        plain = {key: [_text(done.network.get(key)) for done in self.runs] for key in keys}
        rows = (
            TidyRow(
                {
                    "part": done.part,
                    **{key: cells[n] for key, cells in plain.items()},
                    "composition": done.composition,
                    "point": done.run.point,
                    "seed": done.run.seed,
                },
                json.loads(self.results[done.run]),
            )
            for n, done in enumerate(self.runs)
        )
        return tidy(["part", *keys, "composition", "point", "seed"], rows)

    def _row(self, row: Row) -> Object:
        axes = list(self.request.grid)
        return {
            "composition": row.composition,
            "saved": row.saved,
            "when": [
                {"axis": axes[each.axis], "side": each.side, "place": each.place}
                for each in row.when
            ],
            "cells": [list(cell) for cell in sorted(row.cells)],
        }


def _cell(values: Mapping[str, float], verdict: Verdict) -> Object:
    margin = verdict.margin
    return {
        **values,
        "best": verdict.best,
        "sure": verdict.is_sure,
        "tied": [*verdict.tied],
        "second": verdict.second,
        "margin": margin.estimate,
        "low": margin.low,
        "high": margin.high,
        "pairs": margin.n,
        "relative": verdict.relative,
        "mean": dict(verdict.means),
        "runs": dict(verdict.runs),
        "regret": dict(verdict.regret),
    }


def _plain(settings: Settings) -> Json:
    read: Json = json.loads(json.dumps(settings))
    return read


def _text(value: object) -> float | str | None:
    if value is None:
        return None
    return float(value) if isinstance(value, (int, float)) else json.dumps(value)


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    if not rows:
        return ""
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()
