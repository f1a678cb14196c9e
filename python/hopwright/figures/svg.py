"""SVG files of drawings: text as text, and the same bytes for the same drawing."""

import io
import re
from html import unescape
from typing import TYPE_CHECKING

from hopwright.figures.letters import FAMILIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT = b"'STIXGeneral'"
LAID_OUT = ", ".join(f"'{name}'" for name in FAMILIES).encode()
SHOWN = b", ".join(
    [FONT, b"'STIX Two Text'", b"'Times New Roman'", b"Times", b"'Liberation Serif'", b"serif"]
)
"""The main font that figures are laid out with, and those that stand for it where it is absent."""
TEXT = re.compile(rb'<text (style="font-size: ([\d.]+)px[^>]*)>([^<]+)</text>')
"""A text without formulas."""
PATH = re.compile(rb' d="[^"]*"')
CENTS = re.compile(rb"(\.\d\d)\d+")
"""A coordinate's decimals: a hundredth of a point is the finest that anybody sees."""


def svg(figure: "Figure") -> bytes:
    """The file's bytes. Inside `styled`: identifiers are hashed with the style's salt."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "hopwright"})
    written = TEXT.sub(_as_wide, buffer.getvalue()).replace(LAID_OUT, FONT).replace(FONT, SHOWN)
    return PATH.sub(lambda path: _shorter(path[0]), written)


def _as_wide(text: re.Match[bytes]) -> bytes:
    """The text with its width: letters of another font are drawn as wide as there is room for."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    look, size, letters = text.groups()
    font = FontProperties(family=FAMILIES, size=float(size))
    width, _, _ = text_to_path.get_text_width_height_descent(
        unescape(letters.decode()), font, ismath=False
    )
    room = f'textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs"'
    return b"<text " + look + b" " + room.encode() + b">" + letters + b"</text>"


def _shorter(path: bytes) -> bytes:
    """A path as before, in fewer letters; with curves in it, as it is: markers are drawn so."""
    if b"Q" in path or b"C" in path:
        return path
    return CENTS.sub(rb"\1", path).replace(b" \nL ", b" ")
