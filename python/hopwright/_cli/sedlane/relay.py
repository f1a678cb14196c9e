"""`hopwright sedlane relay`: datagrams to one address go to another over a shaped link.

Spec      RFC 4787 section 4.3: a silent client is remembered for five minutes unless told otherwise
Deviates  nothing
Holds     nothing but sockets is needed: no privilege, no namespace, no device
"""

import argparse
import json
import socket
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._cli.sedlane.run import add_link_options
from hopwright._cli.whole import whole
from hopwright._io.data import Json, amount
from hopwright._io.errors import InputError
from hopwright._io.paths import check_file
from hopwright._io.plural import many
from hopwright._run.execute import POLL_S
from hopwright.emulation import pacing
from hopwright.emulation.pacing import Loop
from hopwright.emulation.sedlane import said

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

IDLE_S = 300
CLIENTS = 500
"""Each takes a descriptor, of which processes usually have 1024."""

LONGEST_S = 10**9
LARGEST_PORT = 65_535

EXIT_CODES = "Exit codes: 0 done (--for), 1 it failed, 2 the input is wrong, 130 interrupted."


def add_relay(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Takes UDP datagrams at one address and sends them to another over a shaped link; answers "
        "go back to the client over the same link. FILE describes the link: keys of [[links]] in a "
        "scenario, or a profile that 'hopwright sedlane profile' wrote. The clients that send to "
        "the relay are the near end. Needs no privileges. Ends on an interrupt, or after --for."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="link file")
    parser.option(
        "--listen",
        required=True,
        metavar="HOST:PORT",
        help="address of the relay, such as 127.0.0.1:5000 or [::1]:5000; port 0: any free port",
    )
    parser.option(
        "--to", required=True, metavar="HOST:PORT", help="address to which datagrams are sent"
    )
    parser.option(
        "--for",
        dest="for_s",
        type=whole(1, LONGEST_S),
        metavar="SECONDS",
        help="end after this time [on an interrupt]",
    )
    parser.option(
        "--idle",
        type=whole(1, LONGEST_S),
        default=IDLE_S,
        metavar="SECONDS",
        help=f"forget a client after this time without a datagram from or to it [{IDLE_S}]",
    )
    parser.option(
        "--clients",
        type=whole(1, 10**6),
        default=CLIENTS,
        metavar="N",
        help="largest number of clients at the same time; datagrams of more clients are not taken "
        f"[{CLIENTS}]",
    )
    add_link_options(parser)
    parser.set_defaults(do=_do_relay)
    return parser


def _do_relay(options: argparse.Namespace) -> None:
    listen = _resolved("--listen", options.listen, least_port=0)
    to = _resolved("--to", options.to, least_port=1)
    check_file(options.file, "name the file of a link")
    try:
        relay = _core.UdpRelay(options.file, listen, to)
    except _core.ScenarioError:
        raise
    except ValueError as error:
        which, _, why = str(error).partition(": ")
        raise InputError(f"--{which} {getattr(options, which, '')}: {why}") from error
    watch = _core.ShaperWatch()
    if options.control is not None:
        from hopwright.emulation.control import listen as open_control
        from hopwright.emulation.control import serve

        serve(open_control(options.control).detach(), watch)
    print(
        f"hopwright: datagrams to {relay.address()} go to {to} over {options.file}",
        file=sys.stderr,
        flush=True,
    )
    left: BaseException | None = None
    with pacing.asking() if options.realtime else nullcontext() as asking:
        loop = Loop(
            lambda realtime: relay.run(
                watch,
                seed=options.seed,
                clients=options.clients,
                idle_s=float(options.idle),
                realtime=realtime,
            ),
            asking,
            lambda line: print(f"hopwright: {line}", file=sys.stderr, flush=True),
        )
        try:
            _wait(loop.start(), options.for_s)
        except BaseException as error:
            if not loop.has_begun:
                raise
            left = error  # how it usually ends
        watch.stop()
        summary: Json = json.loads(loop.result())
    _say(summary, options, loop)
    if left is not None:
        from hopwright._io.outcome import outcome

        raise SystemExit(outcome(left)[0])  # there is a result: what was said says so


def _wait(loop: Loop[str], seconds: float | None) -> None:
    """Until it is over, or so long; in short steps, so that a signal is heard."""
    end_s = None if seconds is None else time.monotonic() + seconds
    while end_s is None or time.monotonic() < end_s:
        left_s = POLL_S if end_s is None else min(POLL_S, max(0.0, end_s - time.monotonic()))
        if loop.wait(left_s):
            return


def _say(summary: Json, options: argparse.Namespace, loop: Loop[str]) -> None:
    forgotten, refused = amount(summary, "forgotten_clients"), amount(summary, "refused_packets")
    clients = (
        f"clients: {amount(summary, 'clients'):.0f}"
        + (f", {forgotten:.0f} of them forgotten" if forgotten else "")
        + (f"; {many(refused, 'datagram')} of more clients refused" if refused else "")
    )
    said.of_link(
        summary,
        bound_us=options.bound_us,
        as_json=options.json,
        loop=loop,
        more=[clients],
        unit="datagram",
    )


def _resolved(option: str, text: str, *, least_port: int) -> str:
    """An address as numbers, of a host's name or number and a port."""
    host, colon, port = text.rpartition(":")
    is_literal = host.startswith("[") and host.endswith("]")
    name = host[1:-1] if is_literal else host
    if not (colon and name and port.isascii() and port.isdigit()) or (":" in host) != is_literal:
        raise InputError(
            f"{option} {text}: write it as HOST:PORT, such as 127.0.0.1:5000 or [::1]:5000"
        )
    if not least_port <= int(port) <= LARGEST_PORT:
        raise InputError(f"{option} {text}: {port} is not a port: {least_port} to {LARGEST_PORT}")
    try:
        found = socket.getaddrinfo(name, int(port), type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is not the name of a host"
        raise InputError(f"{option} {text}: {why}") from error
    *_, address = found[0]
    if not isinstance(address[0], str):  # as a Python without IPv6 has it
        raise InputError(f"{option} {text}: this Python has no IPv6")
    host = address[0].partition("%")[0]
    if len(address) == 4:
        scope = f"%{address[3]}" if address[3] else ""
        return f"[{host}{scope}]:{address[1]}"
    return f"{host}:{port}"
