"""The file that `hopwright adapt` reads, checked before anything runs."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from hopwright import _core
from hopwright._io.data import Json, at, items, toml_of
from hopwright._io.errors import InputError, how_many, near
from hopwright._io.files import read_text
from hopwright._io.source import Source
from hopwright._run.execute import LARGEST_SEED
from hopwright._schema.settings import Settings, overrides_of, shown
from hopwright._schema.toml_places import Path as Keys
from hopwright._schema.toml_places import no_toml, place_of, refused
from hopwright.adapt.request import AXES, CHANGES, Request
from hopwright.results.metrics import GOODPUT, Metric, metric
from hopwright.sweeps.features import check_names

FIRST_RUNS = 5
MOST_RUNS = 40
"""Runs of each candidate in a cell: at first, and on average at most."""
HELD_OUT_RUNS = 20
MOST_CELLS = 10_000
LEAST_RUNS = 2
"""An interval needs two."""

QUICK_RUNS = 3
"""Of everything, with --quick."""


def read_request(file: Path, *, quick: bool = False) -> Request:
    """Reads the file, and checks all of it. `quick`: a few runs, to see whether it works.

    Raises:
        InputError: A file cannot be read.
        ScenarioError: Something is wrong with the file, or with the scenario that it names.
    """
    text = read_text(file)
    reader = _Reader(Source.read(file).name, text)
    if "scenario" not in reader.root and {"topology", "links", "flows"} & reader.root.keys():
        raise InputError(
            f"{file}: is a scenario; 'hopwright adapt' needs a file that names it, scenario = "
            f'"{file.name}", and the networks and compositions (docs/adapt.md)'
        )
    reader.known((), KEYS)
    source = _source(reader, file)
    scenario = source.load()
    whole = tomllib.loads(scenario.to_toml())
    candidates = _candidates(reader)
    first, most = _budget(reader, len(candidates), quick=quick)
    request = Request(
        name=Path(reader.name).stem,
        text=text,
        source=source,
        scenario=scenario,
        link=_link(reader, whole),
        flow=_flow(reader, whole),
        measure=_measure(reader),
        grid=_grid(reader),
        candidates=candidates,
        first_runs=first,
        most_runs=most,
        confidence=reader.number("confidence", 0.95, "between 0 and 1", lambda x: 0 < x < 1),
        held_out=_held_out(reader),
        held_out_runs=QUICK_RUNS
        if quick
        else reader.whole("held_out_runs", LEAST_RUNS, HELD_OUT_RUNS),
        seed=reader.whole("seed", 0, scenario.seed),
        is_quick=quick,
    )
    if request.last_seed > LARGEST_SEED:
        reader.refuse(("seed",), f"the last seed would exceed {LARGEST_SEED}")
    _check_networks(reader, request)
    _check_compositions(reader, request)
    return request


KEYS = (
    "scenario",
    "link",
    "flow",
    "measure",
    "first_runs",
    "most_runs",
    "confidence",
    "seed",
    "held_out_runs",
    "grid",
    "candidates",
    "held_out",
)


class _Reader:
    """The file as a table; whatever is wrong is told with its place."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        try:
            self.root: dict[str, Any] = toml_of(text)
        except tomllib.TOMLDecodeError as error:
            raise _core.ScenarioError(no_toml(name, text, error)) from error

    def refuse(self, path: Keys, reason: str) -> NoReturn:
        key = ".".join(map(shown, path))
        place = place_of(self.text, path)
        told = f"{key}: {reason}" if key else reason
        raise _core.ScenarioError(refused(self.name, self.text, place, told))

    def known(self, path: Keys, keys: Sequence[str]) -> None:
        """Refuses keys of a table that nobody knows."""
        table = at(self.root, *path) if path else self.root
        for key in table if isinstance(table, dict) else ():
            if key not in keys:
                self.refuse((*path, key), f"unknown key{near(key, keys)}")

    def table(self, key: str, example: str) -> dict[str, Any]:
        """A table with something in it."""
        value = self.root.get(key)
        if not isinstance(value, dict) or not value:
            self.refuse((key,) if key in self.root else (), f"needs a table [{key}]: {example}")
        return value

    def whole(self, key: str, least: int, default: int) -> int:
        """A whole number."""
        value = self.root.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value:
            self.refuse((key,), f"must be a whole number, at least {least}, found {value!r}")
        return value

    def number(self, key: str, default: float, what: str, fits: Any) -> float:  # noqa: ANN401
        """A number that fits."""
        value = self.root.get(key, default)
        if not _is_number(value) or not fits(value):
            self.refuse((key,), f"must be a number {what}, found {value!r}")
        return float(value)


