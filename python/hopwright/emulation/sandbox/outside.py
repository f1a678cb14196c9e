"""The user's process: it starts the others and waits."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from hopwright._io.data import Json
from hopwright._io.errors import InputError
from hopwright.emulation.sandbox import waiting

NOT_EXECUTABLE = "exists, but cannot be executed"


def check_command(argv: Sequence[str]) -> None:
    """Raises `InputError` if there is no such program: to be asked before anything is made."""
    if not argv:
        raise InputError("no command: write it after --, such as -- ping 10.0.0.2")
    if not argv[0]:
        raise InputError("the name of the program is empty")
    if shutil.which(argv[0]) is None:
        is_there = os.path.sep in argv[0] and os.path.exists(argv[0])  # noqa: PTH110 - a word of the user's
        raise InputError(f"{argv[0]}: {NOT_EXECUTABLE if is_there else 'no such command'}")


def run(
    function: str,
    data: Json,
    *,
    names: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> int:
    """Does a job as process 1 of a sandbox, and returns its exit code. From the main thread.

    `function` is `module:name`; it is called with a `Job` and `data`, and returns an exit code. An
    error that it raises is reported as the command line does. `names` are known inside, with
    their IPv4 addresses; `descriptors` are open there, by the same numbers. SIGINT, SIGTERM and
    SIGHUP end the job.
    """
    order = {"function": function, "data": data, "names": dict(names or {})}
    mask = waiting.block()
    try:
        reader, writer = os.pipe()
        try:
            child = subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-P", "-m", "hopwright.emulation.sandbox.inside", str(reader)],
                pass_fds=[reader, *descriptors],
            )
        except BaseException:
            os.close(writer)
            raise
        finally:
            os.close(reader)
        # Open until the end: that this process lives is what the other one sees by it.
        with os.fdopen(writer, "w") as pipe:
            with contextlib.suppress(BrokenPipeError):
                print(json.dumps(order), file=pipe, flush=True)
            child.returncode = waiting.wait_for(child.pid)
        return child.returncode
    finally:
        waiting.restore(mask)
