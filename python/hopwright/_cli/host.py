"""`hopwright host`: this project's TCP on a TUN device, against the TCP of any kernel."""

import argparse
import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hopwright import _core
from hopwright._cli.whole import whole
from hopwright._io.data import Json, at
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright._run.execute import PATIENCE_S, POLL_S

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

T = TypeVar("T")

LARGEST_PORT = 65535
LEAST_MTU, LARGEST_MTU = 296, 65535
INTERRUPTED = 130

EXIT_CODES = "Exit codes: 0 done, 1 it failed, 2 the input is wrong, 130 interrupted."


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """The options of `hopwright host`, named as the extension module wants them."""

    tun: str
    address: str
    kernel_address: str | None
    mtu: int
    offload: bool
    protocol: str
    overrides: Sequence[tuple[str, str]]
    triggers: str | None
    limits: Sequence[tuple[str, str]]
    user: str | None
    compute: bool
    serve: str | None
    port: int
    once: bool
    connect: str | None
    send: str | None
    receive: str | None


def add_host(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Runs this project's TCP on a TUN device. With --serve, every client that connects gets "
        "the bytes of the file. With --connect, sends one file and receives another; the received "
        "file appears under its name when it is complete. A connection is given up if the peer is "
        "silent for two minutes (change this with --set user_timeout_s=N), or if a client takes "
        "almost no data for a minute (--limit stall_timeout_s=N). The kernel reaches the address "
        "through the device, so any program can be the peer. Needs root or CAP_NET_ADMIN until the "
        "device exists; then gives up all privileges. docs/host.md explains the details."
    )
    parser.epilog = EXIT_CODES
    parser.option(
        "--tun",
        required=True,
        metavar="NAME",
        help="TUN device, such as hw0; created if it does not exist",
    )
    parser.option(
        "--address",
        required=True,
        metavar="A/B",
        help="address of this TCP, with its subnet, such as 10.9.0.2/24",
    )
    parser.option(
        "--kernel-address",
        metavar="A",
        help="address of the kernel on the device [the first other address of the subnet]",
    )
    parser.option("--protocol", default="newreno", metavar="P", help="transport protocol [newreno]")
    parser.option("--serve", type=Path, metavar="FILE", help="the file to serve")
    parser.option("--port", type=whole(1, LARGEST_PORT), metavar="N", help="port of --serve")
    parser.option("--once", action="store_true", help="serve one connection, then end")
    parser.option("--connect", metavar="HOST:PORT", help="the peer to connect to")
    parser.option("--send", type=Path, metavar="FILE", help="file to send to the peer")
    parser.option("--receive", type=Path, metavar="FILE", help="file for the received bytes")
    parser.option("--overwrite", action="store_true", help="replace the file of --receive")
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a slot or parameter of the transport, such as acking=every or min_rto_ms=300; "
        "may be given several times",
    )
    parser.option(
        "--triggers",
        type=Path,
        metavar="FILE",
        help="change mechanisms during the connection, by the [[triggers]] of this TOML file, "
        "which have the format of [[flows.transport.triggers]] of a scenario",
    )
    parser.option(
        "--limit",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a limit for clients, such as connections_per_address=100 or stall_timeout_s=30; "
        "may be given several times",
    )
    parser.option(
        "--user",
        metavar="NAME",
        help="become this user when the device exists [keep the user; give up only privileges]",
    )
    parser.option(
        "--mtu",
        type=whole(LEAST_MTU, LARGEST_MTU),
        default=1500,
        metavar="N",
        help="longest packet, bytes [1500]",
    )
    parser.option(
        "--no-offload",
        action="store_true",
        help="exchange single packets with the kernel, with checksums",
    )
    parser.option(
        "--compute",
        action="store_true",
        help="measure the computation of this TCP in slow start, recovery and so on",
    )
    parser.option(
        "--json", action="store_true", help="print the summary as JSON on standard output"
    )
    parser.set_defaults(do=_do_host)
    return parser


def host(options: HostOptions, *, as_json: bool = False) -> None:
    """Serves or connects until that is done; an interrupt resets open connections first.

    Gives up all privileges of the calling thread, for ever.
    """
    made = _wait_for(lambda: _core.Host(asdict(options)))
    made.give_up_privileges()  # threads have those of who starts them: the next one has none
    watch = _core.HostWatch()
    summaries: list[Json] = []

    def greet() -> None:
        if watch.is_ready() and not told.is_set():
            told.set()
            print(_greeting(options), file=sys.stderr, flush=True)

    told = threading.Event()
    try:
        _wait_for(lambda: summaries.append(json.loads(made.run(watch))), greet, watch.stop)
    except BaseException as reason:
        for summary in summaries:
            _show(summary, as_json=as_json)
            _fail(summary)
        if isinstance(reason, KeyboardInterrupt) and options.serve and not options.once:
            raise SystemExit(INTERRUPTED) from None  # how a server ends: nothing is amiss
        raise
    _show(summaries[0], as_json=as_json)
    _fail(summaries[0])


