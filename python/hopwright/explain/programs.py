"""`hopwright explain` about programs: conversations, a stall at a time, the end of a packet."""

import argparse
import sys
from collections.abc import Sequence

from hopwright._io.console import print_lines
from hopwright._io.data import Json
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright._io.streams import print_json
from hopwright.explain import silence_words
from hopwright.explain.conversations import Conversation, conversations, direction_json
from hopwright.explain.events import Event, Lineage
from hopwright.explain.silences import Silence, around, longest
from hopwright.explain.words import NODE_BITS, name_of
from hopwright.results.summary import to_json

NEAR_S = 0.5
"""Who asks has seen a stall at about that time: the longest silence so near to it is meant."""
MOST_SHOWN = 20
"""Conversations that are listed; --json has all."""

MOST_NODES = 1 << 23
"""No scenario has more, and the name of a packet is a number of 63 bits."""

HINT = (
    "--conversation N --at T says why nothing arrived at T seconds; --packet P shows the path of a "
    "packet"
)


def packet(text: str) -> int:
    """The name of a packet, from `NODE:NUMBER`; a type of options."""
    node, colon, number = text.partition(":")
    is_number = all(part.isascii() and part.isdigit() for part in (node, number))
    if not (colon and is_number) or int(node) >= MOST_NODES or int(number) >= 1 << NODE_BITS:
        raise argparse.ArgumentTypeError(f"'{text}': write it as NODE:NUMBER, such as 0:17")
    return int(node) << NODE_BITS | int(number)


def chosen(lineage: Lineage, number: int | None) -> list[Conversation]:
    """Those that are asked for. Raises `InputError` if there is none with the number."""
    told = conversations(lineage)
    if number is None:
        return told
    if not told:
        raise InputError(f"--conversation {number}: no program sent anything in this run")
    if number >= len(told):
        raise InputError(
            f"--conversation {number}: no such conversation; there are 0 to {len(told) - 1}"
        )
    return [told[number]]


def account(told: Sequence[Conversation]) -> list[str]:
    """What conversations there were, and what became of them."""
    lines = []
    for each in told[:MOST_SHOWN]:
        lines.append(each.title)
        for direction in each.directions:
            first, *more = map(direction.lineage.told, silence_words.account(direction))
            lines += [f"  {first}", *(f"    {line}" for line in more)]
    if len(told) > MOST_SHOWN:
        lines.append(
            f"{many(len(told) - MOST_SHOWN, 'more conversation is', 'more conversations are')} not "
            "shown; --json has all"
        )
    return [*lines, HINT]


def account_json(told: Sequence[Conversation]) -> list[Json]:
    """The same as numbers."""
    return [_json(each, [longest(direction) for direction in each.directions]) for each in told]


def stall(told: Sequence[Conversation], at_s: float, *, as_json: bool) -> None:
    """Prints why nothing came at a time."""
    found = [
        (each, [around(direction, at_s, within_s=NEAR_S) for direction in each.directions])
        for each in told
    ]
    # Of all conversations those that had something to say then.
    near = [(each, those) for each, those in found if _apart_s(those, at_s) <= NEAR_S]
    if near:
        found = near
    else:
        found = [min(found, key=lambda one: _apart_s(one[1], at_s))]
        apart_s = _apart_s(found[0][1], at_s)
        said = (
            f"no packet was in the network near {at_s:g} s; the nearest packets are "
            f"{apart_s:.1f} s away:"
        )
        if as_json:
            print(said, file=sys.stderr)
        else:
            print_lines(said)
    if as_json:
        print_json(to_json({"conversations": [_json(each, those) for each, those in found]}))
        return
    found.sort(key=lambda one: -max(silence.length_s for silence in one[1]))
    for each, those in found[:MOST_SHOWN]:
        print_lines(each.title)
        for silence in those:
            if silence.apart_s(at_s) <= NEAR_S or not near:
                told_of = silence.direction.lineage.told
                for line in silence_words.lines(silence):
                    print_lines(f"  {told_of(line)}")


def _apart_s(those: Sequence[Silence], at_s: float) -> float:
    return min(silence.apart_s(at_s) for silence in those)


def _json(each: Conversation, those: Sequence[Silence]) -> Json:
    directions: list[Json] = [
        {**direction_json(silence.direction), "silence": silence_words.silence_json(silence)}
        for silence in those
    ]
    return {
        "conversation": each.number,
        "protocol": each.protocol,
        "icmp_id": each.icmp_id,
        "directions": directions,
    }


def end_of(lineage: Lineage, name: int) -> Event:
    """With what a packet came, or was lost, or the last that is told of it. Raises `InputError`."""
    events = lineage.of_packet(name)
    if not events:
        raise InputError(
            f"--packet {name_of(name)}: the recording has no such packet; --at T names lost packets"
        )
    came = [event for event in events if event.kind == "delivered"]
    lost = [event for event in events if event.kind == "dropped" and event.loss is not None]
    return [*came[:1], *lost, events[-1]][0]
