"""The output folder: either all of it is there, or none."""

import contextlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from hopwright.errors import InputError

OWN_NAMES = re.compile(
    r"summary\.json|scenario\.toml|network\.json|flow-\d+\.svg|(series|events)\.parquet|node-\d+\.pcapng|trace\.tr"
    r"|seed-\d+|scenario-(movement|coefficients)\.\w+"
)
"""What `hopwright run` writes into its folder."""


def default_folder(name: str) -> Path:
    """`results/<name>-<local time>`, not yet taken."""
    safe = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    base = f"{safe}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = Path("results", base)
    count = 2
    while folder.exists():
        folder = Path("results", f"{base}-{count}")
        count += 1
    return folder


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Raises `InputError` if a result cannot go there. Leaves no trace."""
    try:
        _check_content(folder, overwrite=overwrite)
        target = folder.resolve()
        probe(target if _is_fixed(target) else target.parent)
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from error


def probe(folder: Path) -> None:
    """Raises `OSError` if nothing can be made in a folder or, if it is not there, above it."""
    parent = folder.resolve()
    while not parent.exists():
        parent = parent.parent
    trial = parent / f".hopwright-{os.getpid()}"
    trial.mkdir()
    trial.rmdir()


@contextlib.contextmanager
def new_folder(folder: Path, *, overwrite: bool) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` in the end.

    If anything is raised meanwhile, things are left as they were.
    """
    _check_content(folder, overwrite=overwrite)
    target = folder.resolve()
    missing = [parent for parent in target.parents if not parent.exists()]
    staging = _sibling(target, "partial")
    try:
        staging.mkdir(parents=True)
        yield staging
        # Somebody else may have written there while the runs went on.
        _check_content(folder, overwrite=overwrite, besides=staging.name)
        _put(staging, target)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        for parent in missing:
            _remove_if_empty(parent)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file that has its old content or all of its new, at any moment."""
    beside = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def is_own(folder: Path) -> bool:
    """Whether `hopwright run` wrote this folder."""
    try:
        summary = json.loads((folder / "summary.json").read_bytes())
    except (OSError, ValueError):
        return False
    written = isinstance(summary, dict) and {"scenario", "version", "results"} <= summary.keys()
    return written and (folder / "scenario.toml").is_file()


def _check_content(folder: Path, *, overwrite: bool, besides: str | None = None) -> None:
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise InputError(f"{folder}: is not a folder; name another one with --out")
    if all(entry.name == besides for entry in folder.iterdir()):
        return
    if not is_own(folder):
        raise InputError(f"{folder}: has other files in it; name another folder with --out")
    if not overwrite:
        raise InputError(f"{folder}: has results already; add --overwrite or name another folder")
    foreign = _foreign_file(folder)
    if foreign:
        raise InputError(f"{foreign}: is no result and would be lost; move it away first")
    if _is_fixed(folder.resolve()):
        raise InputError(f"{folder}: cannot be replaced; name a folder inside it with --out")


def _foreign_file(folder: Path) -> Path | None:
    for entry in sorted(folder.iterdir()):
        if not OWN_NAMES.fullmatch(entry.name):
            return entry
        if entry.is_dir():
            inside = _foreign_file(entry)
            if inside:
                return inside
    return None


def _is_fixed(folder: Path) -> bool:
    """Whether another folder cannot take this one's place: a mount point, or where we stand."""
    return folder.is_dir() and (os.path.ismount(folder) or folder.samefile(Path.cwd()))


def _put(staging: Path, target: Path) -> None:
    if not target.exists():
        staging.rename(target)
    elif _is_fixed(target):
        for entry in sorted(staging.iterdir()):
            entry.rename(target / entry.name)
        staging.rmdir()
    else:
        old = _sibling(target, "old")
        target.rename(old)
        try:
            staging.rename(target)
        except BaseException:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _sibling(target: Path, kind: str) -> Path:
    place = target if _is_fixed(target) else target.parent
    return place / f".{target.name}.{kind}-{os.getpid()}"


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
