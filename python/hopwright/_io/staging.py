"""Folders and files under way: names that nobody can foresee, locks that die with their process.

A folder that is being written has a name of its own beside its later place, and its process holds a
lock on it. So whoever comes later knows which of them nobody will finish, and removes those.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from hopwright import _core
from hopwright._io.errors import InputError

PARTIAL = re.compile(r"\.hopwright-partial-[0-9a-f]{12}")
FILE = re.compile(r"\.hopwright-[0-9a-f]{12}")
"""What a file is called that is being written. Its writer's end leaves it."""

NO_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
"""What file systems say that cannot have two folders change places."""
NO_LOCKS = (errno.EBADF, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""What they say where nothing can be locked; NFS: no folder."""


LOCK_TRIES, LOCK_WAIT_S = 10, 0.02
"""How often a lock is tried that another process holds, and the wall time between."""


def file_name() -> str:
    """A name for a file that is being written."""
    return f".hopwright-{_token()}"


@contextlib.contextmanager
def staged(place: Path) -> Iterator[Path]:
    """A new folder in another, locked by this process, for what is to take another name at the end.

    What is still under its first name then is removed.
    """
    folder, lock = _locked(place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


@contextlib.contextmanager
def held(target: Path, place: Path) -> Iterator[None]:
    """Keeps other processes from writing a folder that takes the name `target` at the end.

    Raises `InputError` if another process is writing one. A folder in `place` has the lock; its
    name is made from that of `target`. Where nothing can be locked, nobody is kept away.
    """
    folder = lock_folder(target, place)
    lock = _held(folder, target)
    try:
        yield
    finally:
        if lock is not None:
            with contextlib.suppress(OSError):
                folder.rmdir()
            os.close(lock)


def lock_folder(target: Path, place: Path) -> Path:
    """The folder that `held` locks. It is there only while somebody writes, or after a kill."""
    digest = hashlib.blake2b(os.fsencode(target.name), digest_size=6).hexdigest()
    return place / f".hopwright-partial-{digest}"


def _held(folder: Path, target: Path) -> int | None:
    """The descriptor that holds the lock; None where there is somebody else's file."""
    for _ in range(LOCK_TRIES):
        try:
            folder.mkdir(exist_ok=True)
            lock = _lock(folder, if_possible=True)
        except FileNotFoundError:
            continue  # another process took it for left over
        except BlockingIOError:
            time.sleep(LOCK_WAIT_S)  # it may be about to be removed
            continue
        except OSError:
            return None
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(folder.stat(), os.fstat(lock)):
                return lock
        os.close(lock)
    raise InputError(f"{target}: another process is at work there; name another folder")


def probe(place: Path) -> None:
    """Raises `OSError` if nothing can be made in a folder."""
    trial = place / _partial_name()
    trial.mkdir()
    with contextlib.suppress(FileNotFoundError):  # another process may have taken it for left over
        trial.rmdir()


def is_partial(name: str) -> bool:
    """Whether a folder with this name is being written, or was when its process died."""
    return PARTIAL.fullmatch(name) is not None


def recover(target: Path) -> None:
    """Removes what dead processes left beside or in a folder, and brings back what `swap` moved."""
    for place in (target.parent, target):
        for partial in _entries(place, ".hopwright-partial-"):
            if is_partial(partial.name):
                _remove_if_left(partial)
    for old in _entries(target.parent, _old_prefix(target)):
        if os.path.lexists(target):
            _remove_if_left(old)
        else:
            _bring_back(old, target)


def take_access(new: Path, target: Path, *, least: int = 0) -> None:
    """Gives a folder the mode of the one that it will replace, and its owner as far as it may be.

    So nobody can read results who could not read their folder. `least`: what the mode allows in any
    case, of a folder that is still written.
    """
    wanted = target.stat()
    for owner, group in ((-1, wanted.st_gid), (wanted.st_uid, -1)):
        with contextlib.suppress(OSError):
            os.chown(new, owner, group)
    mode = stat.S_IMODE(wanted.st_mode)
    if new.stat().st_gid != wanted.st_gid:
        mode &= ~(stat.S_IRWXG | stat.S_ISGID)  # they would be rights of another group
    new.chmod(mode | least)


def swap(new: Path, target: Path) -> None:
    """Puts a folder in the place of another; that has the first one's name then, or is gone.

    In one step where the file system can do that. Elsewhere the name is free for a moment, and
    `recover` mends it if the process dies then.
    """
    try:
        _core.exchange(new, target)
    except OSError as error:
        if error.errno not in NO_EXCHANGE:
            raise
        _swap_in_two_steps(new, target)


def _swap_in_two_steps(new: Path, target: Path) -> None:
    try:
        lock = _lock(target, if_possible=True)
    except BlockingIOError as error:
        raise InputError(f"{target}: another process is writing there") from error
    try:
        old = target.with_name(_old_prefix(target) + _token())
        target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        os.close(lock)


def _bring_back(old: Path, target: Path) -> None:
    with contextlib.suppress(OSError):
        lock = _lock(old)
        try:
            old.rename(target)
        finally:
            os.close(lock)


def _remove_if_left(folder: Path) -> None:
    with contextlib.suppress(OSError):
        lock = _lock(folder)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked(place: Path) -> tuple[Path, int]:
    """A new folder, and the descriptor that holds its lock."""
    while True:
        folder = place / _partial_name()
        folder.mkdir()
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            lock = _lock(folder, if_possible=True)
            if folder.exists():
                return folder, lock
            os.close(lock)
        # Another process took it for left over before it was locked.


def _lock(folder: Path, *, if_possible: bool = False) -> int:
    """Locks a folder; returns the descriptor that holds the lock, until it is closed.

    `if_possible`: it may stay unlocked where nothing can be locked; then nothing is swept either.
    Raises `BlockingIOError` if another process holds the lock.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if not (if_possible and error.errno in NO_LOCKS):
            os.close(lock)
            raise
    return lock


def _token() -> str:
    return secrets.token_hex(6)


def _partial_name() -> str:
    return f".hopwright-partial-{_token()}"


def _old_prefix(target: Path) -> str:
    """Says of which folder it was, whose own name may be as long as a name can be."""
    digest = hashlib.blake2b(os.fsencode(target.name), digest_size=8).hexdigest()
    return f".hopwright-old-{digest}-"


def _entries(place: Path, prefix: str) -> list[Path]:
    try:
        return sorted(entry for entry in place.iterdir() if entry.name.startswith(prefix))
    except OSError:
        return []
