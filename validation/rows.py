"""What a comparison comes to, and how it is printed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hopwright.statistics.moments import Moments
from intervals import Ratio, ratio_of_means
from own import Lab


@dataclass(frozen=True)
class Unit:
    """How a quantity is printed."""

    name: str
    scale: float
    digits: int

    def show(self, value: float) -> str:
        """A value, without its unit."""
        return f"{value * self.scale:.{self.digits}f}"


KBPS = Unit("kb/s", 1e-3, 2)
MICROSECONDS = Unit("µs", 1.0, 2)
COUNT = Unit("", 1.0, 1)
JOULES = Unit("J", 1.0, 3)


class Row(Protocol):
    """One line of the report."""

    @property
    def passes(self) -> bool | None:
        """The verdict; None where none is due."""

    def said(self) -> str:
        """What was found, on one line."""


@dataclass(frozen=True)
class Comparison:
    """A measured mean against a reference."""

    own: Moments
    reference: Moments
    ratio: Ratio
    tolerance: float | None
    """None: for information."""
    unit: Unit

    @property
    def passes(self) -> bool | None:
        """Whether the interval lies inside the tolerance."""
        return None if self.tolerance is None else self.ratio.within(self.tolerance)

    def said(self) -> str:
        """The ratio and its interval."""
        return show_ratio(self.ratio, self.tolerance)


@dataclass(frozen=True)
class Statement:
    """A finding in words."""

    text: str
    passes: bool | None

    def said(self) -> str:
        """The words."""
        return self.text


@dataclass(frozen=True)
class Entry:
    """One row to be."""

    name: str
    make: Callable[[Lab], Row]


def compare(own: Moments, other: Moments, tolerance: float | None, unit: Unit = KBPS) -> Comparison:
    """The row of two samples."""
    return Comparison(own, other, ratio_of_means(own, other), tolerance, unit)


def show_ratio(ratio: Ratio, tolerance: float | None) -> str:
    """Ratio, interval and tolerance, on one line."""
    digits = 4 if tolerance is None or tolerance >= 0.005 else 5
    shown = f"{ratio.value:.{digits}f} ({ratio.low:.{digits}f} to {ratio.high:.{digits}f})"
    return shown if tolerance is None else f"{shown}, to be within {show_percent(tolerance)}"


def show_percent(share: float) -> str:
    """A tolerance."""
    return f"± {share * 100:g} %"


def verdict(row: Row) -> str:
    """One word."""
    return {True: "pass", False: "**FAIL**", None: "–"}[row.passes]
