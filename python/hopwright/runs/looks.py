"""Ways to look at finished runs: what the verbs of `Results` do."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.data import items
from hopwright._io.errors import InputError, near
from hopwright.results.chosen import check_flows
from hopwright.results.network import NETWORK, Network
from hopwright.results.nodes import names_in

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from hopwright.explain.why import Side, Why
    from hopwright.figures import Figure
    from hopwright.figures.of_run import RunOptions
    from hopwright.runs.results import Results
    from hopwright.view.shown import Shown


def figure(results: "Results", kind: str | None, seed: int, options: "RunOptions") -> "Figure":
    """What `hopwright plot` draws of a run."""
    from hopwright.figures import of_run

    if kind is not None and kind not in of_run.RUN_KINDS:
        raise InputError(f"no figure '{kind}' of a run{near(kind, of_run.RUN_KINDS)}")
    flows = items(results.summary, "results", results.seeds.index(seed), "flows")
    check_flows(options.flows, len(flows))
    is_first = seed == results.seeds[0]
    network = None if results.folder is None else results.folder / NETWORK
    has_routes = is_first and network is not None and network.is_file()
    if kind is None:
        kind = "time" if results.has_series(seed) else "routes" if has_routes else "topology"
    scenario = results.scenario.with_seed(seed)
    title = options.title_of(scenario.name)
    if kind == "time":
        table = results.series(seed)
        columns = {name: list(table.column(name).to_pylist()) for name in table.column_names}
        names = names_in(results.summary)
        return of_run.time_figure(columns, flows, scenario.duration_s, title, options, names)[0]
    if kind != "routes":
        found = of_run.network_at(scenario, kind, options.at_s)
    elif is_first and results.folder is not None:
        found = Network.read(results.folder)
    else:
        raise InputError("routes: are kept only for the first run, and only with out=DIR")
    return of_run.network_figure(found, kind, title, options, flows)[0]


def against(
    results: "Results", baseline: "Results", flows: "Sequence[int] | None", seed: int | None
) -> "Why":
    """Where the time of flows went, beside other results."""
    from hopwright._io.warn import to_caller
    from hopwright.explain.unlike import unlike
    from hopwright.explain.why import why

    names = [_named(baseline), _named(results)]
    if names[0] == names[1]:
        names = [f"{names[0]} (baseline)", names[1]]
    both = (baseline, results)
    texts = [each.scenario.to_toml() for each in both]
    if (line := unlike(texts, names, flows)) is not None:
        to_caller(line)
    pairs = zip(both, names, strict=True)
    return why([_side(each, name, seed) for each, name in pairs], flows)


def _named(results: "Results") -> str:
    return results.scenario.name if results.folder is None else str(results.folder)


def _side(results: "Results", name: str, seed: int | None) -> "Side":
    """The runs of results; made again where they do not tell where the time went."""
    from hopwright._io.source import Source
    from hopwright.explain.why import side_of
    from hopwright.explain.why_sides import again, with_seeds

    side = with_seeds(side_of(name, results.flows), None if seed is None else [seed])
    if side.has_time:
        return side
    with tempfile.TemporaryDirectory(prefix="hopwright-") as folder:
        text, files = results.scenario.in_one_folder()
        for file, content in files:
            Path(folder, file).write_text(content, encoding="utf-8")
        source = Source(text, results.scenario.name, folder)
        return again(side, source, [], lambda _line: None)


def view(
    folders: "Sequence[Path]", file: "str | os.PathLike[str] | None", *, overwrite: bool
) -> "Shown":
    """The page of a run, or of two beside each other."""
    from hopwright.view.beside import VIEW
    from hopwright.view.folder import Run
    from hopwright.view.page import check_page, write_page
    from hopwright.view.shown import Shown

    if file is None and len(folders) > 1:
        raise InputError("view: name the file of a page with two runs")
    runs = [Run.at(folder) for folder in folders]
    # A run has one page of its own, which shows the same each time.
    place = folders[0] / VIEW if file is None else Path(file)
    check_page(place, overwrite=overwrite or file is None)
    write_page(runs, place)
    return Shown(place)
