"""An emulation again, off line, with more recorded or something changed."""

import json
import shutil
import tomllib
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError
from hopwright.emulation.folder import INPUTS, SCENARIO, is_open_loop

WATCHED = "output"
"""The table that says what is recorded: its keys change nothing."""


def replay(scenario: _core.Scenario, folder: Path, out: Path | None, *, overwrite: bool) -> Object:
    """Does `folder` again with this scenario, which is its own but for what shall differ.

    Writes a folder if there is to be one; returns the summary.
    """
    from hopwright._io.out import check_folder, new_folder
    from hopwright._io.source import load
    from hopwright._io.warn import warn
    from hopwright._run.execute import result_of
    from hopwright._run.recorded import leave, panels_of
    from hopwright.results.summary import summarise

    # What was changed for a folder is in its scenario: its replay differs from the emulation, too.
    changed = _happening(load(folder / SCENARIO, [])) != _happening(scenario)
    open_loop = changed or is_open_loop(folder)
    inputs = folder / INPUTS

    def about_of(text: str, differs: str) -> Object:
        about: Object = json.loads(text)
        again: Object = json.loads(differs)
        return {"emulation": about | {"replay": {"open_loop": open_loop} | again}}

    try:
        if out is None:
            result, text, differs = _core.replay(scenario, scenario.seed, inputs)
            return summarise(scenario, [result_of(result)]) | about_of(text, differs)
        check_folder(out, overwrite=overwrite)
        with new_folder(out, overwrite=overwrite) as place:
            panels = panels_of(scenario)
            result, text, differs = _core.replay(
                scenario, scenario.seed, inputs, folder=place, figures=bool(panels)
            )
            for line in result.unwritten:
                warn(f"not written: {line}")
            shutil.copyfile(inputs, place / INPUTS)
            about = about_of(text, differs)
            return leave(place, scenario, [result], panels, warn=warn, about=about, kept=(INPUTS,))
    except ValueError as error:
        raise InputError(str(error)) from error


def _happening(scenario: _core.Scenario) -> Json:
    """All of a scenario but what it records."""
    table: Object = tomllib.loads(scenario.to_toml())
    return {key: value for key, value in table.items() if key != WATCHED}
