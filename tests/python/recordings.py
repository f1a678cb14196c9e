"""Recordings of emulations, written here: so that no test of replays needs a TUN device.

Spec      draft-ietf-opsawg-pcapng, as `inputs.pcapng` has it
"""

import json
import struct
from collections.abc import Sequence
from pathlib import Path

RAW, USER0 = 101, 147
OUTBOUND, INBOUND = 2, 1
UDP, TCP = 17, 6

Entry = tuple[float, int | None, bytes]
"""When, s; at which of the nodes, or None for a command; the packet or the text."""


def recording(file: Path, nodes: Sequence[int], entries: Sequence[Entry], end_s: float) -> None:
    """What programs at these nodes sent, and the commands."""
    content = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name, link in [*((f"node-{node}", RAW) for node in nodes), ("control", USER0)]:
        options = _option(2, name.encode()) + _option(9, b"\x09") + _option(0, b"")
        content += _block(1, struct.pack("<HHI", link, 0, 0) + options)
    stop: Entry = (end_s, None, b'{"do":"stop"}')
    for at_s, node, data in [*entries, stop]:
        interface, flags = (len(nodes), INBOUND) if node is None else (nodes.index(node), OUTBOUND)
        at_ns = round(at_s * 1e9)
        head = struct.pack(
            "<IIIII", interface, at_ns >> 32, at_ns & 0xFFFFFFFF, len(data), len(data)
        )
        options = _option(2, struct.pack("<I", flags)) + _option(0, b"")
        content += _block(6, head + _padded(data) + options)
    file.write_bytes(content)


def command(at_s: float, **words: object) -> Entry:
    """Somebody changes the network."""
    return at_s, None, json.dumps(words).encode()


def datagram(
    at_s: float, source: int, destination: int, ports: tuple[int, int] = (5004, 5005)
) -> Entry:
    """100 bytes over UDP."""
    header = struct.pack(">HHHH", *ports, 108, 0)
    return at_s, source, _ip(UDP, source, destination, header + bytes(100))


def segment(at_s: float, source: int, destination: int, seq: int, ports: tuple[int, int]) -> Entry:
    """100 bytes over TCP, PSH and ACK."""
    header = struct.pack(">HHIIBBHHH", *ports, seq, 1, 0x50, 0x18, 1000, 0, 0)
    return at_s, source, _ip(TCP, source, destination, header + bytes(100))


def _ip(protocol: int, source: int, destination: int, content: bytes) -> bytes:
    """RFC 791."""
    addresses = struct.pack(">II", (10 << 24) + source + 1, (10 << 24) + destination + 1)
    head = struct.pack(">BBHHHBB", 0x45, 0, 20 + len(content), 1, 0x4000, 64, protocol)
    total = sum(struct.unpack(">10H", head + b"\0\0" + addresses))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return head + struct.pack(">H", ~total & 0xFFFF) + addresses + content


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length
