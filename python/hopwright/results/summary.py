"""The summary: what `summary.json` and `hopwright run --json` hold."""

import json
from collections.abc import Sequence

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright.statistics.means import half_widths, means


def summarise(scenario: _core.Scenario, results: Sequence[Json]) -> Object:
    """Joins the results of a scenario's runs, in the order of their seeds.

    `ci95` is null when there is one run only: one run says nothing about spread.
    """
    names: list[Json] = [*scenario.names()]
    return {
        "scenario": scenario.name,
        "version": _core.version(),
        "seed": scenario.seed,
        "runs": len(results),
        "duration_s": scenario.duration_s,
        **({"names": names} if names else {}),
        "results": list(results),
        "mean": means(results),
        "ci95": half_widths(results) if len(results) > 1 else None,
    }


def to_json(value: Json) -> str:
    """The text of a JSON file: indented, one final newline."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
