"""Programs for both ends of a link, which send as TTCP does, or datagrams at a steady pace.

    python -m hopwright.sedlane.transfer receive
    python -m hopwright.sedlane.transfer send --bytes 16777216 --congestion cubic --seconds 400
    python -m hopwright.sedlane.transfer pace --every-ms 10 --seconds 400

TTCP sends 2048 buffers of 8192 bytes unless it is told otherwise, as fast as its socket takes them.
"""

import argparse
import contextlib
import json
import socket
import struct
import sys
import time

PORT = 5001
BUFFER_BYTES, BUFFERS = 8192, 2048
"""TTCP's own."""

MARK = struct.Struct("=Q")
EVERY_MS = 10.0
"""Between two datagrams."""

NO_LINGER = struct.pack("=ii", 1, 0)
LONGEST_S = 1e6
PATIENCE_S = 30.0
"""How long the other end may take to listen."""


def receive() -> None:
    """Takes a connection's bytes until it ends, and datagrams until it is told to end."""
    with socket.create_server(("", PORT)) as ear:
        connection, _ = ear.accept()
        with connection:
            try:
                while connection.recv(1 << 16):
                    pass
            except ConnectionResetError:
                pass  # the sender's time was up


def send(size: int, congestion: str, seconds: float) -> None:
    """Sends so many bytes, but for no longer than that; prints how much, and for how long."""
    began = time.monotonic()
    with _connected(min(seconds, LONGEST_S)) as out:
        try:
            if congestion:
                out.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
        except OSError:
            sys.exit(f"the kernel has no congestion control called '{congestion}', or not for us")
        used = out.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0]
        sent = 0
        is_whole = False
        try:
            buffer = bytes(BUFFER_BYTES)
            while sent < size:
                out.settimeout(max(began + seconds - time.monotonic(), 1e-3))
                sent += out.send(buffer[: size - sent])
            out.shutdown(socket.SHUT_WR)
            out.settimeout(max(began + seconds - time.monotonic(), 1e-3))
            is_whole = out.recv(1) == b""  # the other end closes when it has everything
        except (TimeoutError, BlockingIOError):
            out.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        took = time.monotonic() - began
    said = {"sent_bytes": sent, "whole": is_whole, "seconds": took, "congestion": used.decode()}
    print(json.dumps(said))


def pace(every_s: float, seconds: float) -> None:
    """Sends a datagram at every tick of a clock; one that was missed is not made up for."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.connect(("far", PORT))
        began = time.monotonic()
        number = 0
        while (now := time.monotonic() - began) < seconds:
            # Nobody has to listen there: the link is what is asked.
            with contextlib.suppress(ConnectionRefusedError):
                out.send(MARK.pack(number))
            number += 1
            time.sleep(max(0.0, number * every_s - now))
    print(json.dumps({"sent_datagrams": number, "seconds": seconds}))


def _connected(seconds: float) -> socket.socket:
    """A connection, which may take as long as what is sent: a path may lose most of anything."""
    began = time.monotonic()
    while (left := began + seconds - time.monotonic()) > 0:
        try:
            return socket.create_connection(("far", PORT), timeout=left)
        except ConnectionRefusedError:
            if time.monotonic() > began + PATIENCE_S:
                sys.exit("nobody listens at the far end")
            time.sleep(0.05)
        except TimeoutError:
            pass  # the kernel gave up before us
    sys.exit(f"there was no connection within {seconds:g} s")


def main() -> None:
    """Does what the words say."""
    parser = argparse.ArgumentParser(prog="transfer", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("receive", "send", "pace"))
    parser.add_argument("--bytes", type=int, default=BUFFERS * BUFFER_BYTES)
    parser.add_argument("--congestion", default="")
    parser.add_argument("--every-ms", type=float, default=EVERY_MS)
    parser.add_argument("--seconds", type=float, default=LONGEST_S)
    options = parser.parse_args()
    match options.what:
        case "receive":
            receive()
        case "send":
            send(options.bytes, options.congestion, options.seconds)
        case _:
            pace(options.every_ms / 1e3, options.seconds)


if __name__ == "__main__":
    main()
