"""The points of a paper's file: their scenarios, and what a sweep over them gave."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json
from hopwright._io.errors import InputError
from hopwright._run.execute import execute, result_of
from hopwright.research.papers.axes import Setting
from hopwright.research.papers.document import Document
from hopwright.research.papers.fields import Fields, Value

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright._io.source import Source
    from hopwright.sweeps import Sweep


def source_of(document: Document) -> "Source":
    """The document's scenario."""
    from hopwright._io.source import Source

    where = f"{document.path}: [scenario]"
    if "file" in document.scenario:
        file = Fields(document.scenario, where, ("file",)).text("file")
        return Source.read(document.scenario_folder / file)
    import tomli_w

    return Source(tomli_w.dumps(dict(document.scenario)), where, str(document.scenario_folder))


def overrides(settings: Sequence[Setting], more: Mapping[str, Value]) -> list[tuple[str, str]]:
    """The keys of a point, and those of a reading, as `Source.load` takes them."""
    from hopwright._schema.settings import overrides_of

    keys = {key: value for setting in settings for key, value in setting.keys.items()}
    return overrides_of(outer_first({**keys, **more}))


def scenarios_of(document: Document) -> Iterator[dict[str, Value]]:
    """The scenario of every point, whole and written out."""
    source = source_of(document)
    for settings in document.points():
        yield tomllib.loads(source.load(overrides(settings, {})).to_toml())


def check_axes(document: Document) -> None:
    """Raises `InputError` for an axis that changes nothing: nobody reads what it sets.

    All its points would be level, and orders and gains among them would be judged for nothing.
    """
    source = source_of(document)
    points = (source.load(overrides(settings, {})) for settings in document.points())
    idle = set.intersection(*({name for name, _ in each.idle_parameters()} for each in points))
    for axis in document.axes:
        first, *others = (setting.keys for setting in axis.settings)
        differ = [key for key in first if any(each[key] != first[key] for each in others)]
        if differ and all(key.rpartition(".")[2] in idle for key in differ):
            raise InputError(
                f"{document.path}: [[vary]] {axis.name}: has no effect: nothing in the scenario "
                f"reads {' or '.join(differ)}"
            )


def outer_first(keys: Mapping[str, Value]) -> dict[str, Value]:
    """Keys in an order in which none takes another back: `flows` before `flows.to`."""
    return {key: keys[key] for key in sorted(keys, key=_depth)}


def _depth(key: str) -> int:
    return key.count(".")


def rows_of(sweep: "Sweep") -> dict[tuple[Json, Json], list[dict[str, Json]]]:
    """The table's rows, a flow each, by point and seed."""
    found: dict[tuple[Json, Json], list[dict[str, Json]]] = {}
    for row in _rows(sweep.table):
        found.setdefault((row["point"], row["seed"]), []).append(row)
    return found


def results_of(scenario: _core.Scenario, seeds: Sequence[int]) -> list[list[dict[str, Json]]]:
    """The same of runs of one scenario, in the order of the seeds."""
    from hopwright.results.tidy import Row, tidy

    runs = execute(scenario, seeds, jobs=1)
    done = zip(seeds, map(result_of, runs), strict=True)
    rows = _rows(tidy(["seed"], [Row({"seed": seed}, result) for seed, result in done]))
    return [[row for row in rows if row["seed"] == seed] for seed in seeds]


def _rows(table: "Table") -> list[dict[str, Json]]:
    columns = {name: table[name].to_pylist() for name in table.column_names}
    return [
        {name: values[place] for name, values in columns.items()} for place in range(table.num_rows)
    ]
