"""What each command does. The command line's words are in `arguments`."""

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json, Object, at, items
from hopwright._io.errors import InputError, near
from hopwright._io.extras import Warn, extra
from hopwright._io.out import check_folder, default_folder
from hopwright._io.progress import progress_bar
from hopwright._io.source import load
from hopwright._io.streams import print_json, print_toml, silence
from hopwright._io.warn import doubts, warn
from hopwright._run.execute import LARGEST_SEED, NO_FLOWS, core_count, execute, result_of
from hopwright._run.recorded import run_into
from hopwright._schema.routing import routing_protocols
from hopwright.results.hops import hops_of
from hopwright.results.nodes import names_in
from hopwright.results.starvation import of_results
from hopwright.results.summary import summarise, to_json


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of `hopwright run`."""

    seed: int | None
    runs: int
    jobs: int | None
    overrides: Sequence[str]
    out: Path | None
    overwrite: bool
    per_hop: bool
    view: bool
    json: bool
    latex: bool


def run(file: Path, options: RunOptions) -> None:
    """Simulates a scenario and shows or writes what came out."""
    scenario = _to_run(file, options)
    for line in doubts(scenario):
        warn(line)
    if not scenario.flow_count:
        warn(NO_FLOWS)
    if scenario.seed + options.runs - 1 > LARGEST_SEED:
        raise InputError(f"--runs {options.runs}: the last seed would exceed {LARGEST_SEED}")
    seeds = range(scenario.seed, scenario.seed + options.runs)

    is_shown = not options.json and not options.latex
    folder = options.out if options.out or not is_shown else default_folder(scenario.name)
    if folder is not None:
        check_folder(folder, overwrite=options.overwrite)

    jobs = options.jobs or core_count()
    missing: list[str] = []
    with progress_bar(scenario.name) as watch:
        if folder is None:
            finished = execute(scenario, seeds, jobs=jobs, per_hop=options.per_hop, watch=watch)
            results = [result_of(each) for each in finished]
            summary = summarise(scenario, results) | hops_of(finished)
        else:
            summary = run_into(
                folder,
                scenario,
                seeds,
                jobs=jobs,
                overwrite=options.overwrite,
                per_hop=options.per_hop,
                watch=watch,
                warn=missing.append,
            )
    page = _page(folder, seeds, missing.append) if options.view else None
    for line in missing:
        warn(line)
    if options.json:
        _write_json(summary)
        return
    if options.latex:
        _write_latex(summary, scenario.node_count)
        return
    with printing(f"{folder}"):
        _print(summary, scenario.node_count)
        print(f"\nresults in {folder}")
        if page is not None:
            print(f"the run as it moves: {page}")


def _to_run(file: Path, options: RunOptions) -> _core.Scenario:
    """The scenario, as the options want it."""
    if options.overwrite and options.out is None:
        raise InputError("--overwrite needs --out")
    if options.view and (options.json or options.latex) and options.out is None:
        raise InputError("--view writes a file beside the results: add --out")
    overrides = parse_overrides(options.overrides)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    scenario = load(file, overrides)
    return load(file, [*overrides, *drawn(scenario)]) if options.view else scenario


def _page(folder: Path | None, seeds: Sequence[int], warn_of: Warn) -> Path | None:
    """Writes the page that shows the run; returns where it is."""
    from hopwright.view.beside import write_beside

    return None if folder is None else write_beside(folder, seeds, warn_of)


def drawn(scenario: _core.Scenario) -> list[tuple[str, str]]:
    """What has a run write all that its page shows; lineage stays as it is where it is on."""
    keys = [("output.frames", "true"), ("output.positions", "true")]
    if at(json.loads(scenario.output_json()), "lineage") == "off":
        keys.append(("output.lineage", "losses"))
    return keys


def _write_json(summary: Object) -> None:
    """Nothing but JSON on standard output: who starves is said on standard error."""
    if (starved := of_results(items(summary, "results"))) is not None:
        warn(starved.said())
    print_json(to_json(summary))


def _write_latex(summary: Object, node_count: int) -> None:
    """Nothing but LaTeX on standard output: who starves is said on standard error."""
    from hopwright.results.table import latex

    if (starved := of_results(items(summary, "results"))) is not None:
        warn(starved.said())
    sys.stdout.write(latex(summary, node_count=node_count))


def _print(summary: Object, node_count: int) -> None:
    from hopwright.results.table import print_summary

    print_summary(summary, node_count=node_count)
    if "hops" in summary:
        from hopwright.results.hops_table import print_hops

        print_hops(summary["hops"], names_in(summary))


def check(file: Path, overrides: Sequence[str]) -> None:
    """Prints the checked scenario with every default filled in."""
    scenario = load(file, parse_overrides(overrides))
    for line in doubts(scenario):
        warn(line)
    print_toml(scenario.to_toml() + _nodes(scenario.names()))


MOST_NAMES = 20
"""So many nodes are listed with their names."""


def _nodes(names: Sequence[str]) -> str:
    """Numbers and names of nodes, as comments of TOML."""
    lines = [f"# node {n}: {name!r}\n" for n, name in enumerate(names[:MOST_NAMES])]
    if len(names) > MOST_NAMES:
        lines.append(f"# and {len(names) - MOST_NAMES} more: hopwright topology --json lists all\n")
    return "".join(["\n", *lines]) if lines else ""


def schema(*, of_results: bool, as_markdown: bool, as_python: bool) -> None:
    """Prints the JSON schema of the scenario file, or of results, or what is made from it."""
    if as_markdown and as_python:
        raise InputError("--markdown and --python: use only one of them")
    text = _core.results_schema_json() if of_results else _core.schema_json()
    described = json.loads(text)
    if as_markdown:
        from hopwright._schema.reference import reference_page
        from hopwright._schema.results_page import results_page

        sys.stdout.write(results_page(described) if of_results else reference_page(described))
    elif as_python:
        from hopwright._schema.classes import classes_page
        from hopwright._schema.result_classes import results_classes

        sys.stdout.write(results_classes(described) if of_results else classes_page(described))
    else:
        print_json(to_json(described))


def protocols(names: Sequence[str], *, slots: bool, routing: bool, as_json: bool) -> None:
    """Prints protocols and what they are made of; or what could be (`slots`), or `routing` alone.

    As JSON, transports alone if nothing else is asked for.
    """
    if slots and routing:
        raise InputError("--slots and --routing: use only one of them")
    if (slots or routing) and names:
        lists = "--slots lists every slot" if slots else "--routing lists every routing protocol"
        raise InputError(f"{lists}; '{names[0]}' is one argument too many")
    table = json.loads(_core.protocols_json())
    described = json.loads(_core.slots_json())
    routers = routing_protocols(json.loads(_core.schema_json()))
    if names:
        _check_names(names, table, routers)
        table = [row for row in table if row["id"] in names]
    if as_json:
        print_json(to_json(described if slots else routers if routing else table))
        return
    from hopwright._cli import composition

    if slots:
        composition.print_slots(described)
    elif routing:
        composition.print_routing(routers)
    elif names:
        composition.print_in_full(table, described, json.loads(_core.parameters_json()))
    else:
        composition.print_protocols(table, routers, json.loads(_core.parameters_json()))


def _check_names(names: Sequence[str], table: Json, routers: Sequence[Json]) -> None:
    """Refuses names that are none of the table's."""
    known = [str(at(row, "id")) for row in items(table)]
    routing = [at(router, "id") for router in routers]
    for name in names:
        if name in routing:
            raise InputError(f"'{name}' is a routing protocol; --routing lists them")
        if name not in known:
            raise InputError(f"no protocol called '{name}'{near(name, known)}")


@contextlib.contextmanager
def printing(place: str, name: str = "the table") -> Iterator[None]:
    """Prints what a place has already: if that fails, a warning says where the results are.

    `name`: what is missing then.
    """

    def without(line: str) -> None:
        warn(f"{line}; the results are in {place}")
        silence(sys.stdout)

    with extra(name, without):
        yield
        sys.stdout.flush()


def parse_overrides(
    texts: Sequence[str], *, example: str = "topology.hops=4"
) -> list[tuple[str, str]]:
    """`["mac.data_rate_mbps=11"]` as keys and values."""
    pairs = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not key.strip() or not equals:
            raise InputError(f"--set {text}: write it as KEY=VALUE, such as {example}")
        pairs.append((key.strip(), value.strip()))
    return pairs
