"""The folder of a report: JSON, CSV and figures."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._io.data import json_of
from hopwright._io.errors import InputError, naming
from hopwright._io.extras import Warn, extra
from hopwright._io.files import read_bytes
from hopwright._io.out import Kind, new_folder
from hopwright.topology.report import Report

if TYPE_CHECKING:
    from hopwright.figures.figure import Figure

NUMBERS = "topology.json"


def write(
    report: Report,
    scenario: _core.Scenario,
    folder: Path,
    warn: Warn = lambda _line: None,
    *,
    overwrite: bool = False,
) -> None:
    """Writes report, tables and figures into a folder, which must be new or empty.

    With `overwrite`, an earlier report may be there. `warn` is told if figures are missing.
    """
    from hopwright.results.summary import to_json

    text, files = scenario.in_one_folder()
    contents = [(NUMBERS, to_json(report.to_object())), ("scenario.toml", text), *files]
    with new_folder(folder, overwrite=overwrite, of=TOPOLOGY) as place:
        for name, content in [*contents, *report.files().items()]:
            with naming(folder / name):
                (place / name).write_text(content, encoding="utf-8")
        for name, draw in FIGURES.items():
            with extra(f"the figure {name}", warn):
                figure = draw(report, scenario)
                if figure is not None:
                    figure.save(place / name)


def _path_lengths(report: Report, _scenario: _core.Scenario) -> "Figure | None":
    from hopwright.figures import histogram

    edges, counts = report.histogram()
    if not counts:
        return None
    label = "mean length of a pair's path (hops)"
    return histogram(
        edges, counts, x_label=label, y_label="share of pairs (%)", title=report.scenario
    )


def _lifetimes(report: Report, _scenario: _core.Scenario) -> "Figure | None":
    from hopwright.figures import Samples, cdf

    lifetimes = [value for run in report.runs for value in run.lifetimes()]
    if not lifetimes:
        return None
    samples = [Samples("links", lifetimes)]
    return cdf(samples, x_label="lifetime of a link (s)", title=report.scenario)


def _of_first(report: Report) -> str:
    """The title of a figure of the first seed alone."""
    several = len(report.runs) > 1
    return f"{report.scenario}, seed {report.runs[0].seed}" if several else report.scenario


def _connectivity(report: Report, _scenario: _core.Scenario) -> "Figure | None":
    from hopwright.figures import Line, lines

    first = report.runs[0]
    series = first.series()
    times = series["time_s"]
    if len(times) < 2:
        return None
    pairs = max(first.nodes * (first.nodes - 1) // 2, 1)
    shares = [
        Line("pairs joined", times, [100 * n / pairs for n in series["joined"]]),
        Line("largest partition", times, [100 * n / first.nodes for n in series["largest"]]),
    ]
    return lines(shares, x_label="time (s)", y_label="share (%)", title=_of_first(report))


def _over_seconds(column: str, said: str, report: Report) -> "Figure | None":
    """A column of the series of the first seed."""
    from hopwright.figures import Line, lines

    series = report.runs[0].series()
    times = series["time_s"]
    if len(times) < 2:
        return None
    line = [Line(said, times, series[column])]
    return lines(line, x_label="time (s)", y_label=said, title=_of_first(report))


def _partitions(report: Report, _scenario: _core.Scenario) -> "Figure | None":
    return _over_seconds("partitions", "partitions", report)


def _mean_degree(report: Report, _scenario: _core.Scenario) -> "Figure | None":
    return _over_seconds("mean_degree", "neighbours of a node", report)


def _map(report: Report, scenario: _core.Scenario) -> "Figure":
    from hopwright.figures import topology_map
    from hopwright.results.network import network_of

    network = network_of(scenario)
    return topology_map(
        network.positions_m[0],
        range_m=report.runs[0].range_m,
        down=network.down_in(0),
        title=f"{_of_first(report)}, at 0 s",
    )


FIGURES = {
    "path-lengths": _path_lengths,
    "lifetimes": _lifetimes,
    "connectivity": _connectivity,
    "partitions": _partitions,
    "mean-degree": _mean_degree,
    "map": _map,
}
"""By the names of their files. A figure with nothing to show is `None`."""


def _is_own(folder: Path) -> bool:
    """Whether `hopwright topology` wrote this folder."""
    try:
        report = json_of(read_bytes(folder / NUMBERS))
    except (InputError, ValueError):
        return False
    written = isinstance(report, dict) and {"scenario", "runs"} <= report.keys()
    return written and (folder / "scenario.toml").is_file()


TOPOLOGY = Kind(
    re.compile(
        r"topology\.json|scenario\.toml|scenario-(movement|coefficients)\.\w+"
        rf"|(snapshots|pairs|links)\.csv|({'|'.join(FIGURES)})\.(svg|pdf|png|csv)"
    ),
    _is_own,
)
"""What `hopwright topology` writes into its folder."""
