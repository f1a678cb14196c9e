"""Runs that leave a folder: summaries, scenarios, what `[output]` asks for, and figures."""

import contextlib
import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json, Object, at, items, number
from hopwright._io.extras import MakingRoom, Warn, extra, nobody
from hopwright._io.out import new_folder
from hopwright._run.execute import execute, result_of
from hopwright.results.hops import hops_of
from hopwright.results.network import NETWORK, network_of
from hopwright.results.nodes import ends_of
from hopwright.results.places import SERIES
from hopwright.results.summary import summarise, to_json

MOST_FIGURES = 20
"""Of flows in a folder: each takes a third of a second, and nobody looks through hundreds."""


def run_into(  # noqa: PLR0913 - the options of the command
    folder: Path,
    scenario: _core.Scenario,
    seeds: Sequence[int],
    *,
    jobs: int,
    overwrite: bool,
    figures: bool = True,
    per_hop: bool = False,
    watch: Callable[[float], object] = lambda _fraction: None,
    warn: Warn | None = None,
) -> Object:
    """Runs the scenario once per seed, as `execute` does; returns the summary.

    With `per_hop`, summaries have `hops`, see `hops_of`. What is about one run of several goes to
    `seed-<n>`; figures and `network.json` are of the first. The folder appears complete or not at
    all: with summaries and scenarios. What is beside them, traces, figures, the network, reports
    by hop, may be missing where it fails; `warn` is told of that (without it, an absent trace
    raises `OSError`).
    """
    panels = panels_of(scenario) if figures else []
    with new_folder(folder, overwrite=overwrite) as place:
        folders = _folders(place, seeds)
        for each in folders:
            each.mkdir(exist_ok=True)
        imports = threading.Thread(target=_import_drawing, name="hopwright-imports", daemon=True)
        if panels:
            imports.start()
        finished = execute(
            scenario,
            seeds,
            jobs=jobs,
            folders=folders,
            figures=bool(panels),
            per_hop=per_hop,
            watch=watch,
            warn=warn,
        )
        if panels:
            imports.join()
        return leave(place, scenario, finished, panels, warn=warn)


def _import_drawing() -> None:
    """Imports the modules that draw a flow, while Rust makes the runs: they take half a second."""
    # `_draw` imports them again, and tells what is wrong.
    with contextlib.suppress(Exception):
        import matplotlib.backends.backend_svg
        import matplotlib.figure  # noqa: F401

        import hopwright.figures.flow
        import hopwright.figures.frozen
        import hopwright.figures.queues  # noqa: F401


def panels_of(scenario: _core.Scenario) -> list[str]:
    """What a scenario's figures show of each flow."""
    output: Json = json.loads(scenario.output_json())
    return [str(name) for name in items(output, "figures")]


def leave(
    place: Path,
    scenario: _core.Scenario,
    finished: Sequence[_core.RunResult],
    panels: Sequence[str],
    *,
    warn: Warn | None,
    about: Object | None = None,
    kept: Collection[str] = (),
) -> Object:
    """Writes what finished runs leave beside their traces; returns the summary.

    If there is no room for summaries and scenarios, traces go, and `warn` is told of that.
    `about` are further keys of the summary, `kept` files that stay.
    """
    room = MakingRoom(place, warn, kept)
    warn = warn or nobody
    results = [result_of(run) for run in finished]
    summary = summarise(scenario, results) | (about or {})
    with extra("the per-hop report", warn):
        summary |= hops_of(finished)
    _describe(place, scenario, summary, room)
    for name, text in scenario.in_one_folder()[1]:
        room.write(place / name, text)
    folders = _folders(place, [run.seed for run in finished])
    if len(finished) > 1:
        for each, run, result in zip(folders, finished, results, strict=True):
            one = scenario.with_seed(run.seed)
            about = summarise(one, [result])
            with extra(f"the per-hop report of seed {run.seed}", warn):
                about |= hops_of([run])
            _describe(each, one, about, room, files="../")
    if panels:
        _draw(place, scenario, finished[0], panels, folders[0] / SERIES, warn)
        if not scenario.has_medium:
            return summary
        with extra(NETWORK, warn, place / NETWORK):
            network = network_of(scenario, finished[0]).to_json()
            (place / NETWORK).write_text(network, encoding="utf-8")
    return summary


def _folders(place: Path, seeds: Sequence[int]) -> list[Path]:
    """Where each run writes: one alone has no folder of its own."""
    return [place] if len(seeds) == 1 else [place / f"seed-{seed}" for seed in seeds]


def _describe(
    folder: Path, scenario: _core.Scenario, summary: Object, room: MakingRoom, files: str = ""
) -> None:
    """`files`: the folder of the files that the scenario names."""
    room.write(folder / "summary.json", to_json(summary))
    text, _ = scenario.in_one_folder(files)
    room.write(folder / "scenario.toml", text)


def _draw(
    folder: Path,
    scenario: _core.Scenario,
    run: _core.RunResult,
    panels: Sequence[str],
    series: Path,
    warn: Warn,
) -> None:
    queues = run.queues(scenario.node_count)
    flows = items(result_of(run), "flows")
    if len(flows) > MOST_FIGURES:
        warn(
            f"only the first {MOST_FIGURES} of {len(flows)} flows have a figure; 'hopwright plot "
            "DIR time --flow N' draws another flow"
        )
    for index, flow in enumerate(flows[:MOST_FIGURES]):
        file = folder / f"flow-{index}.svg"
        with extra(file.name, warn, file):
            file.write_bytes(_figure(scenario, run, (index, flow), panels, queues, series))


def _figure(
    scenario: _core.Scenario,
    run: _core.RunResult,
    numbered: tuple[int, Json],
    panels: Sequence[str],
    queues: Mapping[int, tuple[bytes, bytes]],
    series: Path,
) -> bytes:
    import numpy as np

    from hopwright.figures.flow import flow_figure
    from hopwright.figures.frozen import frozen_spans
    from hopwright.figures.queues import queues_on_path

    index, flow = numbered
    waiting = {
        node: (np.frombuffer(time, dtype="<f8"), np.frombuffer(packets, dtype="<f8"))
        for node, (time, packets) in queues.items()
    }
    ends = ends_of(flow)
    columns = {name: np.frombuffer(data, dtype="<f8") for name, data in run.series(index).items()}
    stood_still = number(flow, "phase_time_s", "frozen") and series.is_file()
    return flow_figure(
        columns,
        title=f"{scenario.name}: {at(flow, 'protocol')}, {ends}, seed {run.seed}",
        end_s=scenario.duration_s,
        panels=panels,
        queues=queues_on_path(waiting, run.links(index), scenario.duration_s),
        frozen=frozen_spans(series, index, scenario.duration_s) if stood_still else (),
        changes=run.changes(index),
    )
