"""Figures for papers: one function a kind, and one style.

Each takes plain numbers and labels, and returns a `Figure`, which notebooks show and which saves
itself as SVG, PDF and PNG, its data beside it. All can be read in black and white. A
`Look` says how wide they are, and which names and colours series have.

>>> from hopwright.figures import Line, lines
>>> figure = lines([Line("reno", [1, 2, 4], [700, 350, 150])], x_label="hops", y_label="kb/s")
>>> figure.save("goodput")
"""

from hopwright.figures.bars import Bars, bars
from hopwright.figures.boxes import boxes
from hopwright.figures.cdf import cdf
from hopwright.figures.figure import Figure
from hopwright.figures.heat_map import heat_map
from hopwright.figures.histogram import histogram
from hopwright.figures.lines import Line, lines
from hopwright.figures.look import Look
from hopwright.figures.path_lengths import path_lengths
from hopwright.figures.route_map import route_map
from hopwright.figures.samples import Samples
from hopwright.figures.time_series import time_series
from hopwright.figures.topology_map import topology_map

__all__ = [
    "Bars",
    "Figure",
    "Line",
    "Look",
    "Samples",
    "bars",
    "boxes",
    "cdf",
    "heat_map",
    "histogram",
    "lines",
    "path_lengths",
    "route_map",
    "time_series",
    "topology_map",
]


def __dir__() -> list[str]:
    return sorted(__all__)
