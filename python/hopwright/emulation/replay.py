"""An emulation again, off line, with more recorded or something changed."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Object
from hopwright._io.errors import InputError
from hopwright.emulation.folder import INPUTS, is_open_loop

WATCHED = "output."
"""Keys that begin so say what is recorded: they change nothing."""


def replay(
    scenario: _core.Scenario,
    inputs: Path,
    overrides: Sequence[tuple[str, str]],
    out: Path | None,
    *,
    overwrite: bool,
) -> Object:
    """Does it, and writes a folder if there is to be one; returns the summary."""
    from hopwright._io.out import check_folder, new_folder
    from hopwright._io.warn import warn
    from hopwright._run.execute import result_of
    from hopwright._run.recorded import leave, panels_of
    from hopwright.results.summary import summarise

    # What was changed for a folder is in its scenario: its replay differs from the emulation, too.
    changed = any(not key.startswith(WATCHED) for key, _ in overrides)
    open_loop = changed or is_open_loop(inputs.parent)

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
            return leave(
                place, scenario, [result], panels, warn=warn, about=about_of(text, differs)
            )
    except ValueError as error:
        raise InputError(str(error)) from error
