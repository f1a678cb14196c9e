"""`hopwright topology`: who can reach whom over how many hops, and for how long links last."""

import argparse
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._cli.whole import whole
from hopwright._io.data import Object, number
from hopwright._io.errors import InputError
from hopwright._io.extras import Warn, extra
from hopwright._run.runs import LARGEST_SEED, core_count
from hopwright.topology.report import LONG_HOPS, SHORT_SHARE, Report, Seen, instants

if TYPE_CHECKING:
    from rich.table import Table

    from hopwright._cli.arguments import _Parser
    from hopwright.figures.figure import Figure

EXIT_CODES = "Exit codes: 0 done, 2 the input is wrong, 130 interrupted."
MOST_NODES = 2_000
MOST_INSTANTS = 1_000_000
FORMATS = ("ns2", "bonnmotion")
QUANTITIES = {
    "mean_degree": ("neighbours of a node", 1.0, ""),
    "links": ("links", 1.0, ""),
    "partitions": ("partitions", 1.0, ""),
    "largest_partition_share": ("nodes in the largest partition", 100.0, " %"),
    "joined_pairs_share": ("pairs that a path joins", 100.0, " %"),
}


def add_topology(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Says what the network of a scenario does over time, without a run: how many links, "
        "partitions and pairs with a path there are, how long links last (exact times), how many "
        "hops apart pairs of nodes are on average while a path joins them. Links are as long as "
        "the reception range. With --out, the same as JSON, CSV and figures. With --export, prints "
        "the nodes' ways as a movement file for another program instead; with --capacity, what "
        "flows could get at most."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("file", type=Path, metavar="FILE", help="the scenario, a TOML file")
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of the scenario, such as mobility.max_speed_mps=5; may be given several "
        "times",
    )
    parser.option(
        "--seed", type=whole(0, LARGEST_SEED), metavar="N", help="seed, instead of the scenario's"
    )
    parser.option(
        "--runs",
        type=whole(1, 1_000_000),
        default=1,
        metavar="N",
        help="look at N seeds together: SEED, SEED+1, ... [1]",
    )
    parser.option(
        "--step", type=float, default=1.0, metavar="S", help="seconds between instants [1]"
    )
    parser.option(
        "--bins",
        choices=("fd", "sturges"),
        default="fd",
        help="classes of the histogram: Freedman and Diaconis, or Sturges [fd]",
    )
    parser.option("--json", action="store_true", help="print the report as JSON, nothing else")
    parser.option("--out", type=Path, metavar="DIR", help="folder to write, new or empty")
    parser.option(
        "--export", choices=FORMATS, metavar="FORMAT", help="print a movement file: ns2, bonnmotion"
    )
    parser.option(
        "--capacity",
        action="store_true",
        help="print instead what the flows could get at most: a linear programme over all that can "
        "be on the air at once",
    )
    parser.option(
        "--at",
        type=float,
        metavar="S",
        help="with --capacity: of the network so many seconds after the start [0]",
    )
    parser.set_defaults(do=_do_topology)
    return parser


