"""The page of a run as a program in Python holds it: a file, which notebooks show."""

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

HEIGHT_PX = 640
"""Of the page in a notebook: room for the map, some lanes, and the clock."""


@dataclass(frozen=True)
class Shown(os.PathLike[str]):
    """A page that was written.

    Attributes:
        file: Where it is.
    """

    file: Path

    def open(self) -> bool:
        """Opens it in a browser of this machine; False if there is none."""
        import webbrowser

        return webbrowser.open(self.file.resolve().as_uri())

    def __fspath__(self) -> str:
        return str(self.file)

    def __str__(self) -> str:
        return str(self.file)

    def _repr_html_(self) -> str:
        # Within the cell: a notebook's server may not reach the file.
        page = escape(self.file.read_text(encoding="utf-8"))
        style = f"width: 100%; height: {HEIGHT_PX}px; border: 0"
        return f'<iframe title="{escape(str(self.file))}" style="{style}" srcdoc="{page}"></iframe>'
