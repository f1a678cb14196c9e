"""The points of a paper's file: their scenarios, and what a sweep over them gave."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json
from hopwright._io.errors import InputError
from hopwright._run.execute import execute, result_of
from hopwright.research.papers.axes import Axis, Setting
from hopwright.research.papers.document import Document
from hopwright.research.papers.fields import Fields, Value, spot
from hopwright.research.papers.spots import placed, spot_within
from hopwright.research.papers.totals import check_flow
from hopwright.sweeps.features import check_measured

if TYPE_CHECKING:
    from arro3.core import Table

    from hopwright._io.source import Source
    from hopwright.sweeps import Sweep

OVERRIDE = "--set "
"""What stands before a key that is set and its value, where an error is about them."""


def source_of(document: Document) -> "Source":
    """The document's scenario."""
    from hopwright._io.source import Source

    where = f"{spot(document.scenario, document.path)}: [scenario]"
    if "file" in document.scenario:
        file = Fields(document.scenario, where, ("file",)).text("file")
        try:
            return Source.read(document.scenario_folder / file)
        except InputError as error:
            raise InputError(f"{where}: file: {error}") from error
    import tomli_w

    return Source(tomli_w.dumps(dict(document.scenario)), where, str(document.scenario_folder))


def overrides(settings: Sequence[Setting], more: Mapping[str, Value]) -> list[tuple[str, str]]:
    """The keys of a point, and those of a reading, as `Source.load` takes them."""
    from hopwright._schema.settings import overrides_of

    keys = {key: value for setting in settings for key, value in setting.keys.items()}
    return overrides_of(outer_first({**keys, **more}))


def scenario_at(
    document: Document,
    source: "Source",
    settings: Sequence[Setting],
    more: Mapping[str, Value],
    *words: str,
) -> _core.Scenario:
    """The scenario of a point with some more keys set.

    Raises `ScenarioError`, which says the place in the paper's file, the point and the `words`.
    """
    at = [*words, *point_words(document.axes, [setting.label for setting in settings])]
    here = f" ({', '.join(at)})" if at else ""

    def place(origin: str, key: str) -> str | None:
        if origin.startswith(OVERRIDE):
            setting = origin.removeprefix(OVERRIDE)
            name = setting.partition("=")[0]
            keys = [each for each in (*(s.keys for s in settings), more) if name in each]
            return f"{spot(keys[-1], document.path, name)}: {setting}{here}"
        if origin == source.name and "file" not in document.scenario:
            return f"{spot_within(document.scenario, key, document.path)}: [scenario]{here}"
        return None

    try:
        return source.load(overrides(settings, more))
    except _core.ScenarioError as error:
        raise _core.ScenarioError(placed(str(error), place)) from error


def point_words(axes: Sequence[Axis], labels: Sequence[str]) -> list[str]:
    """The label of a point on each axis: `hops 2`."""
    return [f"{axis.name} {label}" for axis, label in zip(axes, labels, strict=True)]


def scenarios_of(document: Document) -> Iterator[dict[str, Value]]:
    """The scenario of every point, whole and written out."""
    source = source_of(document)
    for settings in document.points():
        yield tomllib.loads(scenario_at(document, source, settings, {}).to_toml())


def check_points(document: Document, more: Mapping[str, Value]) -> None:
    """Whether every point can be run, also of other readings, and will have the file's numbers.

    Args:
        document: The file.
        more: Keys that are set at each point of the file's own reading.

    Raises:
        InputError: An axis changes nothing, or a measure is of a flow or a result that runs will
            not have.
        ScenarioError: A point is no scenario.
    """
    source = source_of(document)
    scenarios = []
    for settings in document.points():
        scenarios.append(scenario_at(document, source, settings, more))
        check_flows(document, scenarios[-1])
    _check_axes(document, scenarios)
    _check_results(document, scenarios)
    for reading in document.readings:
        places = [document.cells[name].at for name in reading.cells]
        for settings in document.points():
            labels = {
                axis.name: each.label for axis, each in zip(document.axes, settings, strict=True)
            }
            if labels in places:
                words = f"reading {reading.id}"
                check_flows(document, scenario_at(document, source, settings, reading.keys, words))


def check_flows(document: Document, scenario: _core.Scenario) -> None:
    """Raises `InputError` for a measure of a flow that a scenario has not."""
    for each in document.measures.values():
        check_flow(each, scenario.flow_count)


def _check_axes(document: Document, scenarios: Sequence[_core.Scenario]) -> None:
    """Raises `InputError` for an axis that changes nothing: nobody reads what it sets.

    All its points would be level, and orders and gains among them would be judged for nothing.
    """
    idle = set.intersection(*({name for name, _ in each.idle_parameters()} for each in scenarios))
    for axis in document.axes:
        first, *others = (setting.keys for setting in axis.settings)
        differ = [key for key in first if any(each[key] != first[key] for each in others)]
        if differ and all(key.rpartition(".")[2] in idle for key in differ):
            raise InputError(
                f"{spot(first, document.path, differ[0])}: [[vary]] {axis.name}: has no effect: "
                f"nothing in the scenario reads {' or '.join(differ)}"
            )


def _check_results(document: Document, scenarios: Sequence[_core.Scenario]) -> None:
    """Raises `InputError` for a result that no point measures."""
    for each in document.measures.values():
        for _, name in (*each.terms, *each.per):
            if "|" in name:  # one of them is enough, and which depends on the flow
                continue
            try:
                check_measured([name], (scenario.to_toml() for scenario in scenarios))
            except InputError as error:
                raise InputError(f"{each.where}: {error}") from error


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
