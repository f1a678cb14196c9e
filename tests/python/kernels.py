"""What the tests of `hopwright kernel` share."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hopwright._cli import kernel
from hopwright._io.errors import UnfinishedError

LATEST_S = 20.0


def missing(command: str = "list") -> str | None:
    """Why a command cannot be had here; None if it can."""
    try:
        path = kernel.program()
    except UnfinishedError as error:
        return str(error)
    words = [path, command, *(["--", "true"] if command == "measure" else [])]
    asked = subprocess.run(words, capture_output=True, text=True, check=False)
    said = asked.stderr.strip()
    # What this machine lacks is said with its kernel's version; any other failure is a fault.
    assert asked.returncode == 0 or "(Linux " in said, said
    return said if asked.returncode else None


def needing(command: str) -> pytest.MarkDecorator:
    """Skips a test where a command cannot be had."""
    why = missing(command)
    return pytest.mark.skipif(bool(why), reason=str(why))


def hopwright(*words: str) -> list[str]:
    """The command line of `hopwright kernel`."""
    return [sys.executable, "-m", "hopwright", "kernel", *words]


def run(*words: str, code: int = 0) -> str:
    """What it prints, or says is wrong."""
    done = subprocess.run(
        hopwright(*words), capture_output=True, text=True, check=False, timeout=60, stdin=-3
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on until it is told to end, or until the block ends, however it does."""
    pipe = subprocess.PIPE
    with subprocess.Popen(hopwright(*words), text=True, stdout=pipe, stderr=pipe) as it:
        try:
            yield it
        finally:
            it.kill()  # otherwise leaving waits for it: what failed in the block would hang


def until(is_so: object) -> None:
    """Waits until something holds."""
    assert callable(is_so)
    end = time.monotonic() + LATEST_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
