"""What is judged where: scenarios, and what a sender is made of in each."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hopwright import _core
from hopwright._io.data import Json, at, items
from hopwright._io.errors import InputError, near
from hopwright._io.source import Given, Source

IGNORANT = "blame-congestion"
"""Who takes every loss for congestion: whoever is no better need not be asked."""

BOUND = "oracle"
"""Who is told the truth: nobody is right more often."""

DIFFERENTIATORS = (
    IGNORANT,
    "welcome",
    "westwood",
    "veno",
    "biaz-vaidya",
    "spike",
    "zigzag",
    "ncpld",
    BOUND,
)
"""Who is judged if nobody is named."""

RESPONSE = "spare"
"""What all of them do about their belief, if nothing else is asked for."""

RUNS = 20
"""Of each differentiator in each scenario, if nothing is said."""

PROBABILITIES = (1.0, 0.25)
"""Of errors on purpose, if nothing is said."""

Settings = Mapping[str, str]
"""Keys of a flow's `transport` and their values."""


class Case(NamedTuple):
    """A scenario in which differentiators are judged."""

    name: str
    """The scenario's own; no two of a judgement are the same."""
    source: Source
    overrides: tuple[tuple[str, str], ...]
    """Keys that are set for all alike."""
    flows: tuple[int, ...]
    """Those of TCP: whose losses are diagnosed."""
    seed: int
    """Of the first run."""

    def with_seed(self, seed: int) -> "Case":
        """The same with another first seed."""
        return self._replace(overrides=(*self.overrides, ("seed", str(seed))), seed=seed)

    def scenario(
        self, differentiator: str, response: str, more: Settings | None = None
    ) -> _core.Scenario:
        """The checked scenario with this diagnosis and response in all flows of TCP.

        `more` is set in these flows as well. Raises `ScenarioError`.
        """
        parts = {"diagnosis": differentiator, "response": response, **(more or {})}
        of_flows = [
            (f"flows.{flow}.transport.{key}", value)
            for flow in self.flows
            for key, value in parts.items()
        ]
        return self.source.load([*self.overrides, *of_flows])


def read_case(text: str, overrides: Sequence[tuple[str, str]] = ()) -> Case:
    """A scenario from a file's path, with settings after it: `chain.toml,name=string,seed=3`.

    Raises:
        InputError: The file cannot be read, a setting is none, or no flow is of TCP.
        ScenarioError: Something is wrong with the scenario.
    """
    source, settings = Given.read(text)
    file, own = source.name, (*settings, *overrides)
    checked = source.load(own)
    flows = items(tomllib.loads(checked.to_toml()), "flows")
    of_tcp = tuple(
        index for index, flow in enumerate(flows) if at(flow, "transport", "protocol") != "udp"
    )
    if not flows:
        raise InputError(f"{file}: has no flows, so nothing is sent that could be lost")
    if not of_tcp:
        # Anew, because rate and size of datagrams are refused beside an app that fills a stream.
        ends = f"{{ from = {at(flows[0], 'from')}, to = {at(flows[0], 'to')} }}"
        raise InputError(
            f"{file}: has no TCP flow, and only TCP makes diagnoses; add a TCP flow: "
            f"--set 'flows.0={ends}'"
        )
    return Case(checked.name, source, own, of_tcp, checked.seed)


def differentiators_of(names: Sequence[str]) -> list[str]:
    """Whoever is to be judged: these, and both whom all are compared with, in their places.

    Raises `InputError` for one that does not exist, or is named twice.
    """
    known = parts_of("diagnosis")
    for name in names:
        if name not in known:
            raise InputError(f"no differentiator called '{name}'{near(name, known)}")
        if names.count(name) > 1:
            raise InputError(f"differentiator '{name}' is named twice")
    others = [name for name in names if name not in (IGNORANT, BOUND)]
    return [IGNORANT, *others, BOUND]


def shared_settings(differentiators: Sequence[str]) -> Settings:
    """What all get because one of them needs it, so that runs of different ones compare.

    With timestamps there is a round-trip time an acknowledgement instead of one a round trip, which
    is not the same to whoever counts them.
    """
    needing = {
        str(at(part, "id")) for part in _parts("diagnosis") if "timestamps" in items(part, "needs")
    }
    return {"timestamps": "true"} if needing.intersection(differentiators) else {}


def check_settings(case: Case, shared: Settings) -> None:
    """Raises `InputError` where a setting is of what a judgement gives all senders itself."""
    for key, value in case.overrides:
        part = key.rpartition("transport.")[2]
        setting = f"{case.name}: {key}={value}"
        if part in ("diagnosis", "response"):
            option = {"diagnosis": "--differentiators", "response": "--response"}[part]
            raise InputError(f"{setting}: is set by the judgement; use {option}")
        if shared.get(part, value) != value:
            raise InputError(
                f"{setting}: one of the differentiators needs {part}, so all runs use them; "
                "name other differentiators with --differentiators"
            )


def check_response(name: str) -> None:
    """Raises `InputError` for a response that does not exist."""
    known = parts_of("response")
    if name not in known:
        raise InputError(f"no response called '{name}'{near(name, known)}")


def parts_of(slot: str) -> list[str]:
    """What can be put into a slot of a sender."""
    return [str(at(part, "id")) for part in _parts(slot)]


def _parts(slot: str) -> list[Json]:
    slots: Json = json.loads(_core.slots_json())
    for each in slots if isinstance(slots, list) else []:
        if at(each, "slot") == slot:
            return items(each, "mechanisms")
    raise AssertionError(f"no slot called {slot}")
