"""The page of a run that has just been made, beside its results."""

from collections.abc import Sequence
from pathlib import Path

from hopwright._io.extras import Warn, extra
from hopwright.view.folder import NEEDED, Run
from hopwright.view.page import write_page

VIEW = "view.html"


def write_beside(folder: Path, seeds: Sequence[int], warn: Warn) -> Path | None:
    """Writes the page of the run, of several that of the first; returns where it is.

    If that fails, `warn` is told, and the results stay.
    """
    place = folder if len(seeds) == 1 else folder / f"seed-{seeds[0]}"
    absent = [name for name in NEEDED if not (place / name).is_file()]
    if absent:
        # The run could not write them, and has told why: to run it again, as `Run.at` says, is no
        # advice here.
        warn(f"{VIEW} is missing: it is made from {' and '.join(absent)}")
        return None
    file = place / VIEW
    with extra(VIEW, warn, file):
        write_page([Run.at(place)], file)
    return file if file.is_file() else None
