"""Figures that commands draw: where they go if nobody says so, and the line that names them."""

from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.free import check_free
from hopwright._io.errors import InputError
from hopwright._io.paths import no_place

if TYPE_CHECKING:
    from hopwright.figures.figure import Figure


def beside(folder: Path, kind: str) -> Path:
    """`results/grid-lines`: beside the folder, as inside it would be in the way of next results."""
    place = folder.resolve() if folder.name in {"", ".."} else folder
    return place.with_name(f"{place.name}-{kind}")


def check_stem(stem: Path, option: str, *, overwrite: bool) -> None:
    """Raises `InputError` if the figure cannot be called so, or a file is in its way."""
    from hopwright.figures.figure import places

    if not stem.name:
        raise InputError(f"{option} {stem}: name a file")
    check_free(places(stem), option, overwrite=overwrite)


def save(figure: "Figure", stem: Path) -> str:
    """Writes the figure; returns `results/grid-lines.svg, .pdf, .png, .csv`."""
    from hopwright.figures.figure import bare

    try:
        first, *others = figure.save(stem)
    except OSError as error:
        raise no_place(stem, error) from error
    return ", ".join([f"{bare(first)}{first.suffix}", *(path.suffix for path in others)])
