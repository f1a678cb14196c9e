"""What emulations need from the kernel: algorithms of this project, and what its TCP computes.

Both are of the whole machine, so one process does it for all emulations that are made at once.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hopwright._io.data import Json, amount
from hopwright._io.errors import UnfinishedError
from hopwright.emulation.sandbox.needs import LackingError
from hopwright.research.papers.emulations import Emulation

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
PATIENCE_S, LOOK_S = 20.0, 0.1
UNTIL_WE_END = ("--", "cat")
"""What `hopwright kernel` is to wait for: a program that ends with what it reads from us, so that
nothing stays in the kernel however this process ends."""

MEASURING = "measuring"


class Owner:
    """A process of `hopwright kernel` that has something in the kernel as long as it lives."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "hopwright", "kernel", *words, *UNTIL_WE_END]
        self._process = subprocess.Popen(  # noqa: S603 - this program itself
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()

    def _listen(self) -> None:
        for line in self._process.stderr or ():
            self.said.append(line.strip().removeprefix("hopwright: "))

    def check(self) -> None:
        """Raises `LackingError` with what it said if it has ended."""
        if self._process.poll() is not None:
            self._ear.join(PATIENCE_S)
            raise LackingError(self.said[-1] if self.said else "'hopwright kernel' ended")

    def wait_for(self, is_there: Callable[[], bool]) -> None:
        """Until the kernel has it. Raises `LackingError`."""
        end = time.monotonic() + PATIENCE_S
        while not is_there():
            self.check()
            if time.monotonic() > end:
                raise LackingError("the kernel did not accept what 'hopwright kernel' loaded")
            time.sleep(LOOK_S)

    def close(self) -> None:
        """Ends it, and waits for that."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._ear.join()
        if self._process.stderr is not None:
            self._process.stderr.close()


@dataclass(frozen=True)
class Kernel:
    """The kernel while emulations are made."""

    names: Mapping[str, str]
    """The kernel's names of algorithms, by this project's."""
    record: Path | None = None
    """Where what connections computed is written, a line for each that has ended."""
    measure: Owner | None = None
    """Who writes it."""

    def congestion(self, emulation: Emulation) -> str:
        """The algorithm of a sender, as the kernel calls it."""
        return self.names.get(emulation.mechanism, emulation.congestion)

    def restricts(self, emulation: Emulation) -> bool:
        """Whether only who may change the network may choose it. What is loaded is for all."""
        is_known = bool(emulation.mechanism) or emulation.congestion in ALLOWED.read_text().split()
        return emulation.driver == "kernel" and not is_known

    def computed(self, cookie: float) -> Json:
        """What the connection with this cookie computed.

        Raises `LackingError` if nothing is measured any more, `UnfinishedError` if it is not there.
        """
        end = time.monotonic() + PATIENCE_S
        while self.record is not None and self.measure is not None and time.monotonic() < end:
            self.measure.check()
            for line in self.record.read_text().splitlines():
                with contextlib.suppress(ValueError):  # a line that is being written
                    said: Json = json.loads(line)
                    if amount(said, "cookie") == cookie:
                        return said
            time.sleep(LOOK_S)
        raise UnfinishedError(
            f"{self.record}: has no line about the connection with the cookie {cookie:.0f}"
        )


def _is_available(name: str) -> bool:
    return name in AVAILABLE.read_text().split()


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
            owner = owners.enter_context(
                contextlib.closing(Owner("load", mechanism, "--name", name))
            )
            owner.wait_for(partial(_is_available, name))
        if not any(each.compute for each in senders):
            yield Kernel(names)
            return
        record = folder / f"computed-{os.getpid()}.jsonl"
        owners.callback(record.unlink, missing_ok=True)
        measure = owners.enter_context(contextlib.closing(Owner("measure", "--out", str(record))))
        measure.wait_for(lambda: MEASURING in measure.said)
        yield Kernel(names, record, measure)
