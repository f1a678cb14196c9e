"""How wide figures are: the columns and pages of publishers, and slides."""

from hopwright._io.errors import InputError, near

MM_PER_IN = 25.4

SIZES_MM = {
    "column": 88.9,
    "page": 177.8,
    "ieee-column": 88.5,
    "ieee-page": 181.3,
    "acm-column": 84.7,
    "acm-page": 177.9,
    "springer-column": 83.9,
    "springer-page": 173.9,
    "lncs": 122.0,
    "slide": 140.0,
}
"""Widths by name, rounded down to what fits; `docs/figures.md` says where each is from."""


def width_in(size: str) -> float:
    """The width of a size in inches. Raises `InputError` for one that is not known."""
    if size not in SIZES_MM:
        raise InputError(f"--size {size}: there is no such size{near(size, SIZES_MM)}")
    return round(SIZES_MM[size] / MM_PER_IN, 4)
