"""An emulation, as the job of a sandbox: namespaces, programs, the clock's pace, results."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, Object, amount, at, items
from hopwright._io.errors import InputError
from hopwright.emulation import said
from hopwright.emulation.folder import INPUTS
from hopwright.emulation.pacing import Asking, Loop

if TYPE_CHECKING:
    from hopwright.emulation.sandbox import Command, Job

LOOK_S = 0.05
"""Wall time between two looks at who has ended."""


def run(job: "Job", data: Json) -> int:
    """Does it; returns the program's exit code, or 0."""
    from hopwright._io.source import load

    overrides = [(str(at(pair, 0)), str(at(pair, 1))) for pair in items(data, "overrides")]
    scenario = load(Path(str(at(data, "file"))), overrides)
    out = at(data, "out")
    with _folder(out, overwrite=bool(at(data, "overwrite"))) as place:
        emulation = _begin(scenario, data, place, job.proc)
        code, loop = _emulate(job, emulation, data)
        result, text = emulation.finish()
        about: Json = json.loads(text)
        if isinstance(pace := at(about, "pace"), dict):
            pace["scheduling"] = loop.scheduling.summary()
        summary = _leave(scenario, result, about, place, job)
    lines = [*said.of_warm_up(scenario, about), *loop.said()]
    said.of_emulation(about, None if out is None else str(out), lines)
    if at(data, "json"):
        from hopwright._io.streams import print_json
        from hopwright.results.summary import to_json

        print_json(to_json(summary))
    if isinstance(error := at(about, "unrecorded"), str):
        job.warn(f"there is no recording: {error}")
    return code


@contextmanager
def _folder(out: Json, *, overwrite: bool) -> Iterator[Path | None]:
    if out is None:
        yield None
        return
    from hopwright._io.out import new_folder

    with new_folder(Path(str(out)), overwrite=overwrite) as place:
        yield place


def _begin(scenario: _core.Scenario, data: Json, place: Path | None, proc: str) -> _core.Emulation:
    from hopwright._run.recorded import panels_of

    attached = [
        (
            int(amount(each, "node")),
            "hop0",
            MTU,
            str(at(each, "layer")),
            int(amount(each, "prefix_length")),
        )
        for each in items(data, "attached")
    ]
    panels = panels_of(scenario) if place else ()
    try:
        return _core.Emulation(
            scenario, scenario.seed, attached, proc=proc, folder=place, figures=bool(panels)
        )
    except ValueError as error:
        raise InputError(str(error)) from error


MTU = 1500
"""As on Ethernet: an 802.11 frame takes 2304 bytes, of which DSR's headers need some."""


def _emulate(job: "Job", emulation: _core.Emulation, data: Json) -> tuple[int, Loop[None]]:
    """Starts the programs, and runs the network until something ends it."""
    watch = _core.EmulationWatch()
    rooms = emulation.namespaces()
    places = {node: descriptor for node, descriptor, _ in rooms}
    if at(data, "main") is None:
        said.of_namespaces([(node, thread) for node, _, thread in rooms])
    commands: dict[int, Command] = {}
    job.on_stop(watch.stop)
    asking = Asking.of_json(at(data, "realtime"), job.proc)
    loop = Loop(lambda realtime: emulation.run(watch, realtime=realtime), asking, job.warn).start()
    if at(data, "control") is not None:
        from hopwright.emulation.control import serve

        serve(int(amount(data, "control")), watch)
    for each in items(data, "attached"):
        node = int(amount(each, "node"))
        if words := [str(word) for word in items(each, "program")]:
            privileged = at(each, "privileged") is True
            commands[node] = job.start(words, places[node], privileged=privileged)
    main = commands.get(int(amount(data, "main"))) if at(data, "main") is not None else None
    teller = said.Teller(watch, is_shown=bool(at(data, "status")))
    while not loop.is_over and (main is None or main.exit_code is None):
        loop.wait(LOOK_S)
        teller.look()
    code = _end(job, commands, main)
    watch.stop()
    try:
        loop.result()
        teller.look()  # at what has come since the last look
    finally:
        teller.end()
    return code, loop


def _end(job: "Job", commands: "dict[int, Command]", main: "Command | None") -> int:
    """Ends the programs; the exit code of the main one."""
    if main is not None and main.exit_code is None and not job.stopping.is_set():
        job.warn("the emulation ended before the program: the program is stopped")
    ending = [threading.Thread(target=each.end) for each in commands.values() if each is not main]
    for each in commands.values():
        if each is not main:
            each.send(15)
    for thread in ending:
        thread.start()
    code = 0 if main is None else main.end()
    for thread in ending:
        thread.join()
    if main is None and job.signal is not None:
        return 128 + job.signal
    return code


def _leave(
    scenario: _core.Scenario,
    result: _core.RunResult,
    about: Json,
    place: Path | None,
    job: "Job",
) -> Object:
    from hopwright._run.execute import result_of
    from hopwright._run.recorded import leave, panels_of
    from hopwright.results.summary import summarise

    extra: Object = {"emulation": about}
    if place is None:
        return summarise(scenario, [result_of(result)]) | extra
    for line in result.unwritten:
        job.warn(f"not written: {line}")
    panels = panels_of(scenario)
    return leave(place, scenario, [result], panels, warn=job.warn, about=extra, kept=(INPUTS,))
