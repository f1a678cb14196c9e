"""What a path is: for messages about a path that is not there, or of the wrong kind."""

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
        return f"does not exist{similar(path)}"
    if not path.is_dir():
        return "is a file, not a folder"
    if (path / SWEEP).is_file():
        return "is the folder of a sweep"
    if any(path.glob(f"*/{SWEEP}")):
        return "is a folder with several sweeps"
    if (path / RUN).is_file():
        return "is the folder of a run"
    return "is a folder without results"


def similar(path: Path) -> str:
    """`; did you mean 'chain.toml'?`: what lies beside, and is called nearly so; or nothing."""
    try:
        names = [each.name for each in path.parent.iterdir() if not each.name.startswith(".")]
    except OSError:
        return ""
    found = slip(path.name, names)
    return f"; did you mean '{path.parent / found}'?" if found else ""
