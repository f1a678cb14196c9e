"""`hopwright sedlane profile`: a recorded connection as a few pipes."""

import argparse
import json
import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.sedlane.out import check_free, place, write
from hopwright._cli.whole import whole
from hopwright._io.data import Json, Object, items, number
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright._io.streams import print_toml
from hopwright.emulation.sedlane import sources
from hopwright.emulation.sedlane.ways import DELAYS, with_ways

if TYPE_CHECKING:
    from hopwright import _core
    from hopwright._cli.arguments import _Parser

EXIT_CODES = "Exit codes: 0 done, 2 the input is wrong."
PIPES = 16
FIGURES = (".svg", ".png", ".pdf")
SHORTEST_LIFETIME_S = 1e-4
"""Of a pipe that another follows: links refuse others, see check/link_profiles.rs in Rust."""

MEASURES = {
    "rtt_rms_ms": "RTT over time, root mean square, ms",
    "rtt_mean_absolute_ms": "RTT over time, mean absolute, ms",
    "loss_mean_absolute_percent": "loss over time, mean absolute, points",
    "rtt_wasserstein_ms": "RTT over bytes, Wasserstein-1, ms",
    "loss_percent": "loss of all bytes, points",
}


def add_profile(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Makes a profile from a recorded connection: a few pipes that have its round-trip times "
        "and losses. SOURCE is the folder of a run, a trace of ns-2 (variables of TCP, or "
        "packets), a capture from the sender (pcap, pcapng), or a CSV file with the columns "
        "time_s, rtt_ms and, if known, bytes, retransmitted_bytes, lost_bytes and rate_kbps. "
        "Prints how far the pipes are from the trace, for the reduction of the document and for "
        "the reduction with the least error."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument(
        "source", type=Path, metavar="SOURCE", help="the recording of the connection"
    )
    parser.option(
        "--from", dest="kind", choices=sources.KINDS, help="format of SOURCE [from its content]"
    )
    parser.option(
        "--flow",
        metavar="N",
        help="number of the connection, or its two ends as FROM:PORT-TO:PORT",
    )
    parser.option(
        "--pipes",
        type=whole(1, 1000),
        default=PIPES,
        metavar="N",
        help=f"largest number of pipes [{PIPES}]",
    )
    parser.option(
        "--mode",
        choices=("sequential", "simultaneous"),
        default="sequential",
        help="sequential: pipes follow one another, each for its lifetime; simultaneous: all pipes "
        "exist all the time, and each packet takes one at random [sequential]",
    )
    parser.option(
        "--reduce",
        choices=("pairwise", "least-error"),
        default="least-error",
        help="pairwise: the reduction of the document, by means of neighbouring pipes; "
        "least-error: the pipes that are nearest to the trace [least-error]",
    )
    parser.option(
        "--averaging",
        choices=("overlapping", "disjoint"),
        default="overlapping",
        help="pairs of --reduce pairwise: overlapping, (1,2), (2,3), ...; or disjoint, (1,2), "
        "(3,4), ... [overlapping]",
    )
    parser.option(
        "--lost",
        choices=("retransmitted", "dropped"),
        default=None,
        help="data that counts as lost [retransmitted; dropped if SOURCE has only dropped data]",
    )
    parser.option(
        "--lifetime",
        type=_seconds,
        metavar="S",
        help="lifetime of every pipe, seconds, instead of that in the trace",
    )
    parser.option(
        "--rate",
        action="store_true",
        help="give each pipe a rate: the data sent in its lifetime, divided by this lifetime",
    )
    parser.option(
        "--delays",
        choices=DELAYS,
        default="both",
        help="where a link delays: both, half of the round-trip time in each direction; forward or "
        "reverse, the whole time in the direction of data or in the opposite direction [both]",
    )
    parser.option(
        "--reorder",
        action="store_true",
        help="let packets of different pipes overtake each other, as in the document [packets keep "
        "their order]",
    )
    parser.option(
        "--drops",
        type=Path,
        metavar="FILE",
        help="ns-2's trace of packets, if SOURCE is the trace of variables",
    )
    parser.option(
        "--tick", type=_seconds, metavar="S", help="ns-2's tcpTick_, if rtt_ counts ticks, seconds"
    )
    parser.option(
        "--segment-bytes",
        type=whole(1, 65_535),
        metavar="N",
        help="bytes of data in a segment, if ns-2's variables count segments [1000]",
    )
    parser.option(
        "-o", dest="out", type=place, metavar="FILE", help="file to write [standard output]"
    )
    parser.option(
        "--figure",
        type=Path,
        metavar="FILE",
        help="draw the trace and the pipes into a file: .svg, .png or .pdf",
    )
    parser.option("--overwrite", action="store_true", help="replace existing files")
    parser.option("--json", action="store_true", help="print only JSON, with everything")
    parser.set_defaults(do=_do_profile)
    return parser


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and below 1e9")
    return value


def _do_profile(options: argparse.Namespace) -> None:
    if options.figure is not None and options.figure.suffix not in FIGURES:
        raise InputError(f"--figure {options.figure}: must end in {', '.join(FIGURES)}")
    if options.drops is not None and options.lost == "retransmitted":
        raise InputError("--drops needs --lost dropped, not --lost retransmitted")
    check_free(
        [options.out, options.figure],
        overwrite=options.overwrite,
        sources=[options.source, options.drops],
    )
    wants_drops = options.drops is not None or options.lost == "dropped"
    trace = sources.read(
        sources.Request(
            place=options.source,
            kind=options.kind,
            flow=options.flow,
            drops=options.drops,
            tick_s=options.tick,
            segment_bytes=options.segment_bytes,
            wants_drops=wants_drops,
        )
    )
    knows_again, knows_drops = trace.knows_losses
    lost = options.lost or (
        "dropped" if wants_drops or (knows_drops and not knows_again) else "retransmitted"
    )
    if options.lost and not (knows_drops if lost == "dropped" else knows_again):
        raise InputError(
            f"{options.source}: does not say what was {lost}: omit --lost, or give its other value"
        )
    about = _about(options, trace.kind, trace.connection)
    try:
        text, toml = trace.reduce(
            mode=options.mode,
            pipes=options.pipes,
            reduction=options.reduce,
            averaging=options.averaging,
            lost=lost,
            lifetime_s=options.lifetime,
            rate=options.rate,
            about=about,
        )
    except ValueError as error:
        raise InputError(f"{options.source}: {error}") from None
    answer: Object = json.loads(text)
    if options.mode == "sequential":
        _check_lifetimes(options, answer)
    toml = with_ways(toml, delays=options.delays, reorder=options.reorder)
    if options.out is not None:
        write(options.out, toml.encode(), overwrite=options.overwrite)
    try:
        if options.figure is not None and not _drew(options, trace, answer):
            options.figure = None
    except KeyboardInterrupt as stopped:
        if options.out is not None:
            stopped.add_note(f"the profile is in {options.out}")
        raise
    _tell(options, answer, toml, lost, trace.knows_bytes, knows_drops or knows_again)


def _check_lifetimes(options: argparse.Namespace, answer: Object) -> None:
    """Raises `InputError` for a pipe that ends too soon for a link to follow it."""
    least = f"a link uses a pipe for at least {SHORTEST_LIFETIME_S:g} s"
    for index, pipe in enumerate(items(answer, options.reduce.replace("-", "_"), "pipes")[:-1], 1):
        lifetime_s = number(pipe, "lifetime_s") or 0.0
        if lifetime_s >= SHORTEST_LIFETIME_S:
            continue
        if options.lifetime is not None:
            raise InputError(f"--lifetime {lifetime_s:g}: {least}")
        raise InputError(
            f"{options.source}: pipe {index} would last for {lifetime_s:g} s, but {least}; make "
            "fewer pipes (--pipes N) or longer ones (--lifetime S)"
        )


def _drew(options: argparse.Namespace, trace: "_core.ConnectionTrace", answer: Object) -> bool:
    """Whether the figure could be drawn and written."""
    from hopwright._io.extras import extra
    from hopwright._io.warn import warn
    from hopwright.emulation.sedlane.figure import profile_figure

    missing: list[str] = []
    with extra("the figure", missing.append):
        drawn = profile_figure(trace, answer, options.mode)
        content = getattr(drawn, options.figure.suffix.removeprefix("."))()
        write(options.figure, content, overwrite=options.overwrite)
    for line in missing:
        warn(line)
    return not missing


def _about(options: argparse.Namespace, kind: str, connection: str) -> list[str]:
    """What the file says it was made of: the command, without folders of this machine."""
    words = ["hopwright", "sedlane", "profile", options.source.name or str(options.source)]
    for name, usual in (
        ("kind", None),
        ("flow", None),
        ("pipes", None),
        ("mode", None),
        ("reduce", None),
        ("averaging", "overlapping"),
        ("lost", None),
        ("lifetime", None),
        ("tick", None),
        ("segment_bytes", None),
        ("delays", "both"),
    ):
        value = getattr(options, name)
        if value is not None and value != usual:
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            words += ["--from" if name == "kind" else f"--{name.replace('_', '-')}", shown]
    if options.drops is not None:
        words += ["--drops", options.drops.name]
    words += [f"--{name}" for name in ("rate", "reorder") if getattr(options, name)]
    made = f"of {connection}" if connection else "of the connection"
    source = options.source.name or options.source
    return [f"The path {made} in {source} ({kind}), as a link follows it:", shlex.join(words)]


def _tell(
    options: argparse.Namespace,
    answer: Object,
    toml: str,
    lost: str,
    knows_bytes: bool,
    knows_losses: bool,
) -> None:
    if options.json:
        asked: Object = {"mode": options.mode, "reduce": options.reduce, "lost": lost}
        sys.stdout.write(json.dumps(asked | answer, indent=2) + "\n")
        return
    if options.out is None:
        print_toml(toml)
    stream = sys.stderr if options.out is None else sys.stdout
    print("\n".join(_lines(answer, lost)), file=stream)
    if not knows_bytes:
        print("bytes are not known: they are taken as sent evenly, and none as lost", file=stream)
    elif not knows_losses:
        print("losses are not known: no pipe loses anything", file=stream)
    for path in (options.out, options.figure):
        if path is not None:
            print(path, file=stream)


def _lines(answer: Json, lost: str) -> list[str]:
    count, changes, seconds = (
        number(answer, key) or 0 for key in ("samples", "transitions", "seconds")
    )
    lines = [f"{many(count, 'round-trip time')}, {changes:.0f} different, in {seconds:.3f} s"]
    sent, gone = number(answer, "bytes"), number(answer, "lost_bytes")
    if sent is not None and gone is not None:
        share = 100 * gone / sent if sent else math.nan
        lines.append(f"{many(sent, 'byte')} sent, {gone:.0f} {lost} ({share:.3f} %)")
    lines.append(f"{'distance from the trace':40}{'pairwise':>12}{'least error':>13}")
    pipes = [len(items(answer, way, "pipes")) for way in ("pairwise", "least_error")]
    lines.append(f"{'pipes':40}{pipes[0]:12}{pipes[1]:13}")
    for key, name in MEASURES.items():
        values = [number(answer, way, "error", key) for way in ("pairwise", "least_error")]
        if values[0] is not None and values[1] is not None:
            lines.append(
                f"{name:40}{round(values[0], 4) + 0.0:12.4f}{round(values[1], 4) + 0.0:13.4f}"
            )
    return lines
