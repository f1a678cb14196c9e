"""`hopwright sedlane run`: unmodified programs at both ends of a shaped link."""

import argparse
import os
import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright._io.paths import check_file
from hopwright._run.execute import LARGEST_SEED
from hopwright.emulation import pacing
from hopwright.emulation.sedlane.shaper import BOUND_US, ENDS, NAMES

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser


EXIT_CODES = (
    "Exit codes: the exit code of the program after --; 2 the input is wrong, 130 interrupted."
)


def add_run(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Runs the program after -- at the near end of a shaped link, in a network namespace, and "
        "the program of --far at the far end. FILE describes the link: keys of [[links]] in a "
        "scenario, or a profile that 'hopwright sedlane profile' wrote. The direction of data is "
        "from near to far. The names of the ends are 'near' (10.0.0.1), and 'far' or 'server' "
        "(10.0.0.2). Needs user namespaces and a readable /dev/net/tun, or root."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="link file")
    parser.option("--far", metavar="PROGRAM", help="a program at the far end, such as 'iperf3 -s'")
    parser.option(
        "--mtu",
        type=whole(576, 65535),
        default=1500,
        metavar="N",
        help="longest packet, bytes [1500]",
    )
    parser.option(
        "--no-offload",
        action="store_true",
        help="take single packets from the kernel, with checksums",
    )
    parser.option(
        "--privileged",
        action="store_true",
        help="let both programs change the network of their end: devices, routes, sysctls",
    )
    parser.option(
        "--capture",
        type=Path,
        metavar="DIR",
        help="write the packets that the kernel sent and received at each end: near.pcap, far.pcap",
    )
    add_link_options(parser)
    parser.set_defaults(do=_do_run)
    return parser


def add_link_options(parser: "_Parser") -> None:
    """The words of all who carry packets over a shaped link."""
    parser.option(
        "--seed", type=whole(0, LARGEST_SEED), default=1, metavar="N", help="seed of losses [1]"
    )
    parser.option(
        "--bound-us",
        type=whole(1, 10**9),
        default=BOUND_US,
        metavar="N",
        help="limit in microseconds: the run is marked invalid unless 99 of 100 packets are less "
        f"late than this [{BOUND_US}]",
    )
    parser.option(
        "--control",
        metavar="NAME",
        help="accept commands that change the link; 'hopwright control NAME' sends them",
    )
    parser.option("--realtime", **pacing.OPTION)
    parser.option("--json", action="store_true", help="print the counts of the link as JSON")


def _do_run(options: argparse.Namespace) -> None:
    from hopwright.emulation import sandbox

    check_file(options.file, "name the file of a link")
    try:
        _core.check_link(options.file)
        far = shlex.split(options.far or "")
    except ValueError as error:
        if isinstance(error, _core.ScenarioError):
            raise
        raise InputError(f"--far {options.far}: {error}") from error
    if not options.program:
        raise InputError("no program: write it after --, such as -- ping far")
    for words in (options.program, far):
        if words:
            sandbox.check_command(words)
    _check_captures(options.capture)
    listener = None
    if options.control is not None:
        from hopwright.emulation.control import listen

        listener = listen(options.control)
    with pacing.asking() if options.realtime else nullcontext() as asking:
        code = sandbox.run(
            "hopwright.emulation.sedlane.shaper:inside",
            {
                "file": str(options.file),
                "seed": options.seed,
                "mtu": options.mtu,
                "offload": not options.no_offload,
                "bound_us": options.bound_us,
                "privileged": options.privileged,
                "near": list(options.program),
                "far": list(far),
                "json": options.json,
                "capture": None if options.capture is None else str(options.capture.resolve()),
                "control": None if listener is None else listener.fileno(),
                "realtime": None if asking is None else asking.json(),
            },
            names=NAMES,
            descriptors=[
                *([] if listener is None else [listener.fileno()]),
                *([] if asking is None else asking.descriptors),
            ],
        )
    if code:
        raise SystemExit(code)


def _check_captures(folder: Path | None) -> None:
    """Raises `InputError` if no captures can go there."""
    from hopwright.emulation.sedlane.capture import name_of

    if folder is None:
        return
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"--capture {folder}: must be a folder that can be written")
    for end in ENDS:
        if name_of(end, folder).exists():
            raise InputError(f"{name_of(end, folder)}: exists already; name another folder")