def _source(reader: _Reader, file: Path) -> Source:
    """The base scenario: a file beside this one, or a text in this one."""
    value = reader.root.get("scenario")
    if not isinstance(value, str) or not value.strip():
        path = ("scenario",) if "scenario" in reader.root else ()
        reader.refuse(
            path, "scenario: name the file of the scenario, or write it here between ''' and '''"
        )
    if "\n" not in value:
        scenario = file.parent / value
        try:
            return Source.read(scenario)
        except InputError as error:
            reader.refuse(("scenario",), str(error))
    # So that places in errors are places in this file. The first line feed after ''' is not in it.
    first = place_of(reader.text, ("scenario",)).line
    line = reader.text.splitlines()[first - 1]
    above = first if line.rstrip().endswith(("'''", '"""')) else first - 1
    return Source("\n" * above + value, reader.name, str(file.parent))


def _link(reader: _Reader, scenario: Json) -> int:
    count = len(items(scenario, "links"))
    if not count:
        reader.refuse(
            ("scenario",), "has no links that could be varied: it needs topology.kind = 'links'"
        )
    link = reader.whole("link", 0, 0)
    if link >= count:
        reader.refuse(("link",), f"in the scenario {how_many(count, 'link')}")
    if "link" not in reader.root and count > 1:
        reader.refuse((), f"the scenario has {count} links: say which one varies, as in link = 1")
    return link


def _flow(reader: _Reader, scenario: Json) -> int:
    flows = items(scenario, "flows")
    flow = reader.whole("flow", 0, 0)
    if flow >= len(flows):
        reader.refuse(
            ("flow",) if "flow" in reader.root else ("scenario",),
            f"in the scenario {how_many(len(flows), 'flow')}",
        )
    path = ("flow",) if "flow" in reader.root else ("scenario",)
    if at(flows[flow], "transport", "protocol") == "udp":
        reader.refuse(path, f"flow {flow} is a UDP flow, which has no mechanisms")
    if items(flows[flow], "transport", "triggers"):
        reader.refuse(path, f"flow {flow} has triggers already; remove them")
    return flow


def _measure(reader: _Reader) -> Metric:
    key = reader.root.get("measure", GOODPUT)
    if not isinstance(key, str):
        reader.refuse(("measure",), f"must be the name of a result, found {key!r}")
    try:
        check_names([key])
    except InputError as error:
        reader.refuse(("measure",), str(error))
    what = metric(key)
    if what.better == "neither":
        reader.refuse(("measure",), f"more of '{key}' is neither better nor worse")
    return what


def _grid(reader: _Reader) -> dict[str, tuple[float, ...]]:
    table = reader.table("grid", "keys of a link with their values, as in loss_percent = [0, 1, 5]")
    reader.known(("grid",), tuple(AXES))
    grid = {}
    for key, values in table.items():
        path = ("grid", key)
        if not isinstance(values, list) or not values or not all(map(_is_number, values)):
            reader.refuse(path, f"must be a list of numbers, found {values!r}")
        if len({float(value) for value in values}) < len(values):
            reader.refuse(path, "has a value twice")
        grid[key] = tuple(sorted(values))
    if (cells := math.prod(map(len, grid.values()))) > MOST_CELLS:
        reader.refuse(
            ("grid",), f"has {cells:,} networks, and at most {MOST_CELLS:,} can be mapped"
        )
    return grid


