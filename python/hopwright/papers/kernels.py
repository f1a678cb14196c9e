"""What emulations want of the kernel: algorithms of this project in it, and what its TCP computes.

Both are of the whole machine, so one process does it for all emulations that are made at once.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright.data import Json, amount
from hopwright.errors import UnfinishedError
from hopwright.papers.emulations import Emulation
from hopwright.sandbox.needs import LackingError

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
PATIENCE_S, LOOK_S = 20.0, 0.1
ENDED = "a connection that ended"


@dataclass(frozen=True)
class Kernel:
    """The kernel while emulations are made."""

    names: Mapping[str, str]
    """The kernel's names of algorithms, by this project's."""
    record: Path | None
    """Where what connections computed is written, a line for each that has ended."""

    def congestion(self, emulation: Emulation) -> str:
        """The algorithm of a sender, as the kernel calls it."""
        return self.names.get(emulation.mechanism, emulation.congestion)

    def restricts(self, emulation: Emulation) -> bool:
        """Whether only who may change the network may choose it. What is loaded is for all."""
        is_known = bool(emulation.mechanism) or emulation.congestion in ALLOWED.read_text().split()
        return emulation.driver == "kernel" and not is_known

    def computed(self, cookie: float) -> Json:
        """What the connection with this cookie computed. Raises `UnfinishedError`."""
        end = time.monotonic() + PATIENCE_S
        while self.record is not None and time.monotonic() < end:
            for line in self.record.read_text().splitlines():
                with contextlib.suppress(ValueError):  # a line that is being written
                    said: Json = json.loads(line)
                    if amount(said, "cookie") == cookie:
                        return said
            time.sleep(LOOK_S)
        raise UnfinishedError(f"{self.record}: says nothing of {ENDED} (cookie {cookie:.0f})")


@contextlib.contextmanager
def prepared(emulations: Sequence[Emulation], folder: Path) -> Iterator[Kernel]:
    """The kernel has what they need until the end.

    Raises:
        LackingError: This machine or user may not change the kernel, or it has no such algorithm.
    """
    senders = [each for each in emulations if each.driver == "kernel"]
    known = AVAILABLE.read_text().split() if senders else []
    for each in senders:
        if not each.mechanism and each.congestion not in known:
            raise LackingError(
                f"[[emulations]] {each.id}: the kernel has no congestion control called "
                f"'{each.congestion}', only {', '.join(known)}"
            )
    wanted = sorted({each.mechanism for each in senders if each.mechanism})
    names = {mechanism: f"hop_{os.getpid()}_{n}" for n, mechanism in enumerate(wanted)}
    with contextlib.ExitStack() as owners:
        for mechanism, name in names.items():
            owner = owners.enter_context(_owner(["load", mechanism, "--name", name]))
            _wait_for(owner, lambda name=name: name in AVAILABLE.read_text().split())
        record = None
        if any(each.compute for each in senders):
            record = folder / f"computed-{os.getpid()}.jsonl"
            owner = owners.enter_context(_owner(["measure", "--out", str(record)]))
            owners.callback(record.unlink, missing_ok=True)
            _wait_for(owner, record.exists)
        yield Kernel(names, record)


@contextlib.contextmanager
def _owner(words: Sequence[str]) -> "Iterator[subprocess.Popen[str]]":
    """A process of `hopwright kernel` that has something in the kernel as long as it lives."""
    command = [sys.executable, "-m", "hopwright", "kernel", *words]
    with subprocess.Popen(  # noqa: S603 - this program itself
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as owner:
        try:
            yield owner
        finally:
            owner.send_signal(signal.SIGINT)
            try:
                owner.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                owner.kill()


def _wait_for(owner: "subprocess.Popen[str]", is_there: object) -> None:
    """Raises `LackingError` with what the process said where it ended first."""
    end = time.monotonic() + PATIENCE_S
    while callable(is_there) and not is_there():
        if owner.poll() is not None:
            lines = (owner.stderr.read() if owner.stderr else "").strip().splitlines() or ["ended"]
            raise LackingError(lines[-1].removeprefix("hopwright: "))
        if time.monotonic() > end:
            raise LackingError("the kernel did not take what 'hopwright kernel' gave it")
        time.sleep(LOOK_S)
