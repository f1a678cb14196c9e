"""What the kernel sends and receives at one end of a shaped link, as a capture.

A program without privileges cannot listen to packets; the shaper's own process can, for it.

Spec      packet(7), SO_TIMESTAMPNS; pcap with nanoseconds, link type RAW
Deviates  nothing
Holds     a file is there when its capture ended well, or not at all
"""

import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopwright import _core

NANOSECONDS, RAW_IP = 0xA1B23C4D, 101
SNAP_BYTES = 96
"""Of each packet: its headers."""
TIMESTAMP_NS = 35
PACKET, STATISTICS = 263, 6
ALL_PROTOCOLS = 0x0003
LOOK_S = 0.2
ROOM_BYTES = 4 << 20
TCP = 6
HEAD_BYTES = 24
"""Of a file."""


class Capture:
    """Writes packets from now on. One end, one file."""

    def __init__(self, namespace: int, path: Path) -> None:
        """`namespace`: its descriptor. Raises `OSError` where nobody may listen, or write."""
        self.path = path
        self.missed = 0
        """Packets that the kernel had no room for."""
        self._part = path.with_name(f"{path.name}.part")
        self._file = self._part.open("wb")
        self._file.write(struct.pack("=IHHiIII", NANOSECONDS, 2, 4, 0, 0, SNAP_BYTES, RAW_IP))
        self._over = threading.Event()
        self._ready = threading.Event()
        self._failed: list[OSError] = []
        self._thread = threading.Thread(target=self._listen, args=[namespace], daemon=True)
        self._thread.start()
        self._ready.wait()
        self._check()

    def end(self) -> None:
        """Writes the rest, and gives the file its name."""
        self._over.set()
        self._thread.join()
        self._file.close()
        self._check()
        self._part.replace(self.path)

    def _check(self) -> None:
        for error in self._failed:
            self.drop()
            raise error

    def drop(self) -> None:
        """There is no file."""
        self._over.set()
        self._thread.join()
        self._file.close()
        self._part.unlink(missing_ok=True)

    def _listen(self, namespace: int) -> None:
        try:
            _core.enter_network(f"/proc/self/fd/{namespace}")  # this thread alone
            with socket.socket(
                socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_PROTOCOLS)
            ) as ear:
                ear.setsockopt(socket.SOL_SOCKET, TIMESTAMP_NS, 1)
                ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM_BYTES)
                ear.bind(("link0", ALL_PROTOCOLS))
                ear.settimeout(LOOK_S)
                self._ready.set()
                while not self._over.is_set():
                    self._take(ear)
                ear.settimeout(0)
                while self._take(ear):
                    pass
                _, self.missed = struct.unpack("=II", ear.getsockopt(PACKET, STATISTICS, 8))
        except OSError as error:
            self._failed.append(error)
        finally:
            self._ready.set()

    def _take(self, ear: socket.socket) -> bool:
        try:
            packet, notes, _, _ = ear.recvmsg(65_600, 64)
        except (TimeoutError, BlockingIOError):
            return False
        times = [data for level, kind, data in notes if (level, kind) == (1, TIMESTAMP_NS)]
        seconds, nanos = struct.unpack("=qq", times[0][:16])
        kept = packet[:SNAP_BYTES]
        self._file.write(struct.pack("=IIII", seconds, nanos, len(kept), len(packet)))
        self._file.write(kept)
        return True


def both(near: int, far: int, folder: Path) -> list[Capture]:
    """Captures of both ends, by their namespaces: two, or none where that fails."""
    first = Capture(near, name_of("near", folder))
    try:
        return [first, Capture(far, name_of("far", folder))]
    except OSError:
        first.drop()
        raise


def name_of(end: str, folder: Path) -> Path:
    """The file of an end's capture, `near` or `far`."""
    return folder / f"{end}.pcap"


def first_s(path: Path) -> float:
    """When the first packet of a file came, since 1970."""
    seconds, nanos = struct.unpack_from("=II", path.read_bytes(), HEAD_BYTES)
    return float(seconds + nanos / 1e9)


@dataclass(frozen=True)
class Packet:
    """A packet of IPv4 with data."""

    at_s: float
    """Since 1970."""
    key: bytes
    """What tells it from others, at both ends: addresses, identification, and what follows."""
    data_bytes: int
    """Of TCP or UDP."""


def packets(path: Path, sender: str) -> Iterator[Packet]:
    """What an end saw of the packets with data that `sender` sent, of a file of this module."""
    content = path.read_bytes()
    ours = socket.inet_aton(sender)
    place = HEAD_BYTES
    while place + 16 <= len(content):
        seconds, nanos, kept, _ = struct.unpack_from("=IIII", content, place)
        packet = content[place + 16 : place + 16 + kept]
        place += 16 + kept
        if len(packet) < 28 or packet[0] >> 4 != 4 or packet[12:16] != ours:
            continue
        head = 4 * (packet[0] & 15)
        length = int.from_bytes(packet[2:4], "big")
        above = 4 * (packet[head + 12] >> 4) if packet[9] == TCP else 8
        if length > head + above:
            # What a router changes is left out: time to live and checksum.
            key = packet[2:8] + packet[12 : head + 8]
            yield Packet(seconds + nanos / 1e9, key, length - head - above)
