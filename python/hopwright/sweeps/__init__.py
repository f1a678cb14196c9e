"""Sweeps: a scenario at many settings and seeds, on any number of machines, in one table."""

from hopwright.sweeps.axes import Range
from hopwright.sweeps.outcome import Sweep
from hopwright.sweeps.perform import sweep
from hopwright.sweeps.points import Point

__all__ = ["Point", "Range", "Sweep", "sweep"]


def __dir__() -> list[str]:
    return sorted(__all__)
