"""A comparison as data: JSON, CSV, and the columns of its table."""

import csv
import io
from collections.abc import Mapping, Sequence

from hopwright._io.data import Json, Object
from hopwright._schema.settings import Settings
from hopwright.comparisons.contrast import Contrast
from hopwright.comparisons.outcome import Comparison, over_flows
from hopwright.results.starvation import SHARE
from hopwright.results.tidy import Cell


def to_dict(found: Comparison) -> Object:
    """Everything, as `comparison.json` holds it."""
    return {
        "scenarios": [_object(each._asdict()) for each in found.scenarios],
        "version": found.version,
        "key": found.key,
        "baseline": found.baseline,
        "confidence": found.confidence,
        "chosen_flows": None if found.chosen is None else list(found.chosen),
        "has_udp": found.has_udp,
        "metrics": [
            {
                "key": each.key,
                "title": each.title,
                "better": each.better,
                "over_flows": over_flows(each),
            }
            for each in found.metrics
        ],
        "variants": [_json(vars(each)) for each in found.groups],
        "comparisons": [
            {**_object(each.numbers()), "sentence": words}
            for each, words in zip(found.contrasts, found.sentences, strict=True)
        ],
        **_starvation(found),
    }


def to_csv(found: Comparison) -> str:
    """A row a comparison; an empty cell where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = columns_of(found)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def columns_of(found: Comparison) -> Mapping[str, Sequence[Cell]]:
    """The columns of the table: a cell a comparison."""
    rows = [_row(found, each) for each in found.contrasts]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _row(found: Comparison, each: Contrast) -> dict[str, Cell]:
    """The row of a comparison; with several flows, it counts runs in which one starves."""
    if found.flows < 2:
        return each.row()
    return each.row() | {
        "starved_runs": _starved_runs(found, each.block, each.variant),
        "baseline_starved_runs": _starved_runs(found, each.block, each.baseline),
    }


def _starved_runs(found: Comparison, block: Settings, variant: str) -> int:
    """In how many runs a flow starves."""
    runs = (each.found.runs for each in found.starvation if each[:2] == (block, variant))
    return next(runs, 0)


def _starvation(found: Comparison) -> Object:
    """Who starves, if there are several flows."""
    if found.flows < 2:
        return {}
    variants: list[Json] = [
        {
            "block": _json(each.block),
            "variant": each.variant,
            **each.found.to_dict(),
            "says": each.said(),
        }
        for each in found.starvation
    ]
    return {"starvation": {"share": SHARE, "variants": variants}}


def _object(fields: Mapping[str, object]) -> Object:
    value = _json(dict(fields))
    return value if isinstance(value, dict) else {}


def _json(value: object) -> Json:
    if isinstance(value, Mapping):
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(each) for each in value]
    return value if isinstance(value, (str, int, float, bool)) else None
