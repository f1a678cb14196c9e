"""What a map leaves in its folder."""

import io
import re
from pathlib import Path

from hopwright._io.extras import Warn, extra
from hopwright._io.out import write_whole
from hopwright._schema.settings import overrides_of
from hopwright.adapt.figure import map_figure
from hopwright.adapt.outcome import Made, Outcome
from hopwright.adapt.policy_file import policy_file
from hopwright.adapt.report import text
from hopwright.sweeps.own_folder import OwnFolder

NUMBERS = "adapt.json"
FIGURE = "map"
FOLDER = OwnFolder(
    "map",
    re.compile(
        r"adapt\.json|report\.md|scenario\.toml|(policy|adaptive)(-told)?\.toml"
        r"|(cells|held-out)\.csv|request\.json|runs\.(parquet|jsonl)|map\.(svg|pdf|png|csv)"
    ),
)


def write(folder: Path, outcome: Outcome, warn: Warn) -> None:
    """Writes the report, the policy, tables, numbers and the figure.

    They take the place of an earlier map's; each is there with all of its content or not at all.
    `warn` is told if the figure is missing.
    """
    from arro3.io import write_parquet

    buffer = io.BytesIO()
    write_parquet(outcome.table(), buffer, compression="zstd(3)")
    contents = {
        "scenario.toml": outcome.request.scenario.to_toml().encode(),
        "cells.csv": outcome.cells_csv().encode(),
        "held-out.csv": outcome.gains_csv().encode(),
        "runs.parquet": buffer.getvalue(),
        "report.md": text(outcome).encode(),
    }
    for made in outcome.made:
        ending = "" if made.source == "measured" else f"-{made.source}"
        name = f"policy{ending}.toml"
        contents[name] = policy_file(outcome, made, name).encode()
        contents[f"adaptive{ending}.toml"] = _adaptive(outcome, made).encode()
    # Last: it has all that the others are made from.
    contents[NUMBERS] = outcome.to_json().encode()
    for stale in folder.glob(f"{FIGURE}.*"):
        stale.unlink()
    for name, content in contents.items():
        write_whole(folder / name, content)
    with extra("the figure", warn):
        map_figure(outcome).save(folder / FIGURE)


def _adaptive(outcome: Outcome, made: Made) -> str:
    """The scenario with the policy in it, every default filled in."""
    request = outcome.request
    return request.source.load(overrides_of(request.composition(made.settings))).to_toml()
