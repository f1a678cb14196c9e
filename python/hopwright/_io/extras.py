"""What is beside a result: figures, maps, tables. If one of them fails, the result stays."""

import contextlib
import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from hopwright._io.errors import InputError

Warn = Callable[[str], object]
"""Is told, in a line, what is not as it should be."""


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


def _reason(error: BaseException) -> str:
    if isinstance(error, (OSError, InputError)):
        return str(error)
    hint = "set HOPWRIGHT_TRACEBACK=1 to see where"
    return f"a fault of this program: {error!r} ({hint})"