def _wait_for(
    work: Callable[[], T],
    meanwhile: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
) -> T:
    """Does the work in a thread, so that a signal is heard meanwhile; then it is stopped."""
    results: list[T] = []
    failed: list[BaseException] = []
    # Not `join`: interrupted, it takes a running thread for finished (Python 3.11).
    done = threading.Event()

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again below
            failed.append(error)
        done.set()

    threading.Thread(target=do, name="hopwright-host", daemon=True).start()
    try:
        while not done.wait(POLL_S):
            meanwhile()
    except BaseException:
        stop()
        done.wait(PATIENCE_S)
        raise
    if failed:
        if isinstance(failed[0], ValueError):
            said = str(failed[0]).rstrip()
            # The error about a file of triggers looks as those about scenarios do.
            kind = _core.ScenarioError if said.startswith("error: ") else InputError
            raise kind(said) from failed[0]
        raise failed[0]
    return results[0]


def _fail(summary: Json) -> None:
    """Raises what went wrong, though the rest was done."""
    error = at(summary, "error")
    if isinstance(error, str):
        raise _core.RunError(error)


def _greeting(options: HostOptions) -> str:
    address = options.address.partition("/")[0]
    if options.connect:
        return f"connecting from {address} to {options.connect} on {options.tun}"
    return f"serving {options.serve} at {address}:{options.port} on {options.tun}"


def _show(summary: Json, *, as_json: bool) -> None:
    def number(key: str) -> float:
        value = at(summary, key)
        return float(value) if isinstance(value, int | float) else 0.0

    print(
        f"{many(number('connections'), 'connection')}, "
        f"{number('failed_connections'):.0f} failed{_reasons(number)}; "
        f"{number('sent_bytes') / 1e6:.3f} MB sent, "
        f"{number('received_bytes') / 1e6:.3f} MB received "
        f"in {number('seconds'):.3f} s: {number('megabytes_per_s'):.1f} MB/s; "
        f"{many(number('retransmissions'), 'retransmission')}, "
        f"{many(number('timeouts'), 'time-out')}"
        f"{_changed(summary)}{_dropped(number)}",
        file=sys.stderr,
    )
    if as_json:
        sys.stdout.write(json.dumps(summary, indent=2) + "\n")
        sys.stdout.flush()


REASONS = {
    "stalled_connections": "took almost no data",
    "displaced_connections": "took almost no data and made room for others",
    "silent_connections": "did not answer",
    "changed_connections": "got a file that changed during the transfer",
}
"""Why connections failed, by the key that counts them; the others were reset."""


def _reasons(number: Callable[[str], float]) -> str:
    """` (3 took next to nothing)`, if there is something to say."""
    said = [f"{number(key):.0f} {words}" for key, words in REASONS.items() if number(key)]
    return f" ({', '.join(said)})" if said else ""


def _changed(summary: Json) -> str:
    """What is to be said of triggers, if there are any."""
    changes = at(summary, "changes")
    return f", mechanisms changed {many(changes, 'time')}" if isinstance(changes, int) else ""


def _dropped(number: Callable[[str], float]) -> str:
    """What is to be said of requests that were dropped."""
    if not number("requests_dropped"):
        return ""
    over = number("requests_over_address")
    where = f" ({over:.0f} from addresses with too many connections)" if over else ""
    return f"; {many(number('requests_dropped'), 'request')} dropped{where}"


def _do_host(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import parse_overrides

    if (options.serve is None) == (options.connect is None):
        raise InputError("give either --serve FILE --port N, or --connect HOST:PORT")
    if options.serve is not None:
        if options.port is None:
            raise InputError("--serve needs --port")
        if options.send is not None or options.receive is not None:
            raise InputError("--send and --receive need --connect")
    elif options.port is not None or options.once:
        raise InputError("--port and --once need --serve")
    elif options.send is None and options.receive is None:
        raise InputError("--connect needs --send FILE, --receive FILE or both")
    _check_receive(options)
    host(
        HostOptions(
            tun=options.tun,
            address=options.address,
            kernel_address=options.kernel_address,
            mtu=options.mtu,
            offload=not options.no_offload,
            protocol=options.protocol,
            overrides=parse_overrides(options.set, example="acking=delayed"),
            triggers=_text(options.triggers),
            limits=_limits(options.limit),
            user=options.user,
            compute=options.compute,
            serve=_text(options.serve),
            port=options.port or 0,
            once=options.once,
            connect=options.connect,
            send=_text(options.send),
            receive=_text(options.receive),
        ),
        as_json=options.json,
    )


def _limits(words: Sequence[str]) -> list[tuple[str, str]]:
    split = [word.partition("=") for word in words]
    for word, (key, equals, value) in zip(words, split, strict=True):
        if not (key and equals and value):
            raise InputError(f"--limit {word}: write it as KEY=VALUE, such as stall_timeout_s=30")
    return [(key, value) for key, _, value in split]


def _check_receive(options: argparse.Namespace) -> None:
    """Nothing is lost that is there already; what is no regular file is written into."""
    if options.receive is None:
        if options.overwrite:
            raise InputError("--overwrite needs --receive")
        return
    try:
        is_there = options.receive.is_file()
        is_sent = is_there and options.send is not None and options.receive.samefile(options.send)
    except OSError:
        return  # whoever opens it will say why not
    if is_sent:
        raise InputError(f"{options.receive}: cannot be sent and received at the same time")
    if is_there and not options.overwrite:
        raise InputError(f"{options.receive}: exists already; add --overwrite or name another file")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
