"""Files that the commands write: each whole, and never over what is there unless asked."""

from collections.abc import Iterable
from pathlib import Path

from hopwright._io.errors import InputError
from hopwright._io.paths import no_place


def place(text: str) -> Path | None:
    """The file to write that an option names; `-` is standard output, as without the option."""
    return None if text == "-" else Path(text)


def check_free(
    paths: Iterable[Path | None], *, overwrite: bool, sources: Iterable[Path | None] = ()
) -> None:
    """Raises `InputError` if a file cannot go there. Leaves no trace.

    `sources`: what is read, and must not be lost to what is made of it, whatever is asked for.
    """
    from hopwright._io.out import probe

    named = [path for path in paths if path is not None]
    read = {path.resolve() for path in sources if path is not None}
    for place, path in enumerate(named):
        if path.resolve() in read:
            raise InputError(f"{path}: is what is read; name another file to write")
        if path.resolve() in {other.resolve() for other in named[:place]}:
            raise InputError(f"{path}: is named twice; name another file for one of the results")
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file")
        if path.exists() and not overwrite:
            raise InputError(f"{path}: exists already; add --overwrite or name another file")
        if not path.parent.is_dir():
            raise InputError(f"{path}: there is no folder {path.parent}")
        try:
            probe(path.parent)
        except OSError as error:
            raise no_place(path, error) from error


def write(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Writes a file."""
    from hopwright._io.out import write_whole

    check_free([path], overwrite=overwrite)  # somebody else may have written there meanwhile
    try:
        write_whole(path, content)
    except OSError as error:
        raise no_place(path, error) from error
