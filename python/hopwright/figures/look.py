"""How a figure is to look: its size, and the names, the order and the colours of its series."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from hopwright._io.errors import InputError, near
from hopwright._io.in_python import in_python
from hopwright._io.names import Names, check_known, with_parts
from hopwright.figures.sizes import width_in

if TYPE_CHECKING:
    from matplotlib.colors import Colormap


class _Drawn(Protocol):
    def in_colour(self, colour: str) -> Self: ...


D = TypeVar("D", bound=_Drawn)


@in_python
@dataclass(frozen=True, kw_only=True)
class Look(Names):
    """What a paper asks of its figures.

    Attributes:
        size: A name of `hopwright.figures.sizes`.
        colour: A palette of Matplotlib's for all series, or a colour by name; else all is grey.
            Dashes, markers and hatches stay: whoever sees no colour can tell series apart, too.
    """

    size: str = "column"
    colour: str | Mapping[str, str] = ""

    def __post_init__(self) -> None:
        width_in(self.size)  # raises where there is no such size

    @property
    def width_in(self) -> float:
        """Inches."""
        return width_in(self.size)

    def check(self, names: Iterable[str], texts: Iterable[str] = ()) -> None:
        """As of `Names`, for colours as well."""
        known = list(names)
        super().check(known, texts)
        if isinstance(self.colour, str) or self.is_checked:
            return
        check_known("--colour", self.colour, with_parts(*known))

    def check_grey(self, what: str) -> None:
        """Raises `InputError` for colours of what has no series."""
        if self.colour:
            raise InputError(f"--colour cannot be used with {what}")

    def check_series_colours(self) -> None:
        """Raises `InputError` for a palette that there is not, or a colour that is none."""
        if isinstance(self.colour, str):
            self.colours([])
            return
        for colour in self.colour.values():
            _hex(colour)

    def for_texts(self, texts: Mapping[str, str]) -> Self:
        """As of `Names`, for colours as well."""
        found = super().for_texts(texts)
        if isinstance(self.colour, str):
            return found
        colours = {texts.get(name, name): colour for name, colour in self.colour.items()}
        return replace(found, colour=colours)

    def in_colours(self, names: Sequence[str], drawn: Sequence[D]) -> list[D]:
        """How series of these names are drawn, of which each has a look without colour."""
        colours = self.colours(names)
        return [
            each if colour is None else each.in_colour(colour)
            for each, colour in zip(drawn, colours, strict=False)
        ]

    def colours(self, names: Sequence[str]) -> list[str | None]:
        """The colours of series, None of a grey one. Raises `InputError` for one that is none."""
        if isinstance(self.colour, str):
            palette = _palette(self.colour) if self.colour else [None]
            return [palette[place % len(palette)] for place in range(len(names))]
        found = (
            (self.colour[part] for part in with_parts(name) if part in self.colour)
            for name in names
        )
        return [_hex(next(each, "")) for each in found]

    def colour_map(self) -> "Colormap | None":
        """The colours of a heat map; None: greys. Raises `InputError` if there is no such map."""
        from matplotlib import colormaps

        if not self.colour:
            return None
        if not isinstance(self.colour, str) or self.colour not in colormaps:
            asked = self.colour if isinstance(self.colour, str) else next(iter(self.colour))
            raise InputError(
                f"--colour {asked}: a heat map takes a colour map of Matplotlib's, such as viridis"
            )
        return colormaps[self.colour]


def _palette(name: str) -> list[str | None]:
    from matplotlib import color_sequences
    from matplotlib.colors import to_hex

    known = {each.replace("_", "-"): each for each in color_sequences}
    if name not in known:
        raise InputError(
            f"--colour {name}: there is no such palette{near(name, known)}; a colour is NAME=COLOUR"
        )
    return [to_hex(colour) for colour in color_sequences[known[name]]]


def _hex(colour: str) -> str | None:
    from matplotlib.colors import is_color_like, to_hex

    if not colour:
        return None
    if not is_color_like(colour):
        raise InputError(f"--colour {colour}: is no colour, such as red or #0072b2")
    return to_hex(colour)


PLAIN = Look()
"""One column wide, grey, under the names that things have."""
