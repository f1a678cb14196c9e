"""What only some scenarios measure, and the keys of a scenario that make it do so.

Which results these are is not listed: runs so short that they take no time are asked.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from hopwright import _core
from hopwright.data import Json, at, items
from hopwright.errors import InputError, near
from hopwright.metrics import METRICS
from hopwright.statistics.means import IDENTITIES, TALLIES
from hopwright.sweeps.measure import NO_RESULTS, leaves

SHORT_RUN = """
name = "short"
duration_s = 0.1
topology = { kind = "chain", hops = 1, spacing_m = 200 }
routing = { protocol = "static" }
"""
FLOWS = 'flows = [{ from = 0, to = 1, transport = { protocol = "newreno" } }]\n'
MONITORS = ("loss", "delay", "bandwidth", "fluctuation", "jitter")
FUNCTIONS = ("slow_start", "congestion_avoidance", "recovery", "timers", "path", "receiver")
FREE = "format = 'hopwright-energy-1'\n" + "".join(
    f"[protocols.newreno.{name}]\njoules_per_event = 0\n" for name in FUNCTIONS
)
"""A coefficient file."""


class Feature(NamedTuple):
    """Something that a scenario measures if it is asked to."""

    keys: Mapping[str, Sequence[Json]]
    """Keys of which one is enough, in any table of a list, with the values that ask for nothing."""
    advice: str
    """What to set."""
    example: str
    """What to add to a scenario that lacks it."""
    later: tuple[str, ...] = ()
    """Results that it has, and so short a run has no value of yet."""

    def is_in(self, scenario: Json) -> bool:
        """Whether a scenario, with every default filled in, asks for it."""
        return any(
            value not in off
            for key, off in self.keys.items()
            for value in _values(scenario, key.split("."))
        )


FEATURES = (
    Feature({"radio.energy": (None,)}, "radio.energy", "radio = { energy = 'wavelan' }"),
    Feature({"output.medium_use": (False,)}, "output.medium_use", "output = { medium_use = true }"),
    Feature({"energy.compute": (None,)}, "energy.compute", "energy = { compute = 'free.toml' }"),
    Feature(
        {
            "errors": (None, []),
            "radio.fading": ("none",),
            "radio.shadowing": ("none", "link"),
            "radio.bit_errors": (False,),
        },
        "[[errors]], radio.fading, radio.shadowing=frame or radio.bit_errors",
        "radio = { fading = 'rayleigh' }",
    ),
    Feature(
        {"flows.transport.triggers": (None, [])},
        "[[flows.transport.triggers]]",
        "flows = [{ from = 0, to = 1, transport = { triggers = "
        "[{ when = [{ monitor = 'loss', above = 1 }], set = { response = 'spare' } }] } }]\n",
        tuple(f"adaptation.readings.{monitor}" for monitor in MONITORS),
    ),
)


def check_names(wanted: Sequence[str]) -> None:
    """Raises `InputError` for results that no run can have, before any is made."""
    known = [*_plain(), *(each.key for each in METRICS), *(key for of in _only() for key in of)]
    for key in wanted:
        if key not in known and key.partition(".")[0] not in TALLIES:
            raise InputError(f"no result called '{key}'{near(key, dict.fromkeys(known))}")


def check_measured(wanted: Sequence[str], scenarios: Iterable[str]) -> None:
    """Raises `InputError` for a result that none of these scenarios measures, saying what to set.

    `scenarios`: as TOML, with every default filled in.
    """
    asked = {key: features for key in wanted if (features := _features(key))}
    if not asked:
        return
    for text in scenarios:
        scenario = tomllib.loads(text)
        for key, features in list(asked.items()):
            if any(each.is_in(scenario) for each in features):
                del asked[key]
        if not asked:
            return
    key = next(iter(asked))
    raise InputError(f"{key}: no run would have it{advice(key)}")


def advice(key: str) -> str:
    """`; set radio.energy` for a result that only such scenarios have; empty for others."""
    found = [each.advice for each in _features(key)]
    return f"; set {' or '.join(found)}" if found else ""


def _features(key: str) -> list[Feature]:
    """The features of which each gives such a result; none if runs have it anyway."""
    return [each for each, only in zip(FEATURES, _only(), strict=True) if key in only]


@cache
def _plain() -> tuple[str, ...]:
    """The results that any run of TCP has."""
    return _results("")


@cache
def _only() -> tuple[frozenset[str], ...]:
    """Those that runs have with each of the features, and not without."""
    return tuple(
        frozenset([*_results(each.example), *each.later]) - {*_plain()} for each in FEATURES
    )


def _values(value: Json, path: Sequence[str]) -> Iterator[Json]:
    """What is under a path, in each table of the lists on the way; None where there is nothing."""
    if isinstance(value, list) and path:
        for part in value:
            yield from _values(part, path)
    elif path:
        yield from _values(at(value, path[0]), path[1:])
    else:
        yield value


def _results(addition: str) -> tuple[str, ...]:
    text = SHORT_RUN + ("" if addition.startswith("flows") else FLOWS) + addition
    scenario = _core.restore(text, "a short run", None, FREE)
    result = json.loads(_core.run(scenario, [1], 1, _core.Progress())[0].summary_json())
    names = [*leaves(items(result, "flows")[:1]), *leaves(result)]
    return tuple(name for name in names if name not in NO_RESULTS | IDENTITIES)
