"""What a setting is called on an axis: the scenario's keys, as people read them."""

import json
from collections.abc import Collection, Mapping
from functools import cache

from hopwright import _core
from hopwright._io.data import Json, at
from hopwright._schema.settings import named, plain, shown
from hopwright._schema.written import split
from hopwright.results.metrics import metrics

UNITS = {
    "_s": "s",
    "_ms": "ms",
    "_us": "µs",
    "_m": "m",
    "_mps": "m/s",
    "_mps2": "m/s²",
    "_mbps": "Mb/s",
    "_kbps": "kb/s",
    "_bps": "b/s",
    "_bytes": "bytes",
    "_packets": "packets",
    "_segments": "segments",
    "_db": "dB",
    "_dbm": "dBm",
    "_mhz": "MHz",
    "_w": "W",
    "_deg": "°",
    "_percent": "%",
}
"""Of a key, by its end."""

ENDS = {"from": "source node", "to": "destination node"}
"""Of a flow: a single word on an axis says too little."""


def label(column: str, among: Collection[str] = ()) -> str:
    """`data rate (Mb/s)` for `mac.data_rate_mbps`; a metric's own label for a metric.

    `among` columns that end alike, it says what tells them apart: `routing protocol`.
    """
    known = metrics().get(column)
    if known is not None:
        return known.label
    word, unit = _parted(column)
    word = _before(column, among) + ENDS.get(word, word)
    return f"{word} ({unit})" if unit else word


def setting(column: str, value: object, among: Collection[str] = ()) -> str:
    """What a series with that value is called: a protocol's name is enough, else it needs its key.

    `among`: as for `label`.
    """
    word, unit = _parted(column)
    if isinstance(value, str) and word == "protocol":
        return value
    word = _before(column, among) + word
    if isinstance(value, bool):
        return f"{word} {'on' if value else 'off'}"
    return f"{word} {value_text(value)} {unit}".rstrip()


def value_text(value: object) -> str:
    """A value as short as it can be without being another one."""
    if isinstance(value, list | dict):
        return shown(plain(value))
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value else f"{value:.12g}"


def settings(values: Mapping[str, object]) -> str:
    """What a group of several settings is called: `hops 4, data rate 11 Mb/s`."""
    return ", ".join(setting(column, value) for column, value in values.items())


def variant(key: str, value: str) -> str:
    """What a variant of a comparison is called, whose value is a text: `data rate 11 Mb/s`.

    A name says enough by itself: `reno`, `(reno,beb)`.
    """
    if named(key, value) == value:
        return value
    keys = key.split(",")
    values = split(value[1:-1]) if value.startswith("(") else [value] * len(keys)
    booleans = {"true": True, "false": False}
    return settings({k: booleans.get(v, v) for k, v in zip(keys, values, strict=True)})


def _before(column: str, among: Collection[str]) -> str:
    """Of a key's steps before the last those that no other key among these has there, too."""
    steps = column.split(".")
    others = [other.split(".") for other in among if other != column]
    count = 1
    while count < len(steps) and any(other[-count:] == steps[-count:] for other in others):
        count += 1
    if steps[-count].isdigit():
        count += 1  # a number says of what: `flows 0`
    return "".join(f"{step.replace('_', ' ')} " for step in steps[-count:-1])


def _parted(column: str) -> tuple[str, str]:
    last = column.rpartition(".")[2]
    end = "_" + last.rpartition("_")[2]
    unit = UNITS.get(end, "") if end != f"_{last}" else ""
    word = (last.removesuffix(end) if unit else last).replace("_", " ")
    if not unit and ".transport." in column:
        of_parameter = _units_of_parameters().get(last, "")
        unit = "" if of_parameter in word else of_parameter
    return word, unit


@cache
def _units_of_parameters() -> dict[str, str]:
    """Of transports' parameters, as not all of their keys end with a unit: `vegas_alpha`."""
    return {str(at(each, "name")): str(at(each, "unit")) for each in _parameters()}


def _parameters() -> list[Json]:
    parameters: list[Json] = json.loads(_core.parameters_json())
    return parameters
