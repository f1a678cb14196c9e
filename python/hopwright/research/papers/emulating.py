"""Makes what `[[emulations]]` ask for: runs, profiles, connections over links that follow these.

Everything is kept, so that nothing is made twice: a run and the profiles in a folder for each seed,
`ID.json` beside them when an emulation is done.
"""

import json
import subprocess
import sys
import threading
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import Json, Object, amount, at, items, number
from hopwright._io.errors import InputError, UnfinishedError
from hopwright._io.out import write_whole
from hopwright.emulation.sandbox.needs import LackingError
from hopwright.emulation.sedlane import sources
from hopwright.emulation.sedlane.fidelity import Connection
from hopwright.emulation.sedlane.shaper import BOUND_US
from hopwright.emulation.sedlane.transfer import EVERY_MS
from hopwright.emulation.sedlane.ways import with_ways
from hopwright.research.papers.emulations import Emulation
from hopwright.research.papers.kernels import Kernel, prepared
from hopwright.results.summary import to_json

if TYPE_CHECKING:
    from hopwright._io.source import Source

AT_ONCE = 60
"""Emulations in real time at the same time: they sleep nearly always."""

APART_S = 1.0
"""Between two that begin: their programs have to start."""

TRIES = 3
"""Of an emulation whose packets came too late for it to be valid."""

DEFAULT_PROTOCOL = "newreno"

MOST_LINES = 6
"""Of what a program said that failed."""

RUN = "run"
LACKS = "cannot make a network for programs here"


@dataclass(frozen=True)
class Kept:
    """Where the run of a seed, and what was made of it, is kept."""

    folder: Path

    @property
    def run(self) -> Path:
        """The folder of the simulated run."""
        return self.folder / RUN

    def link(self, emulation: Emulation) -> Path:
        """The link's file."""
        return self.folder / f"{emulation.id}.toml"

    def place(self, emulation: Emulation) -> Path:
        """The folder of captures, or of a run."""
        return self.folder / emulation.id

    def said(self, emulation: Emulation) -> Path:
        """What the link did and the programs said."""
        return self.folder / f"{emulation.id}.json"

    def trace(self) -> _core.ConnectionTrace:
        """The first flow of the run."""
        return sources.read(sources.Request(place=self.run, flow="0"))


@dataclass(frozen=True)
class Wanted:
    """Emulations of the runs of a point."""

    scenario: _core.Scenario
    emulations: Sequence[Emulation]
    seeds: Sequence[int]
    folder: Path

    @property
    def kept(self) -> list[Kept]:
        """Where they are, or come: a folder a seed."""
        return [Kept(self.folder / f"seed-{seed}") for seed in self.seeds]

    def check(self) -> None:
        """Raises `InputError` if what a simulated sender computes is asked for, and not charged."""
        for each in self.emulations:
            if each.compute and each.driver == "simulation":
                content: Json = tomllib.loads(self.scenario.to_toml())
                if not isinstance(at(content, "energy", "compute"), str):
                    raise InputError(
                        f"[[emulations]] {each.id}: compute = true needs energy.compute in the "
                        "scenario: the file with the costs of events"
                    )


def real_time_s(
    emulations: Sequence[Emulation], points: int, runs: int, duration_s: float
) -> float:
    """About how long those of all points take that are in real time, if none is made again."""
    longest = max((each.lasts for each in emulations if each.needs_kernel), default=0.0)
    count = points * runs * sum(each.needs_kernel for each in emulations)
    rounds = -(-count // AT_ONCE)
    return rounds * longest * duration_s + count * APART_S


def make(wanted: Sequence[Wanted], *, jobs: int, stop: threading.Event | None = None) -> None:
    """Makes what is not there yet, of all points at the same time.

    Args:
        wanted: What, of each point.
        jobs: Simulated runs at the same time.
        stop: Ends what is under way when it is set.

    Raises:
        InputError: What a simulated sender computes is asked for, and nothing charges it.
        LackingError: This machine or user may make no namespaces. All that is simulated is kept.
        UnfinishedError: An emulation failed, or its packets were late each time.
    """
    for each in wanted:
        each.check()
    stop = stop or threading.Event()
    runs = [
        (each, kept, seed)
        for each in wanted
        for kept, seed in zip(each.kept, each.seeds, strict=True)
    ]

    def simulate(run: tuple[Wanted, Kept, int]) -> None:
        each, kept, seed = run
        if not stop.is_set():
            _simulate(each.scenario, each.emulations, kept, seed)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(simulate, runs))
    waiting = [
        (kept, emulation, seed)
        for each, kept, seed in runs
        for emulation in each.emulations
        if emulation.needs_kernel and not kept.said(emulation).exists()
    ]
    if not stop.is_set():
        _in_real_time(waiting, stop)


