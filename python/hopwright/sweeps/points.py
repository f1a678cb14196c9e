"""Points of a sweep: settings, checked by the simulator, under a name made from their content."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright._io.source import Source
from hopwright._run.execute import NO_FLOWS
from hopwright._schema.settings import Settings, overrides_of, settings_text

ID_DIGITS = 16
COLUMN = re.compile(r":1:(\d+)$")
"""Where a place in an override ends."""
ONE_ERROR = re.compile(r"^(?=error: )", re.MULTILINE)
MOST_SHOWN = 5
"""Different errors that are worth reading at once."""


class Point(NamedTuple):
    """One combination of the varied keys' values."""

    id: str
    """Hash of the scenario with every default, but without its seed, and of the program. Points
    that are the same scenario have the same."""
    settings: Settings


class Variant(NamedTuple):
    """A point's scenario, as `_core.restore` takes it: it needs no file and may travel."""

    text: str
    name: str
    movement: str | None
    coefficients: str | None = None
    records: str | None = None


class Checked(NamedTuple):
    """Points that are right."""

    points: list[Point]
    variants: dict[str, Variant]
    """Their scenarios, by the ids of points."""
    most_flows: int
    """The most flows that one of them has."""


def check_points(
    source: Source,
    overrides: Sequence[tuple[str, str]],
    settings: Sequence[Settings],
    warn: Callable[[str], object] = lambda _line: None,
) -> Checked:
    """Checks every point before anything runs.

    `warn` is told of parameters that no point makes use of, of numbers that look like those of
    another unit, and if no point has a flow.

    Raises `ScenarioError` with the errors of all points, each once.
    """
    points: list[Point] = []
    variants: dict[str, Variant] = {}
    texts: dict[str, str] = {}
    wrong: dict[str, _Wrong] = {}
    idle: dict[str, str] | None = None
    slips: dict[str, str] = {}
    most_flows = 0
    for index, each in enumerate(settings):
        try:
            scenario = source.load([*overrides, *overrides_of(each)])
        except _core.ScenarioError as error:
            for part in ONE_ERROR.split(str(error))[1:]:
                first = part.partition("\n")[0]
                told = _as_varied(part.rstrip(), each)
                wrong.setdefault(first, _Wrong(told, [])).points.append(index)
            continue
        most_flows = max(most_flows, scenario.flow_count)
        here = dict(scenario.idle_parameters())
        idle = here if idle is None else {name: idle[name] for name in idle if name in here}
        for name, line in scenario.unit_slips():
            slips.setdefault(name, line)
        # Points share the texts of files: one copy of each is kept.
        files = [
            text if text is None else texts.setdefault(text, text)
            for text in (scenario.movement(), scenario.coefficients(), scenario.records())
        ]
        point = Point(point_id(scenario.with_seed(0).to_toml(), *files), each)
        points.append(point)
        name = f"{source.name} with every default"  # places in errors are places in that text
        variants.setdefault(point.id, Variant(scenario.to_toml(), name, *files))
    if wrong:
        raise _core.ScenarioError(_listed(list(wrong.values()), settings))
    for line in [*(idle or {}).values(), *slips.values()]:
        warn(line)
    if not most_flows:
        warn(NO_FLOWS)
    return Checked(points, variants, most_flows)


def point_id(text: str, *files: str | None) -> str:
    """The id of a scenario with every default filled in, seed 0 and its files, for this build."""
    digest = hashlib.sha256()
    for part in (_core.build(), text, *(file or "" for file in files)):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:ID_DIGITS]


def numbered(points: Sequence[Settings], index: int) -> str:
    """`point 3 of 8 (topology.hops=4)`."""
    return f"point {index + 1} of {len(points)} ({settings_text(points[index])})"


class _Wrong(NamedTuple):
    """An error, as the first of its points shows it."""

    text: str
    points: list[int]


def _as_varied(error: str, keys: Iterable[str]) -> str:
    """The error with `--vary` at the values of varied keys, which nobody wrote behind `--set`."""
    lines = error.split("\n")
    for number, line in enumerate(lines):
        if not any(f"--set {key}=" in line for key in keys):
            continue
        # What follows is a character further right: the column, and the mark below.
        moved = COLUMN.sub(lambda found: f":1:{int(found[1]) + 1}", line)
        lines[number] = moved.replace("--set ", "--vary ", 1)
        if number + 1 < len(lines) and "^" in lines[number + 1]:
            lines[number + 1] = lines[number + 1].replace("|", "| ", 1)
    return "\n".join(lines)


def _listed(wrong: Sequence[_Wrong], settings: Sequence[Settings]) -> str:
    parts = []
    for text, indices in wrong[:MOST_SHOWN]:
        more = len(indices) - 1
        others = f", and {many(more, 'other')}" if more else ""
        parts.append(f"{numbered(settings, indices[0])}{others}:\n{text}")
    if len(wrong) > MOST_SHOWN:
        parts.append(f"and {len(wrong) - MOST_SHOWN} further errors")
    return "\n".join(parts)


def run_text(points: Sequence[Point], point_id: str, seed: int) -> str:
    """`point 3 of 8 (topology.hops=4), seed 2`; the first of points that are the same scenario.

    Raises `InputError` if there is no such point.
    """
    for index, point in enumerate(points):
        if point.id == point_id:
            return f"{numbered([each.settings for each in points], index)}, seed {seed}"
    raise InputError(f"{point_id}: is not a point of this sweep")
