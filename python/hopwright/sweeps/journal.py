"""The journal of a sweep: `runs.jsonl`, one line for each finished run.

A line is written by one call of the system and ends in a line feed, so whatever moment the process
is killed in, all lines but the last are whole; a torn last one is cut off when the journal is
opened again. A line carries its checksum: one that was changed later is no run, and is left out.
Whoever writes holds a lock on the file.
"""

import contextlib
import fcntl
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import TracebackType
from typing import Self

from hopwright._io.data import json_of
from hopwright._io.errors import InputError, naming
from hopwright._io.paths import no_place
from hopwright._io.plural import noun
from hopwright._io.staging import file_name
from hopwright.sweeps.schedule import Run

LINE = re.compile(
    rb'(\{"point":"([0-9a-f]{16})","seed":(\d{1,16}),"result":(\{.*\}))'
    rb'(?:,"crc32":"([0-9a-f]{8})")?\}'
)
"""What is checked, in it point, seed, result; the checksum, which earlier versions left out."""
SYNC_EVERY_S = 1.0
"""Wall time between two calls of `fsync`: what a power failure may cost; a kill costs nothing."""


JOURNAL = "runs.jsonl"
"""Its name in a folder."""


class Journal:
    """An open journal, locked for this process. A context manager."""

    def __init__(self, path: Path, *, write: bool = True) -> None:
        """Opens it, for reading only if `write` is false; makes it if it is not there.

        Raises `InputError` if it cannot be opened or another process holds it.
        """
        self.path = path
        self.notes: list[str] = []
        """What the last `read` found amiss, a line each."""
        self._file = _opened(path, write=write)
        self._writes = write
        self._size = os.fstat(self._file).st_size
        self._synced_at = time.monotonic()

    @classmethod
    def within(cls, folder: Path) -> Self:
        """Opens a folder's journal, and makes what is not there yet. Raises `InputError`."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise no_place(folder, error) from error
        return cls(folder / JOURNAL)

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
        """The finished runs and their results as JSON; see `notes` for what else there is.

        Takes out what is damaged, and cuts a torn last line off; both only where it may write.
        Raises `InputError` for two results of one run, and where a line is damaged that it may not
        take out.
        """
        found: dict[Run, str] = {}
        damaged: set[int] = set()
        end = unchecked = number = 0
        for number, line in enumerate(self._lines(), start=1):
            if not line.endswith(b"\n"):
                break
            end += len(line)
            parsed = _parsed(line[:-1])
            if parsed is None:
                damaged.add(number)
                continue
            run, result, is_checked = parsed
            unchecked += not is_checked
            known = found.setdefault(run, result)
            if known is not result and not is_same(known, result):
                raise InputError(
                    f"{self.path}:{number}: is another result of point {run.point}, seed {run.seed}"
                )
        self.notes = [
            f"{self.path}:{each}: this line is damaged; it is left out, and its run done again"
            for each in sorted(damaged)
        ]
        if unchecked:
            self.notes.append(
                f"{self.path}: {unchecked} of its runs {noun(unchecked, 'was', 'were')} written by "
                "an earlier version, without checksums; they are taken as they are"
            )
        if not self._writes:
            if damaged:
                raise InputError(
                    f"{self.path}:{min(damaged)}: this line is damaged; go on there with --resume "
                    "to have its run done again"
                )
            return found
        if damaged:
            self._leave_out(damaged)
        elif end < self._size:
            os.ftruncate(self._file, end)
        self._size = os.fstat(self._file).st_size
        return found

    def append(self, run: Run, result: str) -> None:
        """Writes a run's line. Raises `OSError` if it does not fit; then nothing of it is left."""
        # Not what was added up: an interrupt may have come between a write and its sum.
        self._size = os.fstat(self._file).st_size
        line = _line(run, result)
        try:
            with naming(self.path):
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

    def _leave_out(self, damaged: AbstractSet[int]) -> None:
        """Writes the file anew without these lines; whoever opens it has one of the two, whole."""
        name = self.path.with_name(file_name())
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        anew = os.open(name, flags, 0o666)
        try:
            # Locked before anybody can find it.
            fcntl.flock(anew, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(anew, "ab", closefd=False) as file:
                for number, line in enumerate(self._lines(), start=1):
                    if number not in damaged and line.endswith(b"\n"):
                        file.write(line)
            os.fsync(anew)
            name.replace(self.path)
        except BaseException:
            os.close(anew)
            with contextlib.suppress(OSError):
                name.unlink()
            raise
        os.close(self._file)
        self._file = anew


def peek(path: Path) -> dict[Run, str]:
    """The finished runs of a journal that another process may be writing at this moment.

    Locks and mends nothing: a line that is torn or damaged is no run. Raises `InputError` if the
    file cannot be read.
    """
    try:
        with path.open("rb") as file:
            whole = (_parsed(line[:-1]) for line in file if line.endswith(b"\n"))
            return {run: result for run, result, _ in filter(None, whole)}
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error.strerror}") from error


def _opened(path: Path, *, write: bool) -> int:
    """The descriptor of the file, locked. Raises `InputError`."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW if write else os.O_RDONLY
    while True:
        try:
            file = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        except OSError as error:
            what = "write there" if write else "read it"
            raise InputError(f"{path}: cannot {what}: {error.strerror}") from error
        try:
            if _is_locked(file, path, write=write):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # another process has written it anew meanwhile


def _is_locked(file: int, path: Path, *, write: bool) -> bool:
    """Locks the file; says whether it is still the one that is found there. Raises `InputError`."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise InputError(f"{path}: is no regular file")
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if write else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
    except BlockingIOError as error:
        raise InputError(f"{path.parent}: another process is at work there") from error
    except OSError as error:
        raise InputError(f"{path}: cannot lock it: {error.strerror}") from error


def _line(run: Run, result: str) -> bytes:
    content = f'{{"point":"{run.point}","seed":{run.seed},"result":{result}'.encode()
    return content + b',"crc32":"%08x"}\n' % zlib.crc32(content)


def _parsed(line: bytes) -> tuple[Run, str, bool] | None:
    """Run, result, and whether a checksum vouches for them; None if the line is damaged."""
    found = LINE.fullmatch(line)
    if found is None:
        return None
    content, point, seed, result, crc32 = found.groups()
    try:
        if crc32 is None:
            json_of(result)
        elif int(crc32, 16) != zlib.crc32(content):
            return None
        return Run(point.decode(), int(seed)), result.decode(), crc32 is not None
    except ValueError:
        return None


def is_same(one: str, other: str) -> bool:
    """Whether two results are equal but for the time they took."""
    first, second = json_of(one), json_of(other)
    for each in (first, second):
        each.pop("wall_s", None)
    return bool(first == second)
