"""Warnings to whoever calls from Python; the command line writes them on standard error."""

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.errors import HopwrightWarning
from hopwright._io.streams import tell

if TYPE_CHECKING:
    from typing import TextIO

    from hopwright import _core

OWN = str(Path(__file__).parents[1]) + "/"


def to_caller(text: str, category: type[HopwrightWarning] = HopwrightWarning) -> None:
    """Warns at the line outside this package that led here, however deep that is."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 - skip_file_prefixes came with Python 3.12
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def doubts(scenario: "_core.Scenario") -> list[str]:
    """What is allowed in a scenario, but may not be meant: keys without effect, wrong units."""
    return [line for _, line in [*scenario.idle_parameters(), *scenario.unit_slips()]]


def on_standard_error() -> None:
    """From here on, this package's own warnings are lines as `warn` writes them."""
    warnings.showwarning = _show


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: "TextIO | None" = None,
    line: str | None = None,
) -> None:
    if issubclass(category, HopwrightWarning):
        warn(str(message))
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line)
        (file or sys.stderr).write(text)


def warn(line: str) -> None:
    """Says what is no mistake, but may not be meant."""
    tell(f"warning: {line}")
