"""One style for every figure: what tells series apart where there is no colour.

Print and photocopies take colour away, and one reader in twenty sees little of it. So a series has
a dash pattern and a marker, or a grey and a hatch, of its own; neighbours differ most.
"""

import contextlib
import logging
import warnings
from collections.abc import Iterator
from importlib.resources import as_file, files
from typing import NamedTuple, TypeAlias

from hopwright._io.errors import InputError
from hopwright.figures.sizes import width_in

COLUMN_IN, PAGE_IN = width_in("column"), width_in("page")
"""The widths of a figure: one column of a paper, and both."""

Dashes: TypeAlias = "str | tuple[float, tuple[float, ...]]"


class Stroke(NamedTuple):
    """How the line of a series is drawn."""

    dashes: Dashes
    marker: str
    colour: str
    is_filled: bool
    size: float = 4.0

    def in_colour(self, colour: str) -> "Stroke":
        """The same, coloured."""
        return self._replace(colour=colour)


class Fill(NamedTuple):
    """How the bars of a series are drawn."""

    grey: str
    hatch: str
    ink: str
    """The hatch's own grey."""

    def in_colour(self, colour: str) -> "Fill":
        """The same, coloured; the hatch is as dark as can be told from it."""
        from matplotlib.colors import to_rgb

        return self._replace(
            grey=colour, ink="white" if luminance(to_rgb(colour)) < 0.5 else "black"
        )


STROKES = (
    Stroke("-", "o", "0.0", is_filled=True),
    Stroke((0, (4, 1.6)), "s", "0.4", is_filled=False),
    Stroke((0, (1, 1.3)), "^", "0.0", is_filled=True),
    Stroke((0, (6, 1.5, 1, 1.5)), "D", "0.4", is_filled=False),
    Stroke((0, (9, 2)), "v", "0.55", is_filled=True),
    Stroke((0, (4, 1.2, 1, 1.2, 1, 1.2)), "P", "0.0", is_filled=True, size=4.6),
    Stroke((0, (2, 2)), "X", "0.4", is_filled=True, size=4.6),
    Stroke((0, (9, 1.5, 3, 1.5)), "*", "0.0", is_filled=True, size=6.0),
)
"""Of lines, by the series' place."""

FILLS = (
    Fill("0.25", "", "0.25"),
    Fill("1.0", "////", "0.0"),
    Fill("0.55", "", "0.55"),
    Fill("1.0", "....", "0.0"),
    Fill("0.3", "xxx", "1.0"),
    Fill("1.0", "", "1.0"),
    Fill("0.75", "\\\\\\\\", "0.0"),
    Fill("0.1", "---", "1.0"),
)
"""Of bars, by the series' place."""

ALONE = Fill("0.75", "", "0.75")
"""Of bars that need not be told from others."""

MOST_SERIES = len(STROKES)


def luminance(rgb: tuple[float, float, float]) -> float:
    """How light a colour looks beside a grey: 0 to 1 (Rec. 709's weights)."""
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), rgb, strict=True))


SPLIT = "split them over several figures, of a sweep with --where KEY=VALUE"
"""What helps where there is too much for one figure."""


def check_count(count: int) -> None:
    """Raises `InputError` if there are more series than can be told apart."""
    if count > MOST_SERIES:
        raise InputError(
            f"{count} series in one figure cannot be told apart: at most {MOST_SERIES}; {SPLIT}"
        )


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Inside, Matplotlib has this project's settings, whatever the user's own are."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from matplotlib import style

    with (
        warnings.catch_warnings(),
        as_file(files("hopwright.figures") / "style.mplstyle") as sheet,
        style.context(["default", str(sheet)]),
    ):
        # `Figure` says in one line what this would say of each letter, again and again.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield
