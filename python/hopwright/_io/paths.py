"""What a path is: for messages about one that is not there, of the wrong kind, or not for us."""

import os
from pathlib import Path

from hopwright._io.errors import InputError, slip

SWEEP, RUN = "sweep.json", "summary.json"
"""The files that tell the folder of a sweep and that of a run."""


def wrong_kind(path: Path, needed: str) -> str:
    """The message about a path of the wrong kind; `needed` says what would be right."""
    what = what_is(path)
    return f"{path}: {what}" if what.endswith("?") else f"{path}: {what}; {needed}"


def check_file(path: Path, needed: str) -> None:
    """Raises `InputError` if there is nothing at a path, or a folder; `needed`: as above."""
    if not path.exists() or path.is_dir():
        raise InputError(wrong_kind(path, needed))


def what_is(path: Path) -> str:
    """`is a file`: what is at a path, in words that follow its name."""
    if not path.exists():
        return _absent(path)
    if not path.is_dir():
        return "is a file, not a folder"
    if (path / SWEEP).is_file():
        return "is the folder of a sweep"
    if any(path.glob(f"*/{SWEEP}")):
        return "is a folder with several sweeps"
    if (path / RUN).is_file():
        return "is the folder of a run"
    return "is a folder without results"


def _absent(path: Path) -> str:
    """`does not exist; did you mean 'chain.toml'?`: what lies beside, and is called nearly so."""
    if path.is_symlink():
        return "is a symbolic link that leads nowhere"
    try:
        names = [each.name for each in path.parent.iterdir() if not each.name.startswith(".")]
    except OSError:
        names = []
    found = slip(path.name, names)
    return "does not exist" + (f"; did you mean '{path.parent / found}'?" if found else "")


def closed(path: str | os.PathLike[str]) -> Path | None:
    """What this user may not look at: the path itself, or the folder that it is in; or nothing."""
    there = Path(path)
    if os.path.lexists(there):
        needed = os.R_OK | os.X_OK if _is_folder(there) else os.R_OK
        return None if os.access(there, needed) else there
    # Of what is in a closed folder, nobody can say whether it exists.
    around = next(each for each in [*there.parents, Path()] if os.path.lexists(each))
    return None if os.access(around, os.X_OK) else around


def no_place(place: Path, error: OSError) -> InputError:
    """That results cannot go to a place: its folder cannot be read, or nothing be written there."""
    is_closed = _is_folder(place) and closed(place) is not None
    what = "cannot read it" if is_closed else "cannot write there"
    return InputError(f"{place}: {what}: {error.strerror}")


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - unlike a `Path`, it raises nothing
