"""Programs for both ends of a link, which send as TTCP does, or datagrams at a steady pace.

What is sent by this project's own TCP comes from a TUN device (`hopwright host`), from an address
beside the near end's, and the kernel of that end passes it on: it needs that end's privileges.

    T="python -m hopwright.emulation.sedlane.transfer"
    $T receive
    $T send --bytes 16777216 --congestion cubic --seconds 400
    $T engine --protocol newreno --seconds 400
    $T pace --every-ms 10 --seconds 400

TTCP sends 2048 buffers of 8192 bytes unless it is told otherwise, as fast as its socket takes them.
"""

import argparse
import contextlib
import json
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


ENGINE, TUN = "10.0.0.9", "hw0"
"""The address of this project's own TCP: on the link, but not the kernel's."""
FAR = "10.0.0.2"
TIMESTAMPS_BYTES = 12
COOKIE = 57
"""SO_COOKIE of Linux: what no other socket is called."""
SILENT_S = 900
"""For so long a peer may be silent, as Linux has it (tcp_retries2 = 15)."""

WRONG_INPUT = 2
REFUSED_S, AGAIN_S = 0.2, 15.0
"""Until one asks again, and until one interrupts again."""


def receive(segment: int, buffer: int) -> None:
    """Takes a connection's bytes until it ends.

    In segments of so many bytes, not counting the timestamps that both ends put into them, and with
    a buffer of so many, if these are not 0.
    """
    with socket.socket() as ear:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Before it listens: a connection has what its listener had when the connection came.
        if segment:
            ear.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment + TIMESTAMPS_BYTES)
        if buffer:
            ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        ear.bind(("", PORT))
        ear.listen()
        connection, _ = ear.accept()
        with connection:
            try:
                while connection.recv(1 << 16):
                    pass
            except ConnectionResetError:
                pass  # the sender's time was up


def send(size: int, congestion: str, seconds: float, *, sack: bool) -> None:
    """Sends so many bytes, but for no longer than that; prints how much, and for how long."""
    began = time.monotonic()
    if not sack:
        Path("/proc/sys/net/ipv4/tcp_sack").write_text("0")
    with _connected(min(seconds, LONGEST_S)) as out:
        try:
            if congestion:
                out.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
        except OSError:
            sys.exit(
                f"the kernel has no congestion control called '{congestion}', or this user may not "
                "use it"
            )
        used = out.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0]
        (cookie,) = MARK.unpack(out.getsockopt(socket.SOL_SOCKET, COOKIE, MARK.size))
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
    print(json.dumps({**said, "cookie": cookie}))


def engine(size: int, protocol: str, seconds: float, *, compute: bool) -> None:
    """The same by this project's own TCP; prints what that says of itself."""
    began = time.monotonic()
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    words = ["host", "--tun", TUN, "--address", f"{ENGINE}/31", "--protocol", protocol]
    words += ["--connect", f"{FAR}:{PORT}", "--no-offload", "--json"]
    words += ["--set", f"user_timeout_s={SILENT_S}"]
    words += ["--compute"] if compute else []
    with tempfile.NamedTemporaryFile() as sent:
        sent.truncate(size)
        words = [sys.executable, "-P", "-m", "hopwright", *words, "--send", sent.name]
        while True:
            host = subprocess.Popen(  # noqa: S603 - this program itself
                words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            out, errors = _until(host, began + seconds)
            is_wrong = host.returncode == WRONG_INPUT
            if out or is_wrong or time.monotonic() > began + PATIENCE_S:
                break
            time.sleep(REFUSED_S)
    if not out:
        sys.exit(errors.strip())
    print(out)


def _until(host: "subprocess.Popen[str]", end: float) -> tuple[str, str]:
    """What it says until then: the signal to end has it reset its connection and say what it did.

    Not an interrupt, which it ignores as this program does where it runs in the background. Python
    loses a signal within a callback whose errors nobody hears: it is sent again.
    """
    while True:
        try:
            return host.communicate(timeout=max(end - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            host.terminate()
            end = time.monotonic() + AGAIN_S


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
                sys.exit("no program listens at the far end")
            time.sleep(0.05)
        except TimeoutError:
            pass  # the kernel gave up before us
    sys.exit(f"there was no connection within {seconds:g} s")


def main() -> None:
    """Does what the words say."""
    parser = argparse.ArgumentParser(prog="transfer", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("receive", "send", "engine", "pace"))
    parser.add_argument("--bytes", type=int, default=BUFFERS * BUFFER_BYTES)
    parser.add_argument("--congestion", default="")
    parser.add_argument("--no-sack", action="store_true")
    parser.add_argument("--protocol", default="newreno")
    parser.add_argument("--compute", action="store_true")
    parser.add_argument("--segment-bytes", type=int, default=0)
    parser.add_argument("--buffer-bytes", type=int, default=0)
    parser.add_argument("--every-ms", type=float, default=EVERY_MS)
    parser.add_argument("--seconds", type=float, default=LONGEST_S)
    options = parser.parse_args()
    match options.what:
        case "receive":
            receive(options.segment_bytes, options.buffer_bytes)
        case "send":
            send(options.bytes, options.congestion, options.seconds, sack=not options.no_sack)
        case "engine":
            engine(options.bytes, options.protocol, options.seconds, compute=options.compute)
        case _:
            pace(options.every_ms / 1e3, options.seconds)


if __name__ == "__main__":
    main()