def _simulate(
    scenario: _core.Scenario, emulations: Sequence[Emulation], kept: Kept, seed: int
) -> None:
    from hopwright._run.recorded import run_into

    if not kept.run.exists():
        kept.folder.mkdir(parents=True, exist_ok=True)
        run_into(kept.run, scenario.with_seed(seed), [seed], jobs=1, overwrite=False, figures=False)
    trace = kept.trace()
    for each in emulations:
        if not kept.link(each).exists():
            write_whole(kept.link(each), profile(trace, each).encode())
        if not each.needs_kernel and not kept.said(each).exists():
            _over_links(kept, each, seed, Connection.of(trace, 0.0))
            write_whole(kept.said(each), to_json({"driver": each.driver}).encode())


def profile(trace: _core.ConnectionTrace, emulation: Emulation) -> str:
    """The text of the link's file."""
    count = len(trace.samples()["rtt_s"]) // 8
    _, toml = trace.reduce(
        mode=emulation.mode,
        pipes=emulation.pipes or count,
        reduction=emulation.reduce,
        averaging=emulation.averaging,
        lost="retransmitted",
        lifetime_s=None,
        rate=emulation.rate,
        about=[],
    )
    return with_ways(
        toml, delays=emulation.delays, reorder=emulation.reorder, losses=emulation.losses
    )


def _over_links(kept: Kept, emulation: Emulation, seed: int, trace: Connection) -> None:
    """This program's own TCP over the link in simulation."""
    from hopwright._run.recorded import run_into

    text: Json = tomllib.loads((kept.run / "scenario.toml").read_text())
    content: Object = {
        "name": emulation.id,
        "seed": seed,
        "duration_s": emulation.lasts * float(trace.time_s[-1] - trace.time_s[0]),
        "topology": {"kind": "links"},
        "links": [{"from": 0, "to": 1, "profile": kept.link(emulation).name}],
        "output": {"series": ["rtt"]},
    }
    transport = at(items(text, "flows")[0], "transport")
    if emulation.protocol:
        content["profile"] = at(text, "profile")
        own = _own(transport, content, kept)
        transport = {**own, "protocol": emulation.protocol}
    if emulation.compute:
        coefficients = at(text, "energy", "compute")  # a copy, beside the run
        content["energy"] = {"compute": f"{RUN}/{coefficients}"}
    flow: Object = {"app": "file", "bytes": emulation.size, "transport": transport}
    source = _source(content, flow, kept)
    run_into(kept.place(emulation), source.load(), [seed], jobs=1, overwrite=False, figures=False)


def _source(content: Object, flow: Object, kept: Kept) -> "Source":
    import tomli_w

    from hopwright._io.source import Source

    whole: Object = {**content, "flows": [{"from": 0, "to": 1, **flow}]}
    return Source(tomli_w.dumps(whole), str(at(content, "name")), str(kept.folder))


def _own(transport: Json, content: Object, kept: Kept) -> Object:
    """What a flow's transport, written in full, has of its own: not its protocol's or profile's."""
    flow: Object = {"transport": {"protocol": at(transport, "protocol")}}
    usual: Json = tomllib.loads(_source(content, flow, kept).load().to_toml())
    known = at(items(usual, "flows")[0], "transport")
    if not (isinstance(transport, dict) and isinstance(known, dict)):
        return {}
    return {key: value for key, value in transport.items() if known.get(key) != value}


class _TooLateError(UnfinishedError):
    """An emulation whose packets were late each time; others may be well."""


def _in_real_time(waiting: Sequence[tuple[Kept, Emulation, int]], stop: threading.Event) -> None:
    """All of them, many at once. What is under way is ended where one fails, but not for lateness.

    Raises `LackingError` and `UnfinishedError`.
    """
    if not waiting:
        return
    made = {emulation.id: emulation for _, emulation, _ in waiting}
    with prepared([*made.values()], waiting[0][0].folder.parent) as kernel:
        _all_at_once(waiting, kernel, stop)