def _candidates(reader: _Reader) -> dict[str, Settings]:
    table = reader.table("candidates", "a table for each composition, as in [candidates.sack]")
    if len(table) < 2:
        reader.refuse(("candidates",), "a map compares two or more compositions: name another one")
    for name, settings in table.items():
        path = ("candidates", name)
        if not name.strip() or not name.isprintable():
            # Tables and comments of the results have it on one line.
            reader.refuse(path, "the name of a candidate must be printable, on one line")
        if not isinstance(settings, dict):
            reader.refuse(path, f"must be a table: slots, parameters, a protocol; found {settings}")
        for key, value in settings.items():
            if isinstance(value, (list, dict)) or key == "triggers":
                reader.refuse(
                    (*path, key), "is neither a slot nor a parameter: a candidate has no triggers"
                )
    return table


def _budget(reader: _Reader, candidates: int, *, quick: bool) -> tuple[int, int]:
    first = reader.whole("first_runs", LEAST_RUNS, FIRST_RUNS)
    most = reader.whole("most_runs", 1, max(MOST_RUNS, first) * candidates)
    if most < first * candidates:
        reader.refuse(
            ("most_runs",) if "most_runs" in reader.root else ("first_runs",),
            f"{candidates} candidates need {first * candidates} runs in a cell to begin with",
        )
    return (QUICK_RUNS, QUICK_RUNS * candidates) if quick else (first, most)


def _held_out(reader: _Reader) -> tuple[Settings, ...]:
    entries = reader.root.get("held_out", [])
    if not isinstance(entries, list):
        reader.refuse(("held_out",), "must be a list of networks: each starts with [[held_out]]")
    for place, entry in enumerate(entries):
        path = ("held_out", place)
        if not isinstance(entry, dict) or not entry:
            reader.refuse(path, "must be a table, as in { loss_percent = 1.5 }")
        reader.known(path, (*AXES, CHANGES))
        for key, value in entry.items():
            if key != CHANGES and not _is_number(value):
                reader.refuse((*path, key), f"must be a number, found {value!r}")
    return tuple(entries)


def _check_networks(reader: _Reader, request: Request) -> None:
    """Refuses networks that cannot be, and held-out ones that the map is made of."""
    for key, values in request.grid.items():
        for value in values:
            _try(reader, request, ("grid", key), request.network({key: value}), {})
    for place, entry in enumerate(request.held_out):
        path: Keys = ("held_out", place)
        places = {f"links.{request.link}.{key}": (*path, key) for key in entry}
        _try(reader, request, path, request.network(entry), places)
        of_grid = {key: entry.get(key) for key in request.grid}
        if set(entry) <= set(request.grid) and any(
            of_grid == request.values(cell) for cell in request.cells
        ):
            reader.refuse(
                path, "is a network of the grid: choose a network between those of the grid"
            )


def _check_compositions(reader: _Reader, request: Request) -> None:
    """Refuses candidates that cannot be, and those that are the same."""
    texts: dict[str, str] = {}
    for name, settings in request.candidates.items():
        path: Keys = ("candidates", name)
        keys = request.composition(settings)
        places = dict(zip(keys, ((*path, key) for key in settings), strict=True))
        text = _try(reader, request, path, keys, places).to_toml()
        same = texts.setdefault(text, name)
        if same != name:
            reader.refuse(path, f"is the same composition as '{same}'")


def _try(
    reader: _Reader, request: Request, path: Keys, settings: Settings, places: Mapping[str, Keys]
) -> _core.Scenario:
    """Loads the scenario with settings; what is wrong with it is wrong with their place here."""
    try:
        return request.source.load(overrides_of(settings))
    except _core.ScenarioError as error:
        key, _, reason = str(error).partition("\n")[0].removeprefix("error: ").partition(": ")
        fitting = [place for known, place in places.items() if key.startswith(known)]
        reader.refuse(fitting[0] if fitting else path, reason or str(error))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
