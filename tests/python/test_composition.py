"""The printed list of protocols."""

import io

from rich.console import Console

from hopwright.composition import print_protocols
from hopwright.data import Json

PROTOCOLS: Json = [
    {"id": "reno", "source": "RFC 5681", "slots": {"recovery": "fast"}, "parameters": {"k": 10}},
    {
        "id": "newreno",
        "source": "RFC 6582",
        "slots": {"recovery": "partial-acks"},
        "parameters": {"k": 10, "timer": "first", "limit": None},
    },
]


def test_parts_and_defaults() -> None:
    text = io.StringIO()
    print_protocols(PROTOCOLS, Console(file=text, width=80))
    lines = [line.split() for line in text.getvalue().splitlines()]
    assert ["newreno", "RFC", "6582", "recovery:", "partial-acks"] in lines
    assert ["k", "10", "all"] in lines
    assert ["timer", "first", "newreno"] in lines
    assert ["limit", "null", "newreno"] in lines


def test_an_unknown_shape_is_no_fault() -> None:
    print_protocols([{"id": "x", "slots": None}, {}], Console(file=io.StringIO()))
