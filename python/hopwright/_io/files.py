"""Input files: read whole, but only what is a file, and no larger than there is reason for.

A pipe that nobody writes to would be waited for, and a device such as `/dev/zero` has no end.
"""

import os
from pathlib import Path

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright._io.paths import what_is

MIB = 1 << 20
MOST_TEXT_BYTES = 64 * MIB
"""The largest file that a person writes: as in Rust, see `crates/scenario/src/file.rs`."""
MOST_BYTES = 16 * 1024 * MIB
"""The largest file of results."""

MARK = "\ufeff"
"""The byte order mark."""


def read_bytes(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The content of a regular file of up to `most` bytes. Raises `InputError`."""
    try:
        return _core.read_file(path, most)
    except FileNotFoundError as error:
        raise InputError(f"{path}: {what_is(Path(path))}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: cannot read it: {error}") from error


def read_text(path: str | os.PathLike[str], most: int = MOST_TEXT_BYTES) -> str:
    """The same of a text in UTF-8. Raises `InputError`.

    The mark that Windows programs put before a text is no part of it: no reader needs to know it.
    """
    try:
        return read_bytes(path, most).decode().removeprefix(MARK)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not text in UTF-8, at byte {error.start}") from error
