"""What each command does. The command line's words are in `arguments`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopwright import _core
from hopwright.data import Json, at, items
from hopwright.errors import InputError
from hopwright.out import check_folder, default_folder, write_folder
from hopwright.progress import progress_bar
from hopwright.runs import core_count, execute, result_of
from hopwright.summary import summarise, to_json

LARGEST_SEED = 2**53
"""The largest seed of a scenario: larger ones would not survive JSON readers."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of `hopwright run`."""

    seed: int | None
    runs: int
    jobs: int | None
    overrides: Sequence[str]
    out: Path | None
    overwrite: bool
    json: bool


def run(file: Path, options: RunOptions) -> None:
    """Simulates a scenario and shows or writes what came out."""
    if options.overwrite and options.out is None:
        raise InputError("--overwrite needs --out")
    overrides = parse_overrides(options.overrides)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    scenario = load(file, overrides)
    if scenario.seed + options.runs - 1 > LARGEST_SEED:
        raise InputError(f"--runs {options.runs}: the last seed would exceed {LARGEST_SEED}")
    seeds = range(scenario.seed, scenario.seed + options.runs)

    folder = options.out if options.out or options.json else default_folder(scenario.name)
    if folder is not None:
        check_folder(folder, overwrite=options.overwrite)

    with progress_bar(scenario.name) as watch:
        finished = execute(
            scenario,
            seeds,
            jobs=options.jobs or core_count(),
            series=folder is not None,
            watch=watch,
        )
    results = [result_of(each) for each in finished]
    summary = summarise(scenario, results)

    if folder is not None:
        files = {
            "summary.json": to_json(summary).encode(),
            "scenario.toml": scenario.to_toml().encode(),
        }
        files |= _figures(finished[0], scenario, results[0])
        if options.runs > 1:
            for seed, result in zip(seeds, results, strict=True):
                one = load(file, [*overrides, ("seed", str(seed))])
                files[f"seed-{seed}/summary.json"] = to_json(summarise(one, [result])).encode()
                files[f"seed-{seed}/scenario.toml"] = one.to_toml().encode()
        write_folder(folder, files, overwrite=options.overwrite)

    if options.json:
        sys.stdout.write(to_json(summary))
        return
    from hopwright.table import print_summary

    print_summary(summary, node_count=scenario.node_count)
    print(f"\nresults in {folder}")


def check(file: Path, overrides: Sequence[str]) -> None:
    """Prints the checked scenario with every default filled in."""
    sys.stdout.write(load(file, parse_overrides(overrides)).to_toml())


def schema(*, as_markdown: bool) -> None:
    """Prints the JSON schema of the scenario file, or the reference page made from it."""
    described: Json = json.loads(_core.schema_json())
    if not as_markdown:
        sys.stdout.write(to_json(described))
        return
    from hopwright.reference import reference_page

    sys.stdout.write(reference_page(described))


def protocols(*, as_json: bool) -> None:
    """Prints every transport protocol and what it is made of."""
    table: Json = json.loads(_core.protocols_json())
    if as_json:
        sys.stdout.write(to_json(table))
        return
    from hopwright.composition import print_protocols

    print_protocols(table)


def load(file: Path, overrides: Sequence[tuple[str, str]]) -> _core.Scenario:
    """Reads a scenario; whatever is wrong with the file itself is an input error as well."""
    try:
        return _core.load(str(file), list(overrides))
    except OSError as error:
        raise InputError(f"{file}: cannot read it: {error.strerror}") from error


def parse_overrides(texts: Sequence[str]) -> list[tuple[str, str]]:
    """`["mac.data_rate_mbps=11"]` as keys and values."""
    pairs = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not key.strip() or not equals:
            raise InputError(f"--set {text}: write it as KEY=VALUE, such as topology.hops=4")
        pairs.append((key.strip(), value.strip()))
    return pairs


def _figures(run: _core.RunResult, scenario: _core.Scenario, result: Json) -> dict[str, bytes]:
    panels = [str(name) for name in items(json.loads(scenario.output_json()), "figures")]
    if not panels:
        return {}
    import numpy as np

    from hopwright.plot import flow_figure

    figures = {}
    for index, flow in enumerate(items(result, "flows")):
        ends = f"{at(flow, 'from')} → {at(flow, 'to')}"
        title = f"{scenario.name}: {at(flow, 'protocol')}, {ends}, seed {run.seed}"
        columns = {
            name: np.frombuffer(data, dtype="<f8") for name, data in run.series(index).items()
        }
        figures[f"flow-{index}.svg"] = flow_figure(
            columns, title=title, end_s=scenario.duration_s, panels=panels
        )
    return figures