def _do_topology(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import load, parse_overrides, printing, warn

    overrides = parse_overrides(options.set, example="mobility.max_speed_mps=5")
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    if not (options.step > 0 and math.isfinite(options.step)):
        raise InputError(f"--step {options.step:g}: must be above 0")
    scenario = load(options.file, overrides)
    if options.export is not None:
        _refuse_beside_export(options)
        sys.stdout.write(scenario.movement_as(options.export))
        return
    if options.capacity:
        _print_capacity(scenario, options)
        return
    if options.at is not None:
        raise InputError("--at goes with --capacity")
    _check_size(scenario, options)
    if options.out is not None:
        from hopwright._io.out import check_folder

        check_folder(options.out, overwrite=False)
    report = report_of(scenario, runs=options.runs, step_s=options.step, bins=options.bins)
    if options.out is not None:
        write(report, scenario, options.out, warn)
    if options.json:
        from hopwright.results.summary import to_json

        sys.stdout.write(to_json(report.to_object()))
        return
    if options.out is None:
        print_report(report)
        return
    with printing(f"{options.out}"):
        print_report(report)
        print(f"\nresults in {options.out}")


def _print_capacity(scenario: _core.Scenario, options: argparse.Namespace) -> None:
    from hopwright.topology.capacity_report import capacity_of, print_capacity

    if options.out is not None:
        raise InputError("--out does not go with --capacity, which is one table: take --json")
    at_s = 0.0 if options.at is None else options.at
    if not 0 <= at_s <= scenario.duration_s:
        raise InputError(f"--at {at_s:g}: must lie within the run, 0 to {scenario.duration_s:g} s")
    _check_seeds(scenario, options)
    found = capacity_of(scenario, runs=options.runs, at_s=at_s)
    if options.json:
        from hopwright.results.summary import to_json

        sys.stdout.write(to_json(found.to_object()))
        return
    print_capacity(found)


def _refuse_beside_export(options: argparse.Namespace) -> None:
    for name, is_given in (
        ("--capacity", options.capacity),
        ("--json", options.json),
        ("--out", options.out is not None),
        ("--runs", options.runs != 1),
    ):
        if is_given:
            raise InputError(f"{name} does not go with --export, which prints a movement file")


def _check_seeds(scenario: _core.Scenario, options: argparse.Namespace) -> None:
    if scenario.seed + options.runs - 1 > LARGEST_SEED:
        raise InputError(f"--runs {options.runs}: the last seed would exceed {LARGEST_SEED}")


def _check_size(scenario: _core.Scenario, options: argparse.Namespace) -> None:
    _check_seeds(scenario, options)
    if scenario.node_count > MOST_NODES:
        raise InputError(
            f"{scenario.name}: has {scenario.node_count} nodes; paths between all of up to "
            f"{MOST_NODES:,} can be looked at"
        )
    if instants(scenario.duration_s, options.step) > MOST_INSTANTS:
        raise InputError(
            f"--step {options.step:g}: at most {MOST_INSTANTS:,} instants; take a longer step"
        )


def report_of(
    scenario: _core.Scenario, *, runs: int = 1, step_s: float = 1.0, bins: str = "fd"
) -> Report:
    """Looks at a scenario with its own seed and the following ones.

    Raises `ScenarioError` where a seed leaves a flow without a way.
    """
    seeds = range(scenario.seed, scenario.seed + runs)
    with ThreadPoolExecutor(min(core_count(), runs)) as pool:
        seen = list(pool.map(lambda seed: Seen.of(scenario, seed, step_s), seeds))
    return Report(scenario=scenario.name, step_s=step_s, bins=bins, runs=seen)


def print_report(report: Report) -> None:
    """Prints the report on standard output."""
    from rich.text import Text

    from hopwright._io.console import standard_output

    console = standard_output()
    first = report.runs[0]
    seeds = f"seed {first.seed}"
    if len(report.runs) > 1:
        seeds = f"seeds {first.seed} to {report.runs[-1].seed}"
    heading = (
        f"{report.scenario}: {first.nodes} nodes, {first.end_s:g} s, {seeds}, "
        f"links of up to {first.range_m:.0f} m, every {report.step_s:g} s"
    )
    console.print(Text(heading, style="bold"))
    for table in (_over_time(report), _links(report), _paths(report)):
        console.print()
        console.print(table)


def simple_table(*titles: str) -> "Table":
    """A table with these titles, all but the first over numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place else "left", no_wrap=True)
    return table


def _over_time(report: Report) -> "Table":
    table = simple_table("over time", "mean", "least", "most")
    for name, values in report.over_time().items():
        said, scale, unit = QUANTITIES[name]
        table.add_row(said, *(f"{value * scale:.1f}{unit}" for value in values))
    return table


def _links(report: Report) -> "Table":
    found = report.links()

    def shown(name: str) -> str:
        value = found[name]
        return "–" if value is None else f"{value:.2f}"

    table = simple_table("links", "")
    table.add_row("changes per second", shown("changes_per_s"))
    table.add_row("seconds linked per break", shown("linked_s_per_break"))
    table.add_row("links that came up and broke", f"{found['complete']} of {found['contacts']}")
    for name, said in (
        ("p10_s", "their lifetime, s: a tenth is below"),
        ("median_s", "half is below"),
        ("mean_s", "mean"),
        ("p90_s", "nine tenths are below"),
    ):
        table.add_row(said, shown(name))
    return table


def _paths(report: Report) -> "Table":
    found = report.paths()
    table = simple_table("mean path of a pair while joined", "")
    table.add_row("pairs ever joined", f"{found['ever_joined']} of {found['pairs']}")
    for name, said in (
        ("mean_hops", "mean, hops"),
        ("median_hops", "half of the pairs are below"),
        ("p95_hops", "95 % are below"),
        ("largest_hops", "largest"),
    ):
        value = found.get(name)
        shown = f"{value:.2f}" if isinstance(value, float) else "–"
        table.add_row(said, shown + _interval(found, name, "{:.2f}"))
    share = found.get(SHORT_SHARE)
    if isinstance(share, float):
        interval = _interval(found, SHORT_SHARE, "{:.1f}", 100)
        table.add_row(f"pairs of up to {LONG_HOPS} hops", f"{100 * share:.1f} %{interval}")
    return table


def _interval(paths: Object, name: str, form: str, scale: float = 1) -> str:
    """The interval over runs, if there are several."""
    low, high = number(paths, "ci95", name, 0), number(paths, "ci95", name, 1)
    if low is None or high is None:
        return ""
    return f" ({form} to {form})".format(scale * low, scale * high)


def write(
    report: Report,
    scenario: _core.Scenario,
    folder: Path,
    warn: Warn = lambda _line: None,
) -> None:
    """Writes report, tables and figures into a folder, which must be new or empty.

    `warn` is told if figures are missing.
    """
    from hopwright._io.out import new_folder
    from hopwright.results.summary import to_json

    with new_folder(folder, overwrite=False) as place:
        (place / "topology.json").write_text(to_json(report.to_object()), encoding="utf-8")
        text, files = scenario.in_one_folder()
        for name, content in [("scenario.toml", text), *files]:
            (place / name).write_text(content, encoding="utf-8")
        for name, text in report.files().items():
            (place / name).write_text(text, encoding="utf-8")
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
