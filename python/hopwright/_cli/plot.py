"""`hopwright plot`: a figure of a sweep, of a run, or of a scenario."""

import argparse
import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.chosen import add_flow, add_where_values, chosen_of
from hopwright._cli.drawn import beside, check_stem, save
from hopwright._cli.look import add_look, look_of
from hopwright._cli.whole import real, whole
from hopwright._io.data import json_of
from hopwright._io.errors import InputError, near
from hopwright._io.files import read_bytes
from hopwright._io.paths import check_file

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser
    from hopwright._io.data import Json
    from hopwright.figures.figure import Figure
    from hopwright.figures.look import Look
    from hopwright.figures.of_run import RunOptions

EXIT_CODES = "Exit codes: 0 done, 2 the input is wrong, 130 interrupted."
MOST_VALUES = 1_000_000_000
OF_SWEEPS = ("--x", "--by", "--value", "--where", "--log-x")
OF_RUNS = ("--at", "--moving-average")


def add_plot(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Draws a figure. Writes it as SVG, PDF and PNG, and its data as CSV. KIND for a sweep: "
        "lines, bars (means over runs with 95 % intervals), boxes, cdf (one value for each run), "
        "heat. For a run: time (a column of series.parquet over time), topology, routes, paths "
        "(how many hops apart nodes are). For a scenario: topology, paths. Options that are not "
        "given are guessed from the keys that the sweep varied. For several flows, lines and bars "
        "show the sum, the worst flow and Jain's index. All figures can be read in black and white."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument(
        "place", type=Path, metavar="DIR", help="folder of a sweep or a run; or a scenario FILE"
    )
    parser.add_argument("kind", nargs="?", metavar="KIND", help="kind of figure [guessed]")
    parser.option("--x", metavar="KEY", help="column of the x axis, such as topology.hops")
    parser.option(
        "--y",
        metavar="KEY",
        help="result to draw, such as goodput_bps; for a heat map, the column of the y axis; for a "
        "run, a column of series.parquet",
    )
    parser.option(
        "--by",
        action="append",
        metavar="KEY",
        help="column whose values are separate series; may be given several times [all varied "
        "columns]",
    )
    parser.option("--value", metavar="KEY", help="result that a heat map shows")
    add_where_values(parser, "only runs in which KEY has one of these values")
    add_flow(parser)
    parser.option(
        "--at", type=real, metavar="S", help="time of the positions that a map shows, seconds [0]"
    )
    parser.option(
        "--moving-average",
        type=whole(2, MOST_VALUES),
        metavar="N",
        help="draw also the moving average of N successive values of a series",
    )
    parser.option("--log-x", action="store_true", help="logarithmic x axis")
    parser.option("--log-y", action="store_true", help="logarithmic y axis")
    add_look(parser)
    parser.option(
        "--wide", action="store_true", help="draw over two columns of a paper: --size page"
    )
    parser.option(
        "--title",
        metavar="TEXT",
        help="title; an empty TEXT means no title [name of the run; none for a sweep]",
    )
    parser.option(
        "--out", type=Path, metavar="STEM", help="file to write, without its suffix [DIR-KIND]"
    )
    parser.option("--overwrite", action="store_true", help="replace existing files")
    parser.set_defaults(do=_do_plot)
    return parser


@dataclass(frozen=True)
class _Drawn:
    figure: "Figure"
    kind: str
    said: str
    place: Path
    """Beside it the figure goes if nobody says so."""


def _do_plot(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import printing

    # Where the name is known, a file in the way is found before anything is drawn.
    if options.out is not None:
        check_stem(options.out, "--out", overwrite=options.overwrite)
    drawn = _draw(options)
    stem = options.out or beside(drawn.place, drawn.kind)
    check_stem(stem, "--out", overwrite=options.overwrite)
    files = save(drawn.figure, stem)
    with printing(files, "the line about the figure"):
        print(f"{drawn.kind}: {drawn.said}\n{files}")


def _draw(options: argparse.Namespace) -> _Drawn:
    from hopwright.figures.results import RESULTS
    from hopwright.sweeps.folder import PLAN
    from hopwright.sweeps.unfinished import no_table

    place: Path = options.place
    if place.is_dir():
        if (place / RESULTS).is_file():
            return _of_sweep(place, options)
        if (place / "summary.json").is_file():
            return _of_run(place, options)
        within = [each.parent for each in sorted(place.glob(f"*/{RESULTS}"))]
        if within:
            raise InputError(f"{place}: holds several sweeps; name one, such as {within[0]}")
        # A sweep that was killed, or a scenario's sweep of a comparison.
        for plan in (place / PLAN, *sorted(place.glob(f"*/{PLAN}"))):
            if plan.is_file():
                raise no_table(plan.parent)
        raise InputError(f"{place}: has no results: neither {RESULTS} nor summary.json")
    check_file(place, "name a scenario or a folder of results")
    return _of_scenario(place, options)


def _of_sweep(folder: Path, options: argparse.Namespace) -> _Drawn:
    from hopwright._io.warn import warn
    from hopwright.figures.of_sweep import KINDS, SweepOptions, sweep_figure
    from hopwright.figures.results import Results
    from hopwright.sweeps.unfinished import unfinished

    _check_kind(options.kind, KINDS, f"{folder} is a sweep")
    _refuse(options, OF_RUNS, "a sweep")
    results = Results.read(folder)
    with contextlib.suppress(InputError):  # a figure needs no plan, and no journal
        lacks = unfinished(folder, results.runs)
        if lacks is not None:
            warn(str(lacks))
    where, flows = chosen_of(options)
    results = results.where(where)
    for line in results.starved():
        warn(line)
    # Last: who starves does so beside the others.
    results = results.of_flows(flows)
    wanted = SweepOptions(
        x=options.x,
        y=options.y,
        by=options.by,
        value=options.value,
        title=options.title or "",
        log_x=options.log_x,
        log_y=options.log_y,
        look=_look(options),
        warn=warn,
    )
    figure, kind, said = sweep_figure(results, options.kind, wanted)
    return _Drawn(figure, kind, said, folder)


def _of_run(folder: Path, options: argparse.Namespace) -> _Drawn:
    from hopwright._io.warn import warn
    from hopwright.emulation.folder import OPEN_LOOP, is_open_loop
    from hopwright.figures.of_run import RUN_KINDS, run_figure

    _check_kind(options.kind, RUN_KINDS, f"{folder} is a run")
    _refuse(options, OF_SWEEPS, "a run")
    content = read_bytes(folder / "summary.json")
    try:
        summary: Json = json_of(content)
    except ValueError as error:
        raise InputError(f"{folder / 'summary.json'}: cannot be read: {error}") from error
    if is_open_loop(folder):
        warn(OPEN_LOOP)
    figure, kind, said = run_figure(folder, summary, options.kind, _run_options(options))
    return _Drawn(figure, kind, said, folder)


def _of_scenario(file: Path, options: argparse.Namespace) -> _Drawn:
    from hopwright._io.source import load
    from hopwright.figures.of_run import SCENARIO_KINDS, network_at, network_figure
    from hopwright.results.chosen import check_flows

    kind = options.kind or SCENARIO_KINDS[0]
    _check_kind(kind, SCENARIO_KINDS, f"{file} is a scenario that has not run")
    _refuse(options, (*OF_SWEEPS, "--y", "--log-y", "--moving-average"), "a scenario")
    scenario = load(file, [])
    network = network_at(scenario, kind, options.at)
    check_flows(options.flow, len(network.flows))
    wanted = _run_options(options)
    figure, said = network_figure(network, kind, wanted.title_of(scenario.name), wanted)
    return _Drawn(figure, kind, said, Path("results", scenario.name))


def _look(options: argparse.Namespace) -> "Look":
    if options.wide and options.size is not None:
        raise InputError("--wide is --size page; give one of them")
    look = look_of(options)
    return replace(look, size="page") if options.wide else look


def _run_options(options: argparse.Namespace) -> "RunOptions":
    from hopwright.figures.of_run import RunOptions

    return RunOptions(
        y=options.y,
        flows=options.flow or None,
        at_s=options.at,
        moving_average=options.moving_average,
        title=options.title,
        log_y=options.log_y,
        look=_look(options),
    )


def _check_kind(kind: str | None, known: tuple[str, ...], what: str) -> None:
    if kind is not None and kind not in known:
        raise InputError(f"no figure '{kind}': {what}{near(kind, known)}")


def _refuse(options: argparse.Namespace, words: tuple[str, ...], what: str) -> None:
    """Raises `InputError` for an option that means nothing here."""
    for word in words:
        value = getattr(options, word.removeprefix("--").replace("-", "_"))
        if value not in (None, False, []):
            raise InputError(f"{word} cannot be used with {what}")
