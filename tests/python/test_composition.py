"""The printed lists of protocols, slots and parameters."""

import io
from collections.abc import Callable

from rich.console import Console

from hopwright._cli.composition import print_in_full, print_protocols, print_routing, print_slots
from hopwright._io.data import Json

PROTOCOLS: Json = [
    {
        "id": "reno",
        "source": "RFC 5681",
        "slots": {"recovery": "fast", "acking": "every"},
        "settings": {},
        "parameters": {"k": 10},
    },
    {
        "id": "newreno",
        "source": "RFC 6582",
        "slots": {"recovery": "partial-acks", "acking": "every"},
        "settings": {"k": 3},
        "parameters": {"k": 3},
    },
]
PARAMETERS: Json = [
    {
        "name": "k",
        "default": 10,
        "possible": "a number",
        "about": "how many",
        "used_by": ["startup.slow", "engine"],
    }
]
ROUTING: Json = [
    {"id": "static", "source": "Shortest paths", "profiles": []},
    {"id": "aodv", "source": "RFC 3561", "profiles": [{"id": "rfc"}, {"id": "ns2"}]},
]
SLOTS: Json = [
    {
        "slot": "recovery",
        "decides": "What is sent again.",
        "mechanisms": [{"id": "fast", "source": "RFC", "needs": ["rounds"], "parameters": ["k"]}],
    }
]


def printed(show: Callable[[Console], None]) -> list[list[str]]:
    text = io.StringIO()
    show(Console(file=text, width=120))
    return [line.split() for line in text.getvalue().splitlines()]


def test_a_protocol_is_told_by_what_differs() -> None:
    lines = printed(lambda console: print_protocols(PROTOCOLS, ROUTING, PARAMETERS, console))
    assert ["reno", "RFC", "5681", "recovery:", "fast,", "acking:", "every"] in lines
    assert ["newreno", "RFC", "6582", "recovery:", "partial-acks", "k", "=", "3"] in lines
    assert ["k", "10", "startup.slow,", "engine"] in lines
    assert ["aodv", "RFC", "3561", "rfc,", "ns2"] in lines


def test_routing_alone() -> None:
    lines = printed(lambda console: print_routing(ROUTING, console))
    assert ["aodv", "RFC", "3561", "rfc,", "ns2"] in lines
    assert ["static", "Shortest", "paths"] in lines


def test_in_full() -> None:
    asked: Json = PROTOCOLS[1:] if isinstance(PROTOCOLS, list) else None
    lines = printed(lambda console: print_in_full(asked, SLOTS, PARAMETERS, console))
    assert ["recovery", "partial-acks", "What", "is", "sent", "again."] in lines
    assert ["acking", "every"] in lines
    assert ["k", "3", "a", "number", "how", "many"] in lines


def test_slots() -> None:
    lines = printed(lambda console: print_slots(SLOTS, console))
    assert ["recovery:", "What", "is", "sent", "again."] in lines
    assert ["fast", "RFC", "rounds", "k"] in lines


def test_an_unknown_shape_is_no_fault() -> None:
    printed(lambda console: print_protocols([{"id": "x", "slots": None}, {}], [{}], [{}], console))
