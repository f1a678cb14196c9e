"""A series of single values, of which a figure shows how they are spread."""

from dataclasses import dataclass

from hopwright.figures.values import Numbers


@dataclass(frozen=True, eq=False)
class Samples:
    """One series: values in any order."""

    name: str
    values: Numbers
