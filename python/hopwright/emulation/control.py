"""Commands that change a network, or a link, while programs use it: a socket of JSON lines.

Spec      RFC 8259; unix(7), abstract addresses
Deviates  nothing
Holds     the socket has no file: nothing is left of it, however the emulation ends. Only the user
          who runs the emulation is heard
"""

import json
import os
import socket
import struct
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Protocol, Self

from hopwright._io.data import Json, at
from hopwright._io.errors import InputError

LONGEST_NAME = 64
LONGEST_LINE = 65_536


class Heard(Protocol):
    """What does what is said."""

    def say(self, line: str) -> str:
        """Does what a line of JSON says; returns the answer, a line of JSON."""


def listen(name: str) -> socket.socket:
    """A socket that listens. Raises `InputError` if the name is none, or taken."""
    address = _address(name)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise InputError(f"--control {name}: another emulation has this name") from error
    listener.listen()
    return listener


def serve(descriptor: int, watch: Heard) -> None:
    """Answers whoever connects, each in a thread of its own."""
    listener = socket.socket(fileno=descriptor)
    listener.set_inheritable(False)  # programs that are started do not listen, too

    def accept() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_answer, args=(peer, watch), daemon=True).start()

    threading.Thread(target=accept, name="control", daemon=True).start()


def _answer(peer: socket.socket, watch: Heard) -> None:
    with peer, peer.makefile("rwb") as lines:
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        if struct.unpack("3i", credentials)[1] != os.getuid():
            lines.write(b'{"ok":false,"error":"only the user who runs the emulation is heard"}\n')
            return
        try:
            while line := lines.readline(LONGEST_LINE):
                if line.strip():
                    text = line.decode(errors="replace")
                    lines.write(watch.say(text).encode() + b"\n")
                    lines.flush()
        except OSError:
            return  # the peer is gone


class Control:
    """A connection to an emulation, or to a shaped link, that was begun with `--control NAME`.

    >>> with hw.Control("flight") as network:
    ...     network.say({"do": "place", "node": 3, "at_m": [120.0, 40.0]})
    """

    def __init__(self, name: str) -> None:
        """Raises `ConnectionError` if nobody listens to this name, `InputError` if it is none."""
        address = _address(name)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            self._socket.connect(address)
        except OSError as error:
            self._socket.close()
            raise ConnectionError(f"there is no emulation called '{name}'") from error
        self._lines = self._socket.makefile("rwb")

    def say(self, command: Mapping[str, object]) -> Json:
        """Has a command carried out; returns the answer.

        Raises `ValueError` with the reason if it is refused, `ConnectionError` if the emulation is
        over.
        """
        answer = self.say_line(json.dumps(command))
        if at(answer, "ok") is not True:
            raise ValueError(str(at(answer, "error")))
        return answer

    def say_line(self, line: str) -> Json:
        """The same for a line of JSON; the answer says whether it was refused."""
        try:
            self._lines.write(line.encode() + b"\n")
            self._lines.flush()
            answer = self._lines.readline()
        except OSError:
            answer = b""
        if not answer:
            raise ConnectionError("the emulation is over")
        read: Json = json.loads(answer)
        return read

    def close(self) -> None:
        """Ends the connection, not the emulation."""
        self._socket.close()

    def __enter__(self) -> Self:
        """The connection, which is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _address(name: str) -> str:
    if not (0 < len(name) <= LONGEST_NAME and name.isascii() and name.isprintable()):
        raise InputError(
            f"'{name}' is not a name: write 1 to {LONGEST_NAME} printable letters of ASCII"
        )
    return f"\0hopwright/{name}"
