"""The page of a run that has just been made, beside its results."""

from collections.abc import Sequence
from pathlib import Path

from hopwright.extras import Warn, extra
from hopwright.view.command import write_page
from hopwright.view.folder import Run

VIEW = "view.html"


def write_beside(folder: Path, seeds: Sequence[int], warn: Warn) -> Path | None:
    """Writes the page of the run, of several that of the first; returns where it is.

    If that fails, `warn` is told, and the results stay.
    """
    place = folder if len(seeds) == 1 else folder / f"seed-{seeds[0]}"
    file = place / VIEW
    with extra(VIEW, warn, file):
        write_page([Run.at(place)], file)
    return file if file.is_file() else None