def _all_at_once(
    waiting: Sequence[tuple[Kept, Emulation, int]], kernel: Kernel, stop: threading.Event
) -> None:
    begin = threading.Lock()
    late: list[_TooLateError] = []

    def one(what: tuple[Kept, Emulation, int]) -> None:
        with begin:
            if stop.wait(APART_S if len(waiting) > 1 else 0.0):
                return
        try:
            _emulate(*what, kernel, stop)
        except _TooLateError as error:
            late.append(error)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(AT_ONCE) as pool:
        pending = [pool.submit(one, what) for what in waiting]
        try:
            for each in pending:
                each.result()
        except BaseException:
            stop.set()
            raise
    if late:
        raise UnfinishedError(
            f"{'; '.join(map(str, late))}: this machine is too busy; --resume tries again"
        )


def command(kept: Kept, emulation: Emulation, seed: int, kernel: Kernel) -> list[str]:
    """The words behind `hopwright` that one could say oneself."""
    times = Connection.of(kept.trace(), 0.0).time_s
    seconds = f"{emulation.lasts * float(times[-1] - times[0]):.3f}"
    program = [sys.executable, "-P", "-m", "hopwright.emulation.sedlane.transfer"]
    words = [
        "sedlane",
        "run",
        str(kept.link(emulation)),
        "--seed",
        str(seed),
        "--no-offload",
        "--realtime",
    ]
    words += ["--bound-us", str(BOUND_US), "--json", "--capture", str(kept.place(emulation))]
    if emulation.driver == "datagrams":
        return [*words, "--", *program, "pace", "--every-ms", f"{EVERY_MS:g}", "--seconds", seconds]
    far = [*program, "receive", "--segment-bytes", str(emulation.segment_bytes)]
    far += ["--buffer-bytes", str(emulation.receive_buffer_bytes)]
    send = ["--bytes", str(emulation.size), "--seconds", seconds]
    if emulation.driver == "engine":
        send = ["engine", *send, "--protocol", emulation.protocol or DEFAULT_PROTOCOL]
        send += ["--compute"] if emulation.compute else []
    else:
        send = ["send", *send, "--congestion", kernel.congestion(emulation)]
        send += [] if emulation.sack else ["--no-sack"]
    if emulation.driver == "engine" or not emulation.sack or kernel.restricts(emulation):
        words.append("--privileged")
    return [*words, "--far", " ".join(far), "--", *program, *send]


def _emulate(
    kept: Kept, emulation: Emulation, seed: int, kernel: Kernel, stop: threading.Event
) -> None:
    late: list[Json] = []
    for _ in range(TRIES):
        place = kept.place(emulation)
        place.mkdir(exist_ok=True)
        for old in place.iterdir():  # of a call that was ended
            old.unlink()
        said = _run(
            [sys.executable, "-m", "hopwright", *command(kept, emulation, seed, kernel)], stop
        )
        if said is None:
            return
        if at(said, "link", "valid") is True:
            said["late_before_us"] = late
            if emulation.compute and emulation.driver == "kernel":
                said["compute"] = kernel.computed(amount(said, "program", "cookie"))
            write_whole(kept.said(emulation), to_json(said).encode())
            return
        late.append(number(at(said, "link", "lateness"), "p99_us"))
    raise _TooLateError(
        f"{kept.link(emulation)}: packets were too late in {TRIES} tries: 99 of 100 by up to "
        f"{late} us"
    )


def _run(words: Sequence[str], stop: threading.Event) -> Object | None:
    """What the program and the link said; None if it was stopped."""
    child = subprocess.Popen(  # noqa: S603 - this program itself
        list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    said: list[tuple[str, str]] = []
    reader = threading.Thread(target=lambda: said.append(child.communicate()), daemon=True)
    reader.start()
    while reader.is_alive() and not stop.is_set():
        reader.join(0.5)
    if stop.is_set():
        child.terminate()
        reader.join()
        return None
    ((out, errors),) = said
    if child.returncode:
        lines = errors.strip().splitlines() or ["no message"]
        if LACKS in lines[-1]:
            raise LackingError(lines[-1].removeprefix("hopwright: "))
        raise UnfinishedError(f"{' '.join(words)}: {'; '.join(lines[-MOST_LINES:])}")
    decoder = json.JSONDecoder()
    try:
        program, end = decoder.raw_decode(out)
        link, _ = decoder.raw_decode(out[end:].lstrip())
    except ValueError:
        raise UnfinishedError(f"{' '.join(words)}: printed only {out!r}, and {errors!r}") from None
    return {"program": program, "link": link}
