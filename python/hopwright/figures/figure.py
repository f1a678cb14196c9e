"""A figure together with the data it shows."""

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hopwright._io.out import write_all
from hopwright.figures.layout import keep_on_paper
from hopwright.figures.letters import tell_boxes
from hopwright.figures.style import COLUMN_IN, styled
from hopwright.figures.svg import svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Cell: TypeAlias = "str | float | int | None"

PNG_DPI = 300
SUFFIXES = (".svg", ".pdf", ".png", ".csv")
"""What `Figure.save` writes."""


class Figure:
    """A drawing and the numbers in it.

    Shown by notebooks as it is; `save` writes it in three formats, and its numbers beside it. The
    same numbers give the same bytes on the same version of Matplotlib.
    """

    def __init__(
        self,
        draw: "Callable[[Drawing], None]",
        data: Mapping[str, Sequence[Cell]],
        *,
        height_in: float,
        width_in: float = COLUMN_IN,
    ) -> None:
        """Draws at once, with the project's style.

        `data`: columns of one length, written to `<stem>.csv`. `height_in` and `width_in`:
        inches.
        """
        lengths = {len(column) for column in data.values()}
        if len(lengths) > 1:
            raise ValueError(f"data: columns of different lengths {sorted(lengths)}")
        self._data = {name: list(column) for name, column in data.items()}
        # Figure instead of pyplot: no global state, no window system.
        with styled():
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure as Drawing

            self._drawing = Drawing(figsize=(width_in, height_in))
            FigureCanvasAgg(self._drawing)
            draw(self._drawing)
            # Laid out once: each format would do it a little differently.
            self._drawing.draw_without_rendering()
            self._drawing.set_layout_engine("none")
            keep_on_paper(self._drawing)
        tell_boxes(self._drawing)

    @property
    def matplotlib(self) -> "Drawing":
        """The drawing, for changes of one's own: whatever is saved afterwards shows them.

        Its layout is done. `set_layout_engine("constrained")` has it done again.
        """
        return self._drawing

    @property
    def data(self) -> dict[str, list[Cell]]:
        """The numbers in the figure: columns by name, None where there is none."""
        return {name: list(column) for name, column in self._data.items()}

    def save(self, stem: str | os.PathLike[str]) -> list[Path]:
        """Writes `<stem>.svg`, `.pdf`, `.png` (300 dots per inch) and `.csv`; returns their paths.

        Each file appears complete or not at all, in the place of one that is there. A stem may end
        in one of the suffixes, which is then left out.
        """
        stem = bare(Path(stem))
        contents = {
            ".svg": self.svg(),
            ".pdf": self.pdf(),
            ".png": self.png(),
            ".csv": self.csv().encode(errors="replace"),
        }
        stem.parent.mkdir(parents=True, exist_ok=True)
        paths = places(stem)
        names = (path.name for path in paths)
        write_all(stem.parent, dict(zip(names, contents.values(), strict=True)))
        return paths

    def svg(self) -> bytes:
        """The figure as SVG; its text is text, which can be searched and changed."""
        with styled():
            return svg(self._drawing)

    def pdf(self) -> bytes:
        """The figure as PDF, fonts embedded as TrueType: publishers refuse Type 3."""
        buffer = io.BytesIO()
        with styled():
            about = {"Creator": "hopwright", "CreationDate": None}
            self._drawing.savefig(buffer, format="pdf", metadata=about)
        return buffer.getvalue()

    def png(self, dpi: int = PNG_DPI) -> bytes:
        """The figure as PNG; one channel only, a third of the bytes, if it has no colours."""
        from PIL import Image
        from PIL.PngImagePlugin import PngInfo

        raw = io.BytesIO()
        with styled():
            self._drawing.savefig(raw, format="png", dpi=dpi)
        image = Image.open(raw).convert("RGB")
        red, green, blue = image.split()
        if red.tobytes() == green.tobytes() == blue.tobytes():
            image = red
        about = PngInfo()
        about.add_text("Software", "hopwright")
        buffer = io.BytesIO()
        image.save(buffer, format="png", optimize=True, dpi=(dpi, dpi), pnginfo=about)
        return buffer.getvalue()

    def csv(self) -> str:
        """The figure's data, every digit of it; an empty cell where there is no value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self._data)
        writer.writerows(zip(*self._data.values(), strict=True))
        return text.getvalue()

    def _repr_svg_(self) -> str:
        return self.svg().decode()

    def _repr_png_(self) -> bytes:
        return self.png()


def bare(stem: Path) -> Path:
    """The stem without the suffix of a figure's file."""
    return stem.with_suffix("") if stem.suffix in SUFFIXES else stem


def places(stem: Path) -> list[Path]:
    """The files that `Figure.save` writes."""
    return [stem.with_name(bare(stem).name + suffix) for suffix in SUFFIXES]


def columns(names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> dict[str, list[Cell]]:
    """Rows of cells as columns by name."""
    table: dict[str, list[Cell]] = {name: [] for name in names}
    for row in rows:
        for name, cell in zip(names, row, strict=True):
            table[name].append(cell)
    return table
