"""The journal of a sweep: `runs.jsonl`, one line for each finished run.

A line is written by one call of the system and ends in a line feed, so whatever moment the process
is killed in, all lines but the last are whole; a torn last one is cut off when the journal is
opened again. Whoever writes holds a lock on the file.
"""

import contextlib
import fcntl
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from hopwright.errors import InputError
from hopwright.sweeps.schedule import Run

LINE = re.compile(rb'\{"point":"([0-9a-f]{16})","seed":(\d{1,16}),"result":(\{.*\})\}')
SYNC_EVERY_S = 1.0
"""Wall time between two calls of `fsync`: what a power failure may cost; a kill costs nothing."""


class Journal:
    """An open journal, locked for this process. A context manager."""

    def __init__(self, path: Path, *, write: bool = True) -> None:
        """Opens it, for reading only if `write` is false; makes it if it is not there.

        Raises `InputError` if it cannot be opened or another process holds it.
        """
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if write else os.O_RDONLY
        try:
            self._file = os.open(path, flags | os.O_CLOEXEC, 0o666)
        except OSError as error:
            what = "write there" if write else "read it"
            raise InputError(f"{path}: cannot {what}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, (fcntl.LOCK_EX if write else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            if isinstance(error, BlockingIOError):
                raise InputError(f"{path.parent}: another process is sweeping there") from error
            raise InputError(f"{path}: cannot lock it: {error.strerror}") from error
        self._writes = write
        self._size = os.fstat(self._file).st_size
        self._synced_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def is_empty(self) -> bool:
        """Whether not even a part of a line was ever written."""
        return self._size == 0

    def read(self) -> dict[Run, str]:
        """The finished runs and their results as JSON; cuts a torn last line off.

        Raises `InputError` for a line that is no run, naming it.
        """
        found: dict[Run, str] = {}
        end = 0
        for number, line in enumerate(self._lines(), start=1):
            if not line.endswith(b"\n"):
                break
            end += len(line)
            run, result = self._parsed(line[:-1], number)
            known = found.setdefault(run, result)
            if known is not result and not is_same(known, result):
                raise InputError(
                    f"{self.path}:{number}: is another result of point {run.point}, seed {run.seed}"
                )
        if self._writes and end < self._size:
            os.ftruncate(self._file, end)
        self._size = end
        return found

    def append(self, run: Run, result: str) -> None:
        """Writes a run's line. Raises `OSError` if it does not fit; then nothing of it is left."""
        # Not what was added up: an interrupt may have come between a write and its sum.
        self._size = os.fstat(self._file).st_size
        line = f'{{"point":"{run.point}","seed":{run.seed},"result":{result}}}\n'.encode()
        try:
            written = os.write(self._file, line)
            while written < len(line):  # the disk is nearly full: the next call says so
                written += os.write(self._file, line[written:])
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(line)
        now = time.monotonic()
        if now - self._synced_at >= SYNC_EVERY_S:
            os.fsync(self._file)
            self._synced_at = now

    def clear(self) -> None:
        """Forgets all runs."""
        os.ftruncate(self._file, 0)
        self._size = 0

    def close(self) -> None:
        """Sees to it that everything is on the disk, and lets others write."""
        try:
            if self._writes:
                with contextlib.suppress(OSError):
                    os.fsync(self._file)
        finally:
            os.close(self._file)

    def _lines(self) -> Iterator[bytes]:
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            yield from file

    def _parsed(self, line: bytes, number: int) -> tuple[Run, str]:
        found = LINE.fullmatch(line)
        if found is not None:
            with contextlib.suppress(ValueError):
                json.loads(found[3])
                return Run(found[1].decode(), int(found[2])), found[3].decode()
        raise InputError(
            f"{self.path}:{number}: is no finished run; remove this line to have it done again"
        )


def is_same(one: str, other: str) -> bool:
    """Whether two results are equal but for the time they took."""
    first, second = json.loads(one), json.loads(other)
    for each in (first, second):
        each.pop("wall_s", None)
    return bool(first == second)
