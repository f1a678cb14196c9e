"""Tasks for other processes, which import them by this module's name."""

import os
import tempfile
import time

from hopwright.research.papers.totals import NoNumberError


def half(number: float) -> float:
    if number == 13:
        raise NoNumberError("13 has none")
    if number == 17:
        raise ZeroDivisionError("17")
    print("what is printed is no answer")
    return number / 2


def end(code: int) -> None:
    os._exit(code)


def own_id(_task: None) -> int:
    return os.getpid()


def leave_a_file(_task: None) -> str:
    return tempfile.mkdtemp()


def wait(seconds: float) -> None:
    time.sleep(seconds)
