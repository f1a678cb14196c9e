"""The plan of a sweep: everything it was asked for, kept beside its runs as `sweep.json`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from hopwright import _core
from hopwright._io.data import Json, json_of
from hopwright._io.errors import MOST_COUNT, InputError
from hopwright.sweeps.axes import Axis, keys_of
from hopwright.sweeps.points import Point, numbered

if TYPE_CHECKING:
    from hopwright._schema.settings import Settings

FORMAT = 1
"""Number of the format of a sweep's folder."""


@dataclass(frozen=True)
class Rule:
    """How many runs a point gets.

    Attributes:
        runs: Runs of every point; with `until`, the least.
        until: Runs go on until half of the 95 % interval of the mean of `of` is at most this part
            of the mean, 0 to 1; None: exactly `runs`.
        of: The result that `until` looks at.
        most_runs: The most runs of a point; without `until`, `runs`.
    """

    runs: int
    until: float | None
    of: str
    most_runs: int


@dataclass(frozen=True)
class Plan:
    """A sweep as it was asked for."""

    version: str
    build: str
    name: str
    """The scenario's name."""
    base: str
    """The scenario before anything is varied, with every default filled in."""
    seed: int
    """The first seed of every point."""
    axes: tuple[str, ...]
    """What is varied, as on the command line."""
    design: str
    count: int | None
    """Points asked for, of designs that draw them."""
    points: tuple[Point, ...]
    rule: Rule
    shard: tuple[int, int] | None
    """Which of how many parts, from 1; None: everything."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The varied keys."""
        return tuple(key for keys in self.joint_keys for key in keys)

    @property
    def joint_keys(self) -> tuple[tuple[str, ...], ...]:
        """The varied keys, those of an axis together."""
        return tuple(keys_of(axis.partition("=")[0]) for axis in self.axes)

    @property
    def ids(self) -> list[str]:
        """The points' ids, each once, in order."""
        return list(dict.fromkeys(point.id for point in self.points))

    def whole(self) -> "Plan":
        """The plan of all shards together."""
        return replace(self, shard=None)


def axes_text(axes: Sequence[Axis]) -> tuple[str, ...]:
    """Axes as a plan keeps them."""
    return tuple(map(str, axes))


def to_json(plan: Plan) -> str:
    """The text of `sweep.json`: a line a point."""
    points = ",\n    ".join(
        json.dumps({"id": point.id, "settings": dict(point.settings)}, ensure_ascii=False)
        for point in plan.points
    )
    head = {
        "format": FORMAT,
        "version": plan.version,
        "build": plan.build,
        "scenario": plan.name,
        "vary": list(plan.axes),
        "design": plan.design,
        "points_drawn": plan.count,
        "seed": plan.seed,
        "runs": plan.rule.runs,
        "until": plan.rule.until,
        "of": plan.rule.of,
        "most_runs": plan.rule.most_runs,
        "shard": None if plan.shard is None else list(plan.shard),
        "base": plan.base,
    }
    lines = [f'  "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in head.items()]
    return "{\n" + ",\n".join(lines) + f',\n  "points": [\n    {points}\n  ]\n}}\n'


def from_json(text: str, file: object) -> Plan:
    """Reads what `to_json` wrote. Raises `InputError`, naming `file`."""
    try:
        read = json_of(text)
        if isinstance(read["format"], int) and read["format"] != FORMAT:
            raise InputError(
                f"{file}: is in format {read['format']}, this program ({_core.version()}) writes "
                f"{FORMAT}; name another folder, or use version {read['version']}"
            )
        return _plan(read)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{file}: is damaged, or is not the plan of a sweep; copy it again, or make the sweep "
            "again in another folder"
        ) from error


