"""The points of a paper's file: their scenarios, and what a sweep over them gave."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hopwright.data import Json
from hopwright.papers.axes import Setting
from hopwright.papers.document import Document
from hopwright.papers.fields import Fields, Value

if TYPE_CHECKING:
    from hopwright.source import Source
    from hopwright.sweeps import Sweep


def source_of(document: Document) -> "Source":
    """The document's scenario."""
    from hopwright.source import Source

    where = f"{document.path}: [scenario]"
    if "file" in document.scenario:
        file = Fields(document.scenario, where, ("file",)).text("file")
        return Source.read(document.scenario_folder / file)
    import tomli_w

    return Source(tomli_w.dumps(dict(document.scenario)), where, str(document.scenario_folder))


def overrides(settings: Sequence[Setting], more: Mapping[str, Value]) -> list[tuple[str, str]]:
    """The keys of a point, and those of a reading, as `Source.load` takes them."""
    from hopwright.sweeps.settings import overrides_of

    keys = {key: value for setting in settings for key, value in setting.keys.items()}
    return overrides_of(outer_first({**keys, **more}))


def scenarios_of(document: Document) -> Iterator[dict[str, Value]]:
    """The scenario of every point, whole and written out."""
    source = source_of(document)
    for settings in document.points():
        yield tomllib.loads(source.load(overrides(settings, {})).to_toml())


def outer_first(keys: Mapping[str, Value]) -> dict[str, Value]:
    """Keys in an order in which none takes another back: `flows` before `flows.to`."""
    return {key: keys[key] for key in sorted(keys, key=_depth)}


def _depth(key: str) -> int:
    return key.count(".")


def rows_of(sweep: "Sweep") -> dict[tuple[Json, Json], list[dict[str, Json]]]:
    """The table's rows, a flow each, by point and seed."""
    columns = {name: sweep.table[name].to_pylist() for name in sweep.table.column_names}
    found: dict[tuple[Json, Json], list[dict[str, Json]]] = {}
    for place in range(sweep.table.num_rows):
        row = {name: values[place] for name, values in columns.items()}
        found.setdefault((row["point"], row["seed"]), []).append(row)
    return found
