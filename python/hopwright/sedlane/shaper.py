"""`hopwright sedlane run`: unmodified programs at both ends of a shaped link."""

import argparse
import json
import os
import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core, pacing
from hopwright.data import Json, Object, amount, at, items
from hopwright.errors import InputError
from hopwright.pacing import Loop
from hopwright.runs import LARGEST_SEED
from hopwright.sedlane import said
from hopwright.whole import whole

if TYPE_CHECKING:
    from hopwright.arguments import _Parser
    from hopwright.sandbox import Command, Job

NAMES = {"near": "10.0.0.1", "far": "10.0.0.2", "server": "10.0.0.2"}
"""What programs call both ends."""

BOUND_US = 1_000
"""Of 100 packets 99 must be less late than this, or the run is marked invalid."""

ENDS = ("near", "far")

LOOK_S = 0.05

EXIT_CODES = "Exit codes: the program's; 2 the input is wrong, 130 interrupted."


def add_run(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Runs the program behind -- at the near end of a shaped link, in a network namespace, and "
        "that of --far at its far end. The link is what FILE says: keys of a scenario's [[links]], "
        "or a profile as 'hopwright sedlane profile' writes it. The data's direction is from near "
        "to far. Programs call the ends 'near' (10.0.0.1) and 'far' or 'server' (10.0.0.2). Needs "
        "user namespaces and a readable /dev/net/tun, or root."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="link file")
    parser.option("--far", metavar="PROGRAM", help="a program at the far end, as in 'iperf3 -s'")
    parser.option(
        "--mtu", type=whole(576, 65535), default=1500, metavar="N", help="longest packet [1500]"
    )
    parser.option(
        "--no-offload",
        action="store_true",
        help="take packets from the kernel one by one, with checksums",
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
        help="write what the kernel sent and received at both ends: near.pcap, far.pcap",
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
        help=f"99 of 100 packets must be less late, or the run is marked invalid [{BOUND_US}]",
    )
    parser.option(
        "--control",
        metavar="NAME",
        help="listen to commands that change the link: 'hopwright control NAME' sends them",
    )
    parser.option("--realtime", **pacing.OPTION)
    parser.option("--json", action="store_true", help="print what the link did as JSON")


def _do_run(options: argparse.Namespace) -> None:
    from hopwright import sandbox

    try:
        _core.check_link(options.file)
        far = shlex.split(options.far or "")
    except ValueError as error:
        if isinstance(error, _core.ScenarioError):
            raise
        raise InputError(f"--far {options.far}: {error}") from error
    if not options.program:
        raise InputError("no program: write it behind --, as in -- ping far")
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
            "hopwright.sedlane.shaper:inside",
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
    from hopwright.sedlane.capture import name_of

    if folder is None:
        return
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"--capture {folder}: must be a folder that may be written to")
    for end in ENDS:
        if name_of(end, folder).exists():
            raise InputError(f"{name_of(end, folder)}: exists already; name another folder")


def inside(job: "Job", data: Json) -> int:
    """Does it, as the job of a sandbox; returns the program's exit code."""
    from hopwright.sedlane.capture import both

    shaper = _core.Shaper(
        str(at(data, "file")),
        int(amount(data, "seed")),
        proc=job.proc,
        offload=at(data, "offload") is True,
        mtu=int(amount(data, "mtu")),
    )
    watch = _core.ShaperWatch()
    asking = pacing.Asking.of_json(at(data, "realtime"), job.proc)
    loop = Loop(lambda realtime: shaper.run(watch, realtime=realtime), asking, job.warn).start()
    if at(data, "control") is not None:
        from hopwright.emulation.control import serve

        serve(int(amount(data, "control")), watch)
    (near, _), (far, _) = shaper.namespaces()
    folder = at(data, "capture")
    captures = [] if folder is None else both(near, far, Path(str(folder)))
    others: list[Command] = []
    privileged = at(data, "privileged") is True
    if words := [str(word) for word in items(data, "far")]:
        others.append(job.start(words, far, privileged=privileged))
    main = job.start([str(word) for word in items(data, "near")], near, privileged=privileged)
    while main.exit_code is None and not loop.is_over and not job.stopping.is_set():
        main.wait(LOOK_S)
    code = main.end()
    for each in others:
        each.send(15)
        each.end()
    watch.stop()
    summary: Object = json.loads(loop.result())
    missed = 0
    for capture in captures:
        capture.end()
        missed += capture.missed
    if captures:
        summary["capture_missed_packets"] = missed
    said.of_link(
        summary,
        bound_us=amount(data, "bound_us"),
        as_json=at(data, "json") is True,
        loop=loop,
        more=[f"captures lack {missed} packets: the kernel had no room for them"] if missed else (),
    )
    return code
