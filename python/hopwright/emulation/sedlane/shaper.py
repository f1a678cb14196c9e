"""A shaped link between two devices, as the job of a sandbox: namespaces, programs, captures."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, Object, amount, at, items
from hopwright._io.plural import many
from hopwright.emulation import pacing
from hopwright.emulation.pacing import Loop
from hopwright.emulation.sedlane import said

if TYPE_CHECKING:
    from hopwright.emulation.sandbox import Command, Job

NAMES = {"near": "10.0.0.1", "far": "10.0.0.2", "server": "10.0.0.2"}
"""What programs call both ends."""

BOUND_US = 1_000
"""Of 100 packets 99 must be less late than this, or the run is marked invalid."""

ENDS = ("near", "far")

LOOK_S = 0.05


def inside(job: "Job", data: Json) -> int:
    """Does it, as the job of a sandbox; returns the program's exit code."""
    from hopwright.emulation.sedlane.capture import both

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
        more=[f"captures lack {many(missed, 'packet')}, for which the kernel had no room"]
        if missed
        else (),
    )
    return code