def _plan(read: Json) -> Plan:
    """The plan that `to_json` wrote so. Raises `ValueError` for what it never writes."""
    match read:
        case {
            "format": int(),
            "version": str(version),
            "build": str(build),
            "scenario": str(name),
            "base": str(base),
            "seed": int(seed),
            "vary": [*axes],
            "design": str(design),
            "points_drawn": (int() | None) as count,
            "points": [*points],
            "runs": int(runs),
            "until": (int() | float() | None) as until,
            "of": str(of),
            "most_runs": int(most_runs),
            "shard": (None | [int(), int()]) as shard,
        } if 0 < runs <= most_runs <= MOST_COUNT:
            plan = Plan(
                version=version,
                build=build,
                name=name,
                base=base,
                seed=seed,
                axes=tuple(map(_text, axes)),
                design=design,
                count=count,
                points=tuple(map(_point, points)),
                rule=Rule(runs, until, of, most_runs),
                shard=cast("tuple[int, int] | None", shard and tuple(shard)),
            )
            has_values = all({*plan.keys} <= each.settings.keys() for each in plan.points)
            if has_values and (plan.shard is None or 0 < plan.shard[0] <= plan.shard[1]):
                return plan
    raise ValueError(read)


def _text(read: Json) -> str:
    if isinstance(read, str):
        return read
    raise ValueError(read)


def _point(read: Json) -> Point:
    match read:
        case {"id": str(name), "settings": {} as settings}:
            return Point(name, cast("Settings", settings))
    raise ValueError(read)


def same_request(
    stored: Plan, axes: tuple[str, ...], design: str, count: int | None, seed: int
) -> bool:
    """Whether a stored plan's points are those that would be drawn now."""
    return (stored.axes, stored.design, stored.count, stored.seed) == (axes, design, count, seed)


def differences(stored: Plan, asked: Plan) -> list[str]:
    """What keeps a sweep from being gone on with as it is asked for now, in words.

    More runs are no obstacle; that is all that may differ.
    """
    found: dict[str, tuple[object, object]] = {
        "program": (_program(stored), _program(asked)),
        "--vary": (" ".join(stored.axes), " ".join(asked.axes)),
        "--design": (stored.design, asked.design),
        "--points": (stored.count, asked.count),
        "--seed": (stored.seed, asked.seed),
        "--until": (stored.rule.until, asked.rule.until),
        "--of": (_looked_at(stored), _looked_at(asked)),
        "--shard": (_shard(stored), _shard(asked)),
    }
    told = [f"{what}: {was} then, {now} now" for what, (was, now) in found.items() if was != now]
    if asked.rule.runs < stored.rule.runs or (
        asked.rule.until is not None and asked.rule.runs != stored.rule.runs
    ):
        told.append(f"--runs: {stored.rule.runs} then, {asked.rule.runs} now")
    elif asked.rule.most_runs < stored.rule.most_runs:
        told.append(f"--most-runs: {stored.rule.most_runs} then, {asked.rule.most_runs} now")
    if told:
        return told
    if stored.base != asked.base:
        return [f"the scenario: {first_difference(stored.base, asked.base)}"]
    for index, (was, now) in enumerate(zip(stored.points, asked.points, strict=False)):
        if was.id != now.id:
            where = numbered([point.settings for point in asked.points], index)
            return [f"{where} is another scenario now; a file that it names has changed"]
    return []


def _looked_at(plan: Plan) -> str | None:
    """What decides on the number of runs; otherwise it is only shown."""
    return None if plan.rule.until is None else plan.rule.of


def _program(plan: Plan) -> str:
    return f"version {plan.version}, build {plan.build}"


def _shard(plan: Plan) -> str:
    return "none" if plan.shard is None else f"{plan.shard[0]}/{plan.shard[1]}"


def first_difference(was: str, now: str) -> str:
    """The first line in which two texts differ, in words."""
    old, new = was.splitlines(), now.splitlines()
    for index in range(max(len(old), len(new))):
        before = old[index] if index < len(old) else "nothing"
        after = new[index] if index < len(new) else "nothing"
        if before != after:
            return f"'{before}' then, '{after}' now"
    return "its text differs"
