"""Whether files that a command will write are in nobody's way."""

from collections.abc import Iterable
from pathlib import Path

from hopwright._io.errors import InputError
from hopwright._io.paths import no_place


def check_free(paths: Iterable[Path], option: str, *, overwrite: bool) -> None:
    """Raises `InputError` if a file is there already; `option` names files."""
    for path in paths:
        try:
            is_folder, is_there = path.is_dir(), path.exists()
        except OSError as error:
            raise no_place(path, error) from error
        if is_folder:
            raise InputError(f"{path}: is a folder; name another file with {option}")
        if is_there and not overwrite:
            raise InputError(f"{path}: exists already; add --overwrite or another {option}")
