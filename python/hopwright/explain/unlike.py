"""What two runs differ in besides what is compared: networks, ends of flows, durations."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from hopwright._io.data import Json, at, items, table, toml_of
from hopwright._io.errors import InputError
from hopwright._io.files import MOST_BYTES, read_text
from hopwright.results.chosen import text_of
from hopwright.sweeps.folder import SCENARIO

LONGEST = 40
"""Letters of a value that a warning shows."""


def unlike_folders(one: Path, other: Path, flows: Sequence[int] | None) -> str | None:
    """As `unlike`, of two folders of runs; nothing where one of them has no scenario."""
    try:
        texts = [read_text(folder / SCENARIO, MOST_BYTES) for folder in (one, other)]
    except InputError:
        return None
    return unlike(texts, [str(one), str(other)], flows)


def unlike(
    scenarios: Sequence[str], names: Sequence[str], flows: Sequence[int] | None = None
) -> str | None:
    """What makes a comparison of the flows of two scenarios doubtful, in a line.

    `scenarios`: with every default; `names`: what the two are called; `flows`: the only ones that
    are compared. Nothing is said of a text that is no TOML.
    """
    try:
        one, other = (_described(toml_of(text), flows) for text in scenarios)
    except tomllib.TOMLDecodeError:
        return None
    found = [
        _difference(key, one.get(key, "not set"), other.get(key, "not set"), names)
        for key in dict.fromkeys([*one, *other])
        if one.get(key) != other.get(key)
    ]
    if not found:
        return None
    return f"the two runs may have nothing to do with each other: {'; '.join(found)}"


def _difference(key: str, one: str, other: str, names: Sequence[str]) -> str:
    if max(len(one), len(other)) > LONGEST:
        return f"{key} is not the same"
    return f"{key} is {one} in {names[0]}, {other} in {names[1]}"


def _described(scenario: Json, flows: Sequence[int] | None) -> dict[str, str]:
    """What should be the same, by its name."""
    found = {"duration_s": text_of(at(scenario, "duration_s"))}
    for key, value in table(scenario, "topology").items():
        found[f"topology.{key}"] = text_of(value)
    for number, flow in enumerate(items(scenario, "flows")):
        if flows is None or number in flows:
            for end in ("from", "to"):
                found[f"flows.{number}.{end}"] = text_of(at(flow, end))
    return found
