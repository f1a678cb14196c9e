"""What triggers must set to make one composition of another, or why they cannot."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from hopwright import _core
from hopwright._io.data import Json, at, items
from hopwright._schema.settings import Settings, Value, overrides_of
from hopwright.adapt.request import Request

PARTS = (
    "protocol",
    "triggers",
    "trigger_hold_s",
    "trigger_period_ms",
    "loss_window_segments",
    "loss_skips_slow_start",
    "jitter_of",
)
BESIDE = (*PARTS, "monitor_source")
"""Keys of a transport that are neither slots nor parameters of mechanisms."""

NEVER = 1e9
"""A bound that no monitor reaches."""


@dataclass(frozen=True)
class Switch:
    """The way from one composition to another.

    Attributes:
        slots: What a trigger sets.
        settings: Parameters of the other's mechanisms that the flow must have from the start.
        obstacle: Why no trigger can do it; empty if one can.
    """

    slots: Mapping[str, str]
    settings: Settings
    obstacle: str = ""


class Switching:
    """The ways between the candidates of a request."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @cached_property
    def _all(self) -> "dict[str, _Parts]":
        return {name: self._parts(each) for name, each in self._request.candidates.items()}

    def apart(self) -> set[frozenset[str]]:
        """Pairs that no policy can change into both: a parameter of both would have two values."""
        return {
            frozenset((a, b))
            for (a, ours), (b, theirs) in combinations(self._all.items(), 2)
            if any(
                ours.parameters.get(key, value) != value for key, value in theirs.parameters.items()
            )
        }

    @cached_property
    def between(self) -> dict[tuple[str, str], Switch]:
        """By the names of the composition to begin with and of the one that it becomes."""
        names, parts = list(self._all), self._all
        return {
            (base, other): self._switch(base, parts[base], parts[other])
            for base in names
            for other in names
            if base != other
        }

    def possible(self) -> dict[str, list[str]]:
        """For each composition, what triggers can make of it."""
        names = list(self._request.candidates)
        return {
            base: [
                other for other in names if other != base and not self.between[base, other].obstacle
            ]
            for base in names
        }

    def _switch(self, base: str, ours: "_Parts", theirs: "_Parts") -> Switch:
        slots = {slot: part for slot, part in theirs.slots.items() if ours.slots[slot] != part}
        for key, value in theirs.parameters.items():
            if ours.parameters.get(key, value) != value:
                reason = f"they have different values of {key}, and a trigger sets no parameter"
                return Switch(slots, {}, reason)
        if not slots:
            return Switch(slots, {}, "they differ only in parameters, which no trigger sets")
        request = self._request
        own = request.candidates[base]
        trial: Settings = {**own, "triggers": [never("loss", slots)]}
        try:
            known = self._parts(trial).parameters
            settings = {
                key: value for key, value in theirs.parameters.items() if known.get(key) != value
            }
            self._parts({**trial, **settings})
        except _core.ScenarioError as error:
            told = str(error).partition("\n")[0].removeprefix("error: ").partition(": ")[2]
            return Switch(slots, {}, told or str(error))
        return Switch(slots, settings)

    def _parts(self, settings: Settings) -> "_Parts":
        request = self._request
        scenario = request.source.load(overrides_of(request.composition(settings)))
        flow = items(tomllib.loads(scenario.to_toml()), "flows")[request.flow]
        return _Parts.of(at(flow, "transport"))


@dataclass(frozen=True)
class _Parts:
    """What a transport is made of."""

    slots: dict[str, str]
    parameters: dict[str, Value]

    @classmethod
    def of(cls, transport: Json) -> "_Parts":
        table = transport if isinstance(transport, dict) else {}
        rows: list[Json] = json.loads(_core.protocols_json())
        row = next(row for row in rows if at(row, "id") == table.get("protocol"))
        known = at(row, "slots")
        slots = {
            slot: str(table.get(slot, part))
            for slot, part in (known.items() if isinstance(known, dict) else ())
        }
        parameters: dict[str, Value] = {
            key: value
            for key, value in table.items()
            if key not in slots and key not in BESIDE and isinstance(value, (bool, int, float, str))
        }
        return cls(slots, parameters)


def never(monitor: str, slots: Mapping[str, str]) -> Value:
    """A trigger that asks for a monitor, and never fires."""
    return {"when": [{"monitor": monitor, "above": NEVER}], "set": dict(slots)}
