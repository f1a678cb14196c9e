"""Whom nodes have chosen as multipoint relays, read from the OLSR HELLOs that they send."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hopwright._io.files import read_bytes
from hopwright.research.papers.fields import Value


class Hello(NamedTuple):
    """A HELLO that a node sent."""

    time_s: float
    node: int
    relays: Mapping[int, bool]
    """Of the neighbours that it names: whether they are its relays (RFC 3626, section 6.1.1).

    Not every HELLO names all neighbours (section 6.2).
    """


ENHANCED_PACKET = 6
"""A block of pcapng that holds a frame; its times are nanoseconds here."""
IPV4 = b"\xaa\xaa\x03\x00\x00\x00\x08\x00"
UDP, PORT = 17, 698
HELLO = 1
MPR_NEIGHBOUR = 2
"""The neighbour type, two bits of a link code."""
OUTBOUND = 2
"""The direction among a block's flags."""
FLAGS_OPTION = 2


def hellos(capture: bytes) -> Iterator[Hello]:
    """All that a node's capture shows it to send, in the order of time."""
    for time_s, frame in sent_frames(capture):
        packet = frame.find(IPV4) + len(IPV4)
        if packet < len(IPV4) or frame[packet + 9] != UDP:
            continue
        datagram = packet + 4 * (frame[packet] & 15)
        if int.from_bytes(frame[datagram + 2 : datagram + 4], "big") != PORT:
            continue
        length = int.from_bytes(frame[datagram + 4 : datagram + 6], "big")
        yield from _hellos_of(time_s, frame[datagram + 8 : datagram + length])


def sent_frames(capture: bytes) -> Iterator[tuple[float, bytes]]:
    """The frames that left the node, with their times in seconds."""
    place = 0
    while place < len(capture):
        kind, length = struct.unpack_from("<II", capture, place)
        if kind == ENHANCED_PACKET:
            high, low, size = struct.unpack_from("<III", capture, place + 12)
            begin = place + 28
            options = capture[begin + (size + 3) // 4 * 4 : place + length - 4]
            if _direction(options) == OUTBOUND:
                yield (high << 32 | low) / 1e9, capture[begin : begin + size]
        place += length


def _direction(options: bytes) -> int:
    place = 0
    while place + 4 <= len(options):
        code, length = struct.unpack_from("<HH", options, place)
        if code == FLAGS_OPTION:
            return options[place + 4] & 3
        place += 4 + (length + 3) // 4 * 4
    return 0


def _hellos_of(time_s: float, packet: bytes) -> Iterator[Hello]:
    """Of an OLSR packet: those of the node that sends it."""
    place = 4
    while place < len(packet):
        kind, size = packet[place], int.from_bytes(packet[place + 2 : place + 4], "big")
        if kind == HELLO:
            node = _node(packet[place + 4 : place + 8])
            yield Hello(time_s, node, dict(_named(packet[place + 16 : place + size])))
        place += size


def _named(body: bytes) -> Iterator[tuple[int, bool]]:
    place = 0
    while place < len(body):
        size = int.from_bytes(body[place + 2 : place + 4], "big")
        for address in range(place + 4, place + size, 4):
            is_relay = body[place] >> 2 & 3 == MPR_NEIGHBOUR
            yield _node(body[address : address + 4]), is_relay
        place += size


def _node(address: bytes) -> int:
    """10.0.0.1 is node 0."""
    return int.from_bytes(address[1:], "big") - 1


def chosen(sent: Iterable[Hello], node: int, at_s: float) -> frozenset[int]:
    """The neighbours that a node has called its relays when it named them last, up to a time."""
    said: dict[int, bool] = {}
    for each in sent:
        if each.node == node and each.time_s <= at_s:
            said.update(each.relays)
    return frozenset(neighbour for neighbour, is_relay in said.items() if is_relay)


def recorded_keys() -> dict[str, Value]:
    """What the scenario has to be set to: captures of all nodes, and nothing else."""
    return {"output.pcap": "all", "output.series": [], "output.figures": []}


def sent_in(folder: Path, nodes: int) -> list[Hello]:
    """The HELLOs of all nodes, from the captures in a run's folder."""
    captures = (read_bytes(folder / f"node-{node}.pcapng") for node in range(nodes))
    return [each for capture in captures for each in hellos(capture)]
