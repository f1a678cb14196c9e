"""What is beside a result: figures, maps, tables. If one of them fails, the result stays."""

import contextlib
import errno
import os
import traceback
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from hopwright._io.errors import InputError, naming

Warn = Callable[[str], object]
"""Is told, in a line, what is not as it should be."""


def nobody(_line: str) -> None:
    """Nobody is told."""


FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system says where there is no more room."""


@contextlib.contextmanager
def extra(name: str, warn: Warn, file: Path | None = None) -> Iterator[None]:
    """Does something beside a result; if it fails, `warn` is told what is missing and why.

    `file`: what it writes; nothing half is left of it. A reader of the output that is gone is no
    failure of it.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except BaseException as error:
        # Libraries in Rust panic, which is no `Exception` in Python.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if "HOPWRIGHT_TRACEBACK" in os.environ:
            traceback.print_exc()
        if file is not None:
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        warn(f"{name} is missing: {_reason(error)}")


class MakingRoom:
    """Writes a result into a folder that has extras already: where the disk is full, they go."""

    def __init__(self, place: Path, warn: Warn | None, kept: Collection[str] = ()) -> None:
        """`warn` is told which extras are missing then; if nobody is told, all stay.

        `kept`: names of files that are no extras.
        """
        self._place, self._warn = place, warn or nobody
        there = [] if warn is None else place.rglob("*")
        files = [each for each in there if each.is_file() and each.name not in kept]
        self._extras = sorted(files, key=lambda file: file.stat().st_size)

    def write(self, file: Path, text: str) -> None:
        """Writes a file of the result. Raises `OSError` if it cannot be written without extras."""
        while True:
            try:
                # An error names the file alone: its folder has another name while it is written.
                with naming(file.name):
                    file.write_text(text, encoding="utf-8")
            except OSError as error:
                if error.errno not in FULL or not self._extras:
                    raise
                largest = self._extras.pop()
                largest.unlink()
                self._warn(
                    f"{largest.relative_to(self._place)} is missing: {error.strerror}; the room "
                    f"was needed for {file.name}"
                )
            else:
                return


def _reason(error: BaseException) -> str:
    if isinstance(error, (OSError, InputError)):
        return str(error)
    hint = "set HOPWRIGHT_TRACEBACK=1 to see where"
    return f"a fault of this program: {error!r} ({hint})"
