"""The letters of figures: how wide they are, and what is done about those that cannot be shown."""

import math
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from hopwright._io.warn import to_caller

if TYPE_CHECKING:
    from collections.abc import Collection

    from matplotlib.figure import Figure
    from matplotlib.ft2font import FT2Font

FAMILIES = ("STIXGeneral", "DejaVu Sans")
"""The fonts of a figure, as `style.mplstyle` names them: the second has letters that the first
lacks, and comes with Matplotlib."""
UNKNOWN = "\ufffd"
"""Stands for what is no letter, such as a control character: SVG files may not have one in them."""
NO_LETTERS = frozenset({"Cc", "Cs", "Cn"})
"""Categories of Unicode: control characters, halves of letters, and what no letter has."""
MOST_TOLD = 10
AVERAGE = 0.53
"""The width of a letter, in parts of the font's size, of which `layout.CHARACTERS_PER_IN` fit."""
SIZE = 10.0
"""Of the font that is measured; any would do."""


def visible(text: str) -> str:
    """The text as all formats can have it; one that is alright stays as it is."""
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def _visible(letter: str) -> str:
    if letter == "\ufeff":
        return ""  # a mark of a file's beginning, at which the writer of PDF files fails
    if letter == "\n" or unicodedata.category(letter) not in NO_LETTERS:
        return letter
    return " " if letter.isspace() else UNKNOWN


def tell_boxes(drawing: "Figure") -> None:
    """Warns, in one line, of the letters in a drawing that no font of figures has."""
    from matplotlib.text import Text

    texts = (text.get_text() for text in drawing.findobj(Text))
    letters = dict.fromkeys("".join(text for text in texts if not text.isascii()))
    # What is never seen alone, such as a mark of the direction, needs no box.
    boxes = [each for each in letters if each.isprintable() and ord(each) not in _known()]
    if boxes:
        more = ", ..." if len(boxes) > MOST_TOLD else ""
        to_caller(
            f"the fonts of figures do not have {', '.join(boxes[:MOST_TOLD])}{more}: PDF and PNG "
            "files show boxes instead; the SVG file has the text"
        )


def room(text: str) -> int:
    """How many average letters a line needs room for: more than it has, if its own are wide."""
    return max(len(text), math.ceil(sum(map(_width, text)) / AVERAGE))


@cache
def _width(letter: str) -> float:
    """In parts of the font's size."""
    from matplotlib.ft2font import LoadFlags

    for font, known in _fonts():
        if ord(letter) in known:
            font.set_size(SIZE, 72)
            glyph = font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
            return float(glyph.linearHoriAdvance) / 2**16 / SIZE
    return 1.1  # a box


@cache
def _known() -> frozenset[int]:
    return frozenset(code for _, known in _fonts() for code in known)


@cache
def _fonts() -> "list[tuple[FT2Font, Collection[int]]]":
    """The fonts, and the codes of the letters that each has."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[name]))) for name in FAMILIES]
    return [(font, font.get_charmap().keys()) for font in fonts]
