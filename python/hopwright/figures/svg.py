"""A figure as SVG: the same figure gives the same bytes, and not more of them than can be seen."""

import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CENTS = re.compile(rb"(\.\d\d)\d+")
"""A coordinate's decimals: a hundredth of a point is the finest that anybody sees."""


def svg(figure: "Figure") -> bytes:
    """The file's bytes. Inside `styled`: identifiers are hashed with the style's salt."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "hopwright"})
    return re.sub(rb' d="[^"]*"', lambda path: _shorter(path[0]), buffer.getvalue())


def _shorter(path: bytes) -> bytes:
    """A path as before, in fewer letters; with curves in it, as it is: letters are drawn so."""
    if b"Q" in path or b"C" in path:
        return path
    return CENTS.sub(rb"\1", path).replace(b" \nL ", b" ")
