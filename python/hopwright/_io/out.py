"""The output folder: either all of it is there, or none."""

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hopwright._io import staging
from hopwright._io.data import json_of
from hopwright._io.errors import InputError, naming
from hopwright._io.files import read_bytes
from hopwright._io.paths import no_place
from hopwright._io.staging import held, lock_folder, recover, staged, swap, take_access

OWN_NAMES = re.compile(
    r"summary\.json|scenario\.toml|network\.json|view\.html|flow-\d+\.svg|trace\.tr|(node-\d+|inputs)\.pcapng"
    r"|(series|events|frames|lanes|positions)\.parquet"
    r"|seed-\d+|scenario-(movement|coefficients|link-\d+)\.\w+"
)
"""What `hopwright run` writes into its folder."""

LONGEST_NAME_BYTES = 200
"""Of a scenario's name in that of a folder: file systems take 255 together with the time."""


def default_folder(name: str) -> Path:
    """`results/<name>-<local time>`, not yet taken."""
    safe = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    while len(os.fsencode(safe)) > LONGEST_NAME_BYTES:
        safe = safe[:-1]
    base = f"{safe}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = Path("results", base)
    count = 2
    while folder.exists() or lock_folder(folder, folder.parent).exists():
        folder = Path("results", f"{base}-{count}")
        count += 1
    return folder


def check_folder(folder: Path, *, overwrite: bool, of: "Kind | None" = None) -> None:
    """Raises `InputError` if a result cannot go there. Leaves no trace."""
    try:
        recover(folder.resolve())
        _check_content(folder, of or RUN, overwrite=overwrite)
        target = folder.resolve()
        probe(target if _is_fixed(target) else target.parent)
    except OSError as error:
        raise no_place(folder, error) from error


def probe(folder: Path) -> None:
    """Raises `OSError` if nothing can be made in a folder or, if it is not there, above it."""
    parent = folder.resolve()
    while not parent.exists():
        parent = parent.parent
    staging.probe(parent)


@contextlib.contextmanager
def new_folder(folder: Path, *, overwrite: bool, of: "Kind | None" = None) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` in the end.

    `of`: whose earlier results may be replaced; those of `hopwright run`, if nothing is said.

    If anything is raised meanwhile, things are left as they were.
    """
    target = folder.resolve()
    recover(target)
    kind = of or RUN
    _check_content(folder, kind, overwrite=overwrite)
    missing = [parent for parent in target.parents if not parent.exists()]
    place = target if _is_fixed(target) else target.parent
    is_there = False
    try:
        place.mkdir(parents=True, exist_ok=True)
        with held(target, place), staged(place) as new:
            if target.exists():
                take_access(new, target, least=stat.S_IRWXU)
            yield new
            # Somebody else may have written there while the runs went on.
            _check_content(folder, kind, overwrite=overwrite)
            _put(new, target)
            is_there = True
    except BaseException as error:
        if is_there:  # interrupted while the earlier results were removed
            error.add_note(f"the results are in {folder}")
        for parent in missing:
            _remove_if_empty(parent)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file that has its old content or all of its new, at any moment."""
    write_all(path.parent, {path.name: content})


def write_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Writes files of a folder, each as `write_whole`; none takes its place before all are written.

    Whatever anybody puts in the way meanwhile, only files that were made here are written to, in
    the folder that was there at the beginning.
    """
    names: dict[str, str] = {}
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name, content in contents.items():
            names[name] = staging.file_name()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            written = os.open(names[name], flags, 0o666, dir_fd=place)
            with naming(folder / name), os.fdopen(written, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for name, temporary in names.items():
            os.replace(temporary, name, src_dir_fd=place, dst_dir_fd=place)
    except BaseException:
        for temporary in names.values():
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=place)
        raise
    finally:
        os.close(place)


def is_own(folder: Path) -> bool:
    """Whether `hopwright run` wrote this folder."""
    try:
        summary = json_of(read_bytes(folder / "summary.json"))
    except (InputError, ValueError):
        return False
    written = isinstance(summary, dict) and {"scenario", "version", "results"} <= summary.keys()
    return written and (folder / "scenario.toml").is_file()


class Kind(NamedTuple):
    """The results of a command."""

    names: re.Pattern[str]
    """Files that the command writes."""
    is_own: Callable[[Path], bool]
    """Whether the command wrote this folder."""


RUN = Kind(OWN_NAMES, is_own)


def _check_content(folder: Path, kind: Kind, *, overwrite: bool) -> None:
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise InputError(f"{folder}: is not a folder; name another one with --out")
    if all(staging.is_partial(entry.name) for entry in folder.iterdir()):
        return
    if not kind.is_own(folder):
        raise InputError(f"{folder}: has other files in it; name another folder with --out")
    if not overwrite:
        raise InputError(f"{folder}: has results already; add --overwrite or name another folder")
    foreign = _foreign_file(folder, kind.names)
    if foreign:
        raise InputError(f"{foreign}: is not a result and would be lost; move it first")
    if _is_fixed(folder.resolve()):
        raise InputError(f"{folder}: cannot be replaced; name a folder inside it with --out")


def _foreign_file(folder: Path, names: re.Pattern[str]) -> Path | None:
    for entry in sorted(folder.iterdir()):
        if not names.fullmatch(entry.name):
            return entry
        if entry.is_dir():
            inside = _foreign_file(entry, names)
            if inside:
                return inside
    return None


def _is_fixed(folder: Path) -> bool:
    """Whether another folder cannot take this one's place: a mount point, or where we stand."""
    return folder.is_dir() and (os.path.ismount(folder) or folder.samefile(Path.cwd()))


def _put(new: Path, target: Path) -> None:
    if not target.exists():
        new.rename(target)
    elif _is_fixed(target):
        for entry in sorted(new.iterdir()):
            entry.rename(target / entry.name)
        new.rmdir()
    else:
        take_access(new, target)
        swap(new, target)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
